# SPDX-License-Identifier: BSD-3-Clause
"""Who solves the problems. Each takes a problem with its data, and returns the seconds it took with (beta, b)."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.svm import SVC, SVR

from benchmarks.problems import Problem
from qpkernels.arrays import Matrix, Vector
from qpkernels.solvers import find_solver

__all__ = ["Answered", "intelex", "libsvm", "limit", "ours"]

Answered = tuple[float, Vector, float]

_INTELEX = """
import sys, time
import numpy as np
from sklearnex import patch_sklearn
patch_sklearn(verbose=False)
from sklearn.svm import SVC, SVR
file = np.load(sys.argv[1])
C, gamma, tol, tube = file["numbers"]
model = SVC(C=C, gamma=gamma, tol=tol) if np.isnan(tube) else SVR(C=C, gamma=gamma, tol=tol, epsilon=tube)
warm = np.argsort(file["y"], kind="stable")[:: max(1, len(file["y"]) // 500)]
model.fit(file["X"][warm], file["y"][warm])
begin = time.perf_counter()
model.fit(file["X"], file["y"])
seconds = time.perf_counter() - begin
beta = np.zeros(len(file["y"]))
beta[model.support_] = model.dual_coef_.ravel()
np.savez(sys.argv[1], seconds=seconds, beta=beta, b=float(np.ravel(model.intercept_)[0]))
"""


def ours(problem: Problem, X: Matrix, y: Vector, tol: float) -> Answered:
    """Solve by the solver of this project."""
    begin = perf_counter()
    outcome = find_solver("smo").solve(problem.program(X, y), tol=tol)
    return perf_counter() - begin, outcome.point, float(outcome.multipliers[0])


def libsvm(problem: Problem, X: Matrix, y: Vector, tol: float) -> Answered:
    """LIBSVM, as scikit-learn has it."""
    common: dict[str, Any] = {"C": problem.C, "gamma": problem.gamma, "tol": tol, "cache_size": 2000}
    model = SVC(**common) if problem.tube is None else SVR(epsilon=problem.tube, **common)
    begin = perf_counter()
    model.fit(X, y)
    seconds = perf_counter() - begin
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_.ravel()
    return seconds, beta, float(np.ravel(model.intercept_)[0])


def intelex(problem: Problem, X: Matrix, y: Vector, tol: float, python: str = sys.executable) -> Answered:
    """OneDAL in float32, as scikit-learn-intelex has it, by a Python of its own that has it installed."""
    tube = np.nan if problem.tube is None else problem.tube
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.npz"
        np.savez(path, X=X.astype(np.float32), y=y, numbers=[problem.C, problem.gamma, tol, tube])
        subprocess.run([python, "-c", _INTELEX, str(path)], check=True)
        answer = np.load(path)
        return float(answer["seconds"]), answer["beta"], float(answer["b"])


def limit(X: Matrix, support: int) -> float:
    """Return the seconds that the rows of ``support`` samples take by a product and an exp into warm memory."""
    singles = X.astype(np.float32)
    memory = np.ones((min(1024, support), len(X)), np.float32)
    begin = perf_counter()
    for start in range(0, support, 1024):
        part = memory[: min(1024, support - start)]
        np.dot(singles[start : start + len(part)], singles.T, out=part)
        part *= np.float32(-1e-3)
        np.exp(part, out=part)
    return perf_counter() - begin
