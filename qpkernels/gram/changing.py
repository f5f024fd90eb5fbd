# SPDX-License-Identifier: BSD-3-Clause
"""A kernel matrix whose samples come and go: entries are computed once, and products are updated from the last one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from qpkernels.arrays import Indices, Matrix, Samples, Vector, frozen, is_sparse
from qpkernels.arrays.threads import in_parts
from qpkernels.errors import NonFiniteError
from qpkernels.gram.definiteness import PSD_TOLERANCE, Formed, check_diagonal, kernel_matrix, require_symmetric
from qpkernels.gram.gram import BoundedProduct, Gram
from qpkernels.gram.panels.sums import Suffices

__all__ = [
    "ChangingGram",
    "FollowedProduct",
    "GrowingMatrix",
    "Stored",
    "changed",
    "stored",
]

_SPARE = 8
"""One row in so many is room for more: a larger matrix is copied after as many additions."""

_COLUMNS = 512
"""Columns that a thread sums at least."""

_READING = 4
"""Multiplications that take as long as reading an entry of a row."""


class Stored(NamedTuple):
    """Entries in memory: K_ij is ``matrix[slots[i], slots[j]]``."""

    matrix: Matrix
    slots: Indices

    def sums(self, samples: Indices, factors: Vector) -> Vector:
        """Return sum over c of factors_c K_cj over some ``samples`` c, for all j."""
        from qpkernels.gram.panels.loops import add_stored_rows

        rows, sums = self.slots[samples], np.zeros(int(self.slots.max()) + 1)
        in_parts(
            lambda _, part: add_stored_rows(self.matrix, rows, part.start, factors, sums[part]),
            sums.size,
            _COLUMNS,
            float(_READING) * samples.size * sums.size,
        )
        return np.asarray(sums[self.slots])


class GrowingMatrix:
    """A symmetric matrix in memory with room for more rows.

    A row, with its column, has a slot. The slot of a row that is gone is used again. Rows that are not in use are 0.

    Parameters
    ----------
    matrix
        The first rows, which occupy the first slots.
    """

    def __init__(self, matrix: Matrix) -> None:
        self._free: list[int] = []
        self.entries: Matrix = np.zeros((0, 0))
        self._resize(matrix, len(matrix))

    def _resize(self, matrix: Matrix, size: int) -> None:
        """Make room for ``size`` rows and some more; the first rows are those of ``matrix``."""
        capacity, known = size + size // _SPARE + _SPARE, len(matrix)
        before, self.entries = len(self.entries), np.zeros((capacity, capacity))
        self.entries[:known, :known] = matrix
        self._free = [*range(capacity - 1, max(before, known) - 1, -1), *self._free]

    def claim(self, count: int) -> Indices:
        """Return the given number of free slots, for rows to be written."""
        if count > len(self._free):
            self._resize(self.entries, len(self.entries) + count)
        return np.array([self._free.pop() for _ in range(count)], dtype=np.intp)

    def give_back(self, slots: Indices) -> None:
        """Let ``slots`` be used again."""
        self._free.extend(slots.tolist())

    def write(self, slots: Indices, others: Indices, rows: Matrix) -> None:
        """Write ``rows``, those in ``slots``, at the columns ``others``, and the same as columns."""
        self.entries[slots[:, None], others] = rows
        self.entries[others[:, None], slots] = rows.T

    def product(self, slots: Indices, v: Vector) -> Vector:
        """Return the product with v of the matrix in ``slots``, from the rows where v is not 0."""
        used = np.flatnonzero(v)
        return Stored(self.entries, slots).sums(used, v[used])

    def part(self, slots: Indices) -> Matrix:
        """Return a copy of the matrix in ``slots``."""
        return self.entries[np.ix_(slots, slots)]


_EPS = float(np.finfo(float).eps)

_WORSE = 8.0
"""Bounds, as multiples of those of a product made afresh, from which on it is made afresh."""

_SPARED = 2
"""It is made afresh, too, where this saves less than so many of the rows."""


class FollowedProduct:
    r"""The product K v of a :class:`GrowingMatrix` whose rows come and go, from the product before it, by its slots.

    With v = v0 + d, K v = K v0 + K d only takes the rows where d is not 0. The rounding error of K v0 remains in the
    result, and each update adds its own: in the terms of ``qpkernels.problems.rounding``, with l_i = sqrt(K_ii),

        sqrt(n) eps sum_j |d_j| l_j l_i  +  eps |K v|_i

    for the sum over n rows and for adding it. The product comes with these bounds, so that a certificate counts them.
    Once they are several times as large as those of a product computed from scratch, it is computed from scratch.
    """

    def __init__(self, memory: GrowingMatrix) -> None:
        self._memory = memory
        self.forget()

    def forget(self) -> None:
        """Compute the next product from scratch."""
        capacity = len(self._memory.entries)
        self._v, self._values, self._error = np.zeros(capacity), np.zeros(capacity), np.zeros(capacity)
        self._known = np.zeros(capacity, bool)

    def written(self, slots: Indices) -> None:
        """Take note that the rows in ``slots`` have changed."""
        if len(self._v) != len(self._memory.entries) or self._v[slots].any():
            self.forget()
        self._known[slots] = False

    def product(self, slots: Indices, v: Vector) -> BoundedProduct:
        """Return the product with v of the matrix in ``slots``, with bounds on the error that updates added."""
        full = np.zeros(self._v.size)
        full[slots] = v
        changed = np.flatnonzero(full != self._v)
        used = int(np.count_nonzero(v))
        lengths = self._lengths(slots)
        afresh = np.sqrt(used) * _EPS * float(np.abs(v) @ lengths) * lengths
        if _SPARED * (changed.size + int((~self._known[slots]).sum())) < used:
            self._update(slots, full, changed, lengths)
            if (self._error[slots] <= _WORSE * afresh).all():
                return BoundedProduct(v, self._values[slots], self._error[slots])
        values = self._memory.product(slots, v)
        self.forget()
        self._v, self._known[slots] = full, True
        self._values[slots], self._error[slots] = values, afresh
        return BoundedProduct(v, values, np.zeros(v.size))

    def _lengths(self, slots: Indices) -> Vector:
        return np.asarray(np.sqrt(np.maximum(self._memory.entries[slots, slots], 0.0)))

    def _update(self, slots: Indices, full: Vector, changed: Indices, lengths: Vector) -> None:
        """Bring the product up to date; of rows that are new, it is made afresh."""
        entries = self._memory.entries
        d = full[changed] - self._v[changed]
        if changed.size:
            # Rows that are gone are in memory until others are written there.
            at = Stored(entries, np.arange(len(entries)))
            self._values += at.sums(changed, d)
            own = np.sqrt(changed.size) * _EPS * float(np.abs(d) @ self._lengths(changed)) * lengths
            self._error[slots] += own + _EPS * np.abs(self._values[slots])
        (new,) = np.nonzero(~self._known[slots])
        used = np.flatnonzero(full)
        for k in new:
            slot = slots[k]
            self._values[slot] = entries[slot, used] @ full[used]
            size = np.sqrt(used.size) * _EPS * float(np.abs(full[used]) @ self._lengths(used))
            self._error[slot] = size * lengths[k]
        self._v, self._known[slots] = full, True


def stored(gram: Gram) -> Stored | None:
    """Return a matrix in memory that holds the entries of ``gram``, or None if there is none."""
    if isinstance(gram, ChangingGram) and gram.is_shared:
        return gram.stored
    return Stored(gram.dense, np.arange(len(gram))) if gram.is_formed else None


def changed(gram: Gram, rows: Indices, X: Samples) -> Gram:
    """Return the kernel matrix of other samples, whose entries are taken from this one where they are kept.

    Parameters
    ----------
    gram
        The kernel matrix of m samples.
    rows
        The samples wanted, in order: numbers below m are samples of ``gram``, and m + k is the k-th sample of ``X``.
    X
        New samples in a form that the kernel takes. All of them are wanted; there may be none.

    Raises
    ------
    ShapeError, NonFiniteError, NotSymmetricError
        If the kernel fails on the new samples.
    """
    if isinstance(gram, ChangingGram) and gram.is_shared and 8 * rows.size**2 <= gram.memory_limit:
        return gram.changed(rows, X)
    return Gram(gram.kernel, joined(gram.X, X)[rows], gram.memory_limit, gram.indefinite)


def joined(X: Samples, new: Samples) -> Samples:
    """Return samples followed by further samples, in the same container."""
    return csr_array(vstack([X, new])) if is_sparse(X) or is_sparse(new) else np.concatenate([X, new])


class ChangingGram(Gram):
    """A kernel matrix that shares its entries with the one before a change and the one after it.

    Like any :class:`Gram`, it is the matrix of its own samples. Both matrices share entries in memory: a change only
    computes the rows of new samples. One of the two must :meth:`leave` them and then asks its kernel.

    Notes
    -----
    Arguments of the methods:

    gram
        The kernel matrix whose entries are to be shared.
    other
        The one of the two matrices that keeps them.
    """

    _memory: GrowingMatrix | None
    _last: FollowedProduct
    _slots: Indices

    @classmethod
    def of(cls, gram: Gram) -> Gram:
        """Return the same matrix with its entries in memory, where this makes a change cheaper; else ``gram``.

        A change does not become cheaper with explicit features, which are fewer than the samples, with a corrected
        matrix, where a change may alter every entry, or with a matrix above the memory limit.
        """
        if isinstance(gram, cls) and gram.is_shared:
            return gram
        if gram.explicit is not None or gram.correction is not None or 8 * len(gram) ** 2 > gram.memory_limit:
            return gram
        K = gram.dense if gram.is_formed else kernel_matrix(gram.kernel, gram.X, gram.memory_limit)
        memory = GrowingMatrix(K)
        return cls._sharing(gram, gram.X, memory, FollowedProduct(memory), np.arange(len(gram)))

    @classmethod
    def _sharing(
        cls, gram: Gram, X: Samples, memory: GrowingMatrix, last: FollowedProduct, slots: Indices
    ) -> ChangingGram:
        shared = cls.__new__(cls)
        shared._begin(gram.kernel, gram.memory_limit, gram.indefinite)
        shared.feature_names = gram.feature_names
        shared.X, shared._memory, shared._last, shared._slots = X, memory, last, slots
        return shared

    @property
    def is_shared(self) -> bool:
        """Whether the entries are in memory for the next change."""
        return self._memory is not None

    @property
    def stored(self) -> Stored:
        """The matrix in memory that holds the entries, and the row that each sample has there."""
        assert self._memory is not None
        return Stored(self._memory.entries, self._slots)

    def changed(self, rows: Indices, X: Samples) -> Gram:
        """Return the matrix of other samples; see :func:`changed`.

        Parameters
        ----------
        rows, X
            As in :func:`changed`.
        """
        assert self._memory is not None
        slots = self._memory.claim(int(X.shape[0]))
        every = np.concatenate([self._slots, slots])
        after = ChangingGram._sharing(self, frozen(joined(self.X, X)[rows]), self._memory, self._last, every[rows])
        try:
            if slots.size == 0 or after._write(np.flatnonzero(rows >= len(self))):
                # No eigenvalue of a part is below all those of the whole.
                after._settled = self._settled
        except BaseException:
            self._memory.give_back(slots)
            # There may be room for more rows now than the last product has.
            self._last.forget()
            raise
        return after

    def _write(self, added: Indices) -> bool:
        """Compute the rows of the samples ``added``.

        Return whether the kernel claims to be positive semidefinite and no pair of samples contradicts the claim.
        """
        assert self._memory is not None
        X, kernel = self.X, self.kernel
        new = X[added]
        check_diagonal(kernel, new, kernel.diagonal(new))
        with np.errstate(over="ignore", invalid="ignore"):
            rows, own = kernel.matrix(new, X), kernel.matrix(new, new)
            if not self._by_construction:
                require_symmetric(rows, kernel.matrix(X, new), kernel)
        if not (np.isfinite(rows).all() and np.isfinite(own).all()):
            raise NonFiniteError(kernel.overflow)
        rows[:, added] = own
        self._memory.write(self._slots[added], self._slots, rows)
        self._last.written(self._slots[added])
        limits = (1.0 + PSD_TOLERANCE) * self.lengths[added, None] * self.lengths
        return self._by_construction and bool((np.abs(rows) <= limits).all())

    def leave(self, other: Gram) -> None:
        """Stop sharing entries: memory that ``other`` does not use becomes free for the next change."""
        if self._memory is None or not isinstance(other, ChangingGram) or other._memory is not self._memory:
            return
        used = np.zeros(len(self._memory.entries), bool)
        used[other._slots] = True
        self._memory.give_back(self._slots[~used[self._slots]])
        self._memory = None

    @property
    def is_formed(self) -> bool:
        """Whether the whole matrix is in memory or can be copied from there."""
        return self._memory is not None or super().is_formed

    def _form(self) -> Formed:
        if self._formed is None and self._memory is not None:
            self._formed = Formed(frozen(self._memory.part(self._slots)))
        return super()._form()

    def followed_product(self, v: Vector) -> BoundedProduct:
        """Return K v, updated from the last product asked for here, with bounds on the rounding error that this adds.

        See :class:`FollowedProduct`; the last product may be of the matrix before a change.
        """
        if self._memory is None or self.explicit is not None:
            return BoundedProduct(v, self.product(v), np.zeros(len(self)))
        return self._last.product(self._slots, v)

    def bounded_product(self, v: Vector, suffices: Suffices) -> BoundedProduct:
        """Return the product as it follows from the last one."""
        del suffices
        return self.followed_product(v)

    def forget_product(self) -> None:
        """Let the next product be computed from scratch, for callers who need tighter bounds than an update has."""
        self._last.forget()

    def _product(self, v: Vector) -> Vector:
        if self._memory is None or self._formed is not None or self.explicit is not None or not v.any():
            return super()._product(v)
        return self._memory.product(self._slots, v)
