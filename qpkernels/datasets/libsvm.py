# SPDX-License-Identifier: BSD-3-Clause
"""Files in the text format of LIBSVM: ``label index:value index:value ...``, one sample on each line."""

import codecs
import math
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from reprlib import repr as abridged

import numpy as np
from scipy.sparse import csr_array

from qpkernels.arrays import Samples, Vector
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
# LIBSVM and scikit-learn both keep an index in a C int.
_LARGEST_INDEX = 2**31 - 1


def read_libsvm(path: Path, sparse: bool | None = None) -> tuple[Samples, Vector]:
    """Return samples and labels; features that a line leaves out are 0, the largest index is their number.

    Indices count from 1 and ascend; ``#`` starts a comment; blank lines are skipped. The samples are a csr_array if
    ``sparse``, or, where that is None, if fewer than a quarter of the entries differ from 0.
    """
    return parse_libsvm(path, read_bytes(path).removeprefix(codecs.BOM_UTF8), sparse)


def parse_libsvm(path: Path, content: bytes, sparse: bool | None = None) -> tuple[Samples, Vector]:
    """Return samples and labels of the text of ``path``, which errors name; see :func:`read_libsvm`."""
    from sklearn.datasets import load_svmlight_file

    try:
        rows, labels = load_svmlight_file(BytesIO(content), zero_based=False, dtype=np.float64)
    except (ValueError, OverflowError) as error:
        came = f"a file that scikit-learn refuses, at a place that could not be found ({error}),"
        raise (_first_fault(path, content) or Place(path, 1, 1).error(_FORM, came, CHECK_THE_FILE)) from error
    # The parser takes files without features, NaN, infinity, underscores in numbers, and qid fields, which it skips.
    sound = rows.nnz > 0 and np.isfinite(rows.data).all() and np.isfinite(labels).all()
    if (not sound or b"_" in content or b"qid" in content) and (fault := _first_fault(path, content)):
        raise fault
    rows.eliminate_zeros()
    n, d = rows.shape
    if sparse or (sparse is None and rows.nnz < _SPARSE_BELOW * n * d):
        return csr_array(rows), labels
    if 8 * n * d > _DENSE_LIMIT_BYTES:
        match = re.search(rb"^[^#\n]*?\s(\+?0*%d:)" % d, content, re.MULTILINE)
        start = match.start(1) if match else 0
        place = Place(path, content.count(b"\n", 0, start) + 1, start - content.rfind(b"\n", 0, start))
        came = f"index {d} in a file of {n} samples, which takes {8 * n * d / 2**30:.1f} GiB,"
        remedy = "correct the index if it is a slip, otherwise read the file with sparse=True"
        raise place.error(f"a dense matrix of at most {_DENSE_LIMIT_BYTES / 2**30:g} GiB", came, remedy)
    return rows.toarray(), labels


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
            index = int(match[0].partition(":")[0]) if features else 0
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
        yield match is None, "an index that is a whole number from 1", "correct the index"
        # More digits than eleven are above the largest index anyway, and int() refuses thousands of them.
        place = int(match[1][:11]) if match else 0
        yield place > _LARGEST_INDEX, f"an index of at most {_LARGEST_INDEX}", "correct the index"
        yield place == 0, "an index from 1", "add 1 to every index of a file that counts from 0"
        yield place <= before, f"an index above {before}", "sort the features of this line by index, each index once"
        number = read_number(value)
        yield number is None, "index:value with a value that is a number", "correct or delete the value"
    yield not math.isfinite(number or 0.0), "a finite number", "drop this sample, or replace the number"
