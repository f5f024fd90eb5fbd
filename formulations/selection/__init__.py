# SPDX-License-Identifier: BSD-3-Clause
"""Model selection: cross-validation, grids, paths and leave-one-out, with a certificate for every fit."""

from formulations.selection.cross_validation import CrossValidation, cross_validate
from formulations.selection.leave_one_out import LeaveOneOut, leave_one_out
from formulations.selection.search import ExactPath, GridSearch, SolutionPath, exact_path, grid, path

__all__ = [
    "CrossValidation",
    "ExactPath",
    "GridSearch",
    "LeaveOneOut",
    "SolutionPath",
    "cross_validate",
    "exact_path",
    "grid",
    "leave_one_out",
    "path",
]
