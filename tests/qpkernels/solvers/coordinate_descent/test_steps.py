# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps, steps on faces and the best b: none of them makes the objective worse, or leaves the bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from builders import FAMILIES, every_family, manufacture, random_feasible
from qpkernels.problems import KernelQP
from qpkernels.problems.kernel_qp.gap import duality_gap
from qpkernels.solvers.coordinate_descent.descent import rows_of
from qpkernels.solvers.coordinate_descent.faces import face_of
from qpkernels.solvers.coordinate_descent.loops import BETA, Box, add_rows, best_intercept, row_values, sweep
from together import together

SOFT = [name for name in FAMILIES if not manufacture(name).program.is_hard]
LEVEL, PENALTY = 0.3, 0.7


def box_of(program: KernelQP) -> Box:
    parts = (program.target, program.lower, program.upper, program.epsilon, program.ridge)
    return Box(*(np.array(part) for part in parts))


def objective(program: KernelQP, beta: Any) -> float:
    """The objective with the terms of the method of multipliers."""
    off = float(beta.sum()) - (program.total or 0.0)
    return program.objective(beta) + LEVEL * off + 0.5 * PENALTY * off**2


def start(name: str, seed: int) -> tuple[KernelQP, Any, Any, Any, int]:
    program = manufacture(name, seed).program
    rows, features = rows_of(program)
    beta = random_feasible(program, seed)
    w = np.zeros(features)
    add_rows(rows, np.arange(beta.size), beta, w)
    return program, rows, beta, w, features


@every_family
@together("seed", range(3))
def test_a_sweep_gains_what_it_says(name: str, seed: int) -> None:
    program, rows, beta, w, _ = start(name, seed)
    before, total = objective(program, beta), program.total or 0.0
    level = LEVEL + PENALTY * (float(beta.sum()) - total)
    order, generator = np.arange(beta.size), np.array([seed + 1], dtype=np.uint64)
    old = beta.sum()
    if program.total == 0.0:
        # The rows of dense features are around their mean, which changes what an unbalanced beta costs.
        rows = rows._replace(values=np.linalg.cholesky(program.gram.dense + 1e-12 * np.eye(beta.size)).ravel())
        starts = np.arange(beta.size + 1, dtype=np.uint64) * np.uint64(beta.size)
        rows = rows._replace(starts=starts, squares=np.array(program.gram.diagonal))
        for part in rows[:3]:
            part.flags.writeable = False
        w = np.zeros(beta.size)
        add_rows(rows, np.arange(beta.size), beta, w)
    table = box_of(program).table(rows.squares)
    table[:, BETA] = beta
    done = sweep(rows, table, w, level, PENALTY, order, beta.size, np.inf, generator)
    beta = table[:, BETA].copy()
    assert sorted(order) == list(range(beta.size))
    assert done.gain >= 0.0
    assert before - objective(program, beta) == pytest.approx(done.gain, rel=1e-6, abs=1e-9)
    assert beta.sum() - old == pytest.approx(done.change, abs=1e-12)
    assert ((program.lower <= beta) & (beta <= program.upper)).all()


@every_family
@together("seed", range(3))
@together("iterations", [1, 50])
def test_a_step_on_a_face_gains_what_it_says(name: str, seed: int, iterations: int) -> None:
    program, rows, beta, w, features = start(name, seed)
    box, everything = box_of(program), np.arange(beta.size)
    g = row_values(rows, everything, w) + LEVEL + box.ridge * beta - box.target

    def value(point: Any) -> float:
        weights, change = np.zeros(features), float((point - beta).sum())
        add_rows(rows, everything, point, weights)
        own = 0.5 * weights @ weights + 0.5 * box.ridge @ point**2 - box.target @ point + box.epsilon @ np.abs(point)
        return float(own + LEVEL * change + 0.5 * PENALTY * change**2)

    face = face_of(rows, features, box, everything, beta, g, PENALTY)
    assert face is not None
    step = face.step(1e-12, iterations)
    after = beta.copy()
    after[face.samples] += step.change
    assert step.gain >= 0.0
    assert value(beta) - value(after) == pytest.approx(step.gain, rel=1e-6, abs=1e-9)
    assert (after >= program.lower - 1e-12).all()
    assert (after <= program.upper + 1e-12).all()


@together("name", SOFT)
@together("near", [-1e3, 0.0, 0.5])
def test_no_b_has_a_smaller_primal_value(name: str, near: float) -> None:
    program = manufacture(name, 1).program
    beta = random_feasible(program, 1)
    values = program.gram.product(beta)
    b = best_intercept(box_of(program), values, program.total or 0.0, near, 1e-3)
    # Of a model without b its intercept is one that nobody pays for.
    best = duality_gap(program, beta, values, b).primal_value
    others = [duality_gap(program, beta, values, other).primal_value for other in np.linspace(b - 3.0, b + 3.0, 61)]
    assert best <= min(others) + 1e-9 * abs(best)
