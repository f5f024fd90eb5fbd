# SPDX-License-Identifier: BSD-3-Clause
"""Forms x solvers: who agrees, and who is proved; solvers x tolerances: who claims what is proved."""

from formulations.comparison.compare import compare
from formulations.comparison.cross_examine import cross_examine
from formulations.comparison.examination import CrossExamination, Trial
from formulations.comparison.row import Row
from formulations.comparison.table import Comparison

__all__ = ["Comparison", "CrossExamination", "Row", "Trial", "compare", "cross_examine"]
