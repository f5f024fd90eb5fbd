# SPDX-License-Identifier: BSD-3-Clause
"""What the options of the command line mean: which data, which kernel, which model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from inspect import isabstract
from typing import Any

import numpy as np
from numpy.typing import NDArray

import formulations.public as public
from formulations.classification.base import TwoClassModel
from formulations.classification.one_class import OneClass
from formulations.modelling import Form, Model, Stated
from qpkernels.arrays import Samples
from qpkernels.datasets import load_dataset, one_versus_rest, scale_features
from qpkernels.errors import ParameterError
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial, scale_gamma

__all__ = [
    "MODELS",
    "choose_kernel",
    "describe",
    "heading_of",
    "hyperparameters",
    "read_data",
    "state_form",
    "state_model",
]


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


MODELS: dict[str, type[Model[Any]]] = {
    _kebab(name): value
    for name, value in vars(public).items()
    if name in public.__all__ and isinstance(value, type) and issubclass(value, Model) and not isabstract(value)
}
"""Every public model by its name on the command line."""

_MOST_CLASSES = 100
"""More different targets than this are taken for the values of a regression."""

_KERNEL_OPTIONS = {
    "rbf": ("--gamma",),
    "linear": (),
    "polynomial": ("--gamma", "--degree", "--coef0"),
    "none": (),
}
"""The kernels of the command line, each with its options; none: weights in the features themselves."""


def read_data(
    source: str, scale: bool, positive: str | None, target: str | None, models: Iterable[str]
) -> tuple[Samples, Any]:
    """Return samples and targets of the data set that the options name: two classes where a model separates them."""
    column: str | int | None = int(target) if target is not None and target.isdecimal() else target
    dataset = load_dataset(source, target=column)
    labels = dataset.y if positive is None else one_versus_rest(dataset.y, positive)
    if any(issubclass(MODELS[model], TwoClassModel) for model in models if model in MODELS):
        _check_two_classes(source, np.unique(labels))
    return scale_features(dataset.X) if scale else dataset.X, labels


def _check_two_classes(source: str, classes: NDArray[Any]) -> None:
    if classes.size > _MOST_CLASSES:
        raise ParameterError(
            f"{source} has {classes.size} different targets, as for regression, and these models separate two classes; "
            "take a data set of classes, or a regression model such as soft-tube."
        )
    if classes.size > 2:
        raise ParameterError(
            f"{source} has {classes.size} different targets, and these models separate two classes; "
            f"name the one that is +1: --positive {classes[0]}."
        )


def choose_kernel(name: str, X: Samples, gamma: str | None, degree: int | None, coef0: float | None) -> Kernel | None:
    """Return the kernel that the options describe; None: weights in the features themselves."""
    given = {"--gamma": gamma, "--degree": degree, "--coef0": coef0}
    if name not in _KERNEL_OPTIONS:
        raise ParameterError(f"--kernel must be one of {', '.join(_KERNEL_OPTIONS)}, but {name!r} came.")
    for option, value in given.items():
        if value is not None and option not in _KERNEL_OPTIONS[name]:
            raise ParameterError(f"--kernel {name} has no {option}; leave it out, or choose another kernel.")
    match name:
        case "rbf":
            return RBF(_gamma(gamma, X))
        case "polynomial":
            return Polynomial(3 if degree is None else degree, _gamma(gamma, X), coef0 or 0.0)
        case "linear":
            return Linear()
        case _:
            return None


def _gamma(text: str | None, X: Samples) -> float:
    if text is None or text == "scale":
        return scale_gamma(X)
    if text == "auto":
        return float(1.0 / X.shape[1])
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"--gamma must be a number, 'scale' or 'auto', but {text!r} came.") from None


def hyperparameters(cost: float | None, settings: list[str] | None, models: Iterable[str]) -> dict[str, float]:
    """Return the values of --C and --set by name, each of which some model must have."""
    values = {} if cost is None else {"C": cost}
    for setting in settings or []:
        name, separator, text = setting.partition("=")
        try:
            values[name.strip()] = float(text)
        except ValueError:
            separator = ""
        if not separator:
            raise ParameterError(f"--set takes NAME=VALUE with a number, such as epsilon=0.1, but {setting!r} came.")
    known = {model: _names(model) for model in models if model in MODELS}
    for name in values:
        if not any(name in names for names in known.values()):
            has = "; ".join(f"{model} has {', '.join(names) or 'none'}" for model, names in known.items())
            raise ParameterError(f"there is no hyper-parameter {name}: {has}; leave it out.")
    return values


def state_model(name: str, X: Samples, y: Any, kernel: Kernel | None, values: dict[str, float]) -> Model[Any]:
    """State the model of that name, with those of the values that it has."""
    if name not in MODELS:
        raise ParameterError(f"--model must be one of {', '.join(MODELS)}, but {name!r} came.")
    model: Any = MODELS[name]
    own = {parameter: value for parameter, value in values.items() if parameter in _names(name)}
    targets = () if issubclass(model, OneClass) else (y,)
    stated: Model[Any] = model(X, *targets, kernel, **own)
    return stated


def state_form(model: Model[Any], name: str | None) -> Form:
    """Return the form of that name; None: the usual one."""
    forms = [known for known, _ in Stated.of(type(model))]
    if name is not None and name not in forms:
        raise ParameterError(f"--form of a {model.name} must be one of {', '.join(forms)}, but {name!r} came.")
    form: Form = getattr(model, forms[0] if name is None else name)
    return form


def _names(model: str) -> list[str]:
    """Return the names of the hyper-parameters of a model."""
    return [parameter.name for parameter in MODELS[model].hyperparameters]


def heading_of(source: str, X: Samples, kernel: Kernel | None, values: Mapping[str, float]) -> str:
    """Say in a line what was solved: the data, the kernel, the hyper-parameters."""
    chosen = "".join(f", {name} = {value:g}" for name, value in values.items())
    return f"{source}: {X.shape[0]} samples, {X.shape[1]} features, {describe(kernel)}{chosen}"


def describe(kernel: Kernel | None) -> str:
    """Return the kernel in words."""
    # A width found from the data has more digits than anybody reads.
    return "explicit features" if kernel is None else "kernel " + re.sub(r"\d+\.\d{6,}", _rounded, repr(kernel))


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number.group()):.6g}"
