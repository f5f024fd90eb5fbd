# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of many answers: along a path, over a grid, by several solvers."""

from formulations.displays.results.comparison import ComparisonDisplay, CrossExaminationDisplay
from formulations.displays.results.exact_path import ExactPathDisplay
from formulations.displays.results.grid_search import GridSearchDisplay
from formulations.displays.results.path import PathDisplay

__all__ = ["ComparisonDisplay", "CrossExaminationDisplay", "ExactPathDisplay", "GridSearchDisplay", "PathDisplay"]
