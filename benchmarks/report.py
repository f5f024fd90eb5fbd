# SPDX-License-Identifier: BSD-3-Clause
"""Write the page and its pictures from the records, without measuring: ``python -m benchmarks.report FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.pages import in_order, page
from benchmarks.pictures import draw_ratios, ratios_name
from benchmarks.records import FILE, Comparison, Results

__all__ = ["write_report"]


def write_report(folder: Path) -> None:
    """Write README.md and the pictures beside the records.

    Raises
    ------
    FileNotFoundError
        If there are none.
    """
    if not (folder / FILE).exists():
        raise FileNotFoundError(
            f"{FILE} was expected in {folder}, but is not there; python -m benchmarks --out {folder} writes it."
        )
    results = Results.load(folder)
    comparisons = results.of(Comparison)
    for tol in {row.tol for row in comparisons}:
        draw_ratios(in_order(row for row in comparisons if row.tol == tol), folder / ratios_name(tol))
    (folder / "README.md").write_text(page(results))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.report FOLDER, the one that holds results.json")
    write_report(Path(sys.argv[1]))
