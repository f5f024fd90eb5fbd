# SPDX-License-Identifier: BSD-3-Clause
"""Programs and machines as files; every writer has its reader.

Programs are written and read in the format of their suffix: :func:`write`, :func:`read`. Machines, kernel matrices and
scalings are exchanged with LIBSVM; machines of LIBLINEAR are read.
"""

from qpkernels.files.liblinear_model import LiblinearModel, read_liblinear_model
from qpkernels.files.libsvm import (
    LibsvmMachines,
    LibsvmModel,
    LibsvmSigmoids,
    SvmType,
    read_libsvm_kernel,
    read_libsvm_machines,
    read_libsvm_model,
    read_libsvm_range,
    write_libsvm_kernel,
    write_libsvm_machines,
    write_libsvm_model,
    write_libsvm_range,
)
from qpkernels.files.registry import FORMATS, Format, read, write

__all__ = [
    "FORMATS",
    "Format",
    "LiblinearModel",
    "LibsvmMachines",
    "LibsvmModel",
    "LibsvmSigmoids",
    "SvmType",
    "read",
    "read_liblinear_model",
    "read_libsvm_kernel",
    "read_libsvm_machines",
    "read_libsvm_model",
    "read_libsvm_range",
    "write",
    "write_libsvm_kernel",
    "write_libsvm_machines",
    "write_libsvm_model",
    "write_libsvm_range",
]
