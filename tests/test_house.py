# SPDX-License-Identifier: BSD-3-Clause
"""The two packages keep the shape that tests/house.py states."""

from house import LIMITS, circles, deepest, measured

CASES = "cases of the tests"


def test_no_limit_is_exceeded() -> None:
    found = measured()
    assert found.keys() | {CASES} == LIMITS.keys()
    more = [f"{name}: {count} of at most {LIMITS[name]}" for name, count in found.items() if count > LIMITS[name]]
    assert more == [], f"the deepest class is {deepest()[1]}; circles are {circles()}"
