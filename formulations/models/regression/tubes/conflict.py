# SPDX-License-Identifier: BSD-3-Clause
r"""The samples that make a hard tube impossible, and how wide a tube they need.

By Farkas' lemma no f and b satisfy |y_i - f(x_i) - b| <= epsilon exactly when multipliers v exist with

    F'v = 0,  1'v = 0,  y'v > epsilon ||v||_1,

where F holds the features of the samples or their coordinates in the space of the kernel. The rows (F_i, 1) of any
proper subset of the support of a basic solution are independent, so that a function meets all targets of the subset
exactly. These samples therefore contradict each other, and no fewer of them do. They need a tube of half width y'v /
||v||_1, and in d features there are at most d + 2 of them.

Rounding can make independent samples look dependent. A conflict is reported only where v, found in float64, is
enclosed: F'v = 0 and 1'v = 0 hold for the exact kernel of the given samples, and y'v is above epsilon ||v||_1 by
interval arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import qr, solve_triangular

from formulations.modelling.inputs.samples import BoundSamples
from qpkernels.arrays import Indices, Matrix, Vector, frozen
from qpkernels.arrays.intervals import Interval, inner
from qpkernels.diagnosis.feasibility import circuit
from qpkernels.gram.exact import enclose_dependence, equal_samples
from qpkernels.problems import Certificate

__all__ = ["TubeConflict"]

_TRIFLE = 1e-6
"""Multiplier, against the largest, whose sample is left out from the start."""

_ROUNDING = 1e-10
"""Share of the spread of the targets within which a function meets them."""

_DEPENDENT = 1e-10
"""Distance of a sample from the span of others, against the largest, at which a proof of dependence is tried."""

_TRIED = 8
"""Samples of which that is tried, those that are missed by most first."""

_SHOWN = 8
"""Samples that are listed in words."""


@dataclass(frozen=True, eq=False)
class TubeConflict:
    """Samples such that no function of the space comes within epsilon of all of them; every one is needed.

    Attributes
    ----------
    samples
        Their numbers, in order.
    multipliers
        v, shape (m,), 0 for all other samples; ||v||_1 = 1. A sample with v_i > 0 lies above what the others allow.
    epsilon
        The requested half width.
    least_epsilon
        The smallest half width that these samples fit into, y'v.
    residuals_without
        For each of the samples, the largest residual of a function that was found for only the others.
    rounding
        Largest residual that counts as 0.

    Examples
    --------
    >>> from formulations import HardTube
    >>> from qpkernels.errors import InfeasibleError
    >>> try:
    ...     HardTube([[0.0], [0.0], [1.0]], [0.0, 1.0, 5.0], epsilon=0.25).solve()
    ... except InfeasibleError as error:
    ...     print(error.conflict.samples, "need a half width of", round(error.conflict.least_epsilon, 6))
    [0 1] need a half width of 0.5
    """

    samples: Indices
    multipliers: Vector = field(repr=False)
    epsilon: float
    least_epsilon: float
    residuals_without: Vector = field(repr=False)
    rounding: float = field(repr=False)

    @property
    def certificate(self) -> Certificate:
        """The certificate by v that no function fits within epsilon, so that both values are infinite."""
        heaviest = f"sample {int(np.abs(self.multipliers).argmax())} has the largest multiplier"
        return Certificate(np.inf, np.inf, 0.0, 0.0, 0.0, 0.0, worst=heaviest)

    @property
    def is_irreducible(self) -> bool:
        """Whether, if any one of the samples is left out, a function comes within epsilon of the others."""
        return bool((self.residuals_without <= max(self.epsilon, self.rounding)).all())

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.samples[:_SHOWN])) + (", ..." if self.samples.size > _SHOWN else "")
        named = f"the samples {shown} alone" if self.samples.size > 1 else f"sample {shown} alone"
        ending = "all of them are needed for this" if self.is_irreducible else "whether all are needed was not settled"
        return f"{named} need{'s' * (self.samples.size == 1)} epsilon = {self.least_epsilon:.8g}, and {ending}"

    @classmethod
    def of(
        cls, data: BoundSamples, targets: Vector, epsilon: float, v: Vector, *, has_intercept: bool
    ) -> TubeConflict | None:
        """Return the conflict within the support of multipliers v, or None if they prove none in exact arithmetic.

        Parameters
        ----------
        data
            The samples bound to their kernel.
        targets
            y, shape (m,).
        epsilon
            The requested half width, at least 0, in the unit of y.
        v
            Multipliers of the Chebyshev fit, shape (m,), balanced to the accuracy of a solver.
        has_intercept
            Whether there is a b, so that 1'v = 0 must hold.
        """
        F, y = _centred(data.coordinates, targets, has_intercept)
        signs = np.sign(v) * (np.abs(v) > _TRIFLE * np.abs(v).max(initial=0.0))
        (used,) = np.nonzero(signs)
        # s (y - g) <= epsilon, in the coefficients of g.
        rows, bounds = -signs[used, None] * F[used], epsilon - signs[used] * y[used]
        weights = circuit(rows, bounds) if used.size else None
        if weights is None:
            return None
        kept = weights > 0
        samples = used[kept]
        near = signs[samples] * weights[kept] / weights.sum()
        return cls._proved(data, targets, epsilon, samples, near, has_intercept)

    @classmethod
    def of_dependent(
        cls, data: BoundSamples, targets: Vector, epsilon: float, *, has_intercept: bool
    ) -> TubeConflict | None:
        """Return a sample's conflict with the samples that determine the function there, or None if none is proved.

        Samples whose rows are a basis determine the function everywhere: each other row is a combination of theirs, and
        the multipliers of that equation need a tube of their own. The widest of these tubes is shown, which need not be
        the widest of all: finding that takes a linear program, at many times the cost. Rounding can make independent
        samples look dependent. Then the next ones are tried, and equal samples by themselves.

        Parameters
        ----------
        data, targets, epsilon, has_intercept
            As in :meth:`TubeConflict.of`.
        """
        F, y = _centred(data.coordinates, targets, has_intercept)
        R, order = qr(F.T, mode="r", pivoting=True)
        pivots = np.abs(R.diagonal())
        rank = int(np.sum(pivots > _DEPENDENT * pivots.max(initial=0.0)))
        basis, others = order[:rank], order[rank:]
        weights = solve_triangular(R[:rank, :rank], R[:rank, rank:])
        missed = y[others] - y[basis] @ weights
        widths = np.abs(missed) / (1.0 + np.abs(weights).sum(axis=0))
        for number in np.argsort(-widths, kind="stable")[:_TRIED]:
            v = np.zeros(len(y))
            v[others[number]], v[basis] = 1.0, -weights[:, number]
            found = cls.of(data, targets, epsilon, v * np.sign(missed[number]), has_intercept=has_intercept)
            if found is not None:
                return found
        return cls._of_equal(data, targets, epsilon, has_intercept) if others.size else None

    @classmethod
    def _of_equal(cls, data: BoundSamples, targets: Vector, epsilon: float, has_intercept: bool) -> TubeConflict | None:
        """Return the conflict of two samples at one place, those whose targets are the farthest apart."""
        pairs = [
            np.array([places[targets[places].argmin()], places[targets[places].argmax()]])
            for places in equal_samples(data.gram)
        ]
        if not pairs:
            return None
        widest = max(pairs, key=lambda pair: float(targets[pair[1]] - targets[pair[0]]))
        return cls._proved(data, targets, epsilon, widest, np.array([-0.5, 0.5]), has_intercept)

    @classmethod
    def _proved(
        cls, data: BoundSamples, targets: Vector, epsilon: float, samples: Indices, near: Vector, has_intercept: bool
    ) -> TubeConflict | None:
        """Return the conflict of these samples, where multipliers near those given prove it in exact arithmetic."""
        v = enclose_dependence(data.gram, samples, near, balanced=has_intercept)
        if v is None:
            return None
        size = Interval.of(v.magnitude).sum()
        if not float(inner(v, targets[samples]).lower) > float((size * epsilon).upper):
            return None
        order = np.argsort(samples)
        samples, multipliers = samples[order], np.zeros(len(targets))
        multipliers[samples] = v.middle[order] / np.abs(v.middle).sum()
        F, y = _centred(data.coordinates, targets, has_intercept)
        residuals = np.array([_largest_residual(F[rest], y[rest]) for rest in _each_without(samples)])
        rounding = _ROUNDING * (float(np.ptp(y)) or float(np.abs(y).max()))
        least = float(inner(multipliers[samples], targets[samples]).middle)
        return cls(samples, frozen(multipliers), epsilon, least, residuals, rounding)


def _centred(coordinates: Matrix, targets: Vector, has_intercept: bool) -> tuple[Matrix, Vector]:
    """Return the coordinates in units of their own, with a column of ones and around means where there is a b."""
    if not has_intercept:
        return _in_units(coordinates), targets
    rows = np.column_stack([coordinates - coordinates.mean(axis=0), np.ones(len(targets))])
    return _in_units(rows), targets - targets.mean()


def _in_units(F: Matrix) -> Matrix:
    sizes = np.abs(F).max(axis=0)
    return np.asarray(F / np.where(sizes > 0, sizes, 1.0))


def _each_without(samples: Indices) -> list[Indices]:
    return [np.delete(samples, k) for k in range(samples.size)]


def _largest_residual(F: Matrix, y: Vector) -> float:
    """Return the largest residual of the least-squares fit."""
    if not y.size:
        return 0.0
    found, *_ = np.linalg.lstsq(F, y, rcond=None)
    return float(np.abs(y - F @ found).max())
