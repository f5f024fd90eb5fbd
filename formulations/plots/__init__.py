# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of machines, of their optimality and of results, by scikit-learn's convention of displays.

A class method such as ``from_solution`` or ``from_estimator`` computes; ``plot(ax=None)`` draws, and returns the
display, which keeps ``ax_``, ``axes_`` and ``figure_``. Matplotlib is imported only when something is drawn.
"""

from formulations.plots.certificates import CertificateDisplay, ComparisonDisplay, CrossExaminationDisplay
from formulations.plots.decision_regions import DecisionRegionDisplay
from formulations.plots.gram import GramDisplay
from formulations.plots.optimality import KKTDisplay, LossDisplay
from formulations.plots.regression import RelevanceDisplay, TubeDisplay
from formulations.plots.selection import ExactPathDisplay, GridSearchDisplay, PathDisplay

__all__ = [
    "CertificateDisplay",
    "ComparisonDisplay",
    "CrossExaminationDisplay",
    "DecisionRegionDisplay",
    "ExactPathDisplay",
    "GramDisplay",
    "GridSearchDisplay",
    "KKTDisplay",
    "LossDisplay",
    "PathDisplay",
    "RelevanceDisplay",
    "TubeDisplay",
]
