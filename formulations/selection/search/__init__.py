# SPDX-License-Identifier: BSD-3-Clause
"""Hyper-parameters by trial: a grid, a path along one of them, and the exact path between two values."""

from formulations.selection.search.exact_path import exact_path
from formulations.selection.search.grid import grid
from formulations.selection.search.path import SolutionPath, path
from formulations.selection.search.piecewise import ExactPath
from formulations.selection.search.table import GridSearch

__all__ = ["ExactPath", "GridSearch", "SolutionPath", "exact_path", "grid", "path"]
