# SPDX-License-Identifier: BSD-3-Clause
"""The command cross-examine."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.image import imread

from command_line import expected, refused, run, run_json


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
