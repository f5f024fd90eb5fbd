# SPDX-License-Identifier: BSD-3-Clause
r"""Mehrotra's predictor and corrector along the central path of a KernelQP without its kinks, in units of its own.

Each coefficient is a sum of one or two variables in boxes,

    beta_i = x_i + x'_i,   0 <= x_i <= upper_i,   lower_i <= x'_i <= 0

turns epsilon_i |beta_i| into epsilon_i (x_i - x'_i), since at an optimum one of the two is 0; where epsilon_i is 0, or
a side is missing, one variable is enough.

Values are divided by the spread of the targets, so that slopes are about 1. All units are powers of 2, which round
nothing. The unit of coefficients comes from ridge regression, beta = w (target - K beta - b): w starts where the mean
of the diagonal of w K is 1, and grows until the fit explains half of the targets, every feature takes part in it, or
beta may not grow so far. Where the targets depend on what is a small part of K (one feature in a large unit hides the
others), that is many orders of magnitude further, and no path finds there from 1.

The equations R'x = totals are 1'x = total in a KernelQP, and B'beta = totals where there are free directions. Where the
level is free, they are one sum for the variables of each sign,

    sum of all x_i = (total + budget) / 2,   sum of all x'_i = (total - budget) / 2,

whose multipliers are b + l and b - l; without b, it is their difference that is the budget. An optimum spends the
budget, or both variables of a sample can spend what is left of it.

In the variables x, whose sums E x are beta, with slacks r = x - lower and t = upper - x and multipliers y, z of the
bounds, the central path is the set of solutions of

    E'K E x + R b + ridge x - goal - y + z = 0,   R'x = totals,   r y = mu,   t z = mu   (r, t, y, z > 0)

for mu > 0, and leads to the optimum as mu falls to 0. Newton's step for it at a target mu, given the residuals, is

    theta dx = rho - E'h - R db,   theta = ridge + y/r + z/t,   h = K E dx
    rho = -residual + mu/r - y - (mu/t - z),   dy = mu/r - y - y dx/r,   dz = mu/t - z + z dx/t

One variable is one sample, so that theta is diagonal, and summed over the variables of a sample it leaves the system of
:mod:`~qpkernels.solvers.newton_systems` with W = E theta^-1, q = E theta^-1 rho and B = W^-1 E theta^-1 R. Two steps
share one factorisation: the predictor with mu = 0, which tells how much mu may fall, sigma = (mu after it / mu now)^3,
and the corrector with sigma mu and the products dr dy, dt dz that the linearisation neglected (S. Mehrotra, SIAM J.
Optim. 2, 1992). The step goes a part of the way to where a slack or multiplier would be 0, the part growing to 1 at the
end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.problems import KernelQP, LevelQP, SemiparametricQP
from qpkernels.problems.certificate import relative
from qpkernels.solvers.newton_systems import Border, Multipliers, NewtonSystem, power_of_two

__all__ = ["Boxes", "CentralPath", "Places", "boxes_of"]

Places: TypeAlias = NDArray[np.int8]
"""Where each variable is: -1 at its lower bound, 1 at the upper one, 0 inside."""

_GROWTH, _EXPLAINED = 128.0, 0.5
"""Factor of w, and the part of the targets that the fit need not explain."""

_PROXIMAL = 1e-10
"""Proximal term of variables without bounds and ridge, in the units of the problem."""

_FRACTION = 0.99
"""Least part that a step takes of the way to the boundary."""

_TOWARDS = 0.75
"""Where slacks begin between the size of a fit's coefficients and the middle of the box, in orders of magnitude."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """min 1/2 beta'K beta + 1/2 x'diag(ridge) x - goal'x  s.t.  lower <= x <= upper, R'x = totals, beta = sums of x.

    Attributes
    ----------
    equations, totals
        R, shape (variables, k), and the k sums, where the level or several directions are free; else None, and the one
        sum, 0 without b.
    second
        The samples with two variables: the second ones follow the first ones of all samples.
    value, coefficient
        The units of values and of coefficients.
    shift
        What the targets were reduced by.
    """

    goal: Vector
    ridge: Vector
    lower: Vector
    upper: Vector
    equations: Matrix | None
    totals: Multipliers
    second: Indices
    value: float
    coefficient: float
    shift: Vector

    def fold(self, x: Vector) -> Vector:
        """Return beta, or what else is a sum over the variables of a sample."""
        if self.second.size == 0:
            return x
        m = x.size - self.second.size
        beta = x[:m].copy()
        beta[self.second] += x[m:]
        return beta

    @cached_property
    def samples(self) -> Indices:
        """The sample of each variable."""
        return np.concatenate((np.arange(self.goal.size - self.second.size), self.second))

    @cached_property
    def are_shared(self) -> bool:
        """Whether the equations see no more of a sample than its coefficient, so that one of two variables is 0."""
        m = self.goal.size - self.second.size
        return self.equations is None or np.array_equal(self.equations[m:], self.equations[self.second])

    def border(self, inverse: Vector) -> Border | None:
        """Return B and what it leaves of R'theta^-1 R, given 1 / theta; None where that is the usual equation."""
        if self.equations is None:
            return None
        m = self.goal.size - self.second.size
        first, second = inverse[self.second], inverse[m:]
        columns = self.equations[:m].copy()
        apart = columns[self.second] - self.equations[m:]
        columns[self.second] -= apart * (second / (first + second))[:, None]
        return Border(columns, apart.T @ (apart * (first * second / (first + second))[:, None]))

    def border_inside(self, inside: Indices) -> Border | None:
        """Return R of some variables, each of which counts as a sample of its own."""
        if self.equations is None:
            return None
        rows = self.equations[inside]
        return Border(rows, np.zeros((rows.shape[1],) * 2))

    def sums(self, x: Vector) -> Multipliers:
        """Return R'x."""
        return float(x.sum()) if self.equations is None else np.asarray(x @ self.equations)

    def spread(self, v: Vector) -> Vector:
        """Return what each sample has for each of its variables."""
        return np.concatenate((v, v[self.second])) if self.second.size else v

    def values(self, f: Vector, b: Multipliers) -> Vector:
        """Return E'f + R b: what f at the samples and the multipliers of the equations make of each variable."""
        return self.spread(f + b) if self.equations is None else self.spread(f) + self.equations @ b

    def split(self, beta: Vector) -> Vector:
        """Return the x with one variable of each sample 0 whose sums are beta."""
        return np.clip(self.spread(beta), self.lower, self.upper)

    def one_sided(self, places: Places, x: Vector) -> Places:
        """Return the places with one variable of a sample at 0 at least: the one on the other side of beta's."""
        m = x.size - self.second.size
        if self.second.size == 0 or not self.are_shared:
            return places
        places, positive = places.copy(), self.fold(x)[self.second] > 0
        both = (places[self.second] >= 0) & (places[m:] <= 0)
        places[m:][both & positive] = 1
        places[self.second[both & ~positive]] = -1
        return places


@dataclass(frozen=True, eq=False)
class _Start:
    """Ridge regression, in units in which w = 1: its coefficients, its function as the system has it, and b."""

    coefficients: Vector
    function: Vector
    b: Multipliers


def boxes_of(program: KernelQP | LevelQP | SemiparametricQP, system: NewtonSystem) -> tuple[Boxes, _Start]:
    """Return the problem in variables of one side each, and a fit of its targets; ``system`` is brought to its unit."""
    at = program.at_level(0.0) if isinstance(program, LevelQP) else program
    free = at is not program
    total = at.total or 0.0
    shift = total * system.unit * system.offset
    if system.bordered:
        target = at.target - shift
        shift = shift + 0.5 * (target.min() + target.max())
    target, epsilon = at.target - shift, at.epsilon
    above = at.upper > 0
    (second,) = np.nonzero((at.lower < 0) & above & (free or epsilon > 0))
    rows, totals = _equations(program, above, second)
    largest = float(np.abs(totals).max())
    value = power_of_two(float(np.abs(target).max() + epsilon.max()) or largest * system.unit)
    with np.errstate(divide="ignore"):
        widest = float(np.minimum(np.maximum(at.upper, -at.lower), value / at.ridge).max())
    # A fit of targets with a level has the usual equation; without targets, their own.
    border = None
    if rows is not None and not (free and target.any()):
        border = Border(rows[: len(at)], np.zeros((rows.shape[1],) * 2))
    sums = totals if border else total
    start = _ridge_start(system, target / value, sums / value, widest / value, border)
    coefficient = value / system.unit
    goal = np.where(above, target - epsilon, target + epsilon)
    lower = np.where((free or epsilon > 0) & above, 0.0, at.lower)
    b = start.b if rows is None or border else np.full(rows.shape[1], start.b)
    boxes = Boxes(
        goal=np.concatenate((goal, (target + epsilon)[second])) / value,
        ridge=np.concatenate((at.ridge, at.ridge[second])) / system.unit,
        lower=np.concatenate((lower, at.lower[second])) / coefficient,
        upper=np.concatenate((at.upper, np.zeros(second.size))) / coefficient,
        equations=rows,
        totals=totals / coefficient,
        second=second,
        value=value,
        coefficient=coefficient,
        shift=shift,
    )
    return boxes, replace(start, b=b)


def _equations(
    program: KernelQP | LevelQP | SemiparametricQP, above: NDArray[np.bool_], second: Indices
) -> tuple[Matrix | None, Multipliers]:
    """Return R, where it is not the usual equation or none, and the sums.

    With a free level they follow from which first variables are ``above`` 0, and the samples of the ``second`` ones.
    """
    if isinstance(program, SemiparametricQP):
        return np.concatenate((program.directions, program.directions[second])), program.totals
    total = program.total
    if not isinstance(program, LevelQP):
        return None, total or 0.0
    signs = np.concatenate((np.where(above, 1.0, -1.0), np.full(second.size, -1.0)))
    if total is None:
        return signs[:, None], np.array([program.budget])
    return (
        np.column_stack((signs > 0, signs < 0)).astype(float),
        0.5 * np.array([total + program.budget, total - program.budget]),
    )


def _ridge_start(
    system: NewtonSystem, target: Vector, totals: Multipliers, widest: float, border: Border | None = None
) -> _Start:
    """Return ridge regression to ``target``, and bring the system to the unit in which its w is 1.

    Parameters
    ----------
    totals, widest
        The sums of beta and the largest |beta_i|, all over the unit of values.
    border
        The equations, where they are not the usual one.
    """
    ones = np.ones(len(system))
    spread = float(np.ptp(target)) if system.bordered else float(np.abs(target).max())
    around = target - target.mean() if system.bordered else target
    reached = 1.0
    while True:
        system.factor(ones, border)
        function, b = system.solve(target, totals * system.unit)
        left = target - system.at_samples(function) - system.level(b)
        explained = float(left @ left) <= _EXPLAINED * float(around @ around)
        if explained or not spread or widest * system.unit <= 1.0 or reached * system.least >= 1.0:
            return _Start(left, function, b)
        system.rescale(_GROWTH)
        reached *= _GROWTH


class CentralPath:
    """An iterate near the central path.

    Attributes
    ----------
    x, b, values
        Variables, the multipliers of the equations, and what both make of each variable: E'K beta + R b.
    r, t, y, z
        Slacks and multipliers of the lower and the upper bounds that are finite.
    below, above
        Which variables have these.
    to_lower, to_upper
        Which of these the last step drew to their bound: the slack fell faster than its multiplier.
    inverse
        1 / theta of the last step.
    """

    def __init__(self, boxes: Boxes, system: NewtonSystem, start: _Start) -> None:
        self.boxes, self.system = boxes, system
        self.below, self.above = _places(boxes.lower), _places(boxes.upper)
        unbounded = np.isinf(boxes.lower) & np.isinf(boxes.upper) & (boxes.ridge == 0)
        self._ridge = np.where(unbounded, _PROXIMAL, boxes.ridge)
        size = float(np.abs(start.coefficients).mean()) or 1.0
        # A coefficient grows to its bound, or to what its ridge leaves of a slope of 1.
        reach = 0.5 * np.minimum(boxes.upper - boxes.lower, 1.0 / boxes.ridge)
        room = np.where(np.isinf(reach), size, np.minimum(reach, size * np.maximum(1.0, reach / size) ** _TOWARDS))
        self.x = np.maximum(np.minimum(0.0, boxes.upper - room), boxes.lower + room)
        self.r, self.t = (self.x - boxes.lower)[self.below], (boxes.upper - self.x)[self.above]
        self.function, self.b = start.function, start.b
        self._evaluate()
        self.to_lower, self.to_upper = np.zeros(self.r.size, bool), np.zeros(self.t.size, bool)
        slope = self._slope()
        self.y, self.z = np.maximum(slope[self.below], 0.0) + 1.0, np.maximum(-slope[self.above], 0.0) + 1.0

    @property
    def beta(self) -> Vector:
        """The coefficients."""
        return self.boxes.fold(self.x)

    @property
    def complementarity(self) -> float:
        """The duality gap, but for residuals: r'y + t'z."""
        return float(self.r @ self.y + self.t @ self.z)

    @property
    def places(self) -> Places:
        """Where the variables tend: -1 to their lower bounds, 1 to the upper ones, 0 to neither."""
        places = np.zeros(self.x.size, np.int8)
        places[self.below] -= self.to_lower
        places[self.above] += self.to_upper
        return places

    @property
    def gap(self) -> float:
        """The duality gap over the objective, with what the lag of the function and the residuals make of it."""
        beta, goal = self.beta, self.boxes.goal
        squared = float(beta @ self.system.at_samples(self.expansion))
        lag = abs(float(beta @ self.system.at_samples(self.function)) - squared)
        objective = 0.5 * (squared + float(self.boxes.ridge @ self.x**2)) - float(goal @ self.x)
        left = float(np.abs(self._residual()) @ np.abs(self.x))
        return relative(self.complementarity + lag + left, abs(objective))

    def _evaluate(self) -> None:
        self.values = self.boxes.values(self.system.at_samples(self.function), self.b)
        self.expansion = self.system.expand(self.beta)

    def _slope(self) -> Vector:
        return self.values + self.boxes.ridge * self.x - self.boxes.goal

    def _residual(self) -> Vector:
        left = self._slope()
        left[self.below] -= self.y
        left[self.above] += self.z
        return left

    def advance(self) -> float:
        """Make one step, and return its length: 0 where rounding has left none."""
        r, t, y, z, below, above = self.r, self.t, self.y, self.z, self.below, self.above
        self._factor()
        mu = self.complementarity / max(1, self.r.size + self.t.size)
        dx, dy, dz, db, change = self._direction(-y, -z)
        length = self._length(dx, dy, dz)
        if mu > 0:
            after = (r + length * dx[below]) @ (y + length * dy) + (t - length * dx[above]) @ (z + length * dz)
            target = mu * (float(after) / self.complementarity) ** 3
            pull, push = (target - dx[below] * dy) / r - y, (target + dx[above] * dz) / t - z
            dx, dy, dz, db, change = self._direction(pull, push)
            length = min(1.0, max(_FRACTION, 1.0 - mu) * self._length(dx, dy, dz))
        if not np.isfinite(length * float(dx.sum())):
            return 0.0
        self.to_lower, self.to_upper = dx[below] / r < dy / y, -dx[above] / t < dz / z
        self.x, self.b = self.x + length * dx, self.b + length * db
        self.r, self.t = r + length * dx[below], t - length * dx[above]
        self.y, self.z = y + length * dy, z + length * dz
        self.function = self.function + length * change
        self._evaluate()
        return length

    def _factor(self) -> None:
        """Form theta and the residuals at the iterate, and factor its Newton system."""
        theta = self._ridge.copy()
        theta[self.below] += self.y / self.r
        theta[self.above] += self.z / self.t
        self.inverse = 1.0 / theta
        self._border = self.boxes.border(self.inverse)
        self.system.factor(self.boxes.fold(self.inverse), self._border)
        self._left = self._residual()
        self._lack = self.boxes.totals - self.boxes.sums(self.x)

    def _direction(self, pull: Vector, push: Vector) -> tuple[Vector, Vector, Vector, Multipliers, Vector]:
        boxes, below, above = self.boxes, self.below, self.above
        rho = -self._left
        rho[below] += pull
        rho[above] -= push
        alone, lag, lack = rho * self.inverse, self.expansion - self.function, self._lack
        q = boxes.fold(alone)
        if self._border is not None:
            # The rows of R see both variables of a sample, those of B their sum.
            lack = lack - boxes.sums(alone) + q @ self._border.columns
        change, db = self.system.solve(q, lack, lag)
        dx = (rho - boxes.values(self.system.at_samples(change), db)) * self.inverse
        return dx, pull - self.y * dx[below] / self.r, push + self.z * dx[above] / self.t, db, change

    def _length(self, dx: Vector, dy: Vector, dz: Vector) -> float:
        """Return how far r, t, y and z stay positive, at most 1."""
        worst = -1.0
        for now, change in ((self.r, dx[self.below]), (self.t, -dx[self.above]), (self.y, dy), (self.z, dz)):
            if now.size:
                worst = min(worst, float((change / now).min()))
        return -1.0 / worst


def _places(bounds: Vector) -> Indices | slice:
    finite = np.isfinite(bounds)
    return slice(None) if finite.all() else np.flatnonzero(finite)
