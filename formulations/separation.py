# SPDX-License-Identifier: BSD-3-Clause
"""Linear separability as a linear program (B3), and the proof when there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import cvxpy as cp
import numpy as np

from formulations.margin_forms import MarginPrimal
from formulations.solution import Candidate, Solution
from formulations.two_classes import TwoClasses
from qpkernels.arrays import Indices, Vector, frozen
from qpkernels.certificates import Certificate, FunctionAtSamples, Status, Support
from qpkernels.certificates.certificate import relative, undefined
from qpkernels.errors import InseparableError
from qpkernels.gram import Expansion

__all__ = ["HullIntersection", "Separability"]

_SAME_POINT = 1e-6
"""Distance of the two means, against the radius of the samples, within which they count as one point."""


@dataclass(frozen=True, eq=False)
class HullIntersection:
    """A point that lies in the convex hulls of both classes: no hyperplane can separate them.

    Attributes
    ----------
    multipliers
        Farkas multipliers lambda >= 0, shape (m,), which add up to 1 in each class; sum_i lambda_i y_i phi(x_i) = 0.
    positive, negative
        The point as the mean of each class, weighted by the multipliers: two functions x -> <point, phi(x)>.
    coordinates
        The point itself, shape (d,), in explicit features; None with a kernel.
    distance
        Distance of the two means, relative to the radius of the samples: 0 up to the accuracy of the solver.
    """

    multipliers: Vector
    positive: Expansion
    negative: Expansion
    coordinates: Vector | None
    distance: float

    @property
    def carriers(self) -> Indices:
        """Numbers of the samples whose weight is above 1e-6, the heaviest first."""
        order = np.argsort(-self.multipliers)
        return order[self.multipliers[order] > 1e-6]

    @classmethod
    def from_multipliers(cls, data: TwoClasses, multipliers: Vector) -> HullIntersection:
        """Normalise Farkas multipliers and measure how far apart the two means are."""
        weights = np.maximum(multipliers, 0.0)
        for sign in (1.0, -1.0):
            weights[data.y == sign] /= weights[data.y == sign].sum()
        gram = data.gram
        means = [Expansion(gram.kernel, gram.X[data.y == sign], weights[data.y == sign], 0.0) for sign in (1.0, -1.0)]
        beta = data.y * weights
        if gram.features is not None:
            apart = float(np.linalg.norm(beta @ (gram.features - gram.features.mean(axis=0))))
        else:
            apart = float(np.sqrt(max(0.0, float(beta @ gram.product(beta)))))
        coordinates = 0.5 * (weights @ gram.X) if data.explicit else None
        return cls(frozen(weights), means[0], means[1], coordinates, relative(apart, data.radius))


class Separability(MarginPrimal):
    """find f, b  s.t.  y_i (f(x_i) + b) >= 1: a linear program without objective (B3).

    By Farkas' lemma it is infeasible exactly when multipliers lambda >= 0 exist with sum lambda_i y_i = 0 and
    sum lambda_i y_i phi(x_i) = 0, not all 0: a point common to the convex hulls of both classes.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.binary.BinaryClassifier`.
    """

    catalogue = "B3"

    def declare(self) -> cp.Problem:
        """State the feasibility problem."""
        return cp.Problem(cp.Minimize(0), self._labelled(margin=cp.multiply(self.y, self.g) >= 1))

    def state_partner(self) -> Separability:
        """Return the model itself: the dual of a feasibility problem is its proof of infeasibility, :meth:`decide`."""
        return self

    def decide(self, solver: str = "clarabel", **options: Any) -> Solution | HullIntersection:
        """Return a separating function, or the proof that there is none; parameters as in ``solve``."""
        try:
            solution = self.solve(solver, **options)
            if solution.status is not Status.OPTIMAL:
                raise self.explain_failure(f"solver {solution.solver!r} says {solution.message!r}: nothing is proved")
            return solution
        except InseparableError as error:
            return cast(HullIntersection, error.proof)

    def certify_candidate(self, candidate: Candidate) -> Certificate:
        """Certify that f and b separate: every y_i (f(x_i) + b) is above 0 beyond rounding.

        Then they can be scaled to margins of 1, the objective is 0, and multipliers 0 prove it.
        """
        if not candidate.is_finite:
            return undefined("the answer holds NaN or infinity")
        function = candidate.function
        margins, reach = self.margins(candidate), np.sqrt(self.gram.diagonal)
        sizes = np.abs(function.coefficients) @ np.sqrt(function.kernel.diagonal(function.centers))
        terms = max((function.coefficients.size, *self.gram.X.shape[1:]))
        rounding = 4 * np.finfo(float).eps * terms * (reach * sizes + abs(candidate.intercept))
        smallest = int(np.argmin(margins - rounding))
        residual = 0.0 if margins[smallest] > rounding[smallest] else np.inf
        words = f"sample {smallest} has the smallest margin, {margins[smallest]:.3g}"
        return Certificate(0.0, 0.0, 0.0, residual, 0.0, 0.0, words)

    def support(self, candidate: Candidate, decision: Vector) -> Support:
        """Return the samples with a multiplier; without an objective there is none but rounding."""
        del decision
        return Support(free=np.flatnonzero(np.abs(candidate.beta) > _SAME_POINT), bounded=np.arange(0))

    def _between(self, weights: Vector) -> Candidate:
        """Return the function that falls from one weighted mean to the other, 0 halfway between the classes."""
        beta, X = self.y * weights, self.gram.X
        if not self.data.explicit:
            values = self.gram.product(beta)
            return self._expanded(beta, -0.5 * float(values[self.y > 0].min() + values[self.y < 0].max()))
        # The direction itself, since its length, the distance of the means, may be lost in rounding.
        w = (X - X.mean(axis=0)).T @ beta
        w = w / (float(np.linalg.norm(w)) or 1.0)
        values = X @ w
        b = -0.5 * float(values[self.y > 0].min() + values[self.y < 0].max())
        return Candidate(beta, b, self._function(w[None, :], np.ones(1), b), FunctionAtSamples(values, 1.0))

    def explain_infeasible(self, certificate: Certificate, multipliers: Vector, words: str) -> Exception:
        """Return the error with the common point of both hulls, where the constraints are the textbook's."""
        if self.is_extended:
            return super().explain_infeasible(certificate, multipliers, words)
        proof = HullIntersection.from_multipliers(self.data, multipliers)
        if proof.distance > _SAME_POINT:
            return self.explain_failure(f"{words}, but the weighted means are {proof.distance:.1e} of the radius apart")
        if self.certify_candidate(self._between(proof.multipliers)).holds(0.0):
            return self.explain_failure(
                f"{words}, but the classes are {proof.distance:.1e} of the samples' radius apart; scale the features"
            )
        carriers = ", ".join(map(str, proof.carriers[:8])) + (", ..." if proof.carriers.size > 8 else "")
        return InseparableError(
            f"no hyperplane separates the two classes ({words}): their convex hulls meet "
            f"(to {proof.distance:.1e} of the samples' radius) in a point carried by the samples {carriers}; "
            "use a soft margin, or a kernel that bends more.",
            certificate,
            multipliers,
            proof,
        )
