# SPDX-License-Identifier: BSD-3-Clause
"""From a name or a path to a data set."""

from difflib import get_close_matches
from os.path import exists, isdir
from pathlib import Path

from qpkernels.datasets.archive import read_archive
from qpkernels.datasets.bundled import BUNDLED_NAMES, load_bundled
from qpkernels.datasets.compression import name_without_compression
from qpkernels.datasets.dataset import Dataset
from qpkernels.datasets.delimited import read_delimited
from qpkernels.datasets.libsvm import read_libsvm
from qpkernels.errors import ParameterError, UnknownDatasetError

__all__ = ["load_dataset"]


def load_dataset(source: str | Path, target: str | int | None = None) -> Dataset:
    """Read samples X in R^(n x d) and their targets y from a bundled data set or a file.

    Parameters
    ----------
    source
        A bundled name (breast-cancer, diabetes, digits, iris, wine), which must be text, or else the path of
        a file; ``./iris`` and ``Path("iris")`` are files. The suffix decides how a file is read: ``.csv`` as
        comma-separated values with an optional header, ``.npz`` as an archive of the arrays ``X`` and ``y``,
        and any other suffix as LIBSVM text. CSV and LIBSVM files may be compressed (``.gz``, ``.bz2``,
        ``.xz``).
    target
        The target column of a CSV file: its name in the header, or its number counted from 1. The last column
        if None.

    Returns
    -------
    Dataset
        ``y`` is int64 for a bundled set of classes; float64 for diabetes, LIBSVM files and CSV files with
        numeric targets; text for CSV files with class names; and as stored for npz archives. The name is that
        of the file without the suffixes above.

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
        return load_bundled(source)
    path = Path(source)
    # Unlike its pathlib namesake, this takes an over-long name for one that does not exist.
    if not exists(path) or isdir(path):
        raise _unknown(source, path)
    name = name_without_compression(path)
    if name.lower().endswith(".csv"):
        return Dataset(name[: -len(".csv")], *read_delimited(path, target))
    _refuse_target(target, f"{path} is not a .csv file")
    if path.suffix.lower() == ".npz":
        return read_archive(path, path.stem)
    return Dataset(name, *read_libsvm(path))


def _refuse_target(target: str | int | None, reason: str) -> None:
    if target is not None:
        raise ParameterError(
            f"target must be left out unless a CSV file is read, but target={target!r} came and {reason}; leave it out."
        )


def _unknown(source: str | Path, path: Path) -> UnknownDatasetError:
    nearest = get_close_matches(str(source).lower(), BUNDLED_NAMES, n=1)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    reason = "is a folder" if isdir(path) else "is neither"
    return UnknownDatasetError(
        f"The data set must be a bundled name or the path of a file, but {str(source)!r} {reason}.{hint} "
        f"Pass one of {', '.join(BUNDLED_NAMES)}, or the path of a LIBSVM, CSV or npz file that exists."
    )
