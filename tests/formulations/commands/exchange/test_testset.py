# SPDX-License-Identifier: BSD-3-Clause
"""The command testset."""

from __future__ import annotations

from pathlib import Path

from command_line import run, run_json
from qpkernels.files import read


def test_a_test_set(tmp_path: Path) -> None:
    records = run_json("testset", tmp_path / "set", "--max-variables", "10", "--format", ".mps")
    assert {record["status"] for record in records} == {"optimal", "infeasible", "unbounded"}
    for record in records:
        assert record["variables"] == 10
        assert read(tmp_path / "set" / record["files"][".mps"]).name == record["name"]
    table = run("testset", tmp_path / "set", "--max-variables", "10").output
    assert "…" not in table
    assert all(f"{record['lower']:.8g}" in table for record in records if record["lower"] is not None)
    assert {path.name for path in (tmp_path / "set").iterdir()} > {"index.json", "README.md", "problems"}
