# SPDX-License-Identifier: BSD-3-Clause
"""Formulations x solvers -> one table: who agrees, and who is proved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from formulations.base import Formulation
from formulations.comparison import Comparison, Row
from formulations.solution import Solution
from qpkernels.arrays import check_positive
from qpkernels.errors import ParameterError, QPKernelsError, UnsupportedProgramError
from qpkernels.solvers import find_solver, installed_solvers

__all__ = ["compare"]


def compare(
    models: Formulation[Solution] | Iterable[Formulation[Solution]],
    solvers: str | Iterable[str] = "all",
    *,
    tol: float = 1e-6,
    time_limit: float | None = None,
    progress: bool = True,
    **options: Any,
) -> Comparison:
    """Solve every formulation by every solver and certify each answer.

    Parameters
    ----------
    models
        One formulation or several.
    solvers
        One name or several, or "all": every installed solver, with those pairs left out that the solver does not take.
    tol
        Tolerance of the certificates, and of the solvers as far as they have one.
    time_limit
        Seconds for each pair; asked of every solver that has such a limit (see ``qpkernels solvers``).
    progress
        Show a progress bar (on standard error) while it runs.
    **options
        Passed to every ``solve``; a solver without that option is a row that says so.

    Returns
    -------
    Comparison
        One row for each pair. A pair that fails is a row with its reason. A solver that calls its answer optimal
        without passing the certificate is ``uncertified``.
    """
    stated = [models] if isinstance(models, Formulation) else list(models)
    if not stated or not all(isinstance(model, Formulation) for model in stated):
        raise ParameterError(f"compare needs at least one formulation, and nothing else, but {stated} came.")
    chosen = [solvers] if isinstance(solvers, str) else list(solvers)
    names = _installed() if chosen == ["all"] else chosen
    check_positive(tol, "tol")
    if time_limit is not None:
        check_positive(time_limit, "time_limit")
    labels = _labels(stated)
    pairs = [(model, label, name) for model, label in zip(stated, labels, strict=True) for name in names]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    rows = []
    terminal = Console(stderr=True)
    with Progress(*columns, console=terminal, transient=True, disable=not (progress and terminal.is_terminal)) as bar:
        task = bar.add_task("comparing", total=len(pairs))
        for model, label, name in pairs:
            bar.update(task, description=f"{label} by {name}")
            try:
                rows.append(Row.of_solution(_solve(model, name, tol, time_limit, options), label))
            except UnsupportedProgramError as error:
                if chosen != ["all"]:
                    rows.append(Row.of_error(label, name, error))
            except QPKernelsError as error:
                rows.append(Row.of_error(label, name, error))
            bar.advance(task)
    return Comparison(tuple(rows), tol)


def _labels(models: list[Formulation[Solution]]) -> list[str]:
    """Return a name for each model that tells it from the others."""
    names = [model.name + (" extended" if model.is_extended else "") for model in models]
    return [f"{name} #{names[:k].count(name) + 1}" if names.count(name) > 1 else name for k, name in enumerate(names)]


def _solve(
    model: Formulation[Solution], name: str, tol: float, time_limit: float | None, options: dict[str, Any]
) -> Solution:
    limit = time_limit if "time_limit" in find_solver(name).options else None
    return model.solve(name, tol=tol, time_limit=limit, **options)


def _installed() -> list[str]:
    """Return the names of the installed solvers, the project's own first."""
    return sorted((solver.name for solver in installed_solvers()), key=lambda name: (name != "smo", name))
