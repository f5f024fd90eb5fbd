# SPDX-License-Identifier: BSD-3-Clause
r"""Coordinate descent for the squared hinge with few weights, whose zeros are exact.

    min  ||w||_1 + sum C_i max(0, 1 - a_i'w)^2

A pass takes one weight after the other to the minimum of |w_j + d| + G d + H d^2/2, with slope G and curvature H of the
losses, or a part of the way there, until the objective falls enough (Yuan, Chang, Hsieh and Lin, JMLR 11, 2010). Passes
over all features take turns with passes over those that have a weight. Where these make no way, Newton's method does:
as long as weights keep their signs, and samples their side of the margin, the objective is a quadratic function.

The costs rise in steps from those for which w = 0 is optimal, each stage starting where the last one ended (as in
Friedman, Hastie and Tibshirani, J. Stat. Softw. 33, 2010): few features have a weight on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import scipy
from scipy.sparse import csc_array, csr_array, diags_array

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.log import report
from qpkernels.problems import Certificate
from qpkernels.problems.rounding import EPS
from qpkernels.problems.sparse_weights import SparseWeightsBounds
from qpkernels.solvers.interface import Claim

__all__ = ["ProvedWeights", "sparse_weights"]

_RISE, _LOOSE = 2.0, 0.1
"""Factor of the costs from one stage to the next, and the relative gap that ends those before the last."""

_INNER, _SHARE = 50, 0.3
"""Passes over the features with a weight after one over all, and the share of its violation that is enough."""

_NEWTON_STEPS, _BISECTIONS = 10, 50

_MOST = 5_000
"""Weights at most in a Newton step: their square is held."""

_PASS = 300.0
"""Operations of a factorisation in the time of a pass for each entry that it reads."""

_FILLED = 0.1
"""Share of nonzeros from which on a matrix is multiplied as a dense one."""

_RIDGE = 1e-10
"""Part of the largest curvature that is added to all, where features with a weight depend on each other."""

_LOST = 5
"""Passes over all features in a row without a smaller objective, where only rounding is left, after which it ends."""


@dataclass(frozen=True, eq=False)
class ProvedWeights:
    """Weights, what is proved of them, how it ended, and the number of passes."""

    w: Vector
    certificate: Certificate
    claim: Claim
    message: str
    passes: int


def sparse_weights(
    bounds: SparseWeightsBounds, tol: float, max_iter: int | None, time_limit: float | None, verbose: bool = False
) -> ProvedWeights:
    """Descend from 0 until the certificate holds at ``tol``; limits are those of passes, and of seconds."""
    state = _WeightsState(csc_array(bounds.A), max_iter, time_limit)
    end = None
    for share in _shares(bounds):
        stage = SparseWeightsBounds(bounds.A, share * bounds.costs)
        end = _descended(state, stage, tol if share == 1.0 else max(tol, _LOOSE), verbose)
        if end is not None:
            break
    proof = bounds.certify(state.w)
    claim, message = (Claim.OPTIMAL, "gap within tol") if end is None else (Claim.STOPPED, end)
    return ProvedWeights(state.w, proof, claim, message, state.passes)


def _shares(bounds: SparseWeightsBounds) -> Iterator[float]:
    """Yield the shares of the costs, the last of which is 1."""
    steepest = float(np.abs(bounds.A.T @ (2.0 * bounds.costs)).max())
    share = 1.0 / steepest if steepest > 0 else 1.0
    while share < 1.0 / _RISE:
        share *= _RISE
        yield share
    yield 1.0


def _descended(state: _WeightsState, stage: SparseWeightsBounds, tol: float, verbose: bool) -> str | None:
    """Descend until the certificate of a stage holds; return what came first, None if nothing did."""
    state.weigh(stage.costs)
    least, lost = np.inf, 0
    while not (proof := stage.certify(state.w)).holds(tol):
        if verbose:
            report(f"pass {state.passes}: relative gap {proof.relative_gap:.1e}, {np.count_nonzero(state.w)} weights")
        lost = 0 if proof.primal_value < (1.0 - EPS) * least else lost + 1
        least = min(least, proof.primal_value)
        if lost == _LOST:
            return "no pass makes the objective smaller"
        if (limit := state.limit) is not None:
            return limit
        state.descend()
        if lost:
            # The objective no longer tells a better point; its slope does.
            state.newton()
    return None


class _WeightsState:
    """The weights, and 1 - Aw."""

    def __init__(self, A: csc_array, max_iter: int | None, time_limit: float | None) -> None:
        self.A = A
        self.w, self.excess = np.zeros(A.shape[1]), np.ones(A.shape[0])
        self.order = np.random.default_rng(0)
        self.max_iter, self.time_limit = max_iter, time_limit
        self.passes, self.begin = 0, perf_counter()
        self.work = 0.0

    def weigh(self, costs: Vector) -> None:
        """Let the losses have these costs."""
        self.costs = costs
        self.roofs = np.asarray(self.A.multiply(self.A).T @ costs)

    @property
    def limit(self) -> str | None:
        """The limit that is reached, if one is."""
        if self.max_iter is not None and self.passes >= self.max_iter:
            return f"stopped after {self.passes} passes"
        if self.time_limit is not None and perf_counter() - self.begin > self.time_limit:
            return f"stopped after {self.time_limit:g} s"
        return None

    def descend(self) -> None:
        """Make a pass over all features and some over those with a weight."""
        self.excess = 1.0 - self.A @ self.w
        left = violation = self._pass(np.arange(self.w.size))
        for _ in range(_INNER):
            if left <= _SHARE * violation or self.limit is not None:
                return
            left = self._pass(np.flatnonzero(self.w))
        # No more time for these steps than for passes.
        if self.work >= np.count_nonzero(self.w) ** 3 / 3.0:
            self.newton()

    def _pass(self, columns: Indices) -> float:
        # It loads the compiler.
        from qpkernels.solvers.coordinate_descent.loops import descend_weights

        A, columns = self.A, self.order.permutation(columns)
        self.passes += 1
        self.work += _PASS * float(np.diff(A.indptr)[columns].sum())
        return descend_weights(A.indptr, A.indices, A.data, self.costs, self.roofs, columns, self.w, self.excess)

    def newton(self) -> None:
        """Minimise over the weights that are not 0, keeping their signs; what comes to 0 stays there."""
        for _ in range(_NEWTON_STEPS):
            support, active = np.flatnonzero(self.w), np.flatnonzero(self.excess > 0)
            if not 0 < support.size <= _MOST:
                return
            self.work -= support.size**3 / 3.0
            columns = self.A[:, support].tocsr()
            step = self._step(columns[active], active, np.sign(self.w[support]))
            if step is None or not self._moved(columns, support, step):
                return

    def _step(self, A: csr_array, active: Indices, signs: Vector) -> Vector | None:
        """Return the Newton step; None: the curvature has no factors."""
        costs = 2.0 * self.costs[active]
        slope = signs - A.T @ (costs * self.excess[active])
        if A.nnz > _FILLED * active.size * signs.size:
            scaled = np.sqrt(costs)[:, None] * A.toarray()
            H: Matrix = scaled.T @ scaled
        else:
            H = (A.T @ (diags_array(costs) @ A)).toarray()
        H[np.diag_indices_from(H)] += _RIDGE * float(H.diagonal().max(initial=0.0))
        try:
            return np.asarray(-scipy.linalg.cho_solve(scipy.linalg.cho_factor(H, overwrite_a=True), slope))
        except np.linalg.LinAlgError:
            return None

    def _moved(self, columns: csr_array, support: Indices, step: Vector) -> bool:
        """Make the whole step if the objective falls, or go to its minimum on the way; return whether more may help."""
        w, slope = self.w[support], -(columns @ step)
        # Where the first comes to 0: beyond, the losses are no longer all that changes.
        first = min(1.0, float(np.divide(-w, step, out=np.full_like(w, np.inf), where=step * w < 0).min()))
        moved = np.where((w + step) * w < 0, 0.0, w + step)
        if self._objective(moved, 1.0 - columns @ moved) >= self._objective(w, self.excess):
            moved = w + self._least(float(np.sign(w) @ step), slope, first) * step
            moved[(moved * w < 0) | (np.abs(moved) <= EPS * np.abs(w))] = 0.0
        excess = 1.0 - columns @ moved
        settled = np.array_equal(excess > 0, self.excess > 0) and bool(moved.all())
        self.w[support], self.excess = moved, excess
        return not settled

    def _least(self, rise: float, slope: Vector, most: float) -> float:
        """Return the t up to ``most`` at which ``rise`` t + losses at excess + t slope is least."""

        def derivative(t: float) -> float:
            return rise + float(2.0 * self.costs * np.maximum(self.excess + t * slope, 0.0) @ slope)

        low, high = 0.0, most
        if derivative(high) <= 0:
            return high
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if derivative(middle) < 0 else (low, middle)
        return high

    def _objective(self, w: Vector, excess: Vector) -> float:
        return float(np.abs(w).sum() + self.costs @ np.maximum(excess, 0.0) ** 2)
