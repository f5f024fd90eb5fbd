# SPDX-License-Identifier: BSD-3-Clause
"""Machines in files: what fit wrote, or svm-train."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np

from formulations.commands.options import MACHINE
from formulations.commands.output import hint
from formulations.prediction import Inliers, Labels, Predictor, Targets, Votes, load
from qpkernels.arrays import Matrix, npz_path
from qpkernels.errors import FileFormatError
from qpkernels.files import LibsvmMachines, SvmType, read_libsvm_machines
from qpkernels.gram import Expansion
from qpkernels.gram.expansions import Expansions

__all__ = ["read_machine"]


def read_machine(path: Path) -> Predictor:
    """Read a machine from an archive of ours, or from a model file of LIBSVM.

    Raises
    ------
    FileFormatError
        If there is none, or it is damaged, or another.
    """
    if not path.exists() and npz_path(path).exists():
        # fit writes a suffix where none is stated.
        path = npz_path(path)
    if not path.exists():
        which = "fit writes it" if path == MACHINE else "check the name"
        raise FileFormatError(f"there is no machine {path}; {which}, and --model FILE names another.")
    with path.open("rb") as file:
        begin = file.read(8)
    if begin == b"svm_type":
        return _of_libsvm(path)
    if not begin.startswith(b"PK"):
        raise FileFormatError(f"{path} must be a machine that fit wrote, or a model of LIBSVM, but it is neither.")
    return load(path)


def _of_libsvm(path: Path) -> Predictor:
    ranges = Path(f"{path}.range")
    if ranges.exists():
        # As with svm-predict: who scales does so first, and twice would be wrong without a word.
        hint(f"{path} is a machine of samples that were scaled: qpkernels scale FILE SCALED -r {ranges} does so.")
    read = read_libsvm_machines(path)
    if read.labels is None:
        function = Expansion(read.kernel, read.centers, read.coefficients[0], float(read.intercepts[0]))
        one_class = read.svm_type is SvmType.ONE_CLASS
        return Predictor(Expansions.of([function]), Inliers(-function.intercept) if one_class else Targets())
    classes = np.sort(read.labels)
    place = np.searchsorted(classes, read.labels)
    pairs = list(combinations(range(classes.size), 2))
    functions = Expansions(read.kernel, read.centers, _of_pairs(read), read.intercepts)
    if classes.size > 2:
        return Predictor(functions, Votes(classes, tuple((int(place[j]), int(place[i])) for i, j in pairs)))
    # The first label is that of positive values, as the greater one is of ours.
    return Predictor(functions, Labels(read.labels[::-1]))


def _of_pairs(read: LibsvmMachines) -> Matrix:
    """Return the coefficients of the machine of each pair of classes, shape (support vectors, pairs)."""
    assert read.counts is not None
    count = read.counts.size
    number = np.repeat(np.arange(count), read.counts)
    if count == 2:
        return read.coefficients.T
    pairs = list(combinations(range(count), 2))
    found = np.zeros((number.size, len(pairs)))
    for column, (i, j) in enumerate(pairs):
        found[number == i, column] = read.coefficients[j - 1, number == i]
        found[number == j, column] = read.coefficients[i, number == j]
    return found
