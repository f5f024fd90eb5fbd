# SPDX-License-Identifier: BSD-3-Clause
"""Kernel matrices of low rank, from samples that are visited block by block."""

from qpkernels.gram.low_rank.low_rank import Approximation, LowRank

__all__ = ["Approximation", "LowRank"]
