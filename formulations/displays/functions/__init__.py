# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of the function that a machine found, in the space of the features."""

from formulations.displays.functions.decision_regions import DecisionRegionDisplay
from formulations.displays.functions.relevance import RelevanceDisplay
from formulations.displays.functions.tube import TubeDisplay

__all__ = ["DecisionRegionDisplay", "RelevanceDisplay", "TubeDisplay"]
