# SPDX-License-Identifier: BSD-3-Clause
"""Model files of LIBSVM and LIBLINEAR, held against the samples that they were trained on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from formulations.classification.logistic import Logistic
from formulations.classification.margins.soft_margin import SoftMargin
from formulations.classification.margins.squared_hinge import SquaredHinge
from formulations.judging.fitted_with import Settings, sampled, vectors
from formulations.judging.machine_audit import GivenMachine
from formulations.judging.read_coefficients import SupportVectors, support_vector_machines
from formulations.judging.read_weights import Weights, linear_classifiers, linear_tube
from qpkernels.arrays import Indices, Samples
from qpkernels.errors import FileFormatError, ParameterError, ShapeError
from qpkernels.files import SvmType, read_liblinear_model, read_libsvm_machines
from qpkernels.gram import Gram
from qpkernels.kernels import Precomputed

__all__ = ["read_file"]

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
