# SPDX-License-Identifier: BSD-3-Clause
"""What must be true of two answers to one problem, whoever gave them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from attack.generator import Attack, Extension, Route
from formulations.modelling import Model, Solution
from handed_out import HandedOut
from qpkernels import Expansion
from qpkernels.errors import InfeasibleError, NoEnclosureError, QPKernelsError, UnboundedError
from qpkernels.problems import Certificate, Enclosure, Status

__all__ = [
    "TOLERANCE",
    "Answer",
    "Failure",
    "Interval",
    "check_answer",
    "check_enclosures",
    "check_implied",
    "check_pair",
    "interval_of",
]

TOLERANCE = 1e-6
"""Asked of every solver."""

OWN = ("smo", "interior-point", "linear")
"""Solvers of this project, which are not to raise exceptions that somebody else has to wrap."""


@dataclass(frozen=True)
class Failure:
    """What was not as it must be: the kind of it in a word, and what exactly."""

    kind: str
    words: str


@dataclass(frozen=True)
class Interval:
    """An interval that contains the optimal value up to rounding, and whether that is meant to be proved."""

    lower: float
    upper: float
    proved: bool
    rounding: float = 0.0

    @property
    def scale(self) -> float:
        """The larger of the two in size."""
        return max(abs(self.lower), abs(self.upper))

    def is_below(self, other: Interval) -> bool:
        """Return whether all of it is below all of the other, beyond twice the rounding that both state.

        That of a sum grows as the square root of its terms most of the time, and not always.
        """
        return self.upper + 2.0 * self.rounding < other.lower - 2.0 * other.rounding

    def distance(self, other: Interval) -> float:
        """Return how far the ends of both are apart, beyond the rounding that both state."""
        apart = max(abs(self.upper - other.upper), abs(self.lower - other.lower))
        return max(0.0, apart - self.rounding - other.rounding)


@dataclass(frozen=True, eq=False)
class Answer:
    """What became of a route: a solution or an exception."""

    route: Route
    solution: Solution | None
    error: Exception | None = None
    seconds: float = 0.0

    @property
    def status(self) -> str:
        """The status of the solution, or the name of the exception."""
        return str(self.solution.status) if self.solution is not None else type(self.error).__name__

    @property
    def is_optimal(self) -> bool:
        """Whether the optimum is said to be proved."""
        return self.solution is not None and self.solution.status is Status.OPTIMAL


def interval_of(certificate: Certificate) -> Interval:
    """Return what the certificate says of the optimal value; :func:`check_enclosures` has rigorous intervals."""
    # A hard constraint that is missed by a little may be worth any amount.
    feasible = certificate.uncounted == 0.0 and certificate.dual_residual <= 1e-12
    size = max(abs(certificate.primal_value), abs(certificate.dual_value))
    # Both values are those of a program whose coefficients differ by that share.
    rounding = certificate.rounding + certificate.dual_residual * size
    return Interval(certificate.dual_value, certificate.primal_value, feasible, rounding)


def check_answer(attack: Attack, model: Model[Any], answer: Answer) -> Iterator[Failure]:
    """Yield what is wrong with one answer."""
    error, solution = answer.error, answer.solution
    if error is not None:
        name = f"{answer.route}: {type(error).__name__}: {error}"
        if not isinstance(error, QPKernelsError) or (answer.route.solver in OWN and " raised " in str(error)):
            yield Failure("untyped", name)
    if solution is None:
        return
    interval = interval_of(solution.certificate)
    # The rounding is that of both values together.
    if interval.proved and interval.lower - interval.upper > interval.rounding:
        yield Failure("weak duality", f"{answer.route}: D = {interval.lower!r} above P = {interval.upper!r}")
    if answer.is_optimal:
        yield from _check_optimal(attack, model, answer.route, solution, interval)


def _check_optimal(
    attack: Attack, model: Model[Any], route: Route, solution: Solution, interval: Interval
) -> Iterator[Failure]:
    allowed = 2 * TOLERANCE * interval.scale + interval.rounding
    if interval.upper - interval.lower > allowed:
        yield Failure("wide", f"{route} is optimal at P = {interval.upper!r}, D = {interval.lower!r}")
    form = next((each for each in model.forms.values() if each.name == solution.formulation), None)
    if route.extended or form is None:
        shown = min(abs(solution.objective - sign * interval.upper) for sign in (1.0, -1.0))
    else:
        shown = abs(solution.objective - form.objective_of(solution.certificate))
    if shown > allowed:
        yield Failure("shown", f"{route}: objective {solution.objective!r} of {solution.certificate}")
    if hasattr(solution, "function"):
        yield from _check_function(attack, route, solution)
    # Of an optimum that is nothing but rounding there is no more to say.
    if not route.extended and interval.rounding < interval.scale:
        yield from _check_values(model, route, solution, interval)
        again = model.certify(solution)
        # Rounding that is stated is no verdict: the function handed out may be a longer sum than what was judged, of
        # kernel values that were computed anew.
        stated = again.rounding / interval.scale if interval.scale > 0 else 0.0
        explained = again.primal_value - again.dual_value <= again.rounding
        if not (explained or again.holds(10 * TOLERANCE + min(2.0 * stated, 0.9))):
            yield Failure("false reject", f"{route} is optimal by {solution.certificate}, but certify says {again}")


def check_implied(extension: Extension, answer: Answer) -> Iterator[Failure]:
    """Yield what holds at every feasible point, and not at the one that is handed out."""
    if not answer.is_optimal:
        return
    for name, expression in extension.implied.items():
        if not (value := float(expression.value)) >= -10 * TOLERANCE:
            yield Failure("implied", f"{answer.route}: {name} implies {expression} >= 0, but it is {value!r}")


def _check_values(model: Model[Any], route: Route, solution: Solution, interval: Interval) -> Iterator[Failure]:
    """Yield where P and D are not those of the function and the coefficients that are handed out."""
    handed = HandedOut(model, solution)
    allowed = TOLERANCE * interval.scale + interval.rounding
    # Of a model without slack a shift of the values may be infeasible, and no rounding of P.
    rounding = handed.primal_rounding if np.isfinite(handed.primal_rounding) else 0.0
    if not abs(handed.primal_value - interval.upper) <= allowed + rounding:
        yield Failure("handed out", f"{route}: P = {interval.upper!r}, but that of f and b is {handed.primal_value!r}")
    if not abs(handed.dual_value - interval.lower) <= allowed + handed.dual_rounding:
        yield Failure("handed out", f"{route}: D = {interval.lower!r}, but that of beta is {handed.dual_value!r}")


def _check_function(attack: Attack, route: Route, solution: Solution) -> Iterator[Failure]:
    values, decision = solution.function(attack.data[0]), solution.decision
    function = solution.function
    largest = float(function.kernel.diagonal(function.centers).max())
    rounding = float(np.finfo(float).eps * np.abs(function.coefficients).sum() * largest)
    # Where residuals are what is known, the values are the targets less these.
    rounding += _kernel_rounding(attack, function) + float(4.0 * np.finfo(float).eps * _largest_target(attack))
    scale = TOLERANCE * max(float(np.abs(decision).max()), abs(solution.intercept)) + rounding
    apart = np.abs(values - decision)
    if not apart.max() <= 10 * scale:
        worst = int(np.argmax(apart))
        yield Failure("function", f"{route}: f(x) + b = {values[worst]!r}, decision {decision[worst]!r} of {worst}")
    if solution.function.classes is None:
        return
    expected = solution.function.classes[(decision > 0).astype(np.intp)]
    wrong = (solution.function.predict(attack.data[0]) != expected) & (np.abs(decision) > scale)
    if wrong.any():
        yield Failure("prediction", f"{route}: predict differs from the sign of decision at {np.flatnonzero(wrong)}")


def _largest_target(attack: Attack) -> float:
    return float(np.abs(attack.data[1]).max()) if len(attack.data) > 1 else 1.0


def _kernel_rounding(attack: Attack, function: Expansion) -> float:
    """Return how far f moves where each feature of the samples does so by its rounding."""
    X = attack.data[0]
    if not (isinstance(X, np.ndarray) and X.ndim == 2):
        return 0.0
    near, here = (function.kernel(scale * X, function.centers) for scale in (1.0 + 4.0 * np.finfo(float).eps, 1.0))
    return float((np.abs(near - here) @ np.abs(function.coefficients)).max())


def check_pair(first: Answer, second: Answer) -> Iterator[Failure]:
    """Yield how two answers to one problem contradict each other."""
    for one, other in ((first, second), (second, first)):
        if isinstance(one.error, InfeasibleError | UnboundedError) and other.is_optimal:
            yield Failure("no solution", f"{one.route}: {one.status}: {one.error}; {other.route}: {other.solution}")
    if first.solution is None or second.solution is None:
        return
    intervals = [interval_of(answer.solution.certificate) for answer in (first, second)]
    for answer, own, other, judge in zip((first, second), intervals, intervals[::-1], (second, first), strict=True):
        if own.proved and other.proved and own.is_below(other):
            yield Failure("disjoint", f"{answer.route}: P = {own.upper!r} below D = {other.lower!r} of {judge.route}")
    one, other = intervals
    if first.is_optimal and second.is_optimal and one.distance(other) > 4 * TOLERANCE * max(one.scale, other.scale):
        yield Failure("disagree", f"{first.solution} against {second.solution}")


def check_enclosures(model: Model[Any], answers: list[Answer]) -> Iterator[Failure]:
    """Yield where rigorous intervals contradict each other, or what a certificate holds to be proved."""
    enclosed: list[tuple[Answer, Enclosure]] = []
    for answer in answers:
        # Of a model, or a kernel, whose rounding errors nobody knows there is none.
        with suppress(NoEnclosureError):
            if answer.solution is not None:
                enclosed.append((answer, model.enclose(answer.solution)))
    low = max((each.lower for _, each in enclosed), default=-np.inf)
    high = min((each.upper for _, each in enclosed), default=np.inf)
    if low > high:
        yield Failure("enclosure", f"the optimum is at least {low!r} and at most {high!r}")
    for answer, _ in enclosed:
        interval = interval_of(answer.solution.certificate) if answer.solution is not None else None
        if interval is not None and answer.is_optimal:
            slack = 2 * TOLERANCE * interval.scale + interval.rounding
            if interval.upper < low - slack or interval.lower > high + slack:
                yield Failure("enclosure", f"{answer.route}: {interval}, but the optimum is in [{low!r}, {high!r}]")
