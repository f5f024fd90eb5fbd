# SPDX-License-Identifier: BSD-3-Clause
r"""A partial Cholesky decomposition K ~ Z Z' with pivots that are drawn at random, or the largest, several at a time.

After k pivots S the factor Z = K_{:S} L^{-T}, with K_SS = L L', leaves the residual K - Z Z', positive semidefinite,
whose diagonal d is what tells the next pivots. The random ones are drawn with probabilities d_i / sum d, which brings
the trace of the residual to within 1 + eta of that of the best approximation of rank s with about s / eta pivots; the
largest d_i is greedy.

The columns of one pivot after another would be a visit of all samples for each. So a number of candidates is drawn from
d as it is, and their own residual matrix H, which is small, tells which of them would have been drawn one by one: with
h_ii the residual of a candidate after those accepted before it, it is accepted with probability h_ii / d_i. Among
greedy candidates, the largest d_i, the largest h_ii is a pivot as long as no other sample has a larger d_i.

Sources: Chen, Epperly, Tropp and Webber, Randomly pivoted Cholesky (Comm. Pure Appl. Math., 2025); Epperly, Tropp and
Webber, Embrace rejection: kernel matrix approximation by accelerated randomly pivoted Cholesky (2024).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from qpkernels.arrays import Indices, Matrix, Samples, Vector
from qpkernels.errors import IndefiniteKernelError
from qpkernels.gram.features import Features
from qpkernels.gram.low_rank.sources import BlockSource
from qpkernels.kernels.kernel import Kernel

__all__ = ["PartialCholesky", "partial_cholesky"]

_LEAST = 1e-12
"""A pivot below this share of max K_ii, or a trace of the residual below it, is rounding."""

_ROUNDS = 6
"""Candidates are so large a share of the rank: more waste their columns, fewer take more visits of the samples."""

_NEGATIVE = 1e-8
"""A residual below minus this share of max K_ii is no rounding: the kernel is not positive semidefinite."""


class PartialCholesky(NamedTuple):
    """K ~ Z Z'.

    Attributes
    ----------
    factor
        Z, shape (m, r).
    residual
        The diagonal of K - Z Z', at least 0, shape (m,).
    pivots
        The numbers of the r pivots.
    landmarks
        These samples.
    """

    factor: Features
    residual: Vector
    pivots: Indices
    landmarks: Samples


def partial_cholesky(
    kernel: Kernel, source: BlockSource, rank: int, trace_error: float, generator: np.random.Generator | None
) -> PartialCholesky:
    """Return the decomposition of that rank, or less where the residual is at most ``trace_error`` of the trace before.

    Parameters
    ----------
    generator
        Draws the pivots; None: they are the largest.

    Raises
    ------
    IndefiniteKernelError
        If a residual is negative beyond rounding.
    """
    state = _PivotState(kernel, source, rank)
    while state.rank < rank and state.residual.sum() > max(trace_error, _LEAST) * state.trace:
        count = min(max(rank // _ROUNDS, 10), len(source))
        drawn = state.largest(count) if generator is None else state.draw(count, generator)
        if not state.add_some_of(drawn, generator, rank - state.rank):
            break
    pivots = np.array(state.pivots, dtype=np.intp)
    return PartialCholesky(state.factor.finished(), state.residual, pivots, source.take(pivots))


@dataclass(frozen=True, eq=False)
class _PivotColumns:
    """The columns of some pivots: L^{-1} (k(z_j, x) - <row of z_j, row of x>), and their squares added up."""

    kernel: Kernel
    landmarks: Samples
    known: Matrix
    triangle: Matrix

    def __call__(self, samples: Samples, before: Matrix) -> tuple[Matrix, Vector]:
        columns = self.kernel.matrix(self.landmarks, samples)
        columns -= self.known @ before.T
        own = solve_triangular(self.triangle, columns, lower=True, overwrite_b=True, check_finite=False)
        return own.T, np.einsum("ij,ij->j", own, own)


class _PivotState:
    def __init__(self, kernel: Kernel, source: BlockSource, rank: int) -> None:
        self.kernel, self.source, self.rank = kernel, source, 0
        self.factor, self.residual = source.factor(rank), source.diagonal(kernel)
        self.trace, self.largest_entry = float(self.residual.sum()), float(self.residual.max())
        self.pivots: list[int] = []

    def draw(self, count: int, generator: np.random.Generator) -> Indices:
        """Return candidates, each drawn with the probabilities d_i / sum d."""
        edges = np.cumsum(self.residual)
        drawn = np.searchsorted(edges, generator.random(count) * edges[-1], side="right")
        return np.asarray(np.minimum(drawn, len(edges) - 1), dtype=np.intp)

    def largest(self, count: int) -> Indices:
        """Return the candidates with the largest residuals in order of their numbers, among equal ones the first."""
        least = np.partition(self.residual, -count)[-count]
        above = np.flatnonzero(self.residual > least)
        equal = np.flatnonzero(self.residual == least)[: count - above.size]
        return np.sort(np.concatenate([above, equal]))

    def add_some_of(self, drawn: Indices, generator: np.random.Generator | None, most: int) -> bool:
        """Add the columns of those candidates that become pivots, and return whether there are any."""
        samples, known = self.source.take(drawn), self.factor.rows(drawn)
        H = self.kernel.matrix(samples, samples) - known @ known.T
        accepted = np.array(list(self._accept(drawn, H.copy(), generator))[:most], dtype=np.intp)
        if accepted.size:
            triangle = np.asarray(np.linalg.cholesky(H[np.ix_(accepted, accepted)]), dtype=np.float64)
            self._add(drawn[accepted], _PivotColumns(self.kernel, samples[accepted], known[accepted], triangle))
        return accepted.size > 0

    def _accept(self, drawn: Indices, H: Matrix, generator: np.random.Generator | None) -> Iterator[int]:
        """Yield the places of those candidates that become pivots, in their order, given their residual matrix."""
        first, least = self.residual[drawn], _LEAST * self.largest_entry
        others = 0.0
        if generator is None and drawn.size < len(self.residual):
            others = float(np.partition(-self.residual, drawn.size)[drawn.size]) * -1.0
        for place in range(drawn.size):
            i = int(np.argmax(H.diagonal())) if generator is None else place
            pivot = H[i, i]
            if generator is None and pivot < max(others, least):
                return
            if pivot <= least or (generator is not None and generator.random() * first[i] >= pivot):
                continue
            yield i
            column = H[:, i] / np.sqrt(pivot)
            H -= np.outer(column, column)
            # What is left of it is rounding, which must not be drawn once more.
            H[i, :] = H[:, i] = 0.0

    def _add(self, rows: Indices, columns: _PivotColumns) -> None:
        self.residual -= self.factor.extend(columns, rows.size)
        self.rank += rows.size
        self.pivots += rows.tolist()
        smallest = float(self.residual.min())
        if smallest < -_NEGATIVE * self.largest_entry:
            raise IndefiniteKernelError(
                f"{self.kernel!r} has no factor of low rank: K - Z Z' has the diagonal entry {smallest:.6g} (largest "
                f"of K {self.largest_entry:.6g}), so K is not positive semidefinite; take another kernel.",
                smallest,
            )
        np.maximum(self.residual, 0.0, out=self.residual)
        self.residual[rows] = 0.0
