# SPDX-License-Identifier: BSD-3-Clause
r"""Two bounds of a model whose level is free: the nu-machines, where nu is the share of samples beyond the level.

With losses e_i of the decision values v_i = f(x_i) + b, a cost C and the level l, both are

    min  1/2 ||f||^2 + C (nu m l + sum max(0, e_i - l))     over f, b and l
    max  t'beta - 1/2 beta'K beta                           s.t.  1'beta = 0,  |beta_i| <= C

* the tube of targets t: e_i = |t_i - v_i|, l = epsilon >= 0, and so 1'|beta| <= C nu m
* the margin of labels y: e_i = -y_i v_i, t = 0, l = -rho <= 0, C = 1/m, and so y_i beta_i >= 0 and 1'|beta| >= C nu m.

Any (f, b) with its best l is feasible above, and any beta near the bounds is moved there: P - D bounds the error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Vector
from qpkernels.certificates.certificate import Certificate, certify_values, undefined
from qpkernels.certificates.enclosures import Enclosure, FreeLevel, enclose_free_level
from qpkernels.certificates.kernel_qp import FunctionAtSamples, expand_at_samples
from qpkernels.certificates.rounding import (
    EPS,
    expansion_error,
    expansion_vanishes,
    sum_error,
    together,
)
from qpkernels.certificates.support import Support, split_support
from qpkernels.certificates.vanishing import null_combination
from qpkernels.gram import Expansion, Gram
from qpkernels.programs.kernel_qp import KernelQP, nearest_feasible

__all__ = ["MarginLevelBounds", "TubeLevelBounds", "best_level"]

_UNSPENT = 1e-6
"""Share of C nu m by which 1'|beta| differs from it where the level is held at 0."""


def best_level(losses: Vector, nu: float) -> float:
    """Return the l nearest 0 that minimises nu m l + sum max(0, e_i - l): at most nu m losses are above it."""
    rounding, count, ordered = 1e-12, nu * losses.size, np.sort(losses)[::-1]
    highest = float(ordered[int(np.ceil(count * (1 - rounding))) - 1])
    outside = int(np.floor(count * (1 + rounding)))
    lowest = float(ordered[outside]) if outside < losses.size else -np.inf
    return float(np.clip(0.0, lowest, highest))


@dataclass(frozen=True, eq=False)
class _FreeLevelBounds(ABC):
    """What margin and tube share.

    Attributes
    ----------
    gram, y
        The kernel matrix, and the labels +-1 or targets.
    nu, cost
        The share of samples beyond the level, and C.
    total
        The value of 1'beta, 0; None: no intercept.
    """

    gram: Gram
    y: Vector
    nu: float
    cost: float
    total: float | None

    @property
    def budget(self) -> float:
        """C nu m."""
        return self.cost * self.nu * len(self.gram)

    @property
    @abstractmethod
    def target(self) -> Vector:
        """The vector t of the dual."""

    @abstractmethod
    def excess(self, values: Vector, intercept: float) -> Vector:
        """Return t_i - v_i, without the digits that targets and b share."""

    @abstractmethod
    def losses(self, excess: Vector) -> Vector:
        """Return e_i, given t_i - v_i."""

    @abstractmethod
    def vanishing(self) -> tuple[Vector, float] | None:
        """Return the (beta, b) that, with f = 0, proves that the optimum is 0 if it is."""

    @abstractmethod
    def level(self, losses: Vector) -> float:
        """Return the best l within its sign."""

    @abstractmethod
    def feasible(self, beta: Vector) -> Vector:
        """Return a dual feasible point near beta."""

    @abstractmethod
    def at_level(self, level: float) -> KernelQP:
        """Return the KernelQP that the problem is where the level is given."""

    @abstractmethod
    def side(self, sign: float) -> NDArray[np.bool_]:
        """Return which samples have a loss on that side, sign (t_i - v_i)."""

    @abstractmethod
    def between(self, upper: tuple[float, float], lower: tuple[float, float]) -> tuple[float, float]:
        """Return the ends of b, given those of l + b and of l - b, and the sign of l."""

    def certify(self, beta: Vector, intercept: float, function: FunctionAtSamples | None = None) -> Certificate:
        """Bound the error of (beta, b) and f by the values of both problems, level and slacks being completed."""
        if not (np.isfinite(beta).all() and np.isfinite(intercept)):
            return undefined("the answer holds NaN or infinity")
        feasible = self.feasible(beta)
        expansion = self.gram.product(feasible)
        self.gram.require_nonnegative(feasible, expansion)
        if function is None:
            function = expand_at_samples(self.gram, beta, feasible, expansion)
            error = expansion_error(self.gram, beta, function.values, balanced=self.total == 0.0)
        else:
            error = function.error
        own = expansion_error(self.gram, feasible, expansion, balanced=self.total == 0.0)
        excess = self.excess(function.values, intercept)
        losses = self.losses(excess)
        level = self.level(losses)
        slacks = np.maximum(losses - level, 0.0)
        parts = self.cost * slacks - feasible * excess + level * np.abs(feasible)
        worst = int(np.argmax(np.abs(parts)))
        # Where 1'beta = 0, an offset of the targets changes nothing.
        middle = 0.5 * float(self.target.min() + self.target.max()) if self.total == 0.0 else 0.0
        linear = feasible * (self.target - middle)
        errors = error.values + EPS * (np.abs(excess) + np.abs(self.y if self.target.any() else excess))
        return certify_values(
            primal=0.5 * function.squared_norm + self.budget * level + self.cost * float(slacks.sum()),
            dual=float(linear.sum()) - 0.5 * float(feasible @ expansion),
            dual_residual=float(np.abs(beta - feasible).max()) / self.cost,
            rounding=(
                self.cost * (together(errors) + sum_error(slacks))
                + error.half_norm
                + own.half_norm
                + sum_error(np.array([self.budget * level]))
                + sum_error(linear)
                + self.gram.indefiniteness(feasible)
            ),
            vanishing=(
                function.is_zero
                and bool((np.abs(losses) <= errors).all())
                and not linear.any()
                and expansion_vanishes(self.gram, feasible, balanced=self.total == 0.0)
            ),
            largest=float(parts[worst]),
            worst=f"sample {worst} adds {parts[worst]:.1e} to the gap",
        )

    @abstractmethod
    def free_level(self) -> FreeLevel:
        """State the problem for its enclosure."""

    def enclose(self, beta: Vector, intercept: float, function: Expansion | None = None) -> Enclosure:
        """Enclose the optimum; see :func:`~qpkernels.certificates.enclosures.enclose_free_level`."""
        near = self.feasible(beta) if np.isfinite(beta).all() else beta
        return enclose_free_level(self.free_level(), near, intercept, function)

    def support(self, beta: Vector, decision: Vector) -> Support:
        """Return the samples at the level (free) and beyond it (bounded)."""
        return split_support(self.at_level(self.level(self.losses(self.excess(decision, 0.0)))), beta, decision)

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return the ends of the b that are optimal with this f, where the level may move along with b.

        The samples bound l + b and l - b, one on each side, apart from each other.
        """
        if self.total is None:
            return intercept, intercept
        upper, lower = (self._one_side(sign, beta, values, support) for sign in (1.0, -1.0))
        if abs(float(np.abs(beta).sum()) - self.budget) > _UNSPENT * self.budget:
            # The level is 0, and the two sums are b and -b.
            ends = max(upper[0], -lower[1]), min(upper[1], -lower[0])
        else:
            ends = self.between(upper, lower)
        return min(ends[0], intercept), max(ends[1], intercept)

    def _one_side(self, sign: float, beta: Vector, values: Vector, support: Support) -> tuple[float, float]:
        """Return the ends of l + ``sign`` b."""
        losses, own = sign * (self.target - values), np.sign(beta) == sign
        free, bounded = _of(support.free, own), _of(support.bounded, own)
        if free.any():
            return (float(losses[free].mean()),) * 2
        within = self.side(sign) & ~bounded
        return float(losses[within].max(initial=-np.inf)), float(losses[bounded].min(initial=np.inf))


def _of(samples: Indices, own: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return own & np.isin(np.arange(own.size), samples)


class TubeLevelBounds(_FreeLevelBounds):
    """The tube around targets, whose half width epsilon is the level."""

    @property
    def target(self) -> Vector:
        """The targets."""
        return self.y

    def excess(self, values: Vector, intercept: float) -> Vector:
        """Return y_i - v_i."""
        return np.asarray((self.y - intercept) - values)

    def losses(self, excess: Vector) -> Vector:
        """Return |y_i - v_i|."""
        return np.abs(excess)

    def vanishing(self) -> tuple[Vector, float]:
        """Return no coefficients, and the middle of the targets: if they are all equal, nothing costs anything."""
        middle = 0.5 * float(self.y.min() + self.y.max())
        return np.zeros(self.y.size), 0.0 if self.total is None else middle

    def level(self, losses: Vector) -> float:
        """Return epsilon."""
        return best_level(losses, self.nu)

    def feasible(self, beta: Vector) -> Vector:
        """Project beta to the bounds and the sum, and shrink it to the budget."""
        bound = np.full(beta.size, self.cost)
        feasible = nearest_feasible(beta, -bound, bound, self.total)
        spent = float(np.abs(feasible).sum())
        return feasible * min(1.0, self.budget / spent) if spent else feasible

    def free_level(self) -> FreeLevel:
        """Bound |y_i - v_i| from above, and 1'|beta| by the budget at most."""
        bound = np.full(self.y.size, self.cost)
        return FreeLevel(
            self.gram,
            self.nu,
            self.cost,
            self.total,
            self.target,
            -bound,
            bound,
            least=False,
            largest_losses=lambda v: np.maximum((self.y - v).upper, (v - self.y).upper),
            level=self.level,
        )

    def at_level(self, level: float) -> KernelQP:
        """Return the soft tube of that width."""
        return KernelQP(self.gram, self.y, -self.cost, self.cost, self.total, epsilon=level)

    def side(self, sign: float) -> NDArray[np.bool_]:
        """Return all samples."""
        del sign
        return np.ones(self.y.size, dtype=bool)

    def between(self, upper: tuple[float, float], lower: tuple[float, float]) -> tuple[float, float]:
        """Let the sum of l + b and l - b, 2 epsilon, be at least 0."""
        least = 0.5 * (max(upper[0], -lower[1]) - lower[1])
        return least, 0.5 * (upper[1] - max(lower[0], -upper[1]))


class MarginLevelBounds(_FreeLevelBounds):
    """The margin between labels +-1, whose level rho is the negative of ours."""

    @property
    def target(self) -> Vector:
        """Zeros."""
        return np.zeros(self.y.size)

    def excess(self, values: Vector, intercept: float) -> Vector:
        """Return -v_i."""
        return -(values + intercept)

    def losses(self, excess: Vector) -> Vector:
        """Return -y_i v_i."""
        return self.y * excess

    def vanishing(self) -> tuple[Vector, float] | None:
        """Return weights of two equal means, one of each class: the reduced hulls meet."""
        groups, half = np.array([self.y > 0, self.y < 0], dtype=float), 0.5 * self.budget
        if self.total is None:
            groups, sums = np.ones((1, self.y.size)), np.array([self.budget])
        else:
            sums = np.array([half, half])
        bound = np.full(self.y.size, self.cost)
        alpha = null_combination(self.gram, self.y, bound, groups, sums, balanced=self.total == 0.0)
        return None if alpha is None else (self.y * alpha, 0.0)

    def level(self, losses: Vector) -> float:
        """Return -rho."""
        return min(0.0, best_level(losses, self.nu))

    def feasible(self, beta: Vector) -> Vector:
        """Let each class add up to half of the budget at least, and both to the same."""
        inside = np.clip(self.y * beta, 0.0, self.cost)
        smaller = min(int((self.y > 0).sum()), int((self.y < 0).sum()))
        half = min(0.5 * max(self.budget, float(inside.sum())), self.cost * smaller)
        feasible = np.empty(beta.size)
        for sign in (1.0, -1.0):
            own = self.side(sign)
            bound = np.full(int(own.sum()), self.cost)
            feasible[own] = sign * nearest_feasible(inside[own], np.zeros_like(bound), bound, half)
        return feasible

    def free_level(self) -> FreeLevel:
        """Bound -y_i v_i from above, and 1'|beta| by the budget at least."""
        return FreeLevel(
            self.gram,
            self.nu,
            self.cost,
            self.total,
            self.target,
            np.where(self.y > 0, 0.0, -self.cost),
            np.where(self.y > 0, self.cost, 0.0),
            least=True,
            largest_losses=lambda v: np.where(self.y > 0, -v.lower, v.upper),
            level=self.level,
        )

    def at_level(self, level: float) -> KernelQP:
        """Return the soft margin with that level in place of 1; at level 0, where nothing has a unit, with 1."""
        lower, upper = np.where(self.y > 0, 0.0, -self.cost), np.where(self.y > 0, self.cost, 0.0)
        return KernelQP(self.gram, self.y * (-level or 1.0), lower, upper, self.total)

    def side(self, sign: float) -> NDArray[np.bool_]:
        """Return the samples of that class."""
        return np.equal(self.y, sign)

    def between(self, upper: tuple[float, float], lower: tuple[float, float]) -> tuple[float, float]:
        """Let the sum of l + b and l - b, -2 rho, be at most 0."""
        least = 0.5 * (upper[0] - min(lower[1], -upper[0]))
        return least, 0.5 * (min(upper[1], -lower[0]) - lower[0])
