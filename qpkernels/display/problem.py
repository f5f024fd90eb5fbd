# SPDX-License-Identifier: BSD-3-Clause
"""A problem as the textbook writes it, in the notation of the docstrings."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from qpkernels.display.maths import to_latex

__all__ = ["TextbookLine", "TextbookProblem", "latex_of"]

_VERBS = {
    "min": "minimize",
    "max": "maximize",
    "find": "find",
    "solve": "solve",
    "repeat": "repeat",
    "decide": "decide for",
}

_BALANCE = re.compile(r"(y|1)'\S.* = 0")
"""The constraint of a dual that only an intercept makes."""


@dataclass(frozen=True)
class TextbookLine:
    """A formula, and the words before it."""

    words: str
    formula: str


@dataclass(frozen=True)
class TextbookProblem:
    """An optimisation problem: an objective, and the constraints that it is subject to.

    Parameters
    ----------
    text
        As in docstrings, see :mod:`qpkernels.display.maths`: ``min``, ``max``, ``find``, ``solve``, ``repeat`` or
        ``decide``, the objective, ``s.t.``, and constraints that a comma and two spaces separate.
    where
        What the letters are that are neither data nor hyper-parameters nor variables.

    Raises
    ------
    ValueError
        If the text begins with no such verb.
    """

    text: str
    where: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        verb = self.text.split(maxsplit=1)[0] if self.text.strip() else ""
        if verb not in _VERBS:
            raise ValueError(f"a problem begins with one of {', '.join(_VERBS)}, but {self.text!r} came.")

    @cached_property
    def verb(self) -> str:
        """The task in a word."""
        return _VERBS[self.text.split(maxsplit=1)[0]]

    @property
    def has_objective(self) -> bool:
        """Whether something is minimised or maximised, which has a value."""
        return self.verb in ("minimize", "maximize")

    @cached_property
    def objective(self) -> str:
        """The objective, or what is to be found or solved."""
        return self.text.split(maxsplit=1)[1].partition(" s.t. ")[0].strip()

    @cached_property
    def constraints(self) -> tuple[str, ...]:
        """The constraints."""
        stated = self.text.partition(" s.t. ")[2].strip()
        return tuple(re.split(r",\s{2,}", stated)) if stated else ()

    @cached_property
    def lines(self) -> tuple[TextbookLine, ...]:
        """The problem line by line."""
        words = ["subject to", *[""] * len(self.constraints)]
        constraints = (TextbookLine(word, each) for word, each in zip(words, self.constraints, strict=False))
        definitions = (TextbookLine("" if k else "where", each) for k, each in enumerate(self.where))
        return (TextbookLine(self.verb, self.objective), *constraints, *definitions)

    def without_intercept(self) -> TextbookProblem:
        """Return the problem with b = 0, and without the constraint that only b makes."""
        verb = self.text.split(maxsplit=1)[0]
        kept = [_without_b(each) for each in self.constraints if not _BALANCE.fullmatch(each)]
        subject = f"  s.t.  {',  '.join(kept)}" if kept else ""
        return TextbookProblem(f"{verb}  {_without_b(self.objective)}{subject}", tuple(map(_without_b, self.where)))

    def defining(self, *definitions: str) -> TextbookProblem:
        """Return the problem with further definitions of letters."""
        return replace(self, where=(*self.where, *definitions))

    def latex(self) -> str:
        """Return the problem in LaTeX, aligned, without dollars."""
        return latex_of(self.lines)


def latex_of(lines: tuple[TextbookLine, ...]) -> str:
    """Return lines in LaTeX, their words in one column and their formulas in another."""
    if len(lines) == 1 and not lines[0].words:
        return to_latex(lines[0].formula)
    words = (f"\\text{{{line.words}}} \\quad " if line.words else "" for line in lines)
    rows = (f"{word}& {to_latex(line.formula)}" for word, line in zip(words, lines, strict=True))
    return "\\begin{aligned} " + " \\\\ ".join(rows) + " \\end{aligned}"


def _without_b(formula: str) -> str:
    """Return a formula with b = 0."""
    zero = re.sub(r" [+-] b\b(?!_)|\bb, (?=\w)|, b\b(?!_)", "", formula)
    return re.sub(r"(?<=[ ])\((f\(x_i\))\)", r"\1", zero)
