# SPDX-License-Identifier: BSD-3-Clause
"""What a challenge is, and what its checks share: they judge the certified answer, and say in words what is missing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from formulations.classification.separation.hulls import HullIntersection
from formulations.lab.answers import Answer
from formulations.lab.frames.refusal import refusal
from formulations.lab.settings import KERNELS, Setting
from formulations.modelling.solution import Solution
from qpkernels.arrays import Indices
from qpkernels.problems import Status

__all__ = [
    "Challenge",
    "Unsolved",
    "Verdict",
    "certified",
    "common_point",
    "proof_of",
    "require",
    "require_kernel",
    "require_points",
]

Wanted = TypeVar("Wanted", bound=Solution)

_HYPHEN = re.compile(r"(?<![\w-])-(?=\d)|(?<=\de)-0*(?=\d)")
"""What stands for a minus in a number, with the zeros before its exponent."""


class Unsolved(Exception):  # noqa: N818  what is missing is no error
    """Says what a challenge still misses; its message is what the page shows."""


@dataclass(frozen=True)
class Verdict:
    """Whether a challenge is solved, and to what that is proved, or what is missing."""

    solved: bool
    words: str


@dataclass(frozen=True, eq=False)
class Challenge:
    """Something to bring about in the lab.

    Attributes
    ----------
    name, title, words
        Of the challenge, and its statement.
    start
        The setting that it begins with, in which it is not solved; another machine solves it no more than that does.
    prove
        Returns what is proved of an answer that solves it, and raises :class:`Unsolved` of any other.
    """

    name: str
    title: str
    words: str
    start: Setting
    prove: Callable[[Answer], str]

    def check(self, answer: Answer) -> Verdict:
        """Judge an answer, whose setting has the view that is shown besides."""
        machine = self.start.machine.choice
        try:
            require(answer.setting.machine.choice is machine, f"Choose the machine {machine.title}.")
            return Verdict(True, f"Solved. {_with_signs(self.prove(answer))}")
        except Unsolved as missing:
            return Verdict(False, _with_signs(str(missing)))


def _with_signs(words: str) -> str:
    """Return words whose numbers have the sign of a minus, at which no line ends."""
    return _HYPHEN.sub("−", words)


def require(condition: bool, words: str) -> None:
    """Refuse an answer in words unless the condition holds.

    Raises
    ------
    Unsolved
        Where it does not.
    """
    if not condition:
        raise Unsolved(words)


def require_kernel(setting: Setting, name: str) -> None:
    """Refuse another kernel, and sums."""
    alone = len(setting.kernel) == 1 and setting.kernel[0].choice is KERNELS[name]
    require(alone, f"Choose the kernel {KERNELS[name].title}, and no other beside it.")


def require_points(setting: Setting, start: Setting) -> None:
    """Refuse other points than those of the start."""
    require(
        np.array_equal(setting.points, start.points),
        "The points are not those of the start, which this challenge leaves where they are. Start it again.",
    )


def certified(answer: Answer, kind: type[Wanted]) -> Wanted:
    """Return the solution of an answer, proved optimal.

    Raises
    ------
    Unsolved
        If there is none, or it is not proved.
    """
    solution = answer.solution
    if solution is None:
        raise Unsolved(f"There is no answer: {refusal(answer.error)}")
    assert isinstance(solution, kind)
    if solution.status is not Status.OPTIMAL:
        gap = solution.certificate.relative_gap
        raise Unsolved(f"The answer is not proved: its relative gap is {gap:.1e}, above {solution.tol:g}.")
    return solution


def common_point(setting: Setting, proof: HullIntersection) -> str:
    """Say by what it is proved that no line separates the classes of a setting."""
    positive, negative = (_samples(proof.support[setting.y[proof.support] == sign]) for sign in (1.0, -1.0))
    place = ", ".join(f"{each + 0.0:.4g}" for each in 0.5 * proof.multipliers @ setting.X)
    return (
        f"No line separates the classes: the point ({place}) lies in the hull of {positive} of class +1, and in that "
        f"of {negative} of class −1. Proved in exact arithmetic."
    )


def _samples(numbers: Indices) -> str:
    named = ", ".join(map(str, np.sort(numbers)))
    return f"sample {named}" if numbers.size == 1 else f"the samples {named}"


def proof_of(solution: Solution) -> str:
    """Say to what a solution is proved optimal."""
    certificate = solution.certificate
    return (
        f"Proved optimal: primal value {certificate.primal_value:.6g}, dual value {certificate.dual_value:.6g}, "
        f"relative gap {f'{abs(gap):.1e}' if (gap := certificate.relative_gap) else 0}."
    )
