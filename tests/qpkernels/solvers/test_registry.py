# SPDX-License-Identifier: BSD-3-Clause
"""All solvers are found: ours, and those that other packages register."""

import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator

import pytest

import qpkernels.solvers.registry as registry
from qpkernels.errors import SolverNotInstalledError, UnknownSolverError
from qpkernels.solvers import find_solver, installed_solvers, registered_solvers
from solver_examples import CONE_SOLVERS, EXPECTED, REGISTERED, SOFT, example_for


def test_the_solvers_of_the_extra_are_all_here() -> None:
    assert {solver.name for solver in installed_solvers()} >= EXPECTED
    assert set(CONE_SOLVERS) >= EXPECTED - {
        "smo",
        "interior-point",
        "level-search",
        "linear",
        "newton",
        "frisch-newton",
    }
    assert {solver.name for solver in REGISTERED} >= {solver.name for solver in installed_solvers()}


def test_names_are_unique_and_in_order() -> None:
    names = [solver.name for solver in REGISTERED]
    assert names == sorted(set(names))


@pytest.mark.parametrize(
    ("wrong", "suggestion"), [("clarabell", "clarabel"), ("SMO", "smo"), ("prox", "proxqp"), ("OSQP", "osqp")]
)
def test_an_unknown_name_gets_a_suggestion(wrong: str, suggestion: str) -> None:
    with pytest.raises(UnknownSolverError, match=rf"no solver is called '{wrong}'; did you mean .*'{suggestion}'"):
        find_solver(wrong)


def test_an_unknown_name_like_no_other_gets_the_list() -> None:
    with pytest.raises(UnknownSolverError, match=r"'zzz'; Known: clarabel, .*smo.*cvxpy:NAME") as caught:
        find_solver("zzz")
    assert "did you mean" not in str(caught.value)


def test_the_solvers_of_the_extra_are_listed_also_where_they_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    import qpkernels.solvers.backends.qpsolvers as adapter
    import qpkernels.solvers.interface as interface

    monkeypatch.setattr(adapter, "find_spec", lambda _: None)
    monkeypatch.setattr(interface, "find_spec", lambda _: None)
    assert {solver.name for solver in registered_solvers()} >= EXPECTED
    assert installed_solvers() == ()
    for name in EXPECTED:
        solver = find_solver(name)
        program = example_for(solver)
        with pytest.raises(SolverNotInstalledError, match=f"'{name}' needs .* run: pip install"):
            solver.solve(program)


@pytest.fixture
def entry_points(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[importlib.metadata.EntryPoint]]:
    """Entry points in the group of solvers, as other packages would have them."""
    points: list[importlib.metadata.EntryPoint] = []
    monkeypatch.setattr(registry, "entry_points", lambda group: [p for p in points if p.group == group])
    registry._families.cache_clear()
    yield points
    registry._families.cache_clear()


def entry_point(name: str, value: str) -> importlib.metadata.EntryPoint:
    return importlib.metadata.EntryPoint(name, value, registry.ENTRY_POINTS)


def test_a_solver_of_another_package_is_found(entry_points: list[importlib.metadata.EntryPoint]) -> None:
    entry_points.append(entry_point("foreign", "solver_examples:Foreign"))
    assert "foreign" in [solver.name for solver in registered_solvers()]
    assert "foreign" in [solver.name for solver in installed_solvers()]
    assert find_solver("foreign").solve(SOFT).message == "tol 1e-06"
    with pytest.raises(UnknownSolverError, match="'foreign'"):
        find_solver("forein")


def test_a_missing_solver_of_another_package_is_registered_only(
    entry_points: list[importlib.metadata.EntryPoint],
) -> None:
    entry_points.append(entry_point("missing", "solver_examples:Missing"))
    entry_points.append(entry_point("missing-inside", "solver_examples:MissingInside"))
    assert {"missing", "missing-inside"} <= {solver.name for solver in registered_solvers()}
    assert not {"missing", "missing-inside"} & {solver.name for solver in installed_solvers()}


def test_a_broken_entry_point_takes_no_other_solver_away(entry_points: list[importlib.metadata.EntryPoint]) -> None:
    entry_points.append(entry_point("broken", "a_module_that_nobody_has:Solver"))
    entry_points.append(entry_point("foreign", "solver_examples:Foreign"))
    with pytest.warns(RuntimeWarning, match="'broken'.*is left out.*ModuleNotFoundError"):
        names = {solver.name for solver in registered_solvers()}
    assert names >= EXPECTED | {"foreign"}
    assert "broken" not in names


def test_another_entry_point_group_is_not_asked(entry_points: list[importlib.metadata.EntryPoint]) -> None:
    entry_points.append(importlib.metadata.EntryPoint("foreign", "solver_examples:Foreign", "something.else"))
    assert "foreign" not in {solver.name for solver in registered_solvers()}


def test_asking_for_one_solver_imports_no_other() -> None:
    script = (
        "import sys; from qpkernels.solvers import find_solver; find_solver('clarabel');"
        "print(*[name for name in ('cvxpy', 'osqp', 'scs', 'piqp', 'daqp', 'proxsuite') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""
