# SPDX-License-Identifier: BSD-3-Clause
"""The commands predict and evaluate: what is measured, and what is no machine or does not belong to it."""

from __future__ import annotations

import re
from csv import reader
from pathlib import Path

import numpy as np
import pytest
import scipy
from sklearn.metrics import confusion_matrix, mean_absolute_error, precision_score, r2_score, root_mean_squared_error

from command_line import refused, run, run_json, samples, write_libsvm
from formulations import load


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of its own, where machine.npz is written."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_classes_are_counted_as_scikit_learn_does(libsvm: Path) -> None:
    X, y = samples()
    run_json("fit", libsvm, "--kernel", "linear")
    record = run_json("evaluate", libsvm)
    predicted = load("machine.npz").predict(X)
    assert record["confusion"] == confusion_matrix(y, predicted).tolist()
    assert record["labels"] == ["-1", "1"]
    right = int((predicted == y).sum())
    interval = scipy.stats.binomtest(right, 24).proportion_ci(0.95, method="wilson")
    assert record["accuracy"] == pytest.approx({"value": right / 24, "lower": interval.low, "upper": interval.high})
    second = record["classes"][1]
    assert second["label"] == "1"
    assert second["precision"]["value"] == pytest.approx(precision_score(y, predicted))
    assert second["samples"] == int((y > 0).sum())
    narrow = run_json("evaluate", libsvm, "--confidence", "0.5")["accuracy"]
    assert record["accuracy"]["lower"] < narrow["lower"] <= narrow["upper"] < record["accuracy"]["upper"]
    table = run("evaluate", libsvm).stdout
    assert all(word in table for word in ("accuracy", "true, predicted as:", "precision", "95 % intervals"))


def test_values_are_measured_as_scikit_learn_does(folder: Path) -> None:
    X, y = samples()
    targets = np.round(X[:, 0] + 0.3 * y, 6)
    path = write_libsvm(folder / "values", X, targets)
    run_json("fit", path, "--model", "soft-tube", "--kernel", "linear")
    record = run_json("evaluate", path, "--seed", "4")
    predicted = load("machine.npz").predict(X)
    for name, measure in (("r2", r2_score), ("mae", mean_absolute_error), ("rmse", root_mean_squared_error)):
        assert record[name]["value"] == pytest.approx(measure(targets, predicted))
        assert record[name]["lower"] < record[name]["value"] < record[name]["upper"]
    assert run_json("evaluate", path, "--seed", "4") == record
    assert run_json("evaluate", path, "--seed", "5")["mae"] != record["mae"]
    draws = scipy.stats.bootstrap((np.abs(targets - predicted),), np.mean, method="percentile", rng=0)
    assert record["mae"]["lower"] == pytest.approx(draws.confidence_interval.low, rel=0.15)
    assert "mean absolute error" in run("evaluate", path).stdout
    alike = write_libsvm(folder / "alike", X[:3], np.ones(3))
    assert run_json("evaluate", alike)["r2"] == {"value": None, "lower": None, "upper": None}


def test_one_class(libsvm: Path) -> None:
    run_json("fit", libsvm, "--model", "one-class", "--set", "nu=0.5", "--kernel", "rbf(0.05)")
    assert run_json("evaluate", libsvm)["labels"] == ["-1", "1"]
    assert set(run("predict", libsvm).stdout.split()) == {"1", "-1"}
    run_json("fit", "wine", "--model", "one-class", "--set", "nu=0.2", "--scale")
    assert run_json("evaluate", "wine")["inliers"]["value"] == pytest.approx(0.8, abs=0.05)


def test_lines(libsvm: Path) -> None:
    run_json("fit", libsvm, "--model", "logistic")
    plain = run("predict", libsvm).stdout.split()
    assert plain == [f"{label:g}" for label in load("machine.npz").predict(samples()[0])]
    assert run("predict", libsvm, "--model", "machine").stdout.split() == plain
    assert run("predict", libsvm, "-o", "lines").stdout == ""
    assert Path("lines").read_text().split() == plain
    record = run_json("predict", libsvm, "--probability", "--decision")
    # As svm-predict -b 1 has it, and its model of values above 0 for the first class.
    head, *lines = run("predict", libsvm, "--probability").stdout.splitlines()
    assert head == "labels 1 -1"
    told = [[float(field) for field in line.split()] for line in lines]
    names = ("predicted", "probability 1", "probability -1")
    assert told == [list(row) for row in zip(*(record[name] for name in names), strict=True)]
    head, *lines = run("predict", libsvm, "--probability", "--decision").stdout.splitlines()
    assert head.split(",") == [*names, "decision"]
    assert [float(line.split(",")[3]) for line in lines] == record["decision"]


def test_names_with_spaces_and_commas_come_as_csv() -> None:
    X, y = samples()
    np.savez("named.npz", X=X, y=np.where(y > 0, "very ill, or dead", "well"))
    run_json("fit", "named.npz", "--model", "logistic")
    expected = load("machine.npz").predict(X).tolist()
    assert run("predict", "named.npz").stdout.splitlines() == expected
    run("predict", "named.npz", "-o", "lines.csv")
    with Path("lines.csv").open(newline="") as file:
        assert list(reader(file)) == [["predicted"], *([label] for label in expected)]
    rows = list(reader(run("predict", "named.npz", "--probability").stdout.splitlines()))
    assert rows[0] == ["predicted", "probability well", "probability very ill, or dead"]
    assert [row[0] for row in rows[1:]] == expected
    assert all(float(row[1]) + float(row[2]) == pytest.approx(1.0) for row in rows[1:])


def test_columns_are_found_by_their_names(csv: Path, folder: Path) -> None:
    run_json("fit", csv, "--target", "kind")
    rows = [line.split(",") for line in csv.read_text().splitlines()]
    (folder / "turned.csv").write_text("\n".join(",".join(row[k] for k in (3, 2, 0, 1)) for row in rows))
    (folder / "bare.csv").write_text("\n".join(",".join(row[k] for k in (3, 2, 0)) for row in rows))
    (folder / "less.csv").write_text("\n".join(",".join(row[k] for k in (3, 2, 1)) for row in rows))
    expected = run_json("predict", csv)
    assert run_json("predict", "turned.csv") == run_json("predict", "bare.csv") == expected
    assert run_json("predict", csv, "--target", "kind") == expected
    assert run_json("evaluate", "turned.csv") == run_json("evaluate", csv) | {"data": "turned.csv"}
    assert "it has no width; add them" in refused("predict", "less.csv")
    assert "LabelError: bare.csv has no targets to hold predictions against; add the column kind" in refused(
        "evaluate", "bare.csv"
    )
    renamed = (folder / "turned.csv").read_text().replace("kind", "sort")
    (folder / "renamed.csv").write_text(renamed)
    assert "has no targets" in refused("evaluate", "renamed.csv")
    assert run_json("evaluate", "renamed.csv", "--target", "sort")["accuracy"] == run_json("evaluate", csv)["accuracy"]


def test_a_table_without_names_has_its_targets_where_they_were(csv: Path, folder: Path) -> None:
    rows = [line.split(",") for line in csv.read_text().splitlines()[1:]]
    signs = {"ill": "1", "healthy": "2"}
    (folder / "rows.csv").write_text("\n".join(",".join((signs[row[1]], row[0], row[2], row[3])) for row in rows))
    (folder / "bare.csv").write_text("\n".join(",".join((row[0], row[2], row[3])) for row in rows))
    run_json("fit", "rows.csv", "--target", "1")
    assert load("machine.npz").target == 1
    assert run_json("predict", "rows.csv") == run_json("predict", "bare.csv")
    assert run_json("evaluate", "rows.csv")["labels"] == ["1", "2"]
    assert "has no targets" in refused("evaluate", "bare.csv")


def test_archives_without_targets() -> None:
    X, y = samples()
    np.savez("with.npz", X=X, y=y)
    np.savez("without.npz", X=X)
    run_json("fit", "with.npz")
    assert run_json("predict", "without.npz") == run_json("predict", "with.npz")
    assert "LabelError: without.npz has no targets" in refused("evaluate", "without.npz")


def test_machines_that_are_none(libsvm: Path, folder: Path) -> None:
    assert "there is no machine machine.npz; fit writes it" in refused("predict", libsvm)
    run_json("fit", libsvm)
    whole = (folder / "machine.npz").read_bytes()
    (folder / "short.npz").write_bytes(whole[: len(whole) // 2])
    (folder / "empty.npz").write_bytes(b"")
    np.savez("data.npz", X=np.eye(2), y=[1, 2])
    with np.load("machine.npz") as arrays:
        kept = dict(arrays)
    newer = str(kept["header"]).replace('"version": 1', '"version": 99')
    np.savez("newer.npz", **(kept | {"header": np.array(newer)}))
    strange = str(kept["kernel"]).replace("RBF", "Unheard")
    np.savez("strange.npz", **(kept | {"kernel": np.array(strange)}))
    (folder / "short.model").write_text("svm_type c_svc\nkernel_type rbf\n")
    for name, words in (
        ("short.npz", "short.npz must be a machine"),
        ("empty.npz", "it is neither"),
        ("data.npz", "data.npz must be a machine"),
        ("newer.npz", "version 99"),
        ("strange.npz", "the file holds a kernel 'Unheard'"),
        ("short.model", "it has no line SV"),
        (libsvm, "a machine that fit wrote, or a model of LIBSVM, but it is neither"),
        ("nowhere.npz", "there is no machine nowhere.npz; check the name"),
    ):
        message = refused("predict", libsvm, "--model", name)
        assert message.startswith("FileFormatError")
        assert words in message, (name, message)


def test_what_does_not_belong_to_a_machine(libsvm: Path, folder: Path) -> None:
    run_json("fit", "wine")
    X, y = samples()
    assert "13 features, but those of iris have 4" in refused("evaluate", "iris")
    run_json("fit", libsvm)
    values = write_libsvm(folder / "values", X, X[:, 0])
    assert "LabelError: the machine knows the classes -1, 1, but no target" in refused("evaluate", values)
    third = write_libsvm(folder / "third", X, np.where(np.arange(24) < 3, 5, y))
    result = run("evaluate", third)
    assert result.exit_code == 0
    assert "samples of 5 count as wrong" in result.stderr
    assert "this machine has no probabilities; fit it with --probability (svm-train: -b 1)" in refused(
        "predict", libsvm, "--probability"
    )
    run_json("fit", values, "--model", "soft-tube")
    assert "the machine predicts numbers, but the targets" in refused("evaluate", _text_targets(folder))
    assert "--confidence must be above 0 and below 1" in refused("evaluate", values, "--confidence", "1")


def _text_targets(folder: Path) -> Path:
    X, y = samples()
    np.savez(folder / "named.npz", X=X, y=np.where(y > 0, "ill", "healthy"))
    return folder / "named.npz"


@pytest.mark.parametrize(
    ("text", "suffix", "words"),
    [
        ("", "", "line 1, column 1: .* a file without samples"),
        ("1:2 2:3\n", "", "line 1, column 1: expected the label first"),
        ("1 1:2\n-1 1:nan\n", "", "line 2, column 4: expected a finite number"),
        ("a,b,kind\n1,2,x\n2,red,y\n", ".csv", r"line 3, column 2 \('b'\): expected a finite number, but 'red'"),
        ("a,b,kind\n1,2,x\n2,inf,y\n", ".csv", r"line 3, column 2 \('b'\)"),
        ("{}", ".json", "line 1, column 1: expected a label that is a number"),
    ],
)
def test_files_that_are_none(text: str, suffix: str, words: str, folder: Path) -> None:
    path = folder / f"broken{suffix}"
    path.write_text(text)
    for command in ("fit", "grid", "solve"):
        assert re.search(f"DataFormatError: .*{words}", refused(command, path))
