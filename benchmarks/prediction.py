# SPDX-License-Identifier: BSD-3-Clause
"""Decision values of new samples: the same function evaluated by us and by LIBSVM."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.svm import SVC

from benchmarks.computer import Computer, Watch
from benchmarks.problems import Problem
from benchmarks.records import Prediction
from benchmarks.repetition import repeated
from qpkernels import RBF, Expansion
from qpkernels.arrays import Matrix

__all__ = ["predict"]


def predict(problem: Problem, folder: Path, new: Matrix, repeats: int, tol: float, computer: Computer) -> Prediction:
    """Evaluate the classifier that LIBSVM finds, by its own coefficients, at the samples ``new``."""
    X, y = problem.load(folder)
    machine = SVC(C=problem.C, gamma=problem.gamma, tol=tol, cache_size=2048).fit(X, y)
    coefficients, b = machine.dual_coef_.ravel(), float(machine.intercept_[0])
    function = Expansion(RBF(problem.gamma), X[machine.support_], coefficients, b)
    function(new[:100])
    our_turns: list[tuple[float, ...]] = []
    their_turns: list[tuple[float, ...]] = []
    watch = Watch(computer)
    for _ in range(repeats):
        seconds, theirs = repeated(lambda: machine.decision_function(new))
        their_turns.append(seconds)
        seconds, values = repeated(lambda: function(new))
        our_turns.append(seconds)
    return Prediction(
        where=watch.setting(),
        problem=problem.name,
        support=coefficients.size,
        tested=len(new),
        ours=tuple(our_turns),
        libsvm=tuple(their_turns),
        difference=float(np.abs(values - theirs).max()),
        size=float(np.abs(theirs).max()),
    )
