# SPDX-License-Identifier: BSD-3-Clause
"""Machines for LIBSVM and back, and what is said before or instead of a silent surprise."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.svm import OneClassSVM

from command_line import refused, run, run_json, samples, write_libsvm
from formulations import load


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write_libsvm(tmp_path / "train", *samples())


def test_a_machine_of_one_class_has_the_coefficients_of_svm_train(train: Path, tmp_path: Path) -> None:
    model = tmp_path / "one.model"
    options = ("--model", "one-class", "--set", "nu=0.3", "--kernel", "rbf(gamma=0.2)", "--tol", "1e-8")
    run_json("fit", train, *options, "-o", tmp_path / "one", "--libsvm-model", model)
    X, _ = samples()
    theirs = OneClassSVM(nu=0.3, gamma=0.2, tol=1e-9).fit(X)
    said = run_json("predict", train, "--model", model, "--decision")["decision"]
    np.testing.assert_allclose(said, theirs.decision_function(X), atol=1e-5)
    assert run("audit", train, "--model", model, "--set", "nu=0.3", "--tol", "1e-5").exit_code == 0


def test_a_range_beside_a_model_is_told(train: Path, tmp_path: Path) -> None:
    machine, model = tmp_path / "m.npz", tmp_path / "m.model"
    run_json("fit", train, "--scale", "-o", machine, "--libsvm-model", model)
    ours = run_json("predict", train, "--model", machine, "--decision")["decision"]
    run_json("scale", train, tmp_path / "scaled", "-r", f"{model}.range")
    theirs = run("predict", tmp_path / "scaled", "--model", model, "--decision")
    assert f"--range {model}.range scales these as well" in " ".join(theirs.stderr.split())
    values = [float(line.split(",")[1]) for line in theirs.stdout.splitlines()[1:]]
    np.testing.assert_allclose(values, ours, atol=1e-9)


def test_samples_are_scaled_by_a_range_file(train: Path, tmp_path: Path) -> None:
    machine, model = tmp_path / "m.npz", tmp_path / "m.model"
    run_json("fit", train, "--scale", "-o", machine, "--libsvm-model", model)
    ranged = ("--model", model, "--range", f"{model}.range")
    X, y = samples()
    np.savez(tmp_path / "bare.npz", X=X)
    np.savez(tmp_path / "whole.npz", X=X, y=y)
    ours = run_json("predict", train, "--model", machine, "--decision")["decision"]
    for source in (train, tmp_path / "bare.npz", tmp_path / "whole.npz"):
        found = run("predict", source, *ranged, "--decision", "--json", "-")
        assert found.stderr == ""
        np.testing.assert_allclose(json.loads(found.stdout)["decision"], ours, atol=1e-9)
    accuracy = run_json("evaluate", train, "--model", machine)["accuracy"]
    assert run_json("evaluate", train, *ranged)["accuracy"] == accuracy
    # LIBSVM text leaves out what is 0, and a table nothing.
    few = write_libsvm(tmp_path / "few", np.column_stack([X[:, :2], np.zeros(len(X))]), y)
    run_json("scale", few, tmp_path / "scaled", "-r", f"{model}.range")
    theirs = run_json("predict", tmp_path / "scaled", "--model", model, "--decision")["decision"]
    np.testing.assert_allclose(run_json("predict", few, *ranged, "--decision")["decision"], theirs, atol=1e-9)
    np.savez(tmp_path / "few.npz", X=X[:, :2], y=y)
    run_json("fit", tmp_path / "few.npz", "-o", tmp_path / "few-machine.npz")
    narrow = ("predict", tmp_path / "few.npz", "--model", tmp_path / "few-machine.npz", "--range", f"{model}.range")
    assert "has the ranges of 3 features, but the samples have 2; take the file that" in refused(*narrow)
    message = refused("predict", train, "--model", machine, "--range", f"{model}.range")
    assert "the machine keeps how its samples were scaled, and does it itself; leave --range out" in message


def test_features_that_a_machine_or_a_range_does_not_know_are_told(train: Path, tmp_path: Path) -> None:
    X, y = samples()
    run_json("fit", train, "--scale", "-o", tmp_path / "m.npz", "--libsvm-model", tmp_path / "m.model")
    run_json("fit", train, "-o", tmp_path / "plain.npz")
    wide = write_libsvm(tmp_path / "wide", np.hstack([X, np.ones((len(X), 2))]), y)
    said = run("predict", wide, "--model", tmp_path / "plain.npz").stderr
    assert "the samples have 5 features, and the machine was trained on 3" in " ".join(said.split())
    for count, words in ((2, "feature 3 is 0 in all"), (1, "features from 2 to 3 are 0 in all")):
        narrow = write_libsvm(tmp_path / "narrow", X[:, :count], y)
        assert words in " ".join(run("predict", narrow, "--model", tmp_path / "plain.npz").stderr.split())
    said = run("scale", wide, tmp_path / "scaled", "--range", tmp_path / "m.model.range").stderr
    assert "no features above 3" in " ".join(said.split())


def test_what_cannot_be_written_is_refused_before_anything_is_trained(train: Path, tmp_path: Path) -> None:
    assert "the folder" in refused("fit", train, "-o", tmp_path / "nowhere" / "m.npz")
    words = refused(
        "fit", train, "--kernel", "matern", "-o", tmp_path / "m.npz", "--libsvm-model", tmp_path / "m.model"
    )
    assert "LIBSVM has the kernels" in words
    assert not (tmp_path / "m.npz").exists()


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    table = tmp_path / "twice.csv"
    table.write_text("x,x,y\n1,2,cat\n2,1,dog\n3,4,cat\n4,3,dog\n")
    assert "the column 'x' of" in refused("fit", table, "-o", tmp_path / "m.npz")


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_written_and_read(classes: int, tmp_path: Path) -> None:
    X, y = samples()
    several = write_libsvm(tmp_path / "several", X, np.where(np.arange(24) % classes == 2, 5, y))
    files = (tmp_path / "m.npz", tmp_path / "m.model")
    run_json("fit", several, "--probability", "-o", files[0], "--libsvm-model", files[1])
    ours, theirs = (run_json("predict", several, "--probability", "--model", file) for file in files)
    assert [*ours] == [*theirs]
    for name, column in ours.items():
        np.testing.assert_allclose(column, theirs[name], atol=1e-12)
    assert (
        ours["predicted"]
        == np.array(run_json("fit", several, "-o", tmp_path / "v.npz")["classes"], dtype=int)[
            load(files[0]).predict_proba(X).argmax(axis=1)
        ].tolist()
    )
    # As svm-predict has it, without -b 1 the signs of the decision values decide.
    signs = run("predict", several, "--model", tmp_path / "v.npz").stdout
    assert run("predict", several, "--model", files[1]).stdout == signs
    np.testing.assert_allclose(load(files[1]).predict_proba(X), load(files[0]).predict_proba(X), atol=1e-12)


def test_names_that_libsvm_has_not_are_told(train: Path, tmp_path: Path) -> None:
    X, y = samples()
    np.savez(tmp_path / "named.npz", X=X, y=np.where(y > 0, "ill", "well"))
    fitted = ("fit", tmp_path / "named.npz", "--positive", "ill", "-o", tmp_path / "m.npz")
    said = run(*fitted, "--libsvm-model", tmp_path / "m.model").stderr
    assert "1 is ill, and -1 is well" in " ".join(said.split())
    assert set(run("predict", train, "--model", tmp_path / "m.model").stdout.split()) == {"1", "-1"}
    rest = ("fit", "iris", "--one-versus-rest", "-o", tmp_path / "m.npz", "--libsvm-model", tmp_path / "m.model")
    assert "leave out --one-versus-rest or --libsvm-model" in refused(*rest)
