# SPDX-License-Identifier: BSD-3-Clause
"""The exercises of Learn, each with a check that judges a reader's own answer by its certificate."""

from formulations.exercises.collection import exercises
from formulations.exercises.exercise import Exercise, Exercises, Verdict

__all__ = ["Exercise", "Exercises", "Verdict", "exercises"]
