# SPDX-License-Identifier: BSD-3-Clause
"""Many KernelQPs on samples of one kernel matrix, as arrays: stated, solved and judged without an object for each.

A machine costs what its numbers take: its program, its certificate and its answer become objects when somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector, frozen, is_sparse
from qpkernels.arrays.threads import in_parts, threads
from qpkernels.families.batch.loops import MachineArrays, Points, judge_each, solve_pairs, solve_singles
from qpkernels.families.batch.machine import Fitted
from qpkernels.gram import Gram
from qpkernels.gram.panels.products import EXPONENT_ERROR
from qpkernels.gram.panels.samples import DenseProduct, make_product
from qpkernels.problems import Certificate, KernelQP
from qpkernels.problems.certificate import certify_values
from qpkernels.problems.kernel_qp.bounds import worst_sample
from qpkernels.problems.rounding import EPS
from qpkernels.solvers.interface import Claim, Outcome

__all__ = ["KernelQPs", "Solved", "solve_kernel_qps"]

_GOAL = 0.9
"""Part of the tolerance that a descent goes for; the rest is for rounding."""

_WAKING = 2e6
"""Squares of sizes, added up, that are worth a second thread."""

_SHARES = 8
"""Parts of the work for each thread, so that none waits long for another."""

_WIDE = 256
"""Features up to which a kernel value is made as fast as it is read."""


@dataclass(frozen=True, eq=False)
class KernelQPs:
    """KernelQPs with sum 0, or without b, on samples of one kernel matrix.

    Attributes
    ----------
    gram
        The kernel matrix.
    samples, starts
        Numbers of the samples of each machine, one machine after the other, and where each begins: machine p has
        ``samples[starts[p]:starts[p + 1]]``.
    terms
        What the samples add to each, shape (5, samples of all machines): target, epsilon, ridge, lower, upper.
    intercept
        Whether there is a b.
    follows
        Whether a machine has the samples of the one before, and takes up its answer; None: none does.
    held_out
        For each machine the numbers of further samples at which its decision values are wanted; None: of none.
    """

    gram: Gram
    samples: Indices
    starts: Indices
    terms: Matrix
    intercept: bool
    follows: NDArray[np.bool_] | None = None
    held_out: Sequence[Indices] | None = None

    @classmethod
    def of(cls, program: KernelQP) -> KernelQPs:
        """Return the one machine that a program is."""
        m = program.size
        terms = np.array((program.target, program.epsilon, program.ridge, program.lower, program.upper))
        return cls(program.gram, np.arange(m), np.array([0, m]), terms, program.total is not None)

    def __len__(self) -> int:
        """Return the number of machines."""
        return self.starts.size - 1

    def rows(self, number: int) -> slice:
        """Return where the arrays have a machine."""
        return slice(int(self.starts[number]), int(self.starts[number + 1]))

    def program(self, number: int) -> KernelQP:
        """Return a machine as a problem of its own."""
        rows = self.rows(number)
        target, epsilon, ridge, lower, upper = self.terms[:, rows]
        gram = self.gram.part(self.samples[rows])
        return KernelQP(gram, target, lower, upper, 0.0 if self.intercept else None, epsilon, ridge)


@dataclass(frozen=True, eq=False)
class Solved:
    """The answers to KernelQPs, and what is proved of each; every array has an entry for each machine but the first.

    Attributes
    ----------
    programs
        The problems.
    beta, values
        The points, and K beta in float64, one machine after the other.
    intercepts, steps
        b of each, and the steps taken.
    primal_values, dual_values, rounding
        Bounds of each optimum, and what rounding may have changed in both together.
    worst, largest
        The sample of each that adds most to the gap, and what it adds.
    imbalance
        How far 1'beta is from 0, as a share of its terms.
    held_out
        f(x) + b at the samples held out, one array a machine.
    seconds
        That all took together.
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

    def proved(self, tol: float) -> NDArray[np.bool_]:
        """Return which certificates hold at ``tol``; see :meth:`~qpkernels.problems.Certificate.holds`."""
        scale = np.maximum(np.abs(self.primal_values), np.abs(self.dual_values))
        return (np.maximum(self.relative_gaps, self.imbalance) <= tol) & (np.abs(self.largest) <= tol * scale)

    @cached_property
    def relative_gaps(self) -> Vector:
        """The relative gap of each, as its certificate has it."""
        scale = np.maximum(np.abs(self.primal_values), np.abs(self.dual_values))
        gaps = np.abs(self.primal_values - self.dual_values) + self.rounding
        return np.asarray(np.divide(gaps, scale, out=np.full(gaps.size, np.inf), where=scale > 0))

    def point(self, number: int) -> tuple[Vector, Vector]:
        """Return beta and f + b at the samples of a machine."""
        rows = self.programs.rows(number)
        return self.beta[rows], self.values[rows] + self.intercepts[number]

    def fitted(self, number: int, tol: float) -> Fitted:
        """Return the answer of a machine that is proved to ``tol``."""
        rows, proof = self.programs.rows(number), self.certificate(number, tol)
        outcome = Outcome(
            self.beta[rows],
            self.intercepts[number : number + 1] if self.programs.intercept else np.array([]),
            Claim.OPTIMAL,
            f"relative gap {proof.relative_gap:.1e}",
            int(self.steps[number]),
            self.values[rows],
            "smo",
            self.seconds / len(self.programs),
        )
        return Fitted(outcome, proof, self.held_out[number] if self.held_out else None)

    def certificate(self, number: int, tol: float) -> Certificate:
        """Return what is proved of a machine that was to be proved to ``tol``."""
        rows, worst = self.programs.rows(number), int(self.worst[number])
        at = rows.start + worst
        proof = certify_values(
            float(self.primal_values[number]),
            float(self.dual_values[number]),
            dual_residual=float(self.imbalance[number]),
            rounding=float(self.rounding[number]),
            largest=float(self.largest[number]),
            worst=worst_sample(worst, self.programs.terms[0, at], self.beta[at], self.largest[number]),
        )
        return replace(proof, asked=tol)


def solve_kernel_qps(programs: KernelQPs, *, tol: float, memory: int, jobs: int) -> Solved | None:
    """Lower the relative gap of all machines to ``tol``, as far as few steps do that; None: they are not of the kind.

    That is one of dense samples, and of a kernel whose values are made of inner products in float64 without loss.

    Parameters
    ----------
    programs
        The problems.
    tol
        Bound on the relative duality gap of each.
    memory
        Bytes that kernel values may take, for each thread.
    jobs
        Threads, at most.
    """
    begun, gram, sizes = perf_counter(), programs.gram, np.diff(programs.starts)
    room = int(sizes.max()) ** 2
    product = _product(gram) if 8 * room <= memory else None
    if product is None:
        return None
    held_out = [] if programs.held_out is None else list(programs.held_out)
    ends = np.cumsum([0, *(each.size for each in held_out)]) if held_out else np.zeros(len(programs) + 1, np.intp)
    arrays = MachineArrays(
        *_by_feature(product),
        gram.diagonal,
        programs.samples,
        programs.starts,
        np.ascontiguousarray(programs.terms),
        np.zeros(len(programs), np.bool_) if programs.follows is None else programs.follows,
        np.concatenate(held_out) if held_out else np.empty(0, np.intp),
        ends,
    )
    beta, values = np.zeros((2, programs.samples.size))
    points = Points(beta, values, np.zeros(int(ends[-1])), np.zeros(len(programs)), np.zeros(len(programs), np.intp))
    solve = solve_pairs if programs.intercept else solve_singles

    def work(first: int, stop: int, space: Vector) -> None:
        solve(arrays, first, stop, _GOAL * tol, space, points)

    _share_out(work, arrays, room, jobs)
    sums = np.empty((len(_Sums._fields), len(programs)))
    judge_each(arrays, points, gram.lengths, programs.intercept, sums)
    known = _Sums(*sums)
    return Solved(
        programs,
        points.beta,
        points.values,
        points.intercepts,
        points.steps,
        primal_values=0.5 * known.squared_norm + known.losses,
        dual_values=known.linear - known.costs - 0.5 * known.squared_norm,
        rounding=np.sqrt(known.squared_errors)
        + np.sqrt(sizes) * EPS * (known.losses + known.linear_sizes + known.costs)
        + known.half_norm
        + (np.abs(known.imbalance) * known.reach if programs.intercept else 0.0),
        worst=known.worst.astype(np.intp),
        largest=known.largest,
        imbalance=np.divide(np.abs(known.imbalance), known.size, out=np.zeros(len(programs)), where=known.size > 0)
        if programs.intercept
        else np.zeros(len(programs)),
        held_out=[points.outside[ends[p] : ends[p + 1]] + points.intercepts[p] for p in range(len(held_out))],
        seconds=perf_counter() - begun,
    )


class _Sums(NamedTuple):
    """The sums of the certificates, an entry for each machine, as ``GapTerms`` has those of one."""

    squared_norm: Vector
    half_norm: Vector
    losses: Vector
    linear: Vector
    costs: Vector
    linear_sizes: Vector
    squared_errors: Vector
    imbalance: Vector
    reach: Vector
    worst: Vector
    largest: Vector
    vanishing: Vector
    size: Vector


def _product(gram: Gram) -> DenseProduct | None:
    """Return the features of the samples in the product form of the kernel, where float64 holds its values."""
    kernel = gram.kernel
    if not kernel.positive_semidefinite or is_sparse(gram.X) or gram.factored is not None:
        return None
    form = kernel.product_form(gram.X)
    if form is None or gram.X.shape[1] > _WIDE:
        return None
    product = make_product(form, gram.X, np.float64)
    assert isinstance(product, DenseProduct)
    return product if product.largest * EPS <= EXPONENT_ERROR else None


def _by_feature(product: DenseProduct) -> tuple[Matrix, Vector, int]:
    features, offsets, degree = product.by_feature(np.arange(product.size))
    return frozen(features), offsets, degree


def _share_out(work: Callable[[int, int, Vector], None], arrays: MachineArrays, room: int, jobs: int) -> None:
    """Call ``work(first, stop, memory)`` for ranges of machines that none of another follows, in threads if it pays."""
    efforts = np.diff(arrays.starts).astype(np.float64) ** 2
    whole, begins = float(efforts.sum()), np.flatnonzero(~arrays.follows)
    count = min(jobs, threads(), begins.size) if whole > _WAKING else 1
    if count == 1:
        work(0, efforts.size, np.empty(room))
        return
    done = np.concatenate([[0.0], np.cumsum(efforts)])[begins]
    wanted = np.arange(_SHARES * count) * (whole / (_SHARES * count))
    edges = np.unique([0, *begins[np.searchsorted(done, wanted).clip(max=begins.size - 1)], efforts.size])
    ranges = iter([(int(first), int(stop)) for first, stop in pairwise(edges)])

    def run(number: int, part: slice) -> None:
        del number, part
        memory = np.empty(room)
        for first, stop in ranges:
            work(first, stop, memory)

    in_parts(run, count, 1)
