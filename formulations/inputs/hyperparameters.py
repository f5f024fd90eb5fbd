# SPDX-License-Identifier: BSD-3-Clause
"""The numbers a user chooses, with a name, a range, and a meaning: each a CVXPY parameter to the forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike

import formulations.cvx as cp
from qpkernels.arrays import Vector, finite_vector, is_scalar, real_number, shown
from qpkernels.errors import NonFiniteError, ParameterError

__all__ = [
    "COST",
    "COSTS",
    "DELTA",
    "EPSILON",
    "LAMBDA",
    "MARGIN_COSTS",
    "NU",
    "SQUARED_RADIUS",
    "TAU",
    "TUBE_COSTS",
    "WEIGHTS",
    "Hyperparameter",
    "derived",
    "per_cost",
    "set_unless_frozen",
    "times_cost",
]


def set_unless_frozen(thing: Any, name: str, value: object) -> None:
    """Set an attribute of a thing that is being made; refuse once its ``_frozen`` is true.

    Raises
    ------
    AttributeError
        If it is made.
    """
    if thing._frozen:
        raise AttributeError(
            f"a {type(thing).__name__} is frozen, so {name!r} cannot be set; state a new model, or change a "
            "hyper-parameter by set_params."
        )
    object.__setattr__(thing, name, value)


def times_cost(costs: Vector, values: ArrayLike) -> Vector:
    """Return costs * values, and 0 for an absent sample, whatever the value: infinite, or a bound that is."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(costs > 0, costs * np.asarray(values), 0.0)


def per_cost(values: ArrayLike, costs: Vector) -> Vector:
    """Return values / costs, and 0 for an absent sample."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return np.where(costs > 0, np.asarray(values) / costs, 0.0)


_LEAST, _MOST = 1e-100, 1e100

Entries = TypeVar("Entries", bound=Any)


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
        Whether each sample may have its own, which is 0 for one that counts as absent.
    infinite
        What to do instead of passing infinity.
    symbol
        Its letter in formulas, where that is not its name.
    """

    name: str
    range: str
    contains: Callable[[Any], Any]
    per_sample: bool = False
    infinite: str = ""
    symbol: str = ""

    @property
    def described(self) -> str:
        """What it is as an attribute of a model."""
        shape = "(m,)" if self.per_sample else "()"
        return f"{self.name}, {self.range}, as the parameter of CVXPY that all forms share, shape {shape}."

    def checked(self, value: Any, samples: int) -> Vector:
        """Return the value as a vector of shape (samples,), or of shape () where all samples share it.

        Raises
        ------
        ParameterError, ShapeError
            If it is outside the range, or has another shape.
        """
        if is_scalar(value):
            return self._checked_number(value, samples)
        if not self.per_sample:
            raise ParameterError(f"{self.name} must be one number {self.range}, but {shown(value)} came.")
        try:
            numbers = finite_vector(value, self.name, samples)
        except NonFiniteError as error:
            infinite = not np.ma.isMaskedArray(value) and np.isinf(np.asarray(value, dtype=np.float64)).any()
            raise ParameterError(f"{error} {self.infinite if infinite else ''}".rstrip()) from None
        outside = ~self.contains(numbers) & (numbers != 0)
        if outside.any():
            first = int(np.argmax(outside))
            raise ParameterError(
                f"{self.name} must be {self.range} for every sample, or 0 for an absent one, but {self.name}[{first}] "
                f"is {numbers[first]:g}."
            )
        if not numbers.any():
            raise ParameterError(f"{self.name} must be {self.range} for some sample, but each {self.name} is 0.")
        self._refuse_extremes(numbers)
        return numbers

    def _refuse_extremes(self, numbers: Vector) -> None:
        """Refuse numbers whose squares leave float64."""
        extreme = (numbers != 0) & ((numbers < _LEAST) | (numbers > _MOST))
        if extreme.any():
            self._refuse_extreme(float(numbers[extreme][0]))

    def _refuse_extreme(self, number: float) -> NoReturn:
        raise ParameterError(
            f"{self.name} must be a number from {_LEAST:g} to {_MOST:g}, so that its square is within float64, but "
            f"{number:g} came; scale the data."
        )

    def _checked_number(self, value: Any, samples: int) -> Vector:
        number = real_number(value, self.name, f"a number {self.range}")
        if not np.isfinite(number):
            each = ", or one for each sample" if self.per_sample else ""
            hint = f" {self.infinite}" if self.infinite and np.isinf(number) else ""
            raise ParameterError(f"{self.name} must be a number {self.range}{each}, but {number} came.{hint}")
        if not self.contains(np.float64(number)):
            raise ParameterError(f"{self.name} must be a number {self.range}, but {number} came.")
        if number != 0 and not _LEAST <= number <= _MOST:
            self._refuse_extreme(number)
        return np.full(samples if self.per_sample else (), number)

    def parameter(self, value: Vector) -> cp.Parameter:
        """Return a CVXPY parameter with that value."""
        return cp.Parameter(value.shape, nonneg=True, name=self.name, value=value)


def derived(value: Callable[[], Any], shape: int | tuple[()] = (), *, nonneg: bool = True) -> cp.Parameter:
    """Return a parameter that follows others, as 1/C follows C: so a product or quotient of parameters stays DPP."""
    return cp.CallbackParam(value, shape, nonneg=nonneg)


COST = Hyperparameter("C", "above 0", lambda value: value > 0)
COSTS = Hyperparameter("C", "above 0", lambda value: value > 0, per_sample=True)
MARGIN_COSTS = replace(COSTS, infinite="An infinite C is the hard margin: HardMargin.")
TUBE_COSTS = replace(COSTS, infinite="An infinite C is the hard tube: HardTube.")
EPSILON = Hyperparameter("epsilon", "of at least 0", lambda value: value >= 0)
NU = Hyperparameter("nu", "above 0 and at most 1", lambda value: (value > 0) & (value <= 1))
TAU = Hyperparameter("tau", "between 0 and 1", lambda value: (value > 0) & (value < 1))
DELTA = Hyperparameter("delta", "above 0", lambda value: value > 0)
LAMBDA = Hyperparameter("regularisation", "above 0", lambda value: value > 0, symbol="lambda")
WEIGHTS = Hyperparameter("sample_weight", "above 0", lambda value: value > 0, per_sample=True, symbol="w")
SQUARED_RADIUS = Hyperparameter("R", "above 0", lambda value: value > 0)
