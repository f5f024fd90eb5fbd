# SPDX-License-Identifier: BSD-3-Clause
"""The display of objects: maths from one notation, cards and tables as text and HTML, and progress bars."""

from qpkernels.display.card import Card, Carded, Fact, count
from qpkernels.display.maths import leading, signed, to_text
from qpkernels.display.problem import TextbookProblem
from qpkernels.display.progress import progress_bar
from qpkernels.display.tables import Column, TableReport, TextTable, as_text

__all__ = [
    "Card",
    "Carded",
    "Column",
    "Fact",
    "TableReport",
    "TextTable",
    "TextbookProblem",
    "as_text",
    "count",
    "leading",
    "progress_bar",
    "signed",
    "to_text",
]
