# SPDX-License-Identifier: BSD-3-Clause
"""How objects show themselves: maths from one notation, cards as text, HTML and LaTeX, and the hooks of notebooks."""

from qpkernels.display.card import Card, Carded, Fact, carded, count
from qpkernels.display.formulas import grouped, leading, signed
from qpkernels.display.maths import quoted, to_html, to_latex, to_text
from qpkernels.display.notebook import Displayed, bars
from qpkernels.display.problem import Line, TextbookProblem

__all__ = [
    "Card",
    "Carded",
    "Displayed",
    "Fact",
    "Line",
    "TextbookProblem",
    "bars",
    "carded",
    "count",
    "grouped",
    "leading",
    "quoted",
    "signed",
    "to_html",
    "to_latex",
    "to_text",
]
