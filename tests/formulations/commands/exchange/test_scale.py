# SPDX-License-Identifier: BSD-3-Clause
"""The command scale: what svm-scale does with a training file, and with a test file by the ranges of that."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import MinMaxScaler

from command_line import refused, run, run_json, samples, write_libsvm


def test_training_and_test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = samples()
    X[:, 1] = 0.0
    X[3, 0] = 0.0
    train, test = write_libsvm(tmp_path / "train", X[:12], y[:12]), write_libsvm(tmp_path / "test", X[12:], y[12:])
    record = run_json("scale", train, "train.scale", "-l", "0", "-u", "2", "-s", "range")
    assert record == {"written": "train.scale", "samples": 12, "features": 3, "range": "range"}
    assert run("scale", test, "test.scale", "-r", "range").exit_code == 0
    scaler = MinMaxScaler((0, 2)).fit(X[:12])
    for name, part, labels in (("train.scale", X[:12], y[:12]), ("test.scale", X[12:], y[12:])):
        scaled, read = load_svmlight_file(name, n_features=3)
        assert scaled.toarray()[:, [0, 2]] == pytest.approx(scaler.transform(part)[:, [0, 2]], abs=1e-12)
        assert not scaled.toarray()[:, 1].any()
        assert np.array_equal(read, labels)


def test_refusals(libsvm: Path, csv: Path, tmp_path: Path) -> None:
    assert "LIBSVM text has numbers for classes, but" in refused("scale", csv, tmp_path / "x", "--target", "kind")
    assert "keep one" in refused("scale", libsvm, tmp_path / "x", "-r", "a", "-s", "b")
    assert "lower must be below upper" in refused("scale", libsvm, tmp_path / "x", "-l", "1", "-u", "-1")
    assert "No such file" in refused("scale", libsvm, tmp_path / "x", "-r", tmp_path / "nowhere")
    assert "begins with a line x" in refused("scale", libsvm, tmp_path / "x", "-r", libsvm)
