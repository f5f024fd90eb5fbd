# SPDX-License-Identifier: BSD-3-Clause
"""Model selection: cross-validation, grids, paths and leave-one-out, with a certificate for every fit."""

from formulations.selection.cross_validation import CrossValidation, cross_validate
from formulations.selection.exact_path import ExactPath, exact_path
from formulations.selection.grid import GridSearch, grid
from formulations.selection.leave_one_out import LeaveOneOut, leave_one_out
from formulations.selection.path import SolutionPath, path

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
