# SPDX-License-Identifier: BSD-3-Clause
"""Without compiled loops the answers are proved as with them, and the sums of proofs are the same to rounding."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from qpkernels import RBF, Gram, Laplacian, Linear, Polynomial
from qpkernels.arrays.machine_code import MODE
from qpkernels.errors import UnsupportedProgramError
from qpkernels.families.batch.arrays import KernelQPs, Solved, solve_kernel_qps
from qpkernels.kernels import Kernel
from qpkernels.problems import KernelQP, certify_kernel_qp
from qpkernels.problems.sums import ProgramTerms, expansion_sums, gap_sums
from qpkernels.solvers.automatic import Automatic
from qpkernels.solvers.smo import SMO
from together import together

X = np.random.default_rng(5).normal(size=(60, 3))
Y = np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 > 0.3, 1.0, -1.0)

KERNELS = (RBF(0.3), Polynomial(degree=2, gamma=0.2, coef0=1.0), Laplacian(0.3), Linear())

BOUNDS: dict[str, dict[str, Any]] = {
    "margins": {"lower": np.minimum(Y, 0.0), "upper": np.maximum(Y, 0.0)},
    "weights": {"lower": np.minimum(9.0 * Y, 0.0), "upper": np.maximum(0.2 * Y, 0.0)},
    "tube": {"lower": -2.0, "upper": 2.0, "epsilon": 0.3},
    "ridge": {"lower": -np.inf, "upper": np.inf, "ridge": 0.2},
    "bent": {"lower": -1.0, "upper": 1.0, "ridge": 0.5, "epsilon": 0.1},
    "sum": {"lower": 0.0, "upper": 0.05, "target": 0.1 * Y, "total": 1.0},
}


def program(kernel: Kernel, kind: str, total: float | None) -> KernelQP:
    given = {"target": Y, "total": total} | BOUNDS[kind]
    return KernelQP(Gram(kernel, X), given.pop("target"), **given)


@pytest.mark.parametrize("total", [0.0, None], ids=["b", "no b"])
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
@together("kernel, kind", itertools.product(KERNELS, BOUNDS))
def test_steps_in_numpy_are_proved(kernel: Kernel, kind: str, total: float | None, tol: float) -> None:
    problem = program(kernel, kind, total)
    plain, usual = SMO(compiled=False).solve(problem, tol=tol), SMO().solve(problem, tol=1e-10)
    proof = certify_kernel_qp(problem, plain.point, float(plain.multipliers.sum()))
    assert proof.holds(tol)
    assert problem.objective(plain.point) == pytest.approx(problem.objective(usual.point), rel=2 * tol)


def test_what_it_does_not_take_is_refused() -> None:
    hard = KernelQP(Gram(RBF(1.0), X), Y, np.where(Y > 0, 0.0, -np.inf), np.where(Y > 0, np.inf, 0.0), 0.0)
    with pytest.raises(UnsupportedProgramError, match="compiled=False"):
        SMO(compiled=False).solve(hard)


def test_a_start_and_limits_are_kept_to() -> None:
    problem = program(RBF(0.3), "margins", 0.0)
    found = SMO(compiled=False).solve(problem, tol=1e-8)
    assert found.iterations is not None
    assert SMO(compiled=False).solve(problem, tol=1e-6, warm_start=found.point).iterations == 0
    stopped = SMO(compiled=False).solve(problem, tol=1e-8, max_iter=5)
    assert (stopped.iterations, str(stopped.claim)) == (5, "stopped")


def test_who_chooses_asks_it_first(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = program(RBF(0.3), "margins", 0.0)
    monkeypatch.setenv(MODE, "never")
    assert "without compiled loops" in Automatic().solve(problem, tol=1e-3).message
    monkeypatch.setenv(MODE, "first")
    assert "without compiled loops" not in Automatic().solve(problem, tol=1e-3).message


def machines(paired: bool) -> KernelQPs:
    """Return machines of several sizes, of which the third takes up the answer of the second."""
    chosen = [np.arange(60), np.arange(0, 60, 2), np.arange(0, 60, 2), np.arange(7)]
    samples = np.concatenate(chosen)
    number = np.repeat(np.arange(4), [each.size for each in chosen])
    upper = np.where(number == 2, 3.0, 1.0)
    terms = np.array((Y[samples], 0.1 * (number == 3), 0.2 * (number == 0), -upper, upper))
    starts = np.cumsum([0, *(each.size for each in chosen)])
    out = [np.arange(3), np.arange(1, 60, 2), np.array([], np.intp), np.arange(50, 60)]
    return KernelQPs(Gram(RBF(0.4), X), samples, starts, terms, np.zeros(4) if paired else None, np.arange(4) == 2, out)


def solved(paired: bool, tol: float) -> Solved:
    found = solve_kernel_qps(machines(paired), tol=tol, memory=2**26, jobs=1)
    assert found is not None
    return found


@pytest.mark.parametrize("paired", [True, False], ids=["b", "no b"])
def test_machines_as_arrays_are_those_of_compiled_loops(paired: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = solved(paired, 1e-9)
    monkeypatch.setenv(MODE, "never")
    plain = solved(paired, 1e-9)
    assert plain.proved(1e-9).all()
    assert compiled.proved(1e-9).all()
    assert plain.primal_values == pytest.approx(compiled.primal_values, rel=1e-8)
    assert plain.beta == pytest.approx(compiled.beta, abs=1e-3)
    for ours, theirs in zip(plain.held_out, compiled.held_out, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-3)


def test_the_sums_of_proofs_are_the_same_to_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    starts = np.array([0, 1, 8, 30, 50])
    target, values, error, inexact = rng.normal(size=(4, 50))
    epsilon, ridge = rng.choice([0.0, 0.3], 50), rng.choice([0.0, 0.5], 50)
    upper, lower = rng.choice([0.0, 1.0, np.inf], 50), rng.choice([0.0, -1.0, -np.inf], 50)
    beta = np.clip(rng.normal(size=50), lower, upper) * rng.choice([0.0, 1.0], 50)
    levels, middles, none = rng.normal(size=4), rng.normal(size=4), np.empty(0)
    terms = ProgramTerms(target, epsilon, ridge, lower, upper)
    found = []
    for mode in ("first", "never"):
        monkeypatch.setenv(MODE, mode)
        sums, parts = gap_sums(
            terms, beta, values, np.abs(error), np.where(inexact > 0, inexact, 0.0), starts, levels, middles
        )
        bare, _ = gap_sums(terms, beta, values, none, none, starts, levels, middles)
        f = expansion_sums(beta, values, np.abs(error), starts, np.array([True, False, True, False]))
        nothing, _ = gap_sums(terms, 0.0 * beta, target, none, none, starts, np.zeros(4), middles)
        found.append(np.concatenate((*sums, parts, *bare, *f, *nothing)))
    assert found[0] == pytest.approx(found[1], rel=1e-12, abs=1e-15)
    # In the last sums every term is 0.
    assert nothing.vanishing.all()
