# SPDX-License-Identifier: BSD-3-Clause
"""Who may be asked to solve, and from where a form in matrices may start."""

import threading
from dataclasses import replace
from time import sleep
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from formulations import (
    OneVersusRest,
    PlattCalibration,
    SoftMargin,
    compare,
    cross_examine,
    cross_validate,
    grid,
)
from formulations.estimators import SVC
from qpkernels import RBF
from qpkernels.errors import ParameterError, SolverFailedError, UnsupportedOptionError
from qpkernels.problems import Status
from qpkernels.problems.certificate import certify_values
from qpkernels.solvers import find_solver
from qpkernels.solvers.backends.clarabel import Clarabel
from qpkernels.solvers.smo import SMO

RNG = np.random.default_rng(7)
X = RNG.normal(size=(30, 2))
y = np.where(X[:, 0] + 0.5 * RNG.normal(size=30) > 0, 1, -1)


class Mine(Clarabel):
    """A solver that nobody registered."""

    name = "mine"


def model(**changes: Any) -> SoftMargin:
    return SoftMargin(X, y, RBF(0.5), **changes)


def test_a_solver_is_taken_wherever_a_name_is() -> None:
    mine, reference = Mine(), model().solve(tol=1e-9).objective
    here: dict[str, Any] = {"isolate": False, "time_limit": None, "progress": False}
    for asked in (model(), *model().forms.values()):
        solution = asked.solve(mine)
        assert (solution.solver, solution.status) == ("mine", Status.OPTIMAL)
        assert abs(solution.objective) == pytest.approx(reference, rel=1e-5)
    assert model().solve(SMO()).formulation == "SoftMargin"
    assert model().primal.conflict(mine) is None
    assert PlattCalibration(X[:, 0], y).solve(mine).solver == "mine"
    several = OneVersusRest(X, np.arange(30) % 3).solve(mine, progress=False)
    assert {each.solver for each in several.solutions} == {"mine"}
    assert cross_validate(model(), folds=2, solver=mine, progress=False).status is Status.OPTIMAL
    assert len(grid(model(), C=[1.0, 2.0], folds=2, solver=mine, progress=False).points) == 2
    assert {row.solver for row in compare(model(), mine, **here).rows} == {"mine"}
    assert {row.solver for row in compare(model(), ["smo", mine], **here).rows} == {"smo", "mine"}
    assert cross_examine(model(), [mine], [1e-6], **here).trials[0].row.solver == "mine"


def test_a_table_tells_all_solvers_apart() -> None:
    for solvers in ([Mine(), Mine()], [Mine(), "mine"]):
        with pytest.raises(ParameterError, match="two of the solvers are called 'mine'; give each"):
            compare(model(), solvers, progress=False)
    with pytest.raises(ParameterError, match=r"solvers must be names of solvers, Solver objects, or 'all', but"):
        compare(model(), [Mine], progress=False)  # type: ignore[list-item]


def test_estimators_take_a_solver() -> None:
    fitted = clone(SVC(solver=Mine())).fit(X, y)
    assert fitted.solution_.solver == "mine"
    assert "solver=<solver 'mine'>" in repr(fitted)
    assert GridSearchCV(SVC(solver=Mine()), {"C": [1.0]}, cv=2).fit(X, y).best_score_ > 0.5
    # Options of smo are not lost where it comes as an object.
    assert SVC(solver=SMO(), shrinking=False)._limits()["shrinking"] is False


def test_a_class_in_place_of_a_solver_says_what_to_pass() -> None:
    with pytest.raises(ParameterError, match=r"the class Mine came; pass Mine\(\)"):
        model().solve(Mine)  # type: ignore[arg-type]


def test_a_solver_of_this_program_runs_in_a_process_of_its_own() -> None:
    class Local(Clarabel):
        """Known in this function alone."""

        name = "local"

    assert model().dual.solve(Local(), isolate=True).status is Status.OPTIMAL


def test_a_solver_that_cannot_be_sent_says_why() -> None:
    held = Mine()
    held.lock = threading.Lock()  # type: ignore[attr-defined]
    assert model().dual.solve(held).status is Status.OPTIMAL
    words = r"'mine' cannot be sent to a process .*cannot pickle '_thread.lock' object\); isolate=False runs it"
    with pytest.raises(SolverFailedError, match=words):
        model().dual.solve(held, isolate=True)


@pytest.mark.parametrize("name", ["osqp", "scs"])
@pytest.mark.parametrize("form", ["primal", "hinge", "dual"])
def test_a_form_starts_from_its_own_solution(name: str, form: str) -> None:
    asked = model().forms[form]
    first = asked.solve(name, tol=1e-7)
    again = asked.solve(name, tol=1e-7, warm_start=first)
    assert again.status is Status.OPTIMAL
    assert again.iterations < first.iterations
    asked.model.set_params(C=1.05)
    other = asked.solve(name, tol=1e-7, warm_start=asked.solve("clarabel"))
    assert other.status is Status.OPTIMAL


def test_an_extended_form_starts_from_its_own_solution() -> None:
    form = SoftMargin(X, y).primal
    narrow = form.extend(form.w <= 0.5)
    first = narrow.solve("osqp")
    assert narrow.solve("osqp", warm_start=first).iterations < first.iterations
    with pytest.raises(UnsupportedOptionError, match="with as many variables"):
        narrow.solve("osqp", warm_start=form.solve("osqp"))


def test_what_a_form_does_not_start_from() -> None:
    asked = model()
    starts = {
        "one of a SoftMargin by smo": asked.solve("smo"),
        "one of a SoftMarginPrimal by clarabel": asked.primal.solve("clarabel"),
        "one of a SoftMarginDual by osqp": SoftMargin(X[:20], y[:20], RBF(0.5)).dual.solve("osqp"),
        "array": np.zeros(30),
        "'x'": "x",
    }
    for came, start in starts.items():
        with pytest.raises(UnsupportedOptionError, match=f"from a solution of that form, .*but {came}.* came"):
            asked.dual.solve("osqp", warm_start=start)
    for name in ("clarabel", "highs", "piqp", "daqp", "cvxpy:OSQP"):
        assert "warm_start" not in find_solver(name).options
        with pytest.raises(UnsupportedOptionError, match=f"by '{name}' does not start warm; choose"):
            asked.dual.solve(name, warm_start=asked.dual.solve("osqp"))


def test_a_dual_of_value_zero_has_no_sign() -> None:
    form = SoftMargin([[0.0], [1.0]], [-1, 1]).dual
    assert str(form.objective_of(certify_values(primal=1.0, dual=0.0))) == "0.0"


def test_the_limit_of_time_counts_from_the_call_on() -> None:
    begun: list[float] = []

    class Asked(Mine):
        def run(self, program: Any, request: Any, **options: Any) -> Any:
            begun.append(request.time_limit)
            return super().run(program, replace(request, time_limit=None), **options)

    class Slow(SoftMargin):
        def _check_changes(self) -> None:
            sleep(0.01)

    slow = Slow(X, y, RBF(0.5))
    assert slow.dual.solve(Asked(), time_limit=60.0).status is Status.OPTIMAL
    assert slow.dual.solve(Asked(), time_limit=1e-6).status is Status.OPTIMAL
    whole, spent = begun
    assert 0 < whole <= 60.0 - 0.01
    assert spent == 1e-6
