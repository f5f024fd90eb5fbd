# SPDX-License-Identifier: BSD-3-Clause
"""The options that several commands share, in groups; :mod:`formulations.commands.statements` carries them out."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from difflib import get_close_matches
from functools import cache, partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from formulations.modelling import Model

__all__ = [
    "MACHINE",
    "SOFT_MARGIN",
    "Checkpoint",
    "Cost",
    "FormName",
    "JsonPath",
    "KernelOptions",
    "MachinePath",
    "ModelOptions",
    "NewOptions",
    "Picture",
    "Positive",
    "SamplesOptions",
    "Seed",
    "Settings",
    "SolverName",
    "SolverNames",
    "Store",
    "TimeLimit",
    "Tolerance",
    "TrainingOptions",
    "Tries",
    "complete_models",
    "complete_solvers",
    "find_model",
    "in_data",
    "in_kernel",
    "in_model",
    "in_output",
    "in_solving",
    "models_by_name",
    "with_options",
]


@cache
def models_by_name() -> Mapping[str, type[Model[Any]]]:
    """Return every public model by its name, such as soft-margin."""
    from inspect import isabstract

    from formulations import public
    from formulations.modelling import Model
    from qpkernels.display.card import spelled

    return {
        spelled(value): value
        for name, value in vars(public).items()
        if name in public.__all__ and isinstance(value, type) and issubclass(value, Model) and not isabstract(value)
    }


def find_model(name: str) -> tuple[str, str | None]:
    """Return the names of a model and of the form that its name may end with, from any spelling."""
    from qpkernels.errors import ParameterError

    known = _spellings()
    found = known.get(_plain(name))
    if found is None:
        near = dict.fromkeys(known[word] for word in get_close_matches(_plain(name), known, n=3))
        names = [model if form is None else f"{model}-{form}" for model, form in near]
        hint = f"Did you mean {' or '.join(names)}? " if names else ""
        raise ParameterError(f"no model is called {name!r}. {hint}'qpkernels models' lists all, such as soft-margin.")
    return found


def complete_models(begin: str) -> list[str]:
    """Return the models that a word may be completed to, for the shell."""
    return sorted(name for name in models_by_name() if name.startswith(begin))


def complete_solvers(begin: str) -> list[str]:
    """Return the solvers that a word may be completed to, for the shell."""
    from qpkernels.solvers import registered_solvers

    return sorted(solver.name for solver in registered_solvers() if solver.name.startswith(begin))


@cache
def _spellings() -> Mapping[str, tuple[str, str | None]]:
    """Return model and form by every name that they have; that of a model comes first where a form has it too."""
    return dict(_named_forms()) | {_plain(name): (name, None) for name in models_by_name()}


def _named_forms() -> Iterator[tuple[str, tuple[str, str | None]]]:
    from formulations.modelling import Stated

    for name, model in models_by_name().items():
        for form, kind in Stated.of(model):
            yield _plain(kind.__name__), (name, form)
            yield _plain(f"{name}{form}"), (name, form)


def _plain(name: str) -> str:
    """Return a name without what spellings differ in: soft-margin, SoftMargin, soft_margin."""
    return re.sub(r"[-_ ]", "", name).lower()


SOFT_MARGIN = "soft-margin"

MACHINE = Path("machine.npz")
"""Where fit writes a machine, and predict and evaluate read it, unless they are told otherwise."""

in_data, in_kernel, in_model, in_solving, in_output = (
    partial(typer.Option, rich_help_panel=panel) for panel in ("Data", "Kernel", "Model", "Solving", "Output")
)
"""Options of a panel of the help."""

FormName = Annotated[
    str | None, in_model("--form", help="A form of the model, such as primal or dual; default: the usual one.")
]
SolverName = Annotated[
    str | None,
    in_solving(
        "--solver",
        help="A name that 'qpkernels solvers' lists; default: by structure, and others until it is proved.",
        autocompletion=complete_solvers,
    ),
]
SolverNames = Annotated[
    list[str] | None,
    in_solving("--solver", help="A solver; may be repeated. Default: all.", autocompletion=complete_solvers),
]
Tolerance = Annotated[float, in_solving("--tol", help="Largest relative gap and residuals that count as 'optimal'.")]
TimeLimit = Annotated[float | None, in_solving("--time-limit", help="Seconds for the solver; default: no limit.")]
Checkpoint = Annotated[
    Path | None,
    in_solving(
        "--checkpoint", help="Keep in this .npz file where smo stands, every 30 seconds; a rerun goes on from it."
    ),
]
Seed = Annotated[int, in_solving("--seed", help="Seed of everything that is drawn at random.")]
Tries = Annotated[
    list[str] | None,
    in_model(
        "--try",
        metavar="NAME=VALUES",
        help="Values of a hyper-parameter, of the model or its kernel: C=0.1,1,10 or gamma=log2:3,-15,-2 (begin, end, "
        "step of the exponent); may be repeated.",
    ),
]
Store = Annotated[Path | None, in_output("--store", help="Keep every fit in this file; a rerun continues from it.")]
Picture = Annotated[Path | None, in_output("--picture", help="Draw seconds against certified gaps into this file.")]
JsonPath = Annotated[str | None, in_output("--json", help="Also write JSON to this file; '-' prints JSON only.")]
MachinePath = Annotated[Path, typer.Option("--model", help="The machine: a file that fit wrote, or a model of LIBSVM.")]


_Source = Annotated[
    str, typer.Argument(help="A bundled set (breast-cancer, digits, wine, iris, diabetes), or a file.", metavar="DATA")
]
_Target = Annotated[
    str | None,
    in_data("--target", help="Target column of a CSV file: its name, or its number from 1; default: the last."),
]
Positive = Annotated[str | None, in_data("--positive", help="The name of the class that is +1, against all others.")]
_Dense = Annotated[
    bool, in_data("--dense", help="Hold all entries; default: LIBSVM text with under a quarter of nonzeros is sparse.")
]


@dataclass(frozen=True)
class SamplesOptions:
    """Which samples."""

    data: _Source
    target: _Target = None
    dense: _Dense = False


@dataclass(frozen=True)
class NewOptions(SamplesOptions):
    """The samples that a machine is asked about."""

    target: Annotated[
        str | None,
        in_data("--target", help="Target column of a CSV file: its name, or its number from 1; default: as for fit."),
    ] = None
    ranges: Annotated[
        Path | None,
        in_data("--range", help="Scale samples by this range file first, which a model of LIBSVM does not keep."),
    ] = None


@dataclass(frozen=True)
class TrainingOptions:
    """The samples that a model is stated on, and their scaling."""

    data: _Source
    target: _Target = None
    dense: _Dense = False
    positive: Positive = None
    scale: Annotated[
        bool, in_data("--scale", help="Map every feature to [-1, 1]; sparse ones are divided by max |x|.")
    ] = False
    standardise: Annotated[bool, in_data("--standardise", help="Give every feature the mean 0 and the variance 1.")] = (
        False
    )
    ranges: Annotated[
        Path | None, in_data("--range", help="Map features by a range file of svm-scale, which 'scale' writes as well.")
    ] = None


@dataclass(frozen=True)
class KernelOptions:
    """Which kernel."""

    kernel: Annotated[
        str,
        in_kernel(
            "--kernel",
            help="An expression, such as 'matern(nu=1.5, length=2) + 0.5 * linear', of those that 'qpkernels kernels' "
            "lists; or none: weights in the features themselves.",
        ),
    ] = "rbf"
    gamma: Annotated[
        str | None,
        in_kernel(
            "--gamma",
            help="Gamma where the expression states none: a number, 'auto' for 1 / d, or 'scale', the default, for "
            "1 / (d Var X).",
        ),
    ] = None
    degree: Annotated[int | None, in_kernel("--degree", help="Degree of a polynomial that states none; default 3.")] = (
        None
    )
    coef0: Annotated[
        float | None, in_kernel("--coef0", help="Constant of a polynomial or sigmoid that states none; default: 0.")
    ] = None
    indefinite: Annotated[
        str,
        in_kernel(
            "--indefinite",
            help="How to treat a matrix with negative eigenvalues (a sigmoid's): refuse it; clip sets them to 0; "
            "shift adds to the diagonal until the smallest is 0.",
        ),
    ] = "refuse"
    rank: Annotated[
        int | None,
        in_kernel(
            "--rank",
            help="A kernel matrix of this rank in place of the kernel's own, for samples whose own does not fit.",
        ),
    ] = None


Cost = Annotated[float | None, in_model("--C", help="Cost of a loss; default: 1.")]
Settings = Annotated[
    list[str] | None,
    in_model("--set", metavar="NAME=VALUE", help="Another hyper-parameter, such as epsilon=0.1; may be repeated."),
]


@dataclass(frozen=True)
class ModelOptions:
    """The model, and its hyper-parameters."""

    model: Annotated[
        str,
        in_model(
            "--model",
            help="A model that 'qpkernels models' lists, or one of its forms: soft-margin-dual.",
            autocompletion=complete_models,
        ),
    ] = SOFT_MARGIN
    cost: Cost = None
    settings: Settings = None


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take the fields of its parameters that are groups of options as options of its own."""
    taken = inspect.signature(command, eval_str=True).parameters
    groups: dict[str, Any] = {name: each.annotation for name, each in taken.items() if is_dataclass(each.annotation)}
    own: list[inspect.Parameter] = []
    for name, each in taken.items():
        if name not in groups:
            own.append(each.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        hints = get_type_hints(groups[name], include_extras=True)
        for field in fields(groups[name]):
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            own.append(
                inspect.Parameter(
                    field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name]
                )
            )

    @wraps(command)
    def wrapper(**values: Any) -> None:
        made = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**made, **values)

    vars(wrapper)["__signature__"] = inspect.Signature(own)
    return wrapper
