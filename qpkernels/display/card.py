# SPDX-License-Identifier: BSD-3-Clause
"""A card: a title, formulas and facts, as text, as HTML and as LaTeX."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import TypeVar

from qpkernels.display.maths import to_html, to_text
from qpkernels.display.notebook import Displayed
from qpkernels.display.problem import Line, latex_of

__all__ = ["Card", "Carded", "Fact", "carded", "count"]


@dataclass(frozen=True)
class Fact:
    """A name and what is to be said of it, both plain text."""

    name: str
    value: str


@dataclass(frozen=True)
class Card:
    """What an object shows of itself.

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
    formulas: tuple[Line, ...] = ()
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
