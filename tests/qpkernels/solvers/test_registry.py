# SPDX-License-Identifier: BSD-3-Clause
"""All solvers are found: ours, and those that other packages register."""

import importlib.metadata
from collections.abc import Iterator
from typing import Any

import pytest

import qpkernels.solvers.registry as registry
from qpkernels.errors import ParameterError, SolverNotInstalledError, UnknownSolverError
from qpkernels.problems import ConeProgram, Zero
from qpkernels.solvers import (
    Solver,
    find_solver,
    installed_solvers,
    register_solver,
    registered_solvers,
    unregister_solver,
)
from qpkernels.solvers.backends.clarabel import Clarabel
from solver_examples import EXPECTED, REGISTERED, SOFT, example_for
from together import together


def test_the_solvers_of_the_extra_are_all_here() -> None:
    assert {solver.name for solver in installed_solvers()} >= EXPECTED
    assert {"smo", "linear", "clarabel", "osqp", "scs", "daqp", "highs", "piqp", "proxqp"} < EXPECTED


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
    assert [solver for solver in installed_solvers() if solver.module is not None] == []
    for name in EXPECTED:
        solver = find_solver(name)
        if solver.module is None:
            continue
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
    entry_points.append(entry_point("foreign", "foreign_solvers:Foreign"))
    assert "foreign" in [solver.name for solver in registered_solvers()]
    assert "foreign" in [solver.name for solver in installed_solvers()]
    assert find_solver("foreign").solve(SOFT).message == "tol 1e-06"
    with pytest.raises(UnknownSolverError, match="'foreign'"):
        find_solver("forein")


def test_a_missing_solver_of_another_package_is_registered_only(
    entry_points: list[importlib.metadata.EntryPoint],
) -> None:
    entry_points.append(entry_point("missing", "foreign_solvers:Missing"))
    entry_points.append(entry_point("missing-inside", "foreign_solvers:MissingInside"))
    assert {"missing", "missing-inside"} <= {solver.name for solver in registered_solvers()}
    assert not {"missing", "missing-inside"} & {solver.name for solver in installed_solvers()}


def test_a_broken_entry_point_takes_no_other_solver_away(entry_points: list[importlib.metadata.EntryPoint]) -> None:
    entry_points.append(entry_point("broken", "a_module_that_nobody_has:Solver"))
    entry_points.append(entry_point("foreign", "foreign_solvers:Foreign"))
    with pytest.warns(RuntimeWarning, match="'broken'.*is left out.*ModuleNotFoundError"):
        names = {solver.name for solver in registered_solvers()}
    assert names >= EXPECTED | {"foreign"}
    assert "broken" not in names


def test_another_entry_point_group_is_not_asked(entry_points: list[importlib.metadata.EntryPoint]) -> None:
    entry_points.append(importlib.metadata.EntryPoint("foreign", "foreign_solvers:Foreign", "something.else"))
    assert "foreign" not in {solver.name for solver in registered_solvers()}


class Mine(Clarabel):
    """A solver as a notebook would write it."""

    name = "mine"


@pytest.fixture
def _as_before() -> Iterator[None]:
    """Take back what a test registered."""
    before = dict(registry._added)
    yield
    registry._added.clear()
    registry._added.update(before)


@pytest.mark.usefixtures("_as_before")
def test_a_solver_is_registered_while_the_program_runs() -> None:
    mine = register_solver(Mine())
    assert find_solver("mine") is mine
    assert mine in registered_solvers()
    assert mine in installed_solvers()
    with pytest.raises(ParameterError, match=r"registered as 'mine' already \(Mine\).*replace=True"):
        register_solver(Mine())
    assert register_solver(other := Mine(), replace=True) is find_solver("mine") is other
    unregister_solver("mine")
    with pytest.raises(UnknownSolverError, match="no solver is called 'mine'"):
        find_solver("mine")
    with pytest.raises(UnknownSolverError, match="'mine' in this process; those that were: none"):
        unregister_solver("mine")


@pytest.mark.usefixtures("_as_before")
def test_what_was_replaced_comes_back() -> None:
    own = [solver.name for solver in registered_solvers()]

    class Clarabel2(Clarabel):
        """Takes the place of its base."""

    register_solver(Clarabel2(), replace=True)
    assert type(find_solver("clarabel")) is Clarabel2
    assert [solver.name for solver in registered_solvers()] == own
    unregister_solver("clarabel")
    assert type(find_solver("clarabel")) is Clarabel


@pytest.mark.usefixtures("_as_before")
@pytest.mark.parametrize("name", ["smo", "interior-point", "linear"])
def test_solvers_that_others_are_built_on_are_not_replaced(name: str) -> None:
    mine = Mine()
    mine.name = name
    with pytest.raises(ParameterError, match=f"'{name}' is a solver of this project"):
        register_solver(mine, replace=True)


def changed(**parts: Any) -> Solver:
    mine = Mine()
    for part, value in parts.items():
        setattr(mine, part, value)
    return mine


LACKING: dict[str, tuple[Any, str]] = {
    "a class": (Mine, r"the class Mine came; pass Mine\(\)"),
    "another class": (dict, "an object of a subclass of qpkernels.solvers.Solver"),
    "nothing": (None, "an object of a subclass of qpkernels.solvers.Solver"),
    "a function": (len, "an object of a subclass of qpkernels.solvers.Solver"),
    "a name that is none": (changed(name=""), "it must have a name"),
    "a number as name": (changed(name=3), "it must have a name"),
    "a program": (changed(programs=ConeProgram), "programs must be a tuple"),
    "no programs": (changed(programs=()), "programs must be a tuple"),
    "no cones": (changed(cones=()), r"no cones: set cones = \(Zero, Nonnegative\)"),
    "cones by name": (changed(cones=("zero",)), "cones must be a tuple"),
    "an option that is none": (changed(options={"tolerance"}), "options must be a set of some of max_iter, "),
    "an option in place of a set": (changed(options="tol"), "options must be a set of some of max_iter, "),
    "the name of all": (changed(name="all"), "'all' stands for every solver"),
}


@together("case", LACKING)
def test_what_is_no_solver_says_what_it_lacks(case: str) -> None:
    value, words = LACKING[case]
    with pytest.raises(ParameterError, match=words):
        register_solver(value)
    if isinstance(value, Solver) and case != "the name of all":
        with pytest.raises(ParameterError, match=words):
            find_solver(value)


def test_a_solver_without_a_name_says_so() -> None:
    class Nameless(Solver):
        """It forgot its name."""

        cones = (Zero,)

        def run(self, program: Any, request: Any, **options: Any) -> Any:
            raise NotImplementedError

    with pytest.raises(ParameterError, match=r"the solver Nameless .* must have a name"):
        find_solver(Nameless())


def test_a_solver_needs_neither_a_module_nor_a_command_that_installs_it() -> None:
    class Bare(Solver):
        """Says what it must, and no more."""

        name, cones = "bare", (Zero,)

        def run(self, program: Any, request: Any, **options: Any) -> Any:
            raise NotImplementedError

    bare = find_solver(Bare())
    assert bare.installed
    bare.load()
    assert repr(bare) == "<solver 'bare'>"
