# SPDX-License-Identifier: BSD-3-Clause
"""The readers: of fitted estimators by the names of their classes, in whatever library, and of files of machines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from formulations.estimators.kernel_machine import MachineEstimator
from formulations.judging.fitted_with import Settings, sampled, vectors
from formulations.judging.machine_audit import GivenMachine, Predicted, expansion
from formulations.judging.read_coefficients import (
    KINDS,
    SupportVectors,
    read_kernel_ridge,
    read_support_vectors,
    support_vector_machines,
)
from formulations.judging.read_weights import (
    Weights,
    linear_classifiers,
    linear_tube,
    read_linear_classifier,
    read_linear_regressor,
    read_logistic,
    read_ridge,
)
from formulations.modelling import Model, Solution
from formulations.modelling.inputs.estimators import on_host
from formulations.modelling.inputs.fitted import require_rows
from formulations.models.classification.logistic import Logistic
from formulations.models.classification.margins.soft_margin import SoftMargin
from formulations.models.classification.margins.squared_hinge import SquaredHinge
from formulations.models.classification.meta.multiclass import OneVersusOne
from qpkernels.arrays import Indices, Matrix, Samples, is_sparse, shown
from qpkernels.errors import FileFormatError, ParameterError, ShapeError
from qpkernels.files import SvmType, read_liblinear_model, read_libsvm_machines
from qpkernels.gram import Gram
from qpkernels.kernels import Precomputed

__all__ = ["machines_of"]

_CLASSIFIERS = {
    "L2R_LR": Logistic,
    "L2R_LR_DUAL": Logistic,
    "L2R_L2LOSS_SVC": SquaredHinge,
    "L2R_L2LOSS_SVC_DUAL": SquaredHinge,
    "L2R_L1LOSS_SVC_DUAL": SoftMargin,
}
_SQUARED = {"L2R_L2LOSS_SVR": True, "L2R_L2LOSS_SVR_DUAL": True, "L2R_L1LOSS_SVR_DUAL": False}

_PRECOMPUTED = b"kernel_type precomputed"


def read_file(path: Path, X: Any, y: Any, weights: Any, settings: Settings) -> list[GivenMachine]:
    """Read a model file."""
    if not path.is_file():
        raise FileFormatError(f"there is no file {path}; an audit takes a fitted estimator, or the path of a model.")
    with path.open("rb") as file:
        start = file.read(4096)
    if start.startswith(b"svm_type"):
        return _of_libsvm(path, X, y, weights, settings, precomputed=_PRECOMPUTED in start)
    if start.startswith(b"solver_type"):
        return _of_liblinear(path, X, y, weights, settings)
    raise FileFormatError(
        f"{path} must be a model of LIBSVM, which begins with svm_type, or of LIBLINEAR, which begins with "
        "solver_type, but it begins otherwise; check that this is the right file."
    )


def _of_libsvm(
    path: Path, X: Any, y: Any, weights: Any, settings: Settings, *, precomputed: bool
) -> list[GivenMachine]:
    samples = vectors(X)
    kernel = Precomputed(samples) if precomputed else None
    found = read_libsvm_machines(path, kernel, None if precomputed else samples.shape[1])
    taken = sampled(samples.shape[0], None if found.svm_type is SvmType.ONE_CLASS else y, weights)
    if precomputed:
        support, gram = np.asarray(found.centers), Gram(found.kernel, np.arange(samples.shape[0]))
        if support.size and support.max() >= samples.shape[0]:
            raise ShapeError(f"{path.name} has row {support.max() + 1} of a matrix, but X has {samples.shape[0]} rows.")
    else:
        labels, own = np.zeros(samples.shape[0]), np.zeros(found.coefficients.shape[1])
        if found.labels is not None and found.counts is not None:
            labels, own = taken.labels, np.repeat(found.labels, found.counts)
        support, gram = _matched(path, samples, labels, found.centers, own), Gram(found.kernel, samples)
    machines = SupportVectors(found.svm_type, support, found.coefficients, found.intercepts, found.labels, found.counts)
    return list(support_vector_machines(machines, gram, taken, settings))


def _matched(path: Path, X: Samples, labels: NDArray[Any], centers: Samples, own: NDArray[Any]) -> Indices:
    """Return the numbers of the samples that the centers are, of equal ones those of its class, one after the other.

    svm-train writes 8 digits: samples are rounded to as many where they do not agree as they are.
    """
    missing = np.array([], dtype=np.intp)
    for rows in (csr_array(X), _with_eight_digits(csr_array(X))):
        places: dict[tuple[Any, bytes], list[int]] = defaultdict(list)
        for number, (label, key) in enumerate(zip(labels.tolist(), _keys(rows), strict=True)):
            places[label, key].append(number)
        queues = {key: iter(numbers) for key, numbers in places.items()}
        keys = zip(own.tolist(), _keys(csr_array(centers)), strict=True)
        found = np.array([next(queues.get(key, iter(())), -1) for key in keys], dtype=np.intp)
        missing = np.flatnonzero(found < 0)
        if missing.size == 0:
            return found
    first = int(missing[0])
    label = "" if np.ptp(own) == 0 else f" of class {own.tolist()[first]!r}"
    raise ParameterError(
        f"support vector {first + 1} of {path.name} is no row of X{label}, and so {missing.size} of {own.size} are "
        "none; pass the X and y that it was trained on, scaled as they were then."
    )


def _keys(rows: csr_array) -> Iterator[bytes]:
    """Yield each row as bytes, in which zeros do not count."""
    rows = csr_array(rows, copy=True)
    rows.eliminate_zeros()
    rows.sort_indices()
    columns = rows.indices.astype(np.int64)
    for start, stop in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
        yield columns[start:stop].tobytes() + rows.data[start:stop].tobytes()


def _with_eight_digits(rows: csr_array) -> csr_array:
    values, places = np.unique(rows.data, return_inverse=True)
    rounded = np.array([float(f"{value:.8g}") for value in values.tolist()])
    return csr_array((rounded[places], rows.indices, rows.indptr), shape=rows.shape)


def _of_liblinear(path: Path, X: Any, y: Any, weights: Any, settings: Settings) -> list[GivenMachine]:
    found, samples = read_liblinear_model(path), vectors(X)
    kind = found.solver_type
    if kind not in _CLASSIFIERS and kind not in _SQUARED:
        raise ParameterError(
            f"{path.name} is of the type {kind}, which no model here states; audited are "
            f"{', '.join([*_CLASSIFIERS, *_SQUARED])}."
        )
    features = samples.shape[1]
    if found.weights.shape[1] > features:
        raise ShapeError(f"{path.name} has {found.weights.shape[1]} features, but X has {features}; pass its X.")
    # Features that are 0 in all lines of the training file have no weight in it.
    coefficients = np.pad(found.weights, ((0, 0), (0, features - found.weights.shape[1])))
    constant = found.bias or None
    biases = found.biases * (constant or 0.0)
    if kind in _SQUARED:
        own = Weights(coefficients, biases, constant, constant is not None)
        return [linear_tube(own, samples, y, weights, settings, squared=_SQUARED[kind])]
    assert found.labels is not None
    order = np.argsort(found.labels)
    if len(coefficients) > 1:
        coefficients, biases = coefficients[order], biases[order]
    elif found.labels[0] < found.labels[1]:
        coefficients, biases = -coefficients, -biases
    own = Weights(coefficients, biases, constant, constant is not None)
    return list(linear_classifiers(own, found.labels[order], samples, y, weights, settings, _CLASSIFIERS[kind]))


Reader = Callable[[Any, Any, Any, Any, Settings], list[GivenMachine]]


def _of_kind(name: str) -> Reader:
    return lambda estimator, *rest: read_support_vectors(estimator, KINDS[name], *rest)


_READERS: dict[str, Reader] = {
    **{name: _of_kind(name) for name in KINDS},
    "LinearSVC": read_linear_classifier,
    "LinearSVR": read_linear_regressor,
    "KernelRidge": read_kernel_ridge,
    "Ridge": read_ridge,
    "LogisticRegression": read_logistic,
}

_FITTED = ("dual_coef_", "coef_")
"""The attributes that a fit leaves."""


_SAMPLES = 1000
"""How many samples an estimator is asked about: coefficients that differ do so at nearly all of them."""


def machines_of(
    estimator: Any, X: Any, y: Any, weights: Any, given: Mapping[str, Any]
) -> tuple[str, list[GivenMachine]]:
    """Return what the estimator, or file, is called, and its machines."""
    if isinstance(X, str):
        raise ShapeError(f"X must be the samples that the machine was fitted to, but the text {shown(X)} came.")
    if isinstance(estimator, str | Path):
        name = Path(estimator).name
        settings = Settings(None, name, given)
        machines = read_file(Path(estimator), X, y, weights, settings)
    else:
        estimator, X = _unwrapped(estimator, X)
        name = type(estimator).__name__
        settings = Settings(estimator, name, given)
        reader = _reader(estimator)
        machines = _with_predictions(reader(estimator, X, y, weights, settings), estimator, X)
    settings.finish()
    return name, machines


def _unwrapped(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return the last step of a pipeline and the best of a search, with the samples as they come to it."""
    if isinstance(estimator, Pipeline):
        check_is_fitted(estimator)
        X = estimator[:-1].transform(X) if len(estimator.steps) > 1 else X
        return _unwrapped(estimator.steps[-1][1], X)
    if hasattr(estimator, "param_grid") or hasattr(estimator, "param_distributions"):
        if not hasattr(estimator, "best_estimator_"):
            raise NotFittedError(
                f"this {type(estimator).__name__} has no best_estimator_: call fit, with refit=True, before its audit."
            )
        return _unwrapped(estimator.best_estimator_, X)
    return estimator, X


def _reader(estimator: Any) -> Reader:
    if isinstance(estimator, type):
        raise ParameterError(f"an audit takes a fitted estimator, but the class {estimator.__name__} came; fit one.")
    names = [each.__name__ for each in type(estimator).__mro__]
    known = next((name for name in names if name in _READERS), None)
    if isinstance(estimator, MachineEstimator):
        check_is_fitted(estimator)
        # Out of a pickle it has no model, but coefficients as others of its name have them.
        stands_for_itself = known is not None and estimator.rank is None and estimator.indefinite == "refuse"
        if hasattr(estimator, "model_") or not stands_for_itself:
            return _read_own
    if known is None:
        raise ParameterError(
            f"an audit takes a fitted {', '.join(_READERS)} of any library with the attributes of scikit-learn, an "
            f"estimator of formulations.estimators, a Pipeline or search of these, or the path of a model of LIBSVM or "
            f"LIBLINEAR, but {type(estimator).__name__} came; state its model, and call model.certify((beta, b))."
        )
    if all(getattr(estimator, name, None) is None for name in _FITTED):
        raise NotFittedError(f"this {names[0]} is not fitted yet: call fit before its audit.")
    return _READERS[known]


def _read_own(estimator: Any, X: Any, y: Any, weights: Any, settings: Settings) -> list[GivenMachine]:
    """Read a fitted estimator: its certificates are made anew, of the models that it holds."""
    model, solution = estimator.model_, estimator.solution_
    gram = model.data.gram
    taken = sampled(_num_samples(X), y, weights)
    rows = taken.rows
    if len(gram) != rows.size:
        raise ShapeError(
            f"the estimator was fitted to {len(gram)} samples, but {rows.size} came with a weight above 0; pass the X "
            "and sample_weight that it was fitted to."
        )
    if is_sparse(gram.X) or (gram.X.ndim == 2 and gram.X.dtype.kind == "f"):
        require_rows(gram.kernel.samples(X), gram.X, rows)
    labels = None
    if hasattr(model, "y"):
        labels = taken.labels[rows]
        _require_labels(model, labels, getattr(estimator, "classes_", None), rows)
    if not isinstance(model, OneVersusOne):
        return [_machine(settings.what, model, solution, rows, labels)]
    assert labels is not None
    machines = []
    for pair, own in zip(solution.pairs, solution.solutions, strict=True):
        members = model.rows(pair)
        low, high = model.classes[list(pair)].tolist()
        machines.append(_machine(f"{high!r} against {low!r}", model.model(pair), own, rows[members], labels[members]))
    return machines


def _machine(
    name: str, model: Model[Any], solution: Solution, rows: Indices, labels: NDArray[Any] | None
) -> GivenMachine:
    answer = model.candidate(solution)
    if answer.is_expansion and answer.multipliers is None:
        answer = expansion(model, answer.beta, answer.intercept)
    return GivenMachine(name, model, answer, rows, labels)


def _require_labels(model: Any, labels: NDArray[Any], classes: NDArray[Any] | None, rows: Indices) -> None:
    held = model.y
    if classes is not None and not isinstance(model, OneVersusOne):
        held = np.where(model.y > 0, classes[-1], classes[0])
    others = np.flatnonzero(held != labels)
    if others.size:
        first = others[0]
        raise ParameterError(
            f"sample {rows[first]} was {held.tolist()[first]!r} when the estimator was fitted, but y has "
            f"{labels.tolist()[first]!r}, and so {others.size} differ; pass the y that it was fitted to."
        )


def _with_predictions(machines: Sequence[GivenMachine], estimator: Any, X: Any) -> list[GivenMachine]:
    """Return the machines with what the estimator says of their samples, where it says that machine by machine.

    An estimator may keep what it predicts with in other attributes than those that it shows: scikit-learn's SVC of two
    classes shows dual_coef_ and predicts with _dual_coef_.
    """
    samples = _num_samples(X)
    numbers = np.unique(np.linspace(0, samples - 1, min(samples, _SAMPLES)).astype(np.intp))
    values = _values(estimator, _safe_indexing(X, numbers))
    if values is None or values.shape != (numbers.size, len(machines)):
        return list(machines)
    found = []
    for machine, sign, column in zip(machines, _signs(estimator, len(machines)), values.T, strict=True):
        places = np.flatnonzero(np.isin(machine.rows, numbers))
        own = sign * column[np.searchsorted(numbers, machine.rows[places])]
        found.append(replace(machine, predicted=Predicted(places, own)))
    return found


def _signs(estimator: Any, machines: int) -> list[float]:
    """Return 1 for each machine whose values are above 0 for the later one of its classes, -1 for the others.

    With two classes all have the later one, and with several each pair has its first; ThunderSVM has the first always.
    """
    pairs = hasattr(estimator, "classes_") and hasattr(estimator, "dual_coef_")
    if not pairs or (machines == 1 and not hasattr(estimator, "n_binary_model")):
        return [1.0] * machines
    return [1.0 if first > second else -1.0 for first, second in combinations(on_host(estimator.classes_).tolist(), 2)]


def _values(estimator: Any, X: Any) -> Matrix | None:
    """Return a column for each machine; None where the estimator has no values of the kind."""
    if getattr(estimator, "decision_function_shape", "ovo") != "ovo":
        estimator = copy(estimator)
        estimator.decision_function_shape = "ovo"
    predict = getattr(estimator, "decision_function", None)
    if predict is None and not hasattr(estimator, "classes_"):
        predict = getattr(estimator, "predict", None)
    if predict is None:
        return None
    if is_sparse(X) and getattr(estimator, "_sparse", True) is False:
        X = X.toarray()
    try:
        values = on_host(predict(X)).astype(np.float64)
    except Exception as error:
        raise ParameterError(f"the estimator does not predict its own samples ({error}); fit it again.") from error
    return values[:, None] if values.ndim == 1 else values
