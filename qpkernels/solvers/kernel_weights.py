# SPDX-License-Identifier: BSD-3-Clause
r"""The weights of several kernels by Newton's method, and the coefficients with them.

With J(eta) the least value of :class:`~qpkernels.problems.MultipleKernelQP` at weights eta of the kernels, attained at
beta, and K = sum_j eta_j K_j, J is convex, and while the free coefficients F stay the same ones,

    dJ / deta_j = -1/2 beta'K_j beta,    d^2 J / deta_j deta_k = w_j'S w_k,   w_j = (K_j beta)_F,

where S maps the right sides of the equations of the free coefficients, with the intercept that is eliminated, to these.
A step goes to the minimum of this quadratic over the weights that the penalties allow, and the free coefficients go
with it, by -S w_j for each eta_j; steps of smo over working sets do the rest. Where the free coefficients change too
much on the way for that, it is tried again with a penalty on its length. The measure is the gap of the whole problem:
the maximum over kernels in its dual takes beta closer to the optimum than its value does.

The products K_j beta are kept, and brought up to date by the rows of what changes, once for all weights. Where these
rows are made in float32, the products are made anew in float64 before they would leave too little of the gap.

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

from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.threads import without_blas_threads
from qpkernels.problems import KernelQP, MultipleKernelQP
from qpkernels.problems.certificate import relative
from qpkernels.problems.kernel_qp.gap import duality_gap
from qpkernels.solvers.few_parameters import (
    FEW_FIRST,
    FreeFace,
    compiled_rows,
    load_descent,
    some_samples,
    steps_to_the_end,
)
from qpkernels.solvers.interface import Answer, Request, Solver
from qpkernels.solvers.smo.plain import level
from qpkernels.solvers.smo.plain import minimise as minimise_plainly
from qpkernels.solvers.smo.solver import CACHE_SIZE, step_limit

__all__ = ["KernelWeights"]

_PART_OF_TOL = 0.5
"""Part of the tolerance at which it ends: the certificate counts rounding as well."""

_FIRST, _PART_OF_GAP, _LEAST = 1e-2, 1e-1, 1e-10
"""The relative gap to which the first KernelQP is solved; the part of the gap so far for those after it; the least."""

_SLOW, _CLOSER = 0.3, 1e-2
"""Part of the gap that a step leaves over where it is slow, and what the accuracy is multiplied by then."""

_SHORTER, _LONGER, _SHORT, _LONG, _SHORTEST = 4.0, 0.1, 0.25, 1e-3, 1e12
"""Factors of the penalty on the length of a step; its first value, relative to the slopes, and its ends."""

_SAME = 1e-12
"""Relative change of the weights below which they are the same."""

_SINGLE = 1e-5
"""Relative gap from which on products are made in float64 whenever coefficients have changed by rows in float32."""

_OF_FEW, _STEPS_OF_FEW = 2e-2, 20
"""Relative gap of the weights of some samples, and steps for it."""

_NONE = 1e-6
"""Weight, as a part of the largest, from which a kernel is taken for one that has a weight, where a barrier ends."""

_BARRIERS, _NEWTON = 13, 5
"""Barriers of falling height, each a tenth of the one before, so that the last leaves 1e-6 of weights whose slopes ask
for none to that part; and Newton steps from there on."""

_ROUNDS = 8
"""Times that kernels get a weight, or lose it, where the others are known that have one."""


class KernelWeights(Solver):
    """Newton's method for the weights of several kernels; stops when the duality gap of all is within ``tol``.

    max_iter counts steps (default: 200); time_limit is checked after each; warm_start is any beta.
    """

    name = "kernel-weights"
    foreign = False
    programs: ClassVar = (MultipleKernelQP,)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "numba"
    install = "pip install numba"

    def settings(self) -> Mapping[str, Any]:
        """Return that it has none of its own."""
        return {}

    def load(self, program: MultipleKernelQP | None = None) -> None:
        """Compile the loops of the descent, or load their machine code, where they are what it is to use."""
        load_descent(None if program is None else _alone(program))

    def run(self, program: MultipleKernelQP, request: Request, **options: Any) -> Answer:
        """Minimise over the weights: the point is beta, the multipliers are the weights and b."""
        del options
        for gram in program.grams:
            gram.require_psd()
        with without_blas_threads():
            deadline = np.inf if request.time_limit is None else perf_counter() + request.time_limit
            descent = _Descent(program, request.tol, deadline, request.warm_start)
            claim, why = steps_to_the_end(descent, request, deadline)
        best = descent.best
        multipliers = np.concatenate([best.eta, [] if program.total is None else [best.intercept]])
        return Answer(best.beta, multipliers, claim, f"{why}relative gap {best.gap:.1e}", descent.count)


def _alone(program: MultipleKernelQP) -> list[KernelQP]:
    """Return the program of each kernel alone."""
    return [program.given(weights) for weights in np.eye(len(program.grams))]


@dataclass(frozen=True, eq=False)
class _Point:
    """Weights and coefficients, and the two values of the whole problem there.

    Attributes
    ----------
    weights, at, products
        The weights; beta that is nearly the optimum there, and K_j beta; those of kernels without a weight only where
        beta is not 0.
    eta, beta, intercept
        The answer: those, but for a factor.
    primal, dual
        The values of the answer.
    value, error
        J, without what weights cost, and by how much it may be more.
    radii
        r_j of the optimum.
    """

    weights: Vector
    at: Vector
    products: Matrix
    eta: Vector
    beta: Vector
    intercept: float
    primal: float
    dual: float
    value: float
    error: float
    radii: Vector

    @property
    def gap(self) -> float:
        """That of the whole problem, relative."""
        return relative(max(self.primal - self.dual, 0.0), max(abs(self.primal), abs(self.dual)))


class _Descent:
    """Weights on their way.

    Attributes
    ----------
    best
        The point of the least gap so far.
    count
        Steps so far.
    """

    def __init__(self, program: MultipleKernelQP, tol: float, deadline: float, start: Vector | None) -> None:
        self.program, self._tol, self._deadline = program, tol, deadline
        self.weights = _Weights(program)
        self._rows = compiled_rows(program.given(self.weights.even(program)), _alone(program))
        self.count, self._short, self._accuracy = 0, 0.0, max(_FIRST, tol)
        beta = program.project(np.zeros(program.size) if start is None else start)
        eta = self._of_few() if program.size >= FEW_FIRST and not program.total else self.weights.even(program)
        self._at = self.best = self._solved(eta, beta, None)

    def _of_few(self) -> Vector:
        """Return the weights that suit some samples."""
        descent = _Descent(self.program.part(some_samples(self.program.size)), _OF_FEW, self._deadline, None)
        while not descent.is_done and descent.count < _STEPS_OF_FEW and descent.step():
            pass
        return descent.best.weights

    @property
    def is_done(self) -> bool:
        """Whether the gap is within the tolerance."""
        return self.best.gap <= _PART_OF_TOL * self._tol

    def step(self) -> bool:
        """Go on to other weights, or solve at those so far more closely; return whether there was anything to do."""
        self.count += 1
        at = self._at
        left = self.program.given(at.weights)
        rows = self._rows
        if rows is None:
            face = FreeFace.of(left, at.at, at.weights @ at.products, at.products.T)
        else:
            rows.mix(at.weights, at.products)
            face = FreeFace.of(left, at.at, at.weights @ at.products, at.products.T, rows)
        slopes, curvatures = 0.5 * at.radii**2, None
        if face is not None:
            slopes, curvatures = slopes + face.settled @ face.columns, face.curvatures
        eta = self.weights.step(at.weights, slopes, curvatures, self._short)
        tried = self._solved(eta, at.at if face is None else face.moved(left, at.at, eta - at.weights), at)
        # The maximum over kernels sees how far beta is off, and values see the square of that.
        slow = tried.gap > _SLOW * self.best.gap and tried.error > tried.gap**2 * abs(tried.primal)
        if tried.gap < self.best.gap:
            self.best = tried
        value, own = self.weights.cost(eta) + tried.value, self.weights.cost(at.weights) + at.value
        if value > own + max(at.error, tried.error):
            self._short = max(_SHORT, _SHORTER * self._short)
            return self._short < _SHORTEST
        done = (
            self._accuracy <= _LEAST
            and tried.gap >= at.gap
            and bool(np.abs(eta - at.weights).max() <= _SAME * eta.max())
        )
        closer = _CLOSER * self._accuracy if slow else min(self._accuracy, _PART_OF_GAP * self.best.gap)
        self._accuracy = max(_LEAST, closer)
        self._at, self._short = tried, _LONGER * self._short if self._short > _LONG else 0.0
        return not done

    def _solved(self, eta: Vector, beta: Vector, near: _Point | None) -> _Point:
        """Return the optimum at these weights, from beta on, which differs from ``near`` in few samples."""
        program, left, rows, wanted = self.program, self.program.given(eta), self._rows, _PART_OF_TOL * self._tol
        used = np.flatnonzero(eta).tolist()
        if rows is None:
            found = minimise_plainly(
                left,
                beta,
                tol=self._accuracy,
                limit=step_limit(left),
                deadline=self._deadline,
                memory=2**20 * CACHE_SIZE,
            ).point
            return self._point(left, eta, found, program.products(found, eta))
        products = np.zeros((eta.size, beta.size))
        for j in used:
            if near is not None and near.weights[j]:
                products[j] = near.products[j]
            else:
                products[j] = program.grams[j].product(beta if near is None else near.at)
        rows.mix(eta, products)
        if near is not None:
            rows.follow(near.at, beta)
        found = rows.descended(left, beta, self._accuracy, self._deadline)
        for j in set(range(eta.size)).difference(used):
            products[j] = program.product(j, found, everywhere=False)
        point = self._point(left, eta, found, products)
        if rows.exact or point.gap > max(wanted, _SINGLE):
            return point
        if wanted > _SINGLE and point.gap + rows.error(left, found, self._tol) <= wanted:
            return point
        return self._point(left, eta, found, program.products(found, eta))

    def _point(self, left: KernelQP, eta: Vector, beta: Vector, products: Matrix) -> _Point:
        program, values = self.program, eta @ products
        b = 0.0 if left.total is None else -level(left.as_rows(), beta, values)
        radii = program.radii(products, beta)
        gap = duality_gap(left, beta, values, b)
        half, excess = 0.5 * float(eta @ radii**2), program.excess(radii)
        charged = sum(each.value((eta * radii)[each.members]) for each in program.penalties)
        # The functions are the same, of larger weights, where beta is made as small as penalties of no square want it.
        shrunk = beta / excess
        linear = float(left.target @ shrunk - left.costs(shrunk).sum())
        spared = sum(each.conjugate(radii[each.members] / excess) for each in program.penalties)
        return _Point(
            weights=eta,
            at=beta,
            products=products,
            eta=excess * eta,
            beta=shrunk,
            intercept=b,
            primal=gap.primal_value - half + charged,
            dual=linear - spared,
            value=gap.dual_value,
            error=max(gap.primal_value - gap.dual_value, 0.0) + gap.rounding,
            radii=radii,
        )


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

    def step(self, eta: Vector, slopes: Vector, curvatures: Matrix | None, short: float) -> Vector:
        """Return the weights to go to, by a quadratic with that penalty on the length of the step."""
        t, u = self.scales * eta, slopes / self.scales
        top = np.empty(t.size)
        for penalty in self.penalties:
            top[penalty.members] = max(float(t[penalty.members].max()), 1e-12)
        H = np.zeros((t.size, t.size)) if curvatures is None else curvatures / np.outer(self.scales, self.scales)
        more = short if curvatures is not None else max(short, _SHORT)
        H = H + np.diag(more * (u + 1e-3 * u.max()) / (t + 0.05 * top))
        c = -u - H @ t
        found = None
        if all(penalty.order == 1.0 for penalty in self.penalties):
            # Equations alone, unless the kernels that have a weight go round in circles.
            found = self._on_face(c, H, t, np.full(len(self.penalties), 0.5), t > 0)
        if found is None:
            near, prices = self._by_barrier(c, H, t, top)
            found = self._on_face(c, H, near, prices, near > _NONE * top)
            found = near if found is None else found
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

    def _on_face(self, c: Vector, H: Matrix, t: Vector, prices: Vector, used: NDArray[np.bool_]) -> Vector | None:
        """Return the minimum, given a point near it and which weights are above 0 there; None: others would have to."""
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
                if not (x[some] > 0).all() or (np.abs(step[: some.size]) <= _SAME * x[some]).all():
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
        return None

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
