# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark runs, judges every answer by the same certificate, and writes its table; no time is asserted."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.__main__ import measure, to_markdown
from benchmarks.peers import libsvm
from benchmarks.problems import PROBLEMS, Problem
from builders import two_classes


def test_a_classification_and_a_regression(tmp_path: Path) -> None:
    X, y = two_classes(300, shift=0.4, features=3)
    problems = [
        Problem("classes", lambda _: (X, y), 1.0, 0.3),
        Problem("tube", lambda _: (X[:, 1:], X[:, 0]), 1.0, 0.3, 0.1),
    ]
    rows = [measure(problem, tmp_path, {"LIBSVM": libsvm}, 1, 1e-3) for problem in problems]
    for row in rows:
        assert set(row["solvers"]) == {"LIBSVM", "ours", "ours, matched"}
        assert row["samples"] == 300
        assert 0 < row["support"] <= 300
        assert row["limit"] > 0
        assert row["solvers"]["ours"]["gap"] <= 1e-3
        assert row["solvers"]["ours, matched"]["gap"] <= 1.01 * max(row["solvers"]["LIBSVM"]["gap"], 1e-12)
        assert all(np.isfinite(answer["seconds"]) for answer in row["solvers"].values())
    assert to_markdown(rows).count("\n") == 4


def test_the_problems_have_names_of_their_own() -> None:
    assert len({problem.name for problem in PROBLEMS}) == len(PROBLEMS)
