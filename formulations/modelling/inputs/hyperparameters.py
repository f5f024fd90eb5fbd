# SPDX-License-Identifier: BSD-3-Clause
"""The declaration of a model's class: its entry, and the numbers that a user chooses, with range and meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from qpkernels.arrays import Vector, finite_vector, is_scalar, real_number, shown
from qpkernels.errors import NonFiniteError, ParameterError

__all__ = [
    "COST",
    "COSTS",
    "COSTS_OF_CLASSES",
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
    "ModelEntry",
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
        If it is made already.
    """
    if thing._frozen:
        raise AttributeError(
            f"a {type(thing).__name__} is frozen, so {name!r} cannot be set; state a new model, or change a "
            "hyper-parameter by set_params."
        )
    object.__setattr__(thing, name, value)


def times_cost(costs: Vector, values: ArrayLike) -> Vector:
    """Return costs * values, with 0 for an absent sample even if its value is infinite."""
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
    """A number with a range, or a number for each sample.

    Attributes
    ----------
    name
        Its letter in the literature.
    range
        The range in words, as in "C must be a number above 0".
    contains
        Whether entries are in the range.
    per_sample
        Whether each sample may have its own value, which is 0 for a sample that counts as absent.
    infinite
        The advice for a user who passes infinity.
    symbol
        Its letter in formulas, if this is not its name.
    words
        Its effect in words, if it has values worth exploring.
    low, high, usual
        The range of these values, ends included, and the first one to try; the model takes more values.
    scale
        ``log`` for steps by equal ratios, and ``linear`` for steps by equal differences.
    """

    name: str
    range: str
    contains: Callable[[Any], Any]
    per_sample: bool = False
    infinite: str = ""
    symbol: str = ""
    words: str = ""
    low: float = 0.0
    high: float = 0.0
    usual: float = 0.0
    scale: Literal["log", "linear"] = "log"

    @property
    def described(self) -> str:
        """Its name as an attribute of a model."""
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
        if numbers.min() >= _LEAST and numbers.max() <= _MOST and self.contains(numbers).all():
            return numbers
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


@dataclass(frozen=True)
class ModelEntry:
    """The attributes of a model that are known before there are data. Its name is that of the class.

    Attributes
    ----------
    parameters
        The numbers that a user chooses, each a CVXPY parameter of its name.
    coefficient
        beta in the letters of the dual, as ``beta = y a``.
    estimator
        The name of the model in scikit-learn.
    counts
        The function whose value is the model's; empty: the objective of its first primal form.
    cone_solver
        The solver of cone programs that suits its forms.
    linear
        Whether the optimality conditions of its KernelQP are only equations, which linear algebra solves.
    sparse
        Whether an answer may have coefficients that are 0, so that there are support vectors.
    expands
        Whether the beta of an optimum are coefficients of f; otherwise they are only multipliers.
    hard
        Whether there are constraints without slack, so that the model may have no answer, and says why.
    needs_psd
        Whether the problem is convex only with a positive semidefinite K.
    most_points
        The most points that the lab solves it for, within seconds; 0: the lab does not offer it.
    """

    parameters: tuple[Hyperparameter, ...] = ()
    coefficient: str = "beta"
    estimator: str = "estimator"
    counts: str = ""
    cone_solver: str = "clarabel"
    linear: bool = False
    sparse: bool = True
    expands: bool = True
    hard: bool = False
    needs_psd: bool = True
    most_points: int = 0

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, in their order."""
        return tuple(each.name for each in self.parameters)

    @cached_property
    def per_sample(self) -> str | None:
        """The name of the parameter that may differ between samples, a cost or a weight; None without one."""
        return next((each.name for each in self.parameters if each.per_sample), None)


def derived(value: Callable[[], Any], shape: int | tuple[()] = (), *, nonneg: bool = True) -> cp.Parameter:
    """Return a parameter that follows others, as 1/C follows C, so that products and quotients of them stay DPP."""
    return cp.CallbackParam(value, shape, nonneg=nonneg)


# With higher costs, flexible kernels leave a curve unproved on tens of points.
COST = Hyperparameter("C", "above 0", lambda v: v > 0, words="cost of an error", low=1e-3, high=1e4, usual=1.0)
COSTS = replace(COST, per_sample=True)
COSTS_OF_CLASSES = replace(COSTS, high=1e6)
MARGIN_COSTS = replace(COSTS_OF_CLASSES, infinite="An infinite C is the hard margin: HardMargin.")
TUBE_COSTS = replace(COSTS, infinite="An infinite C is the hard tube: HardTube.")
EPSILON = Hyperparameter(
    "epsilon",
    "of at least 0",
    lambda v: v >= 0,
    words="half width of the tube",
    high=2.0,
    usual=0.25,
    scale="linear",
)
NU = Hyperparameter(
    "nu",
    "above 0 and at most 1",
    lambda v: (v > 0) & (v <= 1),
    words="least share of support vectors, largest share of errors",
    low=0.01,
    high=1.0,
    usual=0.3,
    scale="linear",
)
TAU = Hyperparameter(
    "tau",
    "between 0 and 1",
    lambda v: (v > 0) & (v < 1),
    words="share below",
    low=0.02,
    high=0.98,
    usual=0.5,
    scale="linear",
)
DELTA = Hyperparameter(
    "delta",
    "above 0",
    lambda v: v > 0,
    words="residual from which the loss is linear",
    low=0.01,
    high=10.0,
    usual=0.5,
)
LAMBDA = Hyperparameter(
    "regularisation",
    "above 0",
    lambda v: v > 0,
    symbol="lambda",
    words="λ, weight of the penalty",
    low=1e-6,
    high=1e3,
    usual=0.1,
)
WEIGHTS = Hyperparameter("sample_weight", "above 0", lambda v: v > 0, per_sample=True, symbol="w")
SQUARED_RADIUS = Hyperparameter("R", "above 0", lambda v: v > 0)
