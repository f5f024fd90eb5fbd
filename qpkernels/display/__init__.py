# SPDX-License-Identifier: BSD-3-Clause
"""How objects show themselves: maths from one notation, cards and tables as text and HTML, bars of progress."""

from qpkernels.display.card import Card, Carded, Displayed, Fact, bars, carded, count
from qpkernels.display.maths import grouped, leading, quoted, signed, to_html, to_latex, to_text
from qpkernels.display.problem import TextbookLine, TextbookProblem
from qpkernels.display.progress import progress_bar
from qpkernels.display.tables import Column, Reported, TableReport, TextTable, as_text, without_nan

__all__ = [
    "Card",
    "Carded",
    "Column",
    "Displayed",
    "Fact",
    "Reported",
    "TableReport",
    "TextTable",
    "TextbookLine",
    "TextbookProblem",
    "as_text",
    "bars",
    "carded",
    "count",
    "grouped",
    "leading",
    "progress_bar",
    "quoted",
    "signed",
    "to_html",
    "to_latex",
    "to_text",
    "without_nan",
]
