# SPDX-License-Identifier: BSD-3-Clause
"""How far values made in float32 are from K beta."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.certificates.kernel_qp import duality_gap
from qpkernels.panels import add_kernel_sums
from qpkernels.programs.kernel_qp import KernelQP

__all__ = ["doubt_of"]

_SAMPLES = 256
"""Samples at which the error of the values is looked at."""


def doubt_of(program: KernelQP, point: tuple[Vector, Vector], intercept: float, samples: Indices) -> float:
    """Return about how far the relative gap at (beta, values) may be off, the values not being K beta at ``samples``.

    The gap is the sum of what the samples add to it. At one of each so many, chosen by chance, that is computed from K
    in float64, and compared: the sum over all differs by their number times the mean difference, give or take three
    standard errors. It is an estimate, which tells when to stop; the certificate computes all of them.
    """
    count = min(_SAMPLES, samples.size)
    chance = np.random.default_rng(samples.size).random(count)
    chosen = samples[((np.arange(count) + chance) * (samples.size / count)).astype(np.intp)]
    beta, values = point
    used, sums = np.flatnonzero(beta), np.zeros(chosen.size)
    add_kernel_sums(program.gram.kernel, program.gram.X[used], beta[used], program.gram.X[chosen], sums)
    exact = values.copy()
    exact[chosen] = sums
    made, true = (duality_gap(program, beta, v, intercept) for v in (values, exact))
    difference = true.parts[chosen] - made.parts[chosen]
    doubt = abs(float(difference.mean())) + 3.0 * float(difference.std()) / np.sqrt(chosen.size)
    return samples.size * doubt / made.scale if made.scale else np.inf
