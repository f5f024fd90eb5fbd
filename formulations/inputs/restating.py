# SPDX-License-Identifier: BSD-3-Clause
"""The same model of other data: of some of its samples, or of another kernel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from formulations.inputs.hyperparameters import Parametrised
from formulations.inputs.samples import BoundSamples
from qpkernels.arrays import Indices, Vector, read_array, shown
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel

__all__ = ["Restatable", "sample_numbers"]


class Restatable(Parametrised):
    """A model that can be stated anew on what it already knows to be sound."""

    needs_psd: ClassVar[bool] = True
    """Whether the problem is convex only with a positive semidefinite K."""

    of_samples: ClassVar[tuple[str, ...]] = ("y",)
    """Attributes with an entry for each sample, beside hyper-parameters."""

    data: BoundSamples
    gram: Gram

    def on(self, rows: ArrayLike) -> Self:
        """Return the same model on some of its samples, in that order.

        Labels or targets, costs of single samples and kernel values are those of the samples chosen; the labels keep
        their meaning, and hyper-parameters their values.

        Parameters
        ----------
        rows
            Numbers of the samples, all different, or one truth value for each sample.

        Raises
        ------
        ParameterError, ShapeError
            If these are no such numbers, or the hyper-parameters are outside their range for so few samples.
        OneClassError
            If a model of two classes would be left with one.
        """
        numbers = sample_numbers(rows, len(self), "rows")
        return self._stated_on(BoundSamples(self.gram.part(numbers), self.data.explicit), numbers)

    def copy(self) -> Self:
        """Return the same model of the same data, whose hyper-parameters can be set apart from those of this one."""
        return self._stated_on(self.data, None)

    def with_kernel(self, kernel: Kernel) -> Self:
        """Return the same model of the same samples with another kernel, its matrix held to the same limits.

        Raises
        ------
        ParameterError, ShapeError, NonFiniteError
            If this is no kernel, or none of these samples.
        """
        known = self.gram
        gram = Gram(kernel, known.X, known.memory_limit, known.indefinite)
        if self.needs_psd:
            gram.require_psd()
        return self._stated_on(BoundSamples(gram, explicit=False), None)

    def bound_to(self, gram: Gram) -> Self:
        """Return the same model with ``gram`` as the kernel matrix of its samples, so that others may share its values.

        The matrix must be that of the same samples and kernel; this is not checked.
        """
        if not isinstance(gram, Gram) or len(gram) != len(self):
            raise ParameterError(f"a model of {len(self)} samples is bound to a Gram of those, but {shown(gram)} came.")
        return self._stated_on(BoundSamples(gram, self.data.explicit), None)

    def check_samples(self) -> None:
        """Refuse samples on which the model cannot be stated; here none are."""

    @property
    def settings(self) -> dict[str, Any]:
        """What the model is beside its data and hyper-parameters, by attribute: its intercept, its classes, a loss."""
        others = {"data", "gram", "_frozen", "_numbers", *self.of_samples}
        return {name: value for name, value in vars(self).items() if name not in others and not self._is_derived(name)}

    def with_samples(self, data: BoundSamples, entries: Mapping[str, Vector], values: Mapping[str, Vector]) -> Self:
        """Return the same model of other samples.

        Parameters
        ----------
        data
            The samples, for which the model is known to be sound.
        entries
            Of :attr:`of_samples`, those that the model has, with an entry for each sample.
        values
            The hyper-parameters.

        Raises
        ------
        ParameterError, ShapeError, OneClassError
            If the model cannot be stated on these samples, or a hyper-parameter is outside its range for them.
        """
        model = object.__new__(type(self))
        kept = {name: value for name, value in vars(self).items() if not self._is_derived(name)}
        vars(model).update(kept, **entries, data=data, gram=data.gram, _frozen=False)
        model.check_samples()
        model.make_parameters(values)
        model.check_parameters()
        model.freeze()
        return model

    def _stated_on(self, data: BoundSamples, numbers: Indices | None) -> Self:
        chosen = {name: vars(self)[name] for name in self.of_samples if name in vars(self)}
        values = {each.name: self.value_of(each.name) for each in self.hyperparameters}
        if numbers is not None:
            chosen = {name: _entries(entries, numbers) for name, entries in chosen.items()}
            values |= {each.name: values[each.name][numbers] for each in self.hyperparameters if each.per_sample}
        return self.with_samples(data, chosen, values)

    def _is_derived(self, name: str) -> bool:
        """Return whether an attribute was computed from others when it was first asked for."""
        return isinstance(getattr(type(self), name, None), cached_property)


def sample_numbers(rows: ArrayLike, samples: int, name: str) -> Indices:
    """Return ``rows`` as numbers of samples, all different, at least one.

    Raises
    ------
    ShapeError, ParameterError
        If they are neither such numbers nor a truth value for each of that many samples.
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
