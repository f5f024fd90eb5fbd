# SPDX-License-Identifier: BSD-3-Clause
"""The two sides of a margin machine: constraints on y (f + b) with multipliers alpha, and a dual in alpha."""

from __future__ import annotations

import cvxpy as cp
import numpy as np

from formulations.binary import BinaryClassifier
from formulations.forms import DualForm, PrimalForm
from formulations.lowering import Lowered
from formulations.solution import Candidate, Classification
from formulations.statement import Multipliers
from qpkernels.arrays import Vector

__all__ = ["MarginDual", "MarginPrimal"]


class MarginPrimal(BinaryClassifier, PrimalForm[Classification]):
    """A problem in f and b, whose constraint ``margin`` has the multipliers alpha."""

    def read_beta(self, lowered: Lowered, z: Vector) -> Vector:
        """Return beta = y * alpha."""
        del lowered, z
        return np.asarray(self.y * self.constraint("margin").dual_value)

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f and b, and return alpha of the margins."""
        return super().assign(candidate) | {"margin": self.y * candidate.beta}


class MarginDual(BinaryClassifier, DualForm[Classification]):
    """A problem in alpha, with beta = y * alpha.

    Attributes
    ----------
    alpha
        The multipliers, a CVXPY variable of shape (m,).
    """

    alpha: cp.Variable

    def _make_variables(self) -> None:
        super()._make_variables()
        self.alpha = cp.Variable(len(self), name="alpha")

    @property
    def beta(self) -> cp.Expression:
        """The coefficients y * alpha."""
        return cp.multiply(self.y, self.alpha)

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write alpha, and return b of the balance."""
        self.alpha.value = self.y * candidate.beta
        return super().assign(candidate)
