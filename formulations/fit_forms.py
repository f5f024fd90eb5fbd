# SPDX-License-Identifier: BSD-3-Clause
r"""The two sides of a linear fit without regularisation: residuals r_i = y_i - f(x_i) - b, as small as a norm says.

Primal and dual of a norm with dual norm ||.||*; F holds the features of the samples, or their coordinates in the space
of the kernel::

    min  ||r||  s.t.  y - F w - b = r          max  y'v  s.t.  F'v = 0,  1'v = 0,  ||v||* <= 1

v are the multipliers of the residuals; w (or u) and b those of F'v = 0 and 1'v = 0. Source: section A of the catalogue.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import cvxpy as cp
import numpy as np
from scipy.linalg import qr

from formulations.forms import PrimalForm
from formulations.lowering import Lowered
from formulations.regressor import Regressor
from formulations.residual_forms import ResidualPrimal
from formulations.solution import Candidate, Regression, Solution
from formulations.statement import Multipliers
from qpkernels.arrays import Matrix, Vector
from qpkernels.certificates import Certificate, FunctionAtSamples, certify_values
from qpkernels.certificates.certificate import undefined
from qpkernels.errors import ParameterError
from qpkernels.kernels import Linear

__all__ = ["FitDual", "FitPrimal", "LinearFit"]

_DEPENDENT = 1e-12
"""A column of unit length whose part outside the span of the others is below this depends on them: coordinates in the
space of a kernel come from a Cholesky factor, which is not exact to the last digit."""

_NEGLIGIBLE = 1e-6
"""Where residuals of this part of those of the mean would cost more than the optimum, the fit counts as exact."""


class LinearFit(Regressor, PrimalForm[Regression]):
    """A fit without regularisation: what its primal and its dual share.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.regressor.Regressor`.
    """

    @abstractmethod
    def loss(self, residuals: Vector) -> float:
        """Return the norm of the residuals that is minimised."""

    @abstractmethod
    def bound(self, v: Vector) -> float:
        """Return the dual value of the feasible multiple of v, where F'v = 0 and 1'v = 0."""

    @abstractmethod
    def complete(self, residuals: Vector) -> Vector:
        """Return the v that the residuals suggest: a subgradient of the norm."""

    sparse = False

    @property
    @abstractmethod
    def unit(self) -> float:
        """Return the size that entries of v have where the fit is not exact."""

    def feasible(self, residuals: Vector) -> Vector:
        """Return the residuals of a feasible fit near by."""
        return residuals

    def coordinates(self) -> Matrix:
        """Return F: the features, or coordinates in the space of the kernel."""
        return self.gram.X if self.data.explicit else self.gram.factor

    @cached_property
    def columns(self) -> Matrix:
        """The columns of F, less their means where there is a b, at unit length; constant ones are left out."""
        F = self.coordinates()
        centred = F - F.mean(axis=0) if self.fit_intercept else F
        lengths = np.linalg.norm(centred, axis=0)
        kept = lengths > 10 * len(self) * np.finfo(float).eps * np.abs(F).max(axis=0)
        return np.asarray(centred[:, kept] / lengths[kept])

    def spanning(self) -> Matrix:
        """Return the columns of F, and of ones where there is a b, all at unit length."""
        ones = np.full(len(self), len(self) ** -0.5)
        return np.column_stack([self.columns, ones]) if self.fit_intercept else self.columns

    @cached_property
    def _basis(self) -> Matrix:
        """An orthonormal basis of the span of the columns."""
        if not self.columns.size:
            return self.columns
        Q, R, _ = qr(self.columns, mode="economic", pivoting=True)
        return np.asarray(Q[:, : int(np.sum(np.abs(np.diag(R)) > _DEPENDENT))])

    def balanced(self, v: Vector) -> Vector:
        """Return v without its part in the span of F and 1."""
        Q = self._basis
        for _ in range(2):  # Twice, since the first subtraction leaves rounding of the size of v.
            v = v - v.mean() if self.fit_intercept else v
            v = v - Q @ (Q.T @ v)
        return np.asarray(v)

    def unbalanced(self, v: Vector) -> float:
        """Return the largest |f_j'v| over the columns f_j, relative to the length of v: what a dropped one leaves."""
        length = float(np.linalg.norm(v))
        return float(np.abs(self.columns.T @ v).max(initial=0.0)) / length if length > 0 else 0.0

    @property
    def exact(self) -> float:
        """The loss below which a fit counts as exact: of a millionth of the residuals of the mean, and of rounding."""
        centred = self.y - self.y.mean() if self.fit_intercept else self.y
        return self.loss(_NEGLIGIBLE * centred) + self.loss(np.full(len(self), self.zero_tolerance()))

    def certify_candidate(self, candidate: Candidate) -> Certificate:
        """Bound the error of (f, b) by the loss of its residuals and the dual value of its multipliers."""
        if not candidate.is_finite:
            return undefined("the answer holds NaN or infinity")
        residuals = self.y - self.decision(candidate)
        mended = self.feasible(residuals)
        v = self.balanced(candidate.beta)
        moved = float(np.abs(v - candidate.beta).max())
        size = float(np.abs(self.y).max()) or 1.0
        return certify_values(
            primal=self.loss(mended),
            dual=self.bound(v),
            zero_tolerance=self.exact,
            primal_residual=float(np.abs(mended - residuals).max()) / size,
            dual_residual=max(
                moved / max(float(np.abs(candidate.beta).max()), self.unit),
                self.unbalanced(v) * min(1.0, float(np.abs(v).max()) / self.unit),
            ),
            worst=f"sample {int(np.argmax(np.abs(residuals)))} has the largest residual, {np.abs(residuals).max():.3g}",
        )

    def candidate(self, answer: Any) -> Candidate:
        """Read a Solution, (beta, b) of f = sum_j beta_j k(x_j, .), or a linear model with coef_ and intercept_."""
        if hasattr(answer, "coef_") and isinstance(self.gram.kernel, Linear) and not hasattr(answer, "dual_coef_"):
            w, b = np.ravel(answer.coef_).astype(np.float64), float(np.ravel(answer.intercept_)[0])
            if b != 0.0 and not self.fit_intercept:
                raise ParameterError(
                    f"this {self.name} has no intercept, but b = {b:g} came; state it with fit_intercept."
                )
            return self._completed(self._function(w[None, :], np.ones(1), b))
        return super().candidate(answer)

    def _expanded(self, beta: Vector, intercept: float) -> Candidate:
        answer = Candidate(beta, intercept, self._expand(beta, intercept))
        return self._completed(answer.function) if answer.is_finite else answer

    def _from_solution(self, solution: Solution) -> Candidate:
        """Return its function, with its multipliers or those that the residuals suggest: whichever prove more."""
        suggested = self._completed(super()._from_solution(solution).function)
        given = replace(suggested, beta=solution.beta)
        return max((suggested, given), key=lambda candidate: self.bound(self.balanced(candidate.beta)))

    def _completed(self, function: Any) -> Candidate:
        """Return the answer with that function and the multipliers that its residuals suggest."""
        values = function(self.gram.X) - function.intercept
        at = FunctionAtSamples(values, function.squared_norm)
        v = self.complete(self.y - values - function.intercept)
        return Candidate(v, function.intercept, function, at)

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return F'v and 1'v, spread over the samples: the part of v_i in the span of the features."""
        del decision
        return {"(F F'v + 1 1'v) part of v": candidate.beta - self.balanced(candidate.beta)}

    def write_coordinates(self, w: Vector, b: float) -> None:
        """Write f and b by their coordinates."""
        self.f.variable.value = w
        self.assign_intercept(b)


class FitPrimal(LinearFit, ResidualPrimal):
    """min of a norm of r  s.t.  y_i - f(x_i) - b = r_i. Variables: w or u, b, r. Multipliers of ``residual``: v."""

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write the residuals; f and b are written as coordinates."""
        self.r.value = self.y - self.decision(candidate)
        return {"residual": candidate.beta}


class FitDual(LinearFit):
    """max y'v - ...  s.t.  F'v = 0 (``normal``, multipliers w or u), 1'v = 0 (``balance``, multiplier b)."""

    def _make_variables(self) -> None:
        super()._make_variables()
        self.v = cp.Variable(len(self), name="v")

    def orthogonal(self) -> dict[str, cp.Constraint | None]:
        """Return the constraints that all duals have."""
        balance = cp.sum(self.v) == 0 if self.fit_intercept else None
        return {"normal": self.coordinates().T @ self.v == 0, "balance": balance}

    def recover(self, lowered: Lowered, z: Vector) -> Candidate:
        """Read w or u and b from the multipliers, v from the variable."""
        del lowered, z
        b: Any = self.constraint("balance").dual_value if self.fit_intercept else 0.0
        self.write_coordinates(np.atleast_1d(self.constraint("normal").dual_value), float(b))
        return self.at_variables(np.asarray(self.v.value))

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write v, and return b."""
        self.v.value = candidate.beta
        multipliers: Multipliers = {"balance": candidate.intercept} if self.fit_intercept else {}
        return multipliers | {"normal": np.asarray(self.f.variable.value)}
