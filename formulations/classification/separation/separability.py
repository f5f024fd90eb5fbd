# SPDX-License-Identifier: BSD-3-Clause
"""Linear separability as a linear program (B3), and the proof when there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

import formulations.cvx as cp
from formulations.classification.separation.hulls import HullIntersection
from formulations.classification.two_class_model import MarginPrimal, TwoClassModel
from formulations.inputs.samples import KernelLike, SamplesLike
from formulations.modelling import Solution, Stated, labelled
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.errors import InseparableError
from qpkernels.problems import Bounds, Certificate, Program, SeparationBounds, Status

__all__ = ["Separability", "SeparabilityPrimal"]


class SeparabilityPrimal(MarginPrimal):
    """The feasibility problem. Variables: w or u, and b. Multipliers of ``margin``: lambda."""

    catalogue = "B3"
    textbook = TextbookProblem("find  f, b  s.t.  y_i (f(x_i) + b) >= 1")

    def declare(self) -> cp.Problem:
        """State the feasibility problem."""
        return cp.Problem(cp.Minimize(0), labelled(margin=cp.multiply(self.model.y, self.g) >= 1))


class Separability(TwoClassModel):
    """find f, b  s.t.  y_i (f(x_i) + b) >= 1: a linear program without objective (B3).

    By Farkas' lemma it is infeasible exactly when multipliers lambda >= 0 exist with sum lambda_i y_i = 0 and
    sum lambda_i y_i phi(x_i) = 0, not all 0: a point common to the convex hulls of both classes. It is called
    infeasible where such are proved to exist in exact arithmetic, phi being that of the kernel itself; hulls that come
    near each other prove nothing.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.classification.two_class_model.TwoClassModel`.

    Examples
    --------
    >>> from formulations import Separability
    >>> X = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    >>> print(Separability(X, [-1, 1, -1, 1]).decide().status)
    optimal
    >>> hulls = Separability(X, [-1, -1, 1, 1]).decide()
    >>> print(hulls.coordinates.round(3), hulls.multipliers.round(3))
    [0.5 0.5] [0.5 0.5 0.5 0.5]
    """

    entry = replace(TwoClassModel.entry, catalogue="B3", hard=True)
    primal = Stated(SeparabilityPrimal)

    def __init__(
        self, X: SamplesLike, y: ArrayLike, kernel: KernelLike | None = None, *, fit_intercept: bool = True
    ) -> None:
        super().__init__(X, y, kernel, fit_intercept=fit_intercept)

    def decide(self, solver: str | None = None, **options: Any) -> Solution | HullIntersection:
        """Return a separating function, or the proof that there is none.

        Parameters
        ----------
        solver
            As in :meth:`formulations.modelling.model.Model.solve`.
        **options
            Those of ``solve``, ``tol`` and the others, and of the back-end.
        """
        try:
            solution = self.solve(solver, **options)
            if solution.status is not Status.OPTIMAL:
                raise self.explain_failure(f"solver {solution.solver!r} says {solution.message!r}: nothing is proved")
            return solution
        except InseparableError as error:
            return cast(HullIntersection, error.proof)

    def bounds(self) -> SeparationBounds:
        """State that f and b are to separate the classes."""
        return SeparationBounds(self.gram, self.y)

    def programs(self, bounds: Bounds) -> tuple[Program, ...]:
        """Return the hard margin: the function of least norm that separates, which stands out from rounding."""
        del bounds
        return (self.hard_margin(),)

    def explain_divergence(self, beta: Vector, message: str) -> Exception:
        """Return the error with the common point of both hulls, if that is where the multipliers y beta went."""
        weights = np.maximum(self.y * beta, 0.0)
        if not (weights[self.y > 0].any() and weights[self.y < 0].any()):
            return self.explain_failure(message)
        return self._inseparable(weights, message, None)

    def explain_infeasible(self, certificate: Certificate, multipliers: Vector, message: str) -> Exception:
        """Return the error with the common point of both hulls."""
        return self._inseparable(multipliers, message, certificate)

    def _inseparable(self, multipliers: Vector, message: str, certificate: Certificate | None) -> Exception:
        near = HullIntersection.from_multipliers(self.data, self.y, multipliers, fit_intercept=self.fit_intercept)
        proof = HullIntersection.proved(self.data, self.y, near.multipliers, fit_intercept=self.fit_intercept)
        if proof is None:
            return self.explain_failure(
                f"{message}, but it is not proved in exact arithmetic that the hulls meet, which come within "
                f"{near.distance:.1e} of the samples' radius; scale the features"
            )
        samples = ", ".join(map(str, proof.support[:8])) + (", ..." if proof.support.size > 8 else "")
        through, hulls = ("", "convex") if self.fit_intercept else ("through the origin ", "conic")
        return InseparableError(
            f"no hyperplane {through}separates the two classes: their {hulls} hulls meet (to "
            f"{proof.distance:.1e} of the samples' radius) in a {hulls} combination of the samples {samples}; use a "
            f"soft margin, or a more flexible kernel ({message}).",
            certificate or proof.certificate,
            multipliers,
            proof,
        )
