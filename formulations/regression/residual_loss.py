# SPDX-License-Identifier: BSD-3-Clause
r"""Regression by any convex loss of the residuals (D6): |r|^p, the logistic loss, and the rest of the vocabulary.

With a loss psi and its conjugate psi*, primal and dual, and their optimality condition, r = y - f - b::

    min  1/2 ||f||^2 + sum C_i psi(r_i)
    max  y'c - 1/2 c'Kc - sum C_i psi*(c_i / C_i)    s.t.  1'c = 0,  c_i / C_i in the domain of psi*

    f = sum_j c_j k(x_j, .),   c_i = C_i psi'(r_i)

The optimal values are equal, and b is the multiplier of 1'c = 0. For psi = |r|^p, p > 1, psi*(s) = (p - 1) |s/p|^q with
q = p/(p - 1), by power cones; for the logistic loss -log(4 e^r / (1 + e^r)^2), by exponential cones,
psi*(s) = (1+s) log(1+s) + (1-s) log(1-s). Source: D6 of the catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.hyperparameters import COST
from formulations.hypothesis import half_squared_norm
from formulations.losses import AbsolutePower, EpsilonInsensitive, ResidualLoss
from formulations.regressor import Regressor
from formulations.residual_forms import ResidualDual, ResidualPrimal
from formulations.solution import Candidate
from formulations.targets import Targets
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate, SampleLosses, Support, certify_fenchel
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel

__all__ = ["ResidualLossDual", "ResidualLossPrimal"]

_NEAR = 1e-6
"""Distance of c/C from an end of its domain, or from 0 as a part of the largest, that counts as none."""


class _ResidualLoss(Regressor):
    """What both forms share: the loss, C and the certificate.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.regressor.Regressor`.
    loss
        A residual loss of :mod:`formulations.losses`: AbsolutePower(p), LogisticResidual(), ...
    C
        Above 0: the weight of the losses against 1/2 ||f||^2.
    """

    hyperparameters = (COST,)
    C: cp.Parameter
    loss: ResidualLoss

    def __init__(
        self,
        X: ArrayLike | Gram,
        y: ArrayLike,
        kernel: Kernel | None = None,
        *,
        loss: ResidualLoss = AbsolutePower(1.5),  # noqa: B008  frozen
        C: float = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        if not isinstance(loss, ResidualLoss):
            raise ParameterError(f"loss must be a residual loss, such as AbsolutePower(1.5), but {loss!r} came.")
        self.loss = loss
        self._state(Targets.of(X, y, kernel), fit_intercept, C=C)

    def _to(self, form: type[_ResidualLoss]) -> _ResidualLoss:
        """Return the other form with the same loss."""
        other = form.__new__(form)
        other.loss = self.loss
        other._state(self.data, self.fit_intercept, C=self.C)
        return other

    def certify_candidate(self, candidate: Candidate) -> Certificate:
        """Bound the error of (beta, b) and f by Fenchel's duality."""
        C, y, loss = float(self.C.value), self.y, self.loss
        low, high = loss.domain
        losses = SampleLosses(
            value=lambda v: C * loss.value(y - v),
            conjugate=lambda beta: C * loss.conjugate(np.clip(beta / C, low, high)) - y * beta,
            lower=np.full(len(self), C * low),
            upper=np.full(len(self), C * high),
        )
        negligible = C * float(loss.value(np.full(len(self), self.zero_tolerance())).sum())
        return certify_fenchel(
            self.gram, losses, candidate.beta, candidate.intercept, self._total, candidate.at_samples, negligible
        )

    def width(self, residuals: Vector) -> float:
        """Return the epsilon of an epsilon-insensitive loss, else 0."""
        del residuals
        return self.loss.epsilon if isinstance(self.loss, EpsilonInsensitive) else 0.0

    def support(self, candidate: Candidate, decision: Vector) -> Support:
        """Return the samples with a coefficient, bounded where c/C is at an end of the domain of psi*."""
        del decision
        share, (low, high) = candidate.beta / float(self.C.value), self.loss.domain
        bounded = (share <= low + _NEAR) | (share >= high - _NEAR)
        carrying = np.abs(share) > _NEAR * float(np.abs(share).max(initial=0.0))
        return Support(np.flatnonzero(~bounded & carrying), np.flatnonzero(bounded))

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return C (psi(r) + psi*(c/C)) - c r, the gap of each sample."""
        C, residuals = float(self.C.value), self.y - decision
        share = np.clip(candidate.beta / C, *self.loss.domain)
        gaps = C * (self.loss.value(residuals) + self.loss.conjugate(share)) - candidate.beta * residuals
        return {"C (psi(r) + psi*(c/C)) - c r": gaps}


class ResidualLossPrimal(_ResidualLoss, ResidualPrimal):
    """min 1/2 ||f||^2 + C sum psi(r_i)  s.t.  y_i - f(x_i) - b = r_i.

    Variables: w or u, b, r. Multipliers of ``residual``: c.

    Parameters
    ----------
    X, y, kernel, loss, C, fit_intercept
        As in the other form: a residual loss, C above 0.
    """

    catalogue = "D6-primal"

    def declare(self) -> cp.Problem:
        """State the problem."""
        cost = self.C * cp.sum(self.loss.atom(self.r))
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + cost), self._labelled(residual=self.residual))

    def state_partner(self) -> _ResidualLoss:
        """Return the dual."""
        return self._to(ResidualLossDual)


class ResidualLossDual(_ResidualLoss, ResidualDual):
    """max y'c - 1/2 c'Kc - C sum psi*(s_i)  s.t.  1'c = 0,  c = C s,  s_i in the domain of psi*.

    Variables: c, and s = c / C, which lets C change without compiling anew. Multipliers: b of ``balance``, r of
    ``share``, and those of ``lower`` and ``upper`` where the domain ends.

    Parameters
    ----------
    X, y, kernel, loss, C, fit_intercept
        As in the other form: a residual loss, C above 0.
    """

    catalogue = "D6-dual"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.s = cp.Variable(len(self), name="s")

    def declare(self) -> cp.Problem:
        """State the problem."""
        low, high = self.loss.domain
        value = self.y @ self.c - half_squared_norm(self.gram, self.c)
        return cp.Problem(
            cp.Maximize(value - self.C * cp.sum(self.loss.conjugate_atom(self.s))),
            self._labelled(
                balance=self.balance(cp.sum(self.c)),
                share=self.c == self.C * self.s,
                lower=self.s >= low if np.isfinite(low) else None,
                upper=self.s <= high if np.isfinite(high) else None,
            ),
        )

    def state_partner(self) -> _ResidualLoss:
        """Return the primal."""
        return self._to(ResidualLossPrimal)
