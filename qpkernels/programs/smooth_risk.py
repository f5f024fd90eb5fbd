# SPDX-License-Identifier: BSD-3-Clause
"""Losses of the decision values of all samples, and the penalised risk that smooth ones make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qpkernels.arrays import Vector
from qpkernels.gram import Gram
from qpkernels.intervals import Interval

__all__ = ["SampleLosses", "SmoothRisk"]


@dataclass(frozen=True, eq=False)
class SampleLosses:
    """The losses L_i of all samples.

    Attributes
    ----------
    value
        Decision values v, shape (m,), to L_i(v_i).
    conjugate
        beta, shape (m,), to L_i*(-beta_i).
    lower, upper
        Where that is finite, shape (m,).
    level
        What the decision values v are taken around, which loses no digits to an offset of the targets.
    slope
        v to a subgradient of each L_i at v_i; None: no loss has an affine piece, so that b is unique.
    curvature
        v to the second derivative of each L_i at v_i; None: some loss has none somewhere.
    largest_value
        Decision values in an interval to upper bounds of L_i there, in exact arithmetic; None: none are known.
    largest_conjugate
        beta to such bounds of L_i*(-beta_i).
    """

    value: Callable[[Vector], Vector]
    conjugate: Callable[[Vector], Vector]
    lower: Vector
    upper: Vector
    level: float = 0.0
    slope: Callable[[Vector], Vector] | None = None
    curvature: Callable[[Vector], Vector] | None = None
    largest_value: Callable[[Interval], Vector] | None = None
    largest_conjugate: Callable[[Vector], Vector] | None = None


@dataclass(frozen=True, eq=False)
class SmoothRisk:
    """min 1/2 ||f||^2 + sum L_i(f(x_i) + b), with losses that have a slope and a curvature everywhere.

    At the optimum f = sum_j beta_j k(x_j, .) with beta_i = -L_i'(f(x_i) + b), and 1'beta = total.

    Attributes
    ----------
    gram
        The kernel matrix K of m samples; positive semidefinite.
    losses
        L_i of the decision values, with their conjugates, slopes and curvatures.
    total
        The value of 1'beta, 0; None: the model has no intercept b.
    name
        What the program states.
    """

    gram: Gram
    losses: SampleLosses
    total: float | None
    name: str = "penalised risk with smooth losses"

    def __len__(self) -> int:
        """Return the number m of samples."""
        return self.losses.lower.size

    @property
    def lower(self) -> Vector:
        """The least coefficients, which the slopes of the losses approach."""
        return self.losses.lower

    @property
    def upper(self) -> Vector:
        """The largest ones."""
        return self.losses.upper
