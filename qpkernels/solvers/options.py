# SPDX-License-Identifier: BSD-3-Clause
"""Options of a back-end, checked before it sees them: their names, and the types of their values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from qpkernels.arrays import is_integer, real_number, shown
from qpkernels.errors import ParameterError, UnsupportedOptionError

__all__ = ["attributes", "check_options"]


def check_options(name: str, options: Mapping[str, Any], settings: Mapping[str, Any], common: Collection[str]) -> None:
    """Refuse options that a solver does not have, or of another type than it has them.

    Parameters
    ----------
    name
        The solver.
    options
        What a user passes.
    settings
        The options of the back-end with their defaults. A value is of the type of its default; one whose default is
        None, or of a type of the back-end's own, is left to the back-end.
    common
        The options that mean the same for every solver, of those that it has.

    Raises
    ------
    UnsupportedOptionError
        If there is no such option; the message lists those that there are, the nearest first.
    ParameterError
        If the value is of another type.
    """
    for option, value in options.items():
        if option not in settings:
            known = sorted({*settings, *common, "verbose"})
            near = get_close_matches(option, known, n=2, cutoff=0.7)
            hint = f"did you mean {' or '.join(map(repr, near))}? It" if near else "it"
            raise UnsupportedOptionError(f"solver {name!r} has no option {option!r}; {hint} has {', '.join(known)}.")
        wanted = _wanted(settings[option], value)
        if wanted is not None:
            raise ParameterError(f"{option} must be {wanted} as an option of solver {name!r}, but {shown(value)} came.")


def attributes(settings: object) -> dict[str, Any]:
    """Return the options of a back-end that keeps them as attributes of an object, with their values."""
    names = (name for name in dir(settings) if not name.startswith("_"))
    return {name: value for name in names if not callable(value := getattr(settings, name))}


def _wanted(default: object, value: object) -> str | None:
    """Return what a value should have been in place of what it is, or None if it is that."""
    match default:
        case bool():
            return None if isinstance(value, bool | np.bool_) else "True or False"
        case int():
            return None if is_integer(value) or isinstance(value, bool) else "an integer"
        case float():
            return None if _is_number(value) else "a number"
        case str():
            return None if isinstance(value, str) else "text"
    return None


def _is_number(value: object) -> bool:
    try:
        real_number(value, "it")
    except ParameterError:
        return False
    return True
