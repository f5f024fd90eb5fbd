# SPDX-License-Identifier: BSD-3-Clause
"""The command fit, held against LIBSVM inside scikit-learn; machines that predict and evaluate find."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, OneClassSVM

from command_line import expected, refused, run, run_json, samples, write_libsvm
from formulations import SoftMargin, load
from formulations.commands import output
from model_data import blobs, one_against_rest
from qpkernels.files import read_libsvm_model, read_libsvm_range
from qpkernels.kernels import RBF, Polynomial
from qpkernels.kernels.rbf import scale_gamma
from together import together

TIGHT = {"tol": 1e-10}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of its own, where machine.npz is written."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (["--C", "10", "--kernel", "rbf(gamma=0.1)"], SVC(C=10, gamma=0.1, **TIGHT)),
        (["--kernel", "linear"], SVC(kernel="linear", **TIGHT)),
        (
            ["--kernel", "polynomial(2, gamma=1, coef0=1)"],
            SVC(kernel="poly", degree=2, gamma=1, coef0=1, **TIGHT),
        ),
        (["--kernel", "rbf", "--weight", "1=5"], SVC(class_weight={1: 5.0}, **TIGHT)),
        (["--model", "nu-margin", "--set", "nu=0.4", "--gamma", "0.5"], NuSVC(nu=0.4, gamma=0.5, **TIGHT)),
    ],
    ids=["rbf", "linear", "polynomial", "weights", "nu"],
)
def test_machines_of_svm_train(ours: list[str], theirs: SVC, libsvm: Path) -> None:
    X, y = samples()
    record = run_json("fit", libsvm, *ours, "--tol", "1e-10")
    assert record["status"] == "optimal"
    theirs.fit(X, y)
    values = np.array(run_json("predict", libsvm, "--decision")["decision"])
    expected = theirs.decision_function(X)
    if "nu-margin" in ours:
        # LIBSVM divides by rho, and so do we, by another one.
        values, expected = values / np.abs(values).max(), expected / np.abs(expected).max()
    assert values == pytest.approx(expected, abs=2e-5)


def test_values_and_novelty_as_svm_train(tmp_path: Path) -> None:
    X, y = samples()
    targets = np.round(X @ [1.0, -2.0, 0.5] + 0.1 * y, 6)
    path = write_libsvm(tmp_path / "values", X, targets)
    run_json(
        "fit", path, "--model", "soft-tube", "--set", "epsilon=0.1", "--C", "5", "--gamma", "0.2", "--tol", "1e-10"
    )
    theirs = SVR(C=5, epsilon=0.1, gamma=0.2, **TIGHT).fit(X, targets)
    assert run_json("predict", path)["predicted"] == pytest.approx(theirs.predict(X), abs=1e-5)
    record = run_json("fit", path, "--model", "one-class", "--set", "nu=0.3", "--gamma", "0.2", "--tol", "1e-10")
    novel = OneClassSVM(nu=0.3, gamma=0.2, **TIGHT).fit(X)
    values = novel.decision_function(X)
    free = np.abs(values) > 1e-6
    assert np.array_equal(np.array(run_json("predict", path)["predicted"])[free], novel.predict(X)[free])
    # Samples on the boundary are inliers or not by rounding.
    assert np.mean(values > 1e-6) <= record["training_inliers"] <= np.mean(values > -1e-6)


def test_several_classes_keep_their_names() -> None:
    record = run_json("fit", "iris", "--gamma", "0.5", "--tol", "1e-10")
    assert record["classes"] == ["setosa", "versicolor", "virginica"]
    assert record["machines"] == 3
    iris = load_iris()
    theirs = SVC(gamma=0.5, **TIGHT).fit(iris.data, iris.target_names[iris.target])
    assert run_json("predict", "iris")["predicted"] == theirs.predict(iris.data).tolist()
    assert run_json("fit", "iris", "--one-versus-rest", "-o", "rest.npz")["machines"] == 3
    assert run_json("evaluate", "iris", "--model", "rest.npz")["accuracy"]["value"] > 0.9


def test_one_class_against_others_keeps_its_name(libsvm: Path, folder: Path) -> None:
    record = run_json("fit", "iris", "--positive", "setosa", "--weight", "setosa=2")
    assert record["classes"] == ["not setosa", "setosa"]
    assert set(run("predict", "iris").stdout.splitlines()) == {"setosa", "not setosa"}
    found = run_json("evaluate", "iris")
    assert found["accuracy"]["value"] == 1.0
    assert found == run_json("evaluate", "iris", "--positive", "setosa")
    message = refused("evaluate", "iris", "--positive", "virginica")
    assert "separates setosa from not setosa, but --positive virginica came; leave it out" in message
    # Of two classes, both have names; the decision is positive for the one that is named.
    assert run_json("fit", libsvm, "--positive", "-1")["classes"] == ["1", "-1"]
    columns = run_json("predict", libsvm, "--decision")
    assert {1 if value > 0 else -1 for value in columns["decision"]} == {1, -1}
    assert columns["predicted"] == [-1 if value > 0 else 1 for value in columns["decision"]]
    X, y = samples()
    numbers = write_libsvm(folder / "numbers", X, np.where(np.arange(24) < 5, 3, y))
    assert run_json("fit", numbers, "--positive", "3")["classes"] == ["not 3", "3"]
    assert run_json("evaluate", numbers)["labels"] == ["3", "not 3"]


def test_labels_are_numbers_as_the_file_has_them(libsvm: Path, folder: Path) -> None:
    run_json("fit", libsvm, "--libsvm-model", "two.model")
    predicted = run_json("predict", libsvm)["predicted"]
    assert {type(label) for label in predicted} == {int}
    assert run_json("predict", libsvm, "--model", "two.model")["predicted"] == predicted
    told = run("audit", libsvm, "--model", "two.model", "--C", "2").stdout
    assert re.search(r"sample \d+ \(-?1\): multiplier", told), told
    halves = write_libsvm(folder / "halves", samples()[0], samples()[1] / 2)
    run_json("fit", halves)
    assert set(run_json("predict", halves)["predicted"]) == {-0.5, 0.5}


@pytest.mark.parametrize(
    ("option", "scaler"), [("--scale", MinMaxScaler((-1, 1))), ("--standardise", StandardScaler())]
)
def test_a_machine_keeps_the_scaling_of_its_samples(option: str, scaler: MinMaxScaler, folder: Path) -> None:
    X, y = load_wine(return_X_y=True)
    train, test = np.arange(0, 178, 2), np.arange(1, 178, 2)
    for name, rows in (("train", train), ("test", test)):
        np.savez(folder / f"{name}.npz", X=X[rows], y=y[rows])
    run_json("fit", "train.npz", option, "--gamma", "0.1", "--tol", "1e-10")
    theirs = SVC(gamma=0.1, **TIGHT).fit(scaler.fit_transform(X[train]), y[train])
    accuracy = run_json("evaluate", "test.npz")["accuracy"]["value"]
    assert accuracy == theirs.score(scaler.transform(X[test]), y[test]) > 0.9


def test_a_saved_solution_keeps_it_as_well() -> None:
    record = run_json("solve", "breast-cancer", "--scale", "--save", "machine")
    found = run_json("evaluate", "breast-cancer")["accuracy"]["value"]
    assert found == pytest.approx(record["training_accuracy"])
    assert found > 0.97


def test_sparse_files_stay_sparse_and_features_that_are_left_out_are_zero(folder: Path) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 12)) * (rng.random((40, 12)) < 0.15)
    X[:, 11] = 0.0
    X[0, 11] = 1.0
    y = np.where(X @ rng.normal(size=12) + 0.1 * rng.normal(size=40) > 0, 1, -1)
    few, more = X[:, :10], np.hstack([X, rng.normal(size=(40, 2))])
    for name, part in (("train", X), ("few", few), ("more", more)):
        write_libsvm(folder / name, part, y)
    run_json("fit", "train", "--kernel", "rbf(0.3)", "--tol", "1e-10")
    machine = load("machine.npz")
    assert hasattr(machine.functions.centers, "nnz")
    theirs = SVC(gamma=0.3, **TIGHT)
    theirs.fit(X, y)
    padded = np.hstack([few, np.zeros((40, 2))])
    assert run_json("predict", "few", "--decision")["decision"] == pytest.approx(
        theirs.decision_function(padded), abs=1e-5
    )
    # As svm-predict has it, the machine is 0 in features that it never saw.
    theirs.fit(np.hstack([X, np.zeros((40, 2))]), y)
    assert run_json("predict", "more", "--decision")["decision"] == pytest.approx(
        theirs.decision_function(more), abs=1e-5
    )
    run_json("fit", "train", "--scale")
    result = run("predict", "more")
    assert result.exit_code == 0
    assert "features above 12 are left out" in result.stderr
    message = refused("fit", "train", "--kernel", "laplacian(1)")
    assert "takes dense samples, but these are sparse; add --dense" in message
    assert run("fit", "train", "--kernel", "laplacian(1)", "--dense").exit_code == 0
    assert run("predict", "few").exit_code == 0


def test_indices_that_begin_at_0_are_told(folder: Path) -> None:
    text = "1 0:1 2:1\n-1 1:1\n1 0:2\n-1 2:3\n"
    (folder / "zero").write_text(text)
    result = run("fit", folder / "zero", "--kernel", "linear")
    assert "has an index 0, so that its indices are taken to count from 0" in " ".join(result.stderr.split())
    assert result.exit_code == 0


def test_more_than_memory_holds_ends_with_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "wide").write_text("1 1:1\n-1 2:1 2147483647:1\n")
    assert "a vector of so many features takes 16 GiB" in refused("fit", folder / "wide")

    def full(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 16.0 GiB")

    monkeypatch.setattr("formulations.commands.samples.load_dataset", full)
    said = refused("fit", folder / "wide")
    assert said == "MemoryError: Unable to allocate 16.0 GiB; take fewer samples or features."


def test_probabilities() -> None:
    record = run_json("fit", "iris", "--probability", "--seed", "3")
    assert record["status"] == "optimal"
    columns = run_json("predict", "iris", "--probability")
    shares = np.array([columns[f"probability {name}"] for name in record["classes"]])
    assert shares.sum(axis=0) == pytest.approx(1.0)
    iris = load_iris()
    assert (shares.argmax(axis=0) == iris.target).mean() > 0.9
    assert np.array_equal(load("machine.npz").predict_proba(iris.data), shares.T)
    run_json("fit", "iris", "--probability", "--seed", "3", "-o", "again.npz")
    assert np.array_equal(load("again.npz").predict_proba(iris.data), shares.T)
    rest = run_json("fit", "iris", "--positive", "setosa", "--probability")
    columns = run_json("predict", "iris", "--probability")
    assert [*columns] == ["predicted", *(f"probability {name}" for name in reversed(rest["classes"]))]
    assert min(columns["probability setosa"][:50]) > 0.8 > 0.2 > max(columns["probability setosa"][50:])
    assert run("fit", "breast-cancer", "--model", "logistic", "--standardise", "--probability").exit_code == 0
    assert run_json("predict", "breast-cancer", "--probability")["probability benign"][0] < 0.5


def test_classes_that_are_too_small_for_probabilities(folder: Path) -> None:
    X, _ = samples()
    few = write_libsvm(folder / "few", X[:4], np.array([1, 1, -1, -1]))
    message = refused("fit", few, "--probability")
    assert "--probability holds out each of 5 parts once, for which classes of 2 and 2 samples are too" in message
    one = write_libsvm(folder / "one", X, np.ones(24))
    assert "every label is 1; there is nothing" in refused("fit", one)


def test_models_of_libsvm(libsvm: Path, folder: Path) -> None:
    record = run_json("fit", libsvm, "--scale", "--libsvm-model", "two.model")
    assert record["written"] == ["machine.npz", "two.model", "two.model.range"]
    X, _ = samples()
    scaled = read_libsvm_range("two.model.range", 3).transform(X)
    values = run_json("predict", libsvm, "--decision")["decision"]
    assert read_libsvm_model("two.model").function(scaled) == pytest.approx(values, abs=1e-12)
    assert run("scale", libsvm, "scaled", "-r", "two.model.range").exit_code == 0
    theirs = run_json("predict", "scaled", "--model", "two.model", "--decision")["decision"]
    assert theirs == pytest.approx(values, abs=1e-9)
    iris = load_iris()
    path = write_libsvm(folder / "three", iris.data, iris.target)
    run_json("fit", path, "--libsvm-model", "three.model")
    assert run_json("predict", path, "--model", "three.model")["predicted"] == run_json("predict", path)["predicted"]
    for model, written in (("one-class", "one_class"), ("soft-tube", "epsilon_svr"), ("nu-tube", "nu_svr")):
        run_json("fit", path, "--model", model, "--libsvm-model", "other.model")
        assert Path("other.model").read_text().startswith(f"svm_type {written}\n")
        expected = run_json("predict", path)["predicted"]
        assert run_json("predict", path, "--model", "other.model")["predicted"] == pytest.approx(expected)


def test_a_machine_without_a_proof_ends_with_3(folder: Path) -> None:
    X, y = blobs(seed=1, samples=400, features=3, distance=0.2)
    path = write_libsvm(folder / "many", X, y)
    result = run("fit", path, "--solver", "smo", "--time-limit", "1e-9", "--C", "100", "--json", "-")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["status"] == "stopped"
    assert load("machine.npz").predict(X).shape == (400,)


def test_a_column_that_is_no_class_is_named(folder: Path) -> None:
    (folder / "table.csv").write_text("y,a,b\n1,0.5,2.25\n-1,1.5,0.75\n1,2,3.5\n")
    message = refused("fit", folder / "table.csv", status=2)
    assert "3 different targets in the column 'b', as for regression" in message
    assert "another column by --target" in message


def test_without_an_answer(libsvm: Path) -> None:
    message = refused("fit", libsvm, "--model", "hard-margin", "--kernel", "linear", status=4)
    assert "InseparableError: no hyperplane separates the two classes" in message


@together(
    "arguments, words",
    [
        (["diabetes"], "diabetes has 214 different targets, as for regression, .* --model soft-tube"),
        (["iris", "--model", "soft-tube"], "classes setosa, versicolor, virginica, and soft-tube predicts numbers"),
        (["iris", "--model", "SoftMarginDual"], "several classes are told apart by models, not by the form dual"),
        (["wine", "--scale", "--standardise"], "--scale and --standardise exclude each other"),
        (["wine", "--scale", "--range", "nowhere"], "--scale and --range exclude each other"),
        (["wine", "--range", "nowhere"], "No such file"),
        (["wine", "--weight", "nobody=2"], "--weight nobody=2 is of no class; the classes are class_0"),
        (["wine", "--weight", "class_0"], "--weight takes CLASS=FACTOR"),
        (["wine", "--weight", "class_0=-1"], "--weight takes CLASS=FACTOR with a number from 0"),
        (["wine", "--model", "hard-margin", "--weight", "class_0=2"], "which hard-margin does not have"),
        (["wine", "--probability", "--weight", "class_0=2"], "--probability and --weight exclude each other"),
        (["diabetes", "--model", "soft-tube", "--probability"], "--probability is for classes"),
        (["breast-cancer", "--one-versus-rest"], "--one-versus-rest is for three classes or more"),
        (["iris", "--libsvm-model", "iris.model"], "labels in a model of LIBSVM are integers, but 'setosa'"),
        (["wine", "--positive", "class_9"], "classes 'class_0', 'class_1', 'class_2', but 'class_9' came"),
        (["wine", "--output", "nowhere/machine.npz"], "the folder nowhere of machine.npz does not exist"),
        (["wine", "--set", "C"], "--set takes NAME=VALUE"),
        (["wine", "--C", "1", "--set", "C=2"], "the hyper-parameter C came twice"),
        (["wine", "--set", "epsilon=1"], "there is no hyper-parameter epsilon: soft-margin has C"),
    ],
)
def test_refusals(arguments: list[str], words: str) -> None:
    message = refused("fit", *arguments)
    assert re.search(words, message), message


class TestRank:
    def test_a_machine_of_low_rank_keeps_its_landmarks_alone(self) -> None:
        record = run_json("fit", "breast-cancer", "--rank", "40", "--scale")
        assert (record["status"], record["rank"], record["landmarks"]) == ("optimal", 40, 40)
        assert record["training_accuracy"] > 0.95
        assert load("machine.npz").functions.centers.shape == (40, 30)
        assert run_json("evaluate", "breast-cancer")["accuracy"]["value"] == record["training_accuracy"]

    def test_several_classes_share_them(self) -> None:
        record = run_json("fit", "digits", "--rank", "120", "--scale")
        assert (record["status"], record["machines"], record["landmarks"]) == ("optimal", 45, 120)
        assert record["training_accuracy"] > 0.97

    def test_a_large_table_is_read_without_holding_it(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        X, y = load_iris(return_X_y=True)
        lines = [",".join(map(str, [*x, f"kind {k}"])) for x, k in zip(X.tolist(), y.tolist(), strict=True)]
        (folder / "iris.csv").write_text("\n".join(["a,b,c,d,kind", *lines]) + "\n")
        whole = run_json("fit", "iris.csv", "--rank", "20", "--standardise", "-o", "whole.npz")
        monkeypatch.setattr("qpkernels.files.delimited._LARGE", 100)
        mapped = run_json("fit", "iris.csv", "--rank", "20", "--standardise", "-o", "mapped.npz")
        assert mapped["training_accuracy"] == whole["training_accuracy"]
        assert mapped["classes"] == ["kind 0", "kind 1", "kind 2"]

    def test_what_has_no_rank(self) -> None:
        assert "--rank must be at most the number of samples, 150" in refused("fit", "iris", "--rank", "151")
        assert "no use for --rank" in refused("fit", "iris", "--rank", "3", "--kernel", "none")
        assert "--rank is for kernels without negative eigenvalues" in refused(
            "fit", "iris", "--rank", "3", "--kernel", "sigmoid", "--indefinite", "clip"
        )


def test_solve_bundled_data() -> None:
    record = run_json("solve", "breast-cancer", "--scale", "--gamma", "auto", "--tol", "1e-10")
    assert record["formulation"] == "SoftMargin"
    assert record["solver"] == "smo"
    assert record["status"] == "optimal"
    assert record["objective"] == pytest.approx(101.617809222902, rel=1e-9)
    assert record["intercept"] == pytest.approx(-0.0049293321, abs=1e-6)
    assert (record["n_support"], record["n_bounded"]) == (140, 131)
    assert len(record["support"]) == len(record["beta"]) == 140
    assert sum(record["beta"]) == pytest.approx(0, abs=1e-9)
    assert record["relative_gap"] <= 1e-10
    assert record["seconds_solve"] > 0


def test_an_answer_of_low_rank_is_judged_with_the_exact_kernel() -> None:
    record = run_json("solve", "breast-cancer", "--scale", "--gamma", "0.1", "--rank", "60")
    assert record["with_exact_kernel"].startswith("within ")
    assert record["with_exact_kernel"].endswith(" % of the optimum with the exact kernel RBF(gamma=0.1)")
    exact = run_json("solve", "breast-cancer", "--scale", "--gamma", "0.1")
    assert 0.0 < record["objective"] / exact["objective"] - 1.0 <= record["exact_suboptimality"]
    assert "with_exact_kernel" not in exact
    lp = run_json(
        "solve", "breast-cancer", "--scale", "--gamma", "0.1", "--rank", "60", "--model", "LinearProgramMachine"
    )
    assert "with_exact_kernel" not in lp


def test_solve_one_class_of_several() -> None:
    record = run_json("solve", "wine", "--positive", "1", "--scale", "--kernel", "linear")
    X, y = one_against_rest("wine", 1)
    assert record["objective"] == pytest.approx(SoftMargin(X, y).solve().objective, rel=1e-5)


def test_table_says_the_same(libsvm: Path) -> None:
    result = run("solve", libsvm)
    assert result.exit_code == 0
    record = run_json("solve", libsvm)
    assert f"{record['objective']:.10g}" in result.stdout
    for words in ("optimal", "SoftMargin", "n support", "relative gap"):
        assert words in result.stdout


@pytest.mark.parametrize(
    ("model", "form"),
    [
        ("soft-margin", None),
        ("soft-margin", "primal"),
        ("soft-margin", "hinge"),
        ("soft-margin", "dual"),
        ("hard-margin", "primal"),
        ("hard-margin", "dual"),
        ("hard-margin", "geometric"),
        ("separability", "primal"),
    ],
)
@pytest.mark.parametrize("kernel", ["rbf", "none"])
def test_solve_every_form(model: str, form: str | None, kernel: str, tmp_path: Path) -> None:
    X, y = samples()
    X[:, 0] = y * (0.3 + np.abs(X[:, 0]))
    np.savez(tmp_path / "apart.npz", X=X, y=y)
    named = () if form is None else ("--form", form)
    record = run_json("solve", tmp_path / "apart.npz", "--model", model, *named, "--kernel", kernel)
    assert record["status"] == "optimal"
    assert record["formulation"] == f"{model}-{form or ''}".title().replace("-", "")


def test_kernels_and_costs(libsvm: Path) -> None:
    X, _ = samples()
    for arguments, kernel in (
        (("--kernel", "rbf", "--gamma", "0.25"), RBF(0.25)),
        (("--kernel", "rbf", "--gamma", "auto"), RBF(1 / 3)),
        (("--kernel", "rbf"), RBF(scale_gamma(X))),
        (("--kernel", "polynomial", "--gamma", "0.5", "--degree", "2", "--coef0", "1"), Polynomial(2, 0.5, 1.0)),
        (("--kernel", "polynomial", "--gamma", "1"), Polynomial(3, 1.0, 0.0)),
    ):
        record = run_json("solve", libsvm, *arguments, "--C", "3.5", "--tol", "1e-10")
        assert record["objective"] == pytest.approx(expected(3.5, kernel), rel=1e-9)


@pytest.mark.parametrize("solver", ["smo", "clarabel", "scs", "cvxpy:CLARABEL"])
def test_solvers_by_name(libsvm: Path, solver: str) -> None:
    record = run_json("solve", libsvm, "--solver", solver)
    assert record["solver"] == solver
    assert record["objective"] == pytest.approx(expected(), rel=1e-5)


# --- files ---


def test_every_format_is_the_same_problem(libsvm: Path, csv: Path, tmp_path: Path) -> None:
    X, y = samples()
    compressed = tmp_path / "samples.xz"
    compressed.write_bytes(lzma.compress(libsvm.read_bytes()))
    np.savez(tmp_path / "samples.npz", X=X, y=y)
    for arguments in (
        [libsvm],
        [compressed],
        [tmp_path / "samples.npz"],
        [csv, "--target", "kind"],
        [csv, "--target", "2"],
    ):
        record = run_json("solve", *arguments, "--tol", "1e-10")
        assert record["objective"] == pytest.approx(expected(), rel=1e-9), arguments


def test_saved_functions_predict(csv: Path, tmp_path: Path) -> None:
    X, y = samples()
    record = run_json("solve", csv, "--target", "kind", "--tol", "1e-10", "--save", tmp_path / "machine")
    assert record["saved"] == str(tmp_path / "machine.npz")
    machine = load(record["saved"])
    assert set(machine.predict(X).tolist()) == {"healthy", "ill"}
    solution = SoftMargin(X, np.where(y > 0, "ill", "healthy"), RBF(scale_gamma(X))).solve(tol=1e-10)
    assert machine.decision_function(X) == pytest.approx(solution.function(X), abs=1e-7)
    assert np.array_equal(machine.predict(X), solution.predict(X))
    assert run("solve", csv, "--target", "kind", "--save", tmp_path / "other.npz").exit_code == 0
    assert np.array_equal(load(tmp_path / "other.npz").predict(X), machine.predict(X))


def test_json_to_a_file(libsvm: Path, tmp_path: Path) -> None:
    result = run("solve", libsvm, "--json", tmp_path / "answer.json")
    assert result.exit_code == 0
    assert "optimal" in result.stdout
    assert json.loads((tmp_path / "answer.json").read_text())["status"] == "optimal"


HARD = ("--C", "1000", "--gamma", "0.5", "--tol", "1e-9")


@pytest.fixture(autouse=True)
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work beside a file to train on."""
    monkeypatch.chdir(tmp_path)
    return write_libsvm(tmp_path / "train", *samples())


@pytest.mark.parametrize("command", ["fit", "solve"])
def test_a_checkpoint_is_written_and_gone_on_from(command: str) -> None:
    first = run_json(command, "train", *HARD, "--checkpoint", "run.npz")
    assert first["status"] == "optimal"
    assert int(np.load("run.npz")["steps"]) > 0
    again = run_json(command, "train", *HARD, "--checkpoint", "run.npz")
    assert again["status"] == "optimal"


def test_a_checkpoint_of_another_problem_ends_with_a_line() -> None:
    run_json("fit", "train", "--checkpoint", "run.npz")
    assert "its bounds (C, weights) differ" in refused("fit", "train", "--C", "2", "--checkpoint", "run.npz")


def test_several_classes_have_no_checkpoint() -> None:
    assert "keeps one machine" in refused("fit", "iris", "--checkpoint", "run.npz")


def test_who_keeps_none_says_so() -> None:
    said = refused("fit", "train", "--solver", "interior-point", "--checkpoint", "run.npz")
    assert "'interior-point' has no option 'checkpoint'" in said


@pytest.mark.parametrize(
    ("model", "solver", "told"),
    [
        ("soft-margin", (), "smo: "),
        ("soft-margin-dual", (), "smo: "),
        ("nu-margin", ("--solver", "smo"), "smo: "),
        ("nu-margin", (), ""),
        ("logistic", (), ""),
        ("least-squares-classifier", (), ""),
    ],
)
def test_progress_goes_to_standard_error(
    model: str, solver: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of models that smo has no part in there is none, such as few samples of a free level; nothing else changes."""
    monkeypatch.setattr(output, "_SELDOM", 0.0)
    result = run("fit", "train", "--model", model, *solver, "--json", "-")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["status"] == "optimal"
    assert told in result.stderr
    assert ("relative gap" in result.stderr) == bool(told)


def test_short_solves_tell_nothing() -> None:
    assert "relative gap" not in run("fit", "train", "--solver", "smo").stderr


def test_progress_is_for_those_who_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "_SELDOM", 0.0)
    result = run("solve", "train", "--solver", "clarabel")
    assert result.exit_code == 0, result.output
    assert "relative gap" not in result.stderr
