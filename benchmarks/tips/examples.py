# SPDX-License-Identifier: BSD-3-Clause
"""The code of docs/use/performance.md: two ways to the same, the slow one first. All return what can be compared."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV

from formulations import Incremental, OneVersusOne, SoftMargin, grid, leave_one_out
from formulations.estimators import SVC
from qpkernels import RBF, Gram, LowRank, Precomputed, Subsequence
from qpkernels.arrays import Matrix, Vector
from qpkernels.files import load_dataset, scale_features


def a_matrix_for_each_cost(texts: list[str], y: Vector, costs: Vector) -> list[float]:
    """Make the kernel matrix anew each time."""
    return [SoftMargin(texts, y, Subsequence(3, 0.5), C=C).solve().objective for C in costs]


def one_matrix_for_all_costs(texts: list[str], y: Vector, costs: Vector) -> list[float]:
    """Make it once."""
    gram = Gram(Subsequence(3, 0.5), texts)
    return [SoftMargin(gram, y, C=C).solve().objective for C in costs]


def each_cost_from_zero(X: Matrix, y: Vector, costs: Vector) -> list[float]:
    """State and solve a model for each cost."""
    return [SoftMargin(X, y, RBF(0.1), C=C).solve().objective for C in costs]


def each_cost_from_the_last(X: Matrix, y: Vector, costs: Vector) -> list[float]:
    """Start from the answer before."""
    model, solution, found = SoftMargin(X, y, RBF(0.1)), None, []
    for C in costs:
        solution = model.set_params(C=C).solve(warm_start=solution)
        found.append(solution.objective)
    return found


def a_fit_at_a_time(X: Matrix, y: Vector, costs: list[float], gammas: list[float]) -> float:
    """Search by scikit-learn, which fits one estimator after the other."""
    search = GridSearchCV(SVC(), {"C": costs, "gamma": gammas}, cv=5).fit(X, y)
    return float(search.best_score_)


def the_grid_as_a_whole(X: Matrix, y: Vector, costs: list[float], gammas: list[float]) -> float:
    """Share the kernel rows of all folds and costs."""
    search = grid(SoftMargin(X, y, RBF(1.0)), C=costs, gamma=gammas, folds=5, progress=False)
    return search.best_score


def fits_without_each_sample(X: Matrix, y: Vector) -> list[float]:
    """Fit as many machines as there are samples."""
    values = []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        machine = SoftMargin(X[others], y[others], RBF(0.1)).solve()
        values.append(float(machine.decision_function(X[i : i + 1])[0]))
    return values


def only_those_that_matter(X: Matrix, y: Vector) -> Any:
    """Fit without support vectors only: the others change nothing."""
    return leave_one_out(SoftMargin(X, y, RBF(0.1)), tol=1e-6, progress=False).decision


def a_machine_for_each_pair(X: Matrix, y: Vector) -> float:
    """Fit the pairs of classes one by one."""
    total = 0.0
    for pair in combinations(np.unique(y), 2):
        chosen = np.isin(y, pair)
        total += SoftMargin(X[chosen], y[chosen], RBF(0.02), C=10.0).solve().objective
    return total


def all_pairs_together(X: Matrix, y: Vector) -> float:
    """Let all pairs share their kernel rows."""
    machine = OneVersusOne(X, y, RBF(0.02), C=10.0).solve()
    return sum(solution.objective for solution in machine.solutions)


def again_from_zero(X: Matrix, y: Vector, known: int) -> list[float]:
    """Fit all samples again whenever one came."""
    counts = range(known + 1, len(y) + 1)
    return [SoftMargin(X[:m], y[:m], RBF(0.1)).solve().objective for m in counts]


def from_the_present_answer(X: Matrix, y: Vector, known: int) -> list[float]:
    """Add the sample to the machine."""
    machine = Incremental(SoftMargin(X[:known], y[:known], RBF(0.1)))
    return [machine.add(X[m], y[m]).objective for m in range(known, len(y))]


def a_named_solver(X: Matrix, y: Vector) -> float:
    """Solve the dual by a solver of any cone program."""
    return -float(SoftMargin(X, y, RBF(0.1)).dual.solve("clarabel").objective)


def no_name(X: Matrix, y: Vector) -> float:
    """Leave the choice to the structure of the model."""
    return SoftMargin(X, y, RBF(0.1)).solve().objective


def a_function_of_my_own(X: Matrix, y: Vector) -> float:
    """Write the Gaussian kernel as a function."""

    def gaussian(A: Matrix, B: Matrix) -> Matrix:
        distances = (A**2).sum(axis=1)[:, None] + (B**2).sum(axis=1) - 2 * A @ B.T
        return np.asarray(np.exp(-0.1 * distances))

    return SoftMargin(X, y, gaussian).solve().objective


def the_class_of_the_kernel(X: Matrix, y: Vector) -> float:
    """Take the kernel of the library."""
    return SoftMargin(X, y, RBF(0.1)).solve().objective


def inner_products_of_all(X: Matrix, y: Vector) -> float:
    """Give a linear machine its kernel matrix."""
    return SoftMargin(np.arange(len(y)), y, Precomputed(X @ X.T)).solve().objective


def the_features_themselves(X: Matrix, y: Vector) -> float:
    """Give it the samples."""
    return SoftMargin(X, y).solve().objective


def made_dense(X: Any, y: Vector) -> float:
    """Make sparse samples dense."""
    return SoftMargin(X.toarray(), y, RBF(0.1)).solve().objective


def left_sparse(X: Any, y: Vector) -> float:
    """Leave them as they are."""
    return SoftMargin(X, y, RBF(0.1)).solve().objective


def as_measured(X: Matrix, y: Vector) -> Any:
    """Take features in whatever unit they came in."""
    return SoftMargin(X, y).solve().status


def in_common_units(X: Matrix, y: Vector) -> Any:
    """Scale each to [-1, 1]."""
    return SoftMargin(scale_features(X), y).solve().status


def to_nine_digits(X: Matrix, y: Vector) -> float:
    """Prove a relative gap of 1e-9."""
    return SoftMargin(X, y, RBF(0.1), C=10.0).solve(tol=1e-9).objective


def to_three_digits(X: Matrix, y: Vector) -> float:
    """Prove one of 1e-3."""
    return SoftMargin(X, y, RBF(0.1), C=10.0).solve(tol=1e-3).objective


def one_by_one(machine: Any, X: Matrix) -> list[Any]:
    """Ask for one label at a time."""
    return [machine.predict(x[None, :])[0] for x in X]


def all_at_once(machine: Any, X: Matrix) -> Any:
    """Ask for all."""
    return machine.predict(X)


def from_text(folder: Path) -> Any:
    """Read numbers written out in text."""
    return load_dataset(folder / "samples.csv").X


def from_an_archive(folder: Path) -> Any:
    """Read them as NumPy saved them."""
    return load_dataset(folder / "samples.npz").X


def copies(X: Matrix, y: Vector) -> float:
    """Fit every copy of a sample."""
    return SoftMargin(X, y, RBF(0.1), C=1.0).solve().objective


def costs_by_count(X: Matrix, y: Vector) -> float:
    """Fit each sample once, with as many costs as it has copies."""
    rows, counts = np.unique(np.column_stack([X, y]), axis=0, return_counts=True)
    return SoftMargin(rows[:, :-1], rows[:, -1], RBF(0.1), C=1.0 * counts).solve().objective


def the_whole_matrix(X: Matrix, y: Vector) -> float:
    """Solve with the exact kernel."""
    return SoftMargin(X, y, RBF(1.0)).solve(tol=1e-3).objective


def fifty_landmarks(X: Matrix, y: Vector) -> float:
    """Solve with a matrix of rank 50."""
    return SoftMargin(LowRank(RBF(1.0), X, rank=50), y).solve(tol=1e-3).objective
