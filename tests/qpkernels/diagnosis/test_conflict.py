# SPDX-License-Identifier: BSD-3-Clause
"""Irreducible infeasible subsets: those known by hand, and random ones against every subset."""

from itertools import chain, combinations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

from builders import cone_program
from qpkernels.diagnosis import Conflict, Group, find_conflict
from qpkernels.errors import ParameterError, SolverFailedError, UnsupportedProgramError
from qpkernels.problems import Block, ConeProgram, Exponential, Nonnegative, PSDTriangle, SecondOrder, Zero
from qpkernels.solvers import find_solver


def blocks(*sizes: int) -> tuple[Block, ...]:
    """Consecutive blocks named a, b, c ..."""
    ends = np.cumsum([0, *sizes])
    return tuple(Block(chr(ord("a") + k), int(ends[k]), int(ends[k + 1])) for k in range(len(sizes)))


def stated(A: list[list[float]], b: list[float], cones: list, *sizes: int) -> ConeProgram:
    n = len(A[0])
    program = cone_program(np.zeros((n, n)), [0] * n, A, b, cones)
    return ConeProgram(**{**vars(program), "rows": blocks(*sizes)})


def found(program: ConeProgram, **options: object) -> Conflict:
    conflict = find_conflict(program, **options)
    assert conflict is not None
    verify(conflict)
    return conflict


def verify(conflict: Conflict) -> None:
    """The claims, by means of its own: multipliers, and the points row by row."""
    program, z = conflict.program, conflict.multipliers
    kept = np.zeros(z.size, dtype=bool)
    for member in conflict.members:
        kept[member.group.rows[member.rows]] = True
        kept[member.group.auxiliary] = True
    assert not z[~kept].any()
    assert np.abs(program.A.T @ z).max(initial=0.0) <= 1e-6 * np.abs(z).max()
    assert program.b @ z < 0
    for cone, rows in program.parts():
        assert cone.dual_violation(z[rows]) <= 1e-6 * np.abs(z).max()
    assert conflict.certificate.holds(1e-6)
    assert conflict.is_irreducible
    if all(isinstance(cone, Zero | Nonnegative | SecondOrder) for cone in program.cones):
        proof = conflict.prove()
        rows = {row for row, _ in proof.claim.get("irreducible", [])}
        alone = program.is_quadratic and not any(member.group.auxiliary.size for member in conflict.members)
        assert rows == (set(np.flatnonzero(z).tolist()) if alone else set())
    for member in conflict.members:
        assert member.point is not None
        others = np.concatenate([np.zeros(0, int), *(m.group.rows for m in conflict.members if m is not member)])
        assert outside(program, member.point, others) <= 1e-6
        for point in member.row_points:
            assert point is not None
            left_out = [row for row in np.flatnonzero(kept) if outside(program, point, np.array([row])) > 1e-6]
            assert len(left_out) <= 1 or not program.is_quadratic


def outside(program: ConeProgram, x: np.ndarray, rows: np.ndarray) -> float:
    """How far x is outside of the cones that have a row among these."""
    s = program.b - program.A @ x
    worst = 0.0
    for cone, part in program.parts():
        own = rows[(rows >= part.start) & (rows < part.stop)]
        if isinstance(cone, Zero | Nonnegative):
            worst = max([worst, *(type(cone)(1).violation(s[[row]]) for row in own)])
        elif own.size:
            worst = max(worst, cone.violation(s[part]))
    return worst


def test_a_single_set_among_constraints_that_are_not_needed() -> None:
    # x <= 1, y <= 1 and x + y >= 3; the others take no part.
    program = stated([[1, 0], [0, 1], [-1, -1], [1, 0], [0, -1]], [1, 1, -3, 5, 5], [Nonnegative(5)], 2, 1, 2)
    conflict = found(program)
    assert conflict.names == ("a", "b")
    assert [member.rows.tolist() for member in conflict.members] == [[0, 1], [0]]
    assert conflict.multipliers == pytest.approx(conflict.multipliers[0] * np.array([1, 1, 1, 0, 0]), rel=1e-12)
    assert str(conflict).startswith("a and b contradict each other")
    assert "leave out any one" in str(conflict)


def test_one_of_two_sets() -> None:
    # x <= 0 against x >= 1 (a, b), and y <= 0 against y >= 2 (c, d).
    program = stated([[1, 0], [-1, 0], [0, 1], [0, -1]], [0, -1, 0, -2], [Nonnegative(4)], 1, 1, 1, 1)
    assert found(program).names in (("a", "b"), ("c", "d"))


def test_constraints_are_spared_before_their_rows() -> None:
    # Row 1 of a contradicts itself with row 0; rows 0 of a, b and c contradict each other as well.
    program = stated([[1, 0], [-1, 0], [0, 1], [-1, -1]], [0, -1, 0, -1], [Nonnegative(4)], 2, 1, 1)
    conflict = found(program)
    assert conflict.names == ("a",)
    assert conflict.members[0].rows.tolist() == [0, 1]


def test_rows_of_a_constraint() -> None:
    # Of x <= (0, 3, 1) only the first rows contradict x >= (1, 0, 0).
    A = np.vstack([np.eye(3), -np.eye(3)]).tolist()
    conflict = found(stated(A, [0, 3, 1, -1, 0, 0], [Nonnegative(6)], 3, 3))
    assert [member.rows.tolist() for member in conflict.members] == [[0], [0]]
    assert str(conflict).startswith("row 0 of a and row 0 of b contradict each other")


def test_equations() -> None:
    program = stated([[1, 1], [1, -1], [2, 0], [0, 1]], [1, 1, 3, 0], [Zero(3), Nonnegative(1)], 1, 1, 1, 1)
    conflict = found(program)
    assert conflict.names == ("a", "b", "c")
    assert conflict.multipliers[:3] == pytest.approx(conflict.multipliers[0] * np.array([1, 1, -1]), rel=1e-12)


@pytest.mark.parametrize("cone", [Nonnegative(1), Zero(1)])
def test_a_constraint_of_constants(cone: Nonnegative | Zero) -> None:
    conflict = found(stated([[0, 0]], [-1], [cone], 1))
    assert conflict.names == ("a",)
    assert str(conflict).startswith("a contradicts itself")


def test_duplicates() -> None:
    """Either of two equal constraints will do."""
    program = stated([[1], [1], [-1], [-1]], [0, 0, -1, -1], [Nonnegative(4)], 1, 1, 1, 1)
    conflict = found(program)
    assert len(conflict.names) == 2
    assert {name in "ab" for name in conflict.names} == {True, False}


@pytest.mark.parametrize("radius", [1.0, -1.0])
def test_a_second_order_cone(radius: float) -> None:
    # ||(x, y)|| <= radius, x >= 1 and y >= 1; a ball of negative radius contradicts itself.
    A = [[0, 0], [-1, 0], [0, -1], [-1, 0], [0, -1]]
    conflict = found(stated(A, [radius, 0, 0, -1, -1], [SecondOrder(3), Nonnegative(2)], 3, 1, 1))
    assert conflict.names == (("a", "b", "c") if radius > 0 else ("a",))


def test_semidefinite_and_exponential_cones() -> None:
    # [[x, 1], [1, x]] is semidefinite for x >= 1, and exp(x) <= 1 for x <= 0.
    semidefinite = stated([[-1], [0], [-1], [1]], [0, np.sqrt(2), 0, 0.5], [PSDTriangle(2), Nonnegative(1)], 3, 1)
    assert found(semidefinite).names == ("a", "b")
    exponential = stated([[-1], [0], [0], [-1]], [0, 1, 1, -1], [Exponential(), Nonnegative(1)], 3, 1)
    assert found(exponential).names == ("a", "b")


def test_groups_with_auxiliary_rows() -> None:
    # |x| <= 1 as x <= t, -x <= t, t <= 1, and x >= 2.
    program = stated([[1, -1], [-1, -1], [0, 1], [-1, 0]], [0, 0, 1, -2], [Nonnegative(4)], 2, 1, 1)
    groups = [Group("size", np.array([2]), np.array([0, 1])), Group("floor", np.array([3]))]
    conflict = found(program, groups=groups)
    assert conflict.names == ("size", "floor")
    assert [member.rows.tolist() for member in conflict.members] == [[0], [0]]


def test_constraints_that_a_point_satisfies() -> None:
    assert find_conflict(stated([[1], [-1]], [1, -1], [Nonnegative(2)], 1, 1)) is None
    assert find_conflict(stated([[1], [-1]], [1, -1 + 1e-9], [Nonnegative(2)], 1, 1)) is None
    assert find_conflict(stated([[1]], [1], [Zero(1)], 1)) is None


@pytest.mark.parametrize("seed", range(12))
def test_random_rows_against_every_subset(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = 3, 14
    A, b = rng.integers(-3, 4, size=(k, n)).astype(float), rng.integers(-4, 3, size=k).astype(float)
    equal = 2 if seed % 3 == 0 else 0
    program = stated(A.tolist(), b.tolist(), [Zero(equal), Nonnegative(k - equal)], *[1] * k)

    def satisfiable(rows: tuple[int, ...]) -> bool:
        ends = [row for row in rows if row < equal], [row for row in rows if row >= equal]
        found = linprog(
            np.zeros(n), A[ends[1]], b[ends[1]], A[ends[0]] if ends[0] else None, b[ends[0]] if ends[0] else None,
            bounds=(None, None),
        )  # fmt: skip
        return bool(found.status == 0)

    conflict = find_conflict(program)
    assert (conflict is None) == satisfiable(tuple(range(k)))
    if conflict is not None:
        verify(conflict)
        members = tuple(int(member.group.rows[0]) for member in conflict.members)
        assert not satisfiable(members)
        proper = chain.from_iterable(combinations(members, size) for size in range(1, len(members)))
        assert all(satisfiable(rows) for rows in proper)
        assert len(members) <= n + 1


def meet(centers: np.ndarray, radii: np.ndarray) -> bool:
    """Whether discs have a common point: a centre, or where two circles cross."""
    points = list(centers)
    for i, j in combinations(range(len(radii)), 2):
        across = centers[j] - centers[i]
        apart = float(np.hypot(*across))
        along = (apart**2 + radii[i] ** 2 - radii[j] ** 2) / (2 * apart)
        if along**2 <= radii[i] ** 2:
            foot = centers[i] + along * across / apart
            normal = np.array([-across[1], across[0]]) / apart * np.sqrt(radii[i] ** 2 - along**2)
            points += [foot + normal, foot - normal]
    return any((np.hypot(*(centers - point).T) <= radii * (1 + 1e-12)).all() for point in points)


def discs(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Six discs about the corners of a triangle, of about the radius at which they meet in its centre."""
    rng = np.random.default_rng(seed)
    angles = 2 * np.pi * np.arange(6) / 3
    centers = np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(0.85, 1.15, size=(6, 1))
    return centers, rng.uniform(0.85, 1.2, size=6) + 0.2 * (seed % 3)


@pytest.mark.parametrize("seed", range(12))
def test_random_discs_against_every_subset(seed: int) -> None:
    """||x - c_i|| <= r_i, as second-order cones: two or three of them contradict each other (Helly)."""
    centers, radii = discs(seed)
    A = np.vstack([[[0, 0], [-1, 0], [0, -1]]] * 6).astype(float)
    b = np.concatenate([[radius, *-center] for center, radius in zip(centers, radii, strict=True)])
    conflict = find_conflict(stated(A.tolist(), b.tolist(), [SecondOrder(3)] * 6, *[3] * 6))
    assert (conflict is None) == meet(centers, radii)
    if conflict is not None:
        verify(conflict)
        members = [member.group.rows[0] // 3 for member in conflict.members]
        assert len(members) in (2, 3)
        assert not meet(centers[members], radii[members])
        for spared in members:
            rest = [member for member in members if member != spared]
            assert meet(centers[rest], radii[rest])


def test_random_discs_of_all_kinds() -> None:
    """Else the test above could not fail."""
    sizes = set()
    for seed in range(12):
        centers, radii = discs(seed)
        pairs = all(meet(centers[list(p)], radii[list(p)]) for p in combinations(range(6), 2))
        sizes.add(0 if meet(centers, radii) else 3 if pairs else 2)
    assert sizes == {0, 2, 3}


def test_some_random_rows_contradict_and_some_do_not() -> None:
    """Else the test above could not fail."""
    outcomes = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        A, b = rng.integers(-3, 4, size=(14, 3)), rng.integers(-4, 3, size=14)
        outcomes.add(bool(linprog(np.zeros(3), A, b, bounds=(None, None)).status))
    assert outcomes == {True, False}


@pytest.mark.parametrize("solver", ["clarabel", "scs", "highs", "piqp"])
def test_by_other_solvers(solver: str) -> None:
    program = stated([[1, 0], [0, 1], [-1, -1], [1, 0]], [1, 1, -3, 5], [Nonnegative(4)], 1, 1, 1, 1)
    assert found(program, solver=solver).names == ("a", "b", "c")


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_units_of_rows_and_variables_do_not_matter(unit: float) -> None:
    program = stated([[unit, 0], [0, 1], [-1, -unit]], [1, unit, -3 / unit], [Nonnegative(3)], 1, 1, 1)
    rows = csr_array(program.A).toarray()
    satisfiable = linprog([0, 0], rows, program.b, bounds=(None, None)).status == 0
    conflict = find_conflict(program)
    assert (conflict is None) == satisfiable


def test_few_solves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows of 400 contradict each other: the others are never asked about one by one."""
    rng = np.random.default_rng(1)
    A = rng.normal(size=(400, 5))
    b = np.abs(A).sum(axis=1) + 1
    A[17], b[17], A[230], b[230] = np.eye(5)[0], 0, -np.eye(5)[0], -1
    program = stated(A.tolist(), b.tolist(), [Nonnegative(400)], *[40] * 10)
    clarabel, calls = type(find_solver("clarabel")), []
    run = clarabel.run
    monkeypatch.setattr(clarabel, "run", lambda self, *args, **options: calls.append(1) or run(self, *args, **options))
    conflict = found(program)
    assert [(member.group.name, member.rows.tolist()) for member in conflict.members] == [("a", [17]), ("f", [30])]
    assert len(calls) <= 5


def test_what_is_refused() -> None:
    program = stated([[1], [-1]], [0, -1], [Nonnegative(2)], 1, 1)
    with pytest.raises(ParameterError, match="tol"):
        find_conflict(program, tol=0.0)
    ball = stated([[0], [1]], [-1, 0], [SecondOrder(2)], 2)
    with pytest.raises(UnsupportedProgramError, match="SecondOrder"):
        find_conflict(ball, solver="highs")


def test_a_solver_that_finds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no luck")

    monkeypatch.setattr(type(find_solver("clarabel")), "run", fail)
    with pytest.raises(SolverFailedError, match=r"neither a point .* nor the proof"):
        find_conflict(stated([[1], [-1]], [0, -1], [Nonnegative(2)], 1, 1))
