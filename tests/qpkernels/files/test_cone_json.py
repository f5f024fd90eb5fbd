# SPDX-License-Identifier: BSD-3-Clause
"""Programs as JSON: Clarabel reads and solves the same problem."""

import json
from pathlib import Path
from typing import Any

import clarabel
import numpy as np
import pytest

from builders import FAMILIES, KNOWN_OPTIMA, KnownOptimum, manufacture
from qpkernels.errors import FileFormatError
from qpkernels.files import read, write
from qpkernels.problems import Block


def solved_by_clarabel(path: Path) -> float:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    solution = clarabel.load_from_file(str(path), settings).solve()
    assert str(solution.status) == "Solved"
    return float(solution.obj_val)


@pytest.mark.parametrize("known", KNOWN_OPTIMA.values(), ids=KNOWN_OPTIMA)
def test_clarabel_solves_the_same_problem(known: KnownOptimum, tmp_path: Path) -> None:
    program = known.program
    value = solved_by_clarabel(write(program, tmp_path / "program.json"))
    assert value + program.offset == pytest.approx(program.objective(known.x), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", FAMILIES)
def test_clarabel_solves_the_same_kernel_qp(name: str, tmp_path: Path) -> None:
    made = manufacture(name)
    path = write(made.program.to_cone_program(), tmp_path / "program.json")
    assert solved_by_clarabel(path) == pytest.approx(made.optimum, rel=1e-6)


def contents() -> dict[str, Any]:
    """min 1/2 (2 x^2 + x y + y^2) + x - y s.t. x + y = 1, x >= 0, as Clarabel writes it."""
    return {
        "P": {"m": 2, "n": 2, "colptr": [0, 1, 3], "rowval": [0, 0, 1], "nzval": [2.0, 0.5, 1.0]},
        "q": [1.0, -1.0],
        "A": {"m": 2, "n": 2, "colptr": [0, 2, 3], "rowval": [0, 1, 0], "nzval": [1.0, -1.0, 1.0]},
        "b": [1.0, 0.0],
        "cones": [{"ZeroConeT": 1}, {"NonnegativeConeT": 1}],
        "settings": {"max_iter": 200},
    }


def test_a_file_of_clarabel_is_read(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(json.dumps(contents()))
    program = read(tmp_path / "p.json")
    np.testing.assert_array_equal(program.P.toarray(), [[2, 0.5], [0.5, 1]])
    np.testing.assert_array_equal(program.A.toarray(), [[1, 1], [-1, 0]])
    assert program.variables == (Block("x", 0, 2),)
    assert program.rows == (Block("rows", 0, 2),)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cones": [{"ZeroConeT": 2, "NonnegativeConeT": 0}]}, "a cone must be one of ZeroConeT"),
        ({"cones": [{"GenPowerConeT": [[0.5, 0.5], 1]}]}, "a cone must be one of"),
        ({"cones": [{"ZeroConeT": -1}]}, "a cone must be one of"),
        ({"cones": [{"ZeroConeT": True}]}, "a cone must be one of"),
        ({"cones": [{"PowerConeT": 2.0}]}, "exponent of a power cone"),
        ({"cones": [{"NonnegativeConeT": 1}]}, "cones must cover the 2 rows"),
        ({"q": [1.0]}, r"shape \(1, 1\), but \(2, 2\) came"),
        ({"q": ["a", "b"]}, "q must be real numbers"),
        ({"b": [1.0, float("nan")]}, "b must hold finite numbers"),
        ({"b": [[1.0, 2.0]]}, r"b must be real numbers of shape \(any\)"),
        ({"offset": float("inf")}, "constant of the objective must be finite"),
        ({"name": 5}, "name of a program must be text"),
        ({"variables": [["x", -2], ["y", 4]]}, "block must have a name and a size"),
        ({"variables": [["x", 3]]}, "blocks of variables must follow one another"),
        ({"P": {**contents()["P"], "rowval": [0, 0, 2000000]}}, "indices"),
        ({"P": {**contents()["P"], "rowval": [0, 0, -1]}}, "indices"),
        ({"P": {**contents()["P"], "rowval": [0, 0.5, 1]}}, "indices of a sparse matrix"),
        ({"P": {**contents()["P"], "colptr": [0, 3, 0]}}, "ascend from 0"),
        ({"P": {"m": 2, "n": 2, "colptr": [0, 2000000, 0], "rowval": [], "nzval": []}}, "ascend from 0"),
        ({"P": {**contents()["P"], "colptr": [0, 3, 1]}}, "ascend from 0"),
    ],
)
def test_what_is_no_program_is_refused(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(json.dumps(contents() | changes))
    with pytest.raises(FileFormatError, match=words):
        read(tmp_path / "p.json")
