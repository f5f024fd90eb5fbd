# SPDX-License-Identifier: BSD-3-Clause
"""The meaning of estimators' parameters: kernels and the spaces they make, losses, targets, weights of samples."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils import _safe_indexing
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, column_or_1d

from formulations.losses import MarginLoss, ResidualLoss
from formulations.modelling import Model
from formulations.modelling.inputs.fitted import named_kernel
from qpkernels.arrays import (
    Indices,
    Matrix,
    Samples,
    Vector,
    check_choice,
    check_positive,
    finite_vector,
    is_scalar,
    is_sparse,
    real_number,
    shown,
    shown_label,
)
from qpkernels.errors import LabelError, OneClassError, ParameterError, ShapeError
from qpkernels.gram import Gram, LowRank
from qpkernels.gram.functions import Expansion, Expansions
from qpkernels.kernels import FunctionKernel, Kernel, Precomputed
from qpkernels.kernels.catalogue import KERNELS

__all__ = [
    "ClassWeight",
    "FunctionValues",
    "Functions",
    "Indefinite",
    "KernelLike",
    "OfKernel",
    "Space",
    "Sums",
    "check_labels",
    "check_targets",
    "class_weights",
    "given_model",
    "is_infinite",
    "named_loss",
    "one_column",
    "sample_weights",
    "space_of",
    "space_of_function",
    "weighted",
]

Indefinite: TypeAlias = Literal["refuse", "clip", "shift"]
"""How to treat a kernel matrix with a negative eigenvalue."""

_PROBES = 50
"""Samples at most that show whether a function gives the same values of a pair among all samples and among few."""


class Functions(Protocol):
    """Functions of new samples, without intercepts."""

    def __call__(self, X: Any) -> Matrix:
        """Return their values, one function a column."""


class Space(Protocol):
    """The samples of a fit as a kernel takes them."""

    def gram(self, rows: Indices | None, indefinite: Indefinite) -> Gram:
        """Return the kernel matrix of these samples, of all for None."""

    def functions(self, rows: Indices, coefficients: Matrix | csr_array) -> Functions:
        """Return the functions with these coefficients of the samples ``rows``, one function a column."""

    def others(self, functions: Sequence[Expansion]) -> Functions:
        """Return functions of answers that have coefficients, or centers, of their own."""


@dataclass(frozen=True, eq=False)
class OfKernel:
    """The space of a kernel, and samples as it takes them."""

    kernel: Kernel
    X: Samples

    def gram(self, rows: Indices | None, indefinite: Indefinite) -> Gram:
        """Return the kernel matrix."""
        return Gram(self.kernel, self.X if rows is None else self.X[rows], indefinite=indefinite)

    def functions(self, rows: Indices, coefficients: Matrix | csr_array) -> Expansions:
        """Return expansions in these samples, and in no other; without any, constants."""
        centers = self.X[rows if rows.size else slice(1)]
        if not isinstance(centers, np.ndarray):
            centers = self.kernel.samples(centers)
        return Expansions(self.kernel, centers[: rows.size], coefficients, np.zeros(coefficients.shape[1]))

    def others(self, functions: Sequence[Expansion]) -> Expansions:
        """Return the functions, over fewer points where the kernel has such."""
        return Expansions.of([replace(each, intercept=0.0) for each in functions]).condensed()


class OfLowRank:
    """The space of a kernel of low rank in place of another, spanned by some of the samples that count."""

    def __init__(self, kernel: Kernel, X: Samples, rank: int) -> None:
        self._base, self._X, self._rank = kernel, X, rank

    def gram(self, rows: Indices | None, indefinite: Indefinite) -> Gram:
        """Return the matrix of low rank of these samples, of all for None.

        Raises
        ------
        ParameterError
            If another kernel than a positive semidefinite one is to be corrected: it has no factor.
        """
        if indefinite != "refuse":
            raise ParameterError(
                f"with a rank, the kernel must be positive semidefinite, and nothing is corrected: leave out "
                f"indefinite={indefinite!r}, or rank={self._rank}."
            )
        made = LowRank(self._base, self._X if rows is None else self._X[rows], self._rank)
        self._kernel = made.kernel
        return made

    def functions(self, rows: Indices, coefficients: Matrix | csr_array) -> Functions:
        """Return expansions in the landmarks, after :meth:`gram`."""
        return OfKernel(self._kernel, self._X).functions(rows, coefficients).condensed()

    def others(self, functions: Sequence[Expansion]) -> Functions:
        """Return the functions over the landmarks."""
        return OfKernel(self._kernel, self._X).others(functions)


@dataclass(frozen=True, eq=False)
class FunctionValues(Precomputed):
    """The values of a function among the samples of a fit.

    No file takes one, as none takes its function: the matrix would come back for a kernel that knows these samples by
    their numbers, and no new ones.
    """

    function: Callable[[Any, Any], Any]


@dataclass(frozen=True, eq=False)
class OfMatrix:
    """The space that a matrix of kernel values is all that is known of.

    ``between`` gives the values of new samples with those of the fit, shape (number of new samples, m).
    """

    K: Matrix
    between: _Between

    def gram(self, rows: Indices | None, indefinite: Indefinite) -> Gram:
        """Return the matrix, or a part of it."""
        function = self.between.function if isinstance(self.between, _ByFunction) else None
        kernel = Precomputed(self.K) if function is None else FunctionValues(self.K, function)
        return Gram(kernel, np.arange(len(self.K)) if rows is None else rows, indefinite=indefinite)

    def functions(self, rows: Indices, coefficients: Matrix | csr_array) -> Functions:
        """Return sums of the values with these samples."""
        return Sums(self.between, rows, coefficients)

    def others(self, functions: Sequence[Expansion]) -> Functions:
        """Return the functions, whose centers are numbers of samples."""
        joined = Expansions.of(functions)
        return Sums(self.between, joined.centers, joined.coefficients)


class _Between(Protocol):
    def __call__(self, X: Any) -> Matrix:
        """Return the kernel values between new samples and those of the fit."""

    def among(self, rows: Indices) -> tuple[_Between, Indices]:
        """Return what gives the values with these samples and holds no other, and the numbers of its columns."""


@dataclass(frozen=True, eq=False)
class _Given:
    """New samples come as their kernel values."""

    samples: int

    def __call__(self, X: Any) -> Matrix:
        values = np.asarray(X, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != self.samples:
            raise ShapeError(
                f"with kernel='precomputed', X holds the kernel values of new samples with all {self.samples} samples "
                f"of the fit, one new sample a row, but an array of shape {values.shape} came."
            )
        return values

    def among(self, rows: Indices) -> tuple[_Given, Indices]:
        return self, rows


@dataclass(frozen=True, eq=False)
class _ByFunction:
    """A user's function gives them, asked of all samples at once as by scikit-learn; FunctionKernel asks for parts."""

    function: Callable[[Any, Any], Any]
    X: Any

    def __call__(self, X: Any) -> Matrix:
        return _dense(self.function(X, self.X))

    def among(self, rows: Indices) -> tuple[_ByFunction, Indices]:
        alone, probes = replace(self, X=_safe_indexing(self.X, rows)), _safe_indexing(self.X, rows[:_PROBES])
        if rows.size and not np.allclose(alone(probes), self(probes)[:, rows], rtol=1e-9, atol=0.0):
            raise ParameterError(
                "a pickle holds the support vectors and no other training sample, but this kernel gives other values "
                "with them alone; let the value of a pair depend on this pair alone, or pass the matrix of kernel "
                "values, with kernel='precomputed'."
            )
        return alone, np.arange(rows.size)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of kernel values with some of the samples of a fit, which are known by these values only."""

    between: _Between
    rows: Indices
    coefficients: Matrix | csr_array

    def __call__(self, X: Any) -> Matrix:
        """Return the values, one function a column."""
        if not self.rows.size:
            return np.zeros((_num_samples(X), self.coefficients.shape[1]))
        return np.asarray(self.between(X)[:, self.rows] @ self.coefficients)

    def alone(self) -> Sums:
        """Return the same functions, holding no other samples than those with a coefficient.

        Raises
        ------
        ParameterError
            If a function gives other kernel values with these samples alone.
        """
        between, rows = self.between.among(self.rows)
        return replace(self, between=between, rows=rows)


def by_function(function: Callable[[Any, Any], Any], X: Any) -> OfMatrix:
    """Return the space of a function of two lists of samples that returns the matrix of their kernel values.

    Raises
    ------
    ShapeError
        If the matrix of the samples is not square.
    """
    return OfMatrix(_square(_dense(function(X, X))), _ByFunction(function, X))


def by_matrix(K: ArrayLike) -> OfMatrix:
    """Return the space of which these kernel values are known.

    Raises
    ------
    ShapeError
        If the matrix is not square.
    """
    matrix = np.asarray(K)
    return OfMatrix(_square(matrix), _Given(len(matrix)))


def _dense(values: Any) -> Matrix:
    return np.asarray(values.todense() if is_sparse(values) else values, dtype=np.float64)


def _square(K: ArrayLike) -> Matrix:
    matrix = np.asarray(K, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ShapeError(
            f"Precomputed matrix must be a square matrix of kernel values among the samples, but its shape is "
            f"{matrix.shape}."
        )
    return matrix


KernelLike: TypeAlias = str | Kernel | Callable[[Any, Any], Any]
"""A name, a kernel, or a function of two lists of samples that returns the matrix of kernel values."""


def space_of(
    kernel: KernelLike,
    X: Any,
    weights: Vector,
    *,
    gamma: float | str | None,
    degree: int,
    coef0: float,
    rank: int | None = None,
) -> Space:
    """Return the space of a kernel given by name, as an object, by a function, or by its matrix in place of X.

    Parameters
    ----------
    kernel
        "linear", "poly", "rbf", "sigmoid", "precomputed", a Kernel, or a function of two lists of samples.
    X
        The samples, or the matrix.
    weights
        How often each sample counts in the variance.
    gamma, degree, coef0
        Those of scikit-learn's named kernels; gamma "scale" is 1 / (features * variance), "auto" 1 / features.
    rank
        That of the matrix in place of the kernel's own; None: its own.

    Raises
    ------
    ParameterError, ShapeError
        If there is no such kernel, or the matrix is none.
    """
    if isinstance(kernel, Kernel):
        return _of_kernel(kernel, X, rank)
    if rank is not None and (callable(kernel) or kernel == "precomputed"):
        raise ParameterError(
            "a rank is for a kernel by name or a Kernel object, whose columns are made as they are needed; leave rank "
            "out, or write the function as a Kernel."
        )
    if callable(kernel):
        return by_function(kernel, X)
    if isinstance(kernel, str) and kernel == "precomputed":
        return by_matrix(X)
    named = None
    if isinstance(kernel, str):
        named = named_kernel(kernel, partial(_gamma, gamma, X, weights), degree, coef0)
    if named is None:
        known = sorted(kind.entry.name for kind in KERNELS.values() if kind.entry.scikit_learn)
        raise ParameterError(
            f"kernel must be one of {', '.join(known)}, precomputed, a Kernel such as RBF(gamma=0.1), or a function "
            f"of two lists of samples, but {shown(kernel)} came."
        )
    return _of_kernel(named, X, rank)


def _of_kernel(kernel: Kernel, X: Samples, rank: int | None) -> Space:
    return OfKernel(kernel, X) if rank is None else OfLowRank(kernel, X, rank)


def space_of_function(function: Callable[[Any, Any], Any], X: Any) -> Space:
    """Return the space of a function of two lists of samples that returns the matrix of their kernel values."""
    kernel = FunctionKernel(function)
    return OfKernel(kernel, kernel.samples(X))


def _gamma(gamma: float | str | None, X: Samples, weights: Vector) -> float:
    """Return gamma as a number."""
    features = int(X.shape[1])
    if not is_scalar(gamma):
        raise ParameterError(f"gamma must be 'scale', 'auto' or a number above 0, but {shown(gamma)} came.")
    if gamma == "auto":
        return 1.0 / features
    if gamma == "scale":
        with np.errstate(over="ignore", invalid="ignore"):
            variance = _variance(X, weights)
        if not np.isfinite(features * variance):
            raise ParameterError(
                f"gamma='scale' is 1 / (features * variance of X), and that variance is {variance:g} in float64. The "
                "dual coefficients or intercepts are not finite with such samples; scale them, as StandardScaler does."
            )
        return 1.0 / (features * variance) if variance > 0 else 1.0
    if gamma is None or isinstance(gamma, str):
        raise ParameterError(f"gamma must be 'scale', 'auto' or a number above 0, but {shown(gamma)} came.")
    return check_positive(gamma, "gamma")


def _variance(X: Samples, weights: Vector) -> float:
    """Return the variance of all entries, each counted as often as its sample."""
    if not is_sparse(X) and (weights == weights[0]).all():
        return float(X.var())
    entries = float(weights.sum()) * X.shape[1]
    mean = float((weights @ X).sum()) / entries
    if is_sparse(X):
        squares = X.multiply(X)
        return float((weights @ squares).sum() / entries - mean**2)
    return float((weights @ (X - mean) ** 2).sum() / entries)


Kind = TypeVar("Kind", MarginLoss, ResidualLoss)

_DATA = ("X", "y", "kernel")
"""The parameters that a model takes from the estimator."""


def named_loss(loss: str | Kind | Callable[[Any], Any], known: Mapping[str, Kind]) -> Kind | Callable[[Any], Any]:
    """Return a loss given by its name, or as it is.

    Raises
    ------
    ParameterError
        If there is none of that name.
    """
    if not isinstance(loss, str):
        return loss
    check_choice(loss, "loss", tuple(known))
    return known[loss]


def given_model(model: Any, parameters: Any, kind: Any, example: str) -> tuple[type[Any], dict[str, Any]] | None:
    """Return a model of that kind, and its hyper-parameters by name; None where there is no model.

    Raises
    ------
    ParameterError
        If it is no model of that kind, or its hyper-parameters are none, or there are some and no model.
    """
    if not isinstance(parameters, Mapping | None):
        raise ParameterError(
            f"parameters must map the names of hyper-parameters to values, such as {{'C': 10.0}}, but "
            f"{shown(parameters)} came."
        )
    given = dict(parameters or {})
    if model is None:
        if given:
            raise ParameterError(
                f"parameters are those of a model, but there is none: give model={example}, say, or leave "
                f"{', '.join(map(str, given))} out."
            )
        return None
    if not (isinstance(model, type) and issubclass(model, kind)):
        raise ParameterError(f"model must be the class of a model, such as {example}, but {shown(model)} came.")
    taken = [name for name in inspect.signature(model).parameters if name not in _DATA]
    unknown = [name for name in given if name not in taken]
    if unknown:
        raise ParameterError(
            f"{model.__name__} has the hyper-parameters {', '.join(taken)}, but parameters has {shown(unknown[0])}."
        )
    return model, given


_DISCRETE = "biuUS"
"""Kinds of arrays that hold labels whatever is in them."""

_NUMBERS = "biufc"
"""Kinds of arrays that hold numbers; complex ones scikit-learn refuses itself."""


def one_column(y: Any) -> NDArray[Any]:
    """Return labels or targets, shape (m,); scikit-learn warns of a matrix with one column."""
    found: NDArray[Any] = y if type(y) is np.ndarray and y.ndim == 1 else column_or_1d(y, warn=True)
    return found


def check_labels(labels: NDArray[Any]) -> None:
    """Refuse targets that are no labels, such as fractions, or text beside numbers.

    Raises
    ------
    LabelError
        In the words of scikit-learn, where it has some.
    """
    if labels.dtype.kind not in _DISCRETE:
        try:
            check_classification_targets(labels)
        except ValueError as error:
            raise LabelError(f"{error} y starts with {shown(labels[:3].tolist())}.") from error
        except TypeError as error:
            kinds = ", ".join(sorted({type(label).__name__ for label in labels.tolist()}))
            raise LabelError(
                f"y must hold numbers or text, but {kinds} came, which have no order; convert them to one of these."
            ) from error


def check_targets(y: Any) -> None:
    """Refuse real targets that are no numbers, such as text; None, which scikit-learn refuses itself, is left to it.

    Raises
    ------
    ParameterError
        With the first that is none.
    """
    if y is None or np.asarray(y).dtype.kind in _NUMBERS:
        return
    for place, target in enumerate(np.asarray(y, dtype=object).ravel()):
        try:
            float(target)
        except (TypeError, ValueError):
            raise ParameterError(
                f"y must hold real numbers, but target {place} is {shown(target)}; a classifier takes labels."
            ) from None


ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None
"""Label to weight; "balanced": inversely to how often a label occurs; None: 1."""


def sample_weights(sample_weight: ArrayLike | None, samples: int) -> Vector:
    """Return a weight for each sample: one of k is that of k copies, one of 0 that of an absent sample.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If these are no such numbers, one of them is below 0, or all are 0.
    """
    if sample_weight is None:
        return np.ones(samples)
    if is_scalar(sample_weight):
        sample_weight = np.full(samples, real_number(sample_weight, "sample_weight"))
    weights = finite_vector(sample_weight, "sample_weight", samples)
    if not (weights > 0).any():
        raise ParameterError(
            "Invalid input - all samples have zero or negative weights: sample_weight must be above 0 for some sample."
        )
    if (weights < 0).any():
        first = int(np.argmax(weights < 0))
        raise ParameterError(
            f"sample_weight must be at least 0, but sample_weight[{first}] is {weights[first]:g}: a sample cannot be "
            "there less than not at all; leave it out, or give it 0."
        )
    return weights


def class_weights(
    class_weight: ClassWeight, classes: NDArray[Any], y: NDArray[Any], weights: Vector, balance: Vector | None = None
) -> Vector:
    """Return the weight of each class; where "balanced", samples count as often as ``balance`` says, once for None.

    Raises
    ------
    OneClassError
        If samples of weight above 0 are of one class only.
    ParameterError
        If they are no weights of these classes.
    """
    present = classes if weights.all() else np.unique(y[weights > 0])
    if present.size < 2:
        raise OneClassError(
            f"The number of classes has to be greater than one; got {present.size} class: every sample with a weight "
            f"above 0 is of {shown_label(present.tolist()[0])}."
        )
    if class_weight is None:
        return np.ones(classes.size)
    try:
        found = compute_class_weight(class_weight, classes=classes, y=y, sample_weight=balance)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"class_weight must be None, 'balanced', or the weights by label: {error}") from error
    return np.asarray(found, dtype=np.float64)


def is_infinite(cost: object) -> bool:
    """Return whether a cost is infinite, which stands for constraints without slack."""
    return isinstance(cost, float | np.floating) and bool(np.isposinf(cost))


def weighted(model: type[Model[Any]], parameters: Mapping[str, Any], weights: Vector) -> dict[str, Any]:
    """Return hyper-parameters that make each sample count so often, given those for samples that count once.

    Raises
    ------
    ParameterError
        If the model has a cost, and none for single samples, while weights differ.
    """
    found = dict(parameters)
    name = model.entry.per_sample
    if name is not None:
        once = found[name] if name in found else inspect.signature(model).parameters[name].default
        found[name] = check_positive(once, name) * weights
    elif not model.entry.hard and np.ptp(weights):
        raise ParameterError(
            f"{model.__name__} has no cost for single samples, so that they count alike; leave sample_weight and "
            "class_weight out, but for weights of 0."
        )
    return found
