# SPDX-License-Identifier: BSD-3-Clause
"""What relevance machines share: samples bound to a kernel, the columns [1, K], and targets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from formulations.relevance.answer import RelevanceSolution
from formulations.samples import bind
from qpkernels.arrays import Matrix, Vector, check_positive, finite_vector, frozen
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel

__all__ = ["RelevanceMachine", "check_limits", "initial_alphas", "noise_floor", "one_target"]

_FLOOR = 1e-10
"""Smallest learned variance of the noise, against the mean square of the targets."""

_WIDE = 100.0
"""Prior variance of the values of one column at the wide start, against that of the targets."""


class RelevanceMachine(ABC):
    r"""Weights w ~ N(0, diag(alpha)^-1) of the columns Phi = [1, K], with alpha where the evidence is largest.

    A column is a function k(x_j, .), or the constant, and nothing is asked of k: it need not be positive semidefinite.
    Most alphas become infinite and their weights 0; the samples of the others are the relevance vectors. The bias has
    an alpha like every weight. Where no kernel weight is left, the function is the bias, and predicts like any other.

    A machine is frozen once it is stated.

    Parameters
    ----------
    X
        The samples, as the kernel takes them, or a Gram, which has its kernel already.
    y
        One target, or one label, a sample.
    kernel
        The kernel; left out only if X is a Gram.

    Attributes
    ----------
    gram
        The kernel matrix of the samples.
    columns
        Phi, shape (m, m + 1), read-only.
    """

    catalogue: ClassVar[str]
    """Id of the problem in the catalogue of models."""

    gram: Gram
    columns: Matrix

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute while the machine is being stated; refuse afterwards."""
        if "_frozen" in self.__dict__:
            raise AttributeError(f"a {self.name} is frozen, so {name!r} cannot be set; state a new one.")
        super().__setattr__(name, value)

    def freeze(self) -> None:
        """Refuse further attributes: the machine is stated."""
        self.__dict__["_frozen"] = True

    def __len__(self) -> int:
        """Return the number m of samples."""
        return len(self.gram)

    @property
    def name(self) -> str:
        """Name of the machine."""
        return type(self).__name__

    @abstractmethod
    def solve(self, *, max_iter: int = 1000, tol: float = 1e-6) -> RelevanceSolution:
        """Raise the evidence until it is stationary to ``tol``, or ``max_iter`` iterations are done.

        Parameters
        ----------
        max_iter
            At least 1. A machine that stops here says so: ``converged`` is false, its answer the best so far.
        tol
            Above 0: what every measure of :class:`~formulations.relevance.evidence.Stationarity` must be within.
        """

    def _bind(self, X: ArrayLike | Gram, kernel: Kernel | None) -> None:
        if not isinstance(X, Gram) and not isinstance(kernel, Kernel):
            raise ParameterError(
                f"a {self.name} needs a Kernel object, such as RBF(gamma=0.1), but {kernel!r} came; "
                "weights of the features themselves are those of Linear()."
            )
        self.gram = bind(X, kernel)
        self.columns = frozen(np.hstack([np.ones((len(self.gram), 1)), self.gram.dense]))


def one_target(y: ArrayLike, samples: int) -> Vector:
    """Return ``y`` as a vector of finite numbers, one a sample, whose squares are finite too.

    Raises
    ------
    ShapeError
        If y is no vector of that many numbers.
    NonFiniteError
        If it holds NaN or infinity, or numbers whose squares overflow.
    """
    shape = np.shape(y)
    if len(shape) == 2:
        raise ShapeError(
            f"y must hold one target a sample, but its shape is {shape}; "
            + ("pass y.ravel()." if shape[1] == 1 else "fit one machine for each column of y.")
        )
    if len(shape) != 1:
        raise ShapeError(f"y must have one dimension, one target a sample, but its shape is {shape}.")
    targets = finite_vector(y, "y", samples)
    largest = float(np.abs(targets).max())
    if largest > 0 and not 1e-100 < largest < 1e100:
        raise NonFiniteError(f"the squares of y leave float64, since max |y| is {largest:g}; scale the targets.")
    return np.asarray(frozen(targets))


def noise_floor(t: Vector) -> float:
    """Return the smallest variance that a learned noise may take: 1e-10 of the mean square of the targets."""
    return _FLOOR * (float(t @ t) / t.size or 1.0)


def initial_alphas(columns: Matrix, variance: float) -> tuple[Vector, Vector]:
    """Return the two starts of the search: alphas of a narrow and of a wide prior; inf where there is nothing.

    In the narrow one all columns together have the prior variance ``variance``; in the wide one each has 100 times it.
    From the narrow start alone the search misses functions whose weights cancel each other; from the wide one alone it
    ends lower on data without such functions.
    """
    squares = (columns**2).mean(axis=0)
    narrow, wide = (
        np.divide(squares, share * variance, out=np.full(squares.size, np.inf), where=squares * variance > 0)
        for share in (1.0 / squares.size, _WIDE)
    )
    return narrow, wide


def check_limits(max_iter: int, tol: float) -> None:
    """Refuse limits of :meth:`RelevanceMachine.solve` outside their range."""
    check_positive(tol, "tol")
    if not (isinstance(max_iter, int | np.integer) and not isinstance(max_iter, bool) and max_iter >= 1):
        raise ParameterError(f"max_iter must be an integer of at least 1, but {max_iter!r} came.")
