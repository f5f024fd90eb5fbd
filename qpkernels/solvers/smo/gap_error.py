# SPDX-License-Identifier: BSD-3-Clause
"""The estimated error of the gap while values are made in float32."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from qpkernels.arrays import Indices, Samples, Vector
from qpkernels.gram.panels.products import mostly_zero
from qpkernels.gram.panels.samples import compressed
from qpkernels.gram.panels.sums import add_kernel_sums
from qpkernels.problems import duality_gap
from qpkernels.problems.kernel_qp.program import KernelQP
from qpkernels.solvers.smo.iterate import Iterate

__all__ = ["GapError"]

_SAMPLES = 256
"""Samples at which the error of the values is computed."""

_SHARE = 0.3
"""Largest gap error, as a part of the gap, with which a descent goes on."""


class GapError:
    """An estimate of the error of the relative gap, whose values are not quite K beta; made when it may matter.

    The gap is the sum of what the samples add to it. At one of each so many, chosen by chance, that is computed from K
    in float64, and compared: the sum over all differs by their number times the mean difference, give or take three
    standard errors. It is an estimate, which tells when to stop; the certificate computes all of them.

    Attributes
    ----------
    value
        The last estimate; 0 for values made in float64.
    """

    def __init__(self, program: KernelQP, tol: float, exact: bool) -> None:
        self._program, self._tol, self._exact = program, tol, exact
        self.value, self._violation = 0.0, 0.01

    def is_due(self, iterate: Iterate) -> bool:
        """Return whether a new estimate is due: the answer may do, the error be too large, or much was gained."""
        return not self._exact and iterate.violation <= max(
            self._tol - self.value, self.value / _SHARE, 0.1 * self._violation
        )

    @property
    def too_large(self) -> bool:
        """Whether values afresh are worth more than further steps."""
        return self.value > max(0.5 * self._tol, _SHARE * self._violation)

    def update(self, iterate: Iterate, values: Vector, samples: Indices) -> None:
        """Compare ``values``, of which the iterate was measured, with K beta at some of the ``samples``.

        Nothing is to do where they are made in float64.
        """
        if self._exact:
            return
        program, beta = self._program, iterate.beta
        self._violation = iterate.violation
        count = min(_SAMPLES, samples.size)
        chance = np.random.default_rng(samples.size).random(count)
        chosen = samples[((np.arange(count) + chance) * (samples.size / count)).astype(np.intp)]
        used, sums = np.flatnonzero(beta), np.zeros(count)
        add_kernel_sums(program.gram.kernel, self._X[used], beta[used], self._X[chosen], sums)
        exact = values.copy()
        exact[chosen] = sums
        true = duality_gap(program, beta, exact, iterate.intercept)
        difference = true.parts[chosen] - iterate.gap.parts[chosen]
        each = abs(float(difference.mean())) + 3.0 * float(difference.std()) / np.sqrt(count)
        self.value = samples.size * each / iterate.gap.scale if iterate.gap.scale else np.inf

    @cached_property
    def _X(self) -> Samples:
        """The samples, compressed once where the sums would compress some of them each time."""
        X = self._program.gram.X
        return compressed(X) if mostly_zero(X) else X
