# SPDX-License-Identifier: BSD-3-Clause
"""What all estimators share: from the arrays of a user to samples in the space of a kernel, and a proved answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix, issparse, sparray
from sklearn.utils.validation import check_is_fitted

from formulations.estimators.inputs.kernels import space_of
from formulations.estimators.inputs.spaces import Functions, Indefinite, Space, Sums
from formulations.estimators.kernelised import KernelEstimator
from formulations.estimators.proved import ProvedEstimator
from formulations.inputs.samples import BoundSamples
from formulations.modelling import Solution
from qpkernels.arrays import (
    Indices,
    Matrix,
    Vector,
    check_count,
    check_finite,
    check_flag,
    check_positive,
    is_integer,
    is_sparse,
    shown,
)
from qpkernels.errors import ParameterError
from qpkernels.functions import Expansions
from qpkernels.kernels import Kernel, Linear
from qpkernels.solvers import find_solver
from qpkernels.solvers.smo import SMO

__all__ = ["CACHE_SIZE", "KernelMachine", "Training", "as_sparse_as", "leaving"]

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
class KernelMachine(KernelEstimator, ProvedEstimator):
    """An estimator whose functions are sums of kernel values with the samples.

    Every subclass has the parameters below, and its own; as fields of a dataclass they are those of its constructor.

    Parameters
    ----------
    kernel, gamma, degree, coef0
        As in :class:`~formulations.estimators.kernelised.KernelEstimator`.
    tol, solver, time_limit, strict, verbose
        As in :class:`~formulations.estimators.proved.ProvedEstimator`.
    max_iter
        Limit in the solver's iterations; -1: none.
    cache_size, shrinking
        Of smo, wherever that is asked: MiB for rows of the kernel matrix (scikit-learn has 200), and whether samples
        that are not likely to change are left out until the end.
    indefinite
        What becomes of a kernel matrix with a negative eigenvalue: "refuse", "clip" or "shift" it; see Gram. With
        "clip" the function that predicts has coefficients of all samples, those of ``solution_.function``, and
        dual_coef_ are the multipliers.
    rank
        None: the kernel matrix as it is. Otherwise one of this rank in its place, by randomly pivoted Cholesky, for
        samples whose own does not fit; answers are proved optimal for it. See :class:`~qpkernels.LowRank`.
    """

    cache_size: float = CACHE_SIZE
    shrinking: bool = True
    max_iter: int = -1
    indefinite: Indefinite = "refuse"
    rank: int | None = None

    if TYPE_CHECKING:
        # What a fit leaves behind, beside attributes of the subclass.
        support_: Indices = field(init=False)
        support_vectors_: Any = field(init=False)
        dual_coef_: Any = field(init=False)
        intercept_: Vector = field(init=False)
        n_iter_: Any = field(init=False)
        shape_fit_: tuple[int, ...] = field(init=False)
        n_features_in_: int = field(init=False)
        _functions: Functions = field(init=False)

    # Fitting --------------------------------------------------------------------------------------------------

    def _train_on(self, X: Any, weights: Vector, costs: Vector | None = None) -> Training:
        """Return the samples that count: ``weights`` say how often, ``costs``, if others, what their losses cost."""
        costs = weights if costs is None else costs
        space = space_of(
            self.kernel, X, weights, gamma=self.gamma, degree=self.degree, coef0=self.coef0, rank=self.rank
        )
        rows = np.flatnonzero(costs)
        everyone = rows.size == costs.size
        gram = space.gram(None if everyone else rows, self.indefinite)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (costs.size,)
        return Training(space, BoundSamples(gram, explicit=False), rows, costs[rows])

    def _limits(self) -> dict[str, Any]:
        """Return what a solver is asked for."""
        if not is_integer(self.max_iter) or not (self.max_iter == -1 or self.max_iter >= 1):
            raise ParameterError(
                f"max_iter must be an integer of at least 1, or -1 for no limit, but {shown(self.max_iter)} came."
            )
        # Of a kernel that does not have them, too.
        check_count(self.degree, "degree", least=0)
        check_finite(self.coef0, "coef0")
        of_smo: dict[str, Any] = {}
        if self.solver is None or isinstance(find_solver(self.solver), SMO):
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
        # Of a clipped matrix they are others, and of all samples.
        own = training.data.gram.expansion_coefficients(beta)
        used = np.flatnonzero(own)
        self._functions = training.space.functions(training.rows[used], own[used, None], self.intercept_)

    def _rows_of(self, X: Any, rows: Indices) -> Any:
        """Return the samples of these numbers; none of a matrix of kernel values, or of what has no features."""
        by_values = not isinstance(self.kernel, Kernel) and (callable(self.kernel) or self.kernel == "precomputed")
        return np.empty((0, 0)) if by_values else X[rows]

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: of the samples the support vectors."""
        return leaving(super().__getstate__(), "support_vectors_")

    # Answers --------------------------------------------------------------------------------------------------

    def _values(self, X: Any) -> Matrix:
        """Return the values of all functions at new samples."""
        check_is_fitted(self)
        X = self._samples(X, reset=False)
        return self._functions(X)

    @property
    def coef_(self) -> Any:
        """Weights of the features, one function a row, shape (functions, features); with the linear kernel only.

        They are sparse if the samples are, and read-only.
        """
        if not (self.kernel == "linear" or isinstance(self.kernel, Linear)):
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self)
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


def leaving(state: dict[str, Any], name: str) -> dict[str, Any]:
    """Return what a pickle holds: functions with no sample that has no coefficient, and none twice.

    ``name`` is that of the attribute with the samples that have one, which may be the centers of the functions.
    """
    functions, samples = state.get("_functions"), state.get(name)
    if isinstance(functions, Sums):
        state["_functions"] = functions.alone()
    elif isinstance(functions, Expansions) and isinstance(functions.centers, np.ndarray):
        centers = functions.centers
        if isinstance(samples, np.ndarray) and samples.dtype == centers.dtype and np.array_equal(samples, centers):
            state["_functions"] = replace(functions, centers=samples)
    return state


def as_sparse_as(X: Any, coefficients: Matrix) -> Any:
    """Return coefficients as LIBSVM's wrapper has them: sparse where the samples are, and of their kind."""
    if not issparse(X):
        return coefficients
    return (csr_array if isinstance(X, sparray) else csr_matrix)(coefficients)
