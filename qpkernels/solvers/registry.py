# SPDX-License-Identifier: BSD-3-Clause
"""All solvers: one per file or folder of this package and its backends, and those of other packages."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Set
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from inspect import isabstract
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, TypeAlias

from qpkernels.arrays import check_flag, shown
from qpkernels.errors import ParameterError, UnknownSolverError
from qpkernels.problems import Cone, ConeProgram, Program
from qpkernels.solvers.interface import COMMON, Solver

__all__ = [
    "SolverLike",
    "check_solver",
    "find_solver",
    "installed_solvers",
    "register_solver",
    "registered_solvers",
    "unregister_solver",
]

ENTRY_POINTS = "qpkernels.solvers"

SolverLike: TypeAlias = str | Solver
"""The name of a registered solver, or a solver itself, registered or not."""

_ALL = "all"
"""The word that stands for every solver in comparisons."""

_added: dict[str, Solver] = {}
"""Those registered while this process runs, by name."""


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
    """Return every registered solver, installed or not, ordered by name.

    Examples
    --------
    >>> from qpkernels.solvers import installed_solvers, registered_solvers
    >>> print({solver.name for solver in installed_solvers()} <= {solver.name for solver in registered_solvers()})
    True
    """
    solvers = {solver.name: solver for family in _families() for solver in family.instances()} | _added
    return tuple(sorted(solvers.values(), key=lambda solver: solver.name))


def installed_solvers() -> tuple[Solver, ...]:
    """Return every registered solver whose back-end is installed, ordered by name.

    Examples
    --------
    >>> from qpkernels.solvers import installed_solvers
    >>> print({"clarabel", "osqp", "smo"} <= {solver.name for solver in installed_solvers()})
    True
    """
    return tuple(solver for solver in registered_solvers() if solver.installed)


def register_solver(solver: Solver, *, replace: bool = False) -> Solver:
    """Register a solver for this process under its name, and return it.

    From then on ``solve(name)``, comparisons with ``solvers="all"`` and lists of solvers know it. Other processes, such
    as those of ``n_jobs`` in scikit-learn, do not: pass them the object instead of its name, or give your package an
    entry point.

    Parameters
    ----------
    solver
        An object of a subclass of :class:`~qpkernels.solvers.Solver`.
    replace
        Whether it may replace another solver of that name, until :func:`unregister_solver` restores that one. Solvers
        of the project itself, such as smo, cannot be replaced, since others are built on them.

    Raises
    ------
    ParameterError
        If it is not a solver (the message says what it lacks), or if its name is taken or stands for something else.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.solvers import register_solver, unregister_solver
    >>> from qpkernels.solvers.smo import SMO
    >>> class Mine(SMO):
    ...     name = "mine"
    >>> solver = register_solver(Mine())
    >>> print(SoftMargin([[0.0], [1.0], [2.0]], [-1, 1, 1]).solve("mine").solver)
    mine
    >>> unregister_solver("mine")
    """
    check_solver(solver)
    name = solver.name
    if name == _ALL:
        raise ParameterError(f"the name {name!r} stands for every solver; give yours another one.")
    present = _named(name)
    if present is not None and not present.foreign:
        raise ParameterError(
            f"{name!r} is a solver of this project, which others are built on; give yours another name."
        )
    if present is not None and not check_flag(replace, "replace"):
        raise ParameterError(
            f"a solver is registered as {name!r} already ({type(present).__name__}); give yours another name, or pass "
            "replace=True."
        )
    _added[name] = solver
    return solver


def unregister_solver(name: str) -> None:
    """Undo :func:`register_solver` for that name; a solver that was replaced is restored.

    Parameters
    ----------
    name
        A name that was registered in this process.

    Raises
    ------
    UnknownSolverError
        If nothing was registered under that name in this process.

    Examples
    --------
    >>> from qpkernels.solvers import register_solver, registered_solvers, unregister_solver
    >>> from qpkernels.solvers.smo import SMO
    >>> class Mine(SMO):
    ...     name = "mine"
    >>> solver = register_solver(Mine())
    >>> unregister_solver("mine")
    >>> print("mine" in {solver.name for solver in registered_solvers()})
    False
    """
    if not isinstance(name, str) or name not in _added:
        known = ", ".join(map(repr, sorted(_added))) or "none"
        raise UnknownSolverError(
            f"no solver was registered as {shown(name)} in this process; those that were: {known}."
        )
    del _added[name]


def check_solver(solver: object) -> Solver:
    """Return an object if it is a solver that states everything that callers need.

    Raises
    ------
    ParameterError
        If it is not; the message says what it lacks.
    """
    if isinstance(solver, type) and issubclass(solver, Solver):
        raise ParameterError(f"a solver is an object, but the class {solver.__name__} came; pass {solver.__name__}().")
    if not isinstance(solver, Solver):
        raise ParameterError(
            f"a solver is an object of a subclass of qpkernels.solvers.Solver, but {shown(solver)} came; see 'Add a "
            "solver' in CONTRIBUTING.md."
        )
    if lacking := _lacking(solver):
        raise ParameterError(f"the solver {type(solver).__name__} cannot be used: {lacking}.")
    return solver


def _lacking(solver: Solver) -> str | None:
    """Return in words what is missing or wrong in the description of a solver."""
    name: object = getattr(solver, "name", None)
    if not isinstance(name, str) or not name.strip():
        return f'it must have a name, such as name = "mine", but {shown(name)} is there'
    if not _are_all(solver.programs, Program) or not solver.programs:
        return f"programs must be a tuple of kinds of program, such as (ConeProgram,), but {shown(solver.programs)} is"
    if not _are_all(solver.cones, Cone):
        return f"cones must be a tuple of kinds of cone, such as (Zero, Nonnegative), but {shown(solver.cones)} is"
    if ConeProgram in solver.programs and not solver.cones:
        return "it takes a ConeProgram, but no cones: set cones = (Zero, Nonnegative), or more of qpkernels.problems"
    options: object = solver.options
    if not isinstance(options, Set) or not options <= COMMON:
        return f"options must be a set of some of {', '.join(sorted(COMMON))}, but {shown(options)} is"
    return None


def _are_all(kinds: object, base: Any) -> bool:
    return isinstance(kinds, tuple) and all(isinstance(each, type) and issubclass(each, base) for each in kinds)


def find_solver(name: SolverLike) -> Solver:
    """Return the solver of that name, or a solver itself; ``cvxpy:NAME`` is any solver that CVXPY can call.

    Parameters
    ----------
    name
        A name that :func:`registered_solvers` lists, or an object on :class:`~qpkernels.solvers.Solver`.

    Raises
    ------
    UnknownSolverError
        If there is no such solver; the message suggests the nearest names.
    ParameterError
        If a class is passed, or a solver that lacks something.

    Examples
    --------
    >>> from qpkernels.solvers import find_solver
    >>> solver = find_solver("clarabel")
    >>> print(solver.name, sorted(solver.options))
    clarabel ['max_iter', 'time_limit', 'tol']
    """
    if isinstance(name, Solver) or (isinstance(name, type) and issubclass(name, Solver)):
        return check_solver(name)
    if not isinstance(name, str):
        raise UnknownSolverError(
            f"a solver is called by its name, a str, or is an object of a subclass of qpkernels.solvers.Solver, but "
            f"{shown(name)} came; see registered_solvers()."
        )
    solver = _named(name)
    if solver is not None:
        return solver
    names = [solver.name for solver in registered_solvers()]
    near = get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
    raise UnknownSolverError(
        f"no solver is called {name!r}; {hint}Known: {', '.join(names)}, and cvxpy:NAME for any solver of CVXPY."
    )


def _named(name: str) -> Solver | None:
    return _added[name] if name in _added else _of_families(_families(), name)


@cache
def _of_families(families: tuple[type[Solver], ...], name: str) -> Solver | None:
    # The class with that name of its own comes first: one of the others imports a large package to answer.
    ordered = (*(each for each in families if each.__dict__.get("name") == name), *families)
    return next((solver for family in ordered if (solver := family.named(name)) is not None), None)
