# SPDX-License-Identifier: BSD-3-Clause
"""The Laplacian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.exact_text import exact_text
from qpkernels.display import leading
from qpkernels.errors import ParameterError
from qpkernels.kernels.arithmetic import Arithmetic, Value
from qpkernels.kernels.catalogue import KernelEntry
from qpkernels.kernels.kernel import Kernel, Samples
from qpkernels.kernels.rbf import GAMMA, check_gamma

__all__ = [
    "Laplacian",
]


@dataclass(frozen=True)
class Laplacian(Kernel):
    r"""Laplacian kernel :math:`\exp(-\gamma \|x - z\|_1)`.

    Parameters
    ----------
    gamma
        Above 0. Raising it narrows the kernel. f has a kink at each support vector.

    Raises
    ------
    ParameterError
        If gamma is outside its range.

    Examples
    --------
    >>> from qpkernels import Laplacian
    >>> print(Laplacian(gamma=0.5)([[0.0, 0.0]], [[1.0, 1.0], [0.0, 2.0]]).round(3))
    [[0.368 0.368]]
    """

    gamma: float

    entry = KernelEntry("laplacian", "Laplacian", (GAMMA,), explored=True, scikit_learn="laplacian")

    @classmethod
    def named(cls, **values: Any) -> Laplacian:
        if "gamma" not in values:
            raise ParameterError("laplacian needs its gamma: laplacian(gamma=0.5), or gamma=auto for 1 / features.")
        return cls(**values)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", check_gamma(self.gamma))

    def formula(self, x: str = "x", z: str = "z") -> str:
        return f"exp(-{leading(self.gamma)}||{x} - {z}||_1)"

    @property
    def positive_semidefinite(self) -> bool:
        return True

    def portable(self) -> dict[str, Any]:
        return {"name": "laplacian", "gamma": exact_text(self.gamma)}

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        # A distance beyond the range of float64 is infinite, and its kernel value 0.
        with np.errstate(over="ignore"):
            exponents = scipy.spatial.distance.cdist(X, Z, "cityblock")
            exponents *= -self.gamma
        return np.asarray(np.exp(exponents, out=exponents))

    def computed(self, by: Arithmetic[Value]) -> Value:
        return by.exp(by.affine(by.distances("cityblock"), -self.gamma, 0.0))

    def diagonal(self, X: Samples) -> Vector:
        return np.ones(X.shape[0])

    def frequencies(self, generator: np.random.Generator, count: int, features: int) -> Matrix:
        """Return draws of a Cauchy distribution with the scale gamma, each feature by itself."""
        return generator.standard_cauchy((count, features)) * self.gamma
