# SPDX-License-Identifier: BSD-3-Clause
"""The commands that judge: compare, cross-examine and audit."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from matplotlib.image import imread

from command_line import expected, refused, run, run_json
from qpkernels.kernels import RBF


def test_compare(libsvm: Path) -> None:
    records = run_json("compare", libsvm, "--solver", "smo", "--solver", "clarabel")
    assert [(record["formulation"], record["solver"]) for record in records] == [
        ("SoftMargin", "smo"),
        *((form, "clarabel") for form in ("SoftMarginPrimal", "SoftMarginHinge", "SoftMarginDual")),
    ]
    assert {record["status"] for record in records} == {"optimal"}
    for record in records:
        assert abs(record["objective"]) == pytest.approx(expected(), rel=1e-6)


def test_compare_with_all_solvers(libsvm: Path) -> None:
    records = run_json("compare", libsvm, "--model", "soft-margin", "--kernel", "none", "--C", "2")
    assert {"smo", "clarabel", "osqp", "scs", "piqp"} <= {record["solver"] for record in records}
    assert {record["problem"] for record in records} == {"SoftMargin"}
    result = run("compare", libsvm, "--model", "soft-margin", "--kernel", "none", "--C", "2")
    assert "24 samples, 3 features, explicit features" in " ".join(result.stdout.split())
    assert max(map(len, result.stdout.splitlines())) <= 110
    assert "optimal" in result.stdout
    assert "SoftMarginDual" in result.stdout


def test_compare_where_there_is_no_answer(libsvm: Path) -> None:
    result = run("compare", libsvm, "--model", "hard-margin", "--kernel", "none", "--solver", "smo", "--json", "-")
    assert result.exit_code == 4
    (record,) = json.loads(result.stdout)
    assert record["status"] == "infeasible"
    assert record["objective"] is None
    assert record["dual_value"] is None


def test_an_unknown_solver_is_refused_before_any_other_runs(libsvm: Path) -> None:
    for command in ("compare", "cross-examine"):
        message = refused(command, libsvm, "--solver", "smo", "--solver", "nobody")
        assert "UnknownSolverError: no solver is called 'nobody'" in message


def test_a_form_is_compared_by_its_name(libsvm: Path) -> None:
    records = run_json("compare", libsvm, "--model", "SoftMarginDual", "--solver", "clarabel", "--solver", "osqp")
    assert [record["formulation"] for record in records] == ["SoftMarginDual"] * 2


def test_compare_draws_a_picture(libsvm: Path, tmp_path: Path) -> None:
    result = run("compare", libsvm, "--solver", "smo", "--solver", "osqp", "--picture", tmp_path / "gaps.png")
    assert result.exit_code == 0
    assert f"picture: {tmp_path / 'gaps.png'}" in " ".join(result.stdout.split())
    assert imread(tmp_path / "gaps.png").std() > 0.05


def test_cross_examine(libsvm: Path, tmp_path: Path) -> None:
    record = run_json("cross-examine", libsvm, "--solver", "smo", "--tol", "1e-3", "--tol", "1e-8")
    assert [(trial["solver"], trial["tol"], trial["claim"]) for trial in record["trials"]] == [
        ("smo", 1e-3, "optimal"),
        ("smo", 1e-8, "optimal"),
    ]
    assert record["optimum"]["lower"] == pytest.approx(expected(), rel=1e-6)
    result = run("cross-examine", libsvm, "--solver", "smo", "--form", "dual", "--picture", tmp_path / "trials.png")
    assert "24 samples, 3 features" in " ".join(result.stdout.split())
    assert "seconds to the first proof of" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 110
    assert imread(tmp_path / "trials.png").shape[2] == 4
    assert "each of tolerances must be" in refused("cross-examine", libsvm, "--solver", "smo", "--tol", "0")


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
