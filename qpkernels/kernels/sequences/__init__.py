# SPDX-License-Identifier: BSD-3-Clause
"""Kernels over sequences: text, bytes or integers."""

from qpkernels.kernels.sequences.base import SequenceKernel
from qpkernels.kernels.sequences.spectrum import Spectrum
from qpkernels.kernels.sequences.subsequence import Subsequence

__all__ = ["SequenceKernel", "Spectrum", "Subsequence"]
