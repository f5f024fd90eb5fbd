# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a mixture of kernel matrices, and block descent with them; it loads the compiler."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Floats, Indices, Matrix, Vector
from qpkernels.problems import KernelQP
from qpkernels.solvers.smo.descent import DescentLimits, PairDescent, descend, forms_matrix, streamed_rows
from qpkernels.solvers.smo.iterate import GapError, measure
from qpkernels.solvers.smo.rows import ONE_BLOCK, MatrixRows, Memory, SampleRows
from qpkernels.solvers.smo.solver import CACHE_SIZE, step_limit
from qpkernels.solvers.smo.steps import Block

__all__ = ["MixedRows"]

_STRIP = 32
"""Rows that are mixed at once: they stay in a processor's cache."""


class MixedRows(SampleRows):
    """The rows of sum_j eta_j K_j, of those of the K_j, whose products with beta are brought up to date with them.

    Attributes
    ----------
    eta
        The weights. No row of a kernel is made that never had one.
    products
        K_j beta, a row each, of those with a weight.
    """

    def __init__(self, programs: Sequence[KernelQP]) -> None:
        self._programs, self._size = programs, programs[0].size
        self._parts: dict[int, SampleRows] = {}
        self._whole: Block | None = None
        self._memory: Floats = np.empty(0)
        self.eta, self.products = np.empty(0), np.empty((0, 0))

    def mix(self, eta: Vector, products: Matrix) -> None:
        """Take other weights, and the products of where it goes on."""
        self.products = products
        if np.array_equal(eta, self.eta):
            return
        self.eta, self._whole = eta, None
        for j in np.flatnonzero(eta).tolist():
            if j not in self._parts:
                self._parts[j] = self._rows(j)
        self.block_size = min(part.block_size for _, part in self._used)

    def _rows(self, j: int) -> SampleRows:
        alone = self._programs[j]
        if forms_matrix(alone) or alone.gram.is_formed:
            return MatrixRows(alone.gram.dense)
        rows = next(streamed_rows(alone, Memory(int(2**20 * CACHE_SIZE / self.eta.size))))
        return MatrixRows(rows.block(np.arange(self._size)).source) if self._size <= ONE_BLOCK else rows

    @property
    def _used(self) -> list[tuple[int, SampleRows]]:
        return [(j, part) for j, part in self._parts.items() if self.eta[j]]

    @property
    def exact(self) -> bool:
        """Whether all rows are made in float64."""
        return all(part.exact for part in self._parts.values())

    def one_block(self) -> Block | None:
        """Return the whole mixture, where the samples are few enough."""
        if self._size > ONE_BLOCK:
            return None
        if self._whole is None:
            self._whole = self._mixed([(j, part.one_block()) for j, part in self._used])
        return self._whole

    def block(self, chosen: Indices) -> Block:
        """Return the mixture between the ``chosen`` samples; the next one is written over it."""
        return self._mixed([(j, part.block(chosen)) for j, part in self._used])

    def _mixed(self, blocks: Sequence[tuple[int, Block | None]]) -> Block:
        entries = [(float(self.eta[j]), block.matrix) for j, block in blocks if block is not None]
        n, dtype = len(entries[0][1]), np.result_type(*(K for _, K in entries))
        if self._memory.size < n * n or self._memory.dtype != dtype:
            self._memory = np.empty(n * n, dtype)
        mixed = self._memory[: n * n].reshape(n, n)
        (first, start), *others = entries
        for begin in range(0, n, _STRIP):
            strip = slice(begin, begin + _STRIP)
            np.multiply(start[strip], first, out=mixed[strip])
            for weight, K in others:
                mixed[strip] += weight * K[strip]
        return Block.whole(mixed)

    def among(self, chosen: Indices) -> Matrix:
        """Return the entries between some samples, in float64."""
        if chosen.size > ONE_BLOCK:
            entries = [self.eta[j] * self._programs[j].gram.entries(chosen) for j, _ in self._used]
            return np.asarray(np.sum(entries, axis=0))
        whole = self.one_block()
        K = self.block(chosen).source if whole is None else whole.source[np.ix_(chosen, chosen)]
        return K.astype(np.float64)

    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        """Add what ``chosen`` rows do to the values, and to the products."""
        for j, part in self._used:
            sums = np.zeros(values.size)
            part.add(chosen, delta, visits, sums)
            self.products[j] += sums
            values += self.eta[j] * sums

    def add_to(self, columns: Indices | slice, chosen: Indices, delta: Vector, values: Vector) -> None:
        """Add the same to the values of some samples alone."""
        for j, part in self._used:
            part.add_to(columns, chosen, self.eta[j] * delta, values)

    def part(self, samples: Indices) -> SampleRows:
        """Refuse: the products are those of all samples, so that none is left out."""
        raise AssertionError(f"{samples.size} samples alone")

    def descended(self, left: KernelQP, beta: Vector, accuracy: float, deadline: float) -> Vector:
        """Return a point that is optimal to that accuracy at these weights, from beta on, and keep its products."""
        search = PairDescent(left, self, beta, self.eta @ self.products)
        limits = DescentLimits(accuracy, step_limit(left), deadline, shrinking=False)
        for iterate in descend(search, limits, trusted=True):
            if iterate.proves(accuracy) or limits.over(search.steps):
                break
        found = search.point()[0]
        if search.in_one_block:
            self.follow(beta, found)
        return found

    def error(self, left: KernelQP, beta: Vector, tol: float) -> float:
        """Return what float32 may have done to the relative gap of a point, whose products these are."""
        error, values = GapError(left, tol, self.exact), self.eta @ self.products
        error.update(measure(left, beta, values, 0), values, np.arange(beta.size))
        return error.value

    def follow(self, before: Vector, beta: Vector) -> None:
        """Bring the products up to date with beta, whose change was not added yet."""
        changed = np.flatnonzero(beta != before)
        if changed.size:
            for j, part in self._used:
                part.add_to(slice(None), changed, (beta - before)[changed], self.products[j])
