# SPDX-License-Identifier: BSD-3-Clause
"""Data sets, programs and machines as files; every writer has its reader.

Data sets are read in the LIBSVM, CSV and npz formats, and those bundled with scikit-learn are known by name; nothing is
downloaded. Programs are written and read in the format of their suffix: :func:`write`, :func:`read`. Machines, kernel
matrices and scalings are exchanged with LIBSVM; machines of LIBLINEAR are read. A malformed text file is refused with
the line and the column at fault.
"""

from qpkernels.files.datasets import BUNDLED_NAMES, Dataset, load_dataset
from qpkernels.files.liblinear import LiblinearModel, read_liblinear_model
from qpkernels.files.libsvm_data import (
    read_libsvm_kernel,
    read_libsvm_range,
    write_libsvm_kernel,
    write_libsvm_range,
)
from qpkernels.files.libsvm_machines import (
    LibsvmMachines,
    LibsvmModel,
    LibsvmSigmoids,
    SvmType,
    read_libsvm_machines,
    read_libsvm_model,
    write_libsvm_machines,
    write_libsvm_model,
)
from qpkernels.files.programs import FORMATS, Format, read, write
from qpkernels.files.scaling import Scaling, scale_features

__all__ = [
    "BUNDLED_NAMES",
    "FORMATS",
    "Dataset",
    "Format",
    "LiblinearModel",
    "LibsvmMachines",
    "LibsvmModel",
    "LibsvmSigmoids",
    "Scaling",
    "SvmType",
    "load_dataset",
    "read",
    "read_liblinear_model",
    "read_libsvm_kernel",
    "read_libsvm_machines",
    "read_libsvm_model",
    "read_libsvm_range",
    "scale_features",
    "write",
    "write_libsvm_kernel",
    "write_libsvm_machines",
    "write_libsvm_model",
    "write_libsvm_range",
]
