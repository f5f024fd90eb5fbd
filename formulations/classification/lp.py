# SPDX-License-Identifier: BSD-3-Clause
r"""The linear-programming machine (C3): few coefficients instead of a small norm, for any symmetric kernel.

Primal and dual, with their Karush-Kuhn-Tucker conditions::

    min  sum a_j + sum C_i xi_i                      s.t.  y_i (sum_j a_j y_j K_ij + b) >= 1 - xi_i,  a, xi >= 0
    max  sum l_i                                     s.t.  y_j sum_i l_i y_i K_ij <= 1,  y'l = 0,  0 <= l_i <= C_i

    l_i (y_i g(x_i) - 1 + xi_i) = 0,   (C_i - l_i) xi_i = 0,   a_j (1 - y_j sum_i l_i y_i K_ij) = 0

The optimal values are equal; l are the multipliers of the margins, a and b those of the dual's constraints. K need not
be positive semidefinite: both problems are linear. Some texts leave the y_j out of the sum; the discriminant that they
go on to use, f = sum_j a_j y_j k(x_j, .), has it, and so has this model. Source: C3 of the catalogue; Mangasarian
(2000).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import lsq_linear

from formulations.binary import BinaryClassifier
from formulations.hyperparameters import COSTS
from formulations.lowering import Lowered
from formulations.solution import Candidate
from formulations.two_classes import TwoClasses
from qpkernels.arrays import Matrix, Vector
from qpkernels.certificates import Certificate, Support, certify_values, intercept_interval, split_support
from qpkernels.certificates.certificate import relative, undefined
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP, nearest_feasible

__all__ = ["LinearProgramDual", "LinearProgramPrimal"]

_ZERO = 1e-6
"""Share of the largest coefficient below which one counts as 0; there is no bound to measure it by."""


class _LinearProgram(BinaryClassifier):
    """What both forms share: the costs C, and the bounds that certify an answer.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.binary.BinaryClassifier`; the kernel may be indefinite.
    C
        Above 0: the cost of a slack, one number or one for each sample.
    """

    hyperparameters = (COSTS,)
    C: cp.Parameter

    def __init__(
        self,
        X: ArrayLike | Gram,
        y: ArrayLike,
        kernel: Kernel | None = None,
        *,
        C: ArrayLike = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        self._state(TwoClasses.of(X, y, kernel, psd=False), fit_intercept, C=C)

    @property
    def signed(self) -> Matrix:
        """The matrix y_i K_ij y_j."""
        return np.asarray(self.y[:, None] * self.gram.dense * self.y)

    def prepare(self) -> None:
        """Compute K."""
        self.gram.dense  # noqa: B018  formed when first asked for

    def multipliers(self, candidate: Candidate) -> Vector:
        """Return l; where an answer came without, C inside the margin, 0 beyond it, and on it what meets the equations.

        These are y'l = 0, and y_j sum_i l_i y_i K_ij = 1 where a_j > 0.
        """
        if candidate.multipliers is not None:
            return candidate.multipliers
        margins, costs = self.margins(candidate), np.asarray(self.C.value)
        found = np.where(margins < 1, costs, 0.0)
        on = np.abs(margins - 1) <= _ZERO
        rows = self.signed[self.support(candidate, margins).free]
        sides = np.ones(len(rows))
        if self.fit_intercept:
            rows, sides = np.vstack([rows, self.y]), np.append(sides, 0.0)
        if on.any() and sides.size:
            left = sides - rows[:, ~on] @ found[~on]
            found[on] = lsq_linear(rows[:, on], left, (0.0, costs[on]), method="bvls").x
        return found

    def certify_candidate(self, candidate: Candidate) -> Certificate:
        """Bound the error of (a, b) by the values of both programs, after the slacks are completed and l is shrunk."""
        if not candidate.is_finite:
            return undefined("the answer holds NaN or infinity")
        alpha, given = self.y * candidate.beta, self.multipliers(candidate)
        a = np.maximum(alpha, 0.0)
        margins = self.signed @ a + self.y * candidate.intercept
        slacks = np.maximum(1.0 - margins, 0.0)
        costs = np.asarray(self.C.value)
        signs = np.where(self.y > 0, costs, 0.0), np.where(self.y > 0, 0.0, -costs)
        multipliers = self.y * nearest_feasible(self.y * given, signs[1], signs[0], self._total)
        multipliers = multipliers / max(1.0, float((self.signed @ multipliers).max()))
        primal = float(a.sum() + costs @ slacks)
        # Where the best f is 0 there is rounding in a and nothing else; a coefficient costs what it is.
        size = max(float(np.abs(alpha).max()), primal / len(self))
        return certify_values(
            primal=primal,
            dual=float(multipliers.sum()),
            primal_residual=relative(float(np.abs(alpha - a).max()), size),
            dual_residual=0.0 if candidate.multipliers is None else float((np.abs(given - multipliers) / costs).max()),
            worst=f"sample {int(np.argmax(slacks))} has the largest slack, {slacks.max():.3g}",
        )

    def support(self, candidate: Candidate, decision: Vector) -> Support:
        """Return the samples with a coefficient; there is no bound."""
        del decision
        size = np.abs(candidate.beta)
        return Support(free=np.flatnonzero(size > _ZERO * size.max(initial=0.0)), bounded=np.arange(0))

    def interval(self, candidate: Candidate, decision: Vector, support: Support) -> tuple[float, float]:
        """Return the ends of the b that keep the sum of the slacks: those of a soft margin whose multipliers are l."""
        del support
        if not self.fit_intercept:
            return 0.0, 0.0
        costs = np.asarray(self.C.value)
        lower, upper = np.where(self.y > 0, 0.0, -costs), np.where(self.y > 0, costs, 0.0)
        hinge = KernelQP(self.gram, self.y, lower, upper)
        signed = self.y * self.multipliers(candidate)
        carrying = split_support(hinge, signed, decision)
        return intercept_interval(hinge, signed, decision - candidate.intercept, candidate.intercept, carrying)

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return l_i (y_i g(x_i) - 1 + xi_i), (C_i - l_i) xi_i and a_j (1 - y_j sum_i l_i y_i K_ij)."""
        margins, multipliers = self.y * decision, self.multipliers(candidate)
        return {
            "l (y g(x) - 1 + xi)": multipliers * np.maximum(margins - 1.0, 0.0),
            "(C - l) xi": (self.C.value - multipliers) * np.maximum(1.0 - margins, 0.0),
            "a (1 - y K y l)": self.y * candidate.beta * (1.0 - self.signed @ multipliers),
        }

    def _with_multipliers(self, beta: Vector, intercept: float, multipliers: Vector) -> Candidate:
        return Candidate(beta, intercept, self._expand(beta, intercept), multipliers=multipliers)


class LinearProgramPrimal(_LinearProgram):
    """min sum a_j + sum C_i xi_i  s.t.  y_i (sum_j a_j y_j K_ij + b) >= 1 - xi_i,  a, xi >= 0.

    Variables: alpha, b, xi. Multipliers: l of ``margin``, C - l of ``slack``, 1 - y K y l of ``nonnegative``.

    Parameters
    ----------
    X, y, kernel, C, fit_intercept
        As in the other form: C above 0, one number or one for each sample.
    """

    catalogue = "C3-primal"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.alpha = cp.Variable(len(self), name="alpha")
        self.b = cp.Variable(name="b") if self.fit_intercept else cp.Constant(0.0)
        self.xi = cp.Variable(len(self), name="xi")

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = self.signed @ self.alpha + self.y * self.b >= 1 - self.xi
        return cp.Problem(
            cp.Minimize(cp.sum(self.alpha) + self.C @ self.xi),
            self._labelled(margin=margin, nonnegative=self.alpha >= 0, slack=self.xi >= 0),
        )

    def recover(self, lowered: Lowered, z: Vector) -> Candidate:
        """Read a and b from the variables, l from the margins."""
        del lowered, z
        multipliers = np.asarray(self.constraint("margin").dual_value)
        return self._with_multipliers(self.y * self.alpha.value, float(self.b.value), multipliers)

    def state_partner(self) -> LinearProgramDual:
        """Return the dual."""
        return self._as(LinearProgramDual)


class LinearProgramDual(_LinearProgram):
    """max sum l_i  s.t.  y_j sum_i l_i y_i K_ij <= 1,  y'l = 0,  0 <= l_i <= C_i.

    Variable: l. Multipliers: a of ``few``, b of ``balance``, xi of ``upper``.

    Parameters
    ----------
    X, y, kernel, C, fit_intercept
        As in the other form: C above 0, one number or one for each sample.
    """

    catalogue = "C3-dual"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.l = cp.Variable(len(self), name="l")

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(
            cp.Maximize(cp.sum(self.l)),
            self._labelled(
                few=self.signed @ self.l <= 1,
                balance=self.y @ self.l == 0 if self.fit_intercept else None,
                lower=self.l >= 0,
                upper=self.l <= self.C,
            ),
        )

    def recover(self, lowered: Lowered, z: Vector) -> Candidate:
        """Read a and b from the multipliers, l from the variable."""
        del lowered, z
        b: Any = self.constraint("balance").dual_value if self.fit_intercept else 0.0
        alpha = np.asarray(self.constraint("few").dual_value)
        return self._with_multipliers(self.y * alpha, float(b), np.asarray(self.l.value))

    def objective_of(self, certificate: Certificate) -> float:
        """Return the dual value."""
        return certificate.dual_value

    def state_partner(self) -> LinearProgramPrimal:
        """Return the primal."""
        return self._as(LinearProgramPrimal)
