# SPDX-License-Identifier: BSD-3-Clause
"""The measurement of bounds with the exact kernel: what it keeps is consistent, and kept once. No time is asserted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.computer import this_computer
from benchmarks.problems import Problem
from benchmarks.scale.bounds import FILE, Bound, measure, save
from builders import two_classes


@pytest.fixture(scope="module")
def bound() -> Bound:
    data, test = two_classes(300, shift=0.7, features=3), two_classes(200, seed=1, shift=0.7, features=3)
    problem = Problem("small", lambda _: data, 1.0, 0.3)
    return measure(problem, data, test, 30, 1e-4, 2, this_computer())


def test_the_actual_distance_is_within_both_bounds(bound: Bound) -> None:
    assert bound.proved
    assert -bound.tol <= bound.actual <= bound.product + bound.tol
    assert bound.product <= bound.trace
    assert (bound.samples, bound.rank, len(bound.refining), len(bound.from_zero)) == (300, 30, 2, 2)
    assert abs(bound.error - bound.exact_error) < 0.05
    assert 0.0 < bound.trace_error < 1.0
    assert np.isfinite([bound.making, bound.solving, bound.product_seconds, bound.trace_seconds]).all()


def test_a_measurement_takes_the_place_of_an_earlier_one(bound: Bound, tmp_path: Path) -> None:
    save(bound, tmp_path / "scale")
    save(replace(bound, rank=31), tmp_path / "scale")
    save(replace(bound, error=0.5), tmp_path / "scale")
    kept = json.loads((tmp_path / "scale" / FILE).read_text())
    assert sorted((each["rank"], each["error"]) for each in kept) == [(30, 0.5), (31, bound.error)]
