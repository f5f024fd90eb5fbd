# SPDX-License-Identifier: BSD-3-Clause
"""Machines for LIBSVM and back, and what is said before or instead of a silent surprise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.svm import OneClassSVM

from command_line import refused, run, run_json, samples, write_libsvm


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
    assert f"qpkernels scale FILE SCALED -r {model}.range" in " ".join(theirs.stderr.split())
    values = [float(line.split(",")[1]) for line in theirs.stdout.splitlines()[1:]]
    np.testing.assert_allclose(values, ours, atol=1e-9)


def test_features_that_a_machine_or_a_range_does_not_know_are_told(train: Path, tmp_path: Path) -> None:
    X, y = samples()
    run_json("fit", train, "--scale", "-o", tmp_path / "m.npz", "--libsvm-model", tmp_path / "m.model")
    run_json("fit", train, "-o", tmp_path / "plain.npz")
    wide = write_libsvm(tmp_path / "wide", np.hstack([X, np.ones((len(X), 2))]), y)
    said = run("predict", wide, "--model", tmp_path / "plain.npz").stderr
    assert "the samples have 5 features, and the machine was trained on 3" in " ".join(said.split())
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


def test_a_model_without_its_probabilities_says_so(train: Path, tmp_path: Path) -> None:
    files = ("-o", tmp_path / "m.npz", "--libsvm-model", tmp_path / "m.model")
    assert "without probabilities" in " ".join(run("fit", train, "--probability", *files).stderr.split())
