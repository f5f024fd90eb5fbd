# SPDX-License-Identifier: BSD-3-Clause
"""All solvers there are: one a file, or a folder, of this package or its backends, and those of other packages."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from inspect import isabstract
from pathlib import Path
from pkgutil import iter_modules

from qpkernels.arrays import shown
from qpkernels.errors import UnknownSolverError
from qpkernels.solvers.interface import Solver

__all__ = ["find_solver", "installed_solvers", "registered_solvers"]

ENTRY_POINTS = "qpkernels.solvers"


@cache
def _families() -> tuple[type[Solver], ...]:
    """Return the solver classes of this package's files and folders, then those of the entry points."""
    here = Path(__file__).parent
    places = ((here, f"{__package__}."), (here / "backends", f"{__package__}.backends."))
    own: Iterator[type[Solver]] = (
        value
        for folder, prefix in places
        for file in iter_modules([str(folder)], prefix)
        for value in vars(import_module(file.name)).values()
        if isinstance(value, type)
        and issubclass(value, Solver)
        and (value.__module__ + ".").startswith(file.name + ".")
    )
    return tuple(family for family in (*own, *_foreign()) if not isabstract(family))


def _foreign() -> Iterator[type[Solver]]:
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            yield entry.load()
        except Exception as error:
            # One broken plug-in must not take the other solvers away.
            warnings.warn(
                f"the solver {entry.name!r} ({entry.value}) is left out, since loading it raised "
                f"{type(error).__name__}: {error}; repair or uninstall its package.",
                RuntimeWarning,
                stacklevel=2,
            )


def registered_solvers() -> tuple[Solver, ...]:
    """Return every registered solver, installed or not, ordered by name."""
    solvers = [solver for family in _families() for solver in family.instances()]
    return tuple(sorted(solvers, key=lambda solver: solver.name))


def installed_solvers() -> tuple[Solver, ...]:
    """Return every registered solver whose back-end is installed, ordered by name."""
    return tuple(solver for solver in registered_solvers() if solver.installed)


def find_solver(name: str) -> Solver:
    """Return the solver of that name; ``cvxpy:NAME`` is anything that CVXPY can call.

    Raises
    ------
    UnknownSolverError
        If there is none; the message suggests the nearest names.
    """
    if not isinstance(name, str):
        raise UnknownSolverError(
            f"a solver is called by its name, a str, but {shown(name)} came; see registered_solvers()."
        )
    # The class with that name of its own comes first: one of the others imports a large package to answer.
    families = _families()
    for family in (*(each for each in families if each.__dict__.get("name") == name), *families):
        solver = family.named(name)
        if solver is not None:
            return solver
    names = [solver.name for solver in registered_solvers()]
    near = get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
    raise UnknownSolverError(
        f"no solver is called {name!r}; {hint}Known: {', '.join(names)}, and cvxpy:NAME for any solver of CVXPY."
    )
