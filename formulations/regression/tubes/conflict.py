# SPDX-License-Identifier: BSD-3-Clause
r"""Which samples make a hard tube impossible, and how wide it must be for them.

By Farkas' lemma no f and b satisfy |y_i - f(x_i) - b| <= epsilon exactly when multipliers v exist with

    F'v = 0,  1'v = 0,  y'v > epsilon ||v||_1,

F the features of the samples or their coordinates in the space of the kernel. Multipliers of a basic solution have a
support of which any proper subset has independent rows (F_i, 1): a function meets all its targets exactly. So these
samples contradict each other, and no fewer of them do; they need a tube of y'v / ||v||_1, and at most d + 2 of them
there are in d features.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.sparse import csc_array

from qpkernels.arrays import Indices, Matrix, Vector, frozen
from qpkernels.certificates import Certificate, certify_infeasibility
from qpkernels.diagnosis import circuit
from qpkernels.programs import Block, ConeProgram, Nonnegative

__all__ = ["TubeConflict"]

_TRIFLE = 1e-6
"""Multiplier, against the largest, whose sample is left out from the start."""

_ROUNDING = 1e-10
"""Share of the spread of the targets within which a function meets them."""

_DEPENDENT = 1e-10
"""Distance of a sample from the span of others, against the largest, that counts as 0."""

_SHOWN = 8
"""Samples that are listed in words."""


@dataclass(frozen=True, eq=False)
class TubeConflict:
    """Samples that no function of the space comes within epsilon of, each of which is needed for that.

    Attributes
    ----------
    samples
        Their numbers, in order.
    multipliers
        v, shape (m,), 0 for all other samples; ||v||_1 = 1. A sample with v_i > 0 lies above what the others allow.
    epsilon
        The half width asked for.
    least_epsilon
        The smallest half width in which these samples find room: y'v.
    certificate
        How well v proves that they find none in epsilon.
    residuals_without
        For each of the samples, the largest residual of a function that was found for the others alone.
    rounding
        Largest residual that counts as 0.
    """

    samples: Indices
    multipliers: Vector = field(repr=False)
    epsilon: float
    least_epsilon: float
    certificate: Certificate
    residuals_without: Vector = field(repr=False)
    rounding: float = field(repr=False)

    @property
    def is_irreducible(self) -> bool:
        """Whether without any one of the samples a function comes within epsilon of the others."""
        return bool((self.residuals_without <= max(self.epsilon, self.rounding)).all())

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.samples[:_SHOWN])) + (", ..." if self.samples.size > _SHOWN else "")
        named = f"the samples {shown} alone" if self.samples.size > 1 else f"sample {shown} alone"
        ending = "no fewer of them do" if self.is_irreducible else "whether all of them do was not settled"
        return f"{named} need{'s' * (self.samples.size == 1)} epsilon = {self.least_epsilon:.8g}, and {ending}"

    @classmethod
    def of(
        cls, coordinates: Matrix, targets: Vector, epsilon: float, v: Vector, *, has_intercept: bool
    ) -> TubeConflict | None:
        """Return the conflict within the support of multipliers v; None where they prove none.

        Parameters
        ----------
        coordinates, targets
            F and y, shapes (m, d) and (m,).
        epsilon
            The half width asked for, at least 0, in the unit of y.
        v
            Multipliers of the Chebyshev fit, shape (m,), balanced to the accuracy of a solver.
        has_intercept
            Whether there is a b, so that 1'v = 0 is asked for.
        """
        F, y = _around_mean(coordinates, targets) if has_intercept else (coordinates, targets)
        F = _in_units(F)
        signs = np.sign(v) * (np.abs(v) > _TRIFLE * np.abs(v).max(initial=0.0))
        (used,) = np.nonzero(signs)
        # s (y - g) <= epsilon, in the coefficients of g.
        rows, bounds = -signs[used, None] * F[used], epsilon - signs[used] * y[used]
        weights = circuit(rows, bounds) if used.size else None
        if weights is None:
            return None
        kept = weights > 0
        certificate = certify_infeasibility(_program(rows[kept], bounds[kept]), weights[kept])
        samples, spread = used[kept], float(np.ptp(y)) or float(np.abs(y).max())
        multipliers = np.zeros(len(targets))
        multipliers[samples] = signs[samples] * weights[kept] / weights.sum()
        least = float(y @ multipliers)
        if not (certificate.holds(_TRIFLE) and least > epsilon + _ROUNDING * spread):
            return None
        residuals = np.array([_largest_residual(F[rest], y[rest]) for rest in _each_without(samples)])
        return cls(samples, frozen(multipliers), epsilon, least, certificate, residuals, _ROUNDING * spread)

    @classmethod
    def of_dependent(
        cls, coordinates: Matrix, targets: Vector, epsilon: float, *, has_intercept: bool
    ) -> TubeConflict | None:
        """Return the conflict of a sample with those that determine the function there; None where no such one is.

        Samples whose rows are a basis determine the function everywhere: each other row is a combination of theirs, and
        the multipliers of that equation need a tube of their own. It is the widest of these that is shown, not the
        widest of all: a linear program would find that, at many times the price.

        Parameters
        ----------
        coordinates, targets, epsilon, has_intercept
            As in :meth:`TubeConflict.of`.
        """
        F, y = _around_mean(coordinates, targets) if has_intercept else (coordinates, targets)
        R, order = qr(_in_units(F).T, mode="r", pivoting=True)
        pivots = np.abs(R.diagonal())
        rank = int(np.sum(pivots > _DEPENDENT * pivots.max(initial=0.0)))
        basis, others = order[:rank], order[rank:]
        if not others.size:
            return None
        weights = solve_triangular(R[:rank, :rank], R[:rank, rank:])
        missed = y[others] - y[basis] @ weights
        widest = int(np.argmax(np.abs(missed) / (1.0 + np.abs(weights).sum(axis=0))))
        v = np.zeros(len(y))
        v[others[widest]], v[basis] = 1.0, -weights[:, widest]
        v *= np.sign(missed[widest])
        return cls.of(coordinates, targets, epsilon, v, has_intercept=has_intercept)


def _around_mean(coordinates: Matrix, targets: Vector) -> tuple[Matrix, Vector]:
    """Return the rows (F_i, 1) and the targets, both around their means."""
    return np.column_stack([coordinates - coordinates.mean(axis=0), np.ones(len(targets))]), targets - targets.mean()


def _in_units(F: Matrix) -> Matrix:
    sizes = np.abs(F).max(axis=0)
    return np.asarray(F / np.where(sizes > 0, sizes, 1.0))


def _program(rows: Matrix, bounds: Vector) -> ConeProgram:
    k, n = rows.shape
    return ConeProgram(
        P=csc_array((n, n)),
        q=np.zeros(n),
        A=csc_array(rows),
        b=bounds,
        cones=(Nonnegative(k),),
        variables=(Block("f", 0, n),),
        rows=(Block("sample", 0, k),),
        name="tube",
    )


def _each_without(samples: Indices) -> list[Indices]:
    return [np.delete(samples, k) for k in range(samples.size)]


def _largest_residual(F: Matrix, y: Vector) -> float:
    """Return the largest residual of the least-squares fit."""
    if not y.size:
        return 0.0
    found, *_ = np.linalg.lstsq(F, y, rcond=None)
    return float(np.abs(y - F @ found).max())
