# SPDX-License-Identifier: BSD-3-Clause
"""Linear separability as a linear program, and the proof of the contrary: a point common to both hulls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import Solution, Stated, labelled
from formulations.modelling.inputs.samples import BoundSamples, KernelLike, SamplesLike
from formulations.models.classification.two_class_model import MarginPrimal, TwoClassModel
from qpkernels.arrays import Indices, Vector, frozen
from qpkernels.diagnosis.feasibility import basic_combination
from qpkernels.display import TextbookProblem
from qpkernels.errors import InseparableError
from qpkernels.gram.exact import enclose_dependence, equal_samples
from qpkernels.gram.functions import Expansion
from qpkernels.problems import Bounds, Certificate, Program, Status
from qpkernels.problems.certificate import relative
from qpkernels.problems.separation import SeparationBounds

__all__ = ["HullIntersection", "Separability", "SeparabilityPrimal"]

_WEIGHT = 1e-6
"""Weight of a sample, of 1 in each class, below which it is tried to do without."""

_ROUNDING = 1e-12
"""Distance of two means that are equal but for rounding."""


@dataclass(frozen=True, eq=False)
class HullIntersection:
    """A point that lies in the convex hulls of both classes: no hyperplane can separate them.

    Without an intercept the hyperplane passes through the origin, and the point lies in the conic hulls of both
    classes: it is a weighted sum, and the weights of both classes together add up to 2.

    Attributes
    ----------
    multipliers
        Farkas multipliers lambda >= 0, shape (m,), which add up to 1 in each class; sum_i lambda_i y_i phi(x_i) = 0.
        In d features at most d + 2 of them are not 0 (Caratheodory), or d + 1 without an intercept.
    positive, negative
        The point as the mean of each class, weighted by the multipliers: two functions x -> <point, phi(x)>.
    coordinates
        The point itself, shape (d,), in explicit features; None with a kernel.
    distance
        Distance between the two means, relative to the radius of the samples: 0 up to the accuracy of the solver.

    Examples
    --------
    >>> from formulations import HardMargin
    >>> from qpkernels.errors import InseparableError
    >>> try:
    ...     HardMargin([[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, -1, -1, 1]).solve()
    ... except InseparableError as error:
    ...     print("both classes are around", error.proof.coordinates + 0.0)
    both classes are around [0. 0.]
    """

    multipliers: Vector
    positive: Expansion
    negative: Expansion
    coordinates: Vector | None
    distance: float

    @property
    def support(self) -> Indices:
        """Numbers of the samples with a weight, however small, in the sum that is the point; the heaviest is first."""
        # Weights that differ by rounding are equal, and keep the order of the samples.
        order = np.argsort(-np.round(self.multipliers, 9), kind="stable")
        return order[self.multipliers[order] > 0]

    @property
    def certificate(self) -> Certificate:
        """The certificate that both values of the optimum are infinite, with the distance as residual."""
        heaviest = f"sample {self.support[0]} has the largest weight"
        return Certificate(np.inf, np.inf, 0.0, 0.0, self.distance, 0.0, worst=heaviest)

    @classmethod
    def from_multipliers(
        cls, data: BoundSamples, y: Vector, multipliers: Vector, *, fit_intercept: bool = True
    ) -> HullIntersection:
        """Normalise Farkas multipliers of as few samples as needed, and measure how far apart the two means are.

        Parameters
        ----------
        data
            The samples bound to their kernel.
        y
            +1.0 or -1.0 for each sample, shape (m,).
        multipliers
            lambda, shape (m,), of any size. Entries below 0 count as 0, and at least one of each class is above 0.
        fit_intercept
            Whether the hyperplane may have an offset; otherwise it passes through the origin.
        """
        weights = _normalised(np.maximum(multipliers, 0.0), y, fit_intercept)
        distance = _distance(data, y * weights, fit_intercept)
        for least in (_WEIGHT, 0.0):
            fewer = _reduced(data, y, np.where(weights > least, weights, 0.0), fit_intercept, distance <= _ROUNDING)
            if fewer is not None and (apart := _distance(data, y * fewer, fit_intercept)) <= max(distance, _WEIGHT):
                weights, distance = fewer, apart
                break
        return cls._of(data, y, weights, distance)

    @classmethod
    def proved(
        cls, data: BoundSamples, y: Vector, multipliers: Vector, *, fit_intercept: bool = True
    ) -> HullIntersection | None:
        """Return a point near that of the multipliers that is proved to be in both hulls, or None.

        The multipliers are enclosed: lambda >= 0 and sum_i lambda_i y_i phi(x_i) = 0 hold exactly for numbers that
        differ from those returned in their last digits. Equal samples of both classes are a proof by themselves.

        Parameters
        ----------
        data, y, multipliers, fit_intercept
            As in :meth:`from_multipliers`.
        """
        largest = float(multipliers.max())
        supports = [np.flatnonzero(multipliers > share * largest) for share in (_WEIGHT, 1e-9, 0.0)]
        pairs = (np.array([each[y[each] > 0][:1], each[y[each] < 0][:1]]).ravel() for each in _mixed(data, y))
        for samples in (*supports, *islice(pairs, 1)):
            near = np.where(multipliers[samples] > 0, multipliers[samples], largest) * y[samples]
            found = enclose_dependence(data.gram, samples, near, balanced=fit_intercept)
            if found is None or ((found * y[samples]).lower < 0).any():
                continue
            weights = np.zeros_like(multipliers)
            weights[samples] = np.abs(found.middle)
            weights = _normalised(weights, y, fit_intercept)
            return cls._of(data, y, weights, _distance(data, y * weights, fit_intercept))
        return None

    @classmethod
    def _of(cls, data: BoundSamples, y: Vector, weights: Vector, distance: float) -> HullIntersection:
        gram = data.gram
        means = [gram.expansion(weights[y == sign], rows=np.flatnonzero(y == sign)) for sign in (1.0, -1.0)]
        coordinates = 0.5 * (weights @ data.coordinates) if data.explicit else None
        return cls(frozen(weights), means[0], means[1], coordinates, distance)


def _mixed(data: BoundSamples, y: Vector) -> Iterator[Indices]:
    """Yield sets of equal samples of both classes."""
    return (each for each in equal_samples(data.gram) if np.ptp(y[each]) > 0)


def _normalised(weights: Vector, y: Vector, fit_intercept: bool) -> Vector:
    """Return the weights with a sum of 1 in each class; without an intercept, of 2 in both together."""
    if not fit_intercept:
        return np.asarray(2.0 * weights / weights.sum())
    sums = np.where(y > 0, weights[y > 0].sum(), weights[y < 0].sum())
    return np.asarray(weights / sums)


def _distance(data: BoundSamples, beta: Vector, fit_intercept: bool) -> float:
    """Return ||sum_i beta_i phi(x_i)|| relative to the radius of the samples about their mean, or about the origin."""
    gram = data.gram
    if gram.features is None:
        apart = float(np.sqrt(max(0.0, float(beta @ gram.product(beta)))))
    else:
        features = gram.features - gram.features.mean(axis=0) if fit_intercept else gram.features
        apart = float(np.linalg.norm(beta @ features))
    return relative(apart, data.radius if fit_intercept else float(np.sqrt(gram.diagonal.max())))


def _reduced(data: BoundSamples, y: Vector, weights: Vector, fit_intercept: bool, exact: bool) -> Vector | None:
    """Return the weights of a basic solution; None where exact ones are of few samples, or it is lost."""
    (used,) = np.nonzero(weights > 0)
    F = data.coordinates
    if exact and used.size <= F.shape[1] + (2 if fit_intercept else 1):
        return None
    centred = F[used] - F.mean(axis=0) if fit_intercept else F[used]
    sizes = np.abs(centred).max(axis=0)
    balance = (y[used, None] * centred / np.where(sizes > 0, sizes, 1.0)).T
    sums = np.vstack([y[used] > 0, y[used] < 0]) if fit_intercept else 0.5 * np.ones((1, used.size))
    found = basic_combination(np.vstack([balance, sums]), np.append(np.zeros(F.shape[1]), np.ones(len(sums))))
    if found is None:
        return None
    fewer = np.zeros_like(weights)
    fewer[used] = found
    return _normalised(fewer, y, fit_intercept)


class SeparabilityPrimal(MarginPrimal):
    """The feasibility problem. Variables: w or u, and b. Multipliers of ``margin``: lambda."""

    textbook = TextbookProblem("find  f, b  s.t.  y_i (f(x_i) + b) >= 1")

    def declare(self) -> cp.Problem:
        """State the feasibility problem."""
        return cp.Problem(cp.Minimize(0), labelled(margin=cp.multiply(self.model.y, self.g) >= 1))


class Separability(TwoClassModel):
    """find f, b  s.t.  y_i (f(x_i) + b) >= 1: a linear program without an objective.

    By Farkas' lemma it is infeasible exactly when multipliers lambda >= 0 exist with sum lambda_i y_i = 0 and
    sum lambda_i y_i phi(x_i) = 0, not all 0: they are a point common to the convex hulls of both classes. The program
    is called infeasible only where such multipliers are proved to exist in exact arithmetic, with the phi of the kernel
    itself. Hulls that only come near each other prove nothing.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.classification.two_class_model.TwoClassModel`.

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

    entry = replace(TwoClassModel.entry, hard=True)
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
            Options of ``solve``, such as ``tol``, and of the back-end.
        """
        try:
            solution = self.solve(solver, **options)
            if solution.status is not Status.OPTIMAL:
                raise self._explain_failure(f"solver {solution.solver!r} says {solution.message!r}: nothing is proved")
            return solution
        except InseparableError as error:
            return cast(HullIntersection, error.proof)

    def bounds(self) -> SeparationBounds:
        """State that f and b must separate the classes."""
        return SeparationBounds(self.gram, self.y)

    def programs(self, bounds: Bounds) -> tuple[Program, ...]:
        """Return the hard margin, whose function of least norm separates the classes clearly above rounding."""
        del bounds
        return (self._hard_margin(),)

    def _explain_divergence(self, beta: Vector, message: str) -> Exception:
        """Return the error with the common point of both hulls, if that is where the multipliers y beta went."""
        weights = np.maximum(self.y * beta, 0.0)
        if not (weights[self.y > 0].any() and weights[self.y < 0].any()):
            return self._explain_failure(message)
        return self._inseparable(weights, message, None)

    def _explain_infeasible(self, certificate: Certificate, multipliers: Vector, message: str) -> Exception:
        """Return the error with the common point of both hulls."""
        return self._inseparable(multipliers, message, certificate)

    def _inseparable(self, multipliers: Vector, message: str, certificate: Certificate | None) -> Exception:
        near = HullIntersection.from_multipliers(self.data, self.y, multipliers, fit_intercept=self.fit_intercept)
        proof = HullIntersection.proved(self.data, self.y, near.multipliers, fit_intercept=self.fit_intercept)
        if proof is None:
            return self._explain_failure(
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
