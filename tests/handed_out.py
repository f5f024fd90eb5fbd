# SPDX-License-Identifier: BSD-3-Clause
"""P and D of a model as its textbook writes them, computed from nothing but what a solution hands out.

That is f, which is evaluated at the samples anew, b, and the coefficients of the dual.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import xlog1py, xlogy

from formulations.modelling import Model, Solution

__all__ = ["HandedOut"]


@dataclass(frozen=True, eq=False)
class HandedOut:
    """What a solution of a model hands out.

    Attributes
    ----------
    model, solution
        Of these only the data, the hyper-parameters, ``function``, ``intercept``, ``beta`` and ``multipliers`` are
        read.
    shift
        What is added to the values f(x_i).
    norm_shift
        What is added to beta'K beta.
    """

    model: Model[Any]
    solution: Solution
    shift: Any = 0.0
    norm_shift: float = 0.0

    def __getattr__(self, name: str) -> Any:
        """Return a hyper-parameter of the model."""
        value = getattr(self.model, name)
        return np.asarray(getattr(value, "value", value))

    @property
    def y(self) -> Any:
        """The labels, as +1 and -1, or the targets."""
        return self.model.y

    @property
    def samples(self) -> int:
        return len(self.model)

    @property
    def f(self) -> Any:
        """f(x_i), without b, to whose digits those of the sum end."""
        return replace(self.solution.function, intercept=0.0)(self.model.gram.X) + self.shift

    @property
    def decision(self) -> Any:
        return self.f + self.solution.function.intercept

    @property
    def residuals(self) -> Any:
        return (self.y - self.solution.intercept) - self.f

    @property
    def margins(self) -> Any:
        return self.y * self.decision

    @property
    def half_norm(self) -> float:
        return 0.5 * self.solution.function.squared_norm

    @property
    def beta(self) -> Any:
        return self.solution.beta

    @property
    def half_size(self) -> float:
        """1/2 beta'K beta."""
        K = self.model.gram.kernel(self.model.gram.X)
        return 0.5 * max(0.0, float(self.beta @ K @ self.beta) + self.norm_shift)

    @property
    def unit(self) -> float:
        """The share of its terms that a sum may be off by, as its kernel values are off by more than a unit."""
        return 1e-12

    @cached_property
    def sizes(self) -> tuple[Any, float]:
        """How large the terms of each row, and of ||f||^2, are together: what their rounding is a share of."""
        f = self.solution.function
        c = np.abs(f.coefficients)
        lengths, reach = np.sqrt(self.model.gram.diagonal), float(c @ np.sqrt(f.kernel.diagonal(f.centers)))
        targets = np.abs(self.y) if hasattr(self.model, "y") else 0.0
        return reach * lengths + targets + abs(f.intercept), reach * reach

    @property
    def primal_rounding(self) -> float:
        """What the sums of P may be off by: as far as it changes where f(x_i) changes by its rounding."""
        unit = self.unit
        values, squares = self.sizes
        moved = [replace(self, shift=sign * unit * values).primal_value for sign in (-1.0, 1.0)]
        return max(abs(each - self.primal_value) for each in moved) + unit * squares

    @property
    def dual_rounding(self) -> float:
        """What the sums of D may be off by: its terms cancel where beta does nothing to f, as y'beta does with b."""
        reach = float(np.abs(self.beta) @ np.sqrt(self.model.gram.diagonal))
        targets = float(np.abs(self.y) @ np.abs(self.beta)) if hasattr(self.model, "y") else 0.0
        moved = [replace(self, norm_shift=sign * self.unit * reach * reach).dual_value for sign in (-1.0, 1.0)]
        return max(abs(each - self.dual_value) for each in moved) + self.unit * targets

    @property
    def primal_value(self) -> float:
        """The value of f and b; infinity where they violate a hard constraint by more than rounding."""
        return float(PRIMAL[type(self.model).__name__](self))

    @property
    def dual_value(self) -> float:
        """The value of beta."""
        return float(DUAL[type(self.model).__name__](self))


def hinge(margins: Any) -> Any:
    return np.maximum(0.0, 1.0 - margins)


def beyond(residuals: Any, epsilon: Any) -> Any:
    return np.maximum(0.0, np.abs(residuals) - epsilon)


def without_slack(o: HandedOut, excess: Any, value: float) -> float:
    """Return the value, if no constraint is missed by more than the rounding of its own terms."""
    return value if (excess <= o.unit * o.sizes[0]).all() else np.inf


def within_the_ball(o: HandedOut, value: float) -> float:
    """Return the value, if ||f||^2 is above R by no more than the rounding of its terms."""
    rounding = o.unit * o.sizes[1]
    return value if 2.0 * o.half_norm <= o.R * (1.0 + 1e-14) + rounding else np.inf


def huber(r: Any, delta: Any) -> Any:
    return np.where(np.abs(r) <= delta, 0.5 * r**2, delta * np.abs(r) - 0.5 * delta**2)


def logistic(margins: Any) -> Any:
    return np.logaddexp(0.0, -margins)


def entropy(a: Any, C: Any) -> Any:
    """Return a log(a/C) + (C - a) log((C - a)/C), for 0 <= a <= C."""
    return xlogy(a, a / C) + xlog1py(C - a, -a / C)


def nu_costs(o: HandedOut) -> Any:
    return np.broadcast_to(o.sample_weight, o.samples)


def least_of_levels(value: Callable[[Any], float], levels: Any) -> float:
    """Return the least of a convex function that is linear between these ``levels``."""
    return min(value(level) for level in [0.0, *levels])


def nu_margin(o: HandedOut) -> float:
    c = nu_costs(o) / nu_costs(o).sum()
    best = least_of_levels(lambda rho: -o.nu * rho + c @ np.maximum(0.0, rho - o.margins), np.maximum(o.margins, 0.0))
    return o.half_norm + best


def nu_tube(o: HandedOut) -> float:
    c = o.C * nu_costs(o)
    r = np.abs(o.residuals)
    return o.half_norm + least_of_levels(lambda e: o.nu * c.sum() * e + c @ np.maximum(0.0, r - e), r)


def one_class(o: HandedOut) -> float:
    c = nu_costs(o) / (o.nu * nu_costs(o).sum())
    rho = -o.solution.intercept
    return o.half_norm - rho + float(c @ np.maximum(0.0, rho - o.f))


def cost_of_penalised(o: HandedOut) -> float:
    """Return m/(2 lambda) / m."""
    return 0.5 / float(o.regularisation)


def lp_machine(o: HandedOut) -> float:
    return float(np.abs(o.beta).sum() + (o.C * hinge(o.margins)).sum())


PRIMAL: dict[str, Callable[[HandedOut], Any]] = {
    "LeastSquaresFit": lambda o: o.residuals @ o.residuals,
    "LeastAbsoluteFit": lambda o: np.abs(o.residuals).sum(),
    "LaplaceFit": lambda o: np.abs(o.residuals).sum(),
    "ChebyshevFit": lambda o: np.abs(o.residuals).max(),
    "Separability": lambda o: without_slack(o, hinge(o.margins), 0.0),
    "HardMargin": lambda o: without_slack(o, hinge(o.margins), o.half_norm),
    "SoftMargin": lambda o: o.half_norm + (o.C * hinge(o.margins)).sum(),
    "LinearProgramMachine": lp_machine,
    "Logistic": lambda o: o.half_norm + (o.C * logistic(o.margins)).sum(),
    "PenalisedLogistic": lambda o: o.half_norm + cost_of_penalised(o) * logistic(o.margins).sum(),
    "SquaredHinge": lambda o: o.half_norm + (o.C * hinge(o.margins) ** 2).sum(),
    "NuMargin": nu_margin,
    "OneClass": one_class,
    "MarginLossClassifier": lambda o: o.half_norm + (o.C * o.model.loss.value(o.margins)).sum(),
    "NormConstrainedClassifier": lambda o: within_the_ball(o, o.model.loss.value(o.margins).mean()),
    "HardTube": lambda o: without_slack(o, beyond(o.residuals, o.epsilon), o.half_norm),
    "SoftTube": lambda o: o.half_norm + (o.C * beyond(o.residuals, o.epsilon)).sum(),
    "PenalisedTube": lambda o: o.half_norm + cost_of_penalised(o) * beyond(o.residuals, o.epsilon).sum(),
    "Quantile": lambda o: o.half_norm + (o.C * np.maximum(o.tau * o.residuals, (o.tau - 1.0) * o.residuals)).sum(),
    "Huber": lambda o: o.half_norm + (o.C * huber(o.residuals, o.delta)).sum(),
    "ResidualLossRegression": lambda o: o.half_norm + (o.C * o.model.loss.value(o.residuals)).sum(),
    "NuTube": nu_tube,
    "NormConstrainedRegression": lambda o: within_the_ball(o, o.model.loss.value(o.residuals).sum()),
    "LeastSquares": lambda o: o.half_norm + 0.5 * (o.C * o.residuals**2).sum(),
    "LeastSquaresClassifier": lambda o: o.half_norm + 0.5 * (o.C * (1.0 - o.margins) ** 2).sum(),
    "KernelRidge": lambda o: o.half_norm + cost_of_penalised(o) * (o.residuals @ o.residuals),
    "SparseApproximation": lambda o: without_slack(o, beyond(o.residuals, o.epsilon), o.half_norm),
    "Interpolation": lambda o: without_slack(o, beyond(o.residuals, 0.0), o.half_norm),
}
"""P of a model by its name, in the scale of its certificate."""


def conjugate(o: HandedOut, costs: Any, slopes: Any) -> float:
    """Return the sum of the conjugates of C_i psi at ``slopes``, which rounding may have put beside their domain."""
    inside = 1.0 - 4.0 * np.finfo(float).eps
    return float((costs * o.model.loss.conjugate(inside * slopes / costs)).sum())


DUAL: dict[str, Callable[[HandedOut], Any]] = {
    "LeastSquaresFit": lambda o: o.y @ o.beta - 0.25 * (o.beta @ o.beta),
    "LeastAbsoluteFit": lambda o: o.y @ o.beta,
    "LaplaceFit": lambda o: o.y @ o.beta,
    "ChebyshevFit": lambda o: o.y @ o.beta,
    "Separability": lambda _: 0.0,
    "HardMargin": lambda o: o.y @ o.beta - o.half_size,
    "SoftMargin": lambda o: o.y @ o.beta - o.half_size,
    "LinearProgramMachine": lambda o: o.solution.multipliers.sum(),
    "Logistic": lambda o: -o.half_size - entropy(o.y * o.beta, o.C).sum(),
    "PenalisedLogistic": lambda o: -o.half_size - entropy(o.y * o.beta, cost_of_penalised(o)).sum(),
    "SquaredHinge": lambda o: o.y @ o.beta - o.half_size - (o.beta**2 / (4.0 * o.C)).sum(),
    "NuMargin": lambda o: -o.half_size,
    "OneClass": lambda o: -o.half_size,
    "MarginLossClassifier": lambda o: -o.half_size - conjugate(o, o.C, -o.y * o.beta),
    "NormConstrainedClassifier": lambda o: (
        -np.sqrt(2.0 * o.R * o.half_size) - conjugate(o, 1.0 / o.samples, -o.y * o.beta)
    ),
    "HardTube": lambda o: o.y @ o.beta - o.epsilon * np.abs(o.beta).sum() - o.half_size,
    "SoftTube": lambda o: o.y @ o.beta - o.epsilon * np.abs(o.beta).sum() - o.half_size,
    "PenalisedTube": lambda o: o.y @ o.beta - o.epsilon * np.abs(o.beta).sum() - o.half_size,
    "Quantile": lambda o: o.y @ o.beta - o.half_size,
    "Huber": lambda o: o.y @ o.beta - o.half_size - (o.beta**2 / (2.0 * o.C)).sum(),
    "ResidualLossRegression": lambda o: o.y @ o.beta - o.half_size - conjugate(o, o.C, o.beta),
    "NuTube": lambda o: o.y @ o.beta - o.half_size,
    "NormConstrainedRegression": lambda o: o.y @ o.beta - np.sqrt(2.0 * o.R * o.half_size) - conjugate(o, 1.0, o.beta),
    "LeastSquares": lambda o: o.y @ o.beta - o.half_size - (o.beta**2 / (2.0 * o.C)).sum(),
    "LeastSquaresClassifier": lambda o: o.y @ o.beta - o.half_size - (o.beta**2 / (2.0 * o.C)).sum(),
    "KernelRidge": lambda o: o.y @ o.beta - o.half_size - (o.beta @ o.beta) / (4.0 * cost_of_penalised(o)),
    "SparseApproximation": lambda o: o.y @ o.beta - o.epsilon * np.abs(o.beta).sum() - o.half_size,
    "Interpolation": lambda o: o.y @ o.beta - o.half_size,
}
"""D of a model by its name, in the scale of its certificate."""
