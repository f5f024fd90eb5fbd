# SPDX-License-Identifier: BSD-3-Clause
"""One data set: its name, its samples, its targets; and where it is read from."""

from dataclasses import dataclass, replace
from difflib import get_close_matches
from os.path import exists, isdir
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Samples, finite_samples, finite_vector, is_sparse
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

    Attributes
    ----------
    name
        What the set is called in tables and figures.
    X
        Shape (n, d), float64, finite, n and d at least 1: an array, or a SciPy csr_array if it came sparse.
    y
        Array of shape (n,): numbers (finite) or text (class names).
    """

    name: str
    X: Samples
    y: NDArray[Any]

    def __post_init__(self) -> None:
        samples = finite_samples(self.X, "X")
        targets = np.asarray(self.y)
        if targets.shape != samples.shape[:1]:
            expected = f"y must have shape ({samples.shape[0]},), one target for each row of X"
            remedy = "flatten y, or drop the samples without a target"
            raise ShapeError(f"{expected}, but its shape is {targets.shape}; {remedy}.")
        if targets.dtype.kind not in "fiubU":
            remedy = "convert it with y.astype(float) or y.astype(str)"
            raise ShapeError(f"y must hold real numbers or text, but its type is {targets.dtype}; {remedy}.")
        if targets.dtype.kind != "U":
            finite_vector(targets, "y")
        object.__setattr__(self, "X", samples if is_sparse(samples) else np.ascontiguousarray(samples))
        object.__setattr__(self, "y", targets)


def load_dataset(source: str | Path, target: str | int | None = None, sparse: bool | None = None) -> Dataset:
    """Read samples X in R^(n x d) and their targets y from a bundled data set or a file.

    Parameters
    ----------
    source
        A bundled name (breast-cancer, diabetes, digits, iris, wine), which must be text, or else the path of a file;
        ``./iris`` and ``Path("iris")`` are files. The suffix decides how a file is read: ``.csv`` as comma-separated
        values with an optional header, ``.npz`` as an archive of the arrays ``X`` and ``y``, any other as LIBSVM text.
        CSV and LIBSVM files may be compressed (``.gz``, ``.bz2``, ``.xz``).
    target
        The target column of a CSV file: its name in the header, or its number from 1; if None, the last column.
    sparse
        Whether X is a csr_array. If None, only LIBSVM text with fewer than a quarter of the entries nonzero is.

    Returns
    -------
    Dataset
        Named as the file without those suffixes. ``y`` is numeric but for class names in a CSV file or an archive.

    Raises
    ------
    UnknownDatasetError
        If ``source`` is neither a bundled name nor a file.
    DataFormatError
        If a CSV or LIBSVM file is malformed or holds NaN or infinity; with the line and the column.
    ShapeError, NonFiniteError
        If an npz archive lacks an array, or its arrays are unfit.
    ParameterError
        If ``target`` is given for anything but a CSV file, or there is no such column.
    """
    if isinstance(source, str) and source in BUNDLED_NAMES:
        _refuse_target(target, f"{source} is a bundled data set")
        # scikit-learn takes about a second to import, which a program that reads no data should not pay.
        from sklearn import datasets

        dataset = Dataset(source, *getattr(datasets, f"load_{source.replace('-', '_')}")(return_X_y=True))
    else:
        dataset = _read_file(source, target, sparse)
    return replace(dataset, X=csr_array(dataset.X)) if sparse else dataset


def _read_file(source: str | Path, target: str | int | None, sparse: bool | None) -> Dataset:
    path = Path(source)
    # Unlike its pathlib namesake, this takes an over-long name for one that does not exist.
    if not exists(path) or isdir(path):
        came = f"{str(source)!r} {'is a folder' if isdir(path) else 'is neither'}"
        nearest = get_close_matches(str(source).lower(), BUNDLED_NAMES, n=1)
        hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
        raise UnknownDatasetError(
            f"The data set must be a bundled name or the path of a file, but {came}.{hint} "
            f"Pass one of {', '.join(BUNDLED_NAMES)}, or the path of a LIBSVM, CSV or npz file that exists."
        )
    file = Path(path.stem) if path.suffix.lower() in COMPRESSIONS else Path(path.name)
    suffix = file.suffix.lower()
    if suffix == ".csv":
        X, y = read_delimited(path, target)
    else:
        _refuse_target(target, f"{path} is not a .csv file")
        X, y = read_archive(path) if suffix == ".npz" else read_libsvm(path, sparse)
    try:
        return Dataset(file.stem if suffix in (".csv", ".npz") else file.name, X, y)
    except (NonFiniteError, ShapeError) as error:
        raise type(error)(f"{path}: {error}") from error


def _refuse_target(target: str | int | None, reason: str) -> None:
    if target is not None:
        expected = "target must be left out unless a CSV file is read"
        raise ParameterError(f"{expected}, but target={target!r} came and {reason}; leave it out.")
