# SPDX-License-Identifier: BSD-3-Clause
"""How a command solves its problem: by which solver, how well and how long, with its progress and checkpoints."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

from formulations.commands.kernel_expression import read_kernel
from formulations.commands.options import KernelOptions, ModelOptions, find_model, models_by_name
from formulations.modelling import Form, Model, Stated
from formulations.modelling.inputs.samples import BoundSamples, bind
from formulations.models.classification.meta.multiclass import OneVersusOne, OneVersusRest
from formulations.models.classification.one_class import OneClass
from formulations.models.classification.two_class_model import TwoClassModel
from qpkernels.arrays import Samples, check_choice, is_sparse
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram, LowRank
from qpkernels.kernels import Kernel

__all__ = [
    "Asked",
    "Solving",
    "ask",
    "ask_all",
    "choose_kernel",
    "describe",
    "heading_of",
    "read_values",
    "require_model",
]

Scheme: TypeAlias = OneVersusOne | OneVersusRest
"""The schemes by which machines of two classes separate several."""

Indefinite: TypeAlias = Literal["refuse", "clip", "shift"]


@dataclass(frozen=True)
class Asked:
    """A model by its name, with the options that are stated before there are data.

    Attributes
    ----------
    name
        That of :func:`~formulations.commands.options.models_by_name`.
    form
        Name of a form; None: the model itself.
    values
        Its hyper-parameters by name; others have their defaults.
    indefinite
        How to treat a kernel matrix with a negative eigenvalue; see :class:`~qpkernels.gram.Gram`.
    rank
        The rank of an approximate kernel matrix; None: the matrix is exact.
    """

    name: str
    form: str | None
    values: Mapping[str, Any]
    indefinite: Indefinite = "refuse"
    rank: int | None = None

    @property
    def kind(self) -> type[Model[Any]]:
        """The class of the model."""
        return models_by_name()[self.name]

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
        kind: Any = self.kind
        targets = () if self.without_targets else (y,)
        stated: Model[Any] = kind(self._bound(X, kernel), *targets, **self.values)
        return stated

    def of_several(self, X: Samples, y: Any, kernel: Kernel | None, *, against_rest: bool = False) -> Scheme:
        """State a machine for each pair of several classes, or for each of them against the rest."""
        scheme = OneVersusRest if against_rest else OneVersusOne
        return scheme(self._bound(X, kernel), y, machine=cast("type[TwoClassModel]", self.kind), **self.values)

    def _bound(self, X: Samples, kernel: Kernel | None) -> BoundSamples:
        if kernel is None:
            return bind(X, kernel)
        if is_sparse(X) and not kernel.takes_sparse:
            raise ParameterError(f"{describe(kernel)} takes dense samples, but these are sparse; add --dense.")
        if self.rank is not None:
            return bind(LowRank(kernel, X, self.rank), None)
        return bind(Gram(kernel, X, indefinite=self.indefinite), None)

    def at(self, values: Mapping[str, Any]) -> Asked:
        """Return the model with other hyper-parameters, where these name some."""
        return replace(self, values={**self.values, **values})

    def statement(self, model: Model[Any]) -> Model[Any] | Form:
        """Return the form of the model that was asked for, or the model itself."""
        return model if self.form is None else model.forms[self.form]


def ask(options: ModelOptions, kernel: KernelOptions, form: str | None = None) -> Asked:
    """Return the model that the options name, and its ``form``."""
    (asked,) = ask_all([options.model], options.cost, options.settings, kernel)
    if form is None:
        return asked
    forms = [known for known, _ in Stated.of(asked.kind)]
    if form not in forms:
        raise ParameterError(f"--form of a {asked.kind.__name__} must be one of {', '.join(forms)}, but {form!r} came.")
    if asked.form not in (None, form):
        raise ParameterError(f"--model {options.model} is the form {asked.form}, but --form {form} came; keep one.")
    return replace(asked, form=form)


def ask_all(names: Iterable[str], cost: float | None, settings: list[str] | None, kernel: KernelOptions) -> list[Asked]:
    """Return the models of these names, each with those of the values that it has."""
    found = [find_model(name) for name in names]
    values = read_values(cost, settings)
    has = {name: models_by_name()[name].entry.names for name, _ in found}
    for value in values:
        if not any(value in own for own in has.values()):
            told = "; ".join(f"{model} has {', '.join(own) or 'none'}" for model, own in has.items())
            raise ParameterError(f"there is no hyper-parameter {value}: {told}; leave it out.")
    indefinite = cast("Indefinite", check_choice(kernel.indefinite, "--indefinite", get_args(Indefinite)))
    return [
        Asked(name, form, {key: values[key] for key in values if key in has[name]}, indefinite, kernel.rank)
        for name, form in found
    ]


def require_model(asked: Asked) -> None:
    """Refuse a form where only models can be solved."""
    if asked.form is not None:
        raise ParameterError(f"this command solves models, not the form {asked.form}; name the model: {asked.name}.")


def choose_kernel(options: KernelOptions, X: Samples) -> Kernel | None:
    """Return the kernel that the options describe; None: weights in the features themselves."""
    given = {"gamma": options.gamma, "degree": options.degree, "coef0": options.coef0}
    stated: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if options.kernel.strip().lower() != "none":
        kernel = read_kernel(options.kernel, X, stated)
        if options.indefinite != "refuse" and kernel.positive_semidefinite:
            raise ParameterError(f"{describe(kernel)} has no negative eigenvalues; leave --indefinite out.")
        if options.indefinite != "refuse" and options.rank is not None:
            raise ParameterError(
                f"--rank is for kernels without negative eigenvalues, unlike {describe(kernel)}; leave it out."
            )
        return kernel
    if options.indefinite != "refuse":
        stated["indefinite"] = options.indefinite
    if options.rank is not None:
        stated["rank"] = options.rank
    for name in stated:
        raise ParameterError(f"--kernel none has no use for --{name}; leave it out, or choose another kernel.")
    return None


def heading_of(source: str, X: Samples, kernel: Kernel | None, values: Mapping[str, Any]) -> str:
    """Return a line on what was solved: the data, the kernel and the hyper-parameters."""
    chosen = "".join(f", {name} = {value:g}" for name, value in values.items())
    how = describe(kernel) if kernel is None else f"kernel {describe(kernel)}"
    return f"{source}: {X.shape[0]} samples, {X.shape[1]} features, {how}{chosen}"


def describe(kernel: Kernel | None) -> str:
    """Return the kernel in words."""
    # A width found from the data has more digits than anybody reads.
    return "explicit features" if kernel is None else re.sub(r"\d+\.\d{6,}", _rounded, repr(kernel))


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number.group()):.6g}"


def read_values(cost: float | None, settings: list[str] | None) -> dict[str, float]:
    """Return hyper-parameters by name: --C, and NAME=VALUE of --set."""
    if cost == math.inf:
        raise ParameterError("--C must be finite, but inf came; the hard margin has no cost: --model hard-margin.")
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


_TELLING = (None, "smo")
"""Whom lines of progress may be asked of: smo, or whoever is chosen by structure."""


@dataclass(frozen=True)
class Solving:
    """The options of a solve; see :meth:`formulations.modelling.model.Model.solve`."""

    solver: str | None
    tol: float
    time_limit: float | None = None
    checkpoint: Path | None = None

    def solve(self, statement: Any, tell: Callable[[str], None]) -> Any:
        """Solve a model or form, with lines of progress where smo may have a part, and its checkpoints."""
        options: dict[str, Any] = {} if self.checkpoint is None else {"checkpoint": self.checkpoint}
        if self.solver in _TELLING:
            options["report"] = tell
        return statement.solve(self.solver, tol=self.tol, time_limit=self.time_limit, **options)

    def solve_several(self, statement: Any) -> Any:
        """Solve a scheme of machines."""
        if self.checkpoint is not None:
            raise ParameterError("--checkpoint keeps one machine, but several classes take several; leave it out.")
        options: dict[str, Any] = {} if self.time_limit is None else {"time_limit": self.time_limit}
        return statement.solve(self.solver, tol=self.tol, **options)
