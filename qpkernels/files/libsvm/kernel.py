# SPDX-License-Identifier: BSD-3-Clause
"""Kernel matrices as LIBSVM's precomputed-kernel files: ``label 0:i 1:K_i1 2:K_i2 ...`` for each sample i.

svm-train takes them with -t 4. Every entry is written, also where it is 0, for LIBSVM counts them by position; numbers
have the fewest digits that read back as the same float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix, Vector, finite_matrix, finite_vector
from qpkernels.arrays.archives import parsing
from qpkernels.arrays.paths import read_file, replacing
from qpkernels.datasets.text import Place, read_number
from qpkernels.errors import FileFormatError

__all__ = ["read_libsvm_kernel", "write_libsvm_kernel"]


def write_libsvm_kernel(K: ArrayLike, y: ArrayLike, path: str | Path) -> Path:
    """Write kernel values and targets to ``path``, and return the path.

    Parameters
    ----------
    K
        Row i: the kernel of object i with each of the training objects, shape (m, n); of training, m = n.
    y
        Numbers, shape (m,): labels or targets.
    path
        Where to; a file that is there is replaced.

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

    Where K is square, its rows must be numbered 1 to m in order; otherwise, as in the file of other samples, LIBSVM
    leaves their numbers aside, and so does this reader.

    Parameters
    ----------
    path
        A file in LIBSVM's format of precomputed kernels: target, ``0:`` and the number of the sample, then its row of
        K.

    Raises
    ------
    FileFormatError
        If the file is damaged, or another; DataFormatError with the line where one is malformed.

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
            raise Place(path, number, 1).error(expected, repr(line[:40]), "correct the line")
        yield label, values[0], entries
