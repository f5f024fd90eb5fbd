# SPDX-License-Identifier: BSD-3-Clause
"""Files in the text format of LIBSVM: ``label index:value index:value ...``, one sample on each line."""

import codecs
import math
import re
import warnings
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from reprlib import repr as abridged

import numpy as np
from scipy.sparse import csr_array

from qpkernels.arrays import MOST_FEATURES, Samples, Vector
from qpkernels.datasets.text import CHECK_THE_FILE, Place, read_bytes, read_number
from qpkernels.errors import DataFormatError

__all__ = ["parse_libsvm", "read_libsvm"]

# One mistyped index could otherwise claim the whole memory.
_DENSE_LIMIT_BYTES = 8 * 2**30
# Where sparse kernel rows begin to be faster than dense ones, and the samples take half the memory.
_SPARSE_BELOW = 0.25
_FORM = "samples written 'label index:value index:value'"

# White space as ``bytes.split`` understands it; a no-break space is part of a token.
_TOKEN = re.compile(r"\S+", re.ASCII)
_INDEX = re.compile(r"\+?0*(\d+)", re.ASCII)


def read_libsvm(path: Path, sparse: bool | None = None) -> tuple[Samples, Vector]:
    """Return samples and labels; features that a line leaves out are 0, the largest index is their number.

    Indices count from 1 and ascend; ``#`` starts a comment; blank lines are skipped. Where an index is 0, all count
    from 0, as scikit-learn writes them, and a warning says so. The samples are a csr_array if ``sparse``, or, where
    that is None, if fewer than a quarter of the entries differ from 0.
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
        raise (_first_fault(path, content) or Place(path, 1, 1).error(_FORM, came, CHECK_THE_FILE)) from error
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
        place = Place(path, content.count(b"\n", 0, start) + 1, start - content.rfind(b"\n", 0, start))
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
        raise Place(path, 1, 1).error("features of samples", came, remedy)
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
                    return Place(path, number, match.start() + 1).error(expected, abridged(match[0]), remedy)
            index = int(match[0].partition(":")[0]) if features else -1
            most = max(most, features)
    if most > 0:
        return None
    came = "a file without samples" if most < 0 else "labels without any feature"
    return Place(path, 1, 1).error(_FORM, came, CHECK_THE_FILE)


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
