# SPDX-License-Identifier: BSD-3-Clause
"""A kernel matrix whose samples come and go: each entry is computed once."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, vstack

from qpkernels.arrays import Indices, Samples, Vector, frozen, is_sparse
from qpkernels.errors import NonFiniteError
from qpkernels.gram.changing.followed import FollowedProduct
from qpkernels.gram.changing.growing import GrowingMatrix, Stored
from qpkernels.gram.definiteness import PSD_TOLERANCE, Formed, require_symmetric
from qpkernels.gram.gram import Gram
from qpkernels.gram.panels.sums import Suffices
from qpkernels.gram.products import BoundedProduct
from qpkernels.gram.settling import check_diagonal, kernel_matrix

__all__ = ["ChangingGram", "changed", "stored"]


def stored(gram: Gram) -> Stored | None:
    """Return a matrix in memory that holds the entries of ``gram``; None: there is none."""
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
        The samples wanted, in their order: numbers below m are those of ``gram``, and m + k is the k-th of ``X``.
    X
        New samples, as the kernel takes them, all of which are wanted; there may be none.

    Raises
    ------
    ShapeError, NonFiniteError, NotSymmetricError
        If the kernel fails on the new samples.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import RBF, Gram
    >>> from qpkernels.gram import changed
    >>> gram = Gram(RBF(gamma=0.5), [[0.0], [1.0], [2.0]])
    >>> other = changed(gram, np.array([0, 2, 3]), np.array([[3.0]]))
    >>> print(other.X[:, 0], other.dense.round(3)[2])
    [0. 2. 3.] [0.011 0.607 1.   ]
    """
    if isinstance(gram, ChangingGram) and gram.is_shared and 8 * rows.size**2 <= gram.memory_limit:
        return gram.changed(rows, X)
    return Gram(gram.kernel, joined(gram.X, X)[rows], gram.memory_limit, gram.indefinite)


def joined(X: Samples, new: Samples) -> Samples:
    """Return samples and further ones, in the same container."""
    return csr_array(vstack([X, new])) if is_sparse(X) or is_sparse(new) else np.concatenate([X, new])


class ChangingGram(Gram):
    """A kernel matrix that shares its entries with the one before a change and the one after it.

    It is the matrix of its own samples, as any :class:`Gram`. What it shares are entries in memory: a change computes
    the rows of new samples alone. One of both must :meth:`leave` them, and then asks its kernel, as any other.

    Notes
    -----
    Arguments of the methods:

    gram
        The kernel matrix whose entries are to be shared.
    other
        The one of the two that goes on with them.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import RBF, Gram
    >>> from qpkernels.gram import ChangingGram
    >>> gram = ChangingGram.of(Gram(RBF(gamma=0.5), [[0.0], [1.0], [2.0]]))
    >>> other = gram.changed(np.array([0, 2, 3]), np.array([[3.0]]))
    >>> print(other.dense.round(3)[2], other.is_shared)
    [0.011 0.607 1.   ] True
    """

    _memory: GrowingMatrix | None
    _last: FollowedProduct
    _slots: Indices

    @classmethod
    def of(cls, gram: Gram) -> Gram:
        """Return the same matrix with its entries in memory, where this makes a change cheaper; else ``gram``.

        It does not for explicit features, which are fewer than the samples, nor for a matrix that is corrected, of
        which a change may change every entry, nor for one above the memory limit.
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
        """Whether its entries are in memory for the next change."""
        return self._memory is not None

    @property
    def stored(self) -> Stored:
        """The matrix in memory that holds the entries, and the row there of each sample."""
        assert self._memory is not None
        return Stored(self._memory.entries, self._slots)

    def changed(self, rows: Indices, X: Samples) -> Gram:
        """Return the matrix of other samples; see :func:`changed`.

        Parameters
        ----------
        rows, X
            As in :func:`qpkernels.gram.changed`.
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
            raise
        return after

    def _write(self, added: Indices) -> bool:
        """Compute the rows of the samples ``added``.

        Return whether the kernel is one that says to be positive semidefinite, and no pair of samples contradicts it.
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
        """Share no entries any more: memory that ``other`` does not use is free for the next change."""
        if self._memory is None or not isinstance(other, ChangingGram) or other._memory is not self._memory:
            return
        used = np.zeros(len(self._memory.entries), bool)
        used[other._slots] = True
        self._memory.give_back(self._slots[~used[self._slots]])
        self._memory = None

    @property
    def is_formed(self) -> bool:
        """Whether the whole matrix is there, or can be copied."""
        return self._memory is not None or super().is_formed

    def _form(self) -> Formed:
        if self._formed is None and self._memory is not None:
            self._formed = Formed(frozen(self._memory.part(self._slots)))
        return super()._form()

    def followed_product(self, v: Vector) -> BoundedProduct:
        """Return K v from the last product asked for here, with bounds of what that adds to its rounding.

        See :mod:`qpkernels.gram.changing.followed`; the last product may be of the matrix before a change.
        """
        if self._memory is None or self.explicit is not None:
            return BoundedProduct(v, self.product(v), np.zeros(len(self)))
        return self._last.product(self._slots, v)

    def bounded_product(self, v: Vector, suffices: Suffices) -> BoundedProduct:
        """Return the product as it follows from the last one."""
        del suffices
        return self.followed_product(v)

    def forget_product(self) -> None:
        """Let the next product be made afresh, for whom the bounds of a followed one are too wide."""
        self._last.forget()

    def _product(self, v: Vector) -> Vector:
        if self._memory is None or self._formed is not None or self.explicit is not None or not v.any():
            return super()._product(v)
        return self._memory.product(self._slots, v)
