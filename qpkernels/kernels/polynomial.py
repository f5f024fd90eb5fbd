# SPDX-License-Identifier: BSD-3-Clause
"""The polynomial kernel."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Matrix, Vector, check_count, check_finite
from qpkernels.arrays.exact_text import exact_text
from qpkernels.display import leading, signed
from qpkernels.kernels.arithmetic import Arithmetic, Value
from qpkernels.kernels.catalogue import KernelEntry, KernelParameter
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
from qpkernels.kernels.rbf import check_gamma

__all__ = [
    "Polynomial",
]


@dataclass(frozen=True)
class Polynomial(Kernel):
    """(gamma x'z + coef0)^degree.

    Parameters
    ----------
    degree
        Integer of at least 1. Raising it makes f more flexible.
    gamma
        Above 0; the weight of x'z relative to the constant.
    coef0
        Any finite number. Below 0 the kernel is not positive semidefinite by construction, and its matrix is checked.

    Raises
    ------
    ParameterError
        If a parameter is outside its range.

    Examples
    --------
    >>> from qpkernels import Polynomial
    >>> kernel = Polynomial(degree=2, gamma=1.0, coef0=1.0)
    >>> print(kernel([[1.0, 2.0]], [[3.0, 1.0], [0.0, 0.0]]))
    [[36.  1.]]
    """

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 0.0
    entry = KernelEntry(
        "polynomial",
        "Polynomial",
        (
            KernelParameter("degree", "degree", 1, 8, 2, "integer"),
            KernelParameter("gamma", "factor of x'z", 0.01, 100, 1),
            KernelParameter("coef0", "constant", 0, 10, 1, "linear"),
        ),
        by_data=True,
        explored=True,
        scikit_learn="poly",
        libsvm=True,
    )
    tested = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", check_count(self.degree, "degree"))
        object.__setattr__(self, "gamma", check_gamma(self.gamma))
        object.__setattr__(self, "coef0", check_finite(self.coef0, "coef0"))

    def formula(self, x: str = "x", z: str = "z") -> str:
        power = "" if self.degree == 1 else f"^{self.degree}"
        return f"({leading(self.gamma)}{x}'{z}{signed(self.coef0)}){power}"

    @property
    def positive_semidefinite(self) -> bool:
        """True for coef0 >= 0, where the expansion in powers of x'z has no negative coefficient."""
        return self.coef0 >= 0

    @property
    def takes_sparse(self) -> bool:
        return True

    def portable(self) -> dict[str, Any]:
        gamma, coef0 = ({"name": "constant", "value": exact_text(value)} for value in (self.gamma, self.coef0))
        base = {"name": "sum", "of": [{"name": "product", "of": [gamma, {"name": "linear"}]}, coef0]}
        return {"name": "power", "degree": self.degree, "of": [base]}

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return np.asarray((self.gamma * inner_products(X, Z) + self.coef0) ** self.degree)

    def diagonal(self, X: Samples) -> Vector:
        return np.asarray((self.gamma * squared_lengths(X) + self.coef0) ** self.degree)

    def vanishes(self, X: Samples) -> NDArray[np.bool_]:
        """Return where x = 0, if there is no constant."""
        return are_zero(X) if self.coef0 == 0 else super().vanishes(X)

    def computed(self, by: Arithmetic[Value]) -> Value:
        return by.power(by.affine(by.inner_products(), self.gamma, self.coef0), self.degree)

    def relating(self, X: Samples, Z: Samples) -> Rational:
        return np.asarray((Fraction(self.gamma) * rational_products(X, Z) + Fraction(self.coef0)) ** self.degree)

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        """Return it for u = gamma x'z + coef0 from (u^degree)^(n) = degree! / (degree - n)! u^(degree - n)."""
        check_axes(X, Z, left, right)
        u, factors = self.gamma * inner_products(X, Z) + self.coef0, of_inner_products(X, Z, self.gamma)
        return chain(lambda order: of_power(u, self.degree, order), factors, left, right)

    def product_form(self, X: Samples) -> ProductForm:
        return ProductForm.polynomial(self.gamma, self.coef0, self.degree, X)
