# SPDX-License-Identifier: BSD-3-Clause
"""The numbers a user chooses, with a name, a range, and a meaning: each a CVXPY parameter to the forms."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike

import formulations.cvx as cp
from qpkernels.arrays import Indices, Vector, finite_vector, frozen, is_scalar, real_number, shown
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
    "Frozen",
    "Hyperparameter",
    "Parametrised",
    "derived",
    "per_cost",
    "times_cost",
]


class Frozen:
    """An object whose attributes are set while it is made, and none afterwards."""

    _frozen = False

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute while the object is being made; refuse afterwards."""
        if self._frozen:
            raise AttributeError(
                f"a {type(self).__name__} is frozen, so {name!r} cannot be set; state a new model, or change a "
                "hyper-parameter by set_params."
            )
        super().__setattr__(name, value)

    def freeze(self) -> None:
        """Refuse further attributes."""
        self._frozen = True


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


class Parametrised(Frozen):
    """What has hyper-parameters: each a CVXPY parameter, an attribute of its name; all else is frozen.

    The parameter is made when it is first asked for, and has the value from then on. Until then nothing needs CVXPY.

    Notes
    -----
    Arguments of the methods:

    values
        New values of hyper-parameters by their names; or one entry for each sample, shape (m, ...).
    name
        The name of a hyper-parameter.
    """

    hyperparameters: ClassVar[tuple[Hyperparameter, ...]] = ()
    """The numbers that an object of this kind has."""

    _numbers: dict[str, Vector]

    def __init_subclass__(cls, **options: Any) -> None:
        """Make each hyper-parameter an attribute of its name."""
        super().__init_subclass__(**options)
        for parameter in vars(cls).get("hyperparameters", ()):
            attribute = cached_property(partial(_declared, parameter))
            attribute.__set_name__(cls, parameter.name)
            attribute.__doc__ = parameter.described
            setattr(cls, parameter.name, attribute)

    @property
    def name(self) -> str:
        """Name of the kind."""
        return type(self).__name__

    @abstractmethod
    def __len__(self) -> int:
        """Return the number m of samples."""

    def make_parameters(self, values: Mapping[str, Any]) -> None:
        """Take these values for the hyper-parameters."""
        samples = len(self)
        self._numbers = {each.name: frozen(each.checked(values[each.name], samples)) for each in self.hyperparameters}

    def value_of(self, name: str) -> Vector:
        """Return the value that the hyper-parameter of that name has now, of shape (m,) or ()."""
        parameter = vars(self).get(name)
        return self._numbers[name] if parameter is None else np.asarray(parameter.value)

    def check_parameters(self) -> None:
        """Refuse hyper-parameters outside their range; numbers are within it, but a CVXPY parameter takes others."""
        for parameter in self.hyperparameters:
            if parameter.name in vars(self):
                parameter.checked(getattr(self, parameter.name).value, len(self))

    def set_hyperparameters(self, values: Mapping[str, Any]) -> None:
        """Set those of these names, all of them or none.

        Raises
        ------
        ParameterError, ShapeError
            If a value is outside its range.
        """
        known = {parameter.name: parameter for parameter in self.hyperparameters}
        checked = {name: frozen(known[name].checked(value, len(self))) for name, value in values.items()}
        before = {name: self.value_of(name) for name in checked}
        self._assign(checked)
        try:
            self.check_parameters()
        except Exception:
            self._assign(before)
            raise

    def _assign(self, values: Mapping[str, Vector]) -> None:
        self._numbers.update(values)
        for name in values.keys() & vars(self).keys():
            getattr(self, name).value = values[name].copy()

    @property
    def absent(self) -> Indices:
        """Numbers of the samples whose cost, or weight, is 0: the answer is that of the model without them."""
        name = next((each.name for each in self.hyperparameters if each.per_sample), None)
        return np.arange(0) if name is None else np.flatnonzero(self.value_of(name) == 0)

    def of_present(self, values: Entries) -> Entries:
        """Return the entries of the samples that are not :attr:`absent`; where none is, all of them as they are."""
        absent = self.absent
        if absent.size == 0:
            return values
        present: Entries = values[np.setdiff1d(np.arange(len(self)), absent)]
        return present

    def parameter_values(self) -> tuple[bytes, ...]:
        """Return what the hyper-parameters are now, to tell whether an answer is still one."""
        return tuple(self.value_of(each.name).tobytes() for each in self.hyperparameters)


def _declared(hyperparameter: Hyperparameter, owner: Parametrised) -> cp.Parameter:
    return hyperparameter.parameter(owner.value_of(hyperparameter.name).copy())


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
