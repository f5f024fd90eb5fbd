# SPDX-License-Identifier: BSD-3-Clause
"""What the options of the command line state: which model, with which hyper-parameters, and which kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from inspect import isabstract
from typing import Any

import formulations.public as public
from formulations.classification.base import TwoClassModel
from formulations.classification.one_class import OneClass
from formulations.commands.kernel_expression import read_kernel
from formulations.commands.options import KernelOptions, ModelOptions
from formulations.modelling import Form, Model, Stated
from qpkernels.arrays import Samples, is_sparse
from qpkernels.errors import ParameterError
from qpkernels.kernels import Kernel

__all__ = ["MODELS", "Asked", "ask", "ask_all", "choose_kernel", "describe", "heading_of"]


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


def _plain(name: str) -> str:
    """Return a name without what spellings differ in: soft-margin, SoftMargin, soft_margin."""
    return re.sub(r"[-_ ]", "", name).lower()


MODELS: dict[str, type[Model[Any]]] = {
    _kebab(name): value
    for name, value in vars(public).items()
    if name in public.__all__ and isinstance(value, type) and issubclass(value, Model) and not isabstract(value)
}
"""Every public model by its name on the command line."""


def _spellings() -> Iterator[tuple[str, tuple[str, str | None]]]:
    """Yield the names of all forms, then those of all models, which come first where they are equal."""
    for name, model in MODELS.items():
        for form, kind in Stated.of(model):
            yield _plain(kind.__name__), (name, form)
            yield _plain(f"{name}{form}"), (name, form)
    for name in MODELS:
        yield _plain(name), (name, None)


_KNOWN = dict(_spellings())
"""Model and form by every name that they have."""


@dataclass(frozen=True)
class Asked:
    """A model by its name, and what is stated of it before there are data.

    Attributes
    ----------
    name
        That of :data:`MODELS`.
    form
        Name of a form; None: the model itself.
    values
        Its hyper-parameters by name; others have their defaults.
    """

    name: str
    form: str | None
    values: Mapping[str, Any]

    @property
    def kind(self) -> type[Model[Any]]:
        """The class of the model."""
        return MODELS[self.name]

    @property
    def separates(self) -> bool:
        """Whether it is of two classes."""
        return issubclass(self.kind, TwoClassModel)

    @property
    def without_targets(self) -> bool:
        """Whether it is of one class, and looks at samples alone."""
        return issubclass(self.kind, OneClass)

    def model(self, X: Samples, y: Any, kernel: Kernel | None) -> Model[Any]:
        """State the model on samples."""
        if kernel is not None and is_sparse(X) and not kernel.takes_sparse:
            raise ParameterError(f"{describe(kernel)} takes dense samples, but these are sparse; add --dense.")
        kind: Any = self.kind
        targets = () if self.without_targets else (y,)
        stated: Model[Any] = kind(X, *targets, kernel, **self.values)
        return stated

    def statement(self, model: Model[Any]) -> Model[Any] | Form:
        """Return the form of the model that was asked for, or the model itself."""
        return model if self.form is None else model.forms[self.form]


def ask(options: ModelOptions, form: str | None = None) -> Asked:
    """Return which model the options name, and ``form`` of it.

    Raises
    ------
    ParameterError
        If there is no such model, form or hyper-parameter.
    """
    (asked,) = ask_all([options.model], options.cost, options.settings)
    if form is None:
        return asked
    forms = [known for known, _ in Stated.of(asked.kind)]
    if form not in forms:
        raise ParameterError(f"--form of a {asked.kind.__name__} must be one of {', '.join(forms)}, but {form!r} came.")
    if asked.form not in (None, form):
        raise ParameterError(f"--model {options.model} is the form {asked.form}, but --form {form} came; keep one.")
    return replace(asked, form=form)


def ask_all(names: Iterable[str], cost: float | None, settings: list[str] | None) -> list[Asked]:
    """Return the models of these names, each with those of the values that it has.

    Raises
    ------
    ParameterError
        If there is no such model, or none of them has a hyper-parameter.
    """
    found = [_find(name) for name in names]
    values = read_values(cost, settings)
    has = {name: [parameter.name for parameter in MODELS[name].hyperparameters] for name, _ in found}
    for value in values:
        if not any(value in own for own in has.values()):
            told = "; ".join(f"{model} has {', '.join(own) or 'none'}" for model, own in has.items())
            raise ParameterError(f"there is no hyper-parameter {value}: {told}; leave it out.")
    return [Asked(name, form, {key: values[key] for key in values if key in has[name]}) for name, form in found]


def choose_kernel(options: KernelOptions, X: Samples) -> Kernel | None:
    """Return the kernel that the options describe; None: weights in the features themselves."""
    given = {"gamma": options.gamma, "degree": options.degree, "coef0": options.coef0}
    stated = {name: value for name, value in given.items() if value is not None}
    if options.kernel.strip().lower() != "none":
        return read_kernel(options.kernel, X, stated)
    for name in stated:
        raise ParameterError(f"--kernel none has no use for --{name}; leave it out, or choose another kernel.")
    return None


def heading_of(source: str, X: Samples, kernel: Kernel | None, values: Mapping[str, Any]) -> str:
    """Say in a line what was solved: the data, the kernel, the hyper-parameters."""
    chosen = "".join(f", {name} = {value:g}" for name, value in values.items())
    how = describe(kernel) if kernel is None else f"kernel {describe(kernel)}"
    return f"{source}: {X.shape[0]} samples, {X.shape[1]} features, {how}{chosen}"


def describe(kernel: Kernel | None) -> str:
    """Return the kernel in words."""
    # A width found from the data has more digits than anybody reads.
    return "explicit features" if kernel is None else re.sub(r"\d+\.\d{6,}", _rounded, repr(kernel))


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number.group()):.6g}"


def _find(name: str) -> tuple[str, str | None]:
    found = _KNOWN.get(_plain(name))
    if found is None:
        near = dict.fromkeys(_KNOWN[word] for word in get_close_matches(_plain(name), _KNOWN, n=3))
        names = [model if form is None else f"{model}-{form}" for model, form in near]
        hint = f"Did you mean {' or '.join(names)}? " if names else ""
        raise ParameterError(f"no model is called {name!r}. {hint}'qpkernels models' lists all, such as soft-margin.")
    return found


def read_values(cost: float | None, settings: list[str] | None) -> dict[str, float]:
    """Return hyper-parameters by name: --C, and NAME=VALUE of --set."""
    values = {} if cost is None else {"C": cost}
    for setting in settings or []:
        name, separator, text = setting.partition("=")
        try:
            value = float(text)
        except ValueError:
            separator = ""
        if not separator:
            raise ParameterError(f"--set takes NAME=VALUE with a number, such as epsilon=0.1, but {setting!r} came.")
        if name.strip() in values:
            raise ParameterError(f"the hyper-parameter {name.strip()} came twice; keep one.")
        values[name.strip()] = value
    return values
