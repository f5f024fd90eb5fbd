# SPDX-License-Identifier: BSD-3-Clause
"""What is exchanged with LIBSVM: machines, kernel matrices and scalings."""

from qpkernels.files.libsvm.kernel import read_libsvm_kernel, write_libsvm_kernel
from qpkernels.files.libsvm.machines import LibsvmMachines, LibsvmSigmoids, SvmType, read_libsvm_machines
from qpkernels.files.libsvm.model import LibsvmModel, read_libsvm_model, write_libsvm_model
from qpkernels.files.libsvm.ranges import read_libsvm_range, write_libsvm_range
from qpkernels.files.libsvm.writing import write_libsvm_machines

__all__ = [
    "LibsvmMachines",
    "LibsvmModel",
    "LibsvmSigmoids",
    "SvmType",
    "read_libsvm_kernel",
    "read_libsvm_machines",
    "read_libsvm_model",
    "read_libsvm_range",
    "write_libsvm_kernel",
    "write_libsvm_machines",
    "write_libsvm_model",
    "write_libsvm_range",
]
