# SPDX-License-Identifier: BSD-3-Clause
"""K beta of many machines at once, in float64: what their certificates and their values on other samples are made of.

Each kernel value is made once and serves all machines that have both samples. Of two chunks of samples, the matrix
between them times the coefficients of these machines on the one is added to their values on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.batch.matrix.layout import Layout
from qpkernels.batch.matrix.tiles import Tiles

__all__ = ["expansions"]

_FEW = 0.5
"""Part of the samples of a chunk below which the matrix is made for those alone whose coefficients are not 0."""

Apply = Callable[[Callable[[int], None], int], None]
"""Calls a function with each of so many numbers, in any order and side by side."""


class _Chunk:
    """A part of the samples, with the coefficients and values of the machines that use it, a column each."""

    def __init__(self, start: int, stop: int, having: Indices, wanting: Indices, machines: int) -> None:
        self.rows = slice(start, stop)
        self.coefficients: Matrix = np.zeros((stop - start, having.size))
        # Sums over the chunks before and after in two arrays: then no two threads add to one of them at once.
        shape = stop - start, wanting.size
        self.sums: tuple[Matrix, Matrix] = np.zeros(shape), np.zeros(shape)
        self.having, self.wanting = having, wanting
        self._column, self._place = np.full(machines, -1), np.full(machines, -1)
        self._column[having], self._place[wanting] = np.arange(having.size), np.arange(wanting.size)

    def taken(self, machines: Indices) -> tuple[Indices, Matrix]:
        """Return the rows where a coefficient of ``machines`` is not 0, or all where most are, and the coefficients."""
        beta = self.coefficients[:, self._column[machines]]
        (used,) = np.nonzero(beta.any(axis=1))
        return (used, beta[used]) if used.size < _FEW * len(beta) else (np.arange(len(beta)), beta)

    def add(self, machines: Indices, sums: Matrix, side: int) -> None:
        """Add to the values of ``machines``."""
        self.sums[side][:, self._place[machines]] += sums

    def values(self, machine: int) -> Vector:
        """Return the values of a machine."""
        at = self._place[machine]
        return np.asarray(self.sums[0][:, at] + self.sums[1][:, at])


def expansions(
    tiles: Tiles, layout: Layout, numbers: Sequence[int], betas: Sequence[Vector], apply: Apply
) -> list[tuple[Vector, Vector]]:
    """Return K beta at the samples and f at those held out, for the machines of these ``numbers``.

    ``betas`` are in the order of the layout.
    """
    columns, held_out = [layout.columns[k] for k in numbers], [layout.held_out[k] for k in numbers]
    has = np.stack([_touched(each, layout.chunks) for each in columns], axis=1)
    wants = has | np.stack([_touched(np.sort(each), layout.chunks) for each in held_out], axis=1)
    chunks = [
        _Chunk(start, stop, np.flatnonzero(having), np.flatnonzero(wanting), len(numbers))
        for (start, stop), having, wanting in zip(pairwise(layout.chunks.tolist()), has, wants, strict=True)
    ]
    for machine, (each, beta) in enumerate(zip(columns, betas, strict=True)):
        ends = np.searchsorted(each, layout.chunks)
        for k in np.flatnonzero(has[:, machine]):
            part, chunk = slice(ends[k], ends[k + 1]), chunks[k]
            chunk.coefficients[each[part] - chunk.rows.start, np.searchsorted(chunk.having, machine)] = beta[part]
    for step in range(len(chunks) // 2 + 1):
        count = len(chunks) if 2 * step < len(chunks) else len(chunks) // 2

        def work(k: int, step: int = step) -> None:
            _multiply(tiles, chunks[k], chunks[(k + step) % len(chunks)], has, wants, k, (k + step) % len(chunks))

        apply(work, count)
    values = np.zeros(layout.order.size)
    answers = []
    for machine, (each, out) in enumerate(zip(columns, held_out, strict=True)):
        for k in np.flatnonzero(wants[:, machine]):
            values[chunks[k].rows] = chunks[k].values(machine)
        answers.append((values[each], values[out]))
    return answers


def _multiply(
    tiles: Tiles, left: _Chunk, right: _Chunk, has: NDArray[np.bool_], wants: NDArray[np.bool_], a: int, b: int
) -> None:
    """Add what either chunk adds to the values on the other."""
    for_left, for_right = np.flatnonzero(wants[a] & has[b]), np.flatnonzero(wants[b] & has[a])
    if a == b:
        for_right = for_right[:0]
    of_right, of_left = right.taken(for_left), left.taken(for_right)
    size_left, size_right = len(left.coefficients), len(right.coefficients)
    if of_right[0].size == size_right and of_left[0].size == size_left and for_right.size and for_left.size:
        K = tiles.tile(left.rows, right.rows)
        left.add(for_left, K @ of_right[1], 0)
        right.add(for_right, K.T @ of_left[1], 1)
        return
    if of_right[0].size and for_left.size:
        left.add(for_left, _product(tiles, left.rows, right.rows.start + of_right[0], of_right[1]), 0)
    if of_left[0].size and for_right.size:
        right.add(for_right, _product(tiles, right.rows, left.rows.start + of_left[0], of_left[1]), 1)


def _product(tiles: Tiles, rows: slice, used: Indices, coefficients: Matrix) -> Matrix:
    return np.asarray(tiles.tile(rows, used) @ coefficients)


def _touched(columns: Indices, chunks: Indices) -> NDArray[np.bool_]:
    """Return which of the chunks hold any of the ``columns``, which are ascending."""
    return np.diff(np.searchsorted(columns, chunks)) > 0
