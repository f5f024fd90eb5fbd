# SPDX-License-Identifier: BSD-3-Clause
"""Files in the text format of LIBSVM: ``label index:value index:value ...``, one sample on each line."""

import codecs
from io import BytesIO
from pathlib import Path

import numpy as np

from qpkernels.arrays import Matrix, Vector
from qpkernels.datasets.compression import read_bytes
from qpkernels.datasets.faults import Fault
from qpkernels.datasets.libsvm_faults import first_fault, largest_index

__all__ = ["read_libsvm"]

DENSE_LIMIT_BYTES = 8 * 2**30
"""Largest dense matrix made of a sparse file; one mistyped index could otherwise claim the whole memory."""


def read_libsvm(path: Path) -> tuple[Matrix, Vector]:
    """Return the samples and labels of a LIBSVM file; features that a line leaves out are 0.

    Indices count from 1 and ascend; ``#`` starts a comment; blank lines are skipped.

    Parameters
    ----------
    path
        The file; ``.gz``, ``.bz2`` and ``.xz`` are decompressed.

    Returns
    -------
    X : array of shape (n, d), float64
        d is the largest index in the file.
    y : array of shape (n,), float64

    Raises
    ------
    DataFormatError
        At the first malformed token, which includes NaN, infinity, several labels and the ``qid`` fields of
        ranking data; at the largest index if the dense matrix would exceed ``DENSE_LIMIT_BYTES``.
    """
    from sklearn.datasets import load_svmlight_file

    content = read_bytes(path).removeprefix(codecs.BOM_UTF8)
    try:
        sparse, labels = load_svmlight_file(BytesIO(content), zero_based=False, dtype=np.float64)
    except (ValueError, OverflowError) as error:
        raise (first_fault(content) or _unlocated(error)).error(path) from error
    n, d = sparse.shape
    if _may_be_misread(content, sparse.data, labels) and (fault := first_fault(content)):
        raise fault.error(path)
    if n * d * np.dtype(np.float64).itemsize > DENSE_LIMIT_BYTES:
        raise _too_large(content, n, d).error(path)
    dense: Matrix = sparse.toarray()
    return dense, np.asarray(labels, dtype=np.float64)


def _may_be_misread(content: bytes, values: Vector, labels: Vector) -> bool:
    # The parser reports none of these: no features at all, NaN and infinity, underscores inside numbers, and
    # a second token that starts with qid, which it skips.
    finite = np.isfinite(values).all() and np.isfinite(labels).all()
    return values.size == 0 or not finite or b"_" in content or b"qid" in content


def _unlocated(error: Exception) -> Fault:
    return Fault(
        line=1,
        column=1,
        expected="lines of the form 'label index:value index:value'",
        came=f"a file that scikit-learn refuses, at a place that could not be found ({error}),",
        remedy="check the file against the LIBSVM format",
    )


def _too_large(content: bytes, n: int, d: int) -> Fault:
    place = largest_index(content)
    return Fault(
        line=place.line,
        column=place.column,
        expected=f"a dense matrix of at most {DENSE_LIMIT_BYTES / 2**30:g} GiB",
        came=f"index {d} in a file of {n} samples, which takes {n * d * 8 / 2**30:.1f} GiB,",
        remedy="correct the index if it is a slip, otherwise keep fewer features or samples",
    )
