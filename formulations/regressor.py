# SPDX-License-Identifier: BSD-3-Clause
"""What all regression models share: real targets, residuals, and how an answer is read."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from formulations.estimators import Coefficients
from formulations.machine import KernelMachine
from formulations.solution import Candidate, Regression
from formulations.targets import Targets
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel

__all__ = ["Regressor"]


class Regressor(KernelMachine[Regression]):
    """A model that predicts a real target by f(x) + b.

    Parameters
    ----------
    X
        Samples, as the kernel takes them: a matrix (samples x features) for most, which may be sparse where the kernel
        takes that. Or a :class:`~qpkernels.gram.Gram`, to share a kernel matrix between models or to set its memory
        limit.
    y
        Real targets, shape (m,).
    kernel
        None: explicit features, and a primal form has weights w in R^d. Otherwise f is in the space of the kernel, and
        a primal form has its coordinates u in an orthonormal basis there. Sparse samples without a kernel are bound to
        Linear().
    fit_intercept
        Whether there is a b; without, b = 0.
    """

    data: Targets
    y: Vector

    def __init__(
        self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None, *, fit_intercept: bool = True
    ) -> None:
        self._state(Targets.of(X, y, kernel), fit_intercept)

    def _bind(self, data: Targets) -> None:
        super()._bind(data)
        self.y = data.y

    _estimator: ClassVar[str] = "SVR"

    def translate(self, fitted: Coefficients) -> tuple[Vector, float]:
        """Return (beta, b): dual_coef_ holds beta."""
        if fitted.classes is not None:
            raise ParameterError(
                f"a {self.name} has real targets, but the estimator was fitted to the classes "
                f"{fitted.classes.tolist()}; pass a regression estimator."
            )
        return super().translate(fitted)

    def zero_tolerance(self) -> float:
        """Return what counts as 0 in the unit of y: ten million times its rounding."""
        return 1e7 * float(np.finfo(float).eps) * float(np.abs(self.y).max())

    def width(self, residuals: Vector) -> float:
        """Return epsilon, the half width of the tube within which a residual costs nothing; 0 without a tube."""
        del residuals
        return 0.0

    def interpret(self, candidate: Candidate, certificate: Certificate, **facts: Any) -> Regression:
        """Read coefficients, support, residuals and function off an answer."""
        own = self._facts(candidate)
        width = self.width(self.y - own["decision"])
        return Regression(y=self.y, epsilon=width, certificate=certificate, **own, **facts)
