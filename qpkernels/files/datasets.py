# SPDX-License-Identifier: BSD-3-Clause
"""Data sets: their names, samples and targets, how they are read, and labels of two classes made from several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from os import PathLike
from os.path import exists, isdir
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import (
    Samples,
    Vector,
    check_flag,
    finite_samples,
    finite_vector,
    is_sparse,
    read_array,
    real_number,
    shown,
)
from qpkernels.arrays.checks import is_mapped
from qpkernels.arrays.files import COMPRESSIONS, load_arrays, read_number
from qpkernels.errors import (
    FileFormatError,
    LabelError,
    NonFiniteError,
    ParameterError,
    ShapeError,
    UnknownDatasetError,
)
from qpkernels.files.delimited import read_delimited
from qpkernels.files.libsvm_data import read_libsvm

__all__ = [
    "BUNDLED_NAMES",
    "Dataset",
    "load_dataset",
    "one_versus_rest",
    "read_archive",
]


def one_versus_rest(y: ArrayLike, positive: str | float) -> Vector:
    """Map y_i to +1.0 where y_i equals the class ``positive``, which must occur in y, and to -1.0 elsewhere.

    If y is numeric, the comparison is numeric, also for a class given as text: ``"1"``, ``"1.0"`` and 1 are the same
    class. If y is text, texts are compared.

    Parameters
    ----------
    y
        Labels of any kind, shape (m,).
    positive
        The class that becomes +1.0.
    """
    classes = read_array(y, "y")
    if classes.ndim != 1:
        raise ShapeError(f"y must have one dimension, but its shape is {classes.shape}; flatten it first.")
    if classes.dtype.kind in "fiub":
        classes = finite_vector(classes, "y")
        wanted = read_number(positive.strip()) if isinstance(positive, str) else _number(positive)
        # NaN equals nothing: a text that is no number is no class of numbers.
        is_positive = classes == (np.nan if wanted is None else wanted)
    elif classes.dtype.kind not in "USO":
        raise LabelError(f"y must hold numbers or text, but labels of type {classes.dtype} came; convert them first.")
    else:
        classes = classes.astype(np.str_)
        is_positive = classes == str(positive)
    if not is_positive.any():
        distinct = [repr(label).removesuffix(".0") for label in np.unique(classes).tolist()]
        more = f", ... ({len(distinct)} in all)" if len(distinct) > 20 else ""
        expected = f"The positive class must be one of the classes {', '.join(distinct[:20]) or 'of y, which is empty'}"
        raise LabelError(f"{expected}{more}, but {shown(positive)} came; choose one of these.")
    return np.where(is_positive, 1.0, -1.0)


def _number(positive: object) -> float | None:
    """Return a class as a number, or None: it is no class of numbers."""
    try:
        return float(positive) if isinstance(positive, bool | np.bool_) else real_number(positive, "positive")
    except ParameterError:
        return None


_SAVE = "save it with numpy.savez(path, X=X, y=y)"


def read_archive(path: Path) -> list[NDArray[Any]]:
    """Return X and y of an npz file, whose sizes are checked first; other arrays of it are left alone."""
    found = load_arrays(path, "an npz archive of numbers X and of numbers or text y", ("X", "y"))
    if missing := " and ".join(key for key in ("X", "y") if key not in found):
        raise FileFormatError(f"{path} must hold the arrays X and y, but it lacks {missing}; {_SAVE}.")
    if (kind := found["X"].dtype).kind not in "fiub":
        raise ShapeError(f"{path}: X must hold real numbers, but its type is {kind}; save X.astype(float) instead.")
    return [found["X"], found["y"]]


BUNDLED_NAMES: Final = ("breast-cancer", "diabetes", "digits", "iris", "wine")
"""The sets installed with scikit-learn, which :func:`load_dataset` knows without a file."""


# Equality is left to identity: comparing the fields would compare arrays, which has no single truth value.
@dataclass(frozen=True, eq=False, slots=True)
class Dataset:
    """Samples x_1 ... x_n in R^d as the rows of X, with one target y_i for each.

    X is finite, float64, and an array, or a SciPy csr_array if it came sparse; n and d are at least 1. The targets are
    an array of finite numbers or of text, the names of classes; ``name`` is what tables and figures call the set. Where
    targets are numbers of classes, 0, 1 and so on, ``class_names`` may have their names; ``feature_names`` and
    ``target_name`` are those of the header of a CSV file.

    Attributes
    ----------
    name
        What tables and figures call the set.
    X
        Samples, shape (n, d), finite.
    y
        Targets, shape (n,): finite numbers, or names of classes as text.
    class_names
        The names of the classes 0, 1 and so on, if targets are these numbers; None if they have no names.
    feature_names, target_name
        The names of the columns in the header of a CSV file; None if there was no header.

    Examples
    --------
    >>> from qpkernels.files import load_dataset
    >>> data = load_dataset("iris")
    >>> print(data.name, data.X.shape, data.y[:3])
    iris (150, 4) [0 0 0]
    """

    name: str
    X: Samples
    y: NDArray[Any]
    class_names: tuple[str, ...] | None = None
    feature_names: tuple[str, ...] | None = None
    target_name: str | None = None

    def __post_init__(self) -> None:
        samples = finite_samples(self.X, "X")
        targets = read_array(self.y, "y")
        if targets.shape != samples.shape[:1]:
            expected = f"y must have shape ({samples.shape[0]},), one target for each row of X"
            remedy = "flatten y, or drop the samples without a target"
            raise ShapeError(f"{expected}, but its shape is {targets.shape}; {remedy}.")
        if targets.dtype.kind not in "fiubU":
            remedy = "convert it with y.astype(float) or y.astype(str)"
            raise ShapeError(f"y must hold real numbers or text, but its type is {targets.dtype}; {remedy}.")
        if targets.dtype.kind != "U":
            finite_vector(targets, "y")
        object.__setattr__(
            self, "X", samples if is_sparse(samples) or is_mapped(samples) else np.ascontiguousarray(samples)
        )
        object.__setattr__(self, "y", targets)


def load_dataset(source: str | Path, target: str | int | None = None, sparse: bool | None = None) -> Dataset:
    """Read samples X in R^(n x d) and their targets y from a bundled data set or a file.

    Parameters
    ----------
    source
        A bundled name (breast-cancer, diabetes, digits, iris, wine), which must be text, or else the path of a file;
        ``./iris`` and ``Path("iris")`` are files. The suffix decides how a file is read: ``.csv`` as comma-separated
        values with an optional header, ``.npz`` as an archive of the arrays ``X`` and ``y``, any other as LIBSVM text.
        CSV and LIBSVM files may be compressed (``.gz``, ``.bz2``, ``.xz``). The set is named without these suffixes.
    target
        The target column of a CSV file: its name in the header, or its number from 1; if None, the last column.
    sparse
        Whether X is a csr_array. If None, only LIBSVM text with fewer than a quarter of nonzero entries is sparse.

    Raises
    ------
    UnknownDatasetError, ParameterError
        If ``source`` is neither a bundled name nor a file, if there is no such ``target``, or if the file is not CSV.
    FileFormatError, ShapeError, NonFiniteError
        If a text file is malformed or holds NaN or infinity, with the line and the column; or if an archive is unfit.

    Examples
    --------
    >>> from qpkernels.files import load_dataset
    >>> data = load_dataset("iris")
    >>> print(data.X.shape, data.class_names)
    (150, 4) ('setosa', 'versicolor', 'virginica')
    """
    if not isinstance(source, str | PathLike):
        raise UnknownDatasetError(
            f"The data set must be a bundled name or the path of a file, but {shown(source)} came."
        )
    if sparse is not None:
        check_flag(sparse, "sparse")
    path = Path(source)
    bundled = isinstance(source, str) and source in BUNDLED_NAMES
    # Unlike its pathlib namesake, this takes an over-long name for one that does not exist.
    if not bundled and (not exists(path) or isdir(path)):
        nearest = get_close_matches(str(source).lower(), BUNDLED_NAMES, n=1)
        hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
        raise UnknownDatasetError(
            f"The data set must be a bundled name or the path of a file, but {str(source)!r} is "
            f"{'a folder' if isdir(path) else 'neither'}.{hint} Pass one of {', '.join(BUNDLED_NAMES)}, or the path of "
            "a LIBSVM, CSV or npz file that exists."
        )
    name = path.stem if path.suffix.lower() in COMPRESSIONS else path.name
    stem, suffix = name[:-4], name[-4:].lower()
    if target is not None and (bundled or suffix != ".csv"):
        expected = "target must be left out unless a CSV file is read"
        reason = f"{source} is {'a bundled data set' if bundled else 'not a .csv file'}"
        raise ParameterError(f"{expected}, but target={shown(target)} came and {reason}; leave it out.")
    class_names = feature_names = target_name = None
    if bundled:
        # scikit-learn takes about a second to import, which a program that reads no data should not pay.
        from sklearn import datasets

        loaded = getattr(datasets, f"load_{name.replace('-', '_')}")()
        X, y = loaded.data, loaded.target
        # Digits are their own names.
        names = np.asarray(loaded.get("target_names", ()))
        class_names = tuple(names.tolist()) if names.dtype.kind == "U" else None
    elif suffix == ".csv":
        X, y, feature_names, target_name = read_delimited(path, target)
    else:
        X, y = read_archive(path) if suffix == ".npz" else read_libsvm(path, sparse)
    try:
        dataset = Dataset(stem if suffix in (".csv", ".npz") else name, X, y, class_names, feature_names, target_name)
    except (NonFiniteError, ShapeError) as error:
        raise type(error)(f"{path}: {error}") from error
    return replace(dataset, X=csr_array(dataset.X)) if sparse else dataset
