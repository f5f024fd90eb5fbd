# SPDX-License-Identifier: BSD-3-Clause
"""A kernel bound to samples: its matrix, the condition of Mercer, and the functions in its space."""

from qpkernels.gram.changing import ChangingGram, changed
from qpkernels.gram.definiteness import PSD_TOLERANCE, Correction
from qpkernels.gram.expansion import Expansion
from qpkernels.gram.gram import Gram
from qpkernels.gram.low_rank import Approximation, LowRank
from qpkernels.gram.mercer import Mercer
from qpkernels.gram.products import BoundedProduct, bounded_product

__all__ = [
    "PSD_TOLERANCE",
    "Approximation",
    "BoundedProduct",
    "ChangingGram",
    "Correction",
    "Expansion",
    "Gram",
    "LowRank",
    "Mercer",
    "bounded_product",
    "changed",
]
