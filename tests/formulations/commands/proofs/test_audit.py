# SPDX-License-Identifier: BSD-3-Clause
"""The command audit: a file of svm-train's kind, judged by the samples that it was trained on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from command_line import expected, refused, run, run_json
from qpkernels.kernels import RBF


@pytest.fixture
def model(libsvm: Path, tmp_path: Path) -> Path:
    path = tmp_path / "train.model"
    arguments = ("--C", "2", "--kernel", "rbf(0.5)", "-o", tmp_path / "machine.npz")
    assert run("fit", libsvm, *arguments, "--libsvm-model", path, "--tol", "1e-9").exit_code == 0
    return path


def test_a_machine_that_is_optimal(libsvm: Path, model: Path) -> None:
    (row,) = run_json("audit", libsvm, "--model", model, "--C", "2", "--tol", "1e-6")
    assert row["status"] == "optimal"
    assert row["primal_value"] == pytest.approx(expected(2.0, RBF(0.5)), rel=1e-6)
    assert "proved optimal" in run("audit", libsvm, "--model", model, "--C", "2").stdout


def test_a_machine_that_answers_another_problem(libsvm: Path, model: Path) -> None:
    result = run("audit", libsvm, "--model", model, "--C", "20", "--json", "-")
    assert result.exit_code == 3
    (row,) = json.loads(result.stdout)
    assert row["status"] == "uncertified"
    assert row["wrong"] > 0
    assert run("audit", libsvm, "--model", model, "--C", "1", "--weight", "1=2", "--weight", "-1=2").exit_code == 0


def test_messages_are_in_the_words_of_options(libsvm: Path, model: Path, tmp_path: Path) -> None:
    for text, words in (
        ("", "does not hold C; say what it was trained with: --C."),
        ("nu_svc", "does not hold nu; say what it was trained with: --set nu=VALUE."),
    ):
        path = tmp_path / "other.model"
        path.write_text(model.read_text().replace("c_svc", text or "c_svc"))
        assert words in refused("audit", libsvm, "--model", path)
    path.write_text(model.read_text().replace("kernel_type rbf", "kernel_type sigmoid\ncoef0 -1"))
    message = refused("audit", libsvm, "--model", path, "--C", "2")
    assert re.search(r"eigenvalue -.*, below 0, so that its problem is not convex, .* take another kernel", message)


def test_refusals(libsvm: Path, csv: Path, model: Path, tmp_path: Path) -> None:
    for arguments, words in (
        ((libsvm, "--model", model), "does not hold C"),
        ((libsvm, "--model", tmp_path / "nowhere", "--C", "2"), "there is no file"),
        ((libsvm, "--model", libsvm, "--C", "2"), "must be a model of LIBSVM"),
        ((csv, "--target", "kind", "--model", model, "--C", "2"), ""),
        ((libsvm, "--scale", "--model", model, "--C", "2"), "is no row of X"),
        ((libsvm, "--model", model, "--C", "2", "--weight", "7=1"), "is of no class"),
    ):
        assert words in refused("audit", *arguments)
    assert run("audit", libsvm).exit_code == 2
