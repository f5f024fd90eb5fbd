# SPDX-License-Identifier: BSD-3-Clause
"""Cards, and what notebooks ask of objects."""

import math
import xml.etree.ElementTree as ElementTree

import pytest

from qpkernels.display import Card, Carded, Fact, count
from qpkernels.display.card import Displayed, bars
from qpkernels.display.problem import TextbookLine
from showing import check_latex, read_html


class Shown(Carded):
    def card(self) -> Card:
        return Card(
            "a <b>title</b>",
            (TextbookLine("minimize", "x^2"), TextbookLine("", "y")),
            (Fact("a & b", "<i>"),),
            "<svg></svg>",
        )


class Bare(Displayed):
    """Says nothing."""


def test_a_card_is_the_same_in_text_and_html() -> None:
    assert str(Shown()) == "a <b>title</b>\n\n  minimize  x²\n            y\n\n  a & b     <i>"
    bundle = Shown()._repr_mimebundle_(include=["text/html"])
    assert bundle["text/plain"] == str(Shown())
    assert read_html(bundle["text/html"]) == "a <b>title</b>minimizex2ya & b<i>"
    check_latex(bundle["text/latex"])


def test_a_card_without_formulas_has_no_latex() -> None:
    card = Card("title", facts=(Fact("n", "1"),))
    assert card.text() == "title\n\n  n  1"
    assert card.latex() is None
    assert Card("title", (TextbookLine("", "x_i"),)).latex() == "$\\displaystyle x_{i}$"


def test_what_shows_nothing_says_so() -> None:
    with pytest.raises(NotImplementedError, match="a Bare must say how it looks in HTML"):
        Bare()._repr_html_()


def test_bars_are_logarithmic() -> None:
    root = ElementTree.fromstring(
        bars([("a <b", 1.0), ("half", 1e-8), ("tiny", 1e-30), ("none", 0.0), ("?", math.nan)])
    )
    space = "{http://www.w3.org/2000/svg}"
    widths = [float(bar.attrib["width"]) for bar in root.iter(f"{space}rect")]
    assert widths[0] == 2 * widths[1]
    assert 0 < widths[2] < 0.1 * widths[1]
    assert widths[3:] == [0.0, 0.0]
    assert next(root.iter(f"{space}text")).text == "a <b"
    infinite = ElementTree.fromstring(bars([("inf", math.inf)]))
    assert float(next(infinite.iter(f"{space}rect")).attrib["width"]) == widths[0]


def test_counts() -> None:
    assert [count(n, "sample") for n in (0, 1, 2)] == ["0 samples", "1 sample", "2 samples"]
