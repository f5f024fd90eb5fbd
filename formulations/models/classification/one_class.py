# SPDX-License-Identifier: BSD-3-Clause
r"""One class: in the kernel's space, the half space farthest from the origin with all but a share nu of the samples.

Primal and dual, with their Karush-Kuhn-Tucker conditions::

    min  1/2 ||f||^2 - rho + sum c_i xi_i            s.t.  f(x_i) >= rho - xi_i,  xi_i >= 0
    min  1/2 a'Ka                                    s.t.  1'a = 1,  0 <= a_i <= c_i

    f = sum_j a_j k(x_j, .),   a_i (f(x_i) - rho + xi_i) = 0,   (c_i - a_i) xi_i = 0

Here c_i = w_i / (nu 1'w), which is 1/(nu m) without weights: a weight of 2 makes a sample count twice. The value of the
minimised dual is minus that of the primal, and -rho is the multiplier of 1'a = 1 (b = -rho). At most nu m samples are
outliers, f(x) < rho, and at least nu m are support vectors. The decision value is f(x) - rho. LIBSVM's decision value
is nu m times as large. Source: Schoelkopf et al. (2001).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import (
    Candidate,
    Conditions,
    ConeAnswer,
    Dual,
    Model,
    Multipliers,
    Novelty,
    Primal,
    Stated,
    labelled,
    per_sample,
)
from formulations.modelling.inputs.estimators import Coefficients
from formulations.modelling.inputs.hyperparameters import NU, WEIGHTS, derived
from formulations.modelling.inputs.samples import KernelLike, SamplesLike, bind
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.problems import Bounds, KernelQP

__all__ = ["OneClass", "OneClassDual", "OneClassPrimal"]


class OneClassPrimal(Primal):
    """The primal. Variables: w or u, b = -rho, xi. Multipliers: a of ``margin``, c - a of ``slack``."""

    textbook = TextbookProblem(
        "min  1/2 ||f||^2 - rho + sum c_i xi_i  s.t.  f(x_i) >= rho - xi_i,  xi_i >= 0", ("c_i = w_i / (nu 1'w)",)
    )
    model: OneClass
    xi = per_sample("xi")

    @property
    def rho(self) -> cp.Expression:
        """The level of f on the boundary, -b."""
        return -self.b

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = self.f.values >= self.rho - self.xi
        cost = self.model.cost @ self.xi
        return cp.Problem(
            cp.Minimize(self.f.half_squared_norm - self.rho + cost), labelled(margin=margin, slack=self.xi >= 0)
        )

    def read_beta(self, answer: ConeAnswer, bounds: Bounds) -> Vector:
        """Return a."""
        del answer, bounds
        return self.dual_of("margin")

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b and the slacks, and return both multipliers."""
        self.xi.value = self.model.slacks(answer)
        return {**super().write(answer), "margin": answer.beta, "slack": self.model.costs - answer.beta}


class OneClassDual(Dual):
    """The dual. Variable: alpha. Multipliers: b = -rho of ``balance``, xi of ``upper``."""

    textbook = TextbookProblem("min  1/2 a'Ka  s.t.  1'a = 1,  0 <= a_i <= c_i", ("c_i = w_i / (nu 1'w)",))
    model: OneClass
    alpha = per_sample("alpha")

    @property
    def beta(self) -> cp.Expression:
        """The coefficients a."""
        return self.alpha

    def declare(self) -> cp.Problem:
        """State the problem."""
        alpha = self.alpha
        return cp.Problem(
            cp.Minimize(self.half_squared_norm(alpha)),
            labelled(balance=cp.sum(alpha) == 1, lower=alpha >= 0, upper=alpha <= self.model.cost),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write a, and return b of the balance and the multipliers of both bounds."""
        self.alpha.value = answer.beta
        lower, upper = np.maximum(answer.decision, 0.0), self.model.slacks(answer)
        return {**super().write(answer), "lower": lower, "upper": upper}


class OneClass(Model[Novelty]):
    """The one-class machine.

    Parameters
    ----------
    X
        Samples, as the kernel takes them, or a :class:`~qpkernels.gram.Gram`.
    kernel
        None: explicit features, and the primal has weights w; for sparse samples, Linear().
    nu
        Above 0 and at most 1: an upper bound on the share of outliers, and a lower bound on that of support vectors.
    sample_weight
        Above 0, one number, or one for each sample and 0 for an absent one: how often it counts.

    Examples
    --------
    >>> from formulations import OneClass
    >>> from qpkernels import RBF
    >>> X = [[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [0.1, 0.1], [3.0, 3.0]]
    >>> solution = OneClass(X, RBF(gamma=1.0), nu=0.2).solve(tol=1e-6)
    >>> print(solution.status, f"rho = {-solution.intercept:.3f}", solution.predict([[0.05, 0.05], [2.0, 2.0]]))
    optimal rho = 0.498 [ 1 -1]
    """

    entry = replace(
        Model.entry,
        parameters=(NU, WEIGHTS),
        coefficient="beta = a",
        estimator="OneClassSVM",
        most_points=5000,
    )
    nu: cp.Parameter
    sample_weight: cp.Parameter
    primal, dual = Stated(OneClassPrimal), Stated(OneClassDual)

    def __init__(
        self, X: SamplesLike, kernel: KernelLike | None = None, *, nu: float = 0.5, sample_weight: ArrayLike = 1.0
    ) -> None:
        data = bind(X, kernel)
        data.gram.require_psd()
        super().__init__(data, nu=nu, sample_weight=sample_weight)

    @cached_property
    def cost(self) -> cp.Parameter:
        """The costs, which follow nu and the weights."""
        return derived(lambda: self.costs, len(self))

    @property
    def costs(self) -> Vector:
        """The costs c, the largest values of the multipliers."""
        weights = self.value_of("sample_weight")
        return np.asarray(weights / (float(self.value_of("nu")) * weights.sum()))

    def qp(self) -> KernelQP:
        """State the dual in beta = a, whose sum is 1."""
        return KernelQP(self.gram, 0.0, 0.0, self.costs, total=1.0, name="one class")

    def slacks(self, answer: Candidate) -> Vector:
        """Return xi_i = max(0, rho - f(x_i))."""
        return np.maximum(0.0, -answer.decision)

    def conditions(self, answer: Candidate) -> Conditions:
        """Return a_i (f(x_i) - rho + xi_i) and (c_i - a_i) xi_i."""
        return {
            "a (f(x) - rho + xi)": answer.beta * np.maximum(answer.decision, 0.0),
            "(c - a) xi": (self.costs - answer.beta) * self.slacks(answer),
        }

    def translate(self, fitted: Coefficients) -> tuple[Vector, float]:
        """Return (beta, b): LIBSVM's coefficients add up to nu 1'w."""
        scale = 1.0 / (float(self.value_of("nu")) * float(self.value_of("sample_weight").sum()))
        return scale * fitted.dual, scale * fitted.intercept

    def _interpret(self, answer: Candidate, **fields: Any) -> Novelty:
        """Make the solution, with its rho and outliers."""
        del answer
        return Novelty(**fields)
