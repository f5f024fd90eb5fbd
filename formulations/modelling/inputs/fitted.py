# SPDX-License-Identifier: BSD-3-Clause
"""The samples, labels and parameters that a fitted estimator kept, compared with those of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from formulations.modelling.inputs.estimators import Coefficients, cost_of_ridge, on_host, read_coefficients
from formulations.modelling.inputs.restating import Restatable
from qpkernels.arrays import Indices, Vector, is_scalar, is_sparse, shown
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels import FunctionKernel, Kernel, Precomputed
from qpkernels.kernels.catalogue import NAMED

__all__ = ["coefficients_for", "kept_rows", "named_kernel", "require_classes", "require_model", "require_rows"]

_SAME = 1e-9
"""Relative difference of two parameters, or kernel values, that may be the rounding of one number."""

_PROBES = 50
"""Samples at most whose kernel values tell two kernels apart."""

_INSTEAD = "pass it to a model of its own, or to audit(estimator, X, y), which states that."


def named_kernel(name: str, gamma: Callable[[], float], degree: int, coef0: float) -> Kernel | None:
    """Return the kernel that scikit-learn calls by that name, or None if there is no such class here.

    Parameters
    ----------
    gamma
        A callable that gives the gamma of kernels that have one.
    """
    kind = NAMED.get(name.lower())
    if kind is None or not kind.entry.scikit_learn:
        return None
    given: dict[str, Callable[[], float]] = {"gamma": gamma, "degree": lambda: degree, "coef0": lambda: coef0}
    values = {}
    for each in kind.entry.own:
        values[each.name] = given[each.name]()
    kernel: Kernel = kind.named(**values)
    return kernel


def kept_rows(rows: Any, features: int) -> Any:
    """Return the samples that an estimator of any library kept; sparse ones are as wide as the samples."""
    found: Any = rows.get() if hasattr(rows, "get") and not is_sparse(rows) else rows
    if not is_sparse(found):
        try:
            return on_host(found).astype(np.float64)
        except (TypeError, ValueError):
            raise ParameterError(
                f"the estimator must have kept samples of real numbers, but it has {shown(rows)}; fit it again."
            ) from None
    listed = found.tocsr().astype(np.float64)
    shape = (listed.shape[0], max(features, listed.shape[1]))
    return csr_array((listed.data, listed.indices, listed.indptr), shape=shape)


def require_rows(X: Any, kept: Any, numbers: Indices) -> None:
    """Refuse samples whose rows of these numbers are not those that the estimator kept.

    Estimators of single precision have kept them rounded.

    Raises
    ------
    ParameterError
        If one differs; the message names the first.
    """
    found = X[numbers]
    if found.shape != kept.shape:
        raise ShapeError(f"the estimator kept samples of shape {kept.shape}, but those of X are of {found.shape}.")
    if is_sparse(found) or is_sparse(kept):
        difference = abs(csr_array(found) - csr_array(kept))
        limit = abs(csr_array(kept)).max(axis=1).toarray().ravel() if kept.shape[0] else np.zeros(0)
        worst = difference.max(axis=1).toarray().ravel() if kept.shape[0] else np.zeros(0)
    else:
        worst = np.abs(found - kept).max(axis=1, initial=0.0)
        limit = np.abs(kept).max(axis=1, initial=0.0)
    others = np.flatnonzero(worst > float(np.finfo(np.float32).eps) * limit)
    if others.size:
        first = int(numbers[others[0]])
        raise ParameterError(
            f"sample {first} of X is not the one that the estimator was fitted to, and so {others.size} of the "
            f"{numbers.size} that it kept differ; pass the X that it was fitted to, in the same order."
        )


def require_classes(support: Indices, own: NDArray[Any], classes: NDArray[Any], counts: Indices) -> None:
    """Refuse labels ``own`` of support vectors that are not those of the fit.

    LIBSVM has them class by class. With two classes, scikit-learn-intelex has them in the order of the samples, so that
    only their number is known.

    Raises
    ------
    ParameterError
        If one differs; the message names the first.
    """
    if (np.diff(support) > 0).all():
        present = np.array([np.count_nonzero(own == label) for label in classes])
        if not np.array_equal(present, counts):
            raise ParameterError(
                f"the estimator has {counts.tolist()} support vectors of the classes {classes.tolist()}, but by y they "
                f"are {present.tolist()}; pass the y that it was fitted to, in the same order."
            )
        return
    expected = np.repeat(classes, counts)
    others = np.flatnonzero(expected != own)
    if others.size:
        first = others[0]
        raise ParameterError(
            f"sample {support[first]} was of class {expected.tolist()[first]!r} when the estimator was fitted, but y "
            f"has {own.tolist()[first]!r}, and so {others.size} of its {own.size} support vectors differ; pass the y "
            "that it was fitted to, in the same order."
        )


def coefficients_for(
    model: Restatable, estimator: Any, translate: Callable[[Coefficients], tuple[Vector, float]]
) -> tuple[Vector, float]:
    """Read (beta, b) from an estimator that is not known to answer another problem; see :func:`require_model`."""
    point = translate(read_coefficients(estimator, len(model)))
    require_model(model, estimator)
    return point


def require_model(model: Restatable, estimator: Any) -> None:
    """Refuse a fitted estimator that is known to answer another problem than the model.

    Its kernel, by kernel values, its parameters C, epsilon, nu and alpha, its support vectors and their labels are
    compared with the model. The weights and targets of samples, which an estimator does not keep, are checked by the
    certificate.

    Raises
    ------
    ParameterError, ShapeError
        If one differs; the message says what was expected, and what came.
    """
    labels = _labels(model, estimator)
    parameters: dict[str, Any] = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    _require_samples(model, estimator, labels)
    _require_kernel(model, estimator, parameters)
    _require_parameters(model, estimator, parameters, labels)


def _labels(model: Any, estimator: Any) -> NDArray[Any] | None:
    """Return the labels of the samples, where both have the same two classes."""
    classes, theirs = getattr(model, "classes", None), getattr(estimator, "classes_", None)
    if classes is None or theirs is None or not np.array_equal(classes, on_host(theirs)):
        return None
    labels: NDArray[Any] = classes[(model.y > 0).astype(np.intp)]
    return labels


def _require_samples(model: Restatable, estimator: Any, labels: NDArray[Any] | None) -> None:
    X, features = model.gram.X, getattr(estimator, "n_features_in_", None)
    if not (is_sparse(X) or (X.ndim == 2 and X.dtype.kind == "f")) or _by_values(model, estimator):
        return
    if features is not None and features != X.shape[1]:
        raise ShapeError(
            f"the estimator was fitted to samples of {features} features, but those of the model have {X.shape[1]}; "
            f"{_INSTEAD}"
        )
    kept = getattr(estimator, "support_vectors_", getattr(estimator, "X_fit_", None))
    if kept is None:
        return
    support = np.ravel(on_host(getattr(estimator, "support_", np.arange(len(model))))).astype(np.intp)
    require_rows(X, kept_rows(kept, X.shape[1]), support)
    counts = np.ravel(on_host(getattr(estimator, "n_support_", 0))).astype(np.intp)
    if labels is not None and counts.size == 2:
        require_classes(support, labels[support], on_host(estimator.classes_), counts)


def _by_values(model: Restatable, estimator: Any) -> bool:
    """Return whether one of them knows kernel values only."""
    kernel = getattr(estimator, "kernel", None)
    function = callable(kernel) and not isinstance(kernel, Kernel)
    return function or str(kernel) == "precomputed" or isinstance(model.gram.kernel, Precomputed | FunctionKernel)


def _require_kernel(model: Restatable, estimator: Any, parameters: dict[str, Any]) -> None:
    own = None if _by_values(model, estimator) else _kernel_of(estimator, parameters)
    kernel, X = model.gram.kernel, model.gram.X
    if own is None or own == kernel:
        return
    some = X[np.unique(np.linspace(0, len(model) - 1, _PROBES).astype(np.intp))]
    ours, theirs = kernel.matrix(some, some), own.matrix(some, some)
    if np.abs(ours - theirs).max() > _SAME * np.abs(ours).max():
        raise ParameterError(f"the estimator was fitted with {own!r}, but the model has {kernel!r}; {_INSTEAD}")


def _kernel_of(estimator: Any, parameters: dict[str, Any]) -> Kernel | None:
    """Return the kernel of a fitted estimator; None: it cannot be told."""
    name, gamma = parameters.get("kernel", "linear" if hasattr(estimator, "coef_") else None), parameters.get("gamma")
    if isinstance(name, Kernel) or not isinstance(name, str):
        return name if isinstance(name, Kernel) else None
    if hasattr(estimator, "model_"):
        kernel: Kernel = estimator.model_.gram.kernel
        return kernel
    if not is_scalar(gamma) or isinstance(gamma, str):
        gamma = getattr(estimator, "_gamma", None)
    if gamma is None and hasattr(estimator, "X_fit_"):
        gamma = 1.0 / estimator.X_fit_.shape[1]
    if gamma is None and name != "linear":
        return None
    width = 1.0 if gamma is None else float(gamma)
    return named_kernel(name, lambda: width, parameters.get("degree", 3), parameters.get("coef0", 0.0))


def _require_parameters(
    model: Restatable, estimator: Any, parameters: dict[str, Any], labels: NDArray[Any] | None
) -> None:
    known = model.entry.names
    for name, own in _own_parameters(model, estimator, parameters).items():
        if name not in known or not is_scalar(own):
            continue
        ours, weights = model.of_present(model.value_of(name)), _class_weights(estimator, labels)
        theirs = np.broadcast_to(float(own) * (model.of_present(weights) if name == "C" else 1.0), ours.shape)
        if _differ(ours, theirs) and not (name == "C" and _weighed(estimator, ours, theirs)):
            raise ParameterError(
                f"the estimator was fitted with {_said(name, theirs)}, but the model has {_said(name, ours)}; "
                f"{_INSTEAD}"
            )


def _own_parameters(model: Restatable, estimator: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of the estimator by their names in the model."""
    own: dict[str, Any] = {name: parameters[name] for name in ("C", "epsilon", "nu") if name in parameters}
    penalty = parameters.get("alpha")
    if is_scalar(penalty) and isinstance(penalty, float | int | np.number) and penalty > 0:
        match type(estimator).__name__, model.name:
            case "KernelRidge", "KernelRidge":
                own["regularisation"] = penalty
            case "Ridge", "LeastSquares":
                own["C"] = cost_of_ridge(float(penalty))
    return own


def _class_weights(estimator: Any, labels: NDArray[Any] | None) -> Vector | float:
    """Return the weight of the class of each sample."""
    weights = getattr(estimator, "class_weight_", None)
    if labels is None or weights is None:
        return 1.0
    return on_host(weights).astype(np.float64)[np.searchsorted(on_host(estimator.classes_), labels)]


def _differ(ours: Vector, theirs: Vector) -> bool:
    return bool((np.abs(ours - theirs) > _SAME * np.abs(theirs)).any())


def _weighed(estimator: Any, ours: Vector, theirs: Vector) -> bool:
    """Return whether weights of samples, which estimators do not keep, may be what the costs differ by."""
    largest = float(np.abs(on_host(getattr(estimator, "dual_coef_", 0.0))).max(initial=0.0))
    ratio = ours / theirs
    varied = min(np.ptp(ours), np.ptp(ratio)) > _SAME * min(float(ours.max()), float(ratio.max()))
    return bool(varied or largest > (1.0 + _SAME) * theirs.max())


def _said(name: str, values: Vector) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{name} = {low:g}" if low == high else f"{name} from {low:g} to {high:g}"
