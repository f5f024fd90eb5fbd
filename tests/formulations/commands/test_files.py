# SPDX-License-Identifier: BSD-3-Clause
"""The commands that list what there is, and those that write files for others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import MinMaxScaler

from command_line import refused, run, run_json, samples, write_libsvm
from formulations import SoftMargin
from qpkernels.files import read


def test_export_in_the_variables_of_the_textbook_or_as_solvers_get_it(libsvm: Path, tmp_path: Path) -> None:
    X, y = samples()
    arguments = ("export", libsvm, tmp_path / "program", "--form", "dual", "--kernel", "linear")
    record = run_json(*arguments)
    assert (record["structure"], record["variables"]) == ("textbook", {"alpha": 24})
    program = read(record["path"])
    assert program.P.toarray() == pytest.approx((y[:, None] * X) @ (y[:, None] * X).T, abs=1e-12)
    record = run_json(*arguments, "--structure", "lowered")
    assert (record["structure"], record["variables"]) == ("lowered", {"auxiliary 1": 3, "alpha": 24})


def test_export_says_what_it_wrote(libsvm: Path, tmp_path: Path) -> None:
    result = run("export", libsvm, tmp_path / "p.mps", "--model", "least-squares-classifier", "--form", "dual")
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    assert "textbook, 25 variables, 25 rows" in words
    for block in ("alpha 24", "b 1", "optimality 24", "balance 1"):
        name, size = block.split()
        assert any(name in line and size in line for line in result.stdout.splitlines()), block


def test_export(libsvm: Path, tmp_path: Path) -> None:
    record = run_json("export", libsvm, tmp_path / "program", "--model", "soft-margin", "--kernel", "none")
    assert record == {
        "path": str(tmp_path / "program.npz"),
        "structure": "textbook",
        "variables": {"w": 3, "xi": 24, "b": 1},
        "rows": {"margin": 24, "slack": 24},
    }
    program = read(record["path"])
    stated = SoftMargin(*samples()).primal.lower().program
    assert abs(program.A - stated.A).sum() == 0
    assert program.rows == stated.rows
    result = run("export", libsvm, tmp_path / "again.npz", "--model", "soft-margin", "--form", "primal")
    assert result.exit_code == 0
    assert "margin" in result.stdout
    assert (tmp_path / "again.npz").exists()


@pytest.mark.parametrize("suffix", [".mps", ".mat", ".json"])
def test_export_by_the_suffix(suffix: str, libsvm: Path, tmp_path: Path) -> None:
    record = run_json("export", libsvm, tmp_path / f"p{suffix}", "--kernel", "none", "--form", "primal")
    program, stated = read(record["path"]), SoftMargin(*samples()).primal.lower().program
    assert abs(program.A - stated.A).sum() == 0
    assert (program.name, program.rows, program.variables) == (stated.name, stated.rows, stated.variables)


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


def test_a_test_set(tmp_path: Path) -> None:
    records = run_json("testset", tmp_path / "set", "--max-variables", "10", "--format", ".mps")
    assert {record["status"] for record in records} == {"optimal", "infeasible", "unbounded"}
    for record in records:
        assert record["variables"] == 10
        assert read(tmp_path / "set" / record["files"][".mps"]).name == record["name"]
    optimal = next(record for record in records if record["status"] == "optimal")
    added = tmp_path / "set" / optimal["files"][".mps"]
    table = run("testset", tmp_path / "more", "--max-variables", "0", "--add", added).output
    assert "…" not in table
    assert f"{optimal['lower']:.8g}" in table
    assert {path.name for path in (tmp_path / "set").iterdir()} > {"index.json", "README.md", "problems"}


def test_solvers() -> None:
    records = {record["name"]: record for record in run_json("solvers")}
    assert {"smo", "clarabel", "osqp", "scs", "piqp"} <= set(records)
    assert all(set(record) == {"name", "installed", "takes", "options", "install"} for record in records.values())
    assert records["smo"]["takes"] == ["KernelQP", "LevelQP"]
    assert records["osqp"]["takes"] == ["Zero", "Nonnegative"]
    assert records["clarabel"]["installed"] is True
    assert "time_limit" in records["clarabel"]["options"]
    result = run("solvers")
    assert result.exit_code == 0
    assert "cvxpy:NAME" in result.stdout
    assert "clarabel" in result.stdout


def test_models() -> None:
    listed = {record["name"]: record for record in run_json("models")}
    assert listed["soft-margin"] == {
        "name": "soft-margin",
        "forms": ["primal", "hinge", "dual"],
        "hyperparameters": ["C"],
    }
    assert len(listed) > 20
    assert "model" not in listed
    table = run("models").stdout
    assert all(name in table for name in listed)


def test_kernels() -> None:
    listed = {record["name"]: record for record in run_json("kernels")}
    assert listed["rbf"] == {"name": "rbf", "others": ["gaussian"], "parameters": ["gamma", "sigma", "c", "theta"]}
    assert "precomputed" not in listed
    table = run("kernels").stdout
    assert all(name in table for name in listed)
