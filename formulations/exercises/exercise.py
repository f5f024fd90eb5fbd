# SPDX-License-Identifier: BSD-3-Clause
"""An exercise: the question, the letters of its answer, and the judge of the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from qpkernels.arrays import Vector, check_choice, finite_vector, read_array, real_number
from qpkernels.errors import NonFiniteError, ParameterError, QPKernelsError, ShapeError, UnsupportedOptionError
from qpkernels.problems import Certificate

__all__ = ["Answers", "Exercise", "Exercises", "Verdict", "all_of", "at", "number", "vector"]


@dataclass(frozen=True, repr=False)
class Verdict:
    """Whether an answer is right, and why, or what is wrong with it, in words. It prints as these words.

    Attributes
    ----------
    right
        Whether the answer is right.
    words
        One or two sentences, without the last full stop.
    certificate
        The certificate of the answer, if it is one to a model; otherwise None.

    Examples
    --------
    >>> from formulations.exercises import exercises
    >>> verdict = exercises["soft-threshold"].check(a=lambda y, epsilon: y)
    >>> print(verdict.right, verdict.certificate.holds(1e-6))
    False False
    """

    right: bool
    words: str
    certificate: Certificate | None = None

    def __str__(self) -> str:
        return f"{self.words}."

    def __repr__(self) -> str:
        return str(self)

    def at(self, place: str) -> Verdict:
        """Return the same verdict, with the place where it was found in front of its words.

        Parameters
        ----------
        place
            A clause, such as ``"at C = 0.2"``.
        """
        return Verdict(self.right, f"{place}: {self.words}", self.certificate)


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on several parts: the first that is wrong, or what is said of all of them."""
    found = list(verdicts)
    wrong = next((verdict for verdict in found if not verdict.right), None)
    return wrong or Verdict(True, "; ".join(dict.fromkeys(each.words for each in found)), found[0].certificate)


Answers: TypeAlias = Mapping[str, Any]
"""A reader's answer, by the letters that were asked for."""

_LARGEST = 1e100
"""Size of a number in an answer: products of three are within float64."""


@dataclass(frozen=True, eq=False, repr=False)
class Exercise:
    """A question of a chapter, and the check of a reader's own answer to it.

    Attributes
    ----------
    name
        The name by which it is found in :data:`exercises`.
    chapter
        The page of Learn on which it stands, such as ``"soft-margin"``.
    level
        ``"warm-up"``, ``"standard"`` or ``"challenge"``.
    statement
        The question, in Markdown with formulas. Samples are numbered from 1, as in formulas.
    asks
        The letters in which an answer may be given, each with its meaning.
    judge
        The judge of the letters that are given.

    Examples
    --------
    >>> from formulations.exercises import exercises
    >>> print(exercises["hulls"].check(alpha=[0.1, 0.1, 0.2]))
    alpha is feasible, but its dual value is 0.14 below the optimum: not optimal.
    >>> print(exercises["hulls"].check(w=[-2 / 3], b=-1 / 3).right)
    False
    >>> print(exercises["hulls"].check(w=[2 / 3], b=1 / 3).right)
    True
    """

    name: str
    chapter: str
    level: Literal["warm-up", "standard", "challenge"]
    statement: str
    asks: Mapping[str, str]
    judge: Callable[[Answers], Verdict]

    def check(self, **answers: Any) -> Verdict:
        """Judge an answer, or a part of one.

        Parameters
        ----------
        **answers
            One or more of the letters in :attr:`asks`. If a letter stands for a function of parameters, give anything
            that takes these by position, such as ``lambda C: ...``, or a value that does not depend on them.

        Raises
        ------
        UnsupportedOptionError
            If a letter is not one of those.
        ParameterError, ShapeError, NonFiniteError
            If no letter is given, or a value has the wrong shape, is not a number, or is a function that raises.
        """
        unknown = next((letter for letter in answers if letter not in self.asks), None)
        if unknown is not None or not answers:
            came = f"{unknown!r} came" if answers else "nothing came"
            raise (UnsupportedOptionError if answers else ParameterError)(
                f"the exercise {self.name!r} takes {self._letters}, but {came}; write check({self._call})."
            )
        return self.judge(answers)

    @property
    def _letters(self) -> str:
        *others, last = (f"{letter} ({meaning})" for letter, meaning in self.asks.items())
        return f"{', '.join(others)} or {last}" if others else last

    @property
    def _call(self) -> str:
        return ", ".join(f"{letter}=..." for letter in self.asks)

    @property
    def code(self) -> str:
        """The line that checks an answer, with dots to be filled in."""
        return f'exercises["{self.name}"].check({self._call})'

    def __str__(self) -> str:
        lines = "\n".join(f"  {letter}: {meaning}" for letter, meaning in self.asks.items())
        return f"{self.name} ({self.level}, chapter {self.chapter})\n\n{self.statement}\n\n{self.code}\n{lines}"

    def __repr__(self) -> str:
        return f"<Exercise {self.name!r}, {self.level}: {', '.join(self.asks)}>"


class Exercises(dict[str, Exercise]):
    """Exercises by name, in the order of the chapters; ``print`` lists them.

    Parameters
    ----------
    exercises
        All exercises, in that order.

    Raises
    ------
    ParameterError
        If there is no exercise of a requested name; the message lists the existing ones.

    Examples
    --------
    >>> from formulations.exercises import exercises
    >>> print(exercises["hulls"].chapter, exercises["hulls"].level)
    duality standard
    """

    def __init__(self, exercises: Iterable[Exercise]) -> None:
        super().__init__((each.name, each) for each in exercises)

    def __missing__(self, name: object) -> Exercise:
        check_choice(name, "the name of an exercise", tuple(self))
        raise AssertionError("a name that is among the choices is not missing")

    def __str__(self) -> str:
        return "\n".join(
            f"{each.name:24} {each.level:9} {each.chapter:14} {', '.join(each.asks)}" for each in self.values()
        )


def vector(value: Any, letter: str, length: int, each: str) -> Vector:
    """Return an answer of several numbers.

    Parameters
    ----------
    value
        What came.
    letter
        How the exercise calls it.
    length
        How many they are; of one, a number will do.
    each
        What there is one of them for, as a clause.
    """
    found = finite_vector(np.ravel(value) if length == 1 and np.ndim(read_array(value, letter)) == 0 else value, letter)
    if found.size != length:
        raise ShapeError(f"{letter} must have {length} entries, {each}, but it has {found.size}.")
    _check_size(float(np.abs(found).max()), letter)
    return found


def number(value: Any, letter: str) -> float:
    """Return an answer that is one finite number."""
    array = read_array(value, letter)
    found = real_number(array.ravel()[0] if array.size == 1 and array.dtype.kind in "iuf" else value, letter)
    if not np.isfinite(found):
        raise NonFiniteError(f"{letter} must be a finite number, but it is {found}.")
    _check_size(abs(found), letter)
    return found


def _check_size(size: float, letter: str) -> None:
    if size > _LARGEST:
        raise ParameterError(f"{letter} must be at most {_LARGEST:g} in size, but {size:g} came.")


def at(value: Any, letter: str, given: Mapping[str, Any]) -> Any:
    """Return an answer at these parameters: itself, or what it returns where it is a function of them."""
    if not callable(value):
        return value
    try:
        return value(*given.values())
    except QPKernelsError:
        raise
    except Exception as error:
        raise ParameterError(
            f"{letter} must be a function of {', '.join(given) or 'nothing'}, such as lambda {', '.join(given)}: ..., "
            f"but calling it raised {type(error).__name__}: {error}."
        ) from error
