# SPDX-License-Identifier: BSD-3-Clause
"""Challenges of the lab: something to bring about, judged by the certified answer, in words of what is missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from formulations.lab.answers import LabAnswer
from formulations.lab.presets import PRESETS, kernel_part, machine_part, points_part
from formulations.lab.settings import KERNELS, Setting
from formulations.lab.views.hulls import HULLS
from formulations.modelling.solution import Solution
from formulations.modelling.tasks import Classification, Regression
from formulations.models.classification.separation.separability import HullIntersection, Separability
from qpkernels.arrays import Indices
from qpkernels.display import count
from qpkernels.errors import SolverFailedError
from qpkernels.kernels import Linear
from qpkernels.problems import Status

__all__ = ["CHALLENGES", "Challenge", "ChallengeVerdict"]

Wanted = TypeVar("Wanted", bound=Solution)

_HYPHEN = re.compile(r"(?<![\w-])-(?=\d)|(?<=\de)-0*(?=\d)")
"""The characters that stand for a minus in a number, with the zeros before its exponent."""


class _Unsolved(Exception):  # noqa: N818  what is missing is no error
    """Says what a challenge still misses; its message is what the page shows."""


@dataclass(frozen=True)
class ChallengeVerdict:
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
        Returns what is proved of an answer that solves it, and raises :class:`_Unsolved` of any other.
    """

    name: str
    title: str
    words: str
    start: Setting
    prove: Callable[[LabAnswer], str]

    def check(self, answer: LabAnswer) -> ChallengeVerdict:
        """Judge an answer, whose setting has the view that is shown as well."""
        machine = self.start.machine.choice
        try:
            _require(answer.setting.machine.choice is machine, f"Choose the machine {machine.title}.")
            return ChallengeVerdict(True, f"Solved. {_with_signs(self.prove(answer))}")
        except _Unsolved as missing:
            return ChallengeVerdict(False, _with_signs(str(missing)))


def _with_signs(words: str) -> str:
    """Return words whose numbers have the sign of a minus, at which no line ends."""
    return _HYPHEN.sub("−", words)


def _require(condition: bool, words: str) -> None:
    """Refuse an answer in words unless the condition holds."""
    if not condition:
        raise _Unsolved(words)


def _require_kernel(setting: Setting, name: str) -> None:
    """Refuse another kernel, and sums."""
    alone = len(setting.kernel) == 1 and setting.kernel[0].choice is KERNELS[name]
    _require(alone, f"Choose the kernel {KERNELS[name].title}, and no other beside it.")


def _require_points(setting: Setting, start: Setting) -> None:
    """Refuse other points than those of the start."""
    _require(
        np.array_equal(setting.points, start.points),
        "The points are not those of the start, which this challenge leaves where they are. Start it again.",
    )


def _certified(answer: LabAnswer, kind: type[Wanted]) -> Wanted:
    """Return the solution of an answer, proved optimal."""
    solution = answer.solution
    if solution is None:
        raise _Unsolved(f"There is no answer: {answer.refusal}")
    assert isinstance(solution, kind)
    if solution.status is not Status.OPTIMAL:
        proof = solution.certificate
        gaps = f"its relative gap is {proof.relative_gap:.1e}, above {proof.asked:g}"
        raise _Unsolved(f"The answer is not proved: {gaps}.")
    return solution


def _without_line(setting: Setting, proof: HullIntersection) -> str:
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


def _proof_of(solution: Solution) -> str:
    """Say to what a solution is proved optimal."""
    certificate = solution.certificate
    return (
        f"Proved optimal: primal value {certificate.primal_value:.6g}, dual value {certificate.dual_value:.6g}, "
        f"relative gap {f'{abs(gap):.1e}' if (gap := certificate.relative_gap) else 0}."
    )


# Margins: support vectors, intercepts, and classes that have no line ------------------------------------------

_LEAST_POINTS = 5
"""Points of which three support vectors are not all, and of which a tube without one says something."""

_BOUNDED = 10
"""Support vectors of two clouds that are to be at their bound: so many are for C from 1.8 to 2.3."""

_LEAST_INTERVAL = 0.01
"""Length of the interval of b from which on it is no matter of rounding."""

_LINEAR = kernel_part("linear")
_SEPARATED = points_part(
    [[1.4, 0.9], [2.3, 0.2], [1.1, 2.2], [2.6, 1.7], [-1.2, -0.8], [-2.2, 0.4], [-0.9, -2.1], [-2.7, -1.4]],
    [1, 1, 1, 1, -1, -1, -1, -1],
)
_HARD = Setting(machine_part("hard-margin"), _LINEAR, _SEPARATED)
_SOFT = replace(_HARD, machine=machine_part("soft-margin", C=100))
_CLOUDS = PRESETS["two-clouds"].setting


def _three_support_vectors(answer: LabAnswer) -> str:
    _require_kernel(answer.setting, "linear")
    _require(len(answer.setting.points) >= _LEAST_POINTS, f"Have at least {_LEAST_POINTS} points.")
    solution = _certified(answer, Classification)
    support = solution.support.indices
    _require(support.size == 3, f"The margin rests on {count(support.size, 'support vector')}; 3 are wanted.")
    return (
        f"The margin, {solution.margin:.4g} wide on either side, rests on the samples "
        f"{', '.join(map(str, support))}. {_proof_of(solution)}"
    )


def _several_intercepts(answer: LabAnswer) -> str:
    _require_kernel(answer.setting, "linear")
    solution = _certified(answer, Classification)
    low, high = solution.intercept_interval
    free = solution.support.free.size
    fixed = f", fixed by {count(free, 'free support vector')} with y (f(x) + b) = 1" if free else ""
    _require(high - low >= _LEAST_INTERVAL, f"There is one optimal b, {solution.intercept + 0.0:.4g}{fixed}.")
    return (
        f"Every b from {low:.4g} to {high:.4g} is optimal with this f: none of the "
        f"{count(len(solution.support), 'support vector')} is free. {_proof_of(solution)}"
    )


def _some_at_their_bound(answer: LabAnswer) -> str:
    _require_kernel(answer.setting, "linear")
    _require_points(answer.setting, _CLOUDS)
    solution = _certified(answer, Classification)
    bounded, cost = solution.support.bounded.size, answer.setting.machine.values["C"]
    are = f"At C = {cost:g}, {count(bounded, 'support vector')} {'is' if bounded == 1 else 'are'} at the bound"
    _require(bounded == _BOUNDED, f"{are}; {_BOUNDED} are wanted.")
    return f"{are}, and {solution.support.free.size} free. {_proof_of(solution)}"


def _common_point(answer: LabAnswer) -> str:
    _require_kernel(answer.setting, "linear")
    if answer.common_point is None:
        margin = _certified(answer, Classification).margin
        raise _Unsolved(f"A line separates these classes, with the margin {margin:.4g}.")
    is_shown = answer.setting.view.name == HULLS.name
    _require(is_shown, f"No line separates these classes. Look at the reason in {HULLS.title}.")
    return _without_line(answer.setting, answer.common_point)


# Kernels: what a line cannot do, and what a narrow kernel does ------------------------------------------------

_MOST_POINTS = 100
"""Points of which it is decided beside the answer whether a line separates them."""

_COST = 1e6

_DIAGONAL = np.array([[1.5, 1.2], [2.1, 0.7], [1.0, 1.9], [-1.4, -1.1], [-2.0, -0.6], [-0.9, -1.8]])
_CORNERS = points_part(np.vstack([_DIAGONAL, _DIAGONAL * (-1, 1)]), np.repeat([1, -1], len(_DIAGONAL)))
_APPLET = PRESETS["applet"].setting


def _degree_two_and_no_line(answer: LabAnswer) -> str:
    setting = answer.setting
    _require(len(setting.points) <= _MOST_POINTS, f"Have at most {_MOST_POINTS} points.")
    _require_kernel(setting, "polynomial")
    degree = setting.kernel[0].values["degree"]
    _require(degree == 2, f"The degree is {degree:g}; 2 is wanted.")
    solution = _certified(answer, Classification)
    return (
        f"The kernel of degree 2 separates the classes. {_proof_of(solution)} "
        f"{_without_line(setting, _hull_intersection(setting))}"
    )


def _hull_intersection(setting: Setting) -> HullIntersection:
    """Return the proof that no line separates the classes."""
    try:
        found = Separability(setting.X, setting.y, Linear()).decide()
    except SolverFailedError as error:
        raise _Unsolved(f"It is not decided whether a line separates these classes: {error}") from None
    if not isinstance(found, HullIntersection):
        raise _Unsolved("A line separates these classes as well: find ones for which it takes degree 2.")
    return found


def _all_support_vectors(answer: LabAnswer) -> str:
    setting = answer.setting
    _require_points(setting, _APPLET)
    _require_kernel(setting, "rbf")
    cost = setting.machine.values["C"]
    _require(cost == _COST, f"C is {cost:g}; {_COST:.0f} is wanted.")
    solution = _certified(answer, Classification)
    free, samples = solution.support.free.size, len(setting.points)
    _require(free == samples, f"{free} of {samples} samples are free support vectors; all are wanted.")
    return (
        f"All {samples} samples are free support vectors at gamma = {setting.kernel[0].values['gamma']:g}: each lies "
        f"on the margin, and the machine knows them by heart. {_proof_of(solution)}"
    )


# Tubes --------------------------------------------------------------------------------------------------------

_HEIGHTS = [0.3, -0.4, 0.5, 1.2, 0.9, 1.4, 0.6, -0.2, -0.7, -1.1, -0.5, 0.1]


def _empty_tube(answer: LabAnswer) -> str:
    setting = answer.setting
    _require(len(setting.points) >= _LEAST_POINTS, f"Have at least {_LEAST_POINTS} points.")
    solution = _certified(answer, Regression)
    vectors = len(solution.support)
    half = 0.5 * float(np.ptp(setting.y))
    _require(
        vectors == 0,
        f"The tube has {count(vectors, 'support vector')}. Its half width epsilon is {solution.epsilon:.4g}, and the "
        f"targets lie within {half:.4g} of their middle.",
    )
    low, high = solution.intercept_interval
    return (
        f"No sample has a coefficient: f = 0, and every b from {low:.4g} to {high:.4g} is optimal, since all targets "
        f"lie within epsilon = {solution.epsilon:.4g} of it; from {half:.4g} on they do. {_proof_of(solution)}"
    )


_CHALLENGES = (
    Challenge(
        "three-support-vectors",
        "Three support vectors",
        f"Move, add or delete points, at least {_LEAST_POINTS} in all, until the hard margin of the linear kernel "
        "rests on exactly three support vectors.",
        _HARD,
        _three_support_vectors,
    ),
    Challenge(
        "several-intercepts",
        "More than one b",
        "Let the soft margin of the linear kernel have more than one optimal b. C alone can do it. Which of the "
        "support vectors are free then?",
        _SOFT,
        _several_intercepts,
    ),
    Challenge(
        "ten-at-the-bound",
        "Ten at their bound",
        f"Leave the points where they are, and choose C so that exactly {_BOUNDED} support vectors are at their bound.",
        _CLOUDS,
        _some_at_their_bound,
    ),
    Challenge(
        "common-point",
        "No line, and why",
        f"Make the hard margin of the linear kernel impossible, and look in {HULLS.title} at a point that proves it: "
        "one that the convex hulls of both classes have in common.",
        _HARD,
        _common_point,
    ),
    Challenge(
        "degree-two",
        "Degree 2, and no line",
        "Separate the exclusive or by a hard margin with the polynomial kernel of degree 2. The judge also checks that "
        f"no line separates your points. Other points will do as well, at most {_MOST_POINTS}.",
        Setting(machine_part("hard-margin"), kernel_part("linear"), _CORNERS),
        _degree_two_and_no_line,
    ),
    Challenge(
        "by-heart",
        "Known by heart",
        f"Leave the points where they are, let C be {_COST:.0f}, and choose the width of the Gaussian kernel so that "
        "every sample is a free support vector.",
        replace(_APPLET, machine=machine_part("soft-margin", C=_COST)),
        _all_support_vectors,
    ),
    Challenge(
        "empty-tube",
        "A tube without a support vector",
        "Widen the tube until no sample is a support vector. What is f then, and how narrow may the tube be? At least "
        f"{_LEAST_POINTS} points.",
        Setting(
            machine_part("soft-tube", C=10, epsilon=0.25),
            kernel_part("rbf", gamma=1),
            points_part(np.linspace(-3.3, 3.3, len(_HEIGHTS)), _HEIGHTS),
        ),
        _empty_tube,
    ),
)

CHALLENGES: Mapping[str, Challenge] = {each.name: each for each in _CHALLENGES}
"""The challenges by name, in the order in which a page lists them."""
