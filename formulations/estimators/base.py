# SPDX-License-Identifier: BSD-3-Clause
"""What all estimators share: from the arrays of a user to samples in the space of a kernel, and a proved answer."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix, issparse, sparray
from sklearn.utils.validation import check_is_fitted, validate_data

from formulations.estimators.inputs.kernels import Functions, Indefinite, KernelLike, Space, space_of
from formulations.estimators.proved import ProvedEstimator
from formulations.inputs.samples import BoundSamples
from formulations.modelling import Solution
from qpkernels.arrays import Indices, Matrix, Vector, check_flag, check_positive, is_sparse
from qpkernels.errors import ParameterError
from qpkernels.kernels import Kernel, Linear

__all__ = ["CACHE_SIZE", "KernelMachine", "Training", "as_sparse_as"]

CACHE_SIZE = 2048.0
"""MiB for rows of the kernel matrix where nobody says otherwise."""


@dataclass(frozen=True, eq=False)
class Training:
    """The samples of a fit.

    Attributes
    ----------
    space
        All samples given, in the space of the kernel.
    data
        Those with a weight above 0, bound to it.
    rows
        Their numbers among all.
    weights
        Their weights.
    """

    space: Space
    data: BoundSamples
    rows: Indices
    weights: Vector


@dataclass(kw_only=True, eq=False, repr=False)
class KernelMachine(ProvedEstimator):
    """An estimator whose functions are sums of kernel values with the samples.

    Every subclass has the parameters below, and its own; as fields of a dataclass they are those of its constructor.

    Parameters
    ----------
    kernel
        "linear", "poly", "rbf", "sigmoid", "precomputed" (X is then the matrix of kernel values), a Kernel object, or a
        function of two lists of samples that returns their matrix. Parameters of an object can be searched over:
        ``kernel__gamma``.
    gamma, degree, coef0
        Parameters of the named kernels: exp(-gamma ||x - z||^2), (gamma x'z + coef0)^degree, tanh(gamma x'z + coef0).
        gamma is a number above 0, "scale" for 1 / (features * variance of X), or "auto" for 1 / features.
    tol, solver, time_limit, strict, verbose
        As in :class:`~formulations.estimators.proved.ProvedEstimator`.
    max_iter
        Limit in the solver's iterations; -1: none.
    cache_size, shrinking
        Of smo, wherever that is asked: MiB for rows of the kernel matrix (scikit-learn has 200), and whether samples
        that are not likely to change are left out until the end.
    indefinite
        What becomes of a kernel matrix with a negative eigenvalue: "refuse", "clip" or "shift" it; see Gram.
    """

    kernel: KernelLike = "rbf"
    degree: int = 3
    gamma: float | str = "scale"
    coef0: float = 0.0
    cache_size: float = CACHE_SIZE
    shrinking: bool = True
    max_iter: int = -1
    indefinite: Indefinite = "refuse"

    if TYPE_CHECKING:
        # What a fit leaves behind, beside attributes of the subclass.
        support_: Indices
        support_vectors_: Any
        dual_coef_: Any
        intercept_: Vector
        n_iter_: Any
        shape_fit_: tuple[int, ...]
        n_features_in_: int
        _functions: Functions

    def __sklearn_tags__(self) -> Any:
        """Return the tags: sparse samples are taken, and a matrix of kernel values is cut along both axes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    # Parameters -----------------------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; if ``deep``, those of a kernel object as kernel__NAME as well."""
        own: dict[str, Any] = super().get_params(deep)
        if deep and isinstance(self.kernel, Kernel):
            own |= {f"kernel__{name}": value for name, value in _fields(self.kernel).items()}
        return own

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; kernel__NAME puts a kernel with another value of NAME in the place of the kernel."""
        nested = {name: params.pop(name) for name in list(params) if name.startswith("kernel__")}
        super().set_params(**params)
        changes = {name.removeprefix("kernel__"): value for name, value in nested.items()}
        if changes:
            self.kernel = _changed(self.kernel, changes)
        return self

    # Fitting --------------------------------------------------------------------------------------------------

    def _samples(self, X: Any, y: Any = "no_validation", *, reset: bool) -> Any:
        """Return samples as the kernel takes them, their names and number of features being those of the fit.

        With a y, which a function or an object may take along with samples of any kind, return both.
        """
        if isinstance(self.kernel, str):
            if self.kernel == "precomputed" and issparse(X):
                raise TypeError("Sparse precomputed kernels are not supported; pass the matrix as an array.")
            sparse = False if self.kernel == "precomputed" else "csr"
            return validate_data(self, X, y, reset=reset, dtype=np.float64, order="C", accept_sparse=sparse)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        if isinstance(self.kernel, Kernel):
            validate_data(self, X, reset=reset, skip_check_array=True)
            X = self.kernel.samples(X)
        return X if isinstance(y, str) else (X, y)

    def _train_on(self, X: Any, weights: Vector, costs: Vector | None = None) -> Training:
        """Return the samples that count: ``weights`` say how often, ``costs``, if others, what their losses cost."""
        costs = weights if costs is None else costs
        space = space_of(self.kernel, X, weights, gamma=self.gamma, degree=self.degree, coef0=self.coef0)
        rows = np.flatnonzero(costs)
        everyone = rows.size == costs.size
        gram = space.gram(None if everyone else rows, self.indefinite)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (costs.size,)
        return Training(space, BoundSamples(gram, explicit=False), rows, costs[rows])

    def _limits(self) -> dict[str, Any]:
        """Return what a solver is asked for."""
        if not (self.max_iter == -1 or self.max_iter >= 1):
            raise ParameterError(f"max_iter must be at least 1, or -1 for no limit, but {self.max_iter} came.")
        of_smo: dict[str, Any] = {}
        if self.solver in (None, "smo"):
            of_smo["cache_size"] = check_positive(self.cache_size, "cache_size")
            if not check_flag(self.shrinking, "shrinking"):
                of_smo["shrinking"] = False
        return {
            **self._request(),
            **of_smo,
            "max_iter": None if self.max_iter == -1 else self.max_iter,
        }

    def _keep_function(self, training: Training, X: Any, solution: Solution, scale: float) -> None:
        """Read off the attributes of a single function, which is so many times that of the solution."""
        beta = scale * solution.beta
        used = np.flatnonzero(beta)
        self.support_ = training.rows[used].astype(np.int32)
        self.support_vectors_ = self._rows_of(X, self.support_)
        self.dual_coef_ = as_sparse_as(X, beta[None, used])
        self.intercept_ = np.array([scale * solution.intercept])
        self.n_iter_ = max(1, solution.iterations or 1)
        self._functions = training.space.functions(self.support_, beta[used, None], self.intercept_)

    def _rows_of(self, X: Any, rows: Indices) -> Any:
        """Return the samples of these numbers; none of a matrix of kernel values, or of what has no features."""
        by_values = not isinstance(self.kernel, Kernel) and (callable(self.kernel) or self.kernel == "precomputed")
        return np.empty((0, 0)) if by_values else X[rows]

    # Answers --------------------------------------------------------------------------------------------------

    def _values(self, X: Any) -> Matrix:
        """Return the values of all functions at new samples."""
        check_is_fitted(self, "solution_")
        X = self._samples(X, reset=False)
        return self._functions(X)

    @property
    def coef_(self) -> Any:
        """Weights of the features, one function a row, shape (functions, features); with the linear kernel only.

        They are sparse if the samples are, and read-only.
        """
        if not (self.kernel == "linear" or isinstance(self.kernel, Linear)):
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self, "solution_")
        weights: Any = self._machine_coefficients() @ self.support_vectors_
        (weights.data if is_sparse(weights) else weights).flags.writeable = False
        return weights

    def _machine_coefficients(self) -> Any:
        """Return the coefficients of all functions, one a row, shape (functions, support vectors)."""
        return self.dual_coef_

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors, of each class where there are classes."""
        if not hasattr(self, "support_"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet, so that it has no support vectors")
        return self._counts()

    def _counts(self) -> NDArray[np.int32]:
        return np.array([self.support_.size], dtype=np.int32)


def as_sparse_as(X: Any, coefficients: Matrix) -> Any:
    """Return coefficients as LIBSVM's wrapper has them: sparse where the samples are, and of their kind."""
    if not issparse(X):
        return coefficients
    return (csr_array if isinstance(X, sparray) else csr_matrix)(coefficients)


def _fields(kernel: Kernel) -> dict[str, Any]:
    """Return the parameters of a kernel, those of kernels in it under their name and two underscores."""
    found: dict[str, Any] = {}
    for each in dataclasses.fields(kernel):  # type: ignore[arg-type]
        value = getattr(kernel, each.name)
        found[each.name] = value
        if isinstance(value, Kernel):
            found |= {f"{each.name}__{name}": inner for name, inner in _fields(value).items()}
    return found


def _changed(kernel: Any, changes: dict[str, Any]) -> Kernel:
    """Return a kernel with other values of its parameters."""
    if not isinstance(kernel, Kernel):
        raise ParameterError(
            f"kernel__{next(iter(changes))} is a parameter of a Kernel object, but kernel is {kernel!r}; the named "
            "kernels have gamma, degree and coef0."
        )
    own: dict[str, Any] = {}
    inner: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        first, _, rest = name.partition("__")
        if rest:
            inner.setdefault(first, {})[rest] = value
        else:
            own[first] = value
    known = {each.name for each in dataclasses.fields(kernel)}  # type: ignore[arg-type]
    if unknown := sorted((own.keys() | inner.keys()) - known):
        has = f"it has {', '.join(sorted(known))}" if known else "it has none"
        raise ParameterError(f"the kernel {kernel!r} has no parameter {unknown[0]!r}; {has}.")
    own |= {name: _changed(getattr(kernel, name), rest) for name, rest in inner.items()}
    return dataclasses.replace(kernel, **own)  # type: ignore[type-var]
