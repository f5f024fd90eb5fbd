# SPDX-License-Identifier: BSD-3-Clause
"""What the listings list."""

from __future__ import annotations

from command_line import run, run_json


def test_solvers() -> None:
    records = {record["name"]: record for record in run_json("solvers")}
    assert {"smo", "clarabel", "osqp", "scs", "piqp"} <= set(records)
    assert all(set(record) == {"name", "installed", "takes", "options", "install"} for record in records.values())
    assert records["smo"]["takes"] == ["KernelQP"]
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
