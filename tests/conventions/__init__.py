# SPDX-License-Identifier: BSD-3-Clause
"""The checks of the table of conventions: a function for each line, found by its name."""

from conventions import classification, margins, regression, relevance
from conventions.checks import CHECKS

__all__ = ["CHECKS", "classification", "margins", "regression", "relevance"]
