# SPDX-License-Identifier: BSD-3-Clause
"""Lowering around a dense K: the matrices are those of CVXPY to the last bit, and CVXPY is not given K."""

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from scipy.sparse import csc_array

from builders import two_classes
from formulations import SoftMargin, SoftTube
from formulations.modelling import Form
from formulations.modelling.incremental import values_of
from model_data import CASES, Case, model_of
from qpkernels.kernels import Precomputed
from qpkernels.problems import ConeProgram
from together import together

OPTIONS = {"use_quad_obj": True}


def assert_that_of_cvxpy(program: ConeProgram, problem: cp.Problem) -> None:
    """Compare with what CVXPY makes of the problem as it is declared."""
    data, _, _ = problem.get_problem_data("CLARABEL", solver_opts=OPTIONS)
    n = data["c"].size
    P = data["P"] if data.get("P") is not None else csc_array((n, n))
    for ours, theirs in ((program.P, csc_array(0.5 * (P + P.T))), (program.A, csc_array(data["A"]))):
        theirs.sum_duplicates()
        for part in ("data", "indices", "indptr"):
            assert getattr(ours, part).tobytes() == getattr(theirs, part).tobytes(), part
    assert program.q.tobytes() == data["c"].tobytes()
    assert program.b.tobytes() == data["b"].tobytes()


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many entries the P of each lowering has that CVXPY does."""
    found: list[int] = []
    original = cp.Problem.get_problem_data

    def spy(problem: cp.Problem, *args: Any, **options: Any) -> Any:
        result = original(problem, *args, **options)
        found.append(result[0]["P"].nnz)
        return result

    monkeypatch.setattr(cp.Problem, "get_problem_data", spy)
    return found


def extended(form: Form) -> list[Form]:
    """Extend a form by terms on the variable of its 1/2 ||f||^2, or on others, and by terms that look like it."""
    problem = form.stated
    sign = -1.0 if isinstance(problem.objective, cp.Maximize) else 1.0
    v = problem.variables()[0]
    F = np.random.default_rng(3).normal(size=(v.size, v.size))
    squares, product = 0.1 * cp.sum_squares(v), 0.3 * cp.quad_form(v, cp.psd_wrap(F @ F.T))
    terms = (cp.norm1(v), squares, product, squares + product, cp.sum_squares(F @ v) / 2)
    return [form.extend(v[0] <= 1, objective=sign * term) for term in terms]


@together("case", CASES, by=model_of)
def test_the_matrices_of_every_form_are_those_of_cvxpy(case: Case) -> None:
    form = case.state()
    assert_that_of_cvxpy(form.lower().program, form.stated)
    if form.is_dual and case.kernel != "explicit":
        for each in extended(form):
            assert_that_of_cvxpy(each.lower().program, each.problem)
        form.model.set_params(**{name: 0.9 * value for name, value in values_of(form.model).items()})
        assert_that_of_cvxpy(form.lower().program, form.stated)


def test_zeros_and_the_smallest_numbers_are_those_of_cvxpy() -> None:
    _, y = two_classes(20)
    K = np.eye(y.size)
    K[0, 1:4] = K[1:4, 0] = 0.0, 5e-324, 0.5
    form = SoftMargin(np.arange(y.size), y, Precomputed(K), C=1.0).dual
    assert_that_of_cvxpy(form.lower().program, form.stated)


def machines() -> tuple[Any, Any]:
    """Return two duals of the same K: of the first c is a variable, of the second an expression."""
    X, y = two_classes(20)
    K = X @ X.T + np.diag(np.linspace(1.0, 2.0, y.size))
    samples, kernel = np.arange(y.size), Precomputed(K)
    return SoftMargin(samples, y, kernel, C=1.0).dual, SoftTube(samples, y, kernel, C=1.0, epsilon=0.1).dual


def test_cvxpy_is_given_the_diagonal_alone(entries: list[int]) -> None:
    for form in machines():
        entries.clear()
        m = len(form.model)
        program = form.lower().program
        form.model.set_params(C=2.0)
        form.lower()
        form.extend(form.beta[0] <= 0.5, objective=cp.norm1(form.beta)).lower()
        assert entries == [m, m, m]
        assert program.P.nnz == m * m


def test_a_sum_that_depends_on_its_order_is_left_to_cvxpy(entries: list[int]) -> None:
    soft, _ = machines()
    v = soft.stated.variables()[0]
    soft.extend(objective=0.1 * cp.sum_squares(v) + 0.7 * cp.sum_squares(v)).lower()
    assert entries == [len(soft.model) ** 2]


def test_another_variable_with_squares_as_on_the_diagonal_is_left_to_cvxpy(entries: list[int]) -> None:
    _, tube = machines()
    m = len(tube.model)
    twin = cp.quad_form(tube.stated.variables()[0] - 1.0, cp.psd_wrap(np.diag(tube.model.gram.dense.diagonal())))
    extended = tube.extend(objective=0.5 * twin)
    program = extended.lower().program
    assert entries == [2 * m, m * m + m]
    assert_that_of_cvxpy(program, extended.problem)
