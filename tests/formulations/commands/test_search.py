# SPDX-License-Identifier: BSD-3-Clause
"""The commands grid and path: values to try, what is best, and where that is kept."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from command_line import expected, refused, run, run_json
from formulations import load
from formulations.commands.training import read_tries
from qpkernels.errors import ParameterError
from qpkernels.kernels import RBF
from together import together


def test_values() -> None:
    assert read_tries(["C=0.1, 1,10", "degree=2,3"]) == {"C": [0.1, 1, 10], "degree": [2, 3]}
    assert [type(value) for value in read_tries(["degree=2,3.0"])["degree"]] == [int, float]
    assert read_tries(["gamma=log2:3,-15,-2"]) == {"gamma": [2.0**k for k in range(3, -16, -2)]}
    assert read_tries(["C=log10:-1,1,0.5"])["C"] == pytest.approx([0.1, math.sqrt(0.1), 1, math.sqrt(10), 10])


@pytest.mark.parametrize(
    "text", ["C", "C=", "=1", "C=1,b", "C=log3:1,2,1", "C=log2:1,2", "C=log2:1,2,0", "C=log2:3,1,1", "C=nan(1)"]
)
def test_values_that_are_none(text: str) -> None:
    with pytest.raises(ParameterError, match="--try takes NAME=VALUE"):
        read_tries([text])


def test_a_name_that_comes_twice() -> None:
    with pytest.raises(ParameterError, match="the values of C came twice"):
        read_tries(["C=1", "C=2"])


@pytest.mark.parametrize("several", [False, True])
def test_a_grid_is_that_of_scikit_learn(several: bool, tmp_path: Path) -> None:
    iris = load_iris()
    keep = slice(None) if several else iris.target > 0
    X, y = iris.data[keep], iris.target[keep]
    np.savez(tmp_path / "iris.npz", X=X, y=y)
    tries = ("--try", "C=0.1,1,10", "--try", "gamma=0.1,1")
    record = run_json("grid", tmp_path / "iris.npz", "--scale", *tries, "--tol", "1e-8", "--seed", "2")
    folds = StratifiedKFold(5, shuffle=True, random_state=2)
    search = GridSearchCV(SVC(tol=1e-8), {"C": [0.1, 1, 10], "gamma": [0.1, 1.0]}, cv=folds)
    search.fit(MinMaxScaler((-1, 1)).fit_transform(X), y)
    assert record["best_params"] == search.best_params_
    assert record["best_score"] == pytest.approx(search.best_score_)
    means = [point["mean_test_score"] for point in record["points"]]
    assert means == pytest.approx(search.cv_results_["mean_test_score"])


@pytest.mark.parametrize("data", ["iris", "breast-cancer"])
def test_grids_of_two_classes_and_of_several_print_one_table(data: str) -> None:
    text = run("grid", data, "--scale", "--try", "C=1,10", "--folds", "3").stdout
    assert re.search(r"best accuracy 0\.\d+ at C=\d+; every fit is proved at 0\.001", text), text
    (head,) = (line for line in text.splitlines() if "accuracy" in line and "best" not in line)
    assert head.split() == ["rank", "C", "accuracy", "+/-", "proved", "rel.", "gap"]
    assert text.count(" 3/3 ") == 2
    keys = run_json("grid", data, "--scale", "--try", "C=1", "--folds", "2")["points"][0]
    assert [*keys] == [
        *("param_C", "split0_test_score", "split1_test_score", "mean_test_score", "std_test_score"),
        *("rank_test_score", "proved", "relative_gap", "seconds"),
    ]


def test_a_grid_of_several_classes_without_any_answer_says_why(tmp_path: Path) -> None:
    X, y = np.array([[0.0], [1.0], [2.0]] * 4), np.array([0, 1, 2] * 4)
    X[:6:3] = 1.0  # samples of the first class among those of the second, in every fold
    np.savez(tmp_path / "three.npz", X=X, y=y)
    hard = ("--model", "hard-margin", "--folds", "2", "--try", "gamma=1,2")
    message = refused("grid", tmp_path / "three.npz", *hard, status=4)
    assert "InseparableError" in message


def test_the_best_machine_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "best.npz"
    result = run("grid", "iris", "--scale", "--try", "C=1,10", "--kernel", "polynomial", "--folds", "3", "-o", path)
    assert result.exit_code == 0
    assert "best accuracy" in result.stdout
    assert f"written: {path}" in " ".join(result.stdout.split())
    iris = load_iris()
    assert (load(path).predict(iris.data) == iris.target_names[iris.target]).mean() > 0.9
    record = run_json("grid", "diabetes", "--scale", "--model", "SoftTube", "--try", "C=10,100", "-o", path)
    assert record["best_score"] > 0.3
    assert load(path).classes is None


def test_what_is_tried_unless_something_is_named(libsvm: Path) -> None:
    record = run_json("grid", libsvm, "--kernel", "linear", "--folds", "2")
    assert [point["param_C"] for point in record["points"]] == [2.0**k for k in range(-5, 16, 2)]
    assert run_json("path", libsvm)[2]["primal_value"] == pytest.approx(expected(1.0), rel=2e-3)


def test_a_path(libsvm: Path) -> None:
    rows = run_json("path", libsvm, "--kernel", "rbf(0.5)", "--try", "C=0.5,2,8", "--tol", "1e-8")
    assert [row["C"] for row in rows] == [0.5, 2, 8]
    for row in rows:
        assert row["primal_value"] == pytest.approx(expected(row["C"], RBF(0.5)), rel=1e-7)
    assert "every fit is proved" in run("path", libsvm, "--try", "C=0.5,2").stdout


def test_an_exact_path(libsvm: Path) -> None:
    rows = run_json("path", libsvm, "--kernel", "rbf(0.5)", "--exact")
    assert (rows[0]["C"], rows[-1]["C"]) == (0.01, 100)
    for row in rows[::5]:
        assert row["relative_gap"] <= 1e-9
        assert row["primal_value"] == pytest.approx(expected(row["C"], RBF(0.5)), rel=1e-7)
    found = run("path", libsvm, "--exact", "--try", "C=0.5,2")
    assert "every breakpoint is proved at 1e-09" in found.stdout


def test_a_search_that_goes_on(libsvm: Path, tmp_path: Path) -> None:
    store = tmp_path / "fits.jsonl"
    first = run_json("grid", libsvm, "--try", "C=1,2", "--folds", "2", "--store", store)
    lines = len(store.read_text().splitlines())
    assert (
        run_json("grid", libsvm, "--try", "C=1,2", "--folds", "2", "--store", store)["best_score"]
        == (first["best_score"])
    )
    assert len(store.read_text().splitlines()) == lines


@together(
    "arguments, words",
    [
        (["grid", "wine", "--try", "tol=1,2"], "has no hyper-parameter 'tol'"),
        (["path", "breast-cancer", "--try", "tol=1,2"], "has no hyper-parameter 'tol'"),
        (["path", "breast-cancer", "--try", "gamma=1,2"], "make a grid"),
        (["path", "breast-cancer", "--try", "C=1", "--try", "gamma=1"], "path takes one --try, but 2 came"),
        (["path", "breast-cancer", "--exact", "--try", "C=1,2,3"], "C must be two ends"),
        (["path", "breast-cancer", "--exact", "--solver", "smo"], "--exact takes neither --solver nor --store"),
        (["path", "wine", "--exact"], "wine has 3 different targets"),
        (["grid", "wine", "--model", "SoftMarginDual"], "this command solves models, not the form dual"),
        (["path", "breast-cancer", "--model", "SoftMarginDual"], "name the model: soft-margin"),
        (["grid", "wine", "--model", "one-class"], "one-class looks at no labels that it could be scored by"),
        (["grid", "wine", "--folds", "100"], "--folds must be from 2 to .* the largest class, 71, but 100 came"),
        (["grid", "breast-cancer", "--folds", "500"], "--folds must be from 2 to .* the largest class, 357"),
        (["grid", "diabetes", "--model", "SoftTube", "--folds", "1"], "--folds must be from 2 to .* the set, 442"),
        (["grid", "wine", "--try", "C=-1"], "C must be a number above 0"),
        (["grid", "wine", "--scoring", "f1"], "the scorer 'f1' does not score several classes"),
        (
            ["grid", "breast-cancer", "--scoring", "f99"],
            "--scoring must be a scorer of scikit-learn, such as .*'f99' came",
        ),
        (["grid", "breast-cancer", "--model", "hard-margin", "--kernel", "linear"], "a grid needs values"),
    ],
)
def test_refusals(arguments: list[str], words: str) -> None:
    assert re.search(words, refused(*arguments))
