# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark of exported programs holds them to their bounds, and writes what a page includes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"


def test_the_record_of_exported_programs_has_the_parts_of_the_page(tmp_path: Path) -> None:
    pytest.importorskip(
        "onnxruntime", reason="without onnxruntime, of qpkernels[test], nothing shows here that it agrees"
    )
    if shutil.which("cc") is None:
        pytest.skip("without a C compiler, cc, nothing shows here that the benchmark of exported C runs")
    from benchmarks.deploying import main

    main(["--samples", "300", "--centers", "30", "--turns", "1", "--out", str(tmp_path)])
    assert heads(tmp_path) == heads(DOCS / "performance")


def heads(folder: Path) -> list[str]:
    """Return the first cell of each line of a table, and the marks."""
    lines = (folder / "deploying.md").read_text(encoding="utf-8").splitlines()
    return [line.split(" | ")[0] for line in lines if line.startswith(("|", "<!--"))]
