# SPDX-License-Identifier: BSD-3-Clause
r"""One class (C9): the half space of the kernel farthest from the origin that holds all but a share nu of the samples.

Primal and dual, with their Karush-Kuhn-Tucker conditions::

    min  1/2 ||f||^2 - rho + 1/(nu m) sum xi_i       s.t.  f(x_i) >= rho - xi_i,  xi_i >= 0
    min  1/2 a'Ka                                    s.t.  1'a = 1,  0 <= a_i <= 1/(nu m)

    f = sum_j a_j k(x_j, .),   a_i (f(x_i) - rho + xi_i) = 0,   (1/(nu m) - a_i) xi_i = 0

The value of the minimised dual is the negative of the primal's, and -rho is the multiplier of 1'a = 1 (b = -rho). At
most nu m samples are outliers, f(x) < rho, and at least nu m are support vectors. The decision value is f(x) - rho;
LIBSVM's is nu m times as large. Source: C9 of the catalogue; Schoelkopf et al. (2001).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.estimators import Coefficients
from formulations.forms import DualForm, PrimalForm
from formulations.hyperparameters import NU, derived
from formulations.hypothesis import half_squared_norm
from formulations.lowering import Lowered
from formulations.machine import KernelMachine
from formulations.samples import BoundSamples
from formulations.solution import Candidate, Novelty
from formulations.statement import Multipliers
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP

__all__ = ["OneClassDual", "OneClassPrimal"]


class _OneClass(KernelMachine[Novelty]):
    """What both forms share: nu and the KernelQP.

    Parameters
    ----------
    X
        Samples, as the kernel takes them, or a :class:`~qpkernels.gram.Gram`.
    kernel
        None: explicit features, and the primal has weights w; of sparse samples, Linear().
    nu
        Above 0 and at most 1: a bound on the share of outliers, and on that of support vectors from below.
    """

    hyperparameters = (NU,)
    nu: cp.Parameter

    def __init__(self, X: ArrayLike | Gram, kernel: Kernel | None = None, *, nu: float = 0.5) -> None:
        self._state(BoundSamples.unlabelled(X, kernel), nu=nu)

    def _make_variables(self) -> None:
        super()._make_variables()
        self.cost = derived(lambda: 1.0 / (self.nu.value * len(self)))

    def textbook_qp(self) -> KernelQP:
        """Return the dual in beta = a, whose sum is 1."""
        return KernelQP(
            self.gram,
            target=0.0,
            lower=0.0,
            upper=1.0 / (float(self.nu.value) * len(self)),
            total=1.0,
            # A thousandth of the value at a usual sample: the optimum is 0 where the origin lies among the samples.
            zero_tolerance=1e-3 * 0.5 * float(np.median(self.gram.diagonal)),
            name="one class",
        )

    _estimator = "OneClassSVM"

    def translate(self, fitted: Coefficients) -> tuple[Vector, float]:
        """Return (beta, b): LIBSVM's coefficients add up to nu m."""
        scale = 1.0 / (float(self.nu.value) * len(self))
        return scale * fitted.dual, scale * fitted.intercept

    def slacks(self, candidate: Candidate) -> Vector:
        """Return xi_i = max(0, rho - f(x_i))."""
        return np.maximum(0.0, -self.decision(candidate))

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return a_i (f(x_i) - rho + xi_i) and (1/(nu m) - a_i) xi_i."""
        return {
            "a (f - rho + xi)": candidate.beta * np.maximum(decision, 0.0),
            "(1/(nu m) - a) xi": (self.cost.value - candidate.beta) * np.maximum(-decision, 0.0),
        }

    def interpret(self, candidate: Candidate, certificate: Certificate, **facts: Any) -> Novelty:
        """Read coefficients, rho, outliers and function off an answer."""
        return Novelty(certificate=certificate, **self._facts(candidate), **facts)


class OneClassPrimal(_OneClass, PrimalForm[Novelty]):
    """min 1/2 ||f||^2 - rho + 1/(nu m) sum xi_i  s.t.  f(x_i) >= rho - xi_i,  xi_i >= 0.

    Variables: w (explicit features) or u (kernel), b = -rho, xi. Multipliers: a of ``margin``, 1/(nu m) - a of
    ``slack``.

    Parameters
    ----------
    X, kernel, nu
        As in the other form: nu above 0 and at most 1.
    """

    catalogue = "C9-primal"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.xi = cp.Variable(len(self), name="xi")

    @property
    def rho(self) -> cp.Expression:
        """The level of f on the boundary, -b."""
        return -self.b

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = self.f.values >= self.rho - self.xi
        return cp.Problem(
            cp.Minimize(self.f.half_squared_norm - self.rho + self.cost * cp.sum(self.xi)),
            self._labelled(margin=margin, slack=self.xi >= 0),
        )

    def read_beta(self, lowered: Lowered, z: Vector) -> Vector:
        """Return a."""
        del lowered, z
        return np.asarray(self.constraint("margin").dual_value)

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f, b and the slacks, and return both multipliers."""
        self.xi.value = self.slacks(candidate)
        rest = self.cost.value - candidate.beta
        return super().assign(candidate) | {"margin": candidate.beta, "slack": rest}

    def state_partner(self) -> OneClassDual:
        """Return the dual."""
        return self._as(OneClassDual)


class OneClassDual(_OneClass, DualForm[Novelty]):
    """min 1/2 a'Ka  s.t.  1'a = 1,  0 <= a_i <= 1/(nu m).

    Variable: alpha. Multipliers: b = -rho of ``balance``, xi of ``upper``.

    Parameters
    ----------
    X, kernel, nu
        As in the other form: nu above 0 and at most 1.
    """

    catalogue = "C9-dual"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.alpha = cp.Variable(len(self), name="alpha")

    @property
    def beta(self) -> cp.Expression:
        """The coefficients a."""
        return self.alpha

    def declare(self) -> cp.Problem:
        """State the problem."""
        balance, lower, upper = cp.sum(self.alpha) == 1, self.alpha >= 0, self.alpha <= self.cost
        return cp.Problem(
            cp.Minimize(half_squared_norm(self.gram, self.alpha)),
            self._labelled(balance=balance, lower=lower, upper=upper),
        )

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write a, and return b of the balance and the multipliers of both bounds."""
        self.alpha.value = candidate.beta
        slacks = self.slacks(candidate)
        lower = np.maximum(self.decision(candidate), 0.0)
        return super().assign(candidate) | {"lower": lower, "upper": slacks}

    def state_partner(self) -> OneClassPrimal:
        """Return the primal."""
        return self._as(OneClassPrimal)
