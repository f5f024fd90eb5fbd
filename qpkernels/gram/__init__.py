# SPDX-License-Identifier: BSD-3-Clause
"""A kernel bound to samples: its matrix, and Mercer's condition."""

from qpkernels.gram.gram import Gram
from qpkernels.gram.low_rank import Approximation, LowRank
from qpkernels.gram.mercer import Mercer

__all__ = [
    "Approximation",
    "Gram",
    "LowRank",
    "Mercer",
]
