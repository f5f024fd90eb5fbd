# SPDX-License-Identifier: BSD-3-Clause
"""Kernels with few explicit features that stand in for other kernels: Nystroem and random Fourier features."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf

from qpkernels.arrays import Matrix, Vector, check_count, finite_matrix, frozen, shown
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels.derivatives import Axes, check_axes
from qpkernels.kernels.kernel import Kernel, Samples
from qpkernels.kernels.products import inner_products

__all__ = [
    "Nystroem",
    "RandomFourier",
]


@dataclass(frozen=True, eq=False)
class Nystroem(Kernel):
    r"""Nystroem's approximation :math:`\tilde k(x, z) = k_x' K^{-1} k_z` of a kernel k, of rank r.

    Here k_x = (k(z_1, x), ..., k(z_r, x)) for landmarks z_1, ..., z_r, and K is their kernel matrix. The function
    k~(x, .) is the projection of k(x, .) to the span of the k(z_j, .), so that

    * k~(z_j, .) = k(z_j, .): a function in the space of k~ is one in the space of k, with the same norm;
    * k - k~ is positive semidefinite, and k~(x, x) <= k(x, x).

    With K = L L' it has the features phi(x) = L^{-1} k_x.

    Parameters
    ----------
    base
        The kernel k, which must be positive semidefinite.
    landmarks
        The r samples z_j in a form that ``base`` takes. Their kernel matrix must not be singular.

    Raises
    ------
    ParameterError
        If ``base`` is not a kernel, or if the matrix of the landmarks is singular or has a negative eigenvalue.

    Notes
    -----
    Source: Williams and Seeger, Using the Nystroem method to speed up kernel machines (NIPS 2000).

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import RBF, Nystroem
    >>> X = np.array([[0.0], [0.5], [1.0], [3.0]])
    >>> kernel = Nystroem(RBF(gamma=0.5), landmarks=X[[0, 3]])
    >>> print(kernel.features(X).shape, kernel.diagonal(X).round(3))
    (4, 2) [1.    0.78  0.384 1.   ]
    """

    base: Kernel
    landmarks: Samples = field(repr=False)
    tested = True

    def __post_init__(self) -> None:
        if not isinstance(self.base, Kernel):
            raise ParameterError(f"Nystroem takes a Kernel first, such as RBF(0.1), but {shown(self.base)} came.")
        object.__setattr__(self, "landmarks", frozen(self.base.samples(self.landmarks)))
        self.triangle  # noqa: B018  a singular matrix is refused here

    def __repr__(self) -> str:
        return f"Nystroem({self.base!r}, {self.landmarks.shape[0]} landmarks)"

    def formula(self, x: str = "x", z: str = "z") -> str:
        """Return k_x' K^(-1) k_z, written with the formula of the base kernel."""
        return f"k(Z, {x})' k(Z, Z)^(-1) k(Z, {z}), k(x, z) = {self.base.formula()}"

    @cached_property
    def triangle(self) -> Matrix:
        """L, lower triangular with a positive diagonal, shape (r, r)."""
        K = self.base(self.landmarks)
        triangle, failed = dpotrf(K, lower=1)
        smallest = 0.0 if failed else float(triangle.diagonal().min())
        if smallest**2 <= len(K) * np.finfo(float).eps * float(np.abs(K.diagonal()).max()):
            raise ParameterError(
                f"the kernel matrix of these {len(K)} landmarks is singular, or {self.base!r} is not positive "
                "semidefinite; leave out landmarks that are equal, or take LowRank, which leaves out what adds nothing."
            )
        return frozen(np.tril(triangle))

    @property
    def rank(self) -> int:
        """Number of landmarks, r."""
        return int(self.landmarks.shape[0])

    @property
    def positive_semidefinite(self) -> bool:
        """True: it is the product of features."""
        return True

    @property
    def takes_sparse(self) -> bool:
        """True when the base kernel does."""
        return self.base.takes_sparse

    def samples(self, X: ArrayLike) -> Samples:
        """Return the samples as the base kernel takes them."""
        return self.base.samples(X)

    def features(self, X: Samples) -> Matrix:
        """Return L^{-1} k_x for each sample, shape (m, r)."""
        return self._of_rows(self.base.matrix(self.landmarks, X))

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        """Return (D^left k_x)' K^{-1} (D^right k_z)."""
        rows = self.base.derivative(X, self.landmarks, left, ()).T, self.base.derivative(self.landmarks, Z, (), right)
        return np.asarray(self._of_rows(rows[0]) @ self._of_rows(rows[1]).T)

    def _of_rows(self, rows: Matrix) -> Matrix:
        """Return (L^{-1} k_x)' for columns k_x, which are written over."""
        return np.asarray(solve_triangular(self.triangle, rows, lower=True, overwrite_b=True, check_finite=False).T)

    def coefficients(self, weights: Vector | Matrix) -> Vector | Matrix:
        """Return the c with <weights, phi(x)> = sum_j c_j k(z_j, x), shape (r,); or several, one a column.

        Parameters
        ----------
        weights
            Shape (r,), or (r, n) for n functions.
        """
        return np.asarray(solve_triangular(self.triangle, weights, trans="T", lower=True, check_finite=False))

    def condensed(self, weights: Vector | Matrix) -> tuple[Samples, Any]:
        """Return the landmarks, and the coefficients of the function over them."""
        return self.landmarks, self.coefficients(weights)

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        left = self.features(X)
        return np.asarray(left @ (left if X is Z else self.features(Z)).T)

    def diagonal(self, X: Samples) -> Vector:
        features = self.features(X)
        return np.asarray(np.einsum("ij,ij->i", features, features))


@dataclass(frozen=True, eq=False)
class RandomFourier(Kernel):
    r"""Random Fourier features of k: :math:`\tilde k(x, z) = \frac1n \sum_j \cos(\omega_j'(x - z))`, of rank 2n.

    A kernel k(x - z) with k(0) = 1 is the mean of cos(w'(x - z)) over frequencies w drawn from its Fourier transform
    (Bochner's theorem). The mean of n draws has the features (cos w_j'x, sin w_j'x) / sqrt(n), j = 1, ..., n, errs by
    about 1 / sqrt(n), and is exact where x = z. Unlike the space of :class:`Nystroem`, its function space is not
    contained in the space of k, so that a bound on the cost of the approximation needs rows of k.

    Parameters
    ----------
    base
        The kernel k that the features stand in for.
    drawn
        The frequencies w_j, shape (n, number of features); :meth:`sampled` draws them.

    Raises
    ------
    ParameterError, ShapeError, NonFiniteError
        If ``base`` is not a kernel, or if the frequencies are not a matrix of finite numbers.

    Notes
    -----
    Source: Rahimi and Recht, Random features for large-scale kernel machines (NIPS 2007).

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import RBF, RandomFourier
    >>> X = np.array([[0.0], [0.5], [1.0]])
    >>> kernel = RandomFourier.sampled(RBF(gamma=0.5), features=1, rank=2000, seed=0)
    >>> print(kernel.features(X).shape, abs(RBF(gamma=0.5)(X, X) - kernel(X, X)).max() < 0.1)
    (3, 2000) True
    """

    base: Kernel
    drawn: Matrix = field(repr=False)
    tested = True

    def __post_init__(self) -> None:
        if not isinstance(self.base, Kernel):
            raise ParameterError(f"RandomFourier takes a Kernel first, such as RBF(0.1), but {shown(self.base)} came.")
        object.__setattr__(self, "drawn", frozen(finite_matrix(self.drawn, "drawn")))

    @classmethod
    def sampled(cls, base: Kernel, features: int, rank: int, seed: int = 0) -> RandomFourier:
        """Draw the frequencies for samples with the given number of ``features``.

        Parameters
        ----------
        base
            The kernel that the features stand in for: RBF, Laplacian or Matern.
        rank
            Twice the number of frequencies; even.
        seed
            The seed of the random generator; equal seeds give equal kernels.

        Raises
        ------
        ParameterError
            If ``rank`` is odd, or if ``base`` is not an RBF, Laplacian or Matern kernel.
        """
        if check_count(rank, "rank", least=2) % 2:
            raise ParameterError(f"random Fourier features come in pairs of cosine and sine, but rank {rank} is odd.")
        generator = np.random.default_rng(check_count(seed, "seed", least=0))
        frequencies = base.frequencies(generator, rank // 2, check_count(features, "features"))
        if frequencies is None:
            raise ParameterError(
                f"{base!r} has no random Fourier features: the Fourier transform of RBF, Laplacian and Matern is "
                "known; choose one of these, or Nystroem."
            )
        return cls(base, frequencies)

    def __repr__(self) -> str:
        return f"RandomFourier({self.base!r}, {len(self.drawn)} frequencies)"

    def formula(self, x: str = "x", z: str = "z") -> str:
        return f"1/{len(self.drawn)} sum_j cos(w_j'({x} - {z}))"

    @property
    def rank(self) -> int:
        """Number of features, 2n."""
        return 2 * len(self.drawn)

    @property
    def positive_semidefinite(self) -> bool:
        """True: it is the product of features."""
        return True

    @property
    def smoothness(self) -> float:
        """Infinite, however smooth k is."""
        return np.inf

    @property
    def takes_sparse(self) -> bool:
        return True

    def samples(self, X: ArrayLike) -> Samples:
        """Return ``X`` as a finite float64 matrix, dense or sparse, with as many features as a frequency has."""
        samples = super().samples(X)
        if samples.shape[1] != self.drawn.shape[1]:
            raise ShapeError(
                f"the frequencies are those of {self.drawn.shape[1]} features, but X has {samples.shape[1]}."
            )
        return samples

    def features(self, X: Samples) -> Matrix:
        """Return (cos w_j'x, sin w_j'x) / sqrt(n) for each sample, shape (m, 2n)."""
        phases, n = inner_products(X, self.drawn), len(self.drawn)
        features = np.empty((X.shape[0], 2 * n))
        np.cos(phases, out=features[:, :n])
        np.sin(phases, out=features[:, n:])
        features /= np.sqrt(n)
        return features

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        """Return the inner products of the derivatives of both samples' features."""
        check_axes(X, Z, left, right)
        return np.asarray(self._moved(X, left) @ self._moved(Z, right).T)

    def _moved(self, X: Samples, axes: Axes) -> Matrix:
        """Return the derivatives of the features: d(cos w'x, sin w'x)/dx_a = w_a (-sin w'x, cos w'x)."""
        features = self.features(X)
        for axis in axes:
            cosines, sines = np.hsplit(features, 2)
            features = np.hstack([-sines, cosines]) * np.tile(self.drawn[:, axis], 2)
        return features

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        left = self.features(X)
        return np.asarray(left @ (left if X is Z else self.features(Z)).T)

    def diagonal(self, X: Samples) -> Vector:
        return np.ones(X.shape[0])
