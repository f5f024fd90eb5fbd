# SPDX-License-Identifier: BSD-3-Clause
"""The two bounds of a problem whose level is free: the part that tube and margin share, and each of the two."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Samples, Vector, is_sparse, row_blocks
from qpkernels.arrays.intervals import Interval
from qpkernels.gram import Gram
from qpkernels.gram.functions import Expansion
from qpkernels.problems.bounds import Support
from qpkernels.problems.certificate import Certificate, certify_values, undefined
from qpkernels.problems.enclosing import Enclosure
from qpkernels.problems.kernel_qp.bounds import null_combination, split_support
from qpkernels.problems.kernel_qp.program import KernelQP, nearest_feasible
from qpkernels.problems.level_qp.enclosure import FreeLevel, enclose_free_level
from qpkernels.problems.level_qp.program import LevelQP
from qpkernels.problems.rounding import EPS, FunctionAtSamples, expanded, expansion_vanishes, sum_error, together

__all__ = [
    "FreeLevelBounds",
    "MarginLevelBounds",
    "TubeLevelBounds",
    "best_level",
]

_UNSPENT = 1e-6
"""Share of the budget by which 1'|beta| differs from it where the level is held at 0."""

_ROUNDING = 1e-12
"""Share of the budget by which a sum of costs may differ from it by rounding."""


def best_level(losses: Vector, nu: float, costs: Vector) -> float:
    """Return the l nearest to 0 that minimises nu 1'C l + sum C_i max(0, e_i - l), with at most a share nu of C above.

    Parameters
    ----------
    losses
        e_i, shape (m,).
    nu
        The share of all costs that samples beyond the level may have, above 0 and at most 1.
    costs
        C_i of at least 0, shape (m,).

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.problems.level_qp.bounds import best_level
    >>> print(best_level(np.array([0.5, 1.0, 2.0, 5.0]), nu=0.4, costs=np.ones(4)))
    2.0
    """
    order = np.argsort(-losses, kind="stable")
    above, budget = np.cumsum(costs[order]), nu * float(costs.sum())
    # The cost of the samples from the largest loss down reaches the budget at one, and exceeds it at another.
    reached = int(np.searchsorted(above, budget * (1 - _ROUNDING)))
    exceeded = int(np.searchsorted(above, budget * (1 + _ROUNDING), side="right"))
    highest = float(losses[order[min(reached, losses.size - 1)]])
    lowest = float(losses[order[exceeded]]) if exceeded < losses.size else -np.inf
    return float(np.clip(0.0, lowest, highest))


@dataclass(frozen=True, eq=False)
class FreeLevelBounds(ABC):
    """The part that margin and tube share.

    Attributes
    ----------
    gram, y
        The kernel matrix, and the labels +-1 or targets.
    nu
        The share of all costs that samples beyond the level may have.
    costs
        C of each sample, shape (m,).
    total
        The value of 1'beta, 0; None if there is no intercept.

    Notes
    -----
    Arguments of the methods:

    beta, intercept, function, is_expansion, values, decision, support
        As in :class:`~qpkernels.problems.bounds.Bounds`.
    excess
        t_i - v_i, shape (m,), as :meth:`excess` returns it.
    losses
        e_i, shape (m,), as :meth:`losses` returns them.
    level
        The level l, which is epsilon for a tube and -rho for a margin.
    sign
        +1.0 or -1.0: the sign of t_i - v_i where a sample of that side has a loss.
    upper, lower
        The ends of l + b, and of l - b, between which the sum of the losses is least.
    """

    gram: Gram
    y: Vector
    nu: float
    costs: Vector
    total: float | None

    @property
    def budget(self) -> float:
        """The share nu of all costs."""
        return self.nu * float(self.costs.sum())

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

    @property
    @abstractmethod
    def program(self) -> LevelQP:
        """The problem."""

    @abstractmethod
    def side(self, sign: float) -> NDArray[np.bool_]:
        """Return which samples have a loss on the side sign (t_i - v_i)."""

    @abstractmethod
    def between(self, upper: tuple[float, float], lower: tuple[float, float]) -> tuple[float, float]:
        """Return the ends of b, given those of l + b and of l - b, and the sign of l."""

    def certify(self, beta: Vector, intercept: float, function: FunctionAtSamples | None = None) -> Certificate:
        """Bound the error of (beta, b) and f by the values of both problems, after completing level and slacks."""
        if not (np.isfinite(beta).all() and np.isfinite(intercept)):
            return undefined("the answer holds NaN or infinity")
        feasible = self.feasible(beta)
        own, function, error = expanded(self.gram, beta, feasible, function, balanced=self.total == 0.0)
        excess = self.excess(function.values, intercept)
        losses = self.losses(excess)
        level = self.level(losses)
        slacks = np.maximum(losses - level, 0.0)
        parts = self.costs * slacks - feasible * excess + level * np.abs(feasible)
        worst = int(np.argmax(np.abs(parts)))
        # Where 1'beta = 0, an offset of the targets changes nothing.
        middle = 0.5 * float(self.target.min() + self.target.max()) if self.total == 0.0 else 0.0
        linear = feasible * (self.target - middle)
        errors = error.values + EPS * (np.abs(excess) + np.abs(self.y if self.target.any() else excess))
        return certify_values(
            primal=0.5 * function.squared_norm + self.budget * level + float(self.costs @ slacks),
            dual=float(linear.sum()) - 0.5 * own.squared_norm,
            dual_residual=float(np.abs(beta - feasible).max() / self.costs.max()),
            rounding=(
                together(self.costs * errors)
                + sum_error(self.costs * slacks)
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
    def largest_losses(self, v: Interval) -> Vector:
        """Return upper bounds of the losses where decision values may be anything in ``v``.

        Parameters
        ----------
        v
            Decision values f(x_i) + b, shape (m,), enclosed.
        """

    def free_level(self) -> FreeLevel:
        """State the problem for its enclosure."""
        program = self.program
        return FreeLevel(
            self.gram,
            self.nu,
            self.costs,
            self.total,
            program.target,
            program.lower,
            program.upper,
            least=program.least,
            largest_losses=self.largest_losses,
            level=self.level,
        )

    def enclose(self, beta: Vector, intercept: float, function: Expansion | None = None) -> Enclosure:
        """Enclose the optimum; see :func:`~qpkernels.problems.level_qp.enclosure.enclose_free_level`."""
        near = self.feasible(beta) if np.isfinite(beta).all() else beta
        return enclose_free_level(self.free_level(), near, intercept, function)

    def moved(self, beta: Vector, intercept: float, function: FunctionAtSamples, *, is_expansion: bool) -> None:
        """Return None, since any f and b will do."""
        del beta, intercept, function, is_expansion
        return

    def support(self, beta: Vector, decision: Vector) -> Support:
        """Return the samples at the level (free) and beyond it (bounded)."""
        return split_support(self.at_level(self.level(self.losses(self.excess(decision, 0.0)))), beta, decision)

    def at_level(self, level: float) -> KernelQP:
        """Return the KernelQP of that level; a margin of 0, which leaves nothing with a unit, counts as 1."""
        return self.program.at_level((level or -1.0) if self.program.least else level)

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
        within = self.side(sign) & ~bounded & (self.costs > 0)
        return float(losses[within].max(initial=-np.inf)), float(losses[bounded].min(initial=np.inf))


def _of(samples: Indices, own: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return own & np.isin(np.arange(own.size), samples)


class TubeLevelBounds(FreeLevelBounds):
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
        """Return no coefficients and the middle of the targets: if these are all equal, the optimum is 0."""
        middle = 0.5 * float(self.y.min() + self.y.max())
        return np.zeros(self.y.size), 0.0 if self.total is None else middle

    def level(self, losses: Vector) -> float:
        """Return epsilon."""
        return best_level(losses, self.nu, self.costs)

    def feasible(self, beta: Vector) -> Vector:
        """Project beta to the bounds and the sum, and shrink it to the budget."""
        feasible = nearest_feasible(beta, -self.costs, self.costs, self.total)
        spent = float(np.abs(feasible).sum())
        return feasible * min(1.0, self.budget / spent) if spent else feasible

    def largest_losses(self, v: Interval) -> Vector:
        """Return the largest |y_i - v_i| there."""
        return np.maximum((self.y - v).upper, (v - self.y).upper)

    @property
    def program(self) -> LevelQP:
        """The tube, whose 1'|beta| is at most the budget."""
        return LevelQP(self.gram, self.y, -self.costs, self.costs, self.total, self.budget, least=False)

    def side(self, sign: float) -> NDArray[np.bool_]:
        """Return all samples."""
        del sign
        return np.ones(self.y.size, dtype=bool)

    def between(self, upper: tuple[float, float], lower: tuple[float, float]) -> tuple[float, float]:
        """Let the sum of l + b and l - b, 2 epsilon, be at least 0."""
        least = 0.5 * (max(upper[0], -lower[1]) - lower[1])
        return least, 0.5 * (upper[1] - max(lower[0], -upper[1]))


def level_bounds(program: LevelQP) -> MarginLevelBounds | TubeLevelBounds:
    """Return the bounds of a program that a margin or a tube states."""
    costs = np.maximum(program.upper, -program.lower)
    nu = program.budget / float(costs.sum())
    if program.least:
        return MarginLevelBounds(program.gram, np.where(program.upper > 0, 1.0, -1.0), nu, costs, program.total)
    return TubeLevelBounds(program.gram, program.target, nu, costs, program.total)


class MarginLevelBounds(FreeLevelBounds):
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
        """Return weights of two equal means, one of each class, at which the reduced hulls meet."""
        groups, half = np.array([self.y > 0, self.y < 0], dtype=float), 0.5 * self.budget
        if self.total is None:
            groups, sums = np.ones((1, self.y.size)), np.array([self.budget])
        else:
            sums = np.array([half, half])
        alpha = null_combination(self.gram, self.y, self.costs, groups, sums, balanced=self.total == 0.0)
        beta = self.equal_means() if alpha is None else self.y * alpha
        return None if beta is None else (beta, 0.0)

    def equal_means(self) -> Vector | None:
        """Return beta of two equal means of samples that both classes have; None: these have less than the budget.

        Then f = 0 is the optimum, which a descent approaches forever without reaching it.
        """
        if (keys := _row_keys(self.gram.X)) is None:
            return None
        _, numbers = np.unique(keys, return_inverse=True)
        above, below = (np.bincount(numbers, self.costs * self.side(sign)) for sign in (1.0, -1.0))
        common = np.minimum(above, below)
        whole, half = float(common.sum()), 0.5 * self.budget
        if whole < half:
            return None
        own = np.where(self.y > 0, above[numbers], below[numbers])
        share = np.divide(common[numbers], own, out=np.zeros(own.size), where=own > 0)
        return self.y * self.costs * np.minimum(half / whole * share, 1.0)

    def level(self, losses: Vector) -> float:
        """Return -rho."""
        return min(0.0, best_level(losses, self.nu, self.costs))

    def feasible(self, beta: Vector) -> Vector:
        """Let both classes add up to the same sum, which is at least half of the budget."""
        inside = np.clip(self.y * beta, 0.0, self.costs)
        smaller = min(float(self.costs[self.side(sign)].sum()) for sign in (1.0, -1.0))
        half = min(0.5 * max(self.budget, float(inside.sum())), smaller)
        feasible = np.empty(beta.size)
        for sign in (1.0, -1.0):
            own = self.side(sign)
            bound = self.costs[own]
            feasible[own] = sign * nearest_feasible(inside[own], np.zeros_like(bound), bound, half)
        return feasible

    def largest_losses(self, v: Interval) -> Vector:
        """Return the largest -y_i v_i there."""
        return np.where(self.y > 0, -v.lower, v.upper)

    @property
    def program(self) -> LevelQP:
        """The margin, whose 1'|beta| is at least the budget."""
        lower, upper = np.where(self.y > 0, 0.0, -self.costs), np.where(self.y > 0, self.costs, 0.0)
        return LevelQP(self.gram, self.target, lower, upper, self.total, self.budget, least=True)

    def side(self, sign: float) -> NDArray[np.bool_]:
        """Return the samples of that class."""
        return np.equal(self.y, sign)

    def between(self, upper: tuple[float, float], lower: tuple[float, float]) -> tuple[float, float]:
        """Let the sum of l + b and l - b, -2 rho, be at most 0."""
        least = 0.5 * (upper[0] - min(lower[1], -upper[0]))
        return least, 0.5 * (min(upper[1], -lower[0]) - lower[0])


def _row_keys(X: Samples) -> NDArray[np.uint64] | None:
    """Return a number for each sample: equal ones have the same, and others another one, but by chance.

    None: the samples are no rows of numbers.
    """
    if not (is_sparse(X) or isinstance(X, np.ndarray)) or X.ndim != 2 or X.dtype != np.float64:
        return None
    factors = np.random.default_rng(0).integers(1, 2**63, X.shape[1], dtype=np.uint64)
    if isinstance(X, np.ndarray):
        return np.concatenate([_mixed(np.ascontiguousarray(X[part])) @ factors for part in row_blocks(*X.shape)])
    rows = csr_array(X)
    sums = np.concatenate(([np.uint64(0)], np.cumsum(_mixed(rows.data) * factors[rows.indices])))
    return np.asarray(sums[rows.indptr[1:]] - sums[rows.indptr[:-1]])


def _mixed(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return the bits of numbers, whose differences are not in the highest alone, which products modulo 2^64 lose."""
    bits = values.view(np.uint64)
    return bits ^ (bits >> np.uint64(32))
