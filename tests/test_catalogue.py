# SPDX-License-Identifier: BSD-3-Clause
"""The page of the catalogue: every id is there, solved and proved, and no cell is empty."""

from __future__ import annotations

import importlib.util
import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent

MODELS = {
    "A1",
    "A2",
    "A2L",
    "A3",
    "B1",
    "B2",
    "B3",
    "B4",
    "C1-primal",
    "C1-geometric",
    "C1-dual",
    "C2-primal",
    "C2-hinge",
    "C2-dual",
    "C3-primal",
    "C3-dual",
    "C4-primal",
    "C4-penalised",
    "C4-dual",
    "C5",
    "C6-rest",
    "C6-one",
    "C7-primal",
    "C7-dual",
    "C8-primal",
    "C8-dual",
    "C9-primal",
    "C9-dual",
    "D1-primal",
    "D1-dual",
    "D2-primal",
    "D2-loss",
    "D2-dual",
    "D3",
    "D4-primal",
    "D4-dual",
    "D5-primal",
    "D5-dual",
    "D6-primal",
    "D6-dual",
    "D7-primal",
    "D7-dual",
    "E1-primal",
    "E1-system",
    "E1-centred",
    "E1-dual",
    "E2",
    "F1",
    "F2",
    "F3",
    "G1",
    "G2",
    "G3",
}
"""Every model of the catalogue."""


@cache
def catalogue() -> Any:
    """Return the program that writes the page."""
    spec = importlib.util.spec_from_file_location("catalogue", ROOT / "docs" / "catalogue.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["catalogue"] = module
    spec.loader.exec_module(module)
    return module


@cache
def entries() -> list[Any]:
    return list(catalogue().build())


def test_the_page_lists_every_model() -> None:
    """The page itself is left where the documentation looks for it."""
    page = ROOT / "docs" / "catalogue.md"
    catalogue().write(entries(), page)
    ids = re.findall(r"^\| (\S+) \|", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert set(ids) >= MODELS


def test_no_cell_is_empty() -> None:
    assert [entry for entry in entries() if not all(entry.cells)] == []


def test_two_back_ends_prove_every_convex_form() -> None:
    alone = [entry.model for entry in entries() if entry.solvers.count(",") == 0 and entry.id[0] not in "BG"]
    assert alone == ["PlattCalibration", "OneVersusOne", "OneVersusRest"]


def test_an_empty_cell_is_an_error(tmp_path: Path) -> None:
    unsolved = replace(entries()[0], solvers="", proof="")
    with pytest.raises(ValueError, match=r"the line of A1 .* has nothing under solved by, weakest proof"):
        catalogue().write([unsolved], tmp_path / "page.md")
