# SPDX-License-Identifier: BSD-3-Clause
"""The linear kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Matrix, Vector, is_sparse
from qpkernels.kernels.arithmetic import Arithmetic, Value
from qpkernels.kernels.catalogue import KernelEntry
from qpkernels.kernels.derivatives import Axes, chain, check_axes, of_inner_products, of_power
from qpkernels.kernels.kernel import Kernel, Samples
from qpkernels.kernels.products import (
    ProductForm,
    Rational,
    are_zero,
    inner_products,
    rational_products,
    squared_lengths,
)

__all__ = [
    "Linear",
]

_FEW_BYTES = 2**28
"""Size up to which sparse samples are made dense to serve as features."""

_NARROW, _FILLED = 256, 0.1
"""Features up to which equations in them are little work, and the part of more that must not be 0 for dense ones to be
worth it: a product with fewer nonzeros takes less than one with all entries."""


@dataclass(frozen=True)
class Linear(Kernel):
    """x'z: f is the linear function <w, x> with w = sum_j beta_j x_j.

    Examples
    --------
    >>> from qpkernels import Linear
    >>> print(Linear()([[1.0, 2.0], [0.0, 1.0]], [[3.0, 1.0]]))
    [[5.]
     [1.]]
    """

    entry = KernelEntry("linear", "Linear", explored=True, scikit_learn="linear", libsvm=True)
    tested = True

    def formula(self, x: str = "x", z: str = "z") -> str:
        return f"{x}'{z}"

    @property
    def positive_semidefinite(self) -> bool:
        return True

    @property
    def takes_sparse(self) -> bool:
        return True

    def portable(self) -> dict[str, Any]:
        return {"name": "linear"}

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return inner_products(X, Z)

    def diagonal(self, X: Samples) -> Vector:
        return squared_lengths(X)

    def vanishes(self, X: Samples) -> NDArray[np.bool_]:
        """Return where x = 0."""
        return are_zero(X)

    def features(self, X: Samples) -> Matrix | None:
        """Return the samples. Sparse ones are made dense, within 256 MiB, where they outnumber their features.

        They stay sparse where there are many features and few nonzeros.
        """
        if not is_sparse(X):
            return np.asarray(X)
        m, d = X.shape
        few = d < m and 8 * m * d <= _FEW_BYTES and (d <= _NARROW or X.nnz >= _FILLED * m * d)
        return np.asarray(X.toarray()) if few else None

    def sparse_features(self, X: Samples) -> Any:
        """Return the samples if they are sparse."""
        return X if is_sparse(X) else None

    def computed(self, by: Arithmetic[Value]) -> Value:
        return by.inner_products()

    def relating(self, X: Samples, Z: Samples) -> Rational:
        return rational_products(X, Z)

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        """Return z_a, x_b or [a = b] for at most one axis in each tuple, and 0 otherwise."""
        check_axes(X, Z, left, right)
        products = self.matrix(X, Z)
        return chain(lambda order: of_power(products, 1, order), of_inner_products(X, Z), left, right)

    def product_form(self, X: Samples) -> ProductForm:
        return ProductForm.polynomial(1.0, 0.0, 1, X)
