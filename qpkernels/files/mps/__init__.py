# SPDX-License-Identifier: BSD-3-Clause
"""Quadratic programs in free MPS."""

from qpkernels.files.mps.reader import read_mps
from qpkernels.files.mps.writer import write_mps

__all__ = ["read_mps", "write_mps"]
