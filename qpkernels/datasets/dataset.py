# SPDX-License-Identifier: BSD-3-Clause
"""One data set: its name, its samples, its targets; and where it is read from."""

from dataclasses import dataclass, replace
from difflib import get_close_matches
from os import PathLike
from os.path import exists, isdir
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Samples, check_flag, finite_samples, finite_vector, is_sparse, read_array, shown
from qpkernels.arrays.mapped import is_mapped
from qpkernels.datasets.archive import read_archive
from qpkernels.datasets.delimited import read_delimited
from qpkernels.datasets.libsvm import read_libsvm
from qpkernels.datasets.text import COMPRESSIONS
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError, UnknownDatasetError

__all__ = ["BUNDLED_NAMES", "Dataset", "load_dataset"]

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
        Names of the classes 0, 1 and so on, where targets are these numbers; None: they have none.
    feature_names, target_name
        What the header of a CSV file calls the columns; None: there was none.
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
        Whether X is a csr_array. If None, only LIBSVM text with fewer than a quarter of the entries nonzero is.

    Raises
    ------
    UnknownDatasetError, ParameterError
        If ``source`` is neither a bundled name nor a file; if there is no such ``target``, or no CSV file it is in.
    FileFormatError, ShapeError, NonFiniteError
        If a text file is malformed or holds NaN or infinity, with the line and the column; if an archive is unfit.

    Examples
    --------
    >>> from qpkernels.datasets import load_dataset
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
