# SPDX-License-Identifier: BSD-3-Clause
"""The sigmoid kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qpkernels.arrays import Matrix, Vector, check_finite
from qpkernels.display import leading, signed
from qpkernels.kernels.arithmetic import Arithmetic, Value
from qpkernels.kernels.catalogue import KernelEntry, KernelParameter
from qpkernels.kernels.kernel import Kernel, Samples
from qpkernels.kernels.products import inner_products, squared_lengths
from qpkernels.kernels.rbf import check_gamma

__all__ = [
    "Sigmoid",
]


@dataclass(frozen=True)
class Sigmoid(Kernel):
    r"""Sigmoid kernel :math:`\tanh(\kappa x'z - b)`, which is not a Mercer kernel.

    A model that uses it checks its matrix and refuses it if it is indefinite, unless :class:`~qpkernels.gram.Gram` is
    told to clip or shift it.

    Parameters
    ----------
    kappa
        Above 0; weight of x'z.
    b
        Any finite number; the kernel changes its sign where kappa x'z = b.

    Raises
    ------
    ParameterError
        If a parameter is outside its range.

    Examples
    --------
    >>> from qpkernels import Mercer, Sigmoid
    >>> kernel, X = Sigmoid(kappa=1.0, b=-1.0), [[0.0], [1.0], [2.0]]
    >>> print(kernel(X, X).round(3))
    [[0.762 0.762 0.762]
     [0.762 0.964 0.995]
     [0.762 0.995 1.   ]]
    >>> print(f"{Mercer(kernel, X).smallest_eigenvalue:.3f}")
    -0.014
    """

    kappa: float = 1.0
    b: float = 0.0
    entry = KernelEntry(
        "sigmoid",
        "Sigmoid",
        (KernelParameter("gamma", "factor of x'z", others=("kappa",)), KernelParameter("coef0", "constant")),
        by_data=True,
        scikit_learn="sigmoid",
        libsvm=True,
    )

    @classmethod
    def named(cls, **values: Any) -> Sigmoid:
        """Return tanh(gamma x'z + coef0), as LIBSVM states it."""
        return cls(values["gamma"], 0.0 - values.get("coef0", 0.0))

    def stated(self) -> dict[str, Any]:
        """Return gamma and coef0: kappa and -b."""
        return {"gamma": self.kappa, "coef0": 0.0 - self.b}

    def __post_init__(self) -> None:
        object.__setattr__(self, "kappa", check_gamma(self.kappa, "kappa"))
        object.__setattr__(self, "b", check_finite(self.b, "b"))

    def formula(self, x: str = "x", z: str = "z") -> str:
        return f"tanh({leading(self.kappa)}{x}'{z}{signed(-self.b)})"

    @property
    def positive_semidefinite(self) -> bool:
        """False, since for every kappa and b there are samples whose matrix is indefinite."""
        return False

    @property
    def takes_sparse(self) -> bool:
        return True

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return np.asarray(np.tanh(self.kappa * inner_products(X, Z) - self.b))

    def computed(self, by: Arithmetic[Value]) -> Value:
        return by.tanh(by.affine(by.inner_products(), self.kappa, -self.b))

    def diagonal(self, X: Samples) -> Vector:
        return np.asarray(np.tanh(self.kappa * squared_lengths(X) - self.b))
