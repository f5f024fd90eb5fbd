# SPDX-License-Identifier: BSD-3-Clause
"""The commands that choose hyper-parameters: ``grid``, which does what grid.py of LIBSVM does, and ``path``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from formulations.commands.options import (
    JsonPath,
    KernelOptions,
    ModelOptions,
    Seed,
    SolverName,
    Store,
    TrainingOptions,
    Tries,
    in_output,
    in_solving,
)
from formulations.commands.output import check_machine, command, end, show

if TYPE_CHECKING:
    from formulations.commands.samples import TrainingSamples
    from formulations.commands.statements import Asked

__all__ = ["grid_command", "path_command"]

_USUAL = ("C=log2:-5,15,2", "gamma=log2:3,-15,-2")
"""The grid that grid.py tries unless it is told otherwise."""


@command
def grid_command(
    source: TrainingOptions,
    kernel: KernelOptions,
    model: ModelOptions,
    tries: Tries = None,
    folds: Annotated[int, in_solving(help="Number of parts, each of which is held out once.")] = 5,
    scoring: Annotated[
        str | None, in_solving(help="A scorer of scikit-learn; default: accuracy, or R^2 of values.")
    ] = None,
    solver: SolverName = None,
    tol: Annotated[float, in_solving("--tol", help="Largest gap and residuals that a certificate may have.")] = 1e-3,
    seed: Seed = 0,
    store: Store = None,
    output: Annotated[Path | None, in_output("--output", "-o", help="Train at the best point, and write it.")] = None,
    json_path: JsonPath = None,
) -> None:
    """Cross-validate every combination of hyper-parameters, and say which is best; every fit is proved.

    Without --try, the values are those of grid.py, where the model has them: C=log2:-5,15,2 and gamma=log2:3,-15,-2.
    """
    from sklearn.model_selection import KFold, StratifiedKFold

    from formulations.commands import samples, statements
    from formulations.commands.training import read_tries, stated
    from formulations.selection import grid
    from formulations.selection.grid import grid_points
    from qpkernels.display.tables import without_nan
    from qpkernels.errors import ParameterError

    check_machine(output)
    asked = statements.ask(model, kernel)
    statements.require_model(asked)
    if asked.without_targets:
        raise ParameterError(f"{asked.name} looks at no labels that it could be scored by; take fit, or path.")
    read = samples.read_training(source, [asked], named=True)
    chosen = statements.choose_kernel(kernel, read.X)
    values = read_tries(tries or [usual for usual in _USUAL if _has(asked, chosen, usual.partition("=")[0])])
    _check(folds, scoring, read.y, by_class=asked.separates)
    split = (StratifiedKFold if asked.separates else KFold)(folds, shuffle=True, random_state=seed)
    model_of_all = stated(asked, read, chosen)
    # Names are checked here: those of other arguments of grid would be taken for these.
    grid_points(model_of_all, values)
    found = grid(model_of_all, split, refit=False, scoring=scoring, tol=tol, solver=solver, store=store, **values)
    statuses = ["failed" if fit is None else str(fit.status) for fits in found.fits for fit in fits]
    record: dict[str, Any] = {
        "data": read.name,
        "best_params": dict(found.best_params),
        "best_score": found.best_score,
        "points": [without_nan(row) for row in found.rows()],
    }
    if output is not None:
        trained = _trained(asked, read, chosen, found.best_params, solver, tol)
        statuses += trained.statuses
        record["written"] = str(trained.predictor.save(output))
    show(found, record, json_path)
    if output is not None and json_path != "-":
        print(f"written: {record['written']}")
    end(statuses)


def _check(folds: int, scoring: str | None, y: Any, *, by_class: bool) -> None:
    """Refuse folds that divide no samples, and a score that there is not."""
    import numpy as np
    from sklearn.metrics import get_scorer_names

    from qpkernels.errors import ParameterError

    most = int(np.unique(y, return_counts=True)[1].max()) if by_class else y.size
    if not 2 <= folds <= most:
        of = "the largest class" if by_class else "the set"
        raise ParameterError(f"--folds must be from 2 to the number of samples of {of}, {most}, but {folds} came.")
    if scoring is not None and scoring not in (known := get_scorer_names()):
        near = ", ".join(get_close_matches(scoring, known) or ("accuracy", "f1", "r2"))
        raise ParameterError(f"--scoring must be a scorer of scikit-learn, such as {near}, but {scoring!r} came.")


def _has(asked: Asked, kernel: Any, name: str) -> bool:
    """Return whether the model, or its kernel, has a parameter of that name."""
    return name in asked.kind.entry.names or hasattr(kernel, name)


def _trained(
    asked: Asked, read: TrainingSamples, kernel: Any, best: Mapping[str, Any], solver: str | None, tol: float
) -> Any:
    """Train the machine of all samples at a point."""
    from formulations.commands.statements import Solving
    from formulations.commands.training import train

    own = set(asked.kind.entry.names)
    of_kernel = {name.removeprefix("kernel__"): value for name, value in best.items() if name not in own}
    there = asked.at({name: best[name] for name in best if name in own})
    at = replace(kernel, **of_kernel) if of_kernel else kernel
    return train(there, read, at, Solving(solver, tol), against_rest=False)


@command
def path_command(
    source: TrainingOptions,
    kernel: KernelOptions,
    model: ModelOptions,
    tries: Tries = None,
    solver: SolverName = None,
    tol: Annotated[
        float | None, in_solving("--tol", help="Largest gap and residuals of a proof; default: 1e-3, --exact 1e-9.")
    ] = None,
    store: Store = None,
    exact: Annotated[
        bool,
        in_solving(
            "--exact",
            help="Between two values, follow every change of the support vectors, and prove each breakpoint: "
            "--try C=0.01,100.",
        ),
    ] = False,
    json_path: JsonPath = None,
) -> None:
    """Solve a model along the values of one hyper-parameter, each from the answer before, and prove every answer.

    Without --try, the values are C=log10:-2,3,1, or with --exact C=0.01,100.
    """
    from formulations.commands import samples, statements
    from formulations.commands.training import read_tries, stated
    from formulations.selection import exact_path, path
    from formulations.selection.grid import grid_points
    from qpkernels.display.tables import without_nan
    from qpkernels.errors import ParameterError, UnsupportedOptionError

    if exact and (solver is not None or store is not None):
        raise UnsupportedOptionError(
            "--exact takes neither --solver nor --store: an exact path is followed, and not kept."
        )
    asked = statements.ask(model, kernel)
    statements.require_model(asked)
    values = read_tries(tries or ("C=0.01,100" if exact else "C=log10:-2,3,1",))
    if len(values) > 1:
        raise ParameterError(f"path takes one --try, but {len(values)} came; several make a grid: qpkernels grid.")
    training = samples.read_training(source, [asked])
    if exact:
        samples.require_two_classes(training, [asked])
    model_of_all = stated(asked, training, statements.choose_kernel(kernel, training.X))
    # Names are checked here: those of other arguments of path would be taken for these.
    grid_points(model_of_all, values)
    if exact:
        followed = exact_path(model_of_all, tol=1e-9 if tol is None else tol, **values)
        show(followed, [without_nan(row) for row in followed.rows()], json_path)
        end(row["status"] for row in followed.rows())
        return
    found = path(model_of_all, tol=1e-3 if tol is None else tol, solver=solver, store=store, **values)
    show(found, [without_nan(row) for row in found.rows()], json_path)
    end("failed" if fit is None else str(fit.status) for fit in found.fits)
