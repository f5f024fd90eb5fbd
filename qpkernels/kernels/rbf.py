# SPDX-License-Identifier: BSD-3-Clause
"""The Gaussian kernel in each parametrisation in use."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix, Vector, check_positive, finite_samples, finite_vector, is_scalar, is_sparse, shown
from qpkernels.arrays.exact_text import exact_texts
from qpkernels.display import leading
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels.arithmetic import Arithmetic, Value
from qpkernels.kernels.catalogue import KernelEntry, KernelParameter
from qpkernels.kernels.derivatives import Axes, chain, check_axes, of_squared_distances
from qpkernels.kernels.kernel import Kernel, Samples
from qpkernels.kernels.products import ProductForm, squared_distances

__all__ = [
    "RBF",
    "scale_gamma",
]


GAMMA = KernelParameter("gamma", "gamma: larger is narrower", 1e-3, 1e4, 1.0)
"""The width of a kernel that falls with the distance."""


@dataclass(frozen=True)
class RBF(Kernel):
    r"""Gaussian kernel :math:`\exp(-\sum_k \gamma_k (x_k - z_k)^2)`.

    Parameters
    ----------
    gamma
        Above 0: one number for all features, or one per feature (then a feature with 0 is left out, and at least one
        number must be above 0). Raising gamma narrows the kernel: f becomes more flexible and has more support vectors.

    Raises
    ------
    ParameterError
        If gamma is outside its range.

    Notes
    -----
    Values have a relative error of about 1e-11. For sparse samples they come from |x|^2 + |z|^2 - 2 x'z, whose rounding
    error in the exponent is about eps gamma (|x|^2 + |z|^2). Where that could exceed 1e-11, they come from the
    differences. Dense samples are treated in the same way after their mean is subtracted.

    See Also
    --------
    from_sigma, from_c, from_theta, from_data : the same kernel by the parameter of other texts.

    Examples
    --------
    >>> from qpkernels import RBF
    >>> X = [[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]]
    >>> print(RBF(gamma=0.5)(X, X).round(3))
    [[1.    0.368 0.135]
     [0.368 1.    0.368]
     [0.135 0.368 1.   ]]
    >>> print(RBF.from_sigma(1.0) == RBF(gamma=0.5), f"{RBF.from_data(X).gamma:.3f}")
    True 0.900
    """

    gamma: float | tuple[float, ...]
    entry = KernelEntry(
        "rbf",
        "Gaussian",
        (GAMMA, *map(KernelParameter, ("sigma", "c", "theta"))),
        instead=("sigma", "c", "theta"),
        others=("gaussian",),
        by_data=True,
        explored=True,
        scikit_learn="rbf",
        libsvm=True,
    )
    widths = MappingProxyType({"gamma": (1.0, 1.0), "sigma": (0.5, -2.0), "c": (1.0, -2.0), "theta": (0.5, 1.0)})
    """The width by its names: (a, p) with gamma = a value^p."""
    tested = True
    _elsewhere = MappingProxyType(
        {
            "sigma": "RBF.from_sigma",
            "length_scale": "RBF.from_sigma",
            "c": "RBF.from_c",
            "theta": "RBF.from_theta",
        }
    )

    def __post_init__(self) -> None:
        if is_scalar(self.gamma):
            object.__setattr__(self, "gamma", check_gamma(self.gamma))
            return
        weights = finite_vector(self.gamma, "gamma")
        if weights.size == 0 or weights.min() < 0 or weights.max() <= 0:
            raise ParameterError(
                f"a vector gamma needs entries of at least 0 and one above 0, but {weights.tolist()} came."
            )
        object.__setattr__(self, "gamma", tuple(weights.tolist()))

    @classmethod
    def named(cls, **values: Any) -> RBF:
        """Return the kernel of gamma, or of sigma, c or theta in its place."""
        if len(values) != 1:
            raise ParameterError("rbf takes one of gamma, sigma, c and theta, for each of them states its width.")
        ((name, value),) = values.items()
        made: RBF = cls(value) if name == "gamma" else getattr(cls, f"from_{name}")(value)
        return made

    @classmethod
    def from_sigma(cls, sigma: float) -> RBF:
        r"""Return :math:`\exp(-\|x - z\|^2 / (2 \sigma^2))`: gamma = 1 / (2 sigma^2).

        Parameters
        ----------
        sigma
            The length at which k falls to exp(-1/2), above 0, in the unit of the features.
        """
        return cls(0.5 * _inverse_square(sigma, "sigma"))

    @classmethod
    def from_c(cls, c: float) -> RBF:
        r"""Return :math:`\exp(-\|x - z\|^2 / c^2)`: gamma = 1 / c^2.

        Parameters
        ----------
        c
            The length at which k falls to exp(-1), above 0, in the unit of the features.
        """
        return cls(_inverse_square(c, "c"))

    @classmethod
    def from_theta(cls, theta: ArrayLike) -> RBF:
        r"""Return :math:`\exp(-\frac12 \sum_k \theta_k (x_k - z_k)^2)` (ARD): gamma = theta / 2.

        Parameters
        ----------
        theta
            One number above 0 for all features; or one number of at least 0 per feature, at least one of them above 0,
            in the inverse square of the unit of the feature. A feature with 0 is left out.
        """
        return cls(0.5 * check_positive(theta, "theta")) if is_scalar(theta) else cls(_halves(theta))

    @classmethod
    def from_data(cls, X: ArrayLike) -> RBF:
        """Return the kernel with gamma = :func:`scale_gamma` of ``X``.

        Parameters
        ----------
        X
            Samples, shape (m, d), which are not all the same.
        """
        return cls(scale_gamma(X))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(gamma={shown(self.gamma) if isinstance(self.gamma, tuple) else repr(self.gamma)})"
        )

    def formula(self, x: str = "x", z: str = "z") -> str:
        if isinstance(self.gamma, tuple):
            return f"exp(-sum_k gamma_k ({x}_k - {z}_k)^2)"
        return f"exp(-{leading(self.gamma)}||{x} - {z}||^2)"

    @property
    def positive_semidefinite(self) -> bool:
        return True

    @property
    def takes_sparse(self) -> bool:
        return True

    def samples(self, X: ArrayLike) -> Samples:
        """Return ``X`` as a finite float64 matrix, dense or sparse, with as many features as gamma has entries."""
        matrix = super().samples(X)
        if isinstance(self.gamma, tuple) and matrix.shape[1] != len(self.gamma):
            raise ShapeError(f"gamma has {len(self.gamma)} entries, one for each feature, but X has {matrix.shape[1]}.")
        return matrix

    def portable(self) -> dict[str, Any]:
        return {"name": "rbf", "gamma": exact_texts(np.atleast_1d(self.gamma))}

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        exponents = squared_distances(X, Z, np.sqrt(np.asarray(self.gamma)))
        np.negative(exponents, out=exponents)
        return np.asarray(np.exp(exponents, out=exponents))

    def diagonal(self, X: Samples) -> Vector:
        return np.ones(X.shape[0])

    def computed(self, by: Arithmetic[Value]) -> Value:
        return by.exp(by.negative_squares(self.gamma))

    def frequencies(self, generator: np.random.Generator, count: int, features: int) -> Matrix:
        """Return draws of a normal distribution with the variances 2 gamma_k."""
        return generator.standard_normal((count, features)) * np.sqrt(2.0 * np.asarray(self.gamma))

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        """Return k times a polynomial in the x_a - z_a: k = exp(u) with u = -sum_k gamma_k (x_k - z_k)^2."""
        check_axes(X, Z, left, right)
        k, weights = self.matrix(X, Z), np.broadcast_to(-np.asarray(self.gamma), (X.shape[1],))
        return chain(lambda _: k, of_squared_distances(X, Z, weights), left, right)

    def product_form(self, X: Samples) -> ProductForm:
        return ProductForm.exponential(self.gamma, X)


def scale_gamma(X: ArrayLike) -> float:
    """Return 1 / (d Var X), with d features and the variance over all entries: ``gamma="scale"`` of scikit-learn.

    Parameters
    ----------
    X
        Samples, dense or sparse; entries that a sparse matrix does not store count as 0.

    Raises
    ------
    ParameterError
        If X is constant.
    """
    matrix = finite_samples(X, "X")
    variance = _variance(matrix)
    if variance == 0.0:
        raise ParameterError("X is constant, so its variance gives no gamma; state a number.")
    return float(1.0 / (matrix.shape[1] * variance))


def check_gamma(gamma: object, name: str = "gamma") -> float:
    """Return a number above 0; for a word of scikit-learn, the error names the function to call instead.

    Raises
    ------
    ParameterError
        If it is not a number above 0.
    """
    words = {"scale": "that is scale_gamma(X) of qpkernels.kernels", "auto": "that is 1 / X.shape[1]"}
    advice = f"; {words[gamma]}, a number of your samples" if isinstance(gamma, str) and gamma in words else ""
    return check_positive(gamma, name, advice)


def _variance(X: Samples) -> float:
    if not is_sparse(X):
        return float(X.var())
    size = X.shape[0] * X.shape[1]
    mean = X.data.sum() / size
    return float((((X.data - mean) ** 2).sum() + (size - X.nnz) * mean**2) / size)


def _inverse_square(width: float, name: str) -> float:
    with np.errstate(over="ignore", under="ignore"):
        inverse = float((1.0 / np.float64(check_positive(width, name))) ** 2)
    if not 0.0 < inverse < np.inf:
        raise ParameterError(f"{name} must lie between 1e-150 and 1e150, but {width:g} came; scale the features.")
    return inverse


def _halves(theta: ArrayLike) -> tuple[float, ...]:
    return tuple((0.5 * finite_vector(theta, "theta")).tolist())
