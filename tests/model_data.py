# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the models share: the formulations found, data of both kinds, and KKT in NumPy."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache
from typing import Any

import cvxpy as cp
import numpy as np

import formulations
from formulations.base import Formulation
from qpkernels.datasets import load_dataset, scale_features
from qpkernels.kernels import RBF, Kernel

FORMULATIONS: tuple[type[Formulation], ...] = tuple(
    value
    for value in (getattr(formulations, name) for name in formulations.__all__)
    if isinstance(value, type) and issubclass(value, Formulation) and not inspect.isabstract(value)
)
"""Every concrete formulation that the package makes public."""

KERNELS: dict[str, Kernel | None] = {"explicit": None, "rbf": RBF(0.5)}

PRICE = 0.8
"""C of a soft margin in the contract, unless a test says otherwise."""


@dataclass(frozen=True)
class Case:
    """A formulation with a kernel."""

    form: type[Formulation]
    kernel: str

    def __str__(self) -> str:
        return f"{self.form.__name__}-{self.kernel}"

    @property
    def is_soft(self) -> bool:
        return "C" in inspect.signature(self.form).parameters

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """Return data that the model has an answer for."""
        return overlapping() if self.is_soft else separable()

    def state(self, X: Any = None, y: Any = None, **parameters: Any) -> Any:
        """Return the model on its own data, or on those given."""
        own = self.data()
        defaults = {"C": PRICE} if self.is_soft else {}
        return self.form(
            own[0] if X is None else X, own[1] if y is None else y, KERNELS[self.kernel], **(defaults | parameters)
        )

    @property
    def is_kernel_qp(self) -> bool:
        return self.state().kernel_qp() is not None


def blobs(seed: int, samples: int, features: int, distance: float) -> tuple[np.ndarray, np.ndarray]:
    """Return two Gaussian clouds whose centres are that far apart along the first axis, and labels +-1."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(samples) % 3 == 0, -1, 1)
    X = rng.normal(size=(samples, features))
    X[:, 0] += 0.5 * distance * y
    return X, y


def overlapping() -> tuple[np.ndarray, np.ndarray]:
    """Return 30 samples that no line separates."""
    return blobs(seed=11, samples=30, features=3, distance=1.5)


def separable() -> tuple[np.ndarray, np.ndarray]:
    """Return 30 samples that a line separates with room."""
    X, y = blobs(seed=5, samples=30, features=3, distance=2.0)
    X[:, 0] = y * (0.4 + np.abs(X[:, 0]))
    return X, y


def xor() -> tuple[np.ndarray, np.ndarray]:
    """Return the four corners of a square with opposite corners in one class."""
    return np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]), np.array([1, -1, -1, 1])


def contradiction() -> tuple[np.ndarray, np.ndarray]:
    """Return data with one point in both classes: inseparable with any kernel."""
    X, y = separable()
    return np.vstack([X, X[:1]]), np.append(y, -y[0])


@cache
def one_against_rest(name: str, positive: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a bundled set with features in [-1, 1] and one class against the rest."""
    dataset = load_dataset(name)
    return scale_features(dataset.X), np.where(dataset.y == positive, 1, -1)


def relative_error(value: float, expected: float) -> float:
    return abs(value - expected) / abs(expected)


def values_of(problem: cp.Problem) -> dict[str, np.ndarray]:
    """Return the values of the variables by name."""
    return {variable.name(): np.asarray(variable.value) for variable in problem.variables()}


def multipliers_of(problem: cp.Problem) -> dict[str, np.ndarray]:
    """Return the multipliers of the constraints by label."""
    return {constraint.label: np.asarray(constraint.dual_value) for constraint in problem.constraints}


def lagrangian(problem: cp.Problem) -> float:
    """Return f + sum lambda' g at the present values, f minimised and every constraint written g <= 0 or g = 0."""
    sign = -1.0 if isinstance(problem.objective, cp.Maximize) else 1.0
    terms = [np.sum(constraint.dual_value * constraint.expr.value) for constraint in problem.constraints]
    return sign * float(problem.objective.value) + float(sum(terms))


CASES = [Case(form, kernel) for form in FORMULATIONS for kernel in KERNELS]
ROUTES = [(case, solver) for case in CASES for solver in (("smo", "clarabel") if case.is_kernel_qp else ("clarabel",))]
CERTIFIED_CASES = [case for case in CASES if case.is_kernel_qp]
SOFT_CASES = [case for case in CASES if case.is_soft]
SHARP = {"smo": 1e-11, "clarabel": 1e-8}
"""The tolerance asked of each route where numbers are compared."""
