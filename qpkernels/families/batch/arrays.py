# SPDX-License-Identifier: BSD-3-Clause
"""Many KernelQPs on samples of one kernel matrix, stated, solved and judged as arrays without an object for each.

A machine costs no more than its numbers: its program, certificate and answer only become objects on request.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from time import perf_counter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Matrix, Vector, frozen, is_sparse
from qpkernels.arrays.machine_code import at_hand
from qpkernels.arrays.threads import blas_threads_for, in_parts, threads
from qpkernels.families.batch.machine import (
    LEAST,
    MOST,
    NEWTON_STEPS,
    STEPS,
    Fitted,
    Machine,
    MachineArrays,
    Points,
    Start,
    carried,
)
from qpkernels.gram import Gram
from qpkernels.gram.features import Features
from qpkernels.gram.panels.products import EXPONENT_ERROR
from qpkernels.kernels import Linear
from qpkernels.problems import Certificate, KernelQP, LevelQP, SampleTerms
from qpkernels.problems.certificate import certify_values
from qpkernels.problems.kernel_qp.bounds import worst_sample
from qpkernels.problems.kernel_qp.program import nearest_feasible
from qpkernels.problems.level_qp.bounds import best_level
from qpkernels.problems.rounding import gap_rounding
from qpkernels.problems.sums import EPS, ProgramTerms, expansion_sums, gap_sums
from qpkernels.solvers.interface import Claim, Outcome
from qpkernels.solvers.smo.plain import Rows, descend, expected_seconds, few, rows_of

__all__ = ["KernelQPs", "Solved", "features_for", "rows_for", "solve_each", "solve_kernel_qps", "takes"]

_GOAL = 0.9
"""Part of the tolerance that a descent goes for; the rest is for rounding."""

_OF_AN_ENTRY = 5.0
"""Multiplications for each entry of the matrices, of which few are made."""

_SHARES = 8
"""Parts of the work for each thread, so that none waits long for another."""

_WIDE, _FEW = 256, 1000
"""Features up to which a kernel value is made about as fast as it is read, and samples whose matrix costs little."""

_NARROW = 320
"""Features up to which the factor of their Hessian takes compiled loops no longer than the samples do."""

_FOR_EACH, _CURVED = 8, 2
"""Samples for each feature from which on Newton steps in the features are less work than pair steps in the samples; and
those where all losses are curved, so that few Newton steps are taken."""

_SWEEPS, _USUAL_SWEEPS = 50, 20.0
"""Sweeps over sparse samples, at most, and as many as are usual."""

_PASSES, _TOGETHER = 30.0, 2
"""Passes over the features of a machine beside the one that makes its first Hessian, and parts of the work for each
thread, which are large since machines on the same samples share that."""


@dataclass(frozen=True, eq=False)
class KernelQPs:
    """KernelQPs with or without b on samples of one kernel matrix, which is positive semidefinite.

    Attributes
    ----------
    gram
        The kernel matrix.
    samples, starts
        The numbers of the samples of each machine, one machine after the other, and where each begins: machine p has
        ``samples[starts[p]:starts[p + 1]]``.
    terms
        The terms of the samples, shape (5, samples of all machines): target, epsilon, ridge, lower, upper.
    totals
        The value of 1'beta for each machine; None if there is no b.
    follows
        Whether a machine has the samples of the one before and starts from its answer; None if none does.
    held_out
        For each machine, the numbers of further samples at which decision values are wanted; None if there are none.
    begin
        A feasible beta of each machine, one after the other; None stands for 0.
    budgets
        Of machines whose margin is free, as a :class:`~qpkernels.problems.LevelQP` has it: the value of 1'|beta| of
        each, of which positive and negative coefficients have half; their targets are 0. None: none is.
    """

    gram: Gram
    samples: Indices
    starts: Indices
    terms: Matrix
    totals: Vector | None
    follows: NDArray[np.bool_] | None = None
    held_out: Sequence[Indices] | None = None
    begin: Vector | None = None
    budgets: Vector | None = None

    @classmethod
    def of(cls, program: KernelQP, begin: Vector | None = None) -> KernelQPs:
        """Return the one machine that a program is, which begins at a feasible beta if there is one."""
        m = program.target.size
        totals = None if program.total is None else np.array([program.total])
        if begin is None and program.total:
            begin = few(program)
        return cls(program.gram, np.arange(m), np.array([0, m]), program.as_rows(), totals, begin=begin)

    @classmethod
    def of_margin(cls, program: LevelQP) -> KernelQPs:
        """Return the one machine that a program is whose budget is from below, with b."""
        m, terms = program.size, SampleTerms(program.target, program.lower, program.upper).as_rows()
        return cls(program.gram, np.arange(m), np.array([0, m]), terms, np.zeros(1), budgets=np.array([program.budget]))

    def with_margins(self, margins: Vector) -> KernelQPs:
        """Return the problems of these margins, whose objectives are margin times budget more than ours."""
        terms = self.terms.copy()
        terms[0] = np.where(self.terms[4] > 0, 1.0, -1.0) * np.repeat(margins, self.sizes)
        return replace(self, terms=terms)

    def ordered(self) -> tuple[Indices, Vector]:
        """Return an order in which positive coefficients come first in each machine, and where margins begin.

        There the first coefficients of each sign are as large as they may be, until they add up to half of the budget.
        """
        assert self.budgets is not None
        is_negative = self.terms[4] <= 0
        numbers = 2 * np.repeat(np.arange(len(self)), self.sizes) + is_negative
        order = np.argsort(numbers, kind="stable")
        sizes, groups = np.where(is_negative, -self.terms[3], self.terms[4])[order], numbers[order]
        before = np.cumsum(sizes) - sizes
        firsts = np.searchsorted(groups, np.arange(2 * len(self)))
        before -= before[firsts.clip(max=before.size - 1)][groups]
        begin = np.clip(np.repeat(0.5 * self.budgets, 2)[groups] - before, 0.0, sizes)
        return order, np.where(groups % 2 == 0, begin, -begin)

    def __len__(self) -> int:
        """Return the number of machines."""
        return self.starts.size - 1

    @cached_property
    def sizes(self) -> Indices:
        """The number of samples of each machine."""
        return self.starts[1:] - self.starts[:-1]

    def rows(self, number: int) -> slice:
        """Return where the arrays have a machine."""
        return slice(int(self.starts[number]), int(self.starts[number + 1]))

    def program(self, number: int) -> KernelQP:
        """Return a machine as a problem of its own."""
        rows = self.rows(number)
        target, epsilon, ridge, lower, upper = self.terms[:, rows]
        gram, total = self.gram.part(self.samples[rows]), None if self.totals is None else float(self.totals[number])
        return KernelQP(gram, target, lower, upper, total, epsilon, ridge)


@dataclass(frozen=True, eq=False)
class Solved:
    """The answers to KernelQPs with the proof of each; every array except the first has an entry for each machine.

    Attributes
    ----------
    programs
        The problems.
    beta, values
        The points, and K beta in float64, one machine after the other.
    intercepts, steps
        b of each, and the steps taken.
    primal_values, dual_values, rounding
        The bounds of each optimum, and a bound on their combined rounding error.
    worst, largest
        The sample of each that adds most to the gap, and what it adds.
    imbalance
        How far 1'beta is from its total, as a share of its terms.
    held_out
        f(x) + b at the held-out samples, one array per machine.
    seconds
        The seconds that all machines took together.
    weights
        Those of the explicit features, a row each, where the machines were solved in these; else None.
    solver
        The name of the method.
    """

    programs: KernelQPs
    beta: Vector
    values: Vector
    intercepts: Vector
    steps: Indices
    primal_values: Vector
    dual_values: Vector
    rounding: Vector
    worst: Indices
    largest: Vector
    imbalance: Vector
    held_out: Sequence[Vector]
    seconds: float
    weights: Matrix | None = None
    solver: str = "smo"

    def proved(self, tol: float) -> NDArray[np.bool_]:
        """Return which certificates hold at ``tol``; see :meth:`~qpkernels.problems.Certificate.holds`."""
        return (np.maximum(self.relative_gaps, self.imbalance) <= tol) & (np.abs(self.largest) <= tol * self._scale)

    @cached_property
    def relative_gaps(self) -> Vector:
        """The relative gap of each, as its certificate has it."""
        gaps = np.abs(self.primal_values - self.dual_values) + self.rounding
        return np.asarray(np.divide(gaps, self._scale, out=np.full(gaps.size, np.inf), where=self._scale > 0))

    @cached_property
    def _scale(self) -> Vector:
        return np.maximum(np.abs(self.primal_values), np.abs(self.dual_values))

    def point(self, number: int) -> tuple[Vector, Vector]:
        """Return beta and f + b at the samples of a machine."""
        rows = self.programs.rows(number)
        return self.beta[rows], self.values[rows] + self.intercepts[number]

    def margin(self, number: int) -> float | None:
        """Return the best margin for f and b of a machine; None where it is not free."""
        if self.programs.budgets is None:
            return None
        rows = self.programs.rows(number)
        _, decision = self.point(number)
        _, _, _, lower, upper = self.programs.terms[:, rows]
        costs, budget = upper - lower, float(self.programs.budgets[number])
        return max(0.0, -best_level(np.where(upper > 0, -decision, decision), budget / float(costs.sum()), costs))

    def fitted(self, number: int, tol: float) -> Fitted:
        """Return the answer of a machine that was to be proved to ``tol``."""
        rows, proof = self.programs.rows(number), self.certificate(number, tol)
        outcome = Outcome(
            self.beta[rows],
            np.array([]) if self.programs.totals is None else self.intercepts[number : number + 1],
            Claim.OPTIMAL if proof.holds(tol) else Claim.STOPPED,
            f"relative gap {proof.relative_gap:.1e}",
            int(self.steps[number]),
            self.values[rows],
            self.solver,
            self.seconds / len(self.programs),
        )
        return Fitted(outcome, proof, self.held_out[number] if self.held_out else None)

    def certificate(self, number: int, tol: float) -> Certificate:
        """Return what is proved of a machine that was to be proved to ``tol``."""
        worst = int(self.worst[number])
        at = int(self.programs.starts[number]) + worst
        return certify_values(
            float(self.primal_values[number]),
            float(self.dual_values[number]),
            dual_residual=float(self.imbalance[number]),
            rounding=float(self.rounding[number]),
            largest=float(self.largest[number]),
            worst=worst_sample(worst, self.programs.terms[0, at], self.beta[at], self.largest[number]),
            asked=tol,
        )


def solve_kernel_qps(
    programs: KernelQPs, *, tol: float, memory: int, jobs: int, max_iter: int | None = None
) -> Solved | None:
    """Lower the relative gap of all machines to ``tol``, as far as few steps do that; None: they are not of the kind.

    That is a linear kernel of sparse samples and no b, or of features that are few against the samples, a matrix of few
    samples, or one of dense samples and a kernel whose values are made of inner products in float64 without loss.

    Parameters
    ----------
    programs
        The problems.
    tol
        Bound on the relative duality gap of each.
    memory
        Bytes that kernel values may take, for each thread.
    jobs
        Threads that are asked for; -1: as many as the work is worth.
    max_iter
        Steps that a machine may take: who allows fewer than Newton steps may be is not served. None: any number.
    """
    begun, gram, sizes = perf_counter(), programs.gram, programs.sizes
    if (rows := rows_for(programs)) is not None and at_hand("descent"):
        solved = _solve_in_rows(programs, rows, _GOAL * tol, jobs, max_iter, begun)
        if solved.proved(tol).all() or (features := features_for(programs)) is None:
            return solved
        programs = replace(programs, begin=solved.beta)
    else:
        features = features_for(programs)
    ready = at_hand("arrays")
    if features is not None and (max_iter is None or max_iter >= NEWTON_STEPS) and at_hand("features"):
        return _solve_in_features(programs, features, _GOAL * tol, jobs, begun)
    if max_iter is not None or 8 * int(sizes.max()) ** 2 > min(memory, gram.memory_limit) or not takes(gram):
        return None
    if programs.budgets is not None and (gram.factored is not None or not ready):
        # There are other ways to these than pair steps, which in few features are less work.
        return None
    count, goal = len(programs), _GOAL * tol
    outside = [] if programs.held_out is None else programs.held_out
    ends = np.cumsum([0, *(each.size for each in outside)]) if outside else np.zeros(count + 1, np.intp)
    beta = np.zeros(programs.samples.size) if programs.begin is None else programs.begin.copy()
    values, margins = np.zeros(beta.size), np.zeros(count)
    points = Points(beta, values, np.zeros(int(ends[-1])), np.zeros(count), margins, np.zeros(count, np.intp))
    first = 0
    if not ready:
        with blas_threads_for(int(sizes.max())):
            first = _solve_plainly(programs, goal, memory, points, ends)
    if first < count:
        source = _source(gram, memory)
        if source is None:
            return None
        _solve_compiled(programs, source, goal, jobs, points, ends, first)
    if programs.budgets is not None:
        programs = programs.with_margins(margins)
    points.outside[:] += np.repeat(points.intercepts, np.diff(ends))
    held = [points.outside[begin:end] for begin, end in pairwise(ends.tolist())] if outside else []
    return _judged(programs, points, held, begun)


def _judged(
    programs: KernelQPs,
    points: Points,
    held_out: Sequence[Vector],
    begun: float,
    weights: Matrix | None = None,
    solver: str = "smo",
) -> Solved:
    """Return the answers with what is proved of them; ``weights`` are those that K beta was made of, if it was."""
    gram, sizes, paired = programs.gram, programs.sizes, programs.totals is not None
    count = sizes.size
    beta, values, margins = points.beta, points.values, points.margins
    totals = np.zeros(count) if programs.totals is None else programs.totals
    balanced, begin = np.full(count, paired) & (totals == 0.0), programs.starts[:-1]
    centred = weights is not None and paired
    lengths, terms = (gram.radii if centred else gram.lengths)[programs.samples], ProgramTerms(*programs.terms)
    spans = np.minimum.reduceat(terms.target, begin) + np.maximum.reduceat(terms.target, begin)
    f = expansion_sums(beta, values, lengths, programs.starts, balanced)
    root = np.sqrt(sizes) * EPS
    reach = np.sqrt(np.maximum(1.0, f.used)) * EPS * f.reach
    errors, lost = _NONE, 0.5 * reach * np.sqrt(f.square)
    if weights is not None:
        # As a product of weights has it: these are a function of their own, whose values lose what the product loses.
        norms = np.sqrt(np.maximum(0.0, f.products)) + reach
        errors = np.repeat(np.sqrt(weights.shape[1]) * EPS * norms, sizes) * lengths + centred * EPS * np.abs(values)
        lost = norms * reach + 0.5 * np.sqrt(np.add.reduceat((beta * errors) ** 2, begin))
    middles = np.where(balanced, 0.5 * spans, 0.0)
    sums, parts = gap_sums(terms, beta, values, errors, _NONE, programs.starts, points.intercepts, middles)
    worst, levels = sums.worst.astype(np.intp), points.intercepts * totals
    imbalance = np.abs(sums.imbalance - totals) if paired else np.zeros(count)
    inexact, owed = np.zeros(count), np.zeros(count)
    if programs.budgets is not None:
        owed = margins * programs.budgets
        inexact = EPS * owed + np.abs(sums.size - programs.budgets) * (sums.reach + margins)
    return Solved(
        programs,
        points.beta,
        points.values,
        points.intercepts,
        points.steps,
        primal_values=0.5 * f.products + sums.losses + levels - owed,
        dual_values=sums.linear - sums.costs - 0.5 * f.products - owed,
        rounding=gap_rounding(sums, sizes, levels, balanced) + (lost + 0.5 * root * f.products_size) + inexact,
        worst=worst,
        largest=parts[begin + worst],
        imbalance=np.divide(imbalance, sums.size, out=np.zeros(count), where=sums.size > 0),
        held_out=held_out,
        seconds=perf_counter() - begun,
        weights=weights,
        solver=solver,
    )


_NONE: Vector = np.empty(0)


def _solve_plainly(programs: KernelQPs, goal: float, memory: int, points: Points, ends: Indices) -> int:
    """Solve the machines without compiled loops, until these are at hand; return the first that is left to them."""
    gram, paired = programs.gram, programs.totals is not None
    rows: Rows | None = None
    begun = perf_counter()
    for p in range(len(programs)):
        place = programs.rows(p)
        size = place.stop - place.start
        if at_hand("arrays", perf_counter() - begun + expected_seconds(size, STEPS * size)):
            return p
        own, box = programs.samples[place], programs.terms[:, place]
        beta = points.beta[place]
        if rows is None or programs.follows is None or not programs.follows[p]:
            rows = rows_of(gram, own, memory)
        else:
            # Close to the answer before, on the same samples.
            before = points.beta[programs.rows(p - 1)]
            beta = nearest_feasible(before, box[3], box[4], 0.0 if paired else None)
        limit = min(max(STEPS * size, LEAST // size), MOST // size)
        found = descend(rows, gram.diagonal[own], box, beta, paired=paired, goal=goal, limit=limit)
        points.beta[place], points.values[place] = found.beta, found.values
        points.intercepts[p], points.steps[p] = -found.level, found.steps
        if ends[p] < ends[p + 1]:
            used = np.flatnonzero(found.beta)
            others = programs.held_out[p] if programs.held_out is not None else _NOBODY
            points.outside[ends[p] : ends[p + 1]] = gram.sums_at(others, own[used], found.beta[used])
    return len(programs)


def _solve_compiled(
    programs: KernelQPs, source: Source, goal: float, jobs: int, points: Points, ends: Indices, first: int
) -> None:
    """Solve the machines from the ``first`` on by compiled loops."""
    # They load the compiler.
    from qpkernels.families.batch.loops import descend_each, evaluate_each

    count, room = len(programs), int(programs.sizes.max()) ** 2
    held_out = np.empty(0, np.intp) if programs.held_out is None else np.concatenate(programs.held_out)
    follows = np.zeros(count, np.bool_) if programs.follows is None else programs.follows.copy()
    # Where the one before it has been solved already, a machine begins anew.
    follows[first] = False
    arrays = MachineArrays(
        *source,
        programs.gram.diagonal,
        programs.samples,
        programs.starts,
        np.ascontiguousarray(programs.terms),
        np.zeros(count) if programs.totals is None else programs.totals,
        follows,
        held_out,
        ends,
    )
    groups, solved, reached = int(programs.totals is not None), arrays, points
    if programs.budgets is not None:
        order, begin = programs.ordered()
        box = programs.terms.take(order, axis=1)
        solved = arrays._replace(samples=programs.samples[order], box=box, totals=programs.budgets)
        groups, reached = 2, points._replace(beta=begin)

    def work(begin: int, stop: int, space: Vector) -> None:
        descend_each(solved, groups, begin, stop, goal, space, reached)
        if ends[-1]:
            evaluate_each(solved, begin, stop, reached)

    efforts = _OF_AN_ENTRY * programs.sizes.astype(np.float64) ** 2
    efforts[:first] = 0.0
    _share_out(work, efforts, first + np.flatnonzero(~follows[first:]), room, jobs, _SHARES)
    if programs.budgets is not None:
        points.beta[order], points.values[order] = reached.beta, reached.values.copy()


def features_for(programs: KernelQPs) -> Matrix | None:
    """Return the features to take Newton steps in; None: there are no such, or pair steps are less work."""
    gram = programs.gram
    if not gram.trusted or gram.correction is not None or programs.budgets is not None:
        return None
    explicit = gram.explicit if isinstance(gram.kernel, Linear) else None
    if explicit is None or not explicit.in_memory or explicit.shape[1] > _NARROW:
        return None
    if programs.totals is not None and programs.totals.any():
        return None
    enough = _CURVED if programs.terms[2].all() else _FOR_EACH
    return explicit.matrix if programs.sizes.min() >= enough * explicit.shape[1] else None


def _solve_in_features(programs: KernelQPs, features: Matrix, goal: float, jobs: int, begun: float) -> Solved:
    """Solve the machines by Newton steps in the weights of the features."""
    # It loads the compiler.
    from qpkernels.solvers.semismooth_newton.machines import solve_in_features

    (m, d), count, paired, level = (
        features.shape,
        len(programs),
        programs.totals is not None,
        np.zeros(features.shape[1]),
    )
    Z = features
    if programs.totals is not None:
        # Of coefficients that add up to 0 an offset of all samples changes nothing but b, which is the last feature.
        level = features.mean(axis=0)
        Z = np.column_stack([features - level, np.ones(m)])
    Z, weights = np.ascontiguousarray(Z), np.zeros((count, Z.shape[1]))
    beta = np.zeros(programs.samples.size) if programs.begin is None else programs.begin.copy()
    none = np.zeros(count)
    points = Points(beta, np.zeros(beta.size), np.empty(0), none, none.copy(), np.zeros(count, np.intp))
    totals, terms = np.zeros(count), np.ascontiguousarray(programs.terms)

    def work(begin: int, stop: int, space: Vector) -> None:
        del space
        found = (points.beta, points.values, points.intercepts, points.steps, weights)
        solve_in_features(
            Z, level, programs.samples, programs.starts, terms, totals, begin, stop, goal, NEWTON_STEPS, *found
        )

    efforts = programs.sizes.astype(np.float64) * d * (0.5 * d + _PASSES)
    _share_out(work, efforts, np.arange(count), 0, jobs, _TOGETHER)
    weights = weights[:, :d]
    if paired:
        constants = weights @ level
        points.values[:] += np.repeat(constants, programs.sizes)
        points.intercepts[:] -= constants
    rows = [] if programs.held_out is None else programs.held_out
    held_out = [features[own] @ weights[p] + points.intercepts[p] for p, own in enumerate(rows)]
    return _judged(programs, points, held_out, begun, weights, "semismooth-newton")


def rows_for(programs: KernelQPs) -> csr_array | None:
    """Return the sparse samples whose coefficients are to descend one at a time; None: there are no such, or b."""
    gram = programs.gram
    if programs.totals is not None or programs.budgets is not None or not gram.trusted or gram.correction is not None:
        return None
    Z = gram.sparse_features if isinstance(gram.kernel, Linear) else None
    # Weights of all machines are held.
    return None if Z is None or 8 * len(programs) * Z.shape[1] > gram.memory_limit else Z


def _solve_in_rows(
    programs: KernelQPs, Z: csr_array, goal: float, jobs: int, max_iter: int | None, begun: float
) -> Solved:
    """Solve the machines by sweeps over sparse rows."""
    # They load the compiler.
    from qpkernels.solvers.coordinate_descent.descent import solve_in_rows, sparse_rows

    count, rows, size = len(programs), sparse_rows(Z), programs.samples.size
    beta = np.zeros(size) if programs.begin is None else programs.begin.copy()
    points = Points(beta, np.zeros(size), np.empty(0), np.zeros(count), np.zeros(count), np.zeros(count, np.intp))
    weights = np.zeros((count, Z.shape[1]))

    def work(begin: int, stop: int, space: Vector) -> None:
        del space
        for p in range(begin, stop):
            place = programs.rows(p)
            own, terms = programs.samples[place], ProgramTerms(*programs.terms[:, place])
            most = min(_SWEEPS * own.size, max_iter or sys.maxsize)
            found = solve_in_rows(rows, Z.shape[1], own, terms, beta[place], goal, most)
            beta[place], weights[p], points.values[place], points.steps[p] = found

    efforts = programs.sizes.astype(np.float64) * (_USUAL_SWEEPS * Z.nnz / Z.shape[0])
    _share_out(work, efforts, np.arange(count), 0, jobs, _TOGETHER)
    held_out = [Z[own] @ weights[p] for p, own in enumerate(programs.held_out or [])]
    return _judged(programs, points, held_out, begun, weights, "coordinate-descent")


Source: TypeAlias = tuple[Matrix, Vector, int]


def _source(gram: Gram, memory: int) -> Source | None:
    """Return what rows are made of, as :class:`MachineArrays` has it; None: neither features nor a matrix will do."""
    form, X = (None, None) if gram.is_formed else gram.panels(compressed=False)
    if form is not None and form.scale.size <= _WIDE and not is_sparse(X):
        # It loads the compiler.
        from qpkernels.gram.panels.samples import DenseProduct, make_product

        product = make_product(form, X, np.float64)
        assert isinstance(product, DenseProduct)
        if product.largest * EPS <= EXPONENT_ERROR:
            features, offsets, degree = product.by_feature(slice(None))
            return frozen(features), offsets, degree
    if not gram.is_formed and (len(gram) > _FEW or 8 * len(gram) ** 2 > min(memory, gram.memory_limit)):
        return None
    return np.ascontiguousarray(gram.dense), np.empty(0), 0


def takes(gram: Gram) -> bool:
    """Return whether sums of rows make K beta as well as any other way, and nothing is to be said of K beside them."""
    if not gram.trusted or gram.correction is not None:
        return False
    # Of a factor by landmarks the samples may be gone, and no other rows are made.
    return gram.factored is None or (isinstance(gram.kernel, Linear) and isinstance(gram.factored, Features))


def _share_out(
    work: Callable[[int, int, Vector], None], efforts: Vector, begins: Indices, room: int, jobs: int, shares: int
) -> None:
    """Call ``work(first, stop, memory)`` for ranges of machines from some of ``begins`` on, in threads if it pays.

    ``efforts`` are the multiplications of each machine, ``room`` the numbers of memory for each thread, and ``shares``
    the ranges that it has.
    """
    whole = float(efforts.sum())
    count = min(threads(jobs, whole), begins.size)
    if count == 1:
        work(int(begins[0]), efforts.size, np.empty(room))
        return
    done = np.concatenate([[0.0], np.cumsum(efforts)])[begins]
    wanted = np.arange(shares * count) * (whole / (shares * count))
    edges = np.unique([*begins[[0]], *begins[np.searchsorted(done, wanted).clip(max=begins.size - 1)], efforts.size])
    ranges = iter([(int(first), int(stop)) for first, stop in pairwise(edges)])

    def run(number: int, part: slice) -> None:
        del number, part
        memory = np.empty(room)
        for first, stop in ranges:
            work(first, stop, memory)

    in_parts(run, count, 1, asked=count)


def solve_each(
    gram: Gram, machines: Sequence[Machine], tol: float, memory: int, jobs: int
) -> Iterator[tuple[int, Fitted | Start]]:
    """Yield the answer of each machine, or the start from which it is to go on, each after the one that it starts from.

    One on the samples of another takes up its rows and its answer, if it comes next; others start from the answer.
    """
    found: dict[int, Vector] = {}
    for stage in _stages(machines):
        for paired in (True, False):
            chosen = [(k, follows) for k, follows in stage if (machines[k].program.total is not None) is paired]
            if not chosen:
                continue
            numbers = [k for k, _ in chosen]
            programs = [machines[k].program for k in numbers]
            stated = KernelQPs(
                gram,
                np.concatenate([machines[k].samples for k in numbers]),
                np.cumsum([0, *(program.size for program in programs)]),
                np.concatenate([program.as_rows() for program in programs], axis=1),
                np.array([program.total for program in programs]) if paired else None,
                np.array([follows for _, follows in chosen]),
                [_NOBODY if (some := machines[k].held_out) is None else some for k in numbers],
                np.concatenate([_begin(machines, k, found) for k in numbers]),
            )
            solved = solve_kernel_qps(stated, tol=tol, memory=memory, jobs=jobs)
            if solved is None:
                yield from ((k, Start()) for k in numbers)
                continue
            proved = solved.proved(tol)
            for place, k in enumerate(numbers):
                found[k] = solved.beta[stated.rows(place)]
                start = Start(found[k], int(solved.steps[place]), solved.seconds / len(numbers))
                if not proved[place]:
                    yield k, start
                    continue
                fitted = solved.fitted(place, tol)
                yield k, fitted if machines[k].held_out is not None else replace(fitted, held_out=None)


_NOBODY = np.empty(0, np.intp)


def _stages(machines: Sequence[Machine]) -> list[list[tuple[int, bool]]]:
    """Return the numbers of machines that may be solved at once, and whether each follows the one before it."""
    stage_of: dict[int, int] = {}
    last: dict[int, int] = {}
    chains: dict[int, list[tuple[int, bool]]] = {}
    head: dict[int, int] = {}
    for number, machine in enumerate(machines):
        before = machine.after
        if before is not None and last.get(head[before]) == before and _follows(machine, machines[before]):
            head[number], stage_of[number] = head[before], stage_of[before]
        else:
            head[number], stage_of[number] = number, 0 if before is None else stage_of[before] + 1
        first = head[number]
        last[first] = number
        chains.setdefault(first, []).append((number, number != first))
    stages: list[list[tuple[int, bool]]] = [[] for _ in range(max(stage_of.values(), default=-1) + 1)]
    for first, chain in chains.items():
        stages[stage_of[first]] += chain
    return stages


def _follows(machine: Machine, before: Machine) -> bool:
    """Return whether a multiple of the answer before is feasible, on the same samples."""
    totals = machine.program.total, before.program.total
    return totals in ((0.0, 0.0), (None, None)) and np.array_equal(machine.samples, before.samples)


def _begin(machines: Sequence[Machine], number: int, found: Mapping[int, Vector]) -> Vector:
    """Return the feasible point near 0, or near the answer of the machine before at the samples that both have."""
    machine = machines[number]
    known = None if machine.after is None else found.get(machine.after)
    if machine.after is None or known is None:
        return machine.program.project(np.zeros(machine.program.size))
    return machine.program.project(carried(machine, machines[machine.after], known))
