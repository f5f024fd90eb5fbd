# SPDX-License-Identifier: BSD-3-Clause
"""Where the descent starts after a change: near the answer before, with the values that belong to it."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import OneClass, SoftMargin
from formulations.incremental.start import start_after
from model_data import overlapping
from qpkernels import RBF, Gram
from qpkernels.gram import ChangingGram, changed

X, Y = overlapping()
NEW = np.array([[0.3, -0.2, 0.9], [2.0, 0.1, -0.4]])
NONE = np.empty(0, np.intp)
ROWS = {
    "none": np.arange(30),
    "added": np.arange(32),
    "removed": np.delete(np.arange(30), [0, 4, 11]),
    "moved": np.array([0, 1, 30, 3, 4, 31, *range(6, 30)]),
    "in another order": np.random.default_rng(0).permutation(31),
}


@pytest.mark.parametrize("name", ROWS)
def test_the_values_are_those_of_the_coefficients(name: str) -> None:
    gram, rows = ChangingGram.of(Gram(RBF(0.5), X)), ROWS[name]
    solution = SoftMargin(gram, Y, C=0.8).solve()
    after = changed(gram, rows, NEW[: max(0, int(rows.max()) - 29)])
    y = np.append(Y, [1, -1])[rows]
    start = start_after(solution, gram, rows, NONE, SoftMargin(Gram(RBF(0.5), after.X), y, C=0.8).qp())
    np.testing.assert_array_equal(start.beta, np.append(solution.beta, [0.0, 0.0])[rows])
    np.testing.assert_allclose(start.values, RBF(0.5)(after.X) @ start.beta, atol=1e-9)


def test_samples_that_are_moved_keep_their_coefficients() -> None:
    gram = ChangingGram.of(Gram(RBF(0.5), X))
    solution = SoftMargin(gram, Y, C=0.8).solve()
    first, second = solution.support.indices[[3, 0]]
    rows = np.arange(30)
    rows[[first, second]] = 30, 31
    after = changed(gram, rows, NEW)
    program = SoftMargin(Gram(RBF(0.5), after.X), Y, C=0.8).qp()
    start = start_after(solution, gram, rows, np.array([first, second]), program)
    np.testing.assert_array_equal(start.beta, solution.beta)
    np.testing.assert_allclose(start.values, RBF(0.5)(after.X) @ start.beta, atol=1e-9)


def test_coefficients_at_their_bounds_stay_there_where_these_change() -> None:
    gram = Gram(RBF(0.5), X)
    solution, rows = OneClass(gram, nu=0.8).solve(), np.arange(32)
    program = OneClass(Gram(RBF(0.5), np.vstack([X, NEW])), nu=0.8).qp()
    start = start_after(solution, gram, rows, NONE, program)
    bounded = solution.support.bounded
    assert bounded.size > 3
    np.testing.assert_allclose(start.beta[bounded], program.upper[bounded], rtol=1e-12)
    np.testing.assert_allclose(start.values, program.gram.product(start.beta), atol=1e-12)


def test_a_cost_that_changes_rescales_the_start() -> None:
    solution = SoftMargin(X, Y, RBF(0.5), C=0.8).solve()
    program = SoftMargin(X, Y, RBF(0.5), C=2.0).qp()
    start = start_after(solution, program.gram, np.arange(30), NONE, program)
    np.testing.assert_allclose(start.beta, 2.5 * solution.beta, rtol=1e-9)
    np.testing.assert_allclose(start.values, program.gram.product(start.beta), atol=1e-9)
