# SPDX-License-Identifier: BSD-3-Clause
"""Programs and machines as files; every writer has its reader.

Programs are written and read in the format of their suffix: :func:`write`, :func:`read`. Functions and kernel matrices
are exchanged with LIBSVM.
"""

from qpkernels.files.libsvm_kernel import read_libsvm_kernel, write_libsvm_kernel
from qpkernels.files.libsvm_model import LibsvmModel, SvmType, read_libsvm_model, write_libsvm_model
from qpkernels.files.registry import FORMATS, Format, read, write

__all__ = [
    "FORMATS",
    "Format",
    "LibsvmModel",
    "SvmType",
    "read",
    "read_libsvm_kernel",
    "read_libsvm_model",
    "write",
    "write_libsvm_kernel",
    "write_libsvm_model",
]
