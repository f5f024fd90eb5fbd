# SPDX-License-Identifier: BSD-3-Clause
r"""The nu-machine (C8): a soft margin whose width is found along with it, given the share of samples inside.

Primal and dual, with their Karush-Kuhn-Tucker conditions::

    min  1/2 ||f||^2 - nu rho + 1/m sum xi_i         s.t.  y_i (f(x_i) + b) >= rho - xi_i,  xi_i >= 0,  rho >= 0
    min  1/2 a'YKYa                                  s.t.  y'a = 0,  0 <= a_i <= 1/m,  1'a >= nu

    f = sum_j a_j y_j k(x_j, .),   a_i (y_i (f(x_i) + b) - rho + xi_i) = 0,   (1/m - a_i) xi_i = 0,
    rho (1'a - nu) = 0

The value of the minimised dual is the negative of the primal's; b is the multiplier of y'a = 0 and rho that of
1'a >= nu. At most nu m samples lie inside the margin, at least nu m are support vectors; nu can be at most
2 min(m+, m-) / m. With rho > 0 the answer divided by rho is that of the soft margin (C2) with C = 1 / (m rho).
Source: C8 of the catalogue; Schoelkopf et al. (2000).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.binary import BinaryClassifier
from formulations.estimators import Coefficients
from formulations.hyperparameters import NU
from formulations.hypothesis import half_squared_norm
from formulations.margin_forms import MarginDual, MarginPrimal
from formulations.solution import Candidate, Classification
from formulations.two_classes import TwoClasses
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate, Support, certify_values, split_support
from qpkernels.certificates.certificate import undefined
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP, nearest_feasible

__all__ = ["NuMarginDual", "NuMarginPrimal", "largest_nu"]

_NEGLIGIBLE = 1e-3
"""An optimum below this part of what the trivial f could cost counts as 0: the reduced hulls of the classes meet."""


def largest_nu(y: Vector) -> float:
    """Return the largest feasible nu for labels +-1: 2 min(m+, m-) / m."""
    positive = int(np.sum(np.asarray(y) > 0))
    return 2.0 * min(positive, len(y) - positive) / len(y)


class _NuMargin(BinaryClassifier):
    """What both forms share: nu, and the bounds that certify an answer.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.binary.BinaryClassifier`.
    nu
        Above 0 and at most 2 min(m+, m-) / m: a bound on the share of samples inside the margin.
    """

    hyperparameters = (NU,)
    nu: cp.Parameter

    def __init__(self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None, *, nu: float = 0.5) -> None:
        self._state(TwoClasses.of(X, y, kernel), nu=nu)

    def check_parameters(self) -> None:
        """Refuse a nu outside its range, or infeasible for the balance of the classes."""
        super().check_parameters()
        limit, nu = largest_nu(self.y), float(self.nu.value)
        if nu > limit * (1 + 1e-12):
            raise ParameterError(
                f"nu = {nu:g} is infeasible for these classes, of {int((self.y > 0).sum())} and "
                f"{int((self.y < 0).sum())} samples: the largest feasible nu is {limit:g}."
            )

    def rho(self, margins: Vector) -> float:
        """Return the best level for these y_i g(x_i): as many as nu allows lie below it."""
        below = int(np.ceil(float(self.nu.value) * len(self) * (1 - 1e-12)))
        return max(0.0, float(np.sort(margins)[below - 1]))

    def certify_candidate(self, candidate: Candidate) -> Certificate:
        """Bound the error of (beta, b) and f by the values of both problems, rho and the slacks being completed."""
        if not candidate.is_finite:
            return undefined("the answer holds NaN or infinity")
        margins = self.margins(candidate)
        rho, nu, m = self.rho(margins), float(self.nu.value), len(self)
        slacks = np.maximum(rho - margins, 0.0)
        alpha = self.y * candidate.beta
        feasible = self._feasible(alpha)
        expansion = self.gram.product(self.y * feasible)
        norm = self.squared_norm(candidate)
        parts = slacks / m - feasible * (rho - margins)
        worst = int(np.argmax(np.abs(parts)))
        return certify_values(
            primal=0.5 * norm - nu * rho + float(slacks.mean()),
            dual=-0.5 * float((self.y * feasible) @ expansion),
            error_bound=self.gram.error_bound(feasible),
            zero_tolerance=_NEGLIGIBLE * 0.5 * nu**2 * self.data.radius**2,
            dual_residual=float(np.abs(alpha - feasible).max()) * m,
            largest=float(parts[worst]),
            worst=f"sample {worst} adds {parts[worst]:.1e} to the gap",
        )

    def _feasible(self, alpha: Vector) -> Vector:
        """Return a dual feasible point near alpha: each class adds up to half of at least nu."""
        m, half = len(self), 0.5 * float(self.nu.value)
        inside = np.clip(alpha, 0.0, 1.0 / m)
        half = min(max(half, 0.5 * float(inside.sum())), 0.5 * largest_nu(self.y))
        feasible = np.empty(m)
        for sign in (1.0, -1.0):
            own = self.y == sign
            bounds = np.zeros(int(own.sum())), np.full(int(own.sum()), 1.0 / m)
            feasible[own] = nearest_feasible(inside[own], *bounds, total=half)
        return feasible

    _estimator = "NuSVC"

    def translate(self, fitted: Coefficients) -> tuple[Vector, float]:
        """Return (beta, b): LIBSVM divides both by rho, so that the multipliers no longer add up to nu."""
        beta, b = super().translate(fitted)
        scale = float(self.nu.value) / (float(np.abs(beta).sum()) or 1.0)
        return scale * beta, scale * b

    def support(self, candidate: Candidate, decision: Vector) -> Support:
        """Return the samples on the margin (free) and inside it (bounded)."""
        bound = 1.0 / len(self)
        rho = self.rho(self.y * decision)
        same = KernelQP(
            self.gram,
            target=self.y * (rho or 1.0),
            lower=np.where(self.y > 0, 0.0, -bound),
            upper=np.where(self.y > 0, bound, 0.0),
        )
        return split_support(same, candidate.beta, decision)

    def interval(self, candidate: Candidate, decision: Vector, support: Support) -> tuple[float, float]:
        """Return the ends of the b that are optimal with this f, where rho may move along with b.

        The margins of the two classes bound p = rho - b and q = rho + b apart from each other.
        """
        b = candidate.intercept
        if not self.rho(self.y * decision):
            return b, b
        lowest, highest = {}, {}
        for sign in (1.0, -1.0):
            values, own = sign * (decision - b), np.flatnonzero(self.y == sign)
            without = np.setdiff1d(own, support.indices)
            bounded, free = np.intersect1d(own, support.bounded), np.intersect1d(own, support.free)
            if free.size:
                lowest[sign] = highest[sign] = float(values[free].mean())
            else:
                lowest[sign] = float(values[bounded].max(initial=-np.inf))
                highest[sign] = float(values[without].min(initial=np.inf))
        return (
            min(0.5 * (lowest[-1.0] - highest[1.0]), b),
            max(0.5 * (highest[-1.0] - lowest[1.0]), b),
        )

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return a_i (y_i g(x_i) - rho + xi_i) and (1/m - a_i) xi_i."""
        margins, alpha = self.y * decision, self.y * candidate.beta
        rho = self.rho(margins)
        return {
            "a (y g(x) - rho + xi)": alpha * np.maximum(margins - rho, 0.0),
            "(1/m - a) xi": (1.0 / len(self) - alpha) * np.maximum(rho - margins, 0.0),
        }

    def interpret(self, candidate: Candidate, certificate: Certificate, **facts: Any) -> Classification:
        """Read the answer, whose margin lies at rho."""
        solution = super().interpret(candidate, certificate, **facts)
        return replace(solution, margin_level=self.rho(solution.margins))


class NuMarginPrimal(_NuMargin, MarginPrimal):
    """min 1/2 ||f||^2 - nu rho + 1/m sum xi_i  s.t.  y_i (f(x_i) + b) >= rho - xi_i,  xi_i >= 0,  rho >= 0.

    Variables: w (explicit features) or u (kernel), b, rho, xi. Multipliers: a of ``margin``, 1/m - a of ``slack``,
    1'a - nu of ``level``.

    Parameters
    ----------
    X, y, kernel, nu
        As in the other form: nu above 0 and at most 2 min(m+, m-) / m.
    """

    catalogue = "C8-primal"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.level = cp.Variable(name="rho")
        self.xi = cp.Variable(len(self), name="xi")

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = cp.multiply(self.y, self.g) >= self.level - self.xi
        return cp.Problem(
            cp.Minimize(self.f.half_squared_norm - self.nu * self.level + cp.sum(self.xi) / len(self)),
            self._labelled(margin=margin, slack=self.xi >= 0, level=self.level >= 0),
        )

    def state_partner(self) -> NuMarginDual:
        """Return the dual."""
        return self._as(NuMarginDual)


class NuMarginDual(_NuMargin, MarginDual):
    """min 1/2 a'YKYa  s.t.  y'a = 0,  0 <= a_i <= 1/m,  1'a >= nu.

    Variable: alpha. Multipliers: b of ``balance``, rho of ``share``, xi of ``upper``.

    Parameters
    ----------
    X, y, kernel, nu
        As in the other form: nu above 0 and at most 2 min(m+, m-) / m.
    """

    catalogue = "C8-dual"

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(
            cp.Minimize(half_squared_norm(self.gram, self.alpha, self.y)),
            self._labelled(
                balance=self.balance(self.y @ self.alpha),
                lower=self.alpha >= 0,
                upper=self.alpha <= 1.0 / len(self),
                share=cp.sum(self.alpha) >= self.nu,
            ),
        )

    def state_partner(self) -> NuMarginPrimal:
        """Return the primal."""
        return self._as(NuMarginPrimal)
