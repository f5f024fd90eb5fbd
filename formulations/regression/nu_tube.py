# SPDX-License-Identifier: BSD-3-Clause
r"""The nu-tube (D7): a soft tube whose width is found along with it, given the share of samples outside.

Primal and dual, with their Karush-Kuhn-Tucker conditions, r = y - f - b::

    min  1/2 ||f||^2 + C (nu m epsilon + sum (xi+_i + xi-_i))
         s.t.  r_i <= epsilon + xi+_i,  -r_i <= epsilon + xi-_i,  xi >= 0,  epsilon >= 0
    min  1/2 (a+ - a-)'K(a+ - a-) - y'(a+ - a-)
         s.t.  1'(a+ - a-) = 0,  1'(a+ + a-) <= C nu m,  0 <= a+, a- <= C

    f = sum_j (a+_j - a-_j) k(x_j, .),   a+_i (epsilon + xi+_i - r_i) = 0,   (C - a+_i) xi+_i = 0,  the same for a-,
    epsilon (C nu m - 1'(a+ + a-)) = 0

The value of the minimised dual is the negative of the primal's; b is the multiplier of 1'(a+ - a-) = 0 and epsilon that
of 1'(a+ + a-) <= C nu m. With an intercept, at most nu m samples lie outside the tube; at least nu m are support
vectors. The scaling of C is that of LIBSVM and scikit-learn; the soft tube (D2) with this epsilon and C has the same
answer. Source: D7 of the catalogue; Schoelkopf et al. (2000).
"""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.hyperparameters import COST, NU, derived
from formulations.hypothesis import half_squared_norm
from formulations.solution import Candidate
from formulations.targets import Targets
from formulations.tube_forms import TubeDual, TubeMachine, TubePrimal
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate, Support, certify_values, split_support
from qpkernels.certificates.certificate import undefined
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP, nearest_feasible

__all__ = ["NuTubeDual", "NuTubePrimal"]


class _NuTube(TubeMachine):
    """What both forms share: nu, C, and the bounds that certify an answer.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.regressor.Regressor`.
    nu
        Above 0 and at most 1: a bound on the share of samples outside the tube.
    C
        Above 0: the cost of a unit of residual beyond the tube.
    """

    hyperparameters = (COST, NU)
    C: cp.Parameter
    nu: cp.Parameter

    def __init__(
        self,
        X: ArrayLike | Gram,
        y: ArrayLike,
        kernel: Kernel | None = None,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        self._state(Targets.of(X, y, kernel), fit_intercept, C=C, nu=nu)

    def _make_variables(self) -> None:
        super()._make_variables()
        self.budget = derived(lambda: self.C.value * self.nu.value * len(self))

    def width(self, residuals: Vector) -> float:
        """Return the best epsilon for these residuals: no more of them than nu allows exceed it."""
        outside = int(np.floor(float(self.nu.value) * len(self) * (1 + 1e-12)))
        sizes = np.sort(np.abs(residuals))[::-1]
        return float(sizes[outside]) if outside < len(self) else 0.0

    def certify_candidate(self, candidate: Candidate) -> Certificate:
        """Bound the error of (beta, b) and f by the values of both problems, epsilon and the slacks being completed."""
        if not candidate.is_finite:
            return undefined("the answer holds NaN or infinity")
        residuals = self.y - self.decision(candidate)
        width, C, m = self.width(residuals), float(self.C.value), len(self)
        slacks = np.maximum(np.abs(residuals) - width, 0.0)
        norm = self.squared_norm(candidate)
        feasible = nearest_feasible(candidate.beta, np.full(m, -C), np.full(m, C), self._total)
        spent = float(np.abs(feasible).sum())
        feasible = feasible * min(1.0, float(self.budget.value) / spent) if spent else feasible
        parts = C * slacks - feasible * residuals + width * np.abs(feasible)
        worst = int(np.argmax(np.abs(parts)))
        return certify_values(
            primal=0.5 * norm + C * (float(self.nu.value) * m * width + float(slacks.sum())),
            dual=float(self.y @ feasible - 0.5 * feasible @ self.gram.product(feasible)),
            dual_residual=float(np.abs(candidate.beta - feasible).max()) / C,
            error_bound=self.gram.error_bound(feasible),
            zero_tolerance=C * m * self.zero_tolerance(),
            largest=float(parts[worst]),
            worst=f"sample {worst} adds {parts[worst]:.1e} to the gap",
        )

    _estimator = "NuSVR"

    def support(self, candidate: Candidate, decision: Vector) -> Support:
        """Return the samples on the edge of the tube (free) and outside (bounded)."""
        C, width = float(self.C.value), self.width(self.y - decision)
        same = KernelQP(self.gram, target=self.y, lower=-C, upper=C, total=self._total, epsilon=width)
        return split_support(same, candidate.beta, decision)

    def interval(self, candidate: Candidate, decision: Vector, support: Support) -> tuple[float, float]:
        """Return the ends of the b that are optimal with this f, where epsilon may move along with b.

        The targets bound the upper edge u = epsilon + b and the lower edge v = epsilon - b apart from each other.
        """
        b = candidate.intercept
        if not self.fit_intercept:
            return b, b
        carrying, free = np.sign(candidate.beta), np.isin(np.arange(len(self)), support.free)
        carrying[np.setdiff1d(np.arange(len(self)), support.indices)] = 0.0
        ends = []
        for sign in (1.0, -1.0):
            values, own = sign * (self.y - decision + b), carrying == sign
            if (own & free).any():
                ends.append((float(values[own & free].mean()),) * 2)
            else:
                ends.append((float(values[~own].max(initial=-np.inf)), float(values[own].min(initial=np.inf))))
        (u_low, u_high), (v_low, v_high) = ends
        if float(np.abs(candidate.beta).sum()) < (1 - 1e-6) * float(self.budget.value):
            # epsilon = 0, and both edges are b.
            return min(max(u_low, -v_high), b), max(min(u_high, -v_low), b)
        return min(0.5 * (max(u_low, -v_high) - v_high), b), max(0.5 * (u_high - max(v_low, -u_high)), b)

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return the products of both sides of the tube, and (C - |beta_i|) (xi+_i + xi-_i)."""
        return {
            **super().conditions(candidate, decision),
            **self.slack_conditions(candidate, decision, float(self.C.value)),
        }


class NuTubePrimal(_NuTube, TubePrimal):
    """min 1/2 ||f||^2 + C (nu m epsilon + sum (xi+_i + xi-_i))  s.t.  r <= epsilon + xi+,  -r <= epsilon + xi-,  >= 0.

    Variables: w (explicit features) or u (kernel), b, epsilon, xi_plus, xi_minus. Multipliers: a+ of ``above``, a- of
    ``below``, C - a+ of ``slack_plus``, C - a- of ``slack_minus``, C nu m - 1'(a+ + a-) of ``width``.

    Parameters
    ----------
    X, y, kernel, nu, C, fit_intercept
        As in the other form: nu above 0 and at most 1, C above 0.
    """

    catalogue = "D7-primal"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.epsilon = cp.Variable(name="epsilon")
        self.xi_plus = cp.Variable(len(self), name="xi+")
        self.xi_minus = cp.Variable(len(self), name="xi-")

    def declare(self) -> cp.Problem:
        """State the problem."""
        cost = self.budget * self.epsilon + self.C * cp.sum(self.xi_plus + self.xi_minus)
        return cp.Problem(
            cp.Minimize(self.f.half_squared_norm + cost),
            self._labelled(
                above=self.y - self.g <= self.epsilon + self.xi_plus,
                below=self.g - self.y <= self.epsilon + self.xi_minus,
                slack_plus=self.xi_plus >= 0,
                slack_minus=self.xi_minus >= 0,
                width=self.epsilon >= 0,
            ),
        )

    def state_partner(self) -> NuTubeDual:
        """Return the dual."""
        return self._as(NuTubeDual)


class NuTubeDual(_NuTube, TubeDual):
    """min 1/2 (a+ - a-)'K(a+ - a-) - y'(a+ - a-)  s.t.  1'(a+ - a-) = 0,  1'(a+ + a-) <= C nu m,  0 <= a+, a- <= C.

    Variables: a_plus, a_minus. Multipliers: b of ``balance``, epsilon of ``share``, xi+ of ``upper_plus``, xi- of
    ``upper_minus``.

    Parameters
    ----------
    X, y, kernel, nu, C, fit_intercept
        As in the other form: nu above 0 and at most 1, C above 0.
    """

    catalogue = "D7-dual"

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(
            cp.Minimize(half_squared_norm(self.gram, self.beta) - self.y @ self.beta),
            self._labelled(
                balance=self.balance(cp.sum(self.beta)),
                share=cp.sum(self.a_plus + self.a_minus) <= self.budget,
                plus=self.a_plus >= 0,
                minus=self.a_minus >= 0,
                upper_plus=self.a_plus <= self.C,
                upper_minus=self.a_minus <= self.C,
            ),
        )

    def state_partner(self) -> NuTubePrimal:
        """Return the primal."""
        return self._as(NuTubePrimal)
