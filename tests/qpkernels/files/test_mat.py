# SPDX-License-Identifier: BSD-3-Clause
"""Programs as .mat in OSQP's convention: read by SciPy and solved by OSQP as its own benchmarks do."""

from pathlib import Path
from typing import Any

import numpy as np
import osqp
import pytest
from scipy.io import loadmat, savemat
from scipy.sparse import csc_array, csc_matrix, triu

from builders import FAMILIES, cone_program, manufacture
from qpkernels.errors import FileFormatError
from qpkernels.files import read, write
from qpkernels.problems import Nonnegative, certify_cone_program
from qpkernels.solvers import find_solver


def solved_by_osqp(path: Path) -> float:
    """Return the optimum that OSQP finds, with nothing but the arrays of the file."""
    file = loadmat(path)
    solver = osqp.OSQP()
    vectors = {key: file[key].T.flatten().astype(float) for key in "qlu"}
    assert vectors["q"].size == int(file["n"].item())
    assert vectors["l"].size == int(file["m"].item())
    upper = csc_matrix(triu(file["P"].astype(float)))
    limits = {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iter": 100000, "polishing": True}
    solver.setup(
        upper, vectors["q"], csc_matrix(file["A"].astype(float)), vectors["l"], vectors["u"], verbose=False, **limits
    )
    result = solver.solve(raise_error=True)
    assert result.info.status == "solved"
    return float(result.info.obj_val + file["r"].item())


@pytest.mark.parametrize("name", FAMILIES)
def test_osqp_solves_the_same_problem(name: str, tmp_path: Path) -> None:
    made = manufacture(name)
    path = write(made.program.to_cone_program(), tmp_path / "program.mat")
    assert solved_by_osqp(path) == pytest.approx(made.optimum, rel=1e-6)


def benchmark() -> dict[str, Any]:
    """min 1/2 (0.02 x^2 + 2 y^2) - 100 s.t. 10 x - y >= 10, 2 <= x <= 50, -50 <= y <= 50: HS21, optimum -99.96."""
    return {
        "P": csc_matrix(np.diag([0.02, 2.0])),
        "q": np.array([[0], [0]], dtype=np.uint8),
        "r": np.array([[-100]], dtype=np.int16),
        "A": csc_matrix(np.array([[10.0, -1], [1, 0], [0, 1]])),
        "l": np.array([[10], [2], [-50]], dtype=np.int16),
        "u": np.array([[1e20], [50], [50]]),
        "n": 2,
        "m": 3,
    }


def test_a_problem_of_the_benchmarks_is_read(tmp_path: Path) -> None:
    savemat(tmp_path / "HS21.mat", benchmark())
    program = read(tmp_path / "HS21.mat")
    assert program.name == "HS21"
    assert [(block.name, block.stop - block.start) for block in program.rows] == [
        ("equations", 0),
        ("upper", 2),
        ("lower", 3),
    ]
    outcome = find_solver("clarabel").solve(program, tol=1e-9)
    assert certify_cone_program(program, outcome.point, outcome.multipliers).primal_value == pytest.approx(-99.96)


def test_an_equation_is_one_row_and_a_row_without_bounds_none(tmp_path: Path) -> None:
    changed = benchmark() | {"l": [[10.0], [2.0], [-1e20]], "u": [[10.0], [50.0], [1e20]]}
    savemat(tmp_path / "p.mat", changed)
    program = read(tmp_path / "p.mat")
    np.testing.assert_array_equal(program.A.toarray(), [[10, -1], [1, 0], [-1, 0]])
    np.testing.assert_array_equal(program.b, [10, 50, -2])
    np.testing.assert_array_equal(program.equations(), [True, False, False])


def test_the_upper_triangle_is_enough(tmp_path: Path) -> None:
    savemat(tmp_path / "p.mat", benchmark() | {"P": csc_matrix(np.array([[2.0, 1], [0, 3]]))})
    np.testing.assert_array_equal(read(tmp_path / "p.mat").P.toarray(), [[2, 1], [1, 3]])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"P": "a"}, "but P are no matrices, or absent"),
        ({"P": np.array([["a"]])}, r"P must be a real matrix or text, but class 4 of shape \(1, 1, 1\)"),
        ({"q": np.array([[1j], [2]])}, "q must be a real matrix"),
        ({"A": {"a": 1}}, "A must be a real matrix or text, but class 2"),
        ({"A": csc_matrix((2, 2))}, r"shape \(3, 2\), but \(2, 2\)"),
        ({"l": np.array([[10.0], [np.nan], [0]])}, "bounds must be numbers"),
        ({"u": np.array([[-1e20], [1], [1]])}, "bounds must be numbers"),
        ({"q": np.eye(2)}, "must be vectors"),
        ({"q": np.array([[np.inf], [0]])}, "q must hold finite numbers"),
        ({"P": csc_matrix(np.array([[1.0, 2], [3, 1]]))}, "P must be symmetric"),
        ({"structure": "{}"}, "does not fit its rows"),
        ({"structure": "[]"}, "must be a JSON object"),
    ],
)
def test_what_is_no_quadratic_program_is_refused(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    savemat(tmp_path / "p.mat", benchmark() | changes)
    with pytest.raises(FileFormatError, match=words):
        read(tmp_path / "p.mat")


def test_a_description_of_another_program_is_refused(tmp_path: Path) -> None:
    path = write(cone_program(np.eye(2), [0, 0], np.eye(2), [1, 1], [Nonnegative(2)]), tmp_path / "p.mat")
    contents = {key: value for key, value in loadmat(path).items() if not key.startswith("__")}
    savemat(path, contents | {"l": contents["u"]})
    with pytest.raises(FileFormatError, match="does not fit its rows"):
        read(path)


def test_indices_out_of_range_are_refused(tmp_path: Path) -> None:
    savemat(tmp_path / "p.mat", benchmark())
    content = (tmp_path / "p.mat").read_bytes()
    places = np.array([0, 1, 0, 2], dtype=np.int32).tobytes()
    assert content.count(places) == 1
    (tmp_path / "p.mat").write_bytes(content.replace(places, np.array([0, 1, 0, 2000000], dtype=np.int32).tobytes()))
    with pytest.raises(FileFormatError, match="indices"):
        read(tmp_path / "p.mat")


def test_a_program_without_rows_keeps_its_shape(tmp_path: Path) -> None:
    program = cone_program(np.eye(2), [1, 1], np.zeros((0, 2)), [], [])
    again = read(write(program, tmp_path / "p.mat"))
    assert again.A.shape == (0, 2)
    assert isinstance(again.A, csc_array)
