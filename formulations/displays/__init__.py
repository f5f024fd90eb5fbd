# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of machines, of what makes them optimal, and of results, by scikit-learn's convention of displays.

A class method such as ``from_solution`` or ``from_estimator`` computes; ``plot(ax=None)`` draws, and returns the
display, which keeps ``ax_``, ``axes_`` and ``figure_``. Matplotlib is imported when something is drawn, and not before.
"""

from formulations.displays.functions import DecisionRegionDisplay, RelevanceDisplay, TubeDisplay
from formulations.displays.optimality import CertificateDisplay, GramDisplay, KKTDisplay, LossDisplay
from formulations.displays.results import (
    ComparisonDisplay,
    CrossExaminationDisplay,
    ExactPathDisplay,
    GridSearchDisplay,
    PathDisplay,
)

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
