# SPDX-License-Identifier: BSD-3-Clause
"""Answers of scikit-learn's estimators, and hyper-parameters of other scalings translated to ours.

SVC, SVR, NuSVR, LogisticRegression and LinearSVC weigh their losses by C as the models here do, and NuSVC, NuSVR and
OneClassSVM have the same nu. The differences are translated below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, get_index_dtype

from qpkernels.arrays import Samples, Vector, check_count, check_positive, finite_samples, is_sparse
from qpkernels.errors import ParameterError, ShapeError

__all__ = [
    "Coefficients",
    "append_constant",
    "cost_of_ridge",
    "is_estimator",
    "on_host",
    "read_coefficients",
    "scale_of_one_class",
    "with_constant",
]


@dataclass(frozen=True, eq=False)
class Coefficients:
    """The numbers that a fitted estimator holds, in its own scaling.

    Attributes
    ----------
    dual
        dual_coef_ spread over all m samples.
    intercept
        intercept_, or 0 without one.
    classes
        classes_, or None.
    """

    dual: Vector
    intercept: float
    classes: NDArray[Any] | None


def on_host(values: Any) -> NDArray[Any]:
    """Return an array of any library, on a device or not, sparse or not, as a dense NumPy array."""
    for method in ("get", "to_numpy"):
        if hasattr(values, method) and not isinstance(values, np.ndarray):
            values = getattr(values, method)()
    return np.asarray(values.toarray() if is_sparse(values) or hasattr(values, "toarray") else values)


def read_coefficients(estimator: Any, samples: int) -> Coefficients:
    """Read SVC, NuSVC, SVR, NuSVR, OneClassSVM (support_, dual_coef_, intercept_) or KernelRidge (dual_coef_).

    Raises
    ------
    ShapeError
        If the estimator was fitted to other samples, or to several outputs.
    """
    coefficients = np.atleast_2d(on_host(estimator.dual_coef_).astype(np.float64))
    if coefficients.shape[1] == 1 and not hasattr(estimator, "support_"):
        coefficients = coefficients.T
    classes = getattr(estimator, "classes_", None)
    if coefficients.shape[0] != 1 and classes is None:
        raise ShapeError(
            f"the estimator must have one output, but it has {coefficients.shape[0]}; certify one at a time."
        )
    support = np.asarray(getattr(estimator, "support_", np.arange(coefficients.shape[1])))
    fitted = getattr(
        estimator, "shape_fit_", (coefficients.shape[1] if not hasattr(estimator, "support_") else samples,)
    )[0]
    if fitted != samples or (support.size and support.max() >= samples):
        raise ShapeError(f"the estimator must be fitted to these {samples} samples, but it was fitted to {fitted}.")
    beta = np.zeros(samples)
    beta[support] = coefficients[0]
    return Coefficients(beta, float(np.ravel(getattr(estimator, "intercept_", 0.0))[0]), classes)


def is_estimator(answer: object) -> bool:
    """Return whether :func:`read_coefficients` can read an object; False if it is not an estimator.

    Raises
    ------
    NotFittedError
        If it is an estimator that is not fitted; the error is scikit-learn's.
    ParameterError
        If it is a fitted estimator without coefficients of samples.
    """
    if isinstance(answer, type) or hasattr(answer, "dual_coef_") or not hasattr(answer, "fit"):
        return not isinstance(answer, type) and hasattr(answer, "dual_coef_")
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    name = type(answer).__name__
    try:
        check_is_fitted(answer)
    except (NotFittedError, TypeError):
        raise NotFittedError(f"this {name} is not fitted yet; call fit on the samples of the model first.") from None
    raise ParameterError(
        f"a fitted {name} holds no coefficients of samples, dual_coef_, which the proof needs: SVC, NuSVC, SVR, NuSVR, "
        "OneClassSVM and KernelRidge do. For a pipeline or a search, pass the estimator in it to the model of the "
        "samples that it was given; for a linear model, pass the pair (beta, b)."
    )


def cost_of_ridge(ridge: float) -> float:
    """Return C = 1 / lambda: sum r_i^2 + lambda ||f||^2 has the minimiser of 1/2 ||f||^2 + C/2 sum r_i^2.

    lambda is ``alpha`` of scikit-learn's Ridge, and C that of LeastSquares. The ``alpha`` of its KernelRidge, which has
    no intercept, is the ``regularisation`` of the model KernelRidge.

    Parameters
    ----------
    ridge
        lambda, above 0.
    """
    return 1.0 / check_positive(ridge, "lambda")


def scale_of_one_class(nu: float, samples: int) -> float:
    """Return nu m, the decision value of LIBSVM's and scikit-learn's OneClassSVM over f(x) - rho of OneClass.

    Their multipliers lie between 0 and 1 and add up to nu m; ours lie between 0 and 1/(nu m) and add up to 1.

    Parameters
    ----------
    nu
        Above 0 and at most 1.
    samples
        m, at least 1.
    """
    if check_positive(nu, "nu") > 1:
        raise ParameterError(f"nu must be a number above 0 and at most 1, but {nu} came.")
    return float(nu) * check_count(samples, "the number of samples")


def with_constant(X: ArrayLike, scaling: float = 1.0) -> Samples:
    """Return the samples (x_i, s): a model without intercept on them has the penalised intercept of LIBLINEAR, b = s w.

    LIBLINEAR (and with it scikit-learn's LinearSVC, LinearSVR and LogisticRegression) minimises 1/2 (||w||^2 + (b /
    s)^2) + C sum L_i, with the same C as ours.

    Parameters
    ----------
    X
        Samples, shape (m, d), dense or sparse.
    scaling
        s, above 0: ``intercept_scaling`` of the estimator. Raising it penalises b less.

    Returns
    -------
    Samples
        Shape (m, d + 1); a csr_array if ``X`` is sparse.
    """
    return append_constant(finite_samples(X, "X"), check_positive(scaling, "scaling"))


def append_constant(samples: Samples, constant: float) -> Samples:
    """Return samples, whose sparse kind is CSR, with one more feature that is constant; they are not checked."""
    m, d = samples.shape
    if not is_sparse(samples):
        return np.hstack([samples, np.full((m, 1), constant)])
    # Each row is longer by one entry, its last.
    indices = get_index_dtype(maxval=max(int(samples.indptr[-1]) + m, d))
    starts = (samples.indptr + np.arange(m + 1)).astype(indices)
    values, columns = np.full(starts[-1], constant), np.full(starts[-1], d, indices)
    others = np.ones(values.size, np.bool_)
    others[starts[1:] - 1] = False
    end = samples.indptr[-1]
    values[others], columns[others] = samples.data[:end], samples.indices[:end]
    return csr_array((values, columns, starts), shape=(m, d + 1))
