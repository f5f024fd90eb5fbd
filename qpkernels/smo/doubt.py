# SPDX-License-Identifier: BSD-3-Clause
"""How far the gap may be off while values are made in float32."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.certificates.kernel_qp import duality_gap
from qpkernels.panels import add_kernel_sums
from qpkernels.programs.kernel_qp import KernelQP
from qpkernels.smo.iterate import Iterate

__all__ = ["Doubt"]

_SAMPLES = 256
"""Samples at which the error of the values is looked at."""

_SHARE = 0.3
"""Part of the gap that may be in doubt for a descent to go on."""


class Doubt:
    """What the relative gap may be off by because the values are not quite K beta, looked at when it may matter.

    The gap is the sum of what the samples add to it. At one of each so many, chosen by chance, that is computed from K
    in float64, and compared: the sum over all differs by their number times the mean difference, give or take three
    standard errors. It is an estimate, which tells when to stop; the certificate computes all of them.

    Attributes
    ----------
    value
        What was seen last; 0 for values made in float64.
    """

    def __init__(self, program: KernelQP, tol: float, exact: bool) -> None:
        self._program, self._tol, self._exact = program, tol, exact
        self.value, self._distance = 0.0, 0.01

    def matters(self, iterate: Iterate) -> bool:
        """Return whether it is time to look: where the answer may do, the doubt be too large, or much was gained."""
        return not self._exact and iterate.distance <= max(
            self._tol - self.value, self.value / _SHARE, 0.1 * self._distance
        )

    @property
    def too_large(self) -> bool:
        """Whether values afresh are worth more than further steps."""
        return self.value > max(0.5 * self._tol, _SHARE * self._distance)

    def look(self, iterate: Iterate, values: Vector, samples: Indices) -> None:
        """Compare ``values``, of which the iterate was measured, with K beta at some of the ``samples``.

        Nothing is to do where they are made in float64.
        """
        if self._exact:
            return
        program, beta = self._program, iterate.beta
        self._distance = iterate.distance
        count = min(_SAMPLES, samples.size)
        chance = np.random.default_rng(samples.size).random(count)
        chosen = samples[((np.arange(count) + chance) * (samples.size / count)).astype(np.intp)]
        used, sums = np.flatnonzero(beta), np.zeros(count)
        add_kernel_sums(program.gram.kernel, program.gram.X[used], beta[used], program.gram.X[chosen], sums)
        exact = values.copy()
        exact[chosen] = sums
        true = duality_gap(program, beta, exact, iterate.intercept)
        difference = true.parts[chosen] - iterate.gap.parts[chosen]
        each = abs(float(difference.mean())) + 3.0 * float(difference.std()) / np.sqrt(count)
        self.value = samples.size * each / iterate.gap.scale if iterate.gap.scale else np.inf
