# SPDX-License-Identifier: BSD-3-Clause
"""Machines that keep coefficients of support vectors: those of LIBSVM, and of libraries with the same attributes.

With several classes every pair is a machine of its own. scikit-learn (and scikit-learn-intelex, which patches it) and
cuML turn the sign of a machine of two classes, so that it is above 0 for the second one; LIBSVM's files and ThunderSVM
do not, and the intercept_ of ThunderSVM is subtracted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _num_samples

from formulations.estimators.parameters import FunctionValues, space_of
from formulations.judging.fitted_with import Sampled, Settings, numbers_of, parted, sampled, vectors
from formulations.judging.machine_audit import GivenMachine, expansion
from formulations.losses import AbsolutePower
from formulations.modelling import Model
from formulations.modelling.inputs.estimators import Coefficients, on_host
from formulations.modelling.inputs.fitted import kept_rows, named_kernel, require_classes, require_rows
from formulations.modelling.inputs.samples import BoundSamples
from formulations.models.classification.margins.nu_margin import NuMargin
from formulations.models.classification.margins.soft_margin import SoftMargin
from formulations.models.classification.one_class import OneClass
from formulations.models.classification.two_class_model import TwoClassModel
from formulations.models.regression.residual_loss import ResidualLossRegression
from formulations.models.regression.ridge.kernel_ridge import KernelRidge
from formulations.models.regression.tubes.nu import NuTube
from formulations.models.regression.tubes.soft import SoftTube
from qpkernels.arrays import Indices, Matrix, Vector, shown
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.files import SvmType
from qpkernels.gram import Gram
from qpkernels.kernels import Precomputed

__all__ = ["KINDS", "SupportVectors", "read_kernel_ridge", "read_support_vectors", "support_vector_machines"]


def read_kernel_ridge(estimator: Any, X: Any, y: Any, weights: Any, settings: Settings) -> list[GivenMachine]:
    """Read a fitted KernelRidge, each output being a machine."""
    dual = numbers_of(estimator, "dual_coef_")
    coefficients = dual.reshape(len(dual), -1)
    if len(coefficients) != _num_samples(X):
        raise ShapeError(
            f"the estimator was fitted to {len(coefficients)} samples, but X has {_num_samples(X)}; pass the X that it "
            "was fitted to."
        )
    gram = _gram(estimator, X, settings)
    taken = sampled(len(gram), y, weights)
    rows = taken.rows
    if np.abs(coefficients[taken.weights == 0]).max(initial=0.0) > 0:
        raise ParameterError("a sample of weight 0 has a coefficient; pass the sample_weight that it was fitted with.")
    targets = taken.targets.reshape(len(gram), -1)[rows]
    if targets.shape[1] != coefficients.shape[1]:
        raise ParameterError(f"the estimator has {coefficients.shape[1]} outputs, but y has {targets.shape[1]}.")
    penalties = np.broadcast_to(np.asarray(on_host(settings("alpha")), dtype=np.float64), (targets.shape[1],))
    data, counts = parted(BoundSamples(gram, explicit=False), rows), taken.weights[rows]
    machines = []
    for number, penalty in enumerate(penalties.tolist()):
        model: KernelRidge | ResidualLossRegression
        if np.ptp(counts) == 0:
            model = KernelRidge(data, targets[:, number], regularisation=penalty / float(counts[0]))
        else:
            loss = AbsolutePower(2.0)
            costs = 0.5 * counts / penalty
            model = ResidualLossRegression(data, targets[:, number], loss=loss, C=costs, fit_intercept=False)
        name = settings.what if len(penalties) == 1 else f"output {number}"
        answer = expansion(model, coefficients[rows, number], 0.0)
        machines.append(GivenMachine(name, model, answer, rows, targets[:, number]))
    return machines


def _gram(estimator: Any, X: Any, settings: Settings) -> Gram:
    name = settings("kernel")
    if name == "precomputed":
        return _of_matrix(np.asarray(X, dtype=np.float64), None)
    if callable(name):
        return _of_matrix(pairwise_kernels(X, metric=name, **(settings.default("kernel_params", None) or {})), name)
    samples = vectors(X, getattr(estimator, "n_features_in_", None))
    kept = getattr(estimator, "X_fit_", None)
    if kept is not None:
        require_rows(samples, vectors(kept), np.arange(samples.shape[0]))
    gamma = settings.default("gamma", None)
    width = 1.0 / samples.shape[1] if gamma is None else gamma
    kernel = named_kernel(name, lambda: width, settings("degree"), settings("coef0"))
    if kernel is None:
        options = {} if name == "cosine" or gamma is None else {"gamma": gamma}
        return _of_matrix(pairwise_kernels(samples, metric=name, **options), PAIRWISE_KERNEL_FUNCTIONS[name])
    return Gram(kernel, samples)


def _of_matrix(values: NDArray[np.float64], function: Callable[..., Any] | None) -> Gram:
    """Return the matrix of a function, which no file takes; None: of values that are all that is known."""
    kernel = Precomputed(values) if function is None else FunctionValues(values, function)
    return Gram(kernel, np.arange(len(values)))


KINDS = {
    "SVC": SvmType.C_SVC,
    "NuSVC": SvmType.NU_SVC,
    "SVR": SvmType.EPSILON_SVR,
    "NuSVR": SvmType.NU_SVR,
    "OneClassSVM": SvmType.ONE_CLASS,
}
"""LIBSVM's names for these estimators."""


@dataclass(frozen=True, eq=False)
class SupportVectors:
    """The coefficients of all machines, as LIBSVM has them.

    Attributes
    ----------
    kind
        What LIBSVM calls them.
    support
        Numbers of the support vectors among all samples.
    coefficients
        Shape (classes - 1, support vectors), or (1, support vectors) where there are no classes: row r of a vector is
        its machine with the r-th other class.
    intercepts
        What is added, one for each machine; values above 0 speak for the first class of a pair.
    classes
        The labels in the order of the pairs; None: that in which the support vectors come.
    counts
        How many support vectors each class has, which come class by class; None: this is not known.
    """

    kind: SvmType
    support: Indices
    coefficients: Matrix
    intercepts: Vector
    classes: NDArray[Any] | None = None
    counts: Indices | None = None


def read_support_vectors(
    estimator: Any, kind: SvmType, X: Any, y: Any, weights: Any, settings: Settings
) -> list[GivenMachine]:
    """Read a fitted SVC, NuSVC, SVR, NuSVR or OneClassSVM of any library."""
    kernel = "poly" if settings("kernel") == "polynomial" else settings("kernel")
    by_values = callable(kernel) or kernel == "precomputed"
    if not by_values:
        fitted = getattr(estimator, "shape_fit_", None)
        X = vectors(X, None if fitted is None else fitted[1])
    samples = _num_samples(X)
    if hasattr(estimator, "shape_fit_") and estimator.shape_fit_[0] != samples:
        raise ShapeError(
            f"the estimator was fitted to {estimator.shape_fit_[0]} samples, but X has {samples}; pass the X that it "
            "was fitted to."
        )
    found = _of_estimator(estimator, kind)
    if found.support.size and found.support.max() >= samples:
        raise ShapeError(
            f"support vector {found.support.max()} of the estimator is not among the {samples} samples of X."
        )
    taken = sampled(samples, None if kind is SvmType.ONE_CLASS else y, weights)
    found = replace(found, support=_numbers(found.support, estimator, X, taken, by_values))
    gamma = settings("gamma")
    number = getattr(estimator, "_gamma", gamma) if isinstance(gamma, str) else gamma
    shape = {"gamma": number, "degree": settings("degree"), "coef0": settings("coef0")}
    gram = space_of(kernel, X, taken.weights, **shape).gram(None, "refuse")
    return list(support_vector_machines(found, gram, taken, settings))


def _of_estimator(estimator: Any, kind: SvmType) -> SupportVectors:
    coefficients = np.atleast_2d(numbers_of(estimator, "dual_coef_"))
    intercepts = np.ravel(numbers_of(estimator, "intercept_"))
    counts = np.ravel(numbers_of(estimator, "n_support_") if hasattr(estimator, "n_support_") else 0).astype(np.intp)
    classes = on_host(estimator.classes_) if kind.classifies and hasattr(estimator, "classes_") else None
    known = kind.classifies and counts.size == coefficients.shape[0] + 1
    if intercepts.size != (counts.size * (counts.size - 1) // 2 if known else 1):
        raise ParameterError(
            f"the estimator has {intercepts.size} intercepts, which is not one for each pair of its classes; audit its "
            "machines of two classes one by one."
        )
    if hasattr(estimator, "n_binary_model"):
        intercepts = -intercepts
    elif kind.classifies and intercepts.size == 1:
        coefficients, intercepts = -coefficients, -intercepts
    support = np.ravel(numbers_of(estimator, "support_")).astype(np.intp)
    if coefficients.shape[1] != support.size:
        raise ParameterError(
            f"the estimator has {support.size} support vectors, but dual_coef_ has {coefficients.shape[1]} columns; "
            "fit it again."
        )
    if classes is not None and classes.ndim != 1:
        raise ParameterError(f"classes_ must list the classes, but {shown(estimator.classes_)} came; fit it again.")
    return SupportVectors(kind, support, coefficients, intercepts, classes, counts if known else None)


def _numbers(support: Indices, estimator: Any, X: Any, taken: Sampled, by_values: bool) -> Indices:
    """Return the numbers of the support vectors among all samples, held against those that the estimator kept.

    scikit-learn leaves samples of weight 0 out before it counts.
    """
    rows = taken.rows
    among_rows = rows[support] if rows.size < taken.weights.size and (support < rows.size).all() else support
    if by_values or getattr(estimator, "support_vectors_", None) is None:
        return among_rows
    kept = kept_rows(estimator.support_vectors_, X.shape[1])
    try:
        require_rows(X, kept, support)
    except ParameterError:
        if among_rows is support:
            raise
        require_rows(X, kept, among_rows)
        return among_rows
    return support


def support_vector_machines(
    found: SupportVectors, gram: Gram, taken: Sampled, settings: Settings
) -> Iterator[GivenMachine]:
    """State the model of each machine, and yield it with its answer."""
    if found.kind.classifies:
        yield from _pairs(found, gram, taken, settings)
        return
    data, rows = parted(BoundSamples(gram, explicit=False), taken.rows), taken.rows
    weights, labels = taken.weights[rows], None
    if found.kind is SvmType.ONE_CLASS:
        model: Model[Any] = OneClass(data, nu=settings("nu"), sample_weight=weights)
    else:
        labels = taken.labels[rows]
        if found.kind is SvmType.EPSILON_SVR:
            model = SoftTube(data, labels, C=settings("C") * weights, epsilon=settings("epsilon"))
        else:
            model = NuTube(data, labels, nu=settings("nu"), C=settings("C"), sample_weight=weights)
    beta = np.zeros(len(gram))
    beta[found.support] = found.coefficients[0]
    point = model.translate(Coefficients(beta[rows], float(found.intercepts[0]), None))
    yield GivenMachine(settings.what, model, expansion(model, *point), rows, labels)


def _pairs(found: SupportVectors, gram: Gram, taken: Sampled, settings: Settings) -> Iterator[GivenMachine]:
    classes = _classes(found, taken.labels)
    order = np.argsort(classes)
    codes = order[np.searchsorted(classes, taken.labels, sorter=order)]
    costs = taken.weights * _class_weights(classes, taken, settings)[codes] if found.kind is SvmType.C_SVC else None
    own = codes[found.support]
    for number, (i, j) in enumerate(combinations(range(classes.size), 2)):
        rows = np.flatnonzero(((codes == i) | (codes == j)) & (taken.weights > 0))
        beta = np.zeros(len(gram))
        beta[found.support[own == i]] = found.coefficients[j - 1, own == i]
        beta[found.support[own == j]] = found.coefficients[i, own == j]
        data, labels = parted(BoundSamples(gram, explicit=False), rows), taken.labels[rows]
        if costs is not None:
            model: TwoClassModel = SoftMargin(data, labels, C=settings("C") * costs[rows])
        else:
            # LIBSVM leaves weights of classes out here.
            model = NuMargin(data, labels, nu=settings("nu"), sample_weight=taken.weights[rows])
        sign = 1.0 if classes[i] > classes[j] else -1.0
        point = model.translate(Coefficients(sign * beta[rows], sign * float(found.intercepts[number]), model.classes))
        positive, negative = model.classes.tolist()[::-1]
        name = settings.what if classes.size == 2 else f"{positive!r} against {negative!r}"
        yield GivenMachine(name, model, expansion(model, *point), rows, labels)


def _classes(found: SupportVectors, labels: NDArray[Any]) -> NDArray[Any]:
    """Return the classes in the order of the pairs, held against the labels of the support vectors."""
    present, own, counts = np.unique(labels), labels[found.support], found.counts
    classes = found.classes
    if classes is None:
        by_class = counts is not None and counts.all()
        classes = own[np.cumsum([0, *counts[:-1].tolist()])] if by_class and counts is not None else present
    if not np.array_equal(np.sort(classes), present):
        raise ParameterError(
            f"the estimator was fitted to the classes {np.sort(classes).tolist()}, but y has {present.tolist()}; pass "
            "the y that it was fitted to."
        )
    if counts is not None:
        require_classes(found.support, own, classes, counts)
    return classes


def _class_weights(classes: NDArray[Any], taken: Sampled, settings: Settings) -> Vector:
    chosen = settings.default("class_weight", None)
    kept = getattr(settings.owner, "class_weight_", None)
    if kept is not None and not settings.gives("class_weight"):
        return on_host(kept).astype(np.float64)
    return np.asarray(compute_class_weight(chosen or None, classes=classes, y=taken.labels), dtype=np.float64)
