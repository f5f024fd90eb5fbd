# SPDX-License-Identifier: BSD-3-Clause
"""The same model of other data: of some of its samples, or with another kernel, as a new model or in place."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property, partial
from inspect import signature
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling.inputs.hyperparameters import Hyperparameter, ModelEntry, set_unless_frozen
from formulations.modelling.inputs.samples import BoundSamples, KernelLike
from qpkernels.arrays import Indices, Vector, frozen, read_array, shown
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.kernels.function_kernel import as_kernel
from qpkernels.kernels.kernel import parameters_of, with_parameters

__all__ = ["Restatable", "checked_values", "kernel_with", "sample_numbers"]

_PREFIX = "kernel__"

_OF_SAMPLES = ("y",)
"""Attributes with an entry for each sample, beside hyper-parameters."""

Entries = TypeVar("Entries", bound=Any)


class Restatable:
    """The base class of models with samples and hyper-parameters: frozen but for these, and restated on other data.

    A hyper-parameter is an attribute of its name, a CVXPY parameter. The parameter is made on first use and holds the
    value from then on; until then nothing needs CVXPY.

    Notes
    -----
    Arguments of the methods:

    values
        New values of hyper-parameters by their names, or one entry for each sample, shape (m, ...).
    name
        The name of a hyper-parameter.
    gram
        A kernel matrix of the same samples.
    settings
        Parameters of the kernel by their names.
    kernel
        A kernel, or a function that returns its matrix.
    """

    entry: ClassVar[ModelEntry] = ModelEntry()
    """The declaration of the class."""

    name: ClassVar[str]
    """Name of the kind."""

    data: BoundSamples
    gram: Gram
    _frozen = False
    _numbers: dict[str, Vector]

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute while the object is being made; refuse afterwards."""
        set_unless_frozen(self, name, value)

    def __init_subclass__(cls, **options: Any) -> None:
        """Make each hyper-parameter an attribute of its name, and name the kind."""
        super().__init_subclass__(**options)
        cls.name = vars(cls).get("name", cls.__name__)
        for parameter in cls.entry.parameters if "entry" in vars(cls) else ():
            attribute = cached_property(partial(_declared, parameter))
            attribute.__set_name__(cls, parameter.name)
            attribute.__doc__ = parameter.described
            setattr(cls, parameter.name, attribute)

    @abstractmethod
    def __len__(self) -> int:
        """Return the number m of samples."""

    def _make_parameters(self, values: Mapping[str, Any]) -> None:
        """Take these values for the hyper-parameters."""
        samples = len(self.gram)
        vars(self)["_numbers"] = {
            each.name: frozen(each.checked(values[each.name], samples)) for each in self.entry.parameters
        }

    def value_of(self, name: str) -> Vector:
        """Return the value that the hyper-parameter of that name has now, of shape (m,) or ()."""
        parameter = vars(self).get(name)
        return self._numbers[name] if parameter is None else np.asarray(parameter.value)

    def _check_parameters(self) -> None:
        """Refuse hyper-parameters within their ranges that do not fit the data; here all do."""

    def _check_changes(self) -> None:
        """Refuse what a user set CVXPY parameters to: all other values were checked where they came in."""
        declared = [parameter for parameter in self.entry.parameters if parameter.name in vars(self)]
        for parameter in declared:
            parameter.checked(getattr(self, parameter.name).value, len(self))
        if declared:
            self._check_parameters()

    def _set_hyperparameters(self, values: Mapping[str, Any]) -> None:
        """Set those of these names, all of them or none.

        Raises
        ------
        ParameterError, ShapeError
            If a value is outside its range.
        """
        known = {parameter.name: parameter for parameter in self.entry.parameters}
        checked = {name: frozen(known[name].checked(value, len(self))) for name, value in values.items()}
        before = {name: self.value_of(name) for name in checked}
        self._assign(checked)
        try:
            self._check_parameters()
        except Exception:
            self._assign(before)
            raise

    def _assign(self, values: Mapping[str, Vector]) -> None:
        self._numbers.update(values)
        for name in values.keys() & vars(self).keys():
            getattr(self, name).value = values[name].copy()

    @property
    def absent(self) -> Indices:
        """Numbers of the samples whose cost, or weight, is 0. The answer is that of the model without them."""
        name = self.entry.per_sample
        return np.arange(0) if name is None else np.flatnonzero(self.value_of(name) == 0)

    def of_present(self, values: Entries) -> Entries:
        """Return the entries of the samples that are not :attr:`absent`; if none is, the values themselves."""
        absent = self.absent
        if absent.size == 0:
            return values
        present: Entries = values[np.setdiff1d(np.arange(len(self)), absent)]
        return present

    def _parameter_values(self) -> tuple[bytes, ...]:
        """Return what the hyper-parameters are now, to tell whether an answer is still one."""
        return tuple(self.value_of(name).tobytes() for name in self.entry.names)

    def on(self, rows: ArrayLike) -> Self:
        """Return the same model on some of its samples, in that order.

        The new model has the labels or targets, costs and kernel values of the chosen samples. Labels keep their
        meaning, and hyper-parameters keep their values.

        Parameters
        ----------
        rows
            Numbers of the samples, all different, or one truth value for each sample.

        Raises
        ------
        ParameterError, ShapeError
            If these are not such numbers, or hyper-parameters are outside their range for these samples.
        OneClassError
            If a model of two classes would be left with one class.
        """
        numbers = sample_numbers(rows, len(self), "rows")
        return self._stated_on(BoundSamples(self.gram.part(numbers), self.data.explicit), numbers)

    def copy(self) -> Self:
        """Return the same model of the same data, whose hyper-parameters can be set independently of this one."""
        return self._stated_on(self.data, None)

    def with_kernel(self, kernel: KernelLike) -> Self:
        """Return the same model of the same samples with another kernel, whose matrix has the same limits.

        Raises
        ------
        ParameterError, ShapeError, NonFiniteError
            If this is not a kernel, or not one for these samples.
        """
        return self._stated_on(self._bound_by(as_kernel(kernel)), None)

    def set_params(self, **values: Any) -> Self:
        """Set hyper-parameters, the kernel or its parameters by name; if one is refused, none is set.

        Every form compiles only once for all values of hyper-parameters. Another kernel has another matrix, so the
        forms are stated anew, and those that were taken from the model before refuse to continue. The same happens
        where a cost or weight becomes 0, or stops being 0.

        Parameters
        ----------
        **values
            Hyper-parameters (C, epsilon ...), ``kernel``, to which parameters of the kernel then belong, and these
            parameters (gamma, degree ...). Their names may have the prefix ``kernel__``, and must have it if the model
            has a hyper-parameter of the same name. Those of a kernel in a kernel are written ``left__gamma``.

        Raises
        ------
        ParameterError, ShapeError, NonFiniteError, IndefiniteKernelError
            If there is no such parameter, or a value is outside its range. Nothing is changed then.
        """
        own = set(self.entry.names)
        settings = {name: value for name, value in values.items() if name not in own}
        kernel = kernel_with(self, settings) if settings else self.gram.kernel
        data = self.data if kernel == self.gram.kernel else self._bound_by(kernel)
        absent = self.absent
        self._set_hyperparameters({name: value for name, value in values.items() if name in own})
        if data is not self.data or not np.array_equal(absent, self.absent):
            self._forget_forms()
        vars(self).update(data=data, gram=data.gram)
        return self

    def _forget_forms(self) -> None:
        """Forget what was computed, except for the parameters that a user may hold: the model is another one now."""
        own = set(self.entry.names)
        for name in [name for name in vars(self) if self._is_derived(name) and name not in own]:
            del vars(self)[name]

    def bound_to(self, gram: Gram) -> Self:
        """Return the same model with ``gram`` as the kernel matrix of its samples, so that others may share its values.

        The matrix must be that of the same samples and kernel; this is not checked.
        """
        if not isinstance(gram, Gram) or len(gram) != len(self):
            raise ParameterError(f"a model of {len(self)} samples is bound to a Gram of those, but {shown(gram)} came.")
        return self._stated_on(BoundSamples(gram, self.data.explicit), None)

    def _check_samples(self) -> None:
        """Refuse samples on which the model cannot be stated; here none are."""

    @property
    def settings(self) -> dict[str, Any]:
        """The model's attributes other than data and hyper-parameters: its intercept, its classes, a loss."""
        others = {"data", "gram", "_frozen", "_numbers", *_OF_SAMPLES}
        return {name: value for name, value in vars(self).items() if name not in others and not self._is_derived(name)}

    def with_samples(self, data: BoundSamples, entries: Mapping[str, Vector], values: Mapping[str, Vector]) -> Self:
        """Return the same model of other samples.

        Parameters
        ----------
        data
            The samples, for which the model is known to be sound.
        entries
            Attributes with an entry for each sample, such as y, by name.
        values
            The values of all hyper-parameters by name; those of single samples are for the new samples.

        Raises
        ------
        ParameterError, ShapeError, OneClassError
            If the model cannot be stated on these samples, or a hyper-parameter is outside its range for them.
        """
        model = self._alike(data, entries, _frozen=False)
        model._check_samples()
        model._make_parameters(values)
        model._check_parameters()
        vars(model)["_frozen"] = True
        return model

    def _as_it_is(self, gram: Gram) -> Self:
        """Return the same model upon another ``gram`` of the same matrix, with the values of now whatever is set later.

        Nothing is checked, and no value is copied that a user cannot change.
        """
        values = {
            name: self._numbers[name] if name not in vars(self) else self.value_of(name).copy()
            for name in self.entry.names
        }
        return self._alike(BoundSamples(gram, self.data.explicit), {}, _numbers=values)

    def _alike(self, data: BoundSamples, entries: Mapping[str, Vector], **others: Any) -> Self:
        """Return a model of these attributes, and else those of this one that were not computed from others."""
        model = object.__new__(type(self))
        kept = {name: each for name, each in vars(self).items() if not self._is_derived(name)}
        vars(model).update(kept, **entries, data=data, gram=data.gram, **others)
        return model

    def _bound_by(self, kernel: Kernel) -> BoundSamples:
        """Return the samples bound to another kernel."""
        known = self.gram
        gram = Gram(kernel, known.X, known.memory_limit, known.indefinite)
        if self.entry.needs_psd:
            gram.require_psd()
        return BoundSamples(gram, explicit=False)

    def _stated_on(self, data: BoundSamples, numbers: Indices | None) -> Self:
        chosen = {name: vars(self)[name] for name in _OF_SAMPLES if name in vars(self)}
        values = {name: self.value_of(name) for name in self.entry.names}
        if numbers is not None:
            chosen = {name: _entries(entries, numbers) for name, entries in chosen.items()}
            values |= {each.name: values[each.name][numbers] for each in self.entry.parameters if each.per_sample}
        return self.with_samples(data, chosen, values)

    def _is_derived(self, name: str) -> bool:
        """Return whether an attribute was computed from others when it was first asked for."""
        return isinstance(getattr(type(self), name, None), cached_property)


def _declared(hyperparameter: Hyperparameter, owner: Restatable) -> cp.Parameter:
    return hyperparameter.parameter(owner.value_of(hyperparameter.name).copy())


class _Kernelled(Protocol):
    """A model with a kernel beside hyper-parameters of its own."""

    @property
    def name(self) -> str:
        """Name of the kind."""

    @property
    def gram(self) -> Gram:
        """The kernel matrix."""

    @property
    def entry(self) -> ModelEntry:
        """The declaration of the class."""


def kernel_with(model: _Kernelled, settings: Mapping[str, Any]) -> Kernel:
    """Return the kernel of the model with other values of its parameters, by name.

    They are named as :meth:`Restatable.set_params` takes them.

    Raises
    ------
    ParameterError
        If neither the model nor its kernel has a parameter of such a name, or a value is outside its range.
    """
    kernel = as_kernel(settings["kernel"]) if "kernel" in settings else model.gram.kernel
    known = parameters_of(kernel)
    changes = {name.removeprefix(_PREFIX): value for name, value in settings.items() if name != "kernel"}
    for name in changes:
        if name not in known:
            own = ", ".join(model.entry.names) or "none"
            raise ParameterError(
                f"a {model.name} has no hyper-parameter {name!r}, nor has its kernel {kernel!r} such a parameter; "
                f"the names are {own} of the model, and {', '.join(known) or 'none'} of the kernel."
            )
    return with_parameters(kernel, changes)


def sample_numbers(rows: ArrayLike, samples: int, name: str) -> Indices:
    """Return ``rows`` as numbers of samples, all different, at least one.

    Raises
    ------
    ShapeError, ParameterError
        If they are neither such numbers nor a truth value for each sample.
    """
    given = read_array(rows, name)
    if given.dtype == np.bool_ and given.shape == (samples,):
        given = np.flatnonzero(given)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise ShapeError(
            f"{name} must be numbers of samples, or one truth value for each of the {samples}, but an array of shape "
            f"{given.shape} ({given.dtype}) came."
        )
    if given.size == 0 or given.min() < 0 or given.max() >= samples:
        raise ParameterError(
            f"{name} must be numbers from 0 to {samples - 1}, at least one, but {shown(given.tolist())} came."
        )
    if np.bincount(given, minlength=samples).max() > 1:
        repeated = int(np.argmax(np.bincount(given, minlength=samples)))
        raise ParameterError(
            f"{name} must be different samples, but {repeated} came more than once; give a repeated sample a larger "
            "cost, where the model has a cost for each sample."
        )
    return given.astype(np.intp)


def _entries(values: np.ndarray, numbers: Indices) -> np.ndarray:
    chosen = values[numbers]
    chosen.flags.writeable = False
    return chosen


def checked_values(kind: type[Restatable], given: Mapping[str, Any], samples: int) -> dict[str, Vector]:
    """Return the values of all hyper-parameters for the given number of samples; others have their defaults.

    Raises
    ------
    ParameterError, ShapeError
        If one is outside its range.
    """
    parameters = kind.entry.parameters
    lacking = any(each.name not in given for each in parameters)
    defaults = {name: each.default for name, each in signature(kind).parameters.items()} if lacking else {}
    return {each.name: each.checked({**defaults, **given}[each.name], samples) for each in parameters}
