# SPDX-License-Identifier: BSD-3-Clause
"""What a kernel is, and what the kernels share."""

from qpkernels.kernels.base.enclosed import EnclosedMatrix, EnclosedRows
from qpkernels.kernels.base.kernel import Algebra, Kernel, Samples
from qpkernels.kernels.base.product_form import ProductForm
from qpkernels.kernels.base.rational import Rational
from qpkernels.kernels.base.sample_function import SampleFunction

__all__ = [
    "Algebra",
    "EnclosedMatrix",
    "EnclosedRows",
    "Kernel",
    "ProductForm",
    "Rational",
    "SampleFunction",
    "Samples",
]
