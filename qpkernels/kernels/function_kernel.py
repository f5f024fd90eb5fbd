# SPDX-License-Identifier: BSD-3-Clause
"""A kernel as a plain function of two sets of samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix, Vector, finite_samples, is_sparse, read_array, shown
from qpkernels.arrays.checks import float_array
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels.kernel import Kernel, Samples

__all__ = [
    "FunctionKernel",
    "as_kernel",
]

_BLOCK = 16
"""Samples whose matrix is asked for at once where only its diagonal is wanted."""


@dataclass(frozen=True)
class FunctionKernel(Kernel):
    """A kernel k(x, z) given by a function of two sets of samples that returns the matrix of all pairs.

    The library knows nothing about the function, so every model that uses it checks the matrix for shape, symmetry and
    negative eigenvalues. Two such kernels are equal if they have the same function. A file cannot hold such a kernel;
    write a kernel class of your own if you need to save it.

    Parameters
    ----------
    function
        Takes m and n samples and returns their kernel values, shape (m, n), dense or sparse. The value of a pair must
        depend on that pair alone. Samples that are numbers are passed as a float64 matrix or csr_array, and any others
        as an array of the objects given, shape (m,).

    Raises
    ------
    ParameterError
        If ``function`` is not a function.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import FunctionKernel
    >>> kernel = FunctionKernel(lambda X, Z: np.minimum.outer(X[:, 0], Z[:, 0]))
    >>> print(kernel([[1.0], [2.0]], [[1.5], [3.0]]))
    [[1.  1. ]
     [1.5 2. ]]
    """

    function: Callable[[Any, Any], ArrayLike]

    def __post_init__(self) -> None:
        if not callable(self.function) or isinstance(self.function, type):
            raise ParameterError(
                f"a FunctionKernel takes a function of two sets of samples, but {shown(self.function)} came."
            )

    def __repr__(self) -> str:
        return f"FunctionKernel({getattr(self.function, '__name__', None) or shown(self.function)})"

    def formula(self, x: str = "x", z: str = "z") -> str:
        """Return the call of the function."""
        name = getattr(self.function, "__name__", "")
        return f"{name if name.isidentifier() else 'f'}({x}, {z})"

    @property
    def takes_sparse(self) -> bool:
        """True: what the function takes is its own business."""
        return True

    def samples(self, X: ArrayLike) -> Samples:
        """Return a matrix of numbers unchanged, and any other list as an array of its objects, shape (m,).

        Raises
        ------
        ShapeError, NonFiniteError
            If ``X`` is an array with other dimensions, is empty, or holds NaN or infinity.
        """
        if is_sparse(X):
            return finite_samples(X, "X")
        whole = X if isinstance(X, np.ndarray) else np.asarray(X) if hasattr(X, "__array__") else _objects(X)
        if whole.dtype.kind in "biuf" and whole.ndim != 1:
            return finite_samples(whole, "X")
        if whole.ndim != 1 or whole.size == 0:
            raise ShapeError(
                f"X must list samples, at least one, but an array of type {whole.dtype} and shape {whole.shape} came; "
                "pass a list of the objects."
            )
        return whole.copy()

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        made: Any = self.function(X, Z)
        values = float_array(made.toarray() if is_sparse(made) else made, f"what {self!r} returns")
        expected = (int(X.shape[0]), int(Z.shape[0]))
        if values.shape != expected:
            raise ShapeError(
                f"what {self!r} returns must have an entry for each pair of samples, shape {expected} of {expected[0]} "
                f"and {expected[1]}, but its shape is {values.shape}."
            )
        return values

    def diagonal(self, X: Samples) -> Vector:
        parts = (X[start : start + _BLOCK] for start in range(0, int(X.shape[0]), _BLOCK))
        return np.concatenate([self.matrix(part, part).diagonal() for part in parts])


def as_kernel(kernel: object) -> Kernel:
    """Return a kernel unchanged, and a plain function as a :class:`FunctionKernel`.

    Parameters
    ----------
    kernel
        A kernel, or a function of two samples, or of two matrices, that returns numbers.

    Raises
    ------
    ParameterError
        If it is neither a kernel nor a function.
    """
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel) and not isinstance(kernel, type):
        return FunctionKernel(kernel)
    hint = f"; write {kernel.__name__}(...)" if isinstance(kernel, type) and issubclass(kernel, Kernel) else ""
    raise ParameterError(
        "kernel must be a Kernel object, such as RBF(gamma=0.1), or a function of two sets of samples, but "
        f"{shown(kernel)} came{hint}."
    )


def _objects(X: Any) -> np.ndarray:
    """Return a list of rows of numbers as a matrix, and a list of anything else as an array of its items."""
    if isinstance(X, str | bytes) or not hasattr(X, "__len__"):
        raise ShapeError(f"X must list samples, but {shown(X)} came; write [{shown(X)}].")
    items = list(X)
    if items and all(isinstance(item, list | tuple) and all(map(_is_number, item)) for item in items):
        return read_array(items, "X")
    array = np.empty(len(items), dtype=object)
    for number, item in enumerate(items):
        array[number] = item
    return array


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number)
