# SPDX-License-Identifier: BSD-3-Clause
"""Kernel machines as convex optimisation problems: state, solve, prove, compare, export.

The names of the package are imported when they are first asked for, so that the command ``qpkernels`` need not wait for
them.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from formulations.language import Everywhere, Function, Machine, VectorFunction  # noqa: F401
    from formulations.public import *  # noqa: F403  its names are those of this package

_LANGUAGE = ("Everywhere", "Function", "Machine", "VectorFunction")
"""Names of :mod:`formulations.language`, which alone need CVXPY to be imported."""


def __getattr__(name: str) -> Any:
    """Return what :mod:`formulations.public` or :mod:`formulations.language` offers by that name."""
    if name in _LANGUAGE:
        return getattr(import_module("formulations.language"), name)
    # A package that is being imported is asked for here before it is an attribute, and the public names may need it.
    if f"{__name__}.{name}" not in sys.modules:
        public = import_module("formulations.public")
        if name == "__all__" or name in public.__all__:
            return getattr(public, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all names, those not yet imported as well."""
    return sorted({*globals(), *_LANGUAGE, *import_module("formulations.public").__all__})
