# SPDX-License-Identifier: BSD-3-Clause
"""Kernel matrices of low rank, from samples that are visited block by block."""

from qpkernels.gram.low_rank.approximation import Approximation
from qpkernels.gram.low_rank.block_source import BlockSource
from qpkernels.gram.low_rank.low_rank import LowRank

__all__ = ["Approximation", "BlockSource", "LowRank"]
