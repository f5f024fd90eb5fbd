# SPDX-License-Identifier: BSD-3-Clause
"""Machines of several classes, one for each pair of them, written as a model file of LIBSVM.

:mod:`qpkernels.files.libsvm.machines` reads them. Numbers have the fewest digits that read back as the same float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Matrix
from qpkernels.arrays.paths import replacing
from qpkernels.errors import UnsupportedProgramError
from qpkernels.files.libsvm.machines import LibsvmSigmoids, SvmType
from qpkernels.files.libsvm.model import describe_kernel, feature_text, integer_label
from qpkernels.functions import Expansions

__all__ = ["write_libsvm_machines"]

Pairs = Sequence[tuple[int, int]]


def write_libsvm_machines(
    functions: Expansions,
    classes: NDArray[Any],
    pairs: Pairs,
    path: str | Path,
    svm_type: SvmType = SvmType.C_SVC,
    sigmoids: LibsvmSigmoids | None = None,
) -> Path:
    """Write machines of all pairs of classes to ``path``, and return the path.

    Parameters
    ----------
    functions
        One for each pair of classes.
    classes
        The labels in sorted order, integers.
    pairs
        For each function, the numbers of the classes of its negative and positive values.
    path
        Where to; a file that is there is replaced.
    svm_type
        C_SVC or NU_SVC.
    sigmoids
        One for each function, for svm-predict -b 1; None: there are no probabilities.

    Raises
    ------
    UnsupportedProgramError
        If LIBSVM has no such kernel or labels, or these are no machines of all pairs.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from formulations import OneVersusOne
    >>> from qpkernels.files import read_libsvm_machines, write_libsvm_machines
    >>> X, y = [[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], [1, 1, 2, 2, 3, 3]
    >>> solution = OneVersusOne(X, y, C=1.0).solve(progress=False)
    >>> functions, pairs = solution.predictor.functions, solution.pairs
    >>> with TemporaryDirectory() as folder:
    ...     path = write_libsvm_machines(functions, solution.classes, pairs, f"{folder}/machines.model")
    ...     print(read_libsvm_machines(path).labels)
    [1 2 3]
    """
    count = classes.size
    ordered, signs = _columns(pairs, count)
    chosen = functions.coefficients[:, ordered]
    coefficients = (chosen.toarray() if isinstance(chosen, csr_array) else chosen) * signs
    rho = -functions.intercepts[ordered] * signs
    of_class = [_in_class(coefficients, k, count) for k in range(count)]
    order = np.concatenate([np.flatnonzero(own.any(axis=1)) for own in of_class])
    head = {
        "svm_type": svm_type,
        **describe_kernel(functions.kernel),
        "nr_class": count,
        "total_sv": order.size,
        "rho": " ".join(repr(float(value)) for value in rho),
        "label": " ".join(integer_label(label) for label in classes.tolist()),
        # 1 / (1 + exp(A f + B)) is 1 - 1 / (1 + exp(A (-f) - B)).
        **({} if sigmoids is None else LibsvmSigmoids(sigmoids.A[ordered], sigmoids.B[ordered] * signs).head()),
        "nr_sv": " ".join(str(int(own.any(axis=1).sum())) for own in of_class),
    }
    target = Path(path)
    with replacing(target, "ascii") as file:
        file.writelines(f"{key} {value}\n" for key, value in head.items())
        file.write("SV\n")
        rows = np.vstack([own[own.any(axis=1)] for own in of_class])
        for numbers, features in zip(
            rows.tolist(), feature_text(functions.kernel, functions.centers, order), strict=True
        ):
            file.write(" ".join(map(repr, numbers)) + features + "\n")
    return target


def _columns(pairs: Pairs, count: int) -> tuple[list[int], NDArray[np.float64]]:
    """Return the functions in LIBSVM's order, and the signs that make their values positive for the first class."""
    place = {tuple(sorted(pair)): k for k, pair in enumerate(pairs)}
    wanted = list(combinations(range(count), 2))
    if set(place) != set(wanted):
        raise UnsupportedProgramError("LIBSVM has one machine for each pair of classes, and these machines are others.")
    ordered = [place[pair] for pair in wanted]
    return ordered, np.array(
        [1.0 if pairs[k][1] == first else -1.0 for k, (first, _) in zip(ordered, wanted, strict=True)]
    )


def _machines(number: int, count: int) -> list[int]:
    """Return the columns of the machines of a class, in the order of the other classes."""
    place = {pair: k for k, pair in enumerate(combinations(range(count), 2))}
    return [place[min(number, other), max(number, other)] for other in range(count) if other != number]


def _in_class(coefficients: Matrix, number: int, count: int) -> Matrix:
    """Return what stands in front of the features of each center, if it is of a class: those that pull to that class.

    A center that pulls to several classes, as none of a support vector machine does, becomes a line in each.
    """
    pulls = np.array([1.0 if number < other else -1.0 for other in range(count) if other != number])
    own = coefficients[:, _machines(number, count)]
    return np.where(own * pulls > 0, own, 0.0)
