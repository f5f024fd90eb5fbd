# SPDX-License-Identifier: BSD-3-Clause
"""Hyper-parameters by trial: a grid, and a path along one of them."""

from formulations.selection.search.grid import grid
from formulations.selection.search.path import SolutionPath, path
from formulations.selection.search.table import GridSearch

__all__ = ["GridSearch", "SolutionPath", "grid", "path"]
