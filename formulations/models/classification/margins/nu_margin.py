# SPDX-License-Identifier: BSD-3-Clause
r"""The nu-machine: a soft margin whose width is found along with f, given the share of samples inside.

Primal and dual, with their Karush-Kuhn-Tucker conditions::

    min  1/2 ||f||^2 - nu rho + sum c_i xi_i         s.t.  y_i (f(x_i) + b) >= rho - xi_i,  xi_i >= 0,  rho >= 0
    min  1/2 a'YKYa                                  s.t.  y'a = 0,  0 <= a_i <= c_i,  1'a >= nu

    f = sum_j a_j y_j k(x_j, .),   a_i (y_i (f(x_i) + b) - rho + xi_i) = 0,   (c_i - a_i) xi_i = 0,
    rho (1'a - nu) = 0

Here c_i = w_i / 1'w, which is 1/m without weights: a weight of 2 makes a sample count twice. The value of the minimised
dual is minus that of the primal; b is the multiplier of y'a = 0, and rho that of 1'a >= nu. At most nu m samples lie
inside the margin, and at least nu m are support vectors. nu can be at most 2 min(m+, m-) / m. With rho > 0 the answer
divided by rho is that of the soft margin with C_i = c_i / rho. Source: Schoelkopf et al. (2000).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import (
    Candidate,
    Classification,
    Conditions,
    Multipliers,
    Stated,
    labelled,
    per_sample,
    scalar,
)
from formulations.modelling.inputs.estimators import Coefficients
from formulations.modelling.inputs.hyperparameters import NU, WEIGHTS, derived
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.classification.two_class_model import MarginDual, MarginPrimal, TwoClassModel, signed_box
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.errors import ParameterError
from qpkernels.problems import SampleTerms
from qpkernels.problems.level_qp.bounds import MarginLevelBounds, best_level

__all__ = ["NuMargin", "NuMarginDual", "NuMarginPrimal", "largest_nu"]


def largest_nu(y: Vector, costs: Vector) -> float:
    """Return the largest feasible nu for labels +-1 and costs that add up to 1: 2 min(m+, m-) / m of equal ones."""
    return 2.0 * min(float(costs[y > 0].sum()), float(costs[y < 0].sum()))


class NuMarginPrimal(MarginPrimal):
    """The primal. Variables: w or u, b, rho, xi.

    Multipliers: a of ``margin``, c - a of ``slack``, 1'a - nu of ``level``.
    """

    textbook = TextbookProblem(
        "min  1/2 ||f||^2 - nu rho + sum c_i xi_i  s.t.  y_i (f(x_i) + b) >= rho - xi_i,  xi_i >= 0,  rho >= 0",
        ("c_i = w_i / 1'w",),
    )
    model: NuMargin
    rho = scalar("rho")
    xi = per_sample("xi")

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = cp.multiply(self.model.y, self.g) >= self.rho - self.xi
        return cp.Problem(
            cp.Minimize(self.f.half_squared_norm - self.model.nu * self.rho + self.model.cost @ self.xi),
            labelled(margin=margin, slack=self.xi >= 0, level=self.rho >= 0),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b, rho and the slacks, and return a, and what it leaves of c and above nu."""
        model, alpha = self.model, self.model.y * answer.beta
        self.rho.value = model.rho(answer)
        self.xi.value = np.maximum(self.rho.value - model.margins(answer), 0.0)
        spare = float(alpha.sum()) - float(model.nu.value)
        return {**super().write(answer), "slack": model.costs - alpha, "level": spare}


class NuMarginDual(MarginDual):
    """The dual. Variable: alpha. Multipliers: b of ``balance``, rho of ``share``, xi of ``upper``."""

    textbook = TextbookProblem("min  1/2 a'YKYa  s.t.  y'a = 0,  0 <= a_i <= c_i,  1'a >= nu", ("c_i = w_i / 1'w",))
    model: NuMargin

    def declare(self) -> cp.Problem:
        """State the problem."""
        y, alpha = self.model.y, self.alpha
        return cp.Problem(
            cp.Minimize(self.half_squared_norm(alpha, y)),
            labelled(
                balance=self.balance(y @ alpha),
                lower=alpha >= 0,
                upper=alpha <= self.model.cost,
                share=cp.sum(alpha) >= self.model.nu,
            ),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write alpha, and return b, rho and how far each margin is beyond rho, or short of it."""
        rho = self.model.rho(answer)
        beyond = self.model.margins(answer) - rho
        bounds = {"lower": np.maximum(beyond, 0.0), "upper": np.maximum(-beyond, 0.0)}
        return {**super().write(answer), **bounds, "share": rho}


class NuMargin(TwoClassModel):
    """The margin with nu.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.models.classification.two_class_model.TwoClassModel`.
    nu
        Above 0 and at most 2 min(m+, m-) / m: a bound on the share of samples inside the margin.
    sample_weight
        Above 0, one number, or one for each sample and 0 for an absent one: how often it counts.

    Examples
    --------
    >>> from formulations import NuMargin
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> solution = NuMargin(X, y, nu=0.75).solve(tol=1e-6)
    >>> print(solution.status, f"rho = {solution.margin_level:.3f}", solution.n_support)
    optimal rho = 0.188 4
    """

    entry = replace(TwoClassModel.entry, parameters=(NU, WEIGHTS), estimator="NuSVC", most_points=500)
    nu: cp.Parameter
    sample_weight: cp.Parameter
    primal, dual = Stated(NuMarginPrimal), Stated(NuMarginDual)

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        nu: float = 0.5,
        sample_weight: ArrayLike = 1.0,
    ) -> None:
        super().__init__(X, y, kernel, nu=nu, sample_weight=sample_weight)

    @cached_property
    def cost(self) -> cp.Parameter:
        """The costs, which follow the weights."""
        return derived(lambda: self.costs, len(self))

    @property
    def costs(self) -> Vector:
        """The costs c, which add up to 1."""
        weights = self.value_of("sample_weight")
        return np.asarray(weights / weights.sum())

    def _check_parameters(self) -> None:
        """Refuse a nu that is infeasible for the balance of the classes."""
        super()._check_parameters()
        limit, nu = largest_nu(self.y, self.costs), float(self.value_of("nu"))
        if nu > limit * (1 + 1e-12):
            weighted = " with these weights" if np.ptp(self.value_of("sample_weight")) else ""
            raise ParameterError(
                f"nu = {nu:g} is infeasible for these classes, of {int((self.y > 0).sum())} and "
                f"{int((self.y < 0).sum())} samples{weighted}: the largest feasible nu is {limit:g}."
            )

    @classmethod
    def _terms(cls, y: Vector, values: Mapping[str, Vector]) -> SampleTerms:
        """Return a target of 0, and bounds of beta = y * a before they are divided by the sum of the weights."""
        return SampleTerms(np.zeros(y.size), *signed_box(y, values["sample_weight"]))

    @classmethod
    def _share(cls, values: Mapping[str, Vector]) -> float:
        return float(np.max(values["nu"]))

    def bounds(self) -> MarginLevelBounds:
        """State the margin whose level is free."""
        return MarginLevelBounds(self.gram, self.y, float(self.value_of("nu")), self.costs, self.total)

    def rho(self, answer: Candidate) -> float:
        """Return the best level for these y_i g(x_i), below which lie as many as nu allows."""
        return max(0.0, -best_level(-self.margins(answer), float(self.value_of("nu")), self.costs))

    def translate(self, fitted: Coefficients) -> tuple[Vector, float]:
        """Return (beta, b): LIBSVM divides both by rho, so that the multipliers no longer add up to nu."""
        beta, b = super().translate(fitted)
        scale = float(self.value_of("nu")) / (float(np.abs(beta).sum()) or 1.0)
        return scale * beta, scale * b

    def conditions(self, answer: Candidate) -> Conditions:
        """Return a_i (y_i (f(x_i) + b) - rho + xi_i) and (c_i - a_i) xi_i."""
        beyond, alpha = self.margins(answer) - self.rho(answer), self.y * answer.beta
        return {
            "a (y (f(x) + b) - rho + xi)": alpha * np.maximum(beyond, 0.0),
            "(c - a) xi": (self.costs - alpha) * np.maximum(-beyond, 0.0),
        }

    def _interpret(self, answer: Candidate, **fields: Any) -> Classification:
        """Make the solution, whose margin lies at rho."""
        return super()._interpret(answer, margin_level=self.rho(answer), **fields)
