# SPDX-License-Identifier: BSD-3-Clause
"""The samples of a kernel matrix that a part of it is about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qpkernels.arrays import Indices, Samples, frozen
from qpkernels.gram.definiteness import Formed
from qpkernels.gram.features import Features, FeaturesInMemory, SparseFeatures

if TYPE_CHECKING:
    from qpkernels.gram.gram import Gram

__all__ = ["Selection", "selection_of"]


@dataclass(frozen=True, eq=False)
class Selection:
    """Rows of a kernel matrix, whose entries are taken from there once they are known.

    Attributes
    ----------
    whole
        The kernel matrix of more samples.
    rows
        The numbers of those that are selected, in their order.
    """

    whole: Gram
    rows: Indices

    @property
    def samples(self) -> Samples:
        """A copy of the samples, read-only."""
        return frozen(self.whole.X[self.rows])

    @property
    def features(self) -> Features | SparseFeatures | None:
        """Their explicit features: dense where the whole has such, and they are fewer than these samples, or sparse."""
        explicit = self.whole.explicit
        if explicit is not None and explicit.shape[1] < self.rows.size:
            return FeaturesInMemory(explicit.rows(self.rows))
        return None if self.sparse_features is None else SparseFeatures(self.sparse_features)

    @cached_property
    def sparse_features(self) -> Any:
        """Their sparse features, where the whole has such."""
        sparse = self.whole.sparse_features
        return None if sparse is None else sparse[self.rows]

    @property
    def settled(self) -> float | None:
        """How far below 0 an eigenvalue of the whole may be, where that is known of it, or of its own whole.

        No eigenvalue of a part is below all those of the whole.
        """
        above = self.whole._source
        return above.settled if self.whole._settled is None and above is not None else self.whole._settled

    @property
    def is_formed(self) -> bool:
        """Whether the entries are known, and those of the kernel: each matrix is corrected by itself."""
        return self.whole.is_formed and self.whole.correction is None

    def form(self) -> Formed:
        """Return a copy of the entries."""
        return Formed(frozen(self.whole.dense[np.ix_(self.rows, self.rows)]))


def selection_of(gram: Gram) -> Selection | None:
    """Return the rows of which matrix ``gram`` is; None: it is no part of another."""
    return gram._source
