# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of samples that are no vectors: text, sequences, graphs, tables, and functions of one's own."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.kernel_ridge
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from formulations import SoftMargin, SoftTube, audit, cross_validate, grid, load
from formulations.estimators import SVC, SVR, KernelRidge, OneClassSVM
from qpkernels import RBF, Columns, Expansion, FunctionKernel, GlobalAlignment, Kernel, Matching, Spectrum, Subsequence
from qpkernels.errors import FeatureNamesError, ParameterError, ShapeError

RNG = np.random.default_rng(11)


# --- text and sequences ---

LETTERS = ["bc"] * 15 + ["ab"] * 15
WORDS = ["".join(RNG.choice(list(letters), RNG.integers(5, 9))) for letters in LETTERS]
KINDS = np.repeat(["late", "early"], 15)


@pytest.mark.parametrize("kernel", [Spectrum(2, normalise=True), Subsequence(2, 0.6, normalise=True)], ids=repr)
def test_lists_of_text(kernel: Kernel) -> None:
    fitted = SVC(kernel=kernel, C=5.0, tol=1e-8).fit(WORDS, KINDS)
    by_matrix = SVC(kernel="precomputed", C=5.0, tol=1e-8).fit(kernel(WORDS), KINDS)
    np.testing.assert_allclose(fitted.decision_function(WORDS), by_matrix.decision_function(kernel(WORDS)), atol=1e-6)
    assert fitted.score(WORDS, KINDS) > 0.9
    assert fitted.predict(["aaaa", "cccc"]).tolist() == ["early", "late"]
    scores = cross_val_score(clone(fitted), WORDS, KINDS, cv=StratifiedKFold(3))
    ours = cross_validate(SoftMargin(WORDS, KINDS, kernel, C=5.0), StratifiedKFold(3), tol=1e-8, progress=False)
    np.testing.assert_allclose(scores, ours.scores)


def test_series_of_any_lengths() -> None:
    rng, ups = np.random.default_rng(2), np.repeat([0, 1], 12)
    series = [np.linspace(0, 2 * up - 1, rng.integers(4, 9)) + 0.1 * rng.normal() for up in ups]
    fitted = SVC(kernel=GlobalAlignment(1.0), tol=1e-6).fit(series, ups)
    assert fitted.certificate_.holds(1e-6)
    assert fitted.predict([[0.0, 0.5, 1.0], [0.0, -0.2, -0.4, -0.6, -0.8, -1.0]]).tolist() == [1, 0]
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.decision_function(series), fitted.decision_function(series))


def test_text_in_a_pipeline() -> None:
    lower = FunctionTransformer(lambda texts: [text.lower() for text in texts])
    pipeline = make_pipeline(lower, SVC(kernel=Spectrum(2)))
    pipeline.fit([word.upper() for word in WORDS], KINDS)
    plain = SVC(kernel=Spectrum(2)).fit(WORDS, KINDS)
    np.testing.assert_allclose(pipeline.decision_function(WORDS), plain.decision_function(WORDS))
    search = GridSearchCV(Pipeline([("machine", SVC(kernel=Spectrum(1)))]), {"machine__kernel__p": [1, 2]}, cv=3)
    assert search.fit(WORDS, KINDS).best_estimator_.named_steps["machine"].kernel.p in (1, 2)


def test_sequences_of_integers_and_their_regression() -> None:
    sequences = [RNG.integers(0, 4, 6).tolist() for _ in range(20)]
    ones = np.array([float(each.count(1)) for each in sequences])
    fitted = SVR(kernel=Spectrum(1), C=100.0, epsilon=0.01, tol=1e-6).fit(sequences, ones)
    np.testing.assert_allclose(fitted.predict(sequences), ones, atol=0.02)
    assert OneClassSVM(kernel=Spectrum(1, normalise=True), nu=0.2).fit(sequences).predict(sequences).mean() > 0.3


# --- graphs ---

Graph = dict[int, list[int]]


def cycle(size: int) -> Graph:
    return {node: [(node - 1) % size, (node + 1) % size] for node in range(size)}


def star(size: int) -> Graph:
    return {0: list(range(1, size)), **{node: [0] for node in range(1, size)}}


def subtrees(graph: Graph, rounds: int = 2) -> Counter[Hashable]:
    """Count the labels of Weisfeiler and Lehman: those of a node and its neighbours make the next one."""
    labels: dict[int, Hashable] = dict.fromkeys(graph, "")
    found = Counter(labels.values())
    for _ in range(rounds):
        labels = {node: (labels[node], tuple(sorted(str(labels[k]) for k in graph[node]))) for node in graph}
        found.update(labels.values())
    return found


def weisfeiler_lehman(left: Any, right: Any) -> np.ndarray:
    counts = [subtrees(graph) for graph in left], [subtrees(graph) for graph in right]
    return np.array([[sum(a[label] * b[label] for label in a) for b in counts[1]] for a in counts[0]], dtype=float)


GRAPHS = [make(size) for make in (cycle, star) for size in range(4, 12)]
SHAPES = np.repeat(["cycle", "star"], 8)


def test_graphs_by_a_precomputed_matrix() -> None:
    """As in scikit-learn: the square matrix of the training samples, then the rows of new ones with all of these."""
    new, K = [cycle(13), star(13)], weisfeiler_lehman(GRAPHS, GRAPHS)
    fitted = SVC(kernel="precomputed").fit(K, SHAPES)
    assert fitted.predict(weisfeiler_lehman(new, GRAPHS)).tolist() == ["cycle", "star"]
    assert cross_val_score(SVC(kernel="precomputed"), K, SHAPES, cv=4).mean() == 1.0
    with pytest.raises(ValueError, match="X has 4 features, but SVC is expecting 16"):
        fitted.predict(weisfeiler_lehman(new, GRAPHS[:4]))


def test_graphs_by_a_function() -> None:
    model = SoftMargin(GRAPHS, SHAPES, kernel=weisfeiler_lehman)
    solution = model.solve(tol=1e-8)
    assert solution.status == "optimal"
    assert solution.function.predict([cycle(13), star(13)]).tolist() == ["cycle", "star"]
    by_matrix = SVC(kernel="precomputed", tol=1e-8).fit(weisfeiler_lehman(GRAPHS, GRAPHS), SHAPES)
    assert model.certify(by_matrix).holds(1e-7)
    assert model.certify(solution).holds(1e-7)
    fitted = SVC(kernel=weisfeiler_lehman, tol=1e-8).fit(GRAPHS, SHAPES)
    np.testing.assert_allclose(fitted.decision_function(GRAPHS), solution.decision, atol=1e-6)
    combined = 0.1 * FunctionKernel(weisfeiler_lehman) + FunctionKernel(
        lambda left, right: [[float(len(a) * len(b)) for b in right] for a in left]
    )
    assert SoftMargin(GRAPHS, SHAPES, combined).solve().status == "optimal"
    found = grid(model, 4, kernel=[weisfeiler_lehman, combined], C=[0.1, 1.0], progress=False)
    assert found.best_score == 1.0


def test_a_function_that_is_no_kernel() -> None:
    with pytest.raises(ParameterError, match=r"a file cannot hold .*weisfeiler_lehman"):
        SoftMargin(GRAPHS, SHAPES, weisfeiler_lehman).solve().function.save("graphs")
    with pytest.raises(ShapeError, match="must be a square matrix of kernel values among the samples"):
        SVC(kernel=lambda left, right: weisfeiler_lehman(left, right)[:1]).fit(GRAPHS, SHAPES)


# --- tables ---

SIZE = 60
TABLE = pd.DataFrame(
    {
        "age": RNG.normal(size=SIZE),
        "bmi": RNG.normal(size=SIZE),
        "city": pd.Categorical(RNG.choice(["rome", "oslo", "bonn"], SIZE)),
        "note": ["".join(RNG.choice(list("abc"), 7)) for _ in range(SIZE)],
    }
)
ILL = np.where(TABLE["age"] + 2.0 * (TABLE["city"] == "rome") + 0.3 * RNG.normal(size=SIZE) > 0.5, "ill", "well")
MIXED = Columns(RBF(0.1), ["age", "bmi"]) + Columns(Matching(), "city") + Columns(Spectrum(3), "note")


def test_a_table_by_columns() -> None:
    model = SoftMargin(TABLE, ILL, MIXED)
    solution = model.solve(tol=1e-8)
    assert solution.status == "optimal"
    cities, notes = TABLE["city"].to_numpy(), TABLE["note"].tolist()
    K = RBF(0.1)(TABLE[["age", "bmi"]]) + np.equal.outer(cities, cities) + Spectrum(3)(notes)
    by_matrix = SVC(kernel="precomputed", tol=1e-8).fit(K, ILL)
    np.testing.assert_allclose(by_matrix.decision_function(K), solution.decision, atol=1e-5)
    fitted = SVC(kernel=MIXED, tol=1e-8).fit(TABLE, ILL)
    np.testing.assert_allclose(fitted.decision_function(TABLE), solution.decision, atol=1e-5)
    assert fitted.feature_names_in_.tolist() == list(TABLE.columns)
    # Its columns are looked up by their names.
    elsewhere = TABLE[["note", "city", "bmi", "age"]].assign(more=1.0)
    np.testing.assert_array_equal(fitted.decision_function(elsewhere), fitted.decision_function(TABLE))
    np.testing.assert_array_equal(solution.predict(elsewhere), solution.predict(TABLE))
    for machine in (fitted, solution):
        with pytest.raises(FeatureNamesError, match="by their names, but X has no city, note"):
            machine.predict(TABLE[["age", "bmi"]])


def test_parameters_of_the_parts_are_searched_over() -> None:
    values = {"left__left__base__gamma": [0.05, 0.5], "right__base__p": [2, 3]}
    ours = grid(SoftMargin(TABLE, ILL, MIXED), 3, C=[1.0, 10.0], tol=1e-6, progress=False, **values)
    named = {f"kernel__{name}": each for name, each in values.items()} | {"C": [1.0, 10.0]}
    theirs = GridSearchCV(SVC(kernel=MIXED, tol=1e-6), named, cv=3).fit(TABLE, ILL)
    assert ours.best_score == pytest.approx(theirs.best_score_)
    assert {f"kernel__{name}".replace("kernel__C", "C"): each for name, each in ours.best_params.items()} == (
        theirs.best_params_
    )
    assert theirs.score(TABLE, ILL) > 0.8
    changed = SoftMargin(TABLE, ILL, MIXED).set_params(left__right__columns=("city",), left__left__base__gamma=2.0)
    assert changed.gram.kernel.left.left == Columns(RBF(2.0), ("age", "bmi"))


def test_a_machine_of_a_table_is_saved(tmp_path: Any) -> None:
    solution = SoftTube(TABLE, TABLE["age"] ** 2, MIXED, C=10.0).solve()
    again = Expansion.load(solution.function.save(tmp_path / "table"))
    np.testing.assert_array_equal(again(TABLE), solution.function(TABLE))
    assert again.kernel == MIXED


class TestRank:
    def test_an_answer_of_low_rank_is_proved_and_near_the_exact_one(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(600, 4))
        y = np.digitize(X[:, 0] + X[:, 1] ** 2, [0, 1])
        exact, few = SVC().fit(X, y), SVC(rank=150).fit(X, y)
        assert few.fit_status_ == 0
        assert np.mean(few.predict(X) == exact.predict(X)) > 0.97
        np.testing.assert_array_equal(few.solution_.predict(X), few.predict(X))
        regressor = SVR(rank=80).fit(X, X[:, 0])
        assert regressor.score(X, X[:, 0]) > 0.9
        np.testing.assert_allclose(
            regressor.predict(X), regressor.solution_.predict(X), atol=1e-6 * np.abs(X[:, 0]).max()
        )

    def test_samples_without_a_weight_are_no_landmarks(self) -> None:
        rng = np.random.default_rng(1)
        X, weights = rng.normal(size=(300, 3)), np.repeat([1.0, 0.0], 150)
        y = np.where(X[:, 0] > 0, 1, -1)
        with_them = SVC(rank=60).fit(X, y, sample_weight=weights)
        without = SVC(rank=60).fit(X[:150], y[:150])
        np.testing.assert_array_equal(with_them.decision_function(X), without.decision_function(X))

    def test_what_has_no_rank(self) -> None:
        X, y = np.eye(4), [0, 1, 0, 1]
        with pytest.raises(ParameterError, match="a rank is for a kernel by name or a Kernel object"):
            SVC(kernel="precomputed", rank=2).fit(X, y)
        with pytest.raises(ParameterError, match="leave out indefinite='clip', or rank=2"):
            SVC(rank=2, indefinite="clip").fit(X, y)
        with pytest.raises(ParameterError, match="at most the number of samples, 4, but 5 came"):
            SVC(rank=5).fit(X, y)


# --- files ---


def weighed_products(left: Any, right: Any) -> np.ndarray:
    return np.asarray(np.exp(np.asarray(left) @ np.asarray(right).T / 4.0))


def of_two_samples(x: np.ndarray, z: np.ndarray) -> float:
    return float(np.exp(x @ z / 4.0))


def test_no_file_takes_the_matrix_of_a_function_for_a_kernel(tmp_path: Path) -> None:
    X = np.random.default_rng(3).normal(size=(30, 2))
    three, y = np.digitize(X[:, 0], [-0.4, 0.4]), X[:, 0] + X[:, 1]
    theirs = sklearn.kernel_ridge.KernelRidge(kernel=of_two_samples).fit(X, y)
    chi2 = sklearn.kernel_ridge.KernelRidge(kernel="chi2", gamma=1.0).fit(np.abs(X), y)
    answers = {
        "two classes": SVC(kernel=weighed_products).fit(X, three > 0).solution_,
        "three classes": SVC(kernel=lambda A, B: weighed_products(A, B)).fit(X, three).solution_,
        "targets": SVR(kernel=weighed_products).fit(X, y).solution_,
        "ridge": KernelRidge(kernel=of_two_samples).fit(X, y).solution_,
        "a model": SoftMargin(X, three > 0, kernel=weighed_products).solve(),
        "an audit": audit(theirs, X, y).finish()[0].solution,
        "an audit, by name": audit(chi2, np.abs(X), y).finish()[0].solution,
    }
    for name, answer in answers.items():
        for save in (answer.save, getattr(answer.function, "save", answer.save)):
            with pytest.raises(
                ParameterError, match=r"a file cannot hold <function .* Kernel|a file cannot hold functools"
            ):
                save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_matrix_that_was_given_is_kept_as_it_is(tmp_path: Path) -> None:
    X = np.random.default_rng(3).normal(size=(30, 2))
    fitted = SVC(kernel="precomputed").fit(weighed_products(X, X), X[:, 0] > 0)
    again = load(fitted.solution_.save(tmp_path / "machine"))
    np.testing.assert_array_equal(again.predict(np.arange(30)), fitted.predict(weighed_products(X, X)))
