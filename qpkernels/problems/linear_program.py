# SPDX-License-Identifier: BSD-3-Clause
"""Two bounds on the linear-programming machine, from any coefficients a and multipliers l of its margins.

With S_ij = y_i K_ij y_j, both programs are

    min  sum a_j + sum C_i xi_i          s.t.  S a + b y >= 1 - xi,  a, xi >= 0
    max  sum l_i                         s.t.  S l <= 1,  y'l = 0,  0 <= l_i <= C_i

so that completed slacks are feasible above. Below, multipliers are moved to their bounds and divided by max(1, S l).

In exact arithmetic, slacks are completed upward from above. From below, multipliers l with the exact sum y'l = 0 and
0 <= l <= C are divided by max(1, S l), as real numbers: that keeps all constraints, and the value is 1'l divided by the
same. Whether K is semidefinite does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from qpkernels.arrays import Vector
from qpkernels.arrays.intervals import Interval, sum_bounds
from qpkernels.gram import Gram
from qpkernels.gram.exact import enclose_on_samples
from qpkernels.gram.functions import Expansion
from qpkernels.problems.bounds import Support
from qpkernels.problems.certificate import Certificate, certify_values, relative, undefined
from qpkernels.problems.enclosing import Enclosure, exactly_feasible, quiet
from qpkernels.problems.kernel_qp.bounds import intercept_interval, split_support
from qpkernels.problems.kernel_qp.program import KernelQP, nearest_feasible
from qpkernels.problems.rounding import EPS, FunctionAtSamples, expansion_error, sum_error, together

__all__ = [
    "LinearProgramBounds",
    "enclose_linear_program",
]

_ZERO = 1e-6
"""Share of the largest coefficient below which one counts as 0; there is no bound to measure it by."""


@dataclass(frozen=True, eq=False)
class LinearProgramBounds:
    """The bounds of a linear-programming machine.

    Attributes
    ----------
    gram, y, costs
        K, the labels +-1 and C, shape (m,).
    total
        The value of y'l, 0; None if there is no intercept.
    multipliers
        The multipliers l of the answer to be judged; None if they are completed from its margins.

    Notes
    -----
    Arguments of the methods:

    beta, intercept, function, is_expansion, values, decision, support
        As in :class:`~qpkernels.problems.bounds.Bounds`.
    given
        Multipliers l of the margins, shape (m,), which need not be feasible.
    a
        Coefficients, shape (m,): S_ij = y_i y_j k(x_i, x_j) is applied to them.
    """

    program: ClassVar[None] = None

    gram: Gram
    y: Vector
    costs: Vector
    total: float | None
    multipliers: Vector | None = None

    def certify(self, beta: Vector, intercept: float, function: FunctionAtSamples | None = None) -> Certificate:
        """Bound the error of (a, b), with beta = y * a, by the values of both programs."""
        del function
        if not (np.isfinite(beta).all() and np.isfinite(intercept)):
            return undefined("the answer holds NaN or infinity")
        own = self.costs > 0
        alpha, a = self.y * beta, self.y * self.feasible(beta)
        slacks = np.maximum(1.0 - self.signed_product(a) - self.y * intercept, 0.0)
        given = self.completed(beta, self.gram.product(beta) + intercept)
        multipliers = self.feasible_multipliers(given)
        short = float(self._error(multipliers).max())
        primal = float(a.sum() + self.costs @ slacks)
        # Where the best f is 0 there is rounding in a and nothing else; a coefficient costs what it is.
        size = max(float(np.abs(alpha).max()), primal / len(self.gram))
        moved = 0.0 if self.multipliers is None else float((np.abs(given - multipliers)[own] / self.costs[own]).max())
        return certify_values(
            primal=primal,
            dual=float(multipliers.sum()),
            primal_residual=relative(float(np.abs(alpha - a).max()), size),
            dual_residual=moved,
            rounding=(
                together(self.costs * (self._error(a) + EPS * (1.0 + abs(intercept) + slacks)))
                + sum_error(a)
                + sum_error(self.costs * slacks)
                + sum_error(multipliers)
                + short * float(multipliers.sum())
            ),
            worst=f"sample {int(np.argmax(slacks))} has the largest slack, {slacks.max():.3g}",
        )

    def enclose(self, beta: Vector, intercept: float, function: Expansion | None = None) -> Enclosure:
        """Enclose the optimum in exact arithmetic."""
        del function
        if not (np.isfinite(beta).all() and np.isfinite(intercept)):
            return Enclosure(-np.inf, np.inf)
        signed = self.y * self.completed(beta, self.gram.product(beta) + intercept)
        return enclose_linear_program(self.gram, self.y, self.costs, self.total, beta, intercept, signed)

    def feasible(self, beta: Vector) -> Vector:
        """Return beta without its parts of the wrong sign, and with 0 for a sample without a cost, which is absent."""
        return np.asarray(self.y * np.maximum(self.y * beta, 0.0) * (self.costs > 0))

    def feasible_multipliers(self, given: Vector) -> Vector:
        """Return the l near those given that the dual allows: within their bounds and the sum, then shrunk."""
        multipliers = self.y * nearest_feasible(self.y * given, *self._box(), self.total)
        return np.asarray(multipliers / max(1.0, float(self.signed_product(multipliers)[self.costs > 0].max())))

    def moved(self, beta: Vector, intercept: float, function: FunctionAtSamples, *, is_expansion: bool) -> None:
        """Return None: any f and b will do."""
        del beta, intercept, function, is_expansion
        return

    def support(self, beta: Vector, decision: Vector) -> Support:
        """Return the samples with a coefficient; coefficients have no bound."""
        del decision
        size = np.abs(beta)
        return Support(free=np.flatnonzero(size > _ZERO * size.max(initial=0.0)), bounded=np.arange(0))

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return the ends of the b that keep the sum of the slacks: those of a soft margin whose multipliers are l."""
        del support
        if self.total is None:
            return intercept, intercept
        hinge, decision = KernelQP(self.gram, self.y, *self._box()), values + intercept
        signed = self.y * self.completed(beta, decision)
        return intercept_interval(hinge, signed, values, intercept, split_support(hinge, signed, decision))

    def vanishing(self) -> None:
        """Return None, since two classes always cost something."""

    def signed_product(self, a: Vector) -> Vector:
        """Return S a."""
        return self.y * self.gram.product(self.y * a)

    def _error(self, a: Vector) -> Vector:
        """Return how far rounding may take S a."""
        if self.gram.trusted:
            return expansion_error(self.gram, self.y * a, self.y * self.signed_product(a), balanced=False).values
        # Nothing but its entries bounds those of a matrix that need not be semidefinite.
        return np.asarray(
            float(np.sqrt(max(1, int(np.count_nonzero(a))))) * EPS * (np.abs(self.gram.dense) @ np.abs(a))
        )

    def completed(self, beta: Vector, decision: Vector) -> Vector:
        """Return l; where an answer came without, C inside the margin, 0 beyond it, and on it what meets the equations.

        These are y'l = 0, and S_j l = 1 where a_j > 0.
        """
        if self.multipliers is not None:
            return self.multipliers
        margins = self.y * decision
        found = np.where(margins < 1, self.costs, 0.0)
        on = np.abs(margins - 1) <= _ZERO
        carrying = self.support(beta, decision).free
        rows = self.y[carrying, None] * self.gram.dense[carrying] * self.y
        sides = np.ones(len(rows))
        if self.total is not None:
            rows, sides = np.vstack([rows, self.y]), np.append(sides, self.total)
        if on.any() and sides.size:
            left = sides - rows[:, ~on] @ found[~on]
            found[on] = scipy.optimize.lsq_linear(rows[:, on], left, (0.0, self.costs[on]), method="bvls").x
        return found

    def _box(self) -> tuple[Vector, Vector]:
        """Return the bounds of y * l."""
        return np.where(self.y > 0, 0.0, -self.costs), np.where(self.y > 0, self.costs, 0.0)


@quiet
def enclose_linear_program(
    gram: Gram, y: Vector, costs: Vector, total: float | None, beta: Vector, intercept: float, signed: Vector
) -> Enclosure:
    """Enclose the optimal value, given beta = y * a, b, and the multipliers times the labels, ``signed`` = y * l.

    Raises
    ------
    NoEnclosureError
        If the kernel does not state bounds on its rounding errors.
    """
    own = np.where(costs > 0, np.maximum(y * beta, 0.0), 0.0)
    return Enclosure(_dual_value(gram, y, costs, total, signed), _primal_value(gram, y, costs, own, intercept))


def _primal_value(gram: Gram, y: Vector, costs: Vector, a: Vector, b: float) -> float:
    v = enclose_on_samples(gram, y * a).values + b
    least = np.where(y > 0, v.lower, -v.upper)
    slacks = (1.0 - Interval.of(least)).maximum(0.0)
    return sum_bounds(np.concatenate([a, (slacks * costs).upper]))[1]


def _dual_value(gram: Gram, y: Vector, costs: Vector, total: float | None, signed: Vector) -> float:
    lower, upper = np.where(y > 0, 0.0, -costs), np.where(y > 0, costs, 0.0)
    point = exactly_feasible(nearest_feasible(signed, lower, upper, total), lower, upper, total)
    if point is None:
        return float("-inf")
    values = enclose_on_samples(gram, point).values
    largest = max(1.0, float(np.where(y > 0, values.upper, -values.lower)[costs > 0].max()))
    return float(Interval.of(np.abs(point)).sum().divided_by(np.asarray(largest)).lower)
