# SPDX-License-Identifier: BSD-3-Clause
"""A slice of the attack, and every case that ever failed: see tests/attack, and ``make attack`` for all of it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from attack.checks import Interval
from attack.children import run_batch
from attack.generator import draw
from attack.sabotage import passed
from qpkernels.problems.certificate import certify_values

SLICE = range(2000, 2040)
"""Seeds that run in the suite."""

REPAIRED: list[int] = json.loads(
    """[
    2, 10, 11, 50, 60, 72, 79, 80, 82, 117, 152, 163, 181, 191, 194, 196, 198, 225, 233, 248, 252, 279, 280, 281,
    298, 302, 332, 335, 349, 360, 376, 474, 502, 559, 584, 596, 600, 661, 756, 774, 805, 822, 836, 865, 873, 877,
    897, 914, 931, 989, 1070, 1072, 1082, 1100, 1143, 1154, 1185, 1199, 1214, 1234, 1238, 1239, 1245, 1315, 1343,
    1349, 1356, 1406, 1408, 1460, 1579, 2090, 2444, 3023, 3137, 3202, 3223, 4026, 4107, 4111, 4536, 5431, 6209,
    7727, 8247, 9302, 9854, 10223, 10296, 11142, 11522, 12097, 12176, 14046, 14834, 16619, 16683, 16590, 19137,
    34511, 41118, 53497, 59571
    ]"""
)
"""Seeds that failed once, beside those of the slice."""


def test_attacks() -> None:
    # All in a child, since a back-end may hang or die; that a foreign one did is its own affair.
    records = list(run_batch(sorted({*SLICE, *REPAIRED})))
    failed = [(record, *each) for record in records for each in record.failures if each[0] not in ("hung", "died")]
    assert failed == [], f"python -m tests.attack --seed {failed[0][0].seed}"
    # They attack something.
    answers = [answer for record in records for answer in record.answers]
    assert len(answers) > len(SLICE)
    assert sum(status == "optimal" for _, _, status, *_ in answers) > len(SLICE) // 2
    assert sum(record.forgeries for record in records) > 5 * len(SLICE)
    assert len({solver for _, solver, *_ in answers}) >= 8


@pytest.mark.parametrize("seed", [0, 7, 1234])
def test_an_attack_is_the_same_again(seed: int) -> None:
    first, second = draw(seed), draw(seed)
    assert str(first) == str(second)
    assert first.routes == second.routes
    for one, other in zip(first.data, second.data, strict=True):
        np.testing.assert_array_equal(one, other)


def test_forgeries_that_pass_are_told() -> None:
    truth = Interval(1.0, 1.0 + 1e-9, proved=True)
    assert not list(passed(certify_values(1.0 + 1e-9, 1.0), truth))
    assert not list(passed(certify_values(3.0, 0.5), truth))
    assert list(passed(certify_values(2.0, 2.0), truth))
    assert list(passed(certify_values(3.0, 2.0), truth))
    assert list(passed(certify_values(0.9, 0.5), truth))
    assert not list(passed(certify_values(0.9, 0.5, rounding=0.2), truth))


def test_rounding_excuses_no_more_than_is_stated() -> None:
    below, above = Interval(1.0, 1.0, proved=True, rounding=1e-9), Interval(1.0 + 3e-9, 1.0 + 3e-9, proved=True)
    assert below.is_below(above)
    assert not above.is_below(below)
    assert not below.is_below(Interval(1.0 + 3e-9, 1.0 + 3e-9, proved=True, rounding=2.1e-9))
