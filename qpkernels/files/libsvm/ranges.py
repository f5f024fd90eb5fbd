# SPDX-License-Identifier: BSD-3-Clause
"""Scalings as range files of LIBSVM: what svm-scale writes with -s, and reads with -r.

::

    x
    -1 1
    1 0.5 7
    3 -2 2

The second line has the ends of the range, each further line the number of a feature with its least and its largest
value. Features that are constant are left out. Numbers have the fewest digits that read back as the same float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from qpkernels.arrays import check_count
from qpkernels.arrays.archives import parsing
from qpkernels.arrays.paths import read_file, replacing
from qpkernels.datasets import Scaling
from qpkernels.datasets.text import Place, read_number
from qpkernels.errors import FileFormatError, UnsupportedProgramError

__all__ = ["read_libsvm_range", "write_libsvm_range"]

_WHAT = "a range file of svm-scale"


def write_libsvm_range(scaling: Scaling, path: str | Path) -> Path:
    """Write a scaling to ``path``, and return the path.

    Parameters
    ----------
    scaling
        A map of each feature to a range.
    path
        Where to; a file that is there is replaced.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from qpkernels.datasets import Scaling
    >>> from qpkernels.files import write_libsvm_range
    >>> scaling = Scaling.to_range([[0.0, 10.0], [2.0, 30.0]])
    >>> with TemporaryDirectory() as folder:
    ...     path = write_libsvm_range(scaling, f"{folder}/range")
    ...     print(path.read_text(encoding="ascii").splitlines())
    ['x', '-1.0 1.0', '1 0.0 2.0', '2 10.0 30.0']
    """
    target = Path(path)
    lines = ["x", f"{float(scaling.lower)!r} {float(scaling.upper)!r}"]
    for number, (low, high) in enumerate(zip(scaling.low.tolist(), scaling.high.tolist(), strict=True), start=1):
        if low != high:
            lines.append(f"{number} {low!r} {high!r}")
    with replacing(target, "ascii") as file:
        file.write("\n".join(lines) + "\n")
    return target


def read_libsvm_range(path: str | Path, features: int = 1) -> Scaling:
    """Read a scaling of samples with at least that many features, or as many as the file states.

    Features that the file leaves out are constant, and mapped to 0; svm-scale drops them.

    Parameters
    ----------
    path
        A file that ``svm-scale -s`` wrote.
    features
        The number of features that the scaling has at least; those without a line in the file become 0.

    Raises
    ------
    FileFormatError
        If the file is damaged, or another; DataFormatError with the line where one is malformed.
    UnsupportedProgramError
        If it scales targets as well.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from qpkernels.datasets import Scaling
    >>> from qpkernels.files import read_libsvm_range, write_libsvm_range
    >>> scaling = Scaling.to_range([[0.0, 10.0], [2.0, 30.0]])
    >>> with TemporaryDirectory() as folder:
    ...     again = read_libsvm_range(write_libsvm_range(scaling, f"{folder}/range"))
    >>> print(again.transform([[1.0, 15.0]]))
    [[ 0.  -0.5]]
    """
    source = Path(path)
    content = read_file(source)
    with parsing(source, _WHAT):
        lines = list(_lines(source, content.decode("ascii")))
        if not lines or lines[0][1][0] not in ("x", "y"):
            raise FileFormatError(f"{source} must be {_WHAT}, which begins with a line x; check that this is the file.")
        if lines[0][1][0] == "y":
            raise UnsupportedProgramError(f"{source} scales the targets too; run svm-scale without -y.")
        if len(lines) < 2:
            raise FileFormatError(f"{source} must be {_WHAT}, but it ends before the range; copy it again.")
        lower, upper = _numbers(*lines[1], 2)
        entries = [(_feature(place, fields), _numbers(place, fields[1:], 2)) for place, fields in lines[2:]]
        largest = max((number for number, _ in entries), default=0)
        d = max(largest, check_count(features, "features"))
        low, high = np.zeros(d), np.zeros(d)
        for number, ends in entries:
            low[number - 1], high[number - 1] = ends
        return Scaling(low, high, lower, upper)


def _lines(path: Path, text: str) -> Iterator[tuple[Place, list[str]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if fields := line.split():
            yield Place(path, number, 1), fields


def _numbers(place: Place, fields: list[str], count: int) -> tuple[float, ...]:
    numbers = [read_number(field) for field in fields]
    finite = tuple(number for number in numbers if number is not None and np.isfinite(number))
    if len(fields) != count or len(finite) != count:
        raise place.error(f"{count} numbers", repr(" ".join(fields)[:40]), "correct the line")
    return finite


def _feature(place: Place, fields: list[str]) -> int:
    if not fields[0].isdecimal() or not 1 <= int(fields[0][:11]) < 2**31:
        raise place.error("the number of a feature, its minimum and its maximum", repr(fields[0][:40]), "correct it")
    return int(fields[0])
