# SPDX-License-Identifier: BSD-3-Clause
r"""Linear fits without regularisation: least squares, least absolute deviations, Laplace's fit and Chebyshev's.

The residuals r = y - F w - b are as small as possible in some norm. For a norm with the dual norm ||.||* these are the
primal and the dual, where F holds the features of the samples, or their coordinates in the space of the kernel::

    min  ||r||  s.t.  r = y - F w - b     max  y'v  s.t.  F'v = 0,  1'v = 0,  ||v||* <= 1

The v_i are the multipliers of the residuals; w (or u) and b are those of F'v = 0 and 1'v = 0. The optimal values are
equal.

Least squares, where v = 2r::

    min  sum r_i^2                        max  y'v - ||v||^2 / 4   s.t.  F'v = 0,  1'v = 0

Where the columns of F are linearly dependent, w is not unique. The solver ``linear`` then returns the w of least norm
and says so.

Least absolute deviations, and Laplace's fit, whose residuals add up to zero::

    min  sum |r_i|                        max  y'v   s.t.  F'v = 0,  1'v = 0,  |v_i| <= 1
    min  sum |r_i|  s.t.  sum r_i = 0     max  y'v   s.t.  F'v = 0,  1'v = 0,  |v_i - mu| <= 1

A sample off the fit has v_i = sign r_i (Laplace: mu + sign r_i), and some optimal fit passes through as many samples as
it has unknowns. The influence of an outlier is bounded: it does not grow with its residual. Here mu is the multiplier
of sum r_i = 0.

The Chebyshev fit, whose largest residual is smallest::

    min  max |r_i|                        max  y'v   s.t.  F'v = 0,  1'v = 0,  sum |v_i| <= 1

Only samples with the largest residual have v_i != 0, with the sign of the residual. The value is the smallest epsilon
for which a hard tube exists. Source: Gauss (1809), Boscovich (1757), Laplace (1799), Chebyshev (1854).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import (
    Candidate,
    Conditions,
    ConeAnswer,
    Form,
    Multipliers,
    Solution,
    Stated,
    labelled,
    per_sample,
    scalar,
)
from formulations.modelling.candidate import Sampling, at_coordinates
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.regression.regression_model import RegressionModel, ResidualPrimal
from qpkernels.arrays import Vector, is_sparse
from qpkernels.display import TextbookProblem
from qpkernels.problems import Bounds, Certificate, LeastSquares, Support
from qpkernels.problems.norm_fit import NormFitBounds
from qpkernels.problems.norms import (
    AbsoluteFitBounds,
    BalancedAbsoluteFitBounds,
    LargestResidualBounds,
    SquaredFitBounds,
)
from qpkernels.problems.rounding import FunctionAtSamples

__all__ = [
    "ChebyshevFit",
    "ChebyshevFitDual",
    "ChebyshevFitPrimal",
    "FitDual",
    "LaplaceFit",
    "LaplaceFitDual",
    "LaplaceFitPrimal",
    "LeastAbsoluteFit",
    "LeastAbsoluteFitDual",
    "LeastAbsoluteFitPrimal",
    "LeastSquaresFit",
    "LeastSquaresFitDual",
    "LeastSquaresFitPrimal",
    "LinearFit",
    "UnitFitDual",
]


class LinearFit(RegressionModel):
    """A fit without regularisation. The beta of an answer are the multipliers v of the residuals.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.regression.regression_model.RegressionModel`.
    """

    entry = replace(RegressionModel.entry, sparse=False, expands=False)
    norm: ClassVar[type[NormFitBounds]]

    def __init__(
        self, X: SamplesLike, y: ArrayLike, kernel: KernelLike | None = None, *, fit_intercept: bool = True
    ) -> None:
        super().__init__(X, y, kernel, fit_intercept=fit_intercept)

    @cached_property
    def _bounds(self) -> NormFitBounds:
        X = None if is_sparse(self.gram.linear) else self.gram.linear
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

    def _from_fit(self, point: Vector, multipliers: Vector) -> Candidate:
        """Read w or u and b from the coordinates of the residuals' basis, and their multipliers."""
        w, b = self._bounds.weights(point)
        return at_coordinates(self.data, w, b, self._bounds.shifted(multipliers), expands=False)

    def _from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read w or u and b, and the multipliers that the residuals suggest."""
        return self._completed(at_coordinates(self.data, point, intercept, np.zeros(len(self)), expands=False))

    def support(self, answer: Candidate, bounds: Bounds) -> Support:
        """Return which samples the fit meets, and which are off it, where the norm tells them apart."""
        return bounds.support(answer.beta, answer.decision)

    def candidate(self, answer: Any, weights: bool | None = None) -> Candidate:
        """Read an answer, of a Solution with its own multipliers, or those that its residuals suggest."""
        if isinstance(answer, Solution):
            # Whichever prove more.
            suggested = self._completed(super().candidate(answer))
            given = replace(suggested, beta=answer.beta)
            return min((given, suggested), key=lambda each: _error(self.judge(each, self._bounds)))
        return super().candidate(answer, weights)

    def _from_coefficients(self, beta: Any, intercept: Any) -> Candidate:
        """Return the answer whose function is the expansion in beta, with the multipliers its residuals suggest."""
        answer = super()._from_coefficients(beta, intercept)
        if not answer.is_squarable:
            return answer
        # The values are sums that round, and those of samples at one place differ by nothing else.
        f = FunctionAtSamples.expansion(self.gram, answer.beta, answer.at_samples.values, balanced=False)
        return self._completed(replace(answer, sampling=Sampling.of(f)))

    def _completed(self, answer: Candidate) -> Candidate:
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

    def _vanishing(self, answer: Candidate, bounds: Bounds) -> Candidate:
        """Return the nearest fit of least squares, which is exact where a fit can be."""
        del bounds
        fits = (
            self._completed(
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

    @abstractmethod
    def dual_norm(self) -> cp.Expression:
        """Return ||v||*."""

    def declare(self) -> cp.Problem:
        """State the problem."""
        unit = self.dual_norm() <= 1
        return cp.Problem(cp.Maximize(self.model.y @ self.v), labelled(**self.orthogonal(), unit=unit))

    def write(self, answer: Candidate) -> Multipliers:
        """Write v, and return w or u, b and the norm."""
        return {**super().write(answer), "unit": self.model.loss(answer)}


class LeastSquaresFitPrimal(ResidualPrimal):
    """The primal. Variables: w or u, b, r. Multipliers of ``residual``: v."""

    textbook = TextbookProblem("min  sum r_i^2", ("r = y - F w - b",))

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Minimize(cp.sum_squares(self.r)), labelled(residual=self.residual))


class LeastSquaresFitDual(FitDual):
    """The dual. Variable: v. Multipliers: w or u of ``normal``, b of ``balance``."""

    textbook = TextbookProblem("max  y'v - ||v||^2 / 4  s.t.  F'v = 0,  1'v = 0")

    def declare(self) -> cp.Problem:
        """State the problem."""
        value = self.model.y @ self.v - cp.sum_squares(self.v) / 4
        return cp.Problem(cp.Maximize(value), labelled(**self.orthogonal()))


class LeastSquaresFit(LinearFit):
    """Least squares. The solver ``linear``, the default, returns the w of least norm where there are several.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.regression.linear_fits.LinearFit`.

    Examples
    --------
    >>> from formulations import LeastSquaresFit
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 7.0]
    >>> solution = LeastSquaresFit(X, y).solve()
    >>> w, b = solution.function.weights[0], solution.intercept
    >>> print(solution.status, f"{solution.objective:.3f}", f"w = {w:.3f}, b = {b:.3f}")
    optimal 4.800 w = 2.200, b = -0.800
    """

    norm = SquaredFitBounds
    primal, dual = Stated(LeastSquaresFitPrimal), Stated(LeastSquaresFitDual)

    def linear_system(self, bounds: Bounds) -> LeastSquares:
        """State the same problem."""
        del bounds
        return self.least_squares()


class LeastAbsoluteFitPrimal(ResidualPrimal):
    """The primal. Variables: w or u, b, r. Multipliers of ``residual``: v."""

    textbook = TextbookProblem("min  sum |r_i|", ("r = y - F w - b",))

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Minimize(cp.norm1(self.r)), labelled(residual=self.residual))


class LeastAbsoluteFitDual(UnitFitDual):
    """The dual. Variable: v. Multipliers: w or u of ``normal``, b of ``balance``, sum |r_i| of ``unit``."""

    textbook = TextbookProblem("max  y'v  s.t.  F'v = 0,  1'v = 0,  |v_i| <= 1")

    def dual_norm(self) -> cp.Expression:
        """Return ||v||*."""
        return cp.norm_inf(self.v)


class LeastAbsoluteFit(LinearFit):
    """Least absolute deviations.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.regression.linear_fits.LinearFit`.

    Examples
    --------
    >>> from formulations import LeastAbsoluteFit
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0]], [2.0, 3.0, 4.0, 5.0, 10.0]
    >>> solution = LeastAbsoluteFit(X, y).solve()
    >>> w, b = solution.function.weights[0], solution.intercept
    >>> print(solution.status, f"{solution.objective:.3f}", f"w = {w:.3f}, b = {b:.3f}")
    optimal 4.000 w = 1.000, b = 1.000
    """

    norm = AbsoluteFitBounds
    primal, dual = Stated(LeastAbsoluteFitPrimal), Stated(LeastAbsoluteFitDual)


class LaplaceFitPrimal(ResidualPrimal):
    """The primal. Variables: w or u, b, r. Multipliers: v of ``residual``, mu of ``zero_sum``."""

    textbook = TextbookProblem("min  sum |r_i|  s.t.  sum r_i = 0", ("r = y - F w - b",))

    def declare(self) -> cp.Problem:
        """State the problem."""
        zero_sum = cp.sum(self.r) == 0
        return cp.Problem(cp.Minimize(cp.norm1(self.r)), labelled(residual=self.residual, zero_sum=zero_sum))

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b and the residuals, and return v and mu."""
        return {**super().write(answer), "zero_sum": _middle(answer.beta)}


class LaplaceFitDual(UnitFitDual):
    """The dual. Variables: v, mu. Multipliers: w or u of ``normal``, b of ``balance``, sum |r_i| of ``unit``."""

    textbook = TextbookProblem("max  y'v  s.t.  F'v = 0,  1'v = 0,  |v_i - mu| <= 1")
    mu = scalar("mu")

    def dual_norm(self) -> cp.Expression:
        """Return ||v||*."""
        return cp.norm_inf(self.v - self.mu)

    def write(self, answer: Candidate) -> Multipliers:
        """Write v and mu, and return w or u, b and the norm."""
        self.mu.value = _middle(answer.beta)
        return super().write(answer)


def _middle(v: Vector) -> float:
    """Return the mu nearest to all v_i."""
    return 0.5 * float(v.max() + v.min())


class LaplaceFit(LinearFit):
    """Laplace's fit. It always has b, by whose choice the residuals add up to 0.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.models.regression.linear_fits.LinearFit`.

    Examples
    --------
    >>> from formulations import LaplaceFit
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 8.0]
    >>> solution = LaplaceFit(X, y).solve()
    >>> print(solution.status, f"{solution.objective:.3f}", f"sum of residuals: {abs(solution.residuals.sum()):.3f}")
    optimal 4.000 sum of residuals: 0.000
    """

    norm = BalancedAbsoluteFitBounds
    primal, dual = Stated(LaplaceFitPrimal), Stated(LaplaceFitDual)

    def __init__(self, X: SamplesLike, y: ArrayLike, kernel: KernelLike | None = None) -> None:
        super().__init__(X, y, kernel)


class ChebyshevFitPrimal(ResidualPrimal):
    """The primal. Variables: w or u, b, r. Multipliers of ``residual``: v."""

    textbook = TextbookProblem("min  max |r_i|", ("r = y - F w - b",))

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Minimize(cp.norm_inf(self.r)), labelled(residual=self.residual))


class ChebyshevFitDual(UnitFitDual):
    """The dual. Variable: v. Multipliers: w or u of ``normal``, b of ``balance``, max |r_i| of ``unit``."""

    textbook = TextbookProblem("max  y'v  s.t.  F'v = 0,  1'v = 0,  sum |v_i| <= 1")

    def dual_norm(self) -> cp.Expression:
        """Return ||v||*."""
        return cp.norm1(self.v)


class ChebyshevFit(LinearFit):
    """The Chebyshev fit.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.regression.linear_fits.LinearFit`.

    Examples
    --------
    >>> from formulations import ChebyshevFit
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 7.0]
    >>> solution = ChebyshevFit(X, y).solve()
    >>> print(solution.status, f"largest residual {solution.objective:.3f}, w = {solution.function.weights[0]:.3f}")
    optimal largest residual 1.333, w = 2.333
    """

    norm = LargestResidualBounds
    primal, dual = Stated(ChebyshevFitPrimal), Stated(ChebyshevFitDual)
