# SPDX-License-Identifier: BSD-3-Clause
"""The compiled descent over blocks reaches what that over all samples does, and keeps K beta up to date."""

import numpy as np
import pytest

from builders import every_family, manufacture, random_feasible
from qpkernels import RBF, Gram
from qpkernels.arrays import Indices
from qpkernels.batch.descent.descent import Scratch, descend_in_blocks, descend_in_one_block
from qpkernels.batch.matrix.layout import runs_of
from qpkernels.batch.matrix.rows import SharedRows
from qpkernels.problems import KernelQP, certify_kernel_qp
from qpkernels.solvers.smo.descent.passes import Arrays
from qpkernels.solvers.smo.iterate import intercept_of

GOAL = 1e-5


def scratch(size: int) -> Scratch:
    return Scratch(np.empty(size**2, np.float32), np.empty(size, np.bool_))


def data(program: KernelQP) -> Arrays:
    parts = (program.target, program.epsilon, program.ridge, program.lower, program.upper)
    return Arrays(np.empty((0, 0), np.float32), *(part.copy() for part in parts))


def scattered(K: np.ndarray, columns: Indices) -> np.ndarray:
    """A larger matrix that has K at these columns, and NaN elsewhere: nothing else may be read."""
    whole = np.full((columns.max() + 3,) * 2, np.nan, np.float32)
    whole[np.ix_(columns, columns)] = K
    return whole


@every_family
def test_blocks_lower_the_gap_as_far_as_all_samples_at_once(name: str) -> None:
    known = manufacture(name, 1)
    program = known.program
    if program.is_hard:
        return
    columns = np.concatenate([np.arange(2, 12), np.arange(20, 34)])
    rows = SharedRows.of(scattered(program.gram.dense, columns), columns)
    assert rows.runs.tolist() == [[2, 0, 10], [20, 10, 24]]
    paired, p = program.total is not None, data(program)
    start = random_feasible(program, 0)
    for size in (24, 12):
        beta = start.copy()
        values = program.gram.dense @ beta
        if size == 24:
            steps = descend_in_one_block(rows.source, p, paired, beta, values, GOAL, 10**6, scratch(size))
        else:
            steps = descend_in_blocks(rows.source, rows.runs, p, paired, beta, values, GOAL, 10**6, scratch(size))
        assert 0 < steps < 10**6
        np.testing.assert_allclose(values, program.gram.dense @ beta, atol=1e-4)
        assert (beta >= program.lower).all()
        assert (beta <= program.upper).all()
        assert program.total is None or abs(beta.sum() - program.total) < 1e-10
        assert program.objective(beta) - known.optimum < 1e-3 * abs(known.optimum)


def test_a_limit_of_steps_is_kept() -> None:
    program = manufacture("hinge", 0, 64).program
    rows = SharedRows.of(program.gram.dense.astype(np.float32), np.arange(64))
    beta, values = np.zeros(64), np.zeros(64)
    assert descend_in_one_block(rows.source, data(program), True, beta, values, 1e-9, 7, scratch(64)) == 7
    assert descend_in_blocks(rows.source, rows.runs, data(program), True, beta, values, 1e-9, 5, scratch(16)) == 5


def test_runs_of_columns() -> None:
    assert runs_of(np.array([5])).tolist() == [[5, 0, 1]]
    assert runs_of(np.array([0, 1, 4, 5, 6, 9])).tolist() == [[0, 0, 2], [4, 2, 5], [9, 5, 6]]


@pytest.mark.parametrize("blocks", [False, True])
def test_large_bounds_take_few_steps_since_free_coefficients_move_together(blocks: bool) -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(400, 3))
    y = np.where(points[:, 0] + 0.3 * np.sin(4 * points[:, 1]) + 0.1 * rng.normal(size=400) > 0, 1.0, -1.0)
    C = 1e4
    program = KernelQP(Gram(RBF(0.3), points), y, np.minimum(0.0, C * y), np.maximum(0.0, C * y), 0.0)
    rows = SharedRows.of(program.gram.dense.astype(np.float32), np.arange(400))
    beta, values = np.zeros(400), np.zeros(400)
    rest = data(program), True, beta, values, 1e-3, 10**6, scratch(100 if blocks else 400)
    steps = descend_in_blocks(rows.source, rows.runs, *rest) if blocks else descend_in_one_block(rows.source, *rest)
    # Pair steps alone take more than 100 for each sample.
    assert steps < 40 * 400
    np.testing.assert_allclose(values, rows.matrix.T.astype(float) @ beta, atol=1e-3)
    intercept = intercept_of(program, beta, values)
    assert certify_kernel_qp(program, beta, intercept).holds(1e-2)
