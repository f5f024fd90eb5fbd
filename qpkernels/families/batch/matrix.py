# SPDX-License-Identifier: BSD-3-Clause
"""The kernel matrix that the machines of a batch share: in float32 to descend by, and in float64 for what is proved.

Each kernel value of K beta in float64, of which certificates and values on other samples are made, is made once and
serves all machines that have both samples. For two chunks of samples, the matrix between them times the coefficients on
the one is added to the values on the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from qpkernels.arrays import Floats, Indices, Matrix, Vector
from qpkernels.families.batch.machine import Machine
from qpkernels.gram import Gram
from qpkernels.gram.panels.products import EXPONENT_ERROR, PanelProduct
from qpkernels.gram.panels.samples import make_product

__all__ = ["Layout", "Tiles", "expansions", "shared_matrix", "tiles_of"]

_CHUNK = 1024
"""Most samples of a chunk: kernel values between two chunks are made at once."""

_SMALL = 128
"""Samples below which those of other machines may share a chunk."""

_TILE = 1024
"""Samples of a side of a tile."""

_WIDE = 64
"""Multiplications for a kernel value beyond which to copy it to the other half costs less than to make it again."""

_SINGLE_ERROR = 1e-2
"""Error of an exponent beyond which float32 tells too little of the kernel matrix to be worth a descent."""

_FEW = 0.5
"""Part of the samples of a chunk below which the matrix is made for those alone whose coefficients are not 0."""

Apply = Callable[[Callable[[int], None], int], None]
"""Calls a function with each of so many numbers, in any order and side by side."""


@dataclass(frozen=True, eq=False)
class Layout:
    """An order of samples: those that the same machines use follow each other, as classes and folds do.

    Attributes
    ----------
    order
        The numbers of the samples in the shared matrix.
    trained
        How many of them machines are trained on; they come first.
    chunks
        Edges of parts of them that are used by the same machines, as far as that leaves parts of a fair size.
    columns
        For each machine, where its samples are in this order, ascending.
    inside
        For each machine, which of its samples that is.
    places
        For each machine, where its samples are, in the machine's order.
    held_out
        For each machine, where the samples held out are, in the machine's order.
    """

    order: Indices
    trained: int
    chunks: Indices
    columns: tuple[Indices, ...]
    inside: tuple[Indices, ...]
    places: tuple[Indices, ...]
    held_out: tuple[Indices, ...]

    @classmethod
    def of(cls, machines: Sequence[Machine], size: int) -> Layout:
        """Return the layout of ``machines`` on some of ``size`` samples."""
        signatures, held = np.zeros(size, np.uint64), [_held_out(machine) for machine in machines]
        marks = np.random.default_rng(0).integers(1, 2**63, (2, len(machines)), dtype=np.uint64)
        for machine, out, (own, other) in zip(machines, held, marks.T, strict=True):
            signatures[machine.samples] += own
            signatures[out] += other
        used = np.flatnonzero(signatures)
        trained = np.zeros(size, bool)
        for machine in machines:
            trained[machine.samples] = True
        order = used[np.lexsort((signatures[used], ~trained[used]))]
        place = np.full(size, -1, np.intp)
        place[order] = np.arange(order.size)
        inside = tuple(np.argsort(place[machine.samples]) for machine in machines)
        return cls(
            order=order,
            trained=int(trained.sum()),
            chunks=_chunks(np.flatnonzero(np.diff(signatures[order])) + 1, order.size),
            columns=tuple(place[machine.samples][at] for machine, at in zip(machines, inside, strict=True)),
            inside=inside,
            places=tuple(place[machine.samples] for machine in machines),
            held_out=tuple(place[out] for out in held),
        )


def _held_out(machine: Machine) -> Indices:
    return np.empty(0, np.intp) if machine.held_out is None else machine.held_out


def _chunks(changes: Indices, size: int) -> Indices:
    """Return edges of chunks that end where the machines change, unless the chunk would be small."""
    edges = [0]
    for change in [*changes.tolist(), size]:
        if change - edges[-1] >= _SMALL or change == size:
            parts = -(-(change - edges[-1]) // _CHUNK)
            edges += [edges[-1] + (change - edges[-1]) * k // parts for k in range(1, parts + 1)]
    return np.unique(edges).astype(np.intp)


class Tiles(ABC):
    """The kernel matrix of some samples, made a tile at a time by any thread."""

    dtype: np.dtype[Any] = np.dtype(np.float64)
    width = 1
    """Multiplications that one kernel value takes."""

    @abstractmethod
    def tile(self, rows: Indices | slice, columns: Indices | slice) -> Floats:
        """Return K between samples of these numbers."""


class ProductTiles(Tiles):
    """From features in compiled code."""

    def __init__(self, product: PanelProduct) -> None:
        self._product, self.dtype, self.width = product, product.dtype, product.width

    def tile(self, rows: Indices | slice, columns: Indices | slice) -> Floats:
        left, right = self._product.part(rows), self._product.part(columns)
        block = np.empty((left.size, right.size), self.dtype)
        left.make_block(right.centers(), np.arange(left.size), block)
        return block


class MatrixTiles(Tiles):
    """From the whole matrix."""

    def __init__(self, matrix: Floats, order: Indices) -> None:
        self._matrix, self._order = matrix, order

    def tile(self, rows: Indices | slice, columns: Indices | slice) -> Floats:
        return np.ascontiguousarray(self._matrix[np.ix_(self._order[rows], self._order[columns])])


class KernelTiles(Tiles):
    """From any kernel."""

    def __init__(self, gram: Gram) -> None:
        self._gram = gram

    def tile(self, rows: Indices | slice, columns: Indices | slice) -> Floats:
        return self._gram.entries(rows, columns)


def tiles_of(gram: Gram, order: Indices, dtype: DTypeLike) -> Tiles | None:
    """Return tiles of the matrix of ``order``, a part of ``gram``; None: float32 would tell too little of it."""
    single = np.dtype(dtype) == np.float32
    if gram.is_formed or gram.correction is not None:
        return MatrixTiles(gram.dense, order)
    part = gram.part(order)
    form, X = part.panels()
    if form is None:
        return KernelTiles(part)
    product = make_product(form, X, dtype)
    unit = float(np.finfo(product.dtype).eps)
    if product.largest * unit <= (_SINGLE_ERROR if single else EXPONENT_ERROR):
        return ProductTiles(product)
    return None if single else KernelTiles(part)


def shared_matrix(tiles: Tiles, size: int, apply: Apply) -> Floats:
    """Return the matrix of all samples in float32."""
    K = np.empty((size, size), np.float32)
    edges = [*range(0, size, _TILE), size]
    parts = [slice(start, stop) for start, stop in pairwise(edges)]
    halves = tiles.width >= _WIDE
    pairs = [(a, b) for k, a in enumerate(parts) for b in (parts[k:] if halves else parts)]

    def work(number: int) -> None:
        rows, columns = pairs[number]
        tile = tiles.tile(rows, columns)
        K[rows, columns] = tile
        if halves and rows != columns:
            K[columns, rows] = tile.T

    apply(work, len(pairs))
    return K


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
    """Return K beta at the samples and f at those held out, for the machines of these ``numbers``."""
    columns, held_out = [layout.columns[k] for k in numbers], [layout.held_out[k] for k in numbers]
    has = np.stack([_touched(each, layout.chunks) for each in columns], axis=1)
    wants = has | np.stack([_touched(np.sort(each), layout.chunks) for each in held_out], axis=1)
    chunks = [
        _Chunk(start, stop, np.flatnonzero(having), np.flatnonzero(wanting), len(numbers))
        for (start, stop), having, wanting in zip(pairwise(layout.chunks.tolist()), has, wants, strict=True)
    ]
    for machine, (number, each) in enumerate(zip(numbers, columns, strict=True)):
        beta = betas[machine][layout.inside[number]]
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
        own = np.empty(each.size)
        own[layout.inside[numbers[machine]]] = values[each]
        answers.append((own, values[out]))
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
