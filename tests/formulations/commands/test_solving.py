# SPDX-License-Identifier: BSD-3-Clause
"""What commands tell and keep while they solve."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import refused, run, run_json, samples, write_libsvm
from formulations.commands import output

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
    "model", ["soft-margin", "soft-margin-dual", "nu-margin", "logistic", "least-squares-classifier"]
)
def test_progress_goes_to_standard_error(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of models that smo has no part in there is none, and nothing else changes."""
    monkeypatch.setattr(output, "_SELDOM", 0.0)
    result = run("fit", "train", "--model", model, "--json", "-")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["status"] == "optimal"
    assert ("relative gap" in result.stderr) == (model in ("soft-margin", "soft-margin-dual", "nu-margin"))


def test_short_solves_tell_nothing() -> None:
    assert "relative gap" not in run("fit", "train", "--solver", "smo").stderr


def test_progress_is_for_those_who_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "_SELDOM", 0.0)
    result = run("solve", "train", "--solver", "clarabel")
    assert result.exit_code == 0, result.output
    assert "relative gap" not in result.stderr
