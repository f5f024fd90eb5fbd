# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of a wrong type that are no numbers, samples or models: an error of ours names the argument."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from formulations import (
    Incremental,
    OneVersusRest,
    PlattCalibration,
    RelevanceRegression,
    SoftMargin,
    calibrate,
    compare,
    cross_examine,
    cross_validate,
    grid,
    leave_one_out,
    path,
)
from formulations.estimators import SVC, SVR
from qpkernels import RBF, Expansion
from qpkernels.diagnosis import find_conflict, find_relaxation
from qpkernels.errors import ParameterError, QPKernelsError, ShapeError
from qpkernels.families.batch import Machine, solve_batch
from qpkernels.files import read, write
from together import together

X = np.random.default_rng(3).normal(size=(12, 2))
y = np.where(np.arange(12) % 2, 1, -1)
THREE = np.arange(12) % 3
MODEL, FORM = SoftMargin(X, y, RBF(0.5)), SoftMargin(X, y).primal
SOLUTION = MODEL.solve()
QUIET: dict[str, Any] = {"progress": False}

Entry = Callable[[Any], object]


class Silent:
    """An object of no meaning."""


ALWAYS: tuple[Any, ...] = (
    ["a", "b"],
    {"a": 1},
    np.ones((3, 2)),
    np.array([Silent()] * 12),
    [],
    {1, 2},
    Silent,
    Silent(),
    1j,
    np.nan,
)
"""What is no word, flag, count or path."""

FLAGS: dict[str, Entry] = {
    "progress of compare": lambda v: compare(MODEL, "smo", progress=v),
    "progress of cross_examine": lambda v: cross_examine(MODEL, "smo", progress=v),
    "progress of cross_validate": lambda v: cross_validate(MODEL, folds=2, progress=v),
    "progress of grid": lambda v: grid(MODEL, C=[1.0], folds=2, progress=v),
    "progress of leave_one_out": lambda v: leave_one_out(MODEL, progress=v),
    "progress of path": lambda v: path(MODEL, C=[1.0], progress=v),
    "progress of several classes": lambda v: OneVersusRest(X, THREE).solve(progress=v),
    "isolate": lambda v: MODEL.solve("smo", isolate=v),
    "isolate of a form": lambda v: MODEL.dual.solve("osqp", isolate=v),
    "break_ties": lambda v: SVC(break_ties=v).fit(X, y),
    "probability": lambda v: SVC(probability=v).fit(X, y),
    "strict": lambda v: SVC(strict=v).fit(X, y),
    "shrinking": lambda v: SVC(shrinking=v).fit(X, y),
}

SOLVERS: dict[str, Entry] = {
    "solve": MODEL.solve,
    "solve of a form": MODEL.dual.solve,
    "cross_validate": lambda v: cross_validate(MODEL, folds=2, solver=v, **QUIET),
    "grid": lambda v: grid(MODEL, C=[1.0], folds=2, solver=v, **QUIET),
    "leave_one_out": lambda v: leave_one_out(MODEL, solver=v, **QUIET),
    "path": lambda v: path(MODEL, C=[1.0], solver=v, **QUIET),
    "several classes": lambda v: OneVersusRest(X, THREE).solve(v, **QUIET),
    "refusal": FORM.refusal,
    "conflict": FORM.conflict,
    "relaxation": lambda v: FORM.relaxation(solver=v),
    "calibration": lambda v: PlattCalibration(X[:, 0], y).solve(v),
    "an estimator": lambda v: SVC(solver=v).fit(X, y),
}

PATHS: dict[str, Entry] = {
    "store of cross_validate": lambda v: cross_validate(MODEL, folds=2, store=v, **QUIET),
    "store of leave_one_out": lambda v: leave_one_out(MODEL, store=v, **QUIET),
    "store of grid": lambda v: grid(MODEL, C=[1.0], folds=2, store=v, **QUIET),
    "store of path": lambda v: path(MODEL, C=[1.0], store=v, **QUIET),
    "save": SOLUTION.function.save,
    "load": Expansion.load,
    "export": FORM.export,
    "read": read,
    "write": lambda v: write(FORM.lower().program, v),
}

TOLERANCES: dict[str, Entry] = {
    "solve": lambda v: MODEL.solve(tol=v),
    "solve of a form": lambda v: MODEL.dual.solve("clarabel", tol=v),
    "solve of smo": lambda v: MODEL.solve("smo", tol=v),
    "several classes": lambda v: OneVersusRest(X, THREE).solve(tol=v, **QUIET),
    "batch": lambda v: solve_batch(MODEL.gram, [Machine(MODEL.bounds().program, np.arange(12))], tol=v),
    "compare": lambda v: compare(MODEL, "smo", tol=v, **QUIET),
    "cross_validate": lambda v: cross_validate(MODEL, folds=2, tol=v, **QUIET),
    "grid": lambda v: grid(MODEL, C=[1.0], folds=2, tol=v, **QUIET),
    "leave_one_out": lambda v: leave_one_out(MODEL, tol=v, **QUIET),
    "path": lambda v: path(MODEL, C=[1.0], tol=v, **QUIET),
    "incremental": lambda v: Incremental(MODEL, tol=v),
    "relevance": lambda v: RelevanceRegression(X, X[:, 0], RBF(0.5)).solve(tol=v),
    "calibration": lambda v: PlattCalibration(X[:, 0], y).solve(tol=v),
    "calibrate": lambda v: calibrate(SoftMargin, X, y, folds=2, tol=v),
    "conflict": lambda v: FORM.conflict(tol=v),
    "relaxation": lambda v: FORM.relaxation(tol=v),
    "find_conflict": lambda v: find_conflict(FORM.lower().program, tol=v),
    "find_relaxation": lambda v: find_relaxation(FORM.lower().program, tol=v),
    "explain": SOLUTION.certificate.explain,
    "an estimator": lambda v: SVC(tol=v).fit(X, y),
}

OTHERS: dict[str, tuple[Entry, str]] = {
    "bound_to": (MODEL.bound_to, "is bound to a Gram of those"),
    "rows of a Gram": (MODEL.gram.part, "rows must be an array of numbers of samples"),
    "a program": (lambda v: write(v, "nowhere.npz"), "a file holds a ConeProgram"),
    "a label": (FORM.relaxation, "no constraint is labelled"),
    "tolerances": (lambda v: cross_examine(MODEL, "smo", v, **QUIET), "toleranc"),
    "max_iter of an estimator": (lambda v: SVC(max_iter=v).fit(X, y), "max_iter must be an integer"),
    "degree of an estimator": (lambda v: SVC(degree=v).fit(X, y), "degree must be an integer"),
    "coef0 of an estimator": (lambda v: SVC(coef0=v).fit(X, y), "coef0 must be"),
    "n_jobs of an estimator": (lambda v: SVC(n_jobs=v).fit(X, y), "n_jobs must be"),
    "gamma of an estimator": (lambda v: SVC(gamma=v).fit(X, y), "gamma must be"),
    "C of an estimator": (lambda v: SVC(C=v).fit(X, y), "C must be"),
    "C of a regression": (lambda v: SVR(C=v).fit(X, X[:, 0]), "C must be"),
    "extend": (FORM.extend, "extend takes CVXPY constraints"),
}


def _refused(entry: Entry, words: str, *more: Any) -> None:
    for value in (*ALWAYS, *more):
        with pytest.raises(QPKernelsError, match=words):
            entry(value)


@pytest.mark.parametrize("name", FLAGS)
def test_what_is_neither_true_nor_false(name: str) -> None:
    _refused(FLAGS[name], f"{name.split()[0]} must be True or False, but", None, "yes", 1)


@pytest.mark.parametrize("name", SOLVERS)
def test_what_is_no_solver(name: str) -> None:
    _refused(SOLVERS[name], "solver", 3, "nobody", True)


@pytest.mark.parametrize("name", PATHS)
def test_what_is_no_path(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _refused(PATHS[name], "must be the path of a file, a str or a Path, but", 3, True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", TOLERANCES)
def test_what_is_no_tolerance(name: str) -> None:
    # An explanation has one where none is stated: that which was asked for.
    wrong = () if name == "explain" else (None,)
    _refused(TOLERANCES[name], "tol must be", 0, -1e-6, np.inf, "1e-6", True, *wrong)
    for value in (1, 1.0, 10.0, np.float32(2.0)):
        with pytest.raises(ParameterError, match=r"tol must be above 0 and below 1, but .* came: it is the"):
            TOLERANCES[name](value)


def test_what_a_certificate_is_not_asked() -> None:
    _refused(SOLUTION.certificate.holds, "tol must be a number of at least 0", -1e-6, "1e-6", None, True)
    assert SOLUTION.certificate.holds(np.inf)
    assert not SOLUTION.certificate.holds(0.0)


@together("name", OTHERS)
def test_what_is_another_thing(name: str) -> None:
    entry, words = OTHERS[name]
    _refused(entry, words)


def test_kernels_of_estimators() -> None:
    for value in (*(value for value in ALWAYS if value is not Silent), None, 3, "gauss"):
        with pytest.raises(ParameterError, match="kernel must be one of laplacian, linear, poly"):
            SVC(kernel=value).fit(X, y)


def test_costs_along_a_path_are_of_the_samples() -> None:
    with pytest.raises(ShapeError, match="C must have 12 entries"):
        path(MODEL, C=np.ones((3, 2)), **QUIET)


@pytest.mark.parametrize("entry", [compare, cross_examine])
def test_no_solvers_at_all(entry: Any) -> None:
    with pytest.raises(ParameterError, match="solvers must name at least one solver, or be 'all'"):
        entry(MODEL, [], **QUIET)
