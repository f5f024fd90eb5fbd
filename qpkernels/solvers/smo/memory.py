# SPDX-License-Identifier: BSD-3-Clause
"""What memory a descent may hold, and what it makes of it: features of all samples, and rows that are kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from qpkernels.arrays import Samples, is_sparse
from qpkernels.arrays.threads import threads
from qpkernels.errors import ParameterError
from qpkernels.gram.panels.products import PANEL, Product
from qpkernels.gram.panels.samples import StreamedProduct, make_product
from qpkernels.kernels.products import ProductForm
from qpkernels.problems.kernel_qp.program import KernelQP

__all__ = ["Memory", "remaining"]

_VECTORS = 40
"""Vectors of a number for each sample that a descent and its certificate hold at most, as it was measured."""

_BLOCK = 2048
"""Rows of a block, at most."""

_TWICE = 1.8
"""Times the features of all samples that are held: while some are left out, at most 0.8 of them are beside all."""

_HELD = 0.5
"""Share of what remains that samples compressed to their nonzeros may take, of which features are made beside them."""

_OF_NONZERO = 32
"""Bytes that a nonzero takes in both."""

_SEEN = 256
"""Samples that tell their number."""


@dataclass(frozen=True)
class Memory:
    """Bytes that may be held.

    Attributes
    ----------
    cache
        By rows that are kept.
    remaining
        By these and the features of all samples together; infinity: as much as they take.
    """

    cache: int
    remaining: float = np.inf

    def product(self, form: ProductForm, X: Samples, dtype: DTypeLike) -> Product:
        """Return features of the samples in that precision: held where they fit, else made as they are asked for."""
        if is_sparse(X) or _held(X.shape[0], X.shape[1], dtype) <= self.remaining:
            return make_product(form, X, dtype)
        return StreamedProduct(form, X, dtype)

    def for_rows(self, product: Product) -> int:
        """Return what remains for rows beside the features."""
        if isinstance(product, StreamedProduct) or np.isinf(self.remaining):
            return int(min(self.cache, self.remaining))
        return int(max(0.0, min(self.cache, self.remaining - _held(product.size, product.width, product.dtype))))

    def compresses(self, X: Samples) -> bool:
        """Return whether there is room for the nonzeros of dense samples beside them."""
        if np.isinf(self.remaining) or is_sparse(X):
            return True
        nonzero = float(X.size * (X[:: max(1, len(X) // _SEEN)] != 0).mean())
        return bool(_OF_NONZERO * nonzero <= _HELD * self.remaining)


def remaining(program: KernelQP, budget: float, *, forms_matrix: bool) -> float:
    """Return what a ``budget`` of bytes leaves for features and kept rows.

    Raises
    ------
    ParameterError
        If it does not suffice for the vectors and one block, or the matrix where the problem is one.
    """
    m = len(program)
    block = 8 * (m**2 if forms_matrix else min(m, _BLOCK) * (min(m, _BLOCK) + threads() * PANEL))
    needed = _VECTORS * 8 * m + block
    if budget < needed:
        raise ParameterError(
            f"memory_budget must be at least {np.ceil(needed / 2**20):.0f} MiB for {m} samples, which is what vectors "
            f"of that length and one block of the kernel matrix take, but {budget / 2**20:g} came; raise it, or take "
            "fewer samples."
        )
    return budget - needed


def _held(samples: int, features: int, dtype: DTypeLike) -> float:
    """Return the bytes of features and offsets."""
    return _TWICE * samples * (features + 1) * np.dtype(dtype).itemsize
