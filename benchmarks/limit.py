# SPDX-License-Identifier: BSD-3-Clause
"""What any solver of this kind must at least do: make the rows of the kernel matrix of the support vectors once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.repetition import repeated
from qpkernels.arrays import Matrix

__all__ = ["limit"]

_ROWS = 1024


def limit(parts: Sequence[tuple[Matrix, int]]) -> tuple[float, ...]:
    """Return the seconds of every run, for machines given by their samples and their number of support vectors.

    A product in float32 by NumPy's BLAS, and NumPy's exp into memory that was touched before. The BLAS is given all
    processors, and then one, which small products are faster on; the better counts.
    """
    memory = np.ones(max(min(_ROWS, support) * len(X) for X, support in parts), np.float32)
    singles = [(X.astype(np.float32), support) for X, support in parts]

    def rows() -> None:
        for X, support in singles:
            for start in range(0, support, _ROWS):
                stop = min(start + _ROWS, support)
                part = memory[: (stop - start) * len(X)].reshape(stop - start, len(X))
                np.dot(X[start:stop], X.T, out=part)
                part *= np.float32(-1e-3)
                np.exp(part, out=part)

    with_all, _ = repeated(rows)
    with threadpool_limits(1, "blas"):
        with_one, _ = repeated(rows)
    return min(with_all, with_one, key=min)
