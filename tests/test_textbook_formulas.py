# SPDX-License-Identifier: BSD-3-Clause
"""What the library gives is what the formulas of the textbooks give, restated by NumPy, SciPy and CVXPY alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from textbook import FORMULAS, deviation
from together import together

TOLERANCE = 1e-7
"""Of what is compared, against its largest entry or 1."""


@pytest.fixture(scope="module")
def deviations() -> Iterator[dict[str, float]]:
    """Collect them, and print the worst at the end: pytest -s shows it."""
    found: dict[str, float] = {}
    yield found
    if found:
        worst = max(found, key=found.__getitem__)
        print(f"\n{len(found)} formulas restated; the worst deviation is {found[worst]:.1e}, of {worst}")


@together("name", FORMULAS)
def test_the_library_gives_what_the_formula_gives(name: str, deviations: dict[str, float]) -> None:
    deviations[name] = deviation(FORMULAS[name])
    assert deviations[name] <= TOLERANCE
