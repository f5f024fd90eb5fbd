# SPDX-License-Identifier: BSD-3-Clause
"""Linear systems with a kernel matrix that is only multiplied by vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from qpkernels.arrays import Indices, check_count, finite_vector
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.gram import Gram
from qpkernels.kernels import Precomputed
from qpkernels.problems import LinearSystem, RidgedGram
from qpkernels.solvers.answer import Answer, Claim, Request
from qpkernels.solvers.conjugate_gradient.iteration import Iterates
from qpkernels.solvers.conjugate_gradient.preconditioner import Factor, expected_iterations, expected_rank
from qpkernels.solvers.interface import Solver

__all__ = ["ConjugateGradient", "Progress"]

_ITERATIONS = 10_000

_MARGIN = 0.5
"""Share of the tolerance that is aimed at: the certificate adds the rounding of its own sums to the gap."""

_LOST = 0.5
"""Share of its gap by which a system must come down between two computed residuals to go on."""


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
                    print(f"conjugate-gradient: {count:5d} iterations, relative gap {worst:.3e}", flush=True)
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
