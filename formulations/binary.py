# SPDX-License-Identifier: BSD-3-Clause
"""What all models of two classes share: labels, margins, and how an answer is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from formulations.estimators import Coefficients
from formulations.machine import KernelMachine
from formulations.solution import Candidate, Classification
from formulations.two_classes import TwoClasses
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate
from qpkernels.errors import ParameterError
from qpkernels.gram import Expansion, Gram
from qpkernels.kernels import Kernel

__all__ = ["BinaryClassifier"]


class BinaryClassifier(KernelMachine[Classification]):
    """A model that separates two classes by the sign of f(x) + b.

    Parameters
    ----------
    X
        Samples, as the kernel takes them: a matrix (samples x features) for most, which may be sparse where the kernel
        takes that. Or a :class:`~qpkernels.gram.Gram`, to share a kernel matrix between models or to set its memory
        limit.
    y
        Two different labels, shape (m,); the greater one is +1.
    kernel
        None: explicit features, and a primal form has weights w in R^d. Otherwise f is in the space of the kernel, and
        a primal form has its coordinates u in an orthonormal basis there. Sparse samples without a kernel are bound to
        Linear().
    fit_intercept
        Whether there is a b; without, b = 0.
    """

    data: TwoClasses
    y: Vector

    def __init__(
        self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None, *, fit_intercept: bool = True
    ) -> None:
        self._state(TwoClasses.of(X, y, kernel), fit_intercept)

    def _bind(self, data: TwoClasses) -> None:
        super()._bind(data)
        self.y = data.y

    _estimator = "SVC"

    def translate(self, fitted: Coefficients) -> tuple[Vector, float]:
        """Return (beta, b): dual_coef_ holds y_i alpha_i."""
        if fitted.classes is None:
            raise ParameterError("a fitted two-class SVC has support_ and classes_, but this estimator has not.")
        if not np.array_equal(fitted.classes, self.data.classes):
            raise ParameterError(
                f"the estimator must be fitted to the classes {self.data.classes.tolist()}, but it was fitted to "
                f"{np.asarray(fitted.classes).tolist()}."
            )
        return super().translate(fitted)

    def _function(self, centers: Any, coefficients: Vector, intercept: float) -> Expansion:
        return Expansion(self.gram.kernel, centers, coefficients, intercept, self.data.classes)

    def margins(self, candidate: Candidate) -> Vector:
        """Return y_i (f(x_i) + b) of an answer."""
        return self.y * self.decision(candidate)

    def slacks(self, candidate: Candidate) -> Vector:
        """Return xi_i = max(0, 1 - y_i (f(x_i) + b)) of an answer."""
        return np.maximum(0.0, 1.0 - self.margins(candidate))

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return alpha_i (y_i g(x_i) - 1 + xi_i), with xi_i the slack that the margin lacks."""
        alpha, margins = self.y * candidate.beta, self.y * decision
        return {"a (y g(x) - 1 + xi)": alpha * (np.maximum(margins, 1.0) - 1.0)}

    def interpret(self, candidate: Candidate, certificate: Certificate, **facts: Any) -> Classification:
        """Read multipliers, support, margins and function off an answer."""
        return Classification(y=self.y, certificate=certificate, **self._facts(candidate), **facts)
