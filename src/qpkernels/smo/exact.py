# SPDX-License-Identifier: BSD-3-Clause
"""K beta in float64 by blocks, and how far values made in float32 are from it."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.certificates.kernel_qp import duality_gap
from qpkernels.gram import Gram
from qpkernels.programs.kernel_qp import KernelQP
from qpkernels.smo.threads import in_parts

__all__ = ["add_exact_rows", "doubt_of", "exact_values"]

_ROWS, _COLUMNS = 2048, 256
"""Shape of a block: its several intermediate results stay in a processor's cache."""

_SAMPLES = 256
"""Samples at which the error of the values is looked at."""


def exact_values(gram: Gram, beta: Vector) -> Vector:
    """Return K beta."""
    values, used = np.zeros(len(gram)), np.flatnonzero(beta)
    add_exact_rows(gram, used, beta[used], values)
    return values


def add_exact_rows(gram: Gram, chosen: Indices, delta: Vector, values: Vector) -> None:
    """Add sum over c of delta_c K_c to ``values``, in float64 and on all processors."""
    centers = gram.X[chosen]

    def work(number: int, part: slice) -> None:
        del number
        for first in range(part.start, part.stop, _COLUMNS):
            columns = slice(first, min(first + _COLUMNS, part.stop))
            samples = gram.X[columns]
            for begin in range(0, chosen.size, _ROWS):
                rows = slice(begin, begin + _ROWS)
                values[columns] += delta[rows] @ gram.kernel.matrix(centers[rows], samples)

    if chosen.size:
        in_parts(work, len(gram), _COLUMNS)


def doubt_of(program: KernelQP, beta: Vector, values: Vector, intercept: float) -> float:
    """Return about how far the relative gap may be off because ``values`` differ from K beta.

    The gap is the sum of what the samples add to it. At evenly spaced ones that is computed from K in float64, and
    compared: the sum over all differs by m times the mean difference, give or take three standard errors.
    """
    chosen = np.unique(np.linspace(0, len(program) - 1, _SAMPLES).astype(np.intp))
    used = np.flatnonzero(beta)
    if used.size == 0:
        return 0.0
    gram, exact = program.gram, values.copy()
    exact[chosen] = gram.kernel.matrix(gram.X[chosen], gram.X[used]) @ beta[used]
    made, true = (duality_gap(program, beta, v, intercept) for v in (values, exact))
    difference = true.parts[chosen] - made.parts[chosen]
    doubt = abs(float(difference.mean())) + 3.0 * float(difference.std()) / np.sqrt(chosen.size)
    return len(program) * doubt / made.scale if made.scale else np.inf
