# SPDX-License-Identifier: BSD-3-Clause
r"""The weights of several kernels by Newton's method, each point of which is the optimum of a KernelQP.

With J(eta) the least value of :class:`~qpkernels.problems.MultipleKernelQP` at weights eta of the kernels, attained at
beta, and K = sum_j eta_j K_j, J is convex, and while the free coefficients F stay the same ones,

    dJ / deta_j = -1/2 beta'K_j beta,    d^2 J / deta_j deta_k = w_j'S w_k,   w_j = (K_j beta)_F,

where S maps the right sides of the equations of the free coefficients, with the intercept that is eliminated, to these.
A step goes to the minimum of this quadratic over the weights that the penalties allow. Where the free coefficients
change too much on the way for that, it is tried again with a penalty on its length. What is measured is the gap of
the whole problem: the maximum over kernels in its dual takes beta closer to the optimum than its value does.

Sources: A. Rakotomamonjy, F. Bach, S. Canu and Y. Grandvalet, JMLR 9 (2008), "SimpleMKL"; O. Chapelle and
A. Rakotomamonjy (2008), "Second order optimization of kernel parameters".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.problems import KernelQP, MultipleKernelQP
from qpkernels.problems.certificate import relative
from qpkernels.problems.kernel_qp.gap import duality_gap
from qpkernels.solvers.automatic import Automatic
from qpkernels.solvers.interface import Answer, Claim, Request, Solver

__all__ = ["KernelWeights"]

_STEPS = 200
"""Steps where nobody says otherwise."""

_PART_OF_TOL = 0.5
"""Part of the tolerance at which it ends: what is certified counts rounding besides."""

_FIRST, _PART_OF_GAP, _LEAST = 1e-3, 1e-3, 1e-10
"""The relative gap to which the first KernelQP is solved; the part of the gap so far for those after it; the least."""

_SLOW, _CLOSER = 0.3, 1e-2
"""Part of the gap that a step leaves over where it is slow, and what the accuracy is multiplied by then."""

_SHORTER, _LONGER, _SHORT, _LONG, _SHORTEST = 4.0, 0.1, 0.25, 1e-3, 1e12
"""Factors of the penalty on the length of a step; its first value, relative to the slopes, and its ends."""

_SAME = 1e-12
"""Relative change of the weights below which they are the same."""

_NONE = 1e-6
"""Weight, as a part of the largest, from which a kernel is taken for one that has a weight, where a barrier ends."""

_BARRIERS, _NEWTON = 13, 5
"""Barriers of falling height, each a tenth of the one before, so that the last leaves 1e-6 of weights whose slopes ask
for none to that part; and Newton steps from there on."""

_JITTER = 1e-12
"""Part of the largest entry that is added to the diagonal of a matrix that is factorised."""

_ROUNDS = 5
"""Times that the minimum over the free coefficients is looked for, one of them having come to an end each time."""

_MOST_FREE = 3000
"""Free coefficients up to which their equations are solved."""


class KernelWeights(Solver):
    """Newton's method for the weights of several kernels; stops when the duality gap of all is within ``tol``.

    Kernel matrices that fit in memory are held. max_iter counts steps (default: 200); time_limit is checked after each;
    warm_start is any beta.
    """

    name = "kernel-weights"
    foreign = False
    programs: ClassVar = (MultipleKernelQP,)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "scipy"
    install = "pip install scipy"

    def settings(self) -> Mapping[str, Any]:
        """Return that it has none of its own."""
        return {}

    def prepare(self, program: MultipleKernelQP) -> None:
        """Form the kernel matrices, where all of them fit in the memory of one."""
        for gram in program.grams:
            gram.require_psd()
        if 8 * program.size**2 * (len(program.grams) + 1) <= program.grams[0].memory_limit:
            for gram in program.grams:
                gram.dense  # noqa: B018  formed when first asked for

    def run(self, program: MultipleKernelQP, request: Request, **options: Any) -> Answer:
        """Minimise over the weights: the point is beta, the multipliers are the weights and b."""
        del options
        deadline = np.inf if request.time_limit is None else perf_counter() + request.time_limit
        self.prepare(program)
        descent = _Descent(program, request)
        claim, message = Claim.STOPPED, "no step improves in float64"
        wanted = _PART_OF_TOL * request.tol
        while True:
            if descent.best.gap <= wanted:
                claim, message = Claim.OPTIMAL, ""
                break
            if descent.count >= (request.max_iter or _STEPS) or perf_counter() >= deadline:
                message = "limit of " + ("time" if perf_counter() >= deadline else "iterations")
                break
            if not descent.step():
                break
        best = descent.best
        multipliers = np.concatenate([best.eta, [] if program.total is None else [best.intercept]])
        said = f"relative gap {best.gap:.1e}"
        return Answer(best.beta, multipliers, claim, f"{message}; {said}" if message else said, descent.count)


@dataclass(frozen=True, eq=False)
class _Point:
    """The optimum at some weights, and the two values of the whole problem there.

    Attributes
    ----------
    weights
        Those at which beta is the optimum, but for a factor.
    eta, beta, intercept
        The answer.
    products
        K_j beta.
    radii
        r_j of the optimum.
    primal, dual
        The values of the answer.
    at_weights, error
        J, without what weights cost, and by how much it may be more.
    curvatures
        d^2 J / deta^2; None where there are too many free coefficients, or none.
    """

    weights: Vector
    eta: Vector
    beta: Vector
    intercept: float
    products: Matrix
    radii: Vector
    primal: float
    dual: float
    at_weights: float
    error: float
    curvatures: Matrix | None

    @property
    def gap(self) -> float:
        return relative(max(self.primal - self.dual, 0.0), max(abs(self.primal), abs(self.dual)))

    @property
    def slopes(self) -> Vector:
        return 0.5 * self.radii**2


class _Descent:
    """Weights on their way."""

    def __init__(self, program: MultipleKernelQP, request: Request) -> None:
        self.program, self.request = program, request
        self.weights = _Weights(program)
        self.count, self.short = 0, 0.0
        self.accuracy = _FIRST
        self.at = self.best = self._solved(self.weights.even(program), None)

    def step(self) -> bool:
        """Go on to other weights, or solve at those so far more closely; return whether there was anything to do."""
        self.count += 1
        at = self.at
        eta = self.weights.step(at, self.short)
        tried = self._solved(eta, at)
        # The maximum over kernels sees how far beta is off, and values see the square of that.
        slow = tried.gap > _SLOW * self.best.gap and tried.error > tried.gap**2 * abs(tried.primal)
        if tried.gap < self.best.gap:
            self.best = tried
        value, own = self.weights.cost(eta) + tried.at_weights, self.weights.cost(at.weights) + at.at_weights
        if value > own + max(at.error, tried.error):
            self.short = max(_SHORT, _SHORTER * self.short)
            return self.short < _SHORTEST
        done = (
            self.accuracy <= _LEAST
            and tried.gap >= at.gap
            and bool(np.abs(eta - at.weights).max() <= _SAME * eta.max())
        )
        closer = _CLOSER * self.accuracy if slow else min(self.accuracy, _PART_OF_GAP * self.best.gap)
        self.accuracy = max(_LEAST, closer)
        self.at, self.short = tried, _LONGER * self.short if self.short > _LONG else 0.0
        return not done

    def _solved(self, eta: Vector, near: _Point | None) -> _Point:
        """Return the optimum at these weights, from another one on."""
        program, left = self.program, self.program.given(eta)
        start = self.request.warm_start if near is None else near.beta
        outcome = Automatic().ask(left, self.request.having(tol=self.accuracy, max_iter=None, warm_start=start))
        beta, b = left.project(outcome.point), float(outcome.multipliers.sum())
        values = left.gram.product(beta) if left.gram.is_formed or outcome.values is None else outcome.values.copy()
        face, ended = _Face.of(left, beta), True
        for _ in range(_ROUNDS):
            if face is None or not ended:
                break
            beta, b, ended = face.towards_minimum(left, beta, b, values)
            face = face.without_ended(left, beta) if ended else face
        products = self._products(beta, near)
        radii = program.radii(products, beta)
        gap = duality_gap(left, beta, np.asarray(eta @ products), b)
        half, excess = 0.5 * float(eta @ radii**2), program.excess(radii)
        charged = sum(each.value((eta * radii)[each.members]) for each in program.penalties)
        # The functions are the same, of larger weights, where beta is made as small as penalties of no square want it.
        shrunk = beta / excess
        linear = float(left.target @ shrunk - left.costs(shrunk).sum())
        spared = sum(each.conjugate(radii[each.members] / excess) for each in program.penalties)
        return _Point(
            weights=eta,
            eta=excess * eta,
            beta=shrunk,
            intercept=b,
            products=products / excess,
            radii=radii,
            primal=gap.primal_value - half + charged,
            dual=linear - spared,
            at_weights=gap.dual_value,
            error=max(gap.primal_value - gap.dual_value, 0.0) + gap.rounding,
            curvatures=None if face is None else face.curvatures(products),
        )

    def _products(self, beta: Vector, near: _Point | None) -> Matrix:
        """Return K_j beta, by the change since the last point where that is in fewer samples."""
        known = np.zeros(beta.size) if near is None else near.beta
        if np.count_nonzero(beta - known) >= np.count_nonzero(beta):
            return np.array([gram.product(beta) for gram in self.program.grams])
        assert near is not None
        return np.asarray(near.products + np.array([gram.product(beta - known) for gram in self.program.grams]))


@dataclass(frozen=True, eq=False)
class _Face:
    """The free coefficients, and the factor of their equations.

    Attributes
    ----------
    free
        F.
    signs
        Those of coefficients with a kink at 0, else 0.
    K, factor
        K_FF, and the Cholesky factor of K_FF + diag(ridge_F).
    tied
        Its inverse times 1, where the coefficients have a sum.
    """

    free: Indices
    signs: Vector
    K: Matrix
    factor: Any
    tied: Vector | None

    @classmethod
    def of(cls, left: KernelQP, beta: Vector) -> _Face | None:
        """Return that of a point; None: it has none, or too many, or their equations are singular."""
        free = _free(left, beta)
        if not 0 < free.size <= _MOST_FREE:
            return None
        K = left.gram.dense[np.ix_(free, free)] if left.gram.is_formed else left.gram.entries(free, free)
        return cls._factored(left, beta, free, K)

    @classmethod
    def _factored(cls, left: KernelQP, beta: Vector, free: Indices, K: Matrix) -> _Face | None:
        try:
            with blas_threads_for(free.size):
                shifted = K + np.diag(left.ridge[free] + _JITTER * float(K.diagonal().max()))
                factor = cho_factor(shifted, overwrite_a=True, check_finite=False)
                tied = None if left.total is None else cho_solve(factor, np.ones(free.size), check_finite=False)
        except LinAlgError:
            return None
        return cls(free, np.where(left.epsilon[free] > 0, np.sign(beta[free]), 0.0), K, factor, tied)

    def without_ended(self, left: KernelQP, beta: Vector) -> _Face | None:
        """Return that of the coefficients that are still free."""
        kept = np.isin(self.free, _free(left, beta))
        return self._factored(left, beta, self.free[kept], self.K[np.ix_(kept, kept)]) if kept.any() else None

    def solved(self, right: Matrix) -> tuple[Matrix, Vector]:
        """Return d with (K_FF + diag(ridge_F)) d + 1 b' = ``right`` and 1'd = 0, and the b, for each column."""
        with blas_threads_for(self.free.size):
            found = cho_solve(self.factor, right, check_finite=False)
        if self.tied is None:
            return found, np.zeros(right.shape[1])
        b = self.tied @ right / self.tied.sum()
        return found - np.outer(self.tied, b), b

    def curvatures(self, products: Matrix) -> Matrix:
        """Return the second derivatives of J in the weights."""
        W = products[:, self.free].T
        return np.asarray(W.T @ self.solved(W)[0])

    def towards_minimum(self, left: KernelQP, beta: Vector, b: float, values: Vector) -> tuple[Vector, float, bool]:
        """Go towards the minimum over the free coefficients, and say whether one of them came to an end before.

        ``values``, K beta, are changed where the coefficients are free.
        """
        free = self.free
        right = left.target[free] - values[free] - left.ridge[free] * beta[free] - left.epsilon[free] * self.signs
        steps, level = self.solved(right[:, None])
        step, x = steps[:, 0], beta[free]
        low = np.where(self.signs > 0, np.maximum(left.lower[free], 0.0), left.lower[free])
        high = np.where(self.signs < 0, np.minimum(left.upper[free], 0.0), left.upper[free])
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step > 0, (high - x) / step, np.where(step < 0, (low - x) / step, np.inf))
        part = min(1.0, float(room.min()))
        reached = np.clip(x + part * step, low, high)
        if part < 1.0:
            first = int(room.argmin())
            reached[first] = high[first] if step[first] > 0 else low[first]
        values[free] += self.K @ (reached - x)
        moved = beta.copy()
        moved[free] = reached
        return moved, b if left.total is None else (1.0 - part) * b + part * float(level[0]), part < 1.0


def _free(left: KernelQP, beta: Vector) -> Indices:
    """Return the coefficients that are at no end, and at no kink."""
    return np.flatnonzero((beta > left.lower) & (beta < left.upper) & ((beta != 0) | (left.epsilon == 0)))


class _Weights:
    """The weights that the penalties allow, as t_j = d_j^2 eta_j, and the minimum of a quadratic over them."""

    def __init__(self, program: MultipleKernelQP) -> None:
        self.penalties = program.penalties
        self.scales = np.empty(len(program.grams))
        for penalty in program.penalties:
            self.scales[penalty.members] = penalty.weights**2

    def even(self, program: MultipleKernelQP) -> Vector:
        """Return weights to begin with: those of kernels that share evenly."""
        t = np.empty(self.scales.size)
        for penalty in self.penalties:
            n = penalty.members.size
            t[penalty.members] = n ** (-1.0 / penalty.order_of_weights)
            if not penalty.squared:
                # The norm of a function that has the size of the targets at the samples.
                size = float(np.sqrt(np.mean(program.target**2))) or 1.0
                trace = np.array([float(program.grams[j].diagonal.mean()) or 1.0 for j in penalty.members])
                t[penalty.members] *= size * float(np.mean(penalty.weights / np.sqrt(trace)))
        return t / self.scales

    def cost(self, eta: Vector) -> float:
        """Return what weights cost whose penalty is no square."""
        t = self.scales * eta
        return sum(0.5 * _size(t[p.members], p.order_of_weights)[0] for p in self.penalties if not p.squared)

    def step(self, at: _Point, short: float) -> Vector:
        """Return the weights to go to, by a quadratic with that penalty on the length of the step."""
        t, u = self.scales * at.weights, at.slopes / self.scales
        top = np.empty(t.size)
        for penalty in self.penalties:
            top[penalty.members] = max(float(t[penalty.members].max()), 1e-12)
        H = np.zeros((t.size, t.size)) if at.curvatures is None else at.curvatures / np.outer(self.scales, self.scales)
        more = short if at.curvatures is not None else max(short, _SHORT)
        H = H + np.diag(more * (u + 1e-3 * u.max()) / (t + 0.05 * top))
        c = -u - H @ t
        near, prices = self._by_barrier(c, H, t, top)
        found = self._on_face(c, H, near, prices, near > _NONE * top)
        for penalty in self.penalties:
            if penalty.squared:
                found[penalty.members] /= _size(found[penalty.members], penalty.order_of_weights)[0]
        return found / self.scales

    def _by_barrier(self, c: Vector, H: Matrix, t: Vector, top: Vector) -> tuple[Vector, Vector]:
        """Return t near the minimum of c't + 1/2 t'Ht and of what penalties charge, and the multiplier of each norm."""
        t = 0.9 * t + 0.02 * top / t.size
        for penalty in self.penalties:
            if penalty.squared:
                own = t[penalty.members]
                t[penalty.members] = own * min(1.0, 0.95 / _size(own, penalty.order_of_weights)[0])
        unit = float(np.abs(c) @ t) + 1e-300
        for power in range(1, _BARRIERS):
            barrier = unit * 0.1**power
            for _ in range(20):
                gradient, curvature = self._slopes(c, H, t, barrier)
                step = -np.linalg.lstsq(curvature / np.outer(1 / t, 1 / t), gradient * t)[0] * t
                decrement = -float(gradient @ step)
                if not decrement > 1e-3 * barrier:
                    break
                length, value = 1.0, self._value(c, H, t, barrier)
                while length > 1e-12 and not self._value(c, H, t + length * step, barrier) <= value - 0.1 * length * (
                    decrement
                ):
                    length *= 0.5
                t = t + length * step
        sizes = [_size(t[each.members], each.order_of_weights)[0] for each in self.penalties]
        pairs = zip(self.penalties, sizes, strict=True)
        return t, np.array([barrier / (1.0 - size) if each.squared else 0.5 for each, size in pairs])

    def _on_face(self, c: Vector, H: Matrix, t: Vector, prices: Vector, used: NDArray[np.bool_]) -> Vector:
        """Return the minimum over the weights that are above 0, given a point near it and which these are."""
        squared = [k for k, each in enumerate(self.penalties) if each.squared]
        for _ in range(_ROUNDS):
            x, nu = np.where(used, t, 0.0), prices.copy()
            (some,) = np.nonzero(used)
            for _ in range(_NEWTON):
                lacks: list[float] = []
                gradient, curvature, ties = c + H @ x, H.copy(), np.zeros((t.size, len(squared)))
                for k, each in enumerate(self.penalties):
                    own = each.members[used[each.members]]
                    size, slope, bend = _size(x[own], each.order_of_weights)
                    gradient[own] += nu[k] * slope
                    curvature[np.ix_(own, own)] += nu[k] * bend
                    if each.squared:
                        ties[own, len(lacks)] = slope
                        lacks.append(1.0 - size)
                rows = ties[some]
                system = np.block([[curvature[np.ix_(some, some)], rows], [rows.T, np.zeros((len(lacks),) * 2)]])
                step = np.linalg.lstsq(system, np.concatenate([-gradient[some], lacks]))[0]
                x[some] += step[: some.size]
                nu[squared] += step[some.size :]
                if not (x[some] > 0).all():
                    break
            # A kernel with a weight below 0 has none, and one whose slope asks for a weight gets one.
            slopes = c + H @ x
            wanting = np.zeros(t.size, dtype=bool)
            for k, each in enumerate(self.penalties):
                if each.order == 1.0:
                    wanting[each.members] = slopes[each.members] < -nu[k] * (1.0 + _SAME)
            wrong = (used & (x <= 0)) | (~used & wanting)
            if not wrong.any() and used.any():
                return x
            if (x[some] > 0).all():
                t = np.where(used, x, t)
            used = used ^ wrong
        return t

    def _value(self, c: Vector, H: Matrix, t: Vector, barrier: float) -> float:
        if not (t > 0).all():
            return np.inf
        value = float(c @ t + 0.5 * t @ H @ t - barrier * np.log(t).sum())
        for penalty in self.penalties:
            size = _size(t[penalty.members], penalty.order_of_weights)[0]
            if penalty.squared and size >= 1.0:
                return np.inf
            value += -barrier * float(np.log(1.0 - size)) if penalty.squared else 0.5 * size
        return value

    def _slopes(self, c: Vector, H: Matrix, t: Vector, barrier: float) -> tuple[Vector, Matrix]:
        gradient, curvature = c + H @ t - barrier / t, H + np.diag(barrier / t**2)
        for penalty in self.penalties:
            size, slope, bend = _size(t[penalty.members], penalty.order_of_weights)
            first = barrier / (1.0 - size) if penalty.squared else 0.5
            second = barrier / (1.0 - size) ** 2 if penalty.squared else 0.0
            gradient[penalty.members] += first * slope
            curvature[np.ix_(penalty.members, penalty.members)] += first * bend + second * np.outer(slope, slope)
        return gradient, curvature


def _size(t: Vector, q: float) -> tuple[float, Vector, Matrix]:
    """Return the q-norm of numbers above 0 with its first and second derivatives."""
    if q == 1.0:
        return float(t.sum()), np.ones(t.size), np.zeros((t.size, t.size))
    size = float(np.linalg.norm(t, q))
    share = t / size
    slope = share ** (q - 1.0)
    with np.errstate(divide="ignore"):
        bend = (q - 1.0) / size * (np.diag(share ** (q - 2.0)) - np.outer(slope, slope))
    return size, slope, bend
