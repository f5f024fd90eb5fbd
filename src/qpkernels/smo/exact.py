# SPDX-License-Identifier: BSD-3-Clause
"""K beta in float64 by blocks, and how far values made in float32 are from it."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.certificates.kernel_qp import duality_gap
from qpkernels.gram import Gram
from qpkernels.kernels.base import Kernel, Samples
from qpkernels.programs.kernel_qp import KernelQP
from qpkernels.smo.threads import in_parts, threads

__all__ = ["add_exact_rows", "add_kernel_rows", "doubt_of"]

_ROWS, _COLUMNS = 2048, 256
"""Shape of a block: its several intermediate results stay in a processor's cache."""

_SAMPLES = 256
"""Samples at which the error of the values is looked at."""


def add_exact_rows(gram: Gram, delta: Vector, values: Vector) -> None:
    """Add K delta to ``values``, on all processors."""
    used = np.flatnonzero(delta)
    add_kernel_rows(gram.kernel, gram.X[used], delta[used], gram.X, values, in_threads=True)


def add_kernel_rows(
    kernel: Kernel, centers: Samples, delta: Vector, X: Samples, values: Vector, in_threads: bool
) -> None:
    """Add sum over c of delta_c k(x_c, x_j) to ``values[j]`` for all samples x_j in ``X``."""

    def work(number: int, part: slice) -> None:
        del number
        for first in range(part.start, part.stop, _COLUMNS):
            columns = slice(first, min(first + _COLUMNS, part.stop))
            for begin in range(0, delta.size, _ROWS):
                rows = slice(begin, begin + _ROWS)
                values[columns] += delta[rows] @ kernel.matrix(centers[rows], X[columns])

    if delta.size:
        in_parts(work, values.size, _COLUMNS, np.inf if in_threads else 0.0)


def doubt_of(program: KernelQP, beta: Vector, values: Vector, intercept: float, samples: Indices) -> float:
    """Return about how far the relative gap may be off because ``values`` differ from K beta at the ``samples``.

    The gap is the sum of what the samples add to it. At evenly spaced ones that is computed from K in float64, and
    compared: the sum over all differs by their number times the mean difference, give or take three standard errors.
    """
    chosen = samples[np.unique(np.linspace(0, samples.size - 1, _SAMPLES).astype(np.intp))]
    exact = values.copy()
    exact[chosen] = _exact_at(program.gram, chosen, beta)
    made, true = (duality_gap(program, beta, v, intercept) for v in (values, exact))
    difference = true.parts[chosen] - made.parts[chosen]
    doubt = abs(float(difference.mean())) + 3.0 * float(difference.std()) / np.sqrt(chosen.size)
    return samples.size * doubt / made.scale if made.scale else np.inf


def _exact_at(gram: Gram, chosen: Indices, beta: Vector) -> Vector:
    """Return K beta at few samples, on all processors: each takes a part of the sum."""
    used, samples = np.flatnonzero(beta), gram.X[chosen]
    sums = np.zeros((threads(), chosen.size))

    def work(number: int, part: slice) -> None:
        for first in range(part.start, part.stop, _COLUMNS):
            rows = used[first : min(first + _COLUMNS, part.stop)]
            sums[number] += beta[rows] @ gram.kernel.matrix(gram.X[rows], samples)

    if used.size:
        in_parts(work, used.size, _COLUMNS)
    return np.asarray(sums.sum(axis=0))
