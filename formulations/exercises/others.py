# SPDX-License-Identifier: BSD-3-Clause
"""Answers that samples, or the slopes of the evidence, judge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.exercises.exercise import Answers, vector
from formulations.exercises.verdict import Verdict, all_of
from formulations.relevance.regression import RelevanceRegression
from qpkernels import Mercer
from qpkernels.arrays import finite_vector, float_vector
from qpkernels.errors import NonFiniteError, ShapeError
from qpkernels.kernels import Kernel

__all__ = ["NoKernel", "Precisions"]

_TOL = 1e-6
"""Slopes of the evidence, and share of a mean, within which an answer is right."""


@dataclass(frozen=True, eq=False)
class NoKernel:
    """Judges ``samples`` in [0, 1] whose matrix is to have a negative eigenvalue, which proves that k is no kernel.

    Attributes
    ----------
    kernel
        The function k.
    """

    kernel: Kernel

    def __call__(self, answers: Answers) -> Verdict:
        """Compute the spectrum of the matrix."""
        samples = finite_vector(answers["samples"], "samples")
        if not samples.size or samples.min() < 0.0 or samples.max() > 1.0:
            return Verdict(False, "the samples are to be in [0, 1]")
        spectrum = Mercer(self.kernel, samples[:, None])
        if spectrum.is_psd:
            return Verdict(False, "the matrix of these samples has no negative eigenvalue, which proves nothing")
        return Verdict(
            True, f"right: the matrix of these samples has the eigenvalue {spectrum.smallest_eigenvalue:.4g}"
        )


@dataclass(frozen=True, eq=False)
class Precisions:
    """Judges precisions ``alpha`` by the slopes of the evidence, and means ``mu`` by those where it is stationary.

    Attributes
    ----------
    machine
        A regression of known noise, whose constant is irrelevant.
    """

    machine: RelevanceRegression

    def __call__(self, answers: Answers) -> Verdict:
        """Compute the posterior."""
        return all_of(
            self._alpha(value) if letter == "alpha" else self._mean(value) for letter, value in answers.items()
        )

    def _alpha(self, value: object) -> Verdict:
        alpha, m = float_vector(value, "alpha"), len(self.machine)
        if alpha.size != m:
            raise ShapeError(f"alpha must have {m} entries, one for each sample, but it has {alpha.size}.")
        if np.isnan(alpha).any():
            raise NonFiniteError("alpha may hold infinity, for a weight of 0, but no NaN.")
        if not (alpha > 0.0).all():
            return Verdict(False, f"alpha_{int(np.argmin(alpha)) + 1} is a precision, and not above 0")
        machine = self.machine
        here = machine.likelihood.posterior(np.append(np.inf, alpha), machine.first_noise, None)
        if here.stationarity.holds(_TOL):
            return Verdict(True, f"alpha is right: {here.stationarity}")
        back, _ = here.returning
        if here.stationarity.pruned > _TOL:
            i = int(np.argmax(back))
            return Verdict(
                False, f"the evidence would rise if alpha_{i} were finite" if i else "the constant is missing"
            )
        i = int(here.kept[np.argmax(np.abs(here.gradient))])
        slope = float(np.abs(here.gradient).max())
        return Verdict(False, f"the evidence is not stationary: its slope in ln alpha_{i} is {slope:.2g} in size")

    def _mean(self, value: object) -> Verdict:
        machine = self.machine
        mu = vector(value, "mu", len(machine), "one for each sample")
        right = machine.solve().mean(machine.gram.X)
        if np.allclose(mu, right, atol=_TOL * float(np.abs(right).max())):
            return Verdict(True, "mu is right: the means where the evidence is stationary")
        i = int(np.argmax(np.abs(mu - right)))
        nought = "is not 0" if mu[i] == 0.0 else "is 0" if abs(right[i]) < _TOL else f"is not {mu[i]:.4g}"
        return Verdict(False, f"mu_{i + 1} {nought}")
