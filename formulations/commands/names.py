# SPDX-License-Identifier: BSD-3-Clause
"""The names of models, forms and solvers on the command line, in every spelling, and as the shell completes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from formulations.modelling import Model

__all__ = ["complete_models", "complete_solvers", "find_model", "models_by_name"]


@cache
def models_by_name() -> Mapping[str, type[Model[Any]]]:
    """Return every public model by its name, such as soft-margin."""
    from inspect import isabstract

    from formulations import public
    from formulations.modelling import Model

    return {
        _kebab(name): value
        for name, value in vars(public).items()
        if name in public.__all__ and isinstance(value, type) and issubclass(value, Model) and not isabstract(value)
    }


def find_model(name: str) -> tuple[str, str | None]:
    """Return the names of a model and of the form that its name may end with, from any spelling.

    Raises
    ------
    ParameterError
        If there is none, with the nearest names.
    """
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
    """Return the models that a word may become; the shell asks."""
    return sorted(name for name in models_by_name() if name.startswith(begin))


def complete_solvers(begin: str) -> list[str]:
    """Return the solvers that a word may become; the shell asks."""
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


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


def _plain(name: str) -> str:
    """Return a name without what spellings differ in: soft-margin, SoftMargin, soft_margin."""
    return re.sub(r"[-_ ]", "", name).lower()
