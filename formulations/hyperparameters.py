# SPDX-License-Identifier: BSD-3-Clause
"""The numbers a user chooses: each a CVXPY parameter with a name, a range, and a meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import cvxpy as cp
import numpy as np
from cvxpy.expressions.constants.callback_param import CallbackParam
from numpy.typing import NDArray

from qpkernels.arrays import Vector, finite_vector
from qpkernels.errors import NonFiniteError, ParameterError

__all__ = [
    "COST",
    "COSTS",
    "DELTA",
    "EPSILON",
    "LAMBDA",
    "MARGIN_COSTS",
    "NU",
    "TAU",
    "TUBE_COSTS",
    "Hyperparameter",
    "derived",
]


@dataclass(frozen=True)
class Hyperparameter:
    """A number with a range, or one for each sample.

    Attributes
    ----------
    name
        Its letter in the literature.
    range
        In words, as in "C must be a number above 0".
    contains
        Whether entries are in the range.
    per_sample
        Whether each sample may have its own.
    infinite
        What to do who would pass infinity.
    """

    name: str
    range: str
    contains: Callable[[Vector], NDArray[np.bool_]]
    per_sample: bool = False
    infinite: str = ""

    def checked(self, value: Any, samples: int) -> Vector:
        """Return the value as a vector of shape (samples,), or of shape () where all samples share it.

        Raises
        ------
        ParameterError, ShapeError
            If it is outside the range, or has another shape.
        """
        if not self.per_sample and np.ndim(value) != 0:
            raise ParameterError(f"{self.name} must be one number {self.range}, but {value!r} came.")
        try:
            numbers = finite_vector(value, self.name, samples)
        except NonFiniteError as error:
            each = ", or one for each sample" if self.per_sample else ""
            scalar = f"{self.name} must be a number {self.range}{each}, but {value} came."
            hint = f" {self.infinite}" if self.infinite and np.isinf(np.asarray(value, dtype=np.float64)).any() else ""
            raise ParameterError((scalar if np.ndim(value) == 0 else str(error)) + hint) from None
        outside = ~self.contains(numbers)
        if outside.any() and np.ndim(value) == 0:
            raise ParameterError(f"{self.name} must be a number {self.range}, but {value} came.")
        if outside.any():
            first = int(np.argmax(outside))
            raise ParameterError(
                f"{self.name} must be {self.range} for every sample, but {self.name}[{first}] is "
                f"{numbers[first]:g}; leave the sample out."
            )
        return numbers if self.per_sample else numbers[0]

    def parameter(self, value: Any, samples: int) -> cp.Parameter:
        """Return the CVXPY parameter with that value, or the one that came, to share it between models."""
        if isinstance(value, cp.Parameter):
            return value
        shape = samples if self.per_sample else ()
        return cp.Parameter(shape, nonneg=True, name=self.name, value=self.checked(value, samples))


def derived(value: Callable[[], Any], shape: int | tuple[()] = (), *, nonneg: bool = True) -> cp.Parameter:
    """Return a parameter that follows others, as 1/C follows C: so a product or quotient of parameters stays DPP."""
    return CallbackParam(value, shape, nonneg=nonneg)


COST = Hyperparameter("C", "above 0", lambda value: value > 0)
COSTS = Hyperparameter("C", "above 0", lambda value: value > 0, per_sample=True)
MARGIN_COSTS = replace(COSTS, infinite="An infinite C is the hard margin: HardMarginPrimal, HardMarginDual.")
TUBE_COSTS = replace(COSTS, infinite="An infinite C is the hard tube: HardTubePrimal, HardTubeDual.")
EPSILON = Hyperparameter("epsilon", "of at least 0", lambda value: value >= 0)
NU = Hyperparameter("nu", "above 0 and at most 1", lambda value: (value > 0) & (value <= 1))
TAU = Hyperparameter("tau", "between 0 and 1", lambda value: (value > 0) & (value < 1))
DELTA = Hyperparameter("delta", "above 0", lambda value: value > 0)
LAMBDA = Hyperparameter("regularisation", "above 0", lambda value: value > 0)
