# SPDX-License-Identifier: BSD-3-Clause
"""A card, which is a title, formulas and facts, as text, HTML and LaTeX; the hooks of notebooks; bars in SVG."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeVar

from qpkernels.display.maths import to_html, to_text
from qpkernels.display.problem import TextbookLine, latex_of

__all__ = ["Card", "Carded", "Displayed", "Fact", "bars", "carded", "count", "spelled"]


@dataclass(frozen=True)
class Fact:
    """A name and what is to be said of it, both plain text."""

    name: str
    value: str


@dataclass(frozen=True)
class Card:
    """The parts of which an object's display is made.

    Attributes
    ----------
    title
        Its kind, and perhaps a word.
    formulas
        The maths, line by line, in the notation of :mod:`qpkernels.display.maths`.
    facts
        Names with values.
    figure
        An inline SVG, which only HTML shows.
    """

    title: str
    formulas: tuple[TextbookLine, ...] = ()
    facts: tuple[Fact, ...] = ()
    figure: str = ""

    def text(self) -> str:
        """Return the card as text: words in one column, formulas and values in another."""
        formulas = [(line.words, to_text(line.formula)) for line in self.formulas]
        facts = [(fact.name, fact.value) for fact in self.facts]
        width = max((len(word) for word, _ in (*formulas, *facts)), default=0)
        column = width + 2 if any(word for word, _ in formulas) else 0
        stated = "\n".join(f"  {word:<{column}}{formula}" for word, formula in formulas)
        said = "\n".join(f"  {word:<{width + 2}}{value}" for word, value in facts)
        return "\n\n".join([self.title, *filter(None, (stated, said))])

    def html(self) -> str:
        """Return the card as HTML."""
        formulas = _rows((line.words, to_html(line.formula)) for line in self.formulas)
        facts = _rows((fact.name, escape(fact.value)) for fact in self.facts)
        tables = "".join(f"<table>{rows}</table>" for rows in (formulas, facts) if rows)
        return f"<div><b>{escape(self.title)}</b>{tables}{self.figure}</div>"

    def latex(self) -> str | None:
        """Return the formulas in LaTeX, between dollars; None if there are none."""
        return f"$\\displaystyle {latex_of(self.formulas)}$" if self.formulas else None


class Displayed:
    """An object that shows itself in a notebook, as text, HTML and, where it has a formula, LaTeX.

    ``print`` writes what is easy to read, of several lines perhaps; ``repr`` is one line.
    """

    def _repr_html_(self) -> str:
        """Return it as HTML, everything escaped, without resources from elsewhere and without colours of its own."""
        raise NotImplementedError(f"a {type(self).__name__} must say how it looks in HTML")

    def _repr_latex_(self) -> str | None:
        """Return its formula in LaTeX, or None."""
        return None

    def _repr_mimebundle_(self, **limits: object) -> dict[str, str]:
        """Return all that a front end may choose from."""
        del limits
        latex = self._repr_latex_()
        bundle = {"text/plain": str(self), "text/html": self._repr_html_()}
        return bundle if latex is None else bundle | {"text/latex": latex}


class Carded(Displayed):
    """An object that shows itself by its card."""

    @abstractmethod
    def card(self) -> Card:
        """Return what it shows: the same in text, HTML and LaTeX."""

    def __str__(self) -> str:
        return self.card().text()

    def _repr_html_(self) -> str:
        """Return the card as HTML."""
        return self.card().html()

    def _repr_latex_(self) -> str | None:
        """Return the formulas of the card."""
        return self.card().latex()


Kind = TypeVar("Kind", bound=type)


def carded(kind: Kind) -> Kind:
    """Let a class that has :meth:`Carded.card` show its objects so, without a class between it and its parents."""
    for name in ("__str__", "_repr_html_", "_repr_latex_", "_repr_mimebundle_"):
        setattr(kind, name, getattr(Carded, name))
    return kind


def count(number: int, noun: str) -> str:
    """Return "1 sample", "2 samples"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _rows(pairs: Iterable[tuple[str, str]]) -> str:
    """Return rows of a table, whose words are escaped here and whose values are HTML already."""
    left = ' style="text-align: left"'
    return "".join(
        f'<tr><td style="text-align: left; opacity: 0.7">{escape(words)}</td><td{left}>{value}</td></tr>'
        if words
        else f"<tr><td></td><td{left}>{value}</td></tr>"
        for words, value in pairs
    )


_WIDTH, _ROW, _LABEL, _VALUE = 260, 18, 110, 60
_LEAST = -16.0


def bars(measures: Sequence[tuple[str, float]]) -> str:
    """Return an inline SVG of numbers from 1e-16 to 1 as bars on a logarithmic scale, in the colour of the text.

    A value beyond either end has a bar to that end; NaN has none.
    """
    height = _ROW * (len(measures) + 1)
    total = _LABEL + _WIDTH + _VALUE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{total}" height="{height}" '
        f'viewBox="0 0 {total} {height}" fill="currentColor" font-size="11">'
    ]
    for k, (label, value) in enumerate(measures):
        top = k * _ROW
        parts.append(f'<text x="0" y="{top + 13}">{escape(label)}</text>')
        parts.append(
            f'<rect x="{_LABEL}" y="{top + 4}" width="{_length(value):.1f}" height="{_ROW - 8}" opacity="0.55"/>'
        )
        parts.append(f'<text x="{_LABEL + _WIDTH + 6}" y="{top + 13}">{value:.1e}</text>')
    bottom = len(measures) * _ROW
    for exponent in range(int(_LEAST), 1, 4):
        x = _LABEL + _WIDTH * (1 - exponent / _LEAST)
        parts.append(
            f'<line x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{bottom}" stroke="currentColor" stroke-opacity="0.25"/>'
        )
        parts.append(
            f'<text x="{x:.1f}" y="{bottom + 13}" text-anchor="middle" opacity="0.7">{10.0**exponent:g}</text>'
        )
    return "".join([*parts, "</svg>"])


def _length(value: float) -> float:
    size = abs(value)
    if math.isnan(size) or size == 0:
        return 0.0
    exponent = 0.0 if math.isinf(size) else math.log10(size)
    # A number below the scale is still seen.
    return max(2.0, _WIDTH * (1 - min(max(exponent, _LEAST), 0.0) / _LEAST))


def spelled(kind: type) -> str:
    """Return the name of a class as commands and pages spell it: soft-margin for SoftMargin."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind.__name__).lower()
