# SPDX-License-Identifier: BSD-3-Clause
"""Machines read from the files that a :class:`~formulations.modelling.prediction.Predictor` or LIBSVM writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from formulations.modelling.prediction.decisions import Decision, Inliers, Labels, Ordered, Sigmoids, Targets, Votes
from formulations.modelling.prediction.predictor import (
    FORMAT,
    PREPARED,
    PREPARED_ARRAY,
    SUMMED,
    VERSION,
    Posterior,
    Predictor,
)
from formulations.modelling.prediction.preparation import Preparation, from_spec
from formulations.modelling.prediction.sums import Functionals
from qpkernels.arrays import Matrix, finite_vector, is_integer
from qpkernels.arrays.files import check_compressed, load_arrays, parsing, sized
from qpkernels.errors import FileFormatError
from qpkernels.files import LibsvmMachines, Scaling, SvmType, read_libsvm_machines
from qpkernels.gram.functions import Expansion, Expansions, StoredCenters

__all__ = ["BEGIN", "load"]

BEGIN = b"svm_type"
"""How every model file begins."""

_WHAT = "a machine written by save"

_DECISIONS: dict[str, type[Decision]] = {each.__name__: each for each in (Targets, Inliers, Labels, Ordered, Votes)}


def load(path: str | Path) -> Predictor:
    """Read a machine that ``save`` or LIBSVM's svm-train wrote. Nothing in the file is executed.

    A machine of LIBSVM has ``predict_proba`` if it was trained with -b 1, and takes samples scaled as for its training.

    Parameters
    ----------
    path
        A file that ``save`` wrote.

    Raises
    ------
    FileFormatError
        If the file is damaged, of another kind or version, or holds a kernel of a class that is not imported.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from formulations import SoftMargin, load
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]
    >>> with TemporaryDirectory() as folder:
    ...     machine = load(SoftMargin(X, y, C=1.0).solve().save(f"{folder}/machine.npz"))
    >>> print(machine.predict([[0.5], [3.5]]))
    ['low' 'high']
    """
    if _begin(path) == BEGIN:
        return _load_libsvm(Path(path))
    arrays = load_arrays(path, _WHAT)
    if not {"header", "terms", "intercepts"} <= set(arrays):
        StoredCenters.check_arrays(arrays, path, _WHAT, "header", "coefficients", "intercepts")
    with parsing(path, _WHAT):
        header = json.loads(str(arrays["header"]))
        if header.get("format") != FORMAT or header.get("version") not in (VERSION, PREPARED, SUMMED):
            raise FileFormatError(
                f"{path} must be {_WHAT}, of version {VERSION} to {SUMMED} of the format, but it says "
                f"{header.get('format')!r}, version {header.get('version')!r}; save it again by this release, or read "
                "it by its own."
            )
        functions = _functions(arrays)
        posterior, scaling = None, _preparation(header, arrays)
        if "root" in arrays:
            posterior = Posterior(sized(arrays["root"], "root", None, None), bool(header["constant"]), header["noise"])
        if "low" in arrays:
            low, high = (sized(arrays[name], name, None) for name in ("low", "high"))
            scaling = Scaling(low, high, header["lower"], header["upper"])
        if header["decision"] not in _DECISIONS:
            raise ValueError(f"there is no decision {header['decision']!r}")
        decision = _DECISIONS[header["decision"]].of_contents(header, arrays, functions.intercepts.size)
        return Predictor(functions, decision, posterior, scaling, _target(header))


def _begin(path: str | Path) -> bytes:
    """Return the first bytes of a file; none of what is no file, of which others tell."""
    if not Path(path).is_file():
        return b""
    with Path(path).open("rb") as file:
        return file.read(len(BEGIN))


def _target(header: Mapping[str, Any]) -> str | int | None:
    target: str | int | None = header.get("target")
    if not (target is None or isinstance(target, str) or is_integer(target)):
        raise ValueError(f"a target {target!r}")
    return target


def _preparation(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Scaling | Preparation | None:
    if header["version"] == VERSION or "preparation" not in header:
        return None
    own = [arrays[f"{PREPARED_ARRAY}{k}"] for k in range(sum(name.startswith(PREPARED_ARRAY) for name in arrays))]
    preparation = from_spec(header["preparation"], own)
    if not isinstance(preparation, Preparation):
        raise TypeError(f"a preparation was expected, but a {type(preparation).__name__} came")
    return preparation


def _functions(arrays: Mapping[str, NDArray[Any]]) -> Expansions | Functionals:
    intercepts = finite_vector(sized(arrays["intercepts"], "intercepts", None), "intercepts")
    if "terms" in arrays:
        return Functionals.of_arrays(arrays, intercepts)
    known = StoredCenters.from_arrays(arrays)
    # The kernel checks what it is given, as at any call.
    centers = known.kernel.samples(known.samples)
    if not np.isfinite(arrays["coefficients"]).all():
        raise ValueError("coefficients must be finite")
    coefficients = _coefficients(arrays, centers.shape[0], intercepts.size)
    return Expansions(known.kernel, centers, coefficients, intercepts, known.feature_names)


def _coefficients(arrays: Mapping[str, NDArray[Any]], centers: int, functions: int) -> Matrix | csr_array:
    """Return them, sparse as they were written."""
    if "starts" not in arrays:
        return sized(arrays["coefficients"], "coefficients", centers, functions)
    places, starts, entries = arrays["places"], arrays["starts"], sized(arrays["coefficients"], "coefficients", None)
    check_compressed(starts, places, entries, (centers, functions))
    return csr_array((entries, places, starts), shape=(centers, functions))


def _load_libsvm(path: Path) -> Predictor:
    """Read a machine that svm-train wrote, with its probabilities if it was trained with -b 1."""
    read = read_libsvm_machines(path)
    if read.labels is None:
        function = Expansion(read.kernel, read.centers, read.coefficients[0], float(read.intercepts[0]))
        one_class = read.svm_type is SvmType.ONE_CLASS
        return Predictor(Expansions.of([function]), Inliers(-function.intercept) if one_class else Targets())
    classes = np.sort(read.labels)
    place = np.searchsorted(classes, read.labels)
    pairs = list(combinations(range(classes.size), 2))
    functions = Expansions(read.kernel, read.centers, _of_pairs(read), read.intercepts)
    sigmoids = None if read.sigmoids is None else Sigmoids(-read.sigmoids.A, -read.sigmoids.B)
    if classes.size > 2:
        return Predictor(functions, Votes(classes, tuple((int(place[j]), int(place[i])) for i, j in pairs), sigmoids))
    # The first label is that of positive values, as the greater one is of ours.
    return Predictor(functions, Labels(read.labels[::-1], sigmoids))


def _of_pairs(read: LibsvmMachines) -> Matrix:
    """Return the coefficients of the machine of each pair of classes, shape (support vectors, pairs)."""
    assert read.counts is not None
    count = read.counts.size
    number = np.repeat(np.arange(count), read.counts)
    if count == 2:
        return read.coefficients.T
    pairs = list(combinations(range(count), 2))
    found = np.zeros((number.size, len(pairs)))
    for column, (i, j) in enumerate(pairs):
        found[number == i, column] = read.coefficients[j - 1, number == i]
        found[number == j, column] = read.coefficients[i, number == j]
    return found
