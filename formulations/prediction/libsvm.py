# SPDX-License-Identifier: BSD-3-Clause
"""Machines read from model files of LIBSVM."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np

from formulations.prediction.decisions import Inliers, Labels, Sigmoids, Targets, Votes
from formulations.prediction.predictor import Predictor
from qpkernels.arrays import Matrix
from qpkernels.files import LibsvmMachines, SvmType, read_libsvm_machines
from qpkernels.functions import Expansion, Expansions

__all__ = ["BEGIN", "load_libsvm"]

BEGIN = b"svm_type"
"""How every model file begins."""


def load_libsvm(path: Path) -> Predictor:
    """Read a machine that svm-train wrote, with its probabilities if it was trained with -b 1.

    Raises
    ------
    FileFormatError
        If the file is damaged.
    """
    read = read_libsvm_machines(path)
    if read.labels is None:
        function = Expansion(read.kernel, read.centers, read.coefficients[0], float(read.intercepts[0]))
        one_class = read.svm_type is SvmType.ONE_CLASS
        return Predictor(Expansions.of([function]), Inliers(-function.intercept) if one_class else Targets())
    classes = np.sort(read.labels)
    place = np.searchsorted(classes, read.labels)
    pairs = list(combinations(range(classes.size), 2))
    functions = Expansions(read.kernel, read.centers, _of_pairs(read), read.intercepts)
    sigmoids = None if read.sigmoids is None else Sigmoids(-read.sigmoids.A, -read.sigmoids.B)
    if classes.size > 2:
        return Predictor(functions, Votes(classes, tuple((int(place[j]), int(place[i])) for i, j in pairs), sigmoids))
    # The first label is that of positive values, as the greater one is of ours.
    return Predictor(functions, Labels(read.labels[::-1], sigmoids))


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
