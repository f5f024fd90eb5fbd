# SPDX-License-Identifier: BSD-3-Clause
"""Linear systems with a kernel matrix that is only multiplied by vectors: preconditioned conjugate gradients.

Several systems with one kernel matrix are solved at a time. The residuals of all that are not solved yet are the
columns of one matrix, so that each kernel value is made once for all of them. A border, 1'x = 0, is kept by every step:
the preconditioner is followed by the projection

    g = P^{-1} (r - v 1),   v = (1'P^{-1} r) / (1'P^{-1} 1),     1'g = 0

which takes v 1 out of the residual, too: it is a part of b, beside which the rest would be lost in rounding.

With the residual r = rhs - (K + D) x - b 1 the duality gap of (x, b) is 1/2 sum r_i^2 / D_i, and b minimises it. Where
a D_i is 0, f(x_i) + b has to meet the target, and r_i is held against the spread of the targets.

The preconditioner is P = Z Z' + D of K + D, where Z are some columns of a partial Cholesky decomposition of K.

With R = K - Z Z', positive semidefinite, the eigenvalues of P^{-1} (K + D) lie between 1 and 1 + ||R||, in the scale
of D, which is at most 1 + sum R_ii / D_ii. So the diagonal of the residual tells beforehand how many iterations there
will be.

The inverse is applied as D^{-1/2} (I - Q Q') D^{-1/2}, where Q is the upper part of the orthonormal factor of
[D^{-1/2} Z; I]. It is made by Cholesky decompositions, twice, so that Q is orthonormal to rounding also where Z Z' is
1e12 times as large as D, and the usual formula of Woodbury has lost all digits.

Sources: Gould, Hribar and Nocedal, On the solution of equality constrained quadratic programming problems arising in
optimization (SIAM J. Sci. Comput., 2001); Diaz, Epperly, Frangella, Tropp and Webber, Robust, randomized
preconditioning for kernel ridge regression (2023); Yamamoto, Nakatsukasa, Yanagisawa and Fukaya, Roundoff error
analysis of the CholeskyQR2 algorithm (ETNA, 2015).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import solve_triangular

from qpkernels.arrays import Indices, Matrix, Vector, check_count, finite_vector, row_blocks
from qpkernels.arrays.log import report
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.errors import SolverFailedError
from qpkernels.gram import Gram
from qpkernels.gram.low_rank.pivots import partial_cholesky
from qpkernels.gram.low_rank.sources import ArraySource
from qpkernels.kernels import Precomputed
from qpkernels.problems import LinearSystem
from qpkernels.problems.certificate import relative
from qpkernels.problems.linear_system import RidgedGram
from qpkernels.solvers.interface import Answer, Claim, Request, Solver

__all__ = [
    "ConjugateGradient",
    "Factor",
    "Iterates",
    "Preconditioner",
    "Progress",
    "expected_iterations",
    "expected_rank",
]

_SPREAD = 160.0
"""The trace of a residual is about as many times its largest eigenvalue, as it was seen of RBF kernels."""

_FEW = 20.0
"""Condition number that is small enough: more columns would cost what they save."""

_LEAST, _ROOTS = 100, 6.0
"""Rank that costs nothing, and how many times sqrt(m) make about as much work as the iterations that it saves."""

_DIGITS = 1e-13
"""Share of the trace of K which D is taken to be at least: beyond, Q would be rounding."""

_HARD = 0.1
"""Share of the tolerance that is asked of a residual without a ridge: the function is rescaled to meet all targets."""

_ITERATIONS = 10_000

_MARGIN = 0.5
"""Share of the tolerance that is aimed at: the certificate adds the rounding of its own sums to the gap."""

_LOST = 0.5
"""Share of its gap by which a system must come down between two computed residuals to go on."""


class Factor:
    """K = Z Z' + R.

    Attributes
    ----------
    matrix
        Z, shape (m, r).
    residual
        The diagonal of R, shape (m,).
    """

    def __init__(self, gram: Gram, rank: int, ridge: Vector, seed: int) -> None:
        """Take explicit features, which leave nothing, or pivots until the residual is small beside ``ridge``."""
        self.trace = float(gram.diagonal.sum())
        if gram.correction is None and gram.features is not None:
            self.matrix, self.residual = gram.features, np.zeros(len(gram))
            return
        kernel, X = gram.kernel, gram.X
        if gram.correction is not None:
            kernel, X = Precomputed(gram.dense), np.arange(len(gram))
        enough = _FEW * _SPREAD * float(ridge.min()) / (self.trace or 1.0)
        generator = np.random.default_rng(seed)
        made = partial_cholesky(kernel, ArraySource(kernel, X), max(1, rank), enough, generator)
        Z = made.factor.matrix
        self.matrix, self.residual = (Z, made.residual) if rank else (Z[:, :0], gram.diagonal)

    @property
    def rank(self) -> int:
        """Number of columns."""
        return int(self.matrix.shape[1])


class Preconditioner:
    """P^{-1} of P = Z Z' + D.

    Parameters
    ----------
    factor
        Z.
    ridge
        The diagonal of D, shape (m,); where it is 0, the mean of what Z misses takes its place.
    """

    def __init__(self, factor: Factor, ridge: Vector) -> None:
        # Beside a ridge, what Z misses would save no iteration.
        D = np.where(ridge > 0, ridge, factor.residual.mean())
        self._roots = np.sqrt(np.maximum(D, _DIGITS * factor.trace or 1.0))[:, None]
        self._Q = np.array(factor.matrix / self._roots, order="C")
        lower = np.eye(factor.rank)
        for _ in range(2 if factor.rank else 0):
            triangle = np.asarray(np.linalg.cholesky(self._Q.T @ self._Q + lower.T @ lower), dtype=np.float64)
            lower = _divided(lower, triangle)
            for rows in row_blocks(len(ridge), factor.rank):
                self._Q[rows] = _divided(self._Q[rows], triangle)

    def __call__(self, V: Matrix) -> Matrix:
        """Return P^{-1} V, for V of shape (m, k)."""
        scaled = V / self._roots
        scaled -= self._Q @ (self._Q.T @ scaled)
        return np.asarray(scaled / self._roots)


def _divided(rows: Matrix, triangle: Matrix) -> Matrix:
    """Return rows L'^{-1}."""
    return np.asarray(solve_triangular(triangle, rows.T, lower=True, check_finite=False)).T


def expected_iterations(residual: Vector, ridge: Vector, tol: float) -> float:
    """Return about how many iterations bring the relative gap to ``tol``: 1/2 sqrt(condition) log(2 / sqrt(tol))."""
    with np.errstate(divide="ignore", over="ignore"):
        ratio = float(np.divide(residual, ridge, out=np.zeros_like(residual), where=residual > 0).sum())
    return 0.5 * sqrt(1.0 + ratio / _SPREAD) * log(2.0 / sqrt(tol))


def expected_rank(gram: Gram) -> int:
    """Return the rank at which the work for Z and Q is about that of the iterations, within the memory limit."""
    m = len(gram)
    return int(min(m, max(_LEAST, _ROOTS * sqrt(m)), max(1.0, gram.memory_limit / (3 * 8 * m))))


@dataclass(frozen=True, eq=False)
class _Kind:
    """Systems of one ridge and border: their numbers, P^{-1}, and with a border P^{-1} 1."""

    numbers: Indices
    ridge: Vector
    precondition: Preconditioner
    border: Vector | None

    def directions(self, R: Matrix) -> tuple[Matrix, Vector]:
        """Return g of the residuals in these columns, and the multiples of 1 that it leaves out of them."""
        G = self.precondition(R)
        if self.border is None:
            return G, np.zeros(R.shape[1])
        levels = G.sum(axis=0) / self.border.sum()
        return G - self.border[:, None] * levels, levels

    def level(self, r: Vector) -> float:
        """Return the b of the least gap."""
        if self.border is None:
            return 0.0
        weights = 1.0 / self.ridge if self.ridge.all() else np.ones(r.size)
        return float(weights @ r / weights.sum())


class Iterates:
    """The points x of several systems, and their residuals.

    Attributes
    ----------
    X, R, levels
        Shapes (m, k), (m, k) and (k,): a column for each system, R + levels = rhs - (K + D) X.
    iterations
        Of each system, shape (k,).
    """

    def __init__(self, systems: Sequence[LinearSystem], factor: Factor, start: Vector | None) -> None:
        self._gram: Gram = systems[0].matrix.gram  # type: ignore[union-attr]
        self.targets = np.column_stack([system.rhs for system in systems])
        self._ridges = np.column_stack([system.matrix.ridge for system in systems])  # type: ignore[union-attr]
        self._kinds = _kinds(systems, self._ridges, factor)
        self._kind_of = {int(k): kind for kind in self._kinds for k in kind.numbers}
        self.X, self.R = np.zeros_like(self.targets), self.targets.copy()
        self.levels = np.zeros(len(systems))
        self.iterations = np.zeros(len(systems), dtype=np.intp)
        self._memory: tuple[Indices, Matrix, Vector] | None = None
        if start is not None:
            self.X[:] = start[:, None]
            self.renew(np.arange(len(systems)))

    def intercept(self, k: int) -> float:
        """Return b of a system."""
        return float(self.levels[k]) + self._kind_of[k].level(self.R[:, k])

    def residual(self, k: int) -> Vector:
        """Return rhs - (K + D) x - b 1 of a system."""
        return np.asarray(self.R[:, k] - self._kind_of[k].level(self.R[:, k]))

    def gap(self, k: int) -> float:
        """Return the duality gap of a system, relative to the larger of both values."""
        r, ridge, x = self.residual(k), self._ridges[:, k], self.X[:, k]
        dual = 0.5 * abs(float(x @ (self.targets[:, k] + r)))
        if ridge.all():
            gap = 0.5 * float(r @ (r / ridge))
            return relative(gap, dual + gap)
        unit = 0.5 * float(np.ptp(self.targets[:, k])) or float(np.abs(self.targets[:, k]).max())
        return max(relative(float(np.abs(r) @ np.abs(x)), dual), relative(float(np.abs(r).max()), unit)) / _HARD

    def values(self, k: int) -> Vector:
        """Return K x of a system."""
        return np.asarray(self.targets[:, k] - self.levels[k] - self.R[:, k] - self._ridges[:, k] * self.X[:, k])

    def renew(self, columns: Indices) -> None:
        """Compute the residuals of these systems from their points, and begin anew from there.

        The part of 1'x that rounding, or a start, leaves is taken out before.
        """
        for k in columns:
            border = self._kind_of[int(k)].border
            if border is not None:
                self.X[:, k] -= border * (self.X[:, k].sum() / border.sum())
        X = self.X[:, columns]
        self.R[:, columns] = self.targets[:, columns] - self._gram.products(X) - self._ridges[:, columns] * X
        self.levels[columns] = 0.0
        self._memory = None

    def advance(self, columns: Indices) -> None:
        """Take a step in each of these systems, which are among those of the step before.

        Raises
        ------
        SolverFailedError
            If a matrix proves not to be positive definite.
        """
        G = np.empty((len(self.targets), columns.size))
        for kind in self._kinds:
            own = np.flatnonzero(np.isin(columns, kind.numbers))
            G[:, own], levels = kind.directions(self.R[:, columns[own]])
            self.R[:, columns[own]] -= levels
            self.levels[columns[own]] += levels
        descent = np.einsum("ij,ij->j", self.R[:, columns], G)
        D = G
        if self._memory is not None:
            kept = np.searchsorted(self._memory[0], columns)
            D += self._memory[1][:, kept] * _ratio(descent, self._memory[2][kept])
        HD = self._gram.products(D) + self._ridges[:, columns] * D
        curvature = np.einsum("ij,ij->j", D, HD)
        if ((curvature <= 0) & (descent > 0)).any():
            self._gram.require_psd()
            raise SolverFailedError(
                "the matrix is not positive definite beyond rounding: two samples are equal to the kernel, or nearly, "
                "and the ridge is too small; raise it, or merge those samples."
            )
        length = _ratio(descent, curvature)
        self.X[:, columns] += D * length
        self.R[:, columns] -= HD * length
        self.iterations[columns] += 1
        self._memory = (columns, D, descent)


def _kinds(systems: Sequence[LinearSystem], ridges: Matrix, factor: Factor) -> list[_Kind]:
    numbers: dict[tuple[bytes, bool], list[int]] = {}
    for k, system in enumerate(systems):
        numbers.setdefault((ridges[:, k].tobytes(), system.bordered), []).append(k)
    kinds = []
    for (_, bordered), own in numbers.items():
        ridge = ridges[:, own[0]]
        precondition = Preconditioner(factor, ridge)
        border = precondition(np.ones((len(ridge), 1)))[:, 0] if bordered else None
        kinds.append(_Kind(np.array(own), ridge, precondition, border))
    return kinds


def _ratio(above: Vector, below: Vector) -> Vector:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


@dataclass(frozen=True)
class Progress:
    """Where the slowest of the systems is.

    Attributes
    ----------
    iterations
        So far.
    violation
        Its relative gap.
    expected
        How many iterations were expected in all before the first.
    """

    iterations: int
    violation: float
    expected: float


class ConjugateGradient(Solver):
    r"""Preconditioned conjugate gradients for :math:`(K + D) x + b 1 = y`; stops when the relative gap is ``tol``.

    For kernel matrices with a ridge, which need not fit in memory; of other matrices the residuals count, against the
    spread of the right-hand side. The preconditioner is Z Z' + D with a partial
    Cholesky decomposition of K ~ Z Z' whose pivots are drawn at random, or the explicit features of the kernel; its
    rank is an option, by default about 6 sqrt(m), fewer where the residual is small beside the ridge. The smaller the
    ridge, the more iterations there are: about 0.3 (sum R_ii / D_ii)^(1/2), R being the residual K - Z Z'.

    max_iter counts iterations (default: 10000); time_limit is checked after each; warm_start is any x. ``watch`` is
    called with the progress, first before any iteration, and ends them by returning True. Ctrl-C returns the last
    point.

    Parameters
    ----------
    together
        Systems with one kernel matrix. With the first that it is given, all are solved, each kernel value being made
        once for all, and the answers of the others are kept until these are asked for.
    """

    name = "conjugate-gradient"
    foreign = False
    programs: ClassVar = (LinearSystem,)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "scipy"
    install = "pip install scipy"

    def __init__(self, *, together: Sequence[LinearSystem] = ()) -> None:
        self._together = tuple(together)
        self._answers: dict[int, Answer] = {}

    def settings(self) -> Mapping[str, Any]:
        """Return the rank, which is chosen where it is None, the seed of the pivots, and who watches."""
        return {"rank": None, "seed": 0, "watch": None}

    def prepare(self, program: LinearSystem) -> None:
        """Compute the kernel matrix where it fits in memory and there are no explicit features."""
        if not program.is_expansion:
            return
        gram = _matrix(program).gram
        if gram.factored is None and 8 * len(gram) ** 2 <= gram.memory_limit:
            gram.dense  # noqa: B018  formed when first asked for

    def run(self, program: LinearSystem, request: Request, **options: Any) -> Answer:
        """Solve, and say how exactly."""
        known = self._answers.pop(id(program), None)
        if known is not None:
            return known
        systems = self._together if any(each is program for each in self._together) else (program,)
        stated = [_of_samples(system) for system in systems]
        self.prepare(stated[0])
        with blas_threads_for(program.rhs.size):
            answers = _solved(stated, request, **options)
        own = {id(system): answer for system, answer in zip(systems, answers, strict=True)}
        answer = own.pop(id(program))
        self._answers |= own
        return answer


def _solved(
    given: Sequence[LinearSystem],
    request: Request,
    *,
    rank: int | None = None,
    seed: int = 0,
    watch: Callable[[Progress], bool] | None = None,
) -> list[Answer]:
    # b takes up any offset of the right-hand side, which would cost x digits.
    levels = [0.5 * float(each.rhs.min() + each.rhs.max()) if each.bordered else 0.0 for each in given]
    systems = [replace(each, rhs=each.rhs - level) for each, level in zip(given, levels, strict=True)]
    gram, ridges = _matrix(systems[0]).gram, [_matrix(system).ridge for system in systems]
    m, begun = len(gram), perf_counter()
    most = expected_rank(gram) if rank is None else min(check_count(rank, "rank", least=0), m)
    factor = Factor(gram, most, np.min(ridges, axis=0), check_count(seed, "seed", least=0))
    start = None if request.warm_start is None else finite_vector(request.warm_start, "warm_start", m)
    expected = max(expected_iterations(factor.residual, ridge, request.tol) for ridge in ridges)
    if watch is not None and watch(Progress(0, 1.0, expected)):
        return [_given_up(system, start, expected) for system in systems]
    iterates = Iterates(systems, factor, start)
    run = _Run(iterates, request, begun, expected, watch)
    ends = run.ends(len(systems))
    return [
        _answer(system, iterates, k, end, factor.rank, level)
        for k, (system, end, level) in enumerate(zip(systems, ends, levels, strict=True))
    ]


def _matrix(system: LinearSystem) -> RidgedGram:
    assert isinstance(system.matrix, RidgedGram)
    return system.matrix


def _of_samples(system: LinearSystem) -> LinearSystem:
    """Return the system with a matrix that is given as it is taken for a kernel matrix without a ridge."""
    if isinstance(system.matrix, RidgedGram):
        return system
    unknowns = np.arange(system.rhs.size)
    return replace(system, matrix=RidgedGram(Gram(Precomputed(system.matrix), unknowns), np.zeros(unknowns.size)))


@dataclass(frozen=True, eq=False)
class _Run:
    iterates: Iterates
    request: Request
    begun: float
    expected: float
    watch: Callable[[Progress], bool] | None

    def ends(self, count: int) -> list[tuple[Claim, str]]:
        """Iterate until each system is solved, or cannot be; return what became of each, and why it ended early."""
        ends = [(Claim.OPTIMAL, "")] * count
        unproved, least = np.arange(count), np.full(count, np.inf)
        while unproved.size:
            early = self._descend(unproved)
            self.iterates.renew(unproved)
            gaps = np.array([self.iterates.gap(int(k)) for k in unproved])
            missing = ~(gaps <= self.request.tol)
            lost = missing & ~(gaps <= _LOST * least[unproved])
            for k in unproved[missing if early else lost]:
                ends[k] = early or (Claim.STOPPED, "no step improves in float64; ")
            least[unproved] = gaps
            unproved = unproved[missing & ~lost] if early is None else unproved[:0]
        return ends

    def _descend(self, columns: Indices) -> tuple[Claim, str] | None:
        """Iterate until the residuals that are followed are small, or a limit is reached: return which."""
        request, iterates = self.request, self.iterates
        limit = request.max_iter or _ITERATIONS
        deadline = np.inf if request.time_limit is None else self.begun + request.time_limit
        try:
            while True:
                gaps = np.array([iterates.gap(k) for k in columns])
                columns = columns[~(gaps <= _MARGIN * request.tol)]
                if not columns.size:
                    return None
                count, worst = int(iterates.iterations.max()), float(gaps.max())
                if request.verbose:
                    report(f"conjugate-gradient: {count:5d} iterations, relative gap {worst:.3e}")
                if count >= limit:
                    return Claim.STOPPED, "limit of iterations; "
                if perf_counter() >= deadline:
                    return Claim.STOPPED, "limit of time; "
                if count and self.watch is not None and self.watch(Progress(count, worst, self.expected)):
                    return Claim.STOPPED, f"gave up after {count} iterations; "
                iterates.advance(columns)
        except KeyboardInterrupt:
            return Claim.INTERRUPTED, "interrupted; "


def _answer(
    system: LinearSystem, iterates: Iterates, k: int, end: tuple[Claim, str], rank: int, level: float
) -> Answer:
    claim, why = end
    x, b = iterates.X[:, k].copy(), iterates.intercept(k)
    missed = float(np.linalg.norm(iterates.residual(k))) / (float(np.linalg.norm(system.rhs)) or 1.0)
    return Answer(
        x,
        np.array([b + level]) if system.bordered else np.zeros(0),
        claim,
        f"{why}relative gap {iterates.gap(k):.1e}, relative residual {missed:.1e}, preconditioned by rank {rank}",
        int(iterates.iterations[k]),
        iterates.values(k),
    )


def _given_up(system: LinearSystem, start: Any, expected: float) -> Answer:
    x = np.zeros(system.rhs.size) if start is None else start
    b = np.zeros(int(system.bordered))
    return Answer(x, b, Claim.STOPPED, f"gave up, since about {expected:.0f} iterations were to be expected", 0)
