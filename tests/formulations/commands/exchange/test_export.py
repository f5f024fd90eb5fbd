# SPDX-License-Identifier: BSD-3-Clause
"""The command export."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import run, run_json, samples
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
