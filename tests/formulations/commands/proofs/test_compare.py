# SPDX-License-Identifier: BSD-3-Clause
"""The command compare."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from matplotlib.image import imread

from command_line import expected, refused, run, run_json


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
