# SPDX-License-Identifier: BSD-3-Clause
"""smo as users call it: limits, progress, options, and the values it returns."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from builders import every_family, manufacture, two_classes
from qpkernels import RBF, Gram, Precomputed
from qpkernels.errors import IndefiniteKernelError, ParameterError, ShapeError, UnsupportedOptionError
from qpkernels.problems import KernelQP, certify_kernel_qp
from qpkernels.problems.kernel_qp import bounds
from qpkernels.solvers import Claim, find_solver
from smo_problems import intercept, soft, solve
from together import together


@every_family
def test_the_answer_to_the_last_digits_holds_its_values(name: str) -> None:
    program = manufacture(name, 3, m=30).program
    outcome = solve(program, tol=1e-12)
    assert outcome.values is not None
    np.testing.assert_array_equal(outcome.values, program.gram.product(outcome.point))


def noted(names: list[str], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        names.append(name)
        return function(*arguments)

    return call


@every_family
@together("tol", [1e-2, 1e-5, 1e-8])
def test_what_steps_leave_no_doubt_of_is_proved(name: str, tol: float) -> None:
    program = manufacture(name, 3, m=30).program
    outcome = solve(program, tol=tol)
    assert outcome.claim is Claim.OPTIMAL
    assert certify_kernel_qp(program, outcome.point, intercept(outcome)).holds(tol)
    if outcome.values is not None:
        np.testing.assert_array_equal(outcome.values, program.gram.product(outcome.point))


@pytest.mark.parametrize("m", [60, 1200])
@pytest.mark.parametrize("again", [False, True])
def test_the_product_of_a_matrix_is_computed_to_certify_and_else_also_to_solve(
    m: int, again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = two_classes(m, shift=0.6)
    start = solve(soft(X, y, 1.0)).point if again else None
    asked: list[str] = []
    for of, name in ((Gram, "product"), (bounds, "gap_product")):
        monkeypatch.setattr(of, name, noted(asked, name, getattr(of, name)))
    program = soft(X, y, 1.0)
    outcome = solve(program, warm_start=start)
    assert asked == ["product"] * (m > 1000)
    assert certify_kernel_qp(program, outcome.point, intercept(outcome)).holds(1e-6)
    # A matrix that is not formed has its rows made for the certificate, not all of them in float64.
    assert asked == (["gap_product", "product"] if m == 60 else ["product", "gap_product"])


@pytest.mark.parametrize("total", [0.0, None])
@pytest.mark.parametrize("limit", [1, 5, 20])
def test_a_limit_of_steps_returns_the_best_so_far(limit: int, total: float | None) -> None:
    X, y = two_classes(60, shift=0.2)
    program = soft(X, y, 10.0, total=total)
    outcome = solve(program, tol=1e-10, max_iter=limit)
    assert (outcome.claim, outcome.iterations) == (Claim.STOPPED, limit)
    assert outcome.message.startswith("limit of iterations; relative gap ")
    assert program.objective(outcome.point) < 0
    certificate = certify_kernel_qp(program, outcome.point, intercept(outcome))
    assert f"{certificate.relative_gap:.1e}" in outcome.message
    assert not certificate.holds(1e-10)
    assert certificate.dual_residual <= 1e-12
    least = program.objective(solve(program, tol=1e-10).point)
    assert program.objective(outcome.point) >= least


def test_more_steps_are_never_worse() -> None:
    X, y = two_classes(60, shift=0.2)
    program = soft(X, y, 10.0)
    objectives = [program.objective(solve(program, tol=1e-10, max_iter=limit).point) for limit in (1, 10, 100, 1000)]
    assert (np.diff(objectives) <= 1e-14 * abs(objectives[-1])).all()


def test_a_limit_of_time_returns_the_best_so_far() -> None:
    X, y = two_classes(80, shift=0.0)
    program = soft(X, y, 1e6)
    outcome = solve(program, tol=1e-12, time_limit=1e-9)
    assert outcome.claim is Claim.STOPPED
    assert outcome.message.startswith("limit of time; relative gap ")
    assert outcome.iterations is not None
    assert outcome.iterations > 0
    assert program.objective(outcome.point) < 0


def test_an_accuracy_beyond_float64_is_not_claimed() -> None:
    X, y = two_classes(40, shift=0.3)
    outcome = solve(soft(X, y, 10.0), tol=1e-25)
    assert outcome.claim is Claim.STOPPED
    assert outcome.message.startswith("no step improves in float64; relative gap ")
    assert certify_kernel_qp(soft(X, y, 10.0), outcome.point, intercept(outcome)).holds(1e-12)


def test_progress_is_logged_when_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    X, y = two_classes(20)
    caplog.set_level("INFO", "qpkernels")
    solve(soft(X, y, 1.0), verbose=True)
    assert caplog.messages[0].startswith("smo: ")
    assert "relative gap" in caplog.text
    caplog.clear()
    solve(soft(X, y, 1.0))
    assert caplog.messages == []


def test_without_shrinking_the_answer_is_as_good() -> None:
    X, y = two_classes(2500, shift=0.5)
    program = soft(X, y, 1.0)
    kept, all_of_them = (solve(program, tol=1e-6, shrinking=shrinking) for shrinking in (True, False))
    assert kept.claim is all_of_them.claim is Claim.OPTIMAL
    values = [certify_kernel_qp(program, each.point, intercept(each)).primal_value for each in (kept, all_of_them)]
    assert values[0] == pytest.approx(values[1], rel=2e-6)
    with pytest.raises(ParameterError, match="shrinking must be"):
        solve(program, shrinking="no")


def test_foreign_options_and_bad_starts_are_refused() -> None:
    X, y = two_classes(4)
    program = soft(X, y, 1.0)
    with pytest.raises(UnsupportedOptionError, match=r"shrink.*max_iter, .*warm_start"):
        solve(program, shrink=True)
    with pytest.raises(ShapeError, match="warm_start must have 4 entries"):
        solve(program, warm_start=np.zeros(3))
    with pytest.raises(ValueError, match="warm_start must hold finite"):
        solve(program, warm_start=np.array([0, 0, 0, np.nan]))
    with pytest.raises(ParameterError, match="tol"):
        solve(program, tol=0.0)


class Unclaimed(RBF):
    """A Gaussian kernel that says nothing of itself."""

    positive_semidefinite = False  # type: ignore[assignment]


def test_a_kernel_that_claims_nothing_needs_no_whole_matrix() -> None:
    X, y = two_classes(1200)
    gram = Gram(Unclaimed(0.5), X, memory_limit=0)
    program = KernelQP(gram, y, np.minimum(y, 0.0), np.maximum(y, 0.0))
    outcome = find_solver("smo").solve(program, tol=1e-6)
    assert certify_kernel_qp(program, outcome.point, float(outcome.multipliers[0])).holds(1e-6)
    assert not gram.is_formed


def test_an_indefinite_matrix_is_refused() -> None:
    program = KernelQP(Gram(Precomputed([[0.0, 2.0], [2.0, 0.0]]), np.arange(2)), 1.0, 0.0, 1.0, total=None)
    with pytest.raises(IndefiniteKernelError, match="smallest eigenvalue is -2 "):
        find_solver("smo").solve(program)
