# SPDX-License-Identifier: BSD-3-Clause
"""The smallest slack that repairs a program: known ones, and random ones against another statement of the same."""

import numpy as np
import pytest
from scipy.optimize import linprog

from builders import cone_program
from qpkernels.diagnosis import find_relaxation
from qpkernels.errors import InfeasibleError, ParameterError
from qpkernels.problems import Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero


def test_the_slack_of_the_one_constraint_that_may_give_way() -> None:
    # x <= 1 and x >= 3.
    program = cone_program([[0]], [0], [[1], [-1]], [1, -3], [Nonnegative(1), Nonnegative(1)])
    for relaxed in ([0], [1], [0, 1], None):
        relaxation = find_relaxation(program, relaxed=relaxed)
        assert relaxation.total == pytest.approx(2.0, rel=1e-6)
        assert relaxation.lower_bound == pytest.approx(2.0, rel=1e-6)
        assert relaxation.is_proved
        names = {concession.name for concession in relaxation.concessions}
        assert names <= {f"rows {number}" for number in (relaxed or [0, 1])}
    (concession,) = find_relaxation(program, relaxed=[1]).concessions
    assert (concession.name, concession.row) == ("rows 1", None)
    assert concession.amount == pytest.approx(2.0, rel=1e-6)
    assert "rows 1 by 2" in str(find_relaxation(program, relaxed=[1]))


def test_rows_are_named() -> None:
    # Of x >= (1, 0, 3) and x <= 2 in each entry, the last row must give way by 1.
    program = cone_program(np.zeros((3, 3)), [0] * 3, np.vstack([-np.eye(3), np.eye(3)]), [-1, 0, -3, 2, 2, 2],
                           [Nonnegative(3), Nonnegative(3)])  # fmt: skip
    (concession,) = find_relaxation(program, relaxed=[0]).concessions
    assert (concession.name, concession.row) == ("rows 0", 2)
    assert str(concession) == "row 2 of rows 0 by 1"


def test_a_program_that_needs_none() -> None:
    program = cone_program([[0]], [1], [[1], [-1]], [1, -1], [Nonnegative(1), Nonnegative(1)])
    relaxation = find_relaxation(program)
    assert (relaxation.total, relaxation.lower_bound, relaxation.concessions) == (0.0, 0.0, ())
    assert relaxation.is_proved
    assert "as they are" in str(relaxation)


def test_what_does_not_give_way_may_contradict_itself() -> None:
    program = cone_program([[0]], [0], [[1], [-1], [1]], [1, -3, 9], [Nonnegative(2), Nonnegative(1)])
    with pytest.raises(InfeasibleError, match="do not give way contradict each other") as caught:
        find_relaxation(program, relaxed=[1])
    assert caught.value.certificate.holds(1e-6)
    with pytest.raises(ParameterError, match="numbers from 0 to 1"):
        find_relaxation(program, relaxed=[2])


# What a single cone of constants needs: its distance along the direction in which it gives way.
CONES = {
    "equation": (Zero(2), [-1.5, 0.5], 2.0),
    "inequality": (Nonnegative(2), [-1.5, 2.0], 1.5),
    "second order": (SecondOrder(3), [1.0, 3.0, 4.0], 4.0),
    "semidefinite": (PSDTriangle(2), [1.0, 2.0 * np.sqrt(2.0), 1.0], 1.0),
    # (x - t, t, t) with x = 1: t exp((1 - t) / t) <= t from t = 1 on.
    "exponential": (Exponential(), [1.0, 0.0, 0.0], 1.0),
    # sqrt(t t) >= 2.
    "power": (Power(0.5), [0.0, 0.0, 2.0], 2.0),
}


@pytest.mark.parametrize("kind", CONES)
def test_cones_give_way_along_a_direction_into_them(kind: str) -> None:
    cone, b, least = CONES[kind]
    relaxation = find_relaxation(cone_program([[0]], [0], [[0]] * len(b), b, [cone]))
    assert relaxation.total == pytest.approx(least, rel=1e-5)
    assert relaxation.lower_bound == pytest.approx(least, rel=1e-5)
    assert relaxation.is_proved


@pytest.mark.parametrize("seed", range(8))
def test_random_rows(seed: int) -> None:
    """min 1'(t + u + v) over the slacks of inequalities and both sides of equations, by a simplex method."""
    rng = np.random.default_rng(seed)
    n, k, equal = 3, 12, 3
    A, b = rng.normal(size=(k, n)), rng.normal(size=k) - 0.5
    program = cone_program(np.zeros((n, n)), [0] * n, A, b, [Zero(equal), Nonnegative(k - equal)])
    E = np.eye(k)
    best = linprog(
        np.concatenate([np.zeros(n), np.ones(k + equal)]),
        np.hstack([A, -E, np.zeros((k, equal))])[equal:], b[equal:],
        np.hstack([A, -E, E[:, :equal]])[:equal], b[:equal],
        bounds=[(None, None)] * n + [(0, None)] * (k + equal),
    )  # fmt: skip
    relaxation = find_relaxation(program)
    assert relaxation.total == pytest.approx(best.fun, rel=1e-6)
    assert relaxation.lower_bound <= best.fun * (1 + 1e-6)
    assert relaxation.is_proved
    assert sum(concession.amount for concession in relaxation.concessions) == pytest.approx(best.fun, rel=1e-5)
    violation = A @ relaxation.point - b
    needed = np.abs(violation[:equal]).sum() + np.maximum(violation[equal:], 0.0).sum()
    assert relaxation.total == pytest.approx(needed, rel=1e-12)
