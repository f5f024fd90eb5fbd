# SPDX-License-Identifier: BSD-3-Clause
r"""The linear-programming machine: few coefficients instead of a small norm, for any symmetric kernel.

Primal and dual, with their Karush-Kuhn-Tucker conditions::

    min  sum_j a_j + sum C_i xi_i                      s.t.  y_i (sum_j a_j y_j K_ij + b) >= 1 - xi_i,  a, xi >= 0
    max  sum l_i                                     s.t.  y_j sum_i l_i y_i K_ij <= 1,  y'l = 0,  0 <= l_i <= C_i

    l_i (y_i g(x_i) - 1 + xi_i) = 0,   (C_i - l_i) xi_i = 0,   a_j (1 - y_j sum_i l_i y_i K_ij) = 0

The optimal values are equal. The l_i are the multipliers of the margin constraints; a and b are those of the dual's
constraints. K need not be positive semidefinite: both problems are linear. Some texts leave the y_j out of the sum. The
discriminant that they use afterwards, f = sum_j a_j y_j k(x_j, .), contains it, and so does this model. Source:
Mangasarian (2000).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import formulations.modelling.cvx as cp
from formulations.modelling import (
    Candidate,
    Classification,
    Conditions,
    ConeAnswer,
    Form,
    Multipliers,
    Stated,
    absence,
    intercept,
    labelled,
    per_sample,
)
from formulations.modelling.candidate import expand
from formulations.modelling.solution import Run
from formulations.models.classification.two_class_model import TwoClassCostModel
from qpkernels.arrays import Matrix, Vector
from qpkernels.display import TextbookProblem
from qpkernels.problems import Bounds, Certificate, Enclosure
from qpkernels.problems.linear_program import LinearProgramBounds

__all__ = ["LinearProgramDual", "LinearProgramMachine", "LinearProgramPrimal"]


class _LinearProgramForm(Form):
    model: LinearProgramMachine

    def prepare(self) -> None:
        """Compute K."""
        self.model.gram.dense  # noqa: B018  formed when first asked for


class LinearProgramPrimal(_LinearProgramForm):
    """The primal. Variables: alpha, b, xi.

    Multipliers: l of ``margin``, C - l of ``slack``, 1 - y K y l of ``nonnegative``.
    """

    textbook = TextbookProblem(
        "min  sum_j a_j + sum C_i xi_i  s.t.  y_i (sum_j a_j y_j K_ij + b) >= 1 - xi_i,  a, xi >= 0"
    )
    b = intercept()
    alpha = per_sample("alpha")
    xi = per_sample("xi")

    def declare(self) -> cp.Problem:
        """State the problem."""
        model, alpha, xi = self.model, self.alpha, self.xi
        margin = model.signed @ alpha + model.y * self.b >= 1 - xi
        return cp.Problem(
            cp.Minimize(cp.sum(alpha) + model.C @ xi),
            labelled(margin=margin, nonnegative=alpha >= 0, slack=xi >= 0, absent=absence(self.model, alpha)),
        )

    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read a and b from the variables, l from the margins."""
        del answer, bounds
        return self.model.with_multipliers(self.alpha.value, float(self.b.value), self.dual_of("margin"))

    def write(self, answer: Candidate) -> Multipliers:
        """Write a, b and the slacks, and return l, and what it leaves of C and of the dual's constraints."""
        model, multipliers = self.model, self.model.multipliers_of(answer)
        self.alpha.value, self.xi.value = model.y * answer.beta, model.slacks(answer)
        if model.fit_intercept:
            self.b.value = answer.intercept
        beyond = 1.0 - model.signed @ multipliers
        return {"margin": multipliers, "nonnegative": beyond, "slack": model.C.value - multipliers}


class LinearProgramDual(_LinearProgramForm):
    """The dual. Variable: l. Multipliers: a of ``few``, b of ``balance``, xi of ``upper``."""

    is_dual = True
    textbook = TextbookProblem("max  sum l_i  s.t.  y_j sum_i l_i y_i K_ij <= 1,  y'l = 0,  0 <= l_i <= C_i")
    l = per_sample("l")  # noqa: E741  its letter in the textbook

    def declare(self) -> cp.Problem:
        """State the problem."""
        model = self.model
        balance = model.y @ self.l == 0 if model.fit_intercept else None
        return cp.Problem(
            cp.Maximize(cp.sum(self.l)),
            labelled(
                few=model.of_present(model.signed) @ self.l <= 1,
                balance=balance,
                lower=self.l >= 0,
                upper=self.l <= model.C,
            ),
        )

    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read a and b from the multipliers, l from the variable."""
        del answer, bounds
        few, b = np.zeros(len(self.model)), self.multiplier_of_balance()
        few[self.model.of_present(np.arange(few.size))] = self.dual_of("few")
        return self.model.with_multipliers(few, b, np.asarray(self.l.value))

    def write(self, answer: Candidate) -> Multipliers:
        """Write l, and return a, b and how far each margin is beyond 1, or short of it."""
        model, beyond = self.model, self.model.margins(answer) - 1.0
        self.l.value = model.multipliers_of(answer)
        balance = {"balance": answer.intercept} if model.fit_intercept else {}
        bounds = {"lower": np.maximum(beyond, 0.0), "upper": np.maximum(-beyond, 0.0)}
        return {"few": model.of_present(model.y * answer.beta), **balance, **bounds}


class LinearProgramMachine(TwoClassCostModel):
    """The machine with the least sum of coefficients; its kernel may be indefinite.

    Parameters
    ----------
    X, y, kernel, C, fit_intercept
        As in :class:`~formulations.models.classification.two_class_model.TwoClassCostModel`.

    Examples
    --------
    >>> from formulations import LinearProgramMachine
    >>> from qpkernels import RBF
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [-1, -1, -1, 1, 1, 1]
    >>> solution = LinearProgramMachine(X, y, RBF(gamma=0.5), C=1.0).solve(tol=1e-6)
    >>> print(solution.status, solution.n_support, f"{solution.objective:.3f}", solution.predict([[0.5], [4.5]]))
    optimal 2 3.745 [-1  1]
    """

    # a simplex method: where C is large, interior points leave slopes that no bound takes over
    entry = replace(TwoClassCostModel.entry, cone_solver="highs", needs_psd=False, most_points=1000)
    primal, dual = Stated(LinearProgramPrimal), Stated(LinearProgramDual)

    @property
    def signed(self) -> Matrix:
        """The matrix y_i K_ij y_j."""
        return np.asarray(self.y[:, None] * self.gram.dense * self.y)

    def with_multipliers(self, alpha: Vector, intercept: float, multipliers: Vector) -> Candidate:
        """Return the answer whose function has the coefficients y * alpha, with the dual point ``multipliers``.

        Parameters
        ----------
        alpha
            a of the primal, shape (m,).
        intercept
            b.
        multipliers
            l of the dual, shape (m,).
        """
        return replace(expand(self.gram, self.y * alpha, intercept, self.classes), multipliers=multipliers)

    def multipliers_of(self, answer: Candidate) -> Vector:
        """Return l of an answer, computed if the answer came without it."""
        return self._with_those_of(answer, self.bounds()).completed(answer.beta, answer.decision)

    def _certified(self, answer: Candidate, bounds: Bounds) -> Candidate:
        """Return the feasible points of both programs."""
        own = self._with_those_of(answer, bounds)
        multipliers = own.feasible_multipliers(own.completed(answer.beta, answer.decision))
        return self.with_multipliers(self.y * own.feasible(answer.beta), answer.intercept, multipliers)

    def bounds(self) -> LinearProgramBounds:
        """State both programs."""
        return LinearProgramBounds(self.gram, self.y, np.asarray(self.value_of("C")), self.total)

    def judge(self, answer: Candidate, bounds: Bounds) -> Certificate:
        """Bound the error of an answer, using its multipliers."""
        return super().judge(answer, self._with_those_of(answer, bounds))

    def _enclose_by(self, answer: Candidate, bounds: Bounds) -> Enclosure:
        """Enclose the optimum, with the multipliers that the answer brings."""
        return super()._enclose_by(answer, self._with_those_of(answer, bounds))

    def solution(self, answer: Candidate, certificate: Certificate, bounds: Bounds, run: Run) -> Classification:
        """Return the answer in the terms of the model."""
        return super().solution(answer, certificate, self._with_those_of(answer, bounds), run)

    def conditions(self, answer: Candidate) -> Conditions:
        """Return l_i (y_i (f(x_i) + b) - 1 + xi_i), (C_i - l_i) xi_i and a_j (1 - y_j sum_i l_i y_i K_ij)."""
        margins, multipliers = self.margins(answer), self.multipliers_of(answer)
        return {
            "l (y (f(x) + b) - 1 + xi)": multipliers * np.maximum(margins - 1.0, 0.0),
            "(C - l) xi": (self.value_of("C") - multipliers) * np.maximum(1.0 - margins, 0.0),
            "a (1 - y K y l)": self.y * answer.beta * (1.0 - self.bounds().signed_product(multipliers)),
        }

    @staticmethod
    def _with_those_of(answer: Candidate, bounds: Bounds) -> LinearProgramBounds:
        assert isinstance(bounds, LinearProgramBounds)
        return replace(bounds, multipliers=answer.multipliers)
