# SPDX-License-Identifier: BSD-3-Clause
r"""The hard tube: the flattest function within epsilon of every target.

Primal and dual, with their Karush-Kuhn-Tucker conditions::

    min  1/2 ||f||^2                                             s.t.  -epsilon <= f(x_i) + b - y_i <= epsilon
    min  1/2 (a+ - a-)'K(a+ - a-) + epsilon 1'(a+ + a-) - y'(a+ - a-)   s.t.  1'(a+ - a-) = 0,  a+, a- >= 0

    f = sum_j (a+_j - a-_j) k(x_j, .),   a+_i (epsilon - y_i + f(x_i) + b) = 0,   a-_i (epsilon + y_i - f(x_i) - b) = 0

The optimal value of the dual is minus that of the primal, and b is the multiplier of 1'(a+ - a-) = 0 in the sign of
CVXPY's minimisation. The tube may be too thin for any f. The smallest possible epsilon is the largest residual of the
Chebyshev fit. Source: Smola and Schoelkopf (2004).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, Conditions, Regression, Stated, labelled
from formulations.modelling.failures import no_answer
from formulations.modelling.inputs.hyperparameters import EPSILON
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.regression.linear_fits import ChebyshevFit
from formulations.models.regression.tubes.conflict import TubeConflict
from formulations.models.regression.tubes.forms import TubeDual, TubeModel, TubePrimal, sides_of
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.errors import InfeasibleError, QPKernelsError
from qpkernels.problems import Certificate, KernelQP

__all__ = ["HardTube", "HardTubeDual", "HardTubeModel", "HardTubePrimal"]

_UNSETTLED = 1e-6
"""Share of the smallest feasible epsilon within which the one asked for counts as no smaller."""

_MOMENT = 1.0
"""Seconds for the smallest epsilon where it is known already that the one asked for is too small."""


class HardTubeModel(TubeModel):
    """A tube that holds every target, or else there is no answer."""

    entry = replace(TubeModel.entry, parameters=(EPSILON,), hard=True)

    def qp(self) -> KernelQP:
        """State the dual in beta = a+ - a-, without bounds."""
        return KernelQP(
            self.gram,
            target=self.y,
            lower=-np.inf,
            upper=np.inf,
            total=self.total,
            epsilon=self.half_width,
            name="hard tube",
        )

    def conditions(self, answer: Candidate) -> Conditions:
        """Return a+_i (epsilon - r_i), a-_i (epsilon + r_i), and how far r_i is outside the tube."""
        above, below = self.excess(answer)
        plus, minus = sides_of(answer.beta)
        return {
            "a+ (epsilon - r)": -plus * above,
            "a- (epsilon + r)": -minus * below,
            "|r| - epsilon, where above 0": np.maximum(np.maximum(above, below), 0.0),
        }

    def _contradiction(self, message: str) -> InfeasibleError | None:
        """Return the error where samples are proved, in exact arithmetic, to need a wider tube.

        The Chebyshev fit shows which, as its value is the smallest feasible epsilon; where samples that depend on
        others prove enough, it has a moment only.
        """
        dependent = self._of_dependent()
        fit = self._narrowest(None if dependent is None else _MOMENT)
        conflict = None
        # A bound of the smallest epsilon that does not beat its own rounding shows nothing.
        if fit is not None and fit.certificate.dual_value - fit.certificate.rounding > self.half_width:
            conflict = self._conflict(fit.beta)
        if fit is not None and conflict is not None:
            needed = f"the smallest feasible epsilon is {fit.certificate.primal_value:.8g} ({conflict})"
            return self._too_thin(message, needed, fit.certificate, fit.beta, conflict)
        if dependent is not None:
            return self._too_thin(message, str(dependent), dependent.certificate, dependent.multipliers, dependent)
        return None

    def _too_thin(
        self, message: str, needed: str, certificate: Certificate, multipliers: Vector, conflict: TubeConflict
    ) -> InfeasibleError:
        return InfeasibleError(
            f"no function of this space comes within epsilon = {self.half_width:g} of every target: {needed}; widen "
            f"the tube, allow slacks (SoftTube), or use a more flexible kernel ({message}).",
            certificate,
            multipliers,
            conflict,
        )

    def conflict(self) -> TubeConflict | None:
        """Return samples that need a wider tube, none of which can be spared; None where the tube holds all samples.

        There may be other such samples, and fewer.

        Raises
        ------
        SolverFailedError
            If the Chebyshev fit, whose value is the smallest feasible epsilon, has no answer, or none that proves it,
            and no sample depends on others that need more.
        """
        fit = self._narrowest()
        if fit is None:
            dependent = self._of_dependent()
            if dependent is not None:
                return dependent
            raise no_answer(self.name, "the Chebyshev fit, which would say whether the tube is too thin, has no answer")
        conflict, least = self._conflict(fit.beta), fit.certificate.dual_value
        if conflict is None and least > self.half_width + _UNSETTLED * fit.certificate.primal_value:
            raise no_answer(self.name, f"the Chebyshev fit needs epsilon = {least:.8g}, but its multipliers prove less")
        return conflict

    def _narrowest(self, seconds: float | None = None) -> Regression | None:
        try:
            fit = ChebyshevFit(self.data, self.y, fit_intercept=self.fit_intercept)
            return fit.solve("clarabel", tol=1e-8, time_limit=seconds)
        except QPKernelsError:
            return None

    def _of_dependent(self) -> TubeConflict | None:
        return TubeConflict.of_dependent(self.data, self.y, self.half_width, has_intercept=self.fit_intercept)

    def _conflict(self, v: Vector) -> TubeConflict | None:
        return TubeConflict.of(self.data, self.y, self.half_width, v, has_intercept=self.fit_intercept)


class HardTubePrimal(TubePrimal):
    """The primal. Variables: w or u, and b. Multipliers: a+ of ``above``, a- of ``below``."""

    textbook = TextbookProblem("min  1/2 ||f||^2  s.t.  -epsilon <= f(x_i) + b - y_i <= epsilon")
    model: HardTubeModel

    def declare(self) -> cp.Problem:
        """State the problem."""
        y, epsilon = self.model.y, self.model.epsilon
        return cp.Problem(
            cp.Minimize(self.f.half_squared_norm), labelled(above=y - self.g <= epsilon, below=self.g - y <= epsilon)
        )


class HardTubeDual(TubeDual):
    """The dual. Variables: a_plus, a_minus. Multiplier of ``balance``: b."""

    textbook = TextbookProblem(
        "min  1/2 (a+ - a-)'K(a+ - a-) + epsilon 1'(a+ + a-) - y'(a+ - a-)  s.t.  1'(a+ - a-) = 0,  a+, a- >= 0"
    )
    model: HardTubeModel

    def declare(self) -> cp.Problem:
        """State the problem."""
        width = self.model.epsilon * cp.sum(self.a_plus + self.a_minus)
        return cp.Problem(
            cp.Minimize(self.half_squared_norm(self.beta) + width - self.model.y @ self.beta),
            labelled(balance=self.balance(cp.sum(self.beta)), plus=self.a_plus >= 0, minus=self.a_minus >= 0),
        )


class HardTube(HardTubeModel):
    """The hard tube.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.regression.regression_model.RegressionModel`.
    epsilon
        At least 0, in the unit of y: half the width of the tube. Raising it makes f flatter.

    Examples
    --------
    >>> from formulations import HardTube
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> solution = HardTube(X, y, epsilon=0.2).solve(tol=1e-6)
    >>> print(solution.status, f"w = {solution.function.weights[0]:.3f}, b = {solution.intercept:.3f}")
    optimal w = 0.800, b = 0.300
    """

    primal, dual = Stated(HardTubePrimal), Stated(HardTubeDual)

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        epsilon: float = 0.1,
        fit_intercept: bool = True,
    ) -> None:
        super().__init__(X, y, kernel, fit_intercept=fit_intercept, epsilon=epsilon)
