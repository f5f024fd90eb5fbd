# SPDX-License-Identifier: BSD-3-Clause
"""Forms x solvers: who agrees, and who is proved."""

from formulations.comparison.compare import compare
from formulations.comparison.row import Row
from formulations.comparison.table import Comparison

__all__ = ["Comparison", "Row", "compare"]
