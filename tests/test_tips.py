# SPDX-License-Identifier: BSD-3-Clause
"""Both ways of each tip return the same, and the page shows all of them. No time is asserted."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.tips.__main__ import main
from benchmarks.tips.pairs import PAIRS, Pair

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_both_ways_return_the_same(pair: Pair) -> None:
    arguments = pair.data(80)
    pair.check(pair.slow(*arguments), pair.fast(*arguments))


def test_answers_that_differ_are_no_pair() -> None:
    pair = next(pair for pair in PAIRS if pair.name == "no-name")
    pair.check([1.0, 0.0], [1.0, 1e-6])
    with pytest.raises(AssertionError, match="no-name: the answers differ by 1"):
        pair.check([1.0, 0.0], [1.0, 1e-5])


def test_the_record_has_a_line_for_each_tip(tmp_path: Path) -> None:
    main(["--samples", "60", "--turns", "1", "--out", str(tmp_path)])
    assert parts(tmp_path / "tips.md") == parts(DOCS / "performance" / "tips.md")


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_page_shows_the_code_that_is_measured(pair: Pair) -> None:
    page = (DOCS / "use" / "performance.md").read_text(encoding="utf-8")
    for way in (pair.slow, pair.fast):
        assert page.count(f":pyobject: {way.__name__}\n") == 1
    assert page.count(f'"<!-- {pair.name} -->"') == page.count(f'"<!-- end of {pair.name} -->"') == 1


def parts(record: Path) -> list[str]:
    """Return what the page includes, by its marks."""
    return [line for line in record.read_text(encoding="utf-8").splitlines() if line.startswith("<!--")]
