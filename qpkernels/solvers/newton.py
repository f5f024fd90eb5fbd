# SPDX-License-Identifier: BSD-3-Clause
r"""Newton's method for smooth losses of the decision values; for the logistic loss, iteratively reweighted fits.

Around an iterate with the decision values v = K beta + b 1, let q_i = L_i'(v_i) and W_i = L_i''(v_i). The next one is
the optimum of the problem whose losses are their second-order expansions, where beta_i = -q_i - W_i (change of v_i):

    d = -(q + beta) - W h,   h = K d + c 1,   1'd = total - 1'beta

for the changes d of beta and c of b: a system of :mod:`~qpkernels.solvers.newton_systems`. The objective is convex and
smooth, so that a part of the step, halved until the objective falls, leads to the optimum from anywhere, and the whole
step squares the error near it (Boyd and Vandenberghe, 2004, section 9.5; for kernels, Keerthi et al., 2005).

The duality gap of a feasible beta, with f = sum_j beta_j k(x_j, .), is the sum over the samples of
L_i(v_i) + L_i*(-beta_i) + beta_i v_i, each at least 0 by Fenchel and Young.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from qpkernels.arrays import Vector, finite_vector
from qpkernels.arrays.log import report
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.gram import Gram
from qpkernels.problems import SampleLosses, SigmoidFit, SmoothRisk
from qpkernels.problems.kernel_qp.program import nearest_feasible
from qpkernels.solvers.interface import Answer, Claim, Request, Solver
from qpkernels.solvers.newton_systems import NewtonSystem, SparseSystem, newton_system, prepare_system
from qpkernels.solvers.sigmoid import fit_sigmoids

__all__ = ["Newton"]

_ITERATIONS = 100

_MANY = 1000
"""Samples up to which a system entry by entry is little work."""

_FLAT = 1e-10
"""Part of the largest slope that every curvature is taken to be at least: what is flatter cannot be told from it."""

_DESCENT, _HALVINGS = 1e-4, 60
"""Part of the descent that the slope promises which a step must make, and how often a step is halved."""

_ROUNDING = 1e-13
"""Part of the objective within which its change is rounding; a promise so small is taken at its word."""

_LOST = 3
"""Steps in a row without a smaller gap, where only rounding is left, after which the method ends."""

_BISECTIONS, _DOUBLINGS = 200, 60
"""Steps of the search for b, and how often the interval around it is doubled before."""


@dataclass(frozen=True, eq=False)
class _NewtonDirection:
    """The change of beta, of the function (as the system has it), of b, and of the decision values."""

    beta: Vector
    function: Vector
    intercept: float
    values: Vector


class Newton(Solver):
    """Newton's method; stops when the duality gap is at most ``tol`` of the values.

    The work of an iteration is that of m n^2 multiplications with n explicit features, or the numerical rank n of the
    kernel matrix, else m^3/3; with many sparse features it is that of passes over their entries. max_iter counts
    iterations (default: 100); time_limit is checked after each. warm_start is any beta.

    A sigmoid over scores (a SigmoidFit, see :mod:`qpkernels.solvers.sigmoid`) is fitted to the last digit whatever
    ``tol``; the default of max_iter is then 1000, and warm_start any pair (A, B).
    """

    name = "newton"
    foreign = False
    programs: ClassVar = (SmoothRisk, SigmoidFit)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "scipy"
    install = "pip install scipy"

    def settings(self) -> Mapping[str, Any]:
        """Return that it has none of its own."""
        return {}

    def prepare(self, program: SmoothRisk | SigmoidFit) -> None:
        """Settle that the matrix is positive semidefinite, and compute it where there are no features."""
        if isinstance(program, SigmoidFit):
            return
        if _iterates(program.gram):
            program.gram.require_psd()
        else:
            prepare_system(program.gram)

    def run(self, program: SmoothRisk | SigmoidFit, request: Request, **options: Any) -> Answer:
        """Minimise, and say in words why it ended."""
        del options
        if isinstance(program, SigmoidFit):
            given = None if request.warm_start is None else finite_vector(request.warm_start, "warm_start", 2)
            return fit_sigmoids([program], request, given)[0]
        start = None if request.warm_start is None else finite_vector(request.warm_start, "warm_start", program.size)
        deadline = np.inf if request.time_limit is None else perf_counter() + request.time_limit
        with blas_threads_for(program.size):
            iterate = _Iterate(program, start)
            claim, why, count = _minimise(iterate, request, deadline)
            return iterate.answer(claim, f"{why}relative gap {iterate.gap:.1e}", count)


def _iterates(gram: Gram) -> bool:
    """Return whether its systems are solved by conjugate gradients: of many samples in many sparse features."""
    return len(gram) > _MANY and gram.features is None and gram.sparse_features is not None


def _system(gram: Gram, bordered: bool) -> NewtonSystem:
    return SparseSystem(gram.sparse_features, bordered) if _iterates(gram) else newton_system(gram, bordered)


def _minimise(iterate: _Iterate, request: Request, deadline: float) -> tuple[Claim, str, int]:
    """Go on until the gap is small; return what became of it, why it ended early, and after how many steps."""
    count, idle, least = 0, 0, iterate.gap
    try:
        while iterate.gap > request.tol:
            if count == (request.max_iter or _ITERATIONS):
                return Claim.STOPPED, "limit of iterations; ", count
            if perf_counter() >= deadline:
                return Claim.STOPPED, "limit of time; ", count
            if idle == _LOST:
                return Claim.STOPPED, "no step improves in float64; ", count
            length = iterate.advance()
            count += 1
            if request.verbose:
                report(f"newton: {count:3d}, step {length:.1e}, relative gap {iterate.gap:.2e}")
            idle = 0 if iterate.gap < least or iterate.promise > _ROUNDING else idle + 1
            least = min(least, iterate.gap)
    except KeyboardInterrupt:
        return Claim.INTERRUPTED, "interrupted; ", count
    return Claim.OPTIMAL, "", count


class _Iterate:
    """An iterate, in units of the system: K and beta are such that f is the same.

    Attributes
    ----------
    gap
        The duality gap over the objective.
    promise
        What the last step would have gained to first order, over the objective.
    """

    def __init__(self, program: SmoothRisk, start: Vector | None) -> None:
        self._program, self._losses = program, program.losses
        self._bordered = program.total is not None
        self._system = _system(program.gram, self._bordered)
        self._beta = np.zeros(program.size) if start is None else self._system.unit * self._feasible(start)
        self._function = self._system.expand(self._beta)
        self._b = 0.0
        values = self._system.at_samples(self._function)
        if self._bordered:
            self._b = _best_intercept(self._losses, values, 0.0)
        self._values = values + self._b
        self.promise = np.inf
        self._judge()

    def advance(self) -> float:
        """Make a step, and return its length."""
        direction = self._direction()
        length = self._length(direction)
        self._beta = self._beta + length * direction.beta
        self._function = self._function + length * direction.function
        self._b += length * direction.intercept
        self._values = self._system.at_samples(self._function) + self._b
        self._judge()
        return length

    def _direction(self) -> _NewtonDirection:
        unit = self._system.unit
        slope, curvature = unit * self._slope(self._values), unit * self._curvature(self._values)
        W = np.maximum(curvature, _FLAT * float(np.abs(slope).max(initial=0.0)) + np.finfo(float).tiny)
        q = -(slope + self._beta)
        self._system.factor(W)
        lag = self._system.expand(self._beta) - self._function
        function, multipliers = self._system.solve(q, -float(self._beta.sum()), lag)
        c = float(np.sum(multipliers))
        values = self._system.at_samples(function) + c
        return _NewtonDirection(q - W * values, function, c, values)

    def _length(self, direction: _NewtonDirection) -> float:
        """Return the first of 1, 1/2, 1/4, ... whose step makes its part of the descent; 1 near the optimum."""
        change = direction.values - direction.intercept
        function = self._values - self._b
        # In the unit of beta, f has the square beta'f / unit.
        inner, square = float(self._beta @ change), float(direction.beta @ change)
        unit, now = self._system.unit, self._risk(self._values)
        descent = inner / unit + float(self._slope(self._values) @ direction.values)
        size = abs(0.5 * float(self._beta @ function) / unit) + abs(now)
        self.promise = abs(descent) / size if size > 0 else 0.0
        if not np.isfinite(descent) or self.promise <= _ROUNDING:
            return 1.0
        length = 1.0
        for _ in range(_HALVINGS):
            penalty = (length * inner + 0.5 * length**2 * square) / unit
            fall = self._risk(self._values + length * direction.values) - now + penalty
            if fall <= _DESCENT * length * descent + _ROUNDING * size:
                break
            length *= 0.5
        return length

    def _judge(self) -> None:
        """Read off the gap of the nearest feasible beta, with the function that it makes."""
        beta, system = self._feasible(self._beta / self._system.unit), self._system
        function = system.at_samples(system.expand(system.unit * beta))
        values = function + self._b
        losses = self._losses.value(values)
        gap = float((losses + self._losses.conjugate(beta) + beta * values).sum())
        objective = 0.5 * float(beta @ function) + float(losses.sum())
        size = max(abs(objective), abs(objective - gap))
        self.gap = abs(gap) / size if size > 0 else 0.0

    def answer(self, claim: Claim, message: str, count: int) -> Answer:
        """Return beta, with the best b of the function that it makes."""
        beta = self._feasible(self._beta / self._system.unit)
        values = self._program.gram.product(beta)
        multipliers = np.array([])
        if self._bordered:
            b = _best_intercept(self._losses, values, self._b)
            multipliers = np.array([b + self._losses.level])
        return Answer(beta, multipliers, claim, message, count, values)

    def _feasible(self, beta: Vector) -> Vector:
        return nearest_feasible(beta, self._program.lower, self._program.upper, self._program.total)

    def _risk(self, values: Vector) -> float:
        return float(self._losses.value(values).sum())

    def _slope(self, values: Vector) -> Vector:
        assert self._losses.slope is not None
        return self._losses.slope(values)

    def _curvature(self, values: Vector) -> Vector:
        assert self._losses.curvature is not None
        return self._losses.curvature(values)


def _best_intercept(losses: SampleLosses, values: Vector, near: float) -> float:
    """Return the b of the least sum of L_i(values_i + b), by bisection; ``near`` where there is none."""
    slope = losses.slope
    assert slope is not None
    reach = float(np.ptp(values)) + abs(near) + 1.0
    low, high = near - reach, near + reach
    for _ in range(_DOUBLINGS):
        if slope(values + low).sum() <= 0.0 <= slope(values + high).sum():
            break
        reach *= 2.0
        low, high = near - reach, near + reach
    else:
        return near
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (middle, high) if slope(values + middle).sum() < 0.0 else (low, middle)
    return 0.5 * (low + high)
