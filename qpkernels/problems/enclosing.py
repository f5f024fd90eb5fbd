# SPDX-License-Identifier: BSD-3-Clause
"""The common part of enclosures: the interval, exact feasibility, functions at samples and indefinite matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import ParamSpec

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Vector
from qpkernels.arrays.exact_algebra import semidefinite_shift
from qpkernels.arrays.intervals import UNIT, Interval, exact_sum, inner, sum_bounds, up
from qpkernels.errors import GramTooLargeError, NoEnclosureError
from qpkernels.gram import Gram
from qpkernels.gram.exact import enclose_expansion, enclose_on_samples, largest_row_error
from qpkernels.gram.functions import Expansion

__all__ = [
    "Enclosure",
    "Judged",
    "exactly_feasible",
    "farthest_square",
    "judged",
    "least_shift",
    "no_enclosure",
    "payment",
    "quiet",
]

P = ParamSpec("P")


def quiet(enclose: Callable[P, Enclosure]) -> Callable[P, Enclosure]:
    """Let numbers overflow silently, since an end that is infinite or not a number is not a bound."""

    @wraps(enclose)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> Enclosure:
        with np.errstate(all="ignore"):
            found = enclose(*args, **kwargs)
        lower, upper = (float(end) for end in (found.lower, found.upper))
        return Enclosure(-np.inf if np.isnan(lower) else lower, np.inf if np.isnan(upper) else upper)

    return wrapped


@dataclass(frozen=True)
class Enclosure:
    """lower <= optimal value <= upper, proved for the data as stored in float64, whatever was rounded on the way.

    Attributes
    ----------
    lower, upper
        The ends of the interval; infinite where no finite bound is proved.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1.0)
    >>> enclosure = model.enclose(model.solve(tol=1e-9))
    >>> print(f"{enclosure.lower:.6f}, {enclosure.upper:.6f}", enclosure.width < 1e-8)
    2.888889, 2.888889 True
    """

    lower: float
    upper: float

    @property
    def width(self) -> float:
        """The upper end minus the lower end."""
        return self.upper - self.lower

    @property
    def middle(self) -> float:
        """A value within half the width of the optimum, if both ends are finite."""
        return self.lower + 0.5 * (self.upper - self.lower)

    def contains(self, value: float) -> bool:
        """Return whether the interval contains a value, so that it is not refuted as the optimum.

        Parameters
        ----------
        value
            A claimed value of the optimum.
        """
        return self.lower <= value <= self.upper

    def __str__(self) -> str:
        ends = f"[{self.lower:.17g}, {self.upper:.17g}]"
        if np.isfinite(self.width):
            return f"{ends} (width {self.width:.1e})"
        sides = [side for side, end in (("lower", self.lower), ("upper", self.upper)) if not np.isfinite(end)]
        return (
            f"{ends} (no {' or '.join(sides)} bound is proved from this answer: its point, or its multipliers, cannot "
            "be moved to where they are feasible in exact arithmetic; enclose one that was solved to a smaller tol)"
        )


def no_enclosure(problem: str) -> NoEnclosureError:
    """Return the error for a problem whose optimum cannot be enclosed."""
    return NoEnclosureError(
        f"{problem} has no enclosure: its bounds are known up to rounding only; see its certificate, or export a form "
        "as a ConeProgram."
    )


def least_shift(gram: Gram) -> float:
    """Return a proved tau with K + tau I positive semidefinite: 0 by construction, inf if none is found.

    This takes a Cholesky decomposition of the whole matrix unless K is positive semidefinite by construction.
    """
    if gram.correction is None and gram.by_construction:
        return 0.0
    try:
        K = gram.dense
    except GramTooLargeError:
        return float("inf")
    error = largest_row_error(gram)
    if error == 0.0:
        return semidefinite_shift(K)
    if not np.isfinite(error):
        return float("inf")
    # What is definite by more than its errors is so without them.
    moved = up(1.01 * error + 4.0 * UNIT * float(np.abs(K.diagonal()).max()))
    return 0.0 if semidefinite_shift(K - moved * np.eye(len(K))) == 0.0 else float(up(semidefinite_shift(K) + error))


def farthest_square(coefficients: Vector, lower: Vector, upper: Vector) -> Vector:
    """Return upper bounds of (beta_i - c_i)^2 for any beta within the bounds, where c is rounded once or twice."""
    with np.errstate(over="ignore"):
        distance = np.maximum(up(upper - coefficients), up(coefficients - lower))
        return up(up(distance + 2.0**-50 * np.abs(coefficients)) ** 2)


def payment(tau: float, squares: Vector) -> float:
    """Return an upper bound of tau/2 times the sum of the squares."""
    return 0.0 if tau == 0.0 else float(up(0.5 * tau * sum_bounds(squares)[1]))


_STEPS = 64
"""Moves after which the sum is given up."""

_NOTHING = 2.0**-100
"""Share of the largest entry below which an entry is set to 0: it would make the sum a number of many digits."""


def exactly_feasible(beta: Vector, lower: Vector, upper: Vector, total: float | None) -> Vector | None:
    """Return a point next to ``beta`` within the bounds whose exact sum is ``total``; None where none was found.

    The difference to the exact sum is added to a single entry, the smallest one that is larger: its last digit is the
    finest that can take it. The rounding error of that addition is smaller by 2^-52, and goes to a smaller entry, until
    nothing is left.
    """
    point = np.clip(beta, lower, upper)
    if total is None:
        return point
    point[np.abs(point) < _NOTHING * np.abs(point).max()] = 0.0
    stuck = np.zeros(point.size, dtype=bool)
    for _ in range(_STEPS):
        missing = exact_sum(np.append(-point, total))
        if missing == 0.0:
            return point
        if not np.isfinite(missing):
            return None
        room = np.where(stuck, 0.0, upper - point if missing > 0 else point - lower)
        entry = _taker(np.abs(point), room, abs(missing))
        if room[entry] <= 0.0:
            return None
        moved = float(np.clip(point[entry] + missing, lower[entry], upper[entry]))
        if moved == point[entry]:
            # One place too far, from where an entry with room on the other side, and a finer last place, leads back.
            moved = float(np.clip(np.nextafter(moved, np.copysign(np.inf, missing)), lower[entry], upper[entry]))
            stuck[entry] = True
        point[entry] = moved
    return None


def _taker(sizes: Vector, room: Vector, missing: float) -> int:
    """Return the entry to add to: a coefficient rather than a 0, with room for all of it."""
    wide: NDArray[np.bool_] = room >= 2.0 * missing
    for some in (wide & (sizes >= missing), wide & (sizes > 0.0), wide):
        if some.any():
            candidates = np.flatnonzero(some)
            return int(
                candidates[np.argmin(np.abs(np.log2(np.maximum(sizes[candidates], missing)) - np.log2(missing)))]
            )
    return int(np.argmax(room))


@dataclass(frozen=True, eq=False)
class Judged:
    """f at the samples, ||f||^2, b, and the coefficients of f where it is an expansion in the samples.

    Attributes
    ----------
    violation_loss
        The cost of a sample that seems to violate a hard constraint: inf, or 0 if the function meant meets all of them
        and differs from the values only there.
    """

    values: Interval
    squared_norm: Interval
    intercept: float
    coefficients: Vector | None = None
    violation_loss: float = np.inf

    @cached_property
    def decision(self) -> Interval:
        """The decision values f(x_i) + b."""
        return self.values + self.intercept

    def times(self, factor: float) -> Judged:
        """Return factor (f + b), where the product with b is rounded, since any b will do."""
        return Judged(
            self.values * factor,
            self.squared_norm * Interval.of(factor).square(),
            self.intercept * factor,
            None if self.coefficients is None else self.coefficients * factor,
            self.violation_loss,
        )

    def plus(self, gram: Gram, coefficients: Vector, b: float) -> Judged:
        """Return f + g and their b, with an expansion g in the samples: ||f + g||^2 holds 2 sum_j c_j f(x_j)."""
        g = enclose_on_samples(gram, coefficients)
        cross = 2.0 * inner(self.values, coefficients)
        return Judged(
            self.values + g.values,
            (self.squared_norm + cross + g.squared_norm).maximum(0.0),
            self.intercept + b,
            None if self.coefficients is None else self.coefficients + coefficients,
        )

    def with_norm(self, squared_norm: Interval) -> Judged:
        """Return the function of that norm that meets all hard constraints and has the same values elsewhere."""
        return replace(self, squared_norm=squared_norm, violation_loss=0.0, coefficients=None)

    def moved_to(self, intercept: float) -> Judged:
        """Return the function with another b."""
        return replace(self, intercept=intercept)


def judged(function: Expansion, gram: Gram, intercept: float) -> Judged:
    """Enclose a function at the samples of the Gram matrix; its own intercept does not count."""
    f = enclose_expansion(function.kernel, function.centers, function.coefficients, gram.X)
    return Judged(f.values, f.squared_norm, intercept)
