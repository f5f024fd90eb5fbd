# SPDX-License-Identifier: BSD-3-Clause
"""The set in a folder: its index, and what other benchmarks make of its files."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import qpsolvers

import proofcheck
from builders import KNOWN_OPTIMA, KnownOptimum, cone_program
from formulations.judging.testset import Entry, WrittenEntry, entries, write_test_set
from formulations.judging.testset.writing import optimum_of
from qpkernels.errors import ParameterError
from qpkernels.files import read
from qpkernels.problems import Nonnegative, Status

MOST_VARIABLES = 16


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("set")
    write_test_set(target, entries(MOST_VARIABLES), (".mps", ".npz", ".json"))
    return target


def index(folder: Path) -> dict[str, dict[str, Any]]:
    return {record["name"]: record for record in json.loads((folder / "index.json").read_text())["problems"]}


def near(record: dict[str, Any], value: float) -> bool:
    """Return whether a value is in the interval of a problem, or next to it as solvers come."""
    room = 1e-6 * max(1.0, abs(record["lower"]))
    return bool(record["lower"] - room <= value <= record["upper"] + room)


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_index_says_what_is_proved(folder: Path) -> None:
    records = index(folder)
    assert set(records) == {entry.name for entry in entries(MOST_VARIABLES)}
    assert {record["status"] for record in records.values()} == {"optimal", "infeasible", "unbounded"}
    for record in records.values():
        if record["status"] == "optimal":
            assert record["digits"] >= 9
            assert record["lacking"] == ""
            assert record["lower"] <= record["upper"]
            assert record["upper"] - record["lower"] <= 1e-9 * max(abs(record["upper"]), abs(record["lower"]))
        else:
            assert record["status"] == record["family"]
            assert record["lower"] is record["upper"] is None
            assert (record["proof"] is None) == (record["status"] == "unbounded")
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert all(f"| {name} |" in text for name in records)


def test_the_proofs_are_checked_without_the_set(folder: Path) -> None:
    records = [record for record in index(folder).values() if record["proof"]]
    assert len(records) >= 10
    for record in records:
        said = proofcheck.verify(proofcheck.content(folder / record["proof"]), folder)[-1]
        if record["status"] == "infeasible":
            assert "there is no solution" in said
        else:
            # Decimals that hold the interval.
            lower, upper = map(float, said.split("[")[1].rstrip("]").split(","))
            assert lower == pytest.approx(record["lower"], rel=1e-15)
            assert upper == pytest.approx(record["upper"], rel=1e-15)


def test_a_program_in_a_file_joins_the_set(folder: Path, tmp_path: Path) -> None:
    entry = Entry.of_file(folder / "problems" / "soft_margin_dual_10.mps")
    (member,) = write_test_set(tmp_path, [entry])
    assert member.record()["lower"] == index(folder)["soft_margin_dual_10"]["lower"]


def test_all_files_of_a_problem_hold_the_same(folder: Path) -> None:
    for name, record in index(folder).items():
        programs = [read(folder / path) for path in record["files"].values()]
        assert len(programs) == 4
        for program in programs:
            assert program.name == name
            assert (program.q.size, program.b.size) == (record["variables"], record["rows"])
            np.testing.assert_array_equal(program.A.toarray(), programs[0].A.toarray())
            np.testing.assert_array_equal(np.triu(program.P.toarray()), np.triu(programs[0].P.toarray()))


class BenchmarkProblem(qpsolvers.Problem):
    """What qpbenchmark calls a problem: one of qpsolvers, with a name."""

    def __init__(self, *parts: Any, name: str) -> None:
        super().__init__(*parts)
        self.name = name


def test_qpbenchmark_reads_the_set(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = ModuleType("qpbenchmark")
    fake.TestSet, fake.Problem = object, BenchmarkProblem  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "qpbenchmark", fake)
    module = load(folder / "kernel_machines.py")
    # qpbenchmark finds the class by the name of the file.
    problems = list(getattr(module, "kernel_machines".title().replace("_", ""))())
    records = index(folder)
    assert {problem.name for problem in problems} == {
        name for name, record in records.items() if record["status"] == "optimal"
    }
    for problem in problems:
        solution = qpsolvers.solve_problem(problem, solver="clarabel")
        assert solution.found
        assert near(records[problem.name], solution.obj)


def test_solver_benchmarks_reads_the_set(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registered: dict[str, tuple[Callable[[int], cp.Problem], list[str]]] = {}

    def register_problem(name: str, tags: list[str], description: str) -> Callable[[Any], Any]:
        assert description
        return lambda state: registered.setdefault(name, (state, tags))

    fake = ModuleType("solver_benchmarks.problems")
    fake.register_problem = register_problem  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "solver_benchmarks", ModuleType("solver_benchmarks"))
    monkeypatch.setitem(sys.modules, "solver_benchmarks.problems", fake)
    load(folder / "kernel_machines_cvxpy.py")
    records = index(folder)
    assert {name.partition("/")[2] for name in registered} == {
        name for name, record in records.items() if record["status"] == "optimal"
    }
    for name, (state, tags) in registered.items():
        assert tags[:2] == [name[:2], "small"]
        problem = state(0)
        assert near(records[name[3:]], problem.solve(solver="CLARABEL"))


def test_progress_is_told_of_each_problem(tmp_path: Path) -> None:
    told: list[WrittenEntry] = []
    members = write_test_set(tmp_path, entries(10)[:2], progress=told.append)
    assert told == members


def test_an_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"formats are \.npz, .*, but \.lp came"):
        write_test_set(tmp_path / "set", [], [".lp"])
    assert not (tmp_path / "set").exists()


QUADRATIC = {name: known for name, known in KNOWN_OPTIMA.items() if known.program.is_quadratic}


@pytest.mark.parametrize("known", QUADRATIC.values(), ids=QUADRATIC)
def test_the_interval_holds_the_optimum(known: KnownOptimum) -> None:
    found, _ = optimum_of(known.program)
    value = known.program.objective(known.x)
    assert found.status is Status.OPTIMAL
    assert found.lower - 1e-12 <= value <= found.upper + 1e-12
    assert found.upper - found.lower <= 1e-8


def test_a_program_without_a_feasible_point() -> None:
    found, proof = optimum_of(cone_program(np.eye(1), [0], [[1], [-1]], [-1, -1], [Nonnegative(2)]))
    assert proof is not None
    assert (found.status, found.lower, found.upper) == (Status.INFEASIBLE, np.inf, np.inf)
    assert found.relative_width == np.inf


def test_a_program_without_a_lower_bound() -> None:
    found, _ = optimum_of(cone_program(np.zeros((1, 1)), [-1], [[-1]], [0], [Nonnegative(1)]))
    assert (found.status, found.lower, found.upper) == (Status.UNBOUNDED, -np.inf, -np.inf)


def test_an_answer_that_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("formulations.judging.testset.writing.installed_solvers", lambda: ())
    found, proof = optimum_of(cone_program(np.eye(1), [0], [[1]], [1], [Nonnegative(1)]))
    assert found.status is Status.FAILED
    assert found.digits == 0
    assert proof is None


def test_a_ray_is_a_proof_though_no_solver_claims_it() -> None:
    (entry,) = (entry for entry in entries(100) if entry.name == "contradiction_dual_100")
    assert optimum_of(entry.program())[0].status is Status.UNBOUNDED
