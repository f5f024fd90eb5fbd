# SPDX-License-Identifier: BSD-3-Clause
"""The page of portable proofs: the file that it computes by hand, and the measurements that it includes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import proofcheck
from benchmarks.proofs import main
from formulations import Logistic, SoftMargin

DOCS = Path(__file__).parent.parent / "docs"


def test_the_proof_that_the_page_computes_by_hand_is_one() -> None:
    notes: list[str] = []
    proofcheck.check(json.loads((DOCS / "static" / "three-samples.proof").read_text()), Path(), notes)
    assert notes[-1] == "PROVED to all digits: the optimum is in [0.375, 0.375]"


def test_the_page_names_every_kernel() -> None:
    page = (DOCS / "proofs.md").read_text(encoding="utf-8")
    assert [name for name in proofcheck.THEOREMS if f"\n| `{name}`" not in page] == []


def test_the_record_has_the_parts_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.proofs.models_by_name", lambda: {"soft-margin": SoftMargin, "logistic": Logistic})
    main(["--samples", "20", "--rows", "20", "--out", str(tmp_path)])
    assert marks(tmp_path) == marks(DOCS / "performance")


def marks(folder: Path) -> list[str]:
    """Return the heads of tables, and the marks."""
    lines = (folder / "proofs.md").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith(("| samples", "| model", "<!--"))]
