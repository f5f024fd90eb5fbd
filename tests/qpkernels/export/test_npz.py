# SPDX-License-Identifier: BSD-3-Clause
"""Programs as files: each is read back exactly, and by qpsolvers."""

from pathlib import Path

import numpy as np
import pytest
import qpsolvers
from hypothesis import given
from hypothesis import strategies as st

from builders import FAMILIES, KNOWN_OPTIMA, KnownOptimum, cone_program, manufacture
from qpkernels.certificates import certify_cone_program
from qpkernels.errors import ShapeError
from qpkernels.export import read_npz, write_npz
from qpkernels.programs import Block, Cone, ConeProgram, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero

every_optimum = pytest.mark.parametrize("known", KNOWN_OPTIMA.values(), ids=KNOWN_OPTIMA)


def assert_same(one: ConeProgram, other: ConeProgram) -> None:
    for name in ("P", "A"):
        np.testing.assert_array_equal(getattr(one, name).toarray(), getattr(other, name).toarray())
        assert type(getattr(one, name)) is type(getattr(other, name))
    for name in ("q", "b"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in ("cones", "variables", "rows", "offset", "name"):
        assert getattr(one, name) == getattr(other, name)


@every_optimum
def test_a_program_of_any_cone_is_read_back(known: KnownOptimum, tmp_path: Path) -> None:
    again = read_npz(write_npz(known.program, tmp_path / "program"))
    assert_same(again, known.program)
    assert certify_cone_program(again, known.x, known.z).holds(1e-13)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_kernel_qp_in_matrices_is_read_back(name: str, tmp_path: Path) -> None:
    program = manufacture(name).program.to_cone_program()
    assert_same(read_npz(write_npz(program, tmp_path / "program.npz")), program)


def test_the_path_gets_its_suffix_once(tmp_path: Path) -> None:
    program = manufacture("hinge").program.to_cone_program()
    assert write_npz(program, tmp_path / "a") == tmp_path / "a.npz"
    assert write_npz(program, str(tmp_path / "b.npz")) == tmp_path / "b.npz"
    assert write_npz(program, tmp_path / "c.v1") == tmp_path / "c.v1.npz"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "b.npz", "c.v1.npz"]


CONES = st.lists(
    st.one_of(
        st.builds(Zero, st.integers(0, 3)),
        st.builds(Nonnegative, st.integers(0, 3)),
        st.builds(SecondOrder, st.integers(1, 3)),
        st.builds(PSDTriangle, st.integers(1, 2)),
        st.just(Exponential()),
        st.builds(Power, st.floats(0.01, 0.99)),
    ),
    max_size=5,
)


@given(
    cones=CONES,
    seed=st.integers(0, 2**32 - 1),
    name=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
    quadratic=st.booleans(),
)
def test_any_program_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, cones: list[Cone], seed: int, name: str, quadratic: bool
) -> None:
    if quadratic:
        cones = [cone for cone in cones if isinstance(cone, Zero | Nonnegative)]
    rng = np.random.default_rng(seed)
    rows = sum(cone.size for cone in cones)
    B = rng.normal(size=(3, 3))
    program = cone_program(
        B @ B.T, rng.normal(size=3), rng.normal(size=(rows, 3)), rng.normal(size=rows), cones, rng.normal(), name
    )
    assert_same(read_npz(write_npz(program, tmp_path_factory.mktemp("programs") / "p")), program)


def test_names_of_blocks_are_kept(tmp_path: Path) -> None:
    plain = cone_program(np.eye(3), [1, 2, 3], np.ones((2, 3)), [1, 1], [Nonnegative(2)])
    program = ConeProgram(
        plain.P,
        plain.q,
        plain.A,
        plain.b,
        plain.cones,
        variables=(Block("weights", 0, 2), Block("", 2, 2), Block("größe", 2, 3)),
        rows=(Block("margin [i]", 0, 2),),
        offset=-1.5,
        name="soft margin, C = 1",
    )
    assert_same(read_npz(write_npz(program, tmp_path / "p")), program)


@pytest.mark.parametrize("name", FAMILIES)
def test_qpsolvers_reads_and_solves_the_same_problem(name: str, tmp_path: Path) -> None:
    made = manufacture(name)
    path = write_npz(made.program.to_cone_program(), tmp_path / "program")
    problem = qpsolvers.Problem.load(str(path))
    solution = qpsolvers.solve_problem(problem, solver="piqp", eps_abs=1e-9, eps_rel=1e-9)
    assert solution.found
    x = solution.x
    assert 0.5 * x @ problem.P @ x + problem.q @ x == pytest.approx(made.optimum, rel=1e-7)


def test_the_keys_are_those_of_qpsolvers(tmp_path: Path) -> None:
    known = KNOWN_OPTIMA["QP: min (x1^2 + x2^2) / 2 s.t. x1 >= 0.8, x1 + x2 = 1"]
    with np.load(write_npz(known.program, tmp_path / "program"), allow_pickle=False) as file:
        contents = {key: file[key] for key in file.files}
    np.testing.assert_array_equal(contents["P"], np.eye(2))
    np.testing.assert_array_equal(contents["q"], [0, 0])
    np.testing.assert_array_equal(contents["G"], [[-1, 0]])
    np.testing.assert_array_equal(contents["h"], [-0.8])
    np.testing.assert_array_equal(contents["A"], [[1, 1]])
    np.testing.assert_array_equal(contents["b"], [1])
    np.testing.assert_array_equal(contents["lb"], [-np.inf, -np.inf])
    np.testing.assert_array_equal(contents["ub"], [np.inf, np.inf])
    assert contents["row_names"].tolist() == ["rows 0", "rows 1"]
    assert contents["variable_names"].tolist() == ["x"]
    assert not any(array.dtype == object for array in contents.values())


def test_other_files_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", P=np.eye(2))
    with pytest.raises(ShapeError, match=r"other\.npz is no program written by write_npz.*\['P'\]"):
        read_npz(tmp_path / "other.npz")
    np.savez(tmp_path / "later.npz", format=99)
    with pytest.raises(ShapeError, match="format 1"):
        read_npz(tmp_path / "later.npz")
