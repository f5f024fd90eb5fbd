# SPDX-License-Identifier: BSD-3-Clause
"""The text files of LIBSVM's tools other than machines: samples, kernel matrices and scalings.

Numbers are written with the fewest digits that read back as the same float64.
"""

from __future__ import annotations

import codecs
import math
import re
import warnings
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from reprlib import repr as abridged

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from qpkernels.arrays import Matrix, Samples, Vector, check_count, finite_matrix, finite_vector
from qpkernels.arrays.checks import MOST_FEATURES
from qpkernels.arrays.files import CHECK_THE_FILE, PlaceInFile, parsing, read_bytes, read_file, read_number, replacing
from qpkernels.errors import DataFormatError, FileFormatError, UnsupportedProgramError
from qpkernels.files.scaling import Scaling

__all__ = [
    "parse_libsvm",
    "read_libsvm",
    "read_libsvm_kernel",
    "read_libsvm_range",
    "write_libsvm_kernel",
    "write_libsvm_range",
]

# One mistyped index could otherwise claim the whole memory.
_DENSE_LIMIT_BYTES = 8 * 2**30
# Where sparse kernel rows begin to be faster than dense ones, and the samples take half the memory.
_SPARSE_BELOW = 0.25
_FORM = "samples written 'label index:value index:value'"

# White space as ``bytes.split`` understands it; a no-break space is part of a token.
_TOKEN = re.compile(r"\S+", re.ASCII)
_INDEX = re.compile(r"\+?0*(\d+)", re.ASCII)


def read_libsvm(path: Path, sparse: bool | None = None) -> tuple[Samples, Vector]:
    """Return samples and labels; features that a line leaves out are 0, and the largest index is their number.

    Indices count from 1 and ascend; ``#`` starts a comment; blank lines are skipped. If an index is 0, all count from
    0, as scikit-learn writes them, and a warning says so. The samples are a csr_array if ``sparse`` or, if that is
    None, if fewer than a quarter of the entries differ from 0.
    """
    return parse_libsvm(path, read_bytes(path).removeprefix(codecs.BOM_UTF8), sparse)


def parse_libsvm(path: Path, content: bytes, sparse: bool | None = None) -> tuple[Samples, Vector]:
    """Return samples and labels of the text of ``path``, which errors name; see :func:`read_libsvm`."""
    from sklearn.datasets import load_svmlight_file

    try:
        # The number of features overflows behind the largest index of a C int, which is refused below.
        with np.errstate(over="ignore"):
            rows, labels = load_svmlight_file(BytesIO(content), zero_based=True, dtype=np.float64)
    except (ValueError, OverflowError) as error:
        came = f"a file that scikit-learn refuses, at a place that could not be found ({error}),"
        raise (_first_fault(path, content) or PlaceInFile(path, 1, 1).error(_FORM, came, CHECK_THE_FILE)) from error
    # The parser takes files without features, NaN, infinity, underscores in numbers, and qid fields, which it skips.
    sound = rows.nnz > 0 and np.isfinite(rows.data).all() and np.isfinite(labels).all()
    sound = sound and rows.shape[1] <= MOST_FEATURES
    if (not sound or b"_" in content or b"qid" in content) and (fault := _first_fault(path, content)):
        raise fault
    rows = _counted_from_one(path, csr_array(rows))
    rows.eliminate_zeros()
    n, d = rows.shape
    if sparse or (sparse is None and rows.nnz < _SPARSE_BELOW * n * d):
        return rows, labels
    if 8 * n * d > _DENSE_LIMIT_BYTES:
        match = re.search(rb"^[^#\n]*?\s(\+?0*%d:)" % d, content, re.MULTILINE)
        start = match.start(1) if match else 0
        place = PlaceInFile(path, content.count(b"\n", 0, start) + 1, start - content.rfind(b"\n", 0, start))
        came = f"index {d} in a file of {n} samples, which takes {8 * n * d / 2**30:.1f} GiB,"
        remedy = "correct the index if it is a slip, otherwise read the file with sparse=True"
        raise place.error(f"a dense matrix of at most {_DENSE_LIMIT_BYTES / 2**30:g} GiB", came, remedy)
    return rows.toarray(), labels


def _counted_from_one(path: Path, rows: csr_array) -> csr_array:
    """Return the samples of a file without the column 0, which only a file that counts from 0 has; say so of one."""
    if rows.indices.min() > 0:
        return csr_array((rows.data, rows.indices - 1, rows.indptr), shape=(rows.shape[0], rows.shape[1] - 1))
    # Its first numbers are of samples, and are no feature.
    serials = rows[:, [0]].toarray().ravel()
    if rows.shape[1] == serials.size + 1 and (serials == np.arange(1, serials.size + 1)).all():
        came = "the numbers of all samples in front of as many values"
        remedy = "read it as the kernel matrix that it seems to be, by qpkernels.files.read_libsvm_kernel"
        raise PlaceInFile(path, 1, 1).error("features of samples", came, remedy)
    warnings.warn(
        f"{path} has an index 0, so that its indices are taken to count from 0, as scikit-learn writes them, and "
        "feature 1 here is its 0; a file of the same features without an index 0 is taken to count from 1, so write "
        "both with zero_based=False.",
        RuntimeWarning,
        stacklevel=2,
    )
    return rows


def _first_fault(path: Path, content: bytes) -> DataFormatError | None:
    """Return what is wrong with the first malformed token, in a slow second reading; None if all are well formed."""
    most = -1
    for number, raw in enumerate(content.split(b"\n"), start=1):
        # Comments may be in any encoding; outside them every valid character is ASCII.
        line = raw.decode("utf-8", errors="replace").partition("#")[0]
        index = None
        for features, match in enumerate(_TOKEN.finditer(line)):
            for broken, expected, remedy in _rules(match[0], index):
                if broken:
                    return PlaceInFile(path, number, match.start() + 1).error(expected, abridged(match[0]), remedy)
            index = int(match[0].partition(":")[0]) if features else -1
            most = max(most, features)
    if most > 0:
        return None
    came = "a file without samples" if most < 0 else "labels without any feature"
    return PlaceInFile(path, 1, 1).error(_FORM, came, CHECK_THE_FILE)


def _rules(token: str, before: int | None) -> Iterator[tuple[bool, str, str]]:
    """Yield whether a label (``before`` None) or a feature after that index breaks a rule, the rule, and the remedy."""
    index, colon, value = token.partition(":")
    if before is None:
        yield bool(colon), "the label first", "write the label in front of the features"
        yield "," in token, "one label", "keep a single label on each line; several are not supported"
        number = read_number(token)
        yield number is None, "a label that is a number", "replace class names by numbers"
    else:
        yield index == "qid", "index:value", "delete the qid fields; the groups of ranking data are not supported"
        yield not colon, "index:value", "join the index and the value by a colon, without spaces"
        match = _INDEX.fullmatch(index)
        yield match is None, "an index that is a whole number from 1, or from 0", "correct the index"
        # More digits than eleven are above the largest index anyway, and int() refuses thousands of them.
        place = int(match[1][:11]) if match else 0
        size = f"a vector of so many features takes {8 * place / 2**30:.3g} GiB"
        yield place > MOST_FEATURES, f"an index of at most {MOST_FEATURES}", f"correct the index, for {size}"
        yield place <= before, f"an index above {before}", "sort the features of this line by index, each index once"
        number = read_number(value)
        yield number is None, "index:value with a value that is a number", "correct or delete the value"
    yield not math.isfinite(number or 0.0), "a finite number", "drop this sample, or replace the number"


def write_libsvm_kernel(K: ArrayLike, y: ArrayLike, path: str | Path) -> Path:
    """Write kernel values and targets to ``path`` as ``label 0:i 1:K_i1 2:K_i2 ...``, and return the path.

    svm-train takes such files with -t 4. Every entry is written, even if it is 0: LIBSVM counts them by position.

    Parameters
    ----------
    K
        Row i holds the kernel of object i with each of the training objects, shape (m, n); m = n in training.
    y
        Numbers, shape (m,): labels or targets.
    path
        The file to write; an existing file is replaced.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from qpkernels import RBF
    >>> from qpkernels.files import write_libsvm_kernel
    >>> K = RBF(gamma=0.5)([[0.0], [1.0]], [[0.0], [1.0]]).round(3)
    >>> with TemporaryDirectory() as folder:
    ...     path = write_libsvm_kernel(K, [-1, 1], f"{folder}/kernel")
    ...     print(path.read_text(encoding="ascii").splitlines())
    ['-1 0:1 1:1.0 2:0.607', '1 0:2 1:0.607 2:1.0']
    """
    matrix = finite_matrix(K, "K")
    targets = finite_vector(y, "y", len(matrix)).tolist()
    target = Path(path)
    with replacing(target, "ascii") as file:
        for number, (label, row) in enumerate(zip(targets, matrix, strict=True), start=1):
            entries = " ".join(f"{k}:{value!r}" for k, value in enumerate(row.tolist(), start=1))
            file.write(f"{int(label) if label.is_integer() else label!r} 0:{number} {entries}\n")
    return target


def read_libsvm_kernel(path: str | Path) -> tuple[Matrix, Vector]:
    """Read kernel values and targets: ``SoftMargin(np.arange(len(K)), y, Precomputed(K))`` is the machine.

    If K is square, its rows must be numbered 1 to m in order; otherwise, as in a file of other samples, LIBSVM ignores
    their numbers, and so does this reader.

    Parameters
    ----------
    path
        A file of precomputed kernels in LIBSVM's format: target, ``0:`` and the number of the sample, then a row of K.

    Raises
    ------
    FileFormatError
        If the file is damaged or of another kind; DataFormatError states the line if one is malformed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from qpkernels.files import read_libsvm_kernel, write_libsvm_kernel
    >>> with TemporaryDirectory() as folder:
    ...     K, y = read_libsvm_kernel(write_libsvm_kernel([[1.0, 0.5], [0.5, 1.0]], [-1, 1], f"{folder}/kernel"))
    >>> print(K, y)
    [[1.  0.5]
     [0.5 1. ]] [-1.  1.]
    """
    source = Path(path)
    content = read_file(source)
    with parsing(source, "a precomputed kernel of LIBSVM"):
        lines = list(_lines(source, content.decode("ascii")))
        if not lines:
            raise FileFormatError(f"{source} must be a precomputed kernel of LIBSVM, but it has no sample.")
        labels, serials, rows = zip(*lines, strict=True)
        K = finite_matrix(np.array(rows), "K")
        if K.shape[0] == K.shape[1] and list(serials) != [str(k) for k in range(1, len(K) + 1)]:
            raise FileFormatError(f"the rows of {source} must be numbered 1 to {len(K)} in order; sort them.")
        return K, finite_vector(np.array(labels), "y")


def _lines(path: Path, text: str) -> Iterator[tuple[float, str, list[float]]]:
    width = None
    for number, line in enumerate(text.split("\n"), start=1):
        fields = line.split()
        if not fields:
            continue
        label = read_number(fields[0])
        names, values = zip(*(field.partition(":")[::2] for field in fields[1:]), strict=True)
        numbers = [read_number(value) for value in values]
        width = len(names) if width is None else width
        in_order = list(names) == [str(k) for k in range(width)]
        entries = [value for value in numbers[1:] if value is not None]
        if label is None or not in_order or not entries or len(entries) != width - 1:
            expected = "'label 0:number 1:value 2:value ...', each index, and as many as in the lines before"
            raise PlaceInFile(path, number, 1).error(expected, repr(line[:40]), "correct the line")
        yield label, values[0], entries


_WHAT = "a range file of svm-scale"


def write_libsvm_range(scaling: Scaling, path: str | Path) -> Path:
    """Write a scaling to ``path`` as a range file, which svm-scale writes with -s and reads with -r; return the path.

    The file begins with a line ``x``. The second line holds the ends of the range, and each further line the number of
    a feature with its smallest and its largest value; constant features are left out.

    Parameters
    ----------
    scaling
        A map of each feature to a range.
    path
        The file to write; an existing file is replaced.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from qpkernels.files import Scaling
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
    """Read a scaling of samples with at least ``features`` features, or as many as the file states.

    Features that the file leaves out are constant and are mapped to 0; svm-scale drops them.

    Parameters
    ----------
    path
        A file that ``svm-scale -s`` wrote.
    features
        The smallest number of features of the scaling; those without a line in the file become 0.

    Raises
    ------
    FileFormatError
        If the file is damaged or of another kind; DataFormatError states the line if one is malformed.
    UnsupportedProgramError
        If it scales targets as well.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from qpkernels.files import Scaling
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
        lines = list(_range_lines(source, content.decode("ascii")))
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


def _range_lines(path: Path, text: str) -> Iterator[tuple[PlaceInFile, list[str]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if fields := line.split():
            yield PlaceInFile(path, number, 1), fields


def _numbers(place: PlaceInFile, fields: list[str], count: int) -> tuple[float, ...]:
    numbers = [read_number(field) for field in fields]
    finite = tuple(number for number in numbers if number is not None and np.isfinite(number))
    if len(fields) != count or len(finite) != count:
        raise place.error(f"{count} numbers", repr(" ".join(fields)[:40]), "correct the line")
    return finite


def _feature(place: PlaceInFile, fields: list[str]) -> int:
    if not fields[0].isdecimal() or not 1 <= int(fields[0][:11]) < 2**31:
        raise place.error("the number of a feature, its minimum and its maximum", repr(fields[0][:40]), "correct it")
    return int(fields[0])
