# SPDX-License-Identifier: BSD-3-Clause
"""The problems of the set: their names, their sizes, and that they are the same in every run."""

from __future__ import annotations

import re

import numpy as np
import pytest

from formulations.testset import entries

SMALL = entries(110)


def test_names_are_those_of_files_and_differ() -> None:
    names = [entry.name for entry in entries(10**6)]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9_]+", name) for name in names)


def test_the_set_goes_from_10_to_5000_variables() -> None:
    sizes = [entry.most_variables for entry in entries()]
    assert min(sizes) == 10
    assert 4000 < max(sizes) <= 5000
    assert {entry.family for entry in entries()} == {
        *("margins", "tubes", "linear", "degenerate", "scaled", "singular", "infeasible", "unbounded", "published"),
    }


@pytest.mark.parametrize("entry", SMALL, ids=lambda entry: entry.name)
def test_a_problem_is_convex_as_large_as_said_and_the_same_again(entry: object) -> None:
    program, again = entry.program(), entry.program()  # type: ignore[attr-defined]
    assert 10 <= program.q.size <= entry.most_variables  # type: ignore[attr-defined]
    assert program.is_quadratic
    P = program.P.toarray()
    assert np.linalg.eigvalsh(P).min() >= -1e-9 * max(np.abs(P).max(), 1e-300)
    for name in ("P", "A"):
        assert (getattr(program, name) != getattr(again, name)).nnz == 0
    for name in ("q", "b"):
        np.testing.assert_array_equal(getattr(program, name), getattr(again, name))
