# SPDX-License-Identifier: BSD-3-Clause
r"""Mehrotra's predictor and corrector along the central path.

In the variables x of :mod:`~qpkernels.solvers.interior_point.boxes`, whose sums E x are beta, with slacks r = x - lower
and t = upper - x and multipliers y, z of the bounds, the central path is the set of solutions of

    E'(K E x + b 1) + ridge x - goal - y + z = 0,   1'x = total,   r y = mu,   t z = mu   (r, t, y, z > 0)

for mu > 0, and leads to the optimum as mu falls to 0. Newton's step for it at a target mu, given the residuals, is

    theta dx = rho - E'h,   theta = ridge + y/r + z/t,   h = K E dx + db 1
    rho = -residual + mu/r - y - (mu/t - z),   dy = mu/r - y - y dx/r,   dz = mu/t - z + z dx/t

One variable is one sample, so that theta is diagonal, and summed over the variables of a sample it leaves the system of
:mod:`~qpkernels.solvers.newton_systems` with W = E theta^-1 and q = E theta^-1 rho. Two steps share one
factorisation: the predictor with mu = 0, which tells how much mu may fall, sigma = (mu after it / mu now)^3, and the
corrector with sigma mu and the products dr dy, dt dz that the linearisation neglected (S. Mehrotra, SIAM J. Optim. 2,
1992). The step goes a part of the way to where a slack or multiplier would be 0, the part growing to 1 at the end.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.certificates.certificate import relative
from qpkernels.solvers.interior_point.boxes import Boxes, Places, Start
from qpkernels.solvers.newton_systems import NewtonSystem

__all__ = ["CentralPath"]

_PROXIMAL = 1e-10
"""Proximal term of variables without bounds and ridge, in the units of the problem."""


_FRACTION = 0.99
"""Least part that a step takes of the way to the boundary."""


_TOWARDS = 0.75
"""Where slacks begin between the size of a fit's coefficients and the middle of the box, in orders of magnitude."""


class CentralPath:
    """An iterate near the central path.

    Attributes
    ----------
    x, b, values
        Variables, intercept, and K beta + b.
    r, t, y, z
        Slacks and multipliers of the lower and the upper bounds that are finite.
    below, above
        Which variables have these.
    to_lower, to_upper
        Which of these the last step drew to their bound: the slack fell faster than its multiplier.
    inverse
        1 / theta of the last step.
    """

    def __init__(self, boxes: Boxes, system: NewtonSystem, start: Start) -> None:
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
        self.values = self.system.at_samples(self.function) + self.b
        self.expansion = self.system.expand(self.beta)

    def _slope(self) -> Vector:
        return self.boxes.spread(self.values) + self.boxes.ridge * self.x - self.boxes.goal

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
        self.system.factor(self.boxes.fold(self.inverse))
        self._left = self._residual()
        self._lack = self.boxes.total - float(self.x.sum())

    def _direction(self, pull: Vector, push: Vector) -> tuple[Vector, Vector, Vector, float, Vector]:
        boxes, below, above = self.boxes, self.below, self.above
        rho = -self._left
        rho[below] += pull
        rho[above] -= push
        q, lag = boxes.fold(rho * self.inverse), self.expansion - self.function
        change, db = self.system.solve(q, self._lack, lag)
        dx = (rho - boxes.spread(self.system.at_samples(change) + db)) * self.inverse
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
