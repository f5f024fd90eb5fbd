# SPDX-License-Identifier: BSD-3-Clause
"""What solving a model returns: a Solution, in the terms of its task."""

from formulations.modelling.solution.scale import Scale
from formulations.modelling.solution.solution import Run, Seconds, Solution
from formulations.modelling.solution.tasks import Classification, Novelty, Regression, Tube

__all__ = ["Classification", "Novelty", "Regression", "Run", "Scale", "Seconds", "Solution", "Tube"]
