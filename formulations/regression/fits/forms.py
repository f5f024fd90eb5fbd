# SPDX-License-Identifier: BSD-3-Clause
r"""What linear fits without regularisation share: residuals r_i = y_i - f(x_i) - b, as small as a norm says.

Primal and dual of a norm with dual norm ||.||*; F holds the features of the samples, or their coordinates in the space
of the kernel::

    min  ||r||  s.t.  y - F w - b = r          max  y'v  s.t.  F'v = 0,  1'v = 0,  ||v||* <= 1

v are the multipliers of the residuals; w (or u) and b those of F'v = 0 and 1'v = 0. Source: section A of the catalogue.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

import formulations.cvx as cp
from formulations.inputs.samples import KernelLike, SamplesLike
from formulations.modelling import Candidate, Conditions, ConeAnswer, Form, Multipliers, Solution, per_sample
from formulations.modelling.candidate import Sampling, at_coordinates
from formulations.regression.regression_model import RegressionModel
from qpkernels.arrays import Vector, is_sparse
from qpkernels.kernels import Linear
from qpkernels.problems import Bounds, Certificate, FunctionAtSamples, LeastSquares, NormFitBounds, Support

__all__ = ["FitDual", "LinearFit", "UnitFitDual"]


class LinearFit(RegressionModel):
    """A fit without regularisation. The beta of its answers are the multipliers v of the residuals.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.regression.regression_model.RegressionModel`.
    """

    entry = replace(RegressionModel.entry, sparse=False, expands=False)
    norm: ClassVar[type[NormFitBounds]]

    def __init__(
        self, X: SamplesLike, y: ArrayLike, kernel: KernelLike | None = None, *, fit_intercept: bool = True
    ) -> None:
        super().__init__(X, y, kernel, fit_intercept=fit_intercept)

    @cached_property
    def _bounds(self) -> NormFitBounds:
        X = self.gram.X if isinstance(self.gram.kernel, Linear) and not is_sparse(self.gram.X) else None
        return self.norm(self.data.coordinates, self.y, self.fit_intercept, X)

    def bounds(self) -> NormFitBounds:
        """State the norm and its dual norm."""
        return self._bounds

    def linear_system(self, bounds: Bounds) -> LeastSquares | None:
        """State that all targets be met, where there are as many coordinates as samples: as a rule they can be."""
        del bounds
        coordinates = self.data.coordinates.shape[1] + self.fit_intercept
        return self.least_squares(interpolating=True) if len(self) <= coordinates else None

    def least_squares(self, *, interpolating: bool = False) -> LeastSquares:
        """State the fit of least squares in w or u, and b.

        Parameters
        ----------
        interpolating
            As in :class:`qpkernels.problems.LeastSquares`.
        """
        return LeastSquares(self.data.coordinates, self.y, self.fit_intercept, self.name, interpolating)

    def from_fit(self, point: Vector, multipliers: Vector) -> Candidate:
        """Read w or u and b from the coordinates of the residuals' basis, and their multipliers."""
        w, b = self._bounds.weights(point)
        return at_coordinates(self.data, w, b, self._bounds.shifted(multipliers), expands=False)

    def from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read w or u and b, and the multipliers that the residuals suggest."""
        return self.completed(at_coordinates(self.data, point, intercept, np.zeros(len(self)), expands=False))

    def support(self, answer: Candidate, bounds: Bounds) -> Support:
        """Return which samples the fit meets, and which are off it, where the norm tells them apart."""
        return bounds.support(answer.beta, answer.decision)

    def candidate(self, answer: Any, weights: bool | None = None) -> Candidate:
        """Read an answer, of a Solution with its own multipliers, or those that its residuals suggest."""
        if isinstance(answer, Solution):
            # Whichever prove more.
            suggested = self.completed(super().candidate(answer))
            given = replace(suggested, beta=answer.beta)
            return min((given, suggested), key=lambda each: _error(self.judge(each, self._bounds)))
        return super().candidate(answer, weights)

    def from_coefficients(self, beta: Any, intercept: Any) -> Candidate:
        """Return the answer whose function is the expansion in beta, with the multipliers its residuals suggest."""
        answer = super().from_coefficients(beta, intercept)
        if not answer.is_squarable:
            return answer
        # The values are sums that round, and those of samples at one place differ by nothing else.
        f = FunctionAtSamples.expansion(self.gram, answer.beta, answer.at_samples.values, balanced=False)
        return self.completed(replace(answer, sampling=Sampling.of(f)))

    def completed(self, answer: Candidate) -> Candidate:
        """Return the answer with the multipliers that its residuals suggest."""
        residuals, _ = self._bounds.residuals(answer.at_samples, answer.intercept)
        suggested = np.zeros(len(self)) if self._is_exact(answer) else self._bounds.multipliers(residuals)
        return replace(answer, beta=suggested, is_expansion=False)

    def loss(self, answer: Candidate) -> float:
        """Return the norm of the residuals."""
        return self._bounds.loss(self.residuals(answer))

    def _is_exact(self, answer: Candidate) -> bool:
        """Return whether all residuals are rounding."""
        residuals, errors = self._bounds.residuals(answer.at_samples, answer.intercept)
        return bool((np.abs(residuals) <= errors).all())

    def vanishing(self, answer: Candidate, bounds: Bounds) -> Candidate:
        """Return the nearest fit of least squares, which is exact where a fit can be."""
        del bounds
        fits = (
            self.completed(
                at_coordinates(self.data, *self._bounds.least_squares(start), np.zeros(len(self)), expands=False)
            )
            for start in ((answer.coordinates, None) if np.ptp(self.y) else (None,))
        )
        return next(filter(self._is_exact, fits), answer)

    def conditions(self, answer: Candidate) -> Conditions:
        """Return F'v and 1'v, spread over the samples: the part of v_i in the span of the features."""
        return {"(F F'v + 1 1'v) part of v": answer.beta - self._bounds.balanced(answer.beta)}


def _error(proof: Certificate) -> float:
    return max(proof.relative_gap, proof.primal_residual, proof.dual_residual)


class FitDual(Form):
    """max y'v - ...  s.t.  F'v = 0 (``normal``, multipliers w or u), 1'v = 0 (``balance``, multiplier b)."""

    is_dual: ClassVar[bool] = True

    model: LinearFit
    v = per_sample("v")

    def orthogonal(self) -> dict[str, cp.Constraint | None]:
        """Return the constraints that all duals have."""
        balance = cp.sum(self.v) == 0 if self.model.fit_intercept else None
        return {"normal": self.model.data.coordinates.T @ self.v == 0, "balance": balance}

    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read w or u and b from the multipliers, v from the variable."""
        del answer, bounds
        w = np.atleast_1d(self.dual_of("normal"))
        b = self.multiplier_of_balance()
        return at_coordinates(self.model.data, w, b, np.asarray(self.v.value), expands=False)

    def write(self, answer: Candidate) -> Multipliers:
        """Write v, and return w or u and b."""
        self.v.value = answer.beta
        balance = {"balance": answer.intercept} if self.model.fit_intercept else {}
        normal = {} if answer.coordinates is None else {"normal": answer.coordinates}
        return {**balance, **normal}

    def prepare(self) -> None:
        """Factor K unless f has weights."""
        self.model.data.coordinates  # noqa: B018  a cached factor


class UnitFitDual(FitDual):
    """The dual of a norm: ||v||* <= 1 is its constraint ``unit``, whose multiplier is the norm of the residuals."""

    def write(self, answer: Candidate) -> Multipliers:
        """Write v, and return w or u, b and the norm."""
        return {**super().write(answer), "unit": self.model.loss(answer)}
