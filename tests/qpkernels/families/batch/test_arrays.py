# SPDX-License-Identifier: BSD-3-Clause
"""Machines that are held as arrays have the certificates and values of the same machines as objects."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from qpkernels import RBF, Expansion, Gram, Laplacian, Linear, Polynomial
from qpkernels.families.batch.arrays import KernelQPs, Solved, solve_each, solve_kernel_qps
from qpkernels.families.batch.machine import Fitted, Machine
from qpkernels.kernels import Kernel
from qpkernels.problems import certify_kernel_qp
from qpkernels.problems.level_qp.bounds import MarginLevelBounds

X = np.random.default_rng(3).normal(size=(90, 4))
SIZES = (30, 1, 70, 70, 45)


def machines(kernel: Kernel, intercept: bool, sizes: tuple[int, ...] = SIZES) -> KernelQPs:
    """Return machines with and without epsilon and ridge, of which the fourth takes up the answer of the third."""
    rng = np.random.default_rng(4)
    chosen = [np.sort(rng.choice(90, size, replace=False)) for size in sizes]
    chosen[3] = chosen[2]
    samples = np.concatenate(chosen)
    target = np.where(X[samples, 0] + 0.5 * X[samples, 1] > 0, 1.0, -1.0) + 0.1 * rng.normal(size=samples.size)
    number = np.repeat(np.arange(len(sizes)), sizes)
    target[number == 3] = target[number == 2]
    upper = np.where(number == 3, 1.0, 0.5)
    terms = np.array([target, 0.05 * (number == 4), 0.1 * (number == 0), -upper, upper])
    held_out = [np.setdiff1d(np.arange(90), each)[:7] for each in chosen]
    totals = np.zeros(5) if intercept else None
    return KernelQPs(Gram(kernel, X), samples, np.cumsum([0, *sizes]), terms, totals, np.arange(5) == 3, held_out)


def solved(programs: KernelQPs, tol: float) -> Solved:
    found = solve_kernel_qps(programs, tol=tol, memory=2**30, jobs=2)
    assert found is not None
    return found


@pytest.mark.parametrize("intercept", [True, False], ids=["b", "no b"])
@pytest.mark.parametrize("kernel", [RBF(0.3), Polynomial(degree=3, gamma=0.1, coef0=1.0), Laplacian(0.3)], ids=repr)
@pytest.mark.parametrize("tol", [1e-3, 1e-7])
def test_certificates_and_values_are_those_of_each_machine(kernel: Kernel, intercept: bool, tol: float) -> None:
    check(machines(kernel, intercept), kernel, tol)


@pytest.mark.parametrize("intercept", [True, False], ids=["b", "no b"])
@pytest.mark.parametrize("tol", [1e-3, 1e-7])
def test_so_have_those_that_are_solved_in_their_features(intercept: bool, tol: float) -> None:
    programs = machines(Linear(), intercept, (32, 40, 70, 70, 45))
    found = check(programs, Linear(), tol)
    assert found.weights is not None
    for k in range(len(programs)):
        rows = programs.rows(k)
        weights = found.beta[rows] @ X[programs.samples[rows]]
        np.testing.assert_allclose(found.weights[k], weights, atol=1e-12)


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_so_have_those_of_sparse_samples_without_b(tol: float) -> None:
    stated = machines(Linear(), False)
    stated.terms[2] = 10.0
    programs = replace(stated, gram=Gram(Linear(), csr_array(X)))
    found = check(programs, Linear(), tol)
    assert {found.fitted(k, tol).outcome.solver for k in range(len(programs))} == {"coordinate-descent"}


def test_where_sweeps_make_no_way_newton_steps_in_features_follow() -> None:
    rng = np.random.default_rng(0)
    Z = csr_array(rng.normal(size=(60, 8)) * 10.0 ** -np.arange(8))
    y = np.sign(rng.normal(size=60))
    terms = np.array([y, np.zeros(60), np.full(60, 1e-6), np.where(y > 0, 0.0, -np.inf), np.where(y > 0, np.inf, 0.0)])
    found = solved(KernelQPs(Gram(Linear(), Z), np.arange(60), np.array([0, 60]), terms, None), 1e-6)
    assert found.proved(1e-6).all()
    assert found.solver == "semismooth-newton"


def check(programs: KernelQPs, kernel: Kernel, tol: float) -> Solved:
    """Compare all that is said of machines with what is said of each alone."""
    found = solved(programs, tol)
    # Of one sample, the first machine with b has nothing to move, and an optimum of 0.
    several = np.flatnonzero(np.diff(programs.starts) > 1).tolist()
    assert found.proved(tol)[several].all()
    for k in several:
        rows, program = programs.rows(k), programs.program(k)
        beta, b = found.beta[rows], found.intercepts[k]
        mine, theirs = found.certificate(k, tol), certify_kernel_qp(program, beta, b)
        assert theirs.holds(tol)
        scale = abs(theirs.primal_value)
        assert mine.primal_value == pytest.approx(theirs.primal_value, abs=1e-12 * scale)
        assert mine.dual_value == pytest.approx(theirs.dual_value, abs=1e-12 * scale)
        assert mine.complementarity == pytest.approx(theirs.complementarity, abs=1e-12)
        assert mine.dual_residual == pytest.approx(theirs.dual_residual, abs=1e-15)
        assert mine.rounding == pytest.approx(theirs.rounding, rel=1e-2)
        # Of samples that add alike, rounding says which one is the worst.
        adds = [proof.worst.rpartition(" adds ")[2] for proof in (mine, theirs)]
        assert adds[0] == adds[1] or mine.complementarity < 1e-12
        np.testing.assert_allclose(found.values[rows], program.gram.product(beta), atol=1e-11)
        assert programs.held_out is not None
        function = Expansion(kernel, X[programs.samples[rows]], beta, b)
        np.testing.assert_allclose(found.held_out[k], function(X[programs.held_out[k]]), atol=1e-11)
    return found


def margins(share: float) -> tuple[KernelQPs, list[MarginLevelBounds]]:
    """Return machines whose margin is free, samples of both signs mixed, and the same ones as objects."""
    rng = np.random.default_rng(5)
    chosen = [rng.choice(90, size, replace=False) for size in (40, 60, 25)]
    y = [np.where(X[rows, 0] + 0.8 * rng.normal(size=rows.size) > 0, 1.0, -1.0) for rows in chosen]
    costs = [weights / weights.sum() for weights in (np.ones(40), rng.uniform(0.5, 2.0, 60), np.ones(25))]
    nus = [2.0 * share * min(c[t > 0].sum(), c[t < 0].sum()) for t, c in zip(y, costs, strict=True)]
    gram = Gram(RBF(0.3), X)
    bounds = [
        MarginLevelBounds(gram.part(rows), t, nu, c, 0.0) for rows, t, nu, c in zip(chosen, y, nus, costs, strict=True)
    ]
    several = [KernelQPs.of_margin(each.program) for each in bounds]
    terms = np.concatenate([each.terms for each in several], axis=1)
    starts, held_out = np.cumsum([0, 40, 60, 25]), [np.arange(7)] * 3
    budgets = np.array([each.budget for each in bounds])
    samples = np.concatenate(chosen)
    return KernelQPs(gram, samples, starts, terms, np.zeros(3), held_out=held_out, budgets=budgets), bounds


@pytest.mark.parametrize("share", [0.1, 0.6, 1.0])
@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_free_margins_are_proved_as_their_own_bounds_prove_them(share: float, tol: float) -> None:
    programs, bounds = margins(share)
    found = solved(programs, tol)
    assert found.proved(tol).all()
    for k, own in enumerate(bounds):
        rows, b = programs.rows(k), float(found.intercepts[k])
        mine, theirs = found.certificate(k, tol), own.certify(found.beta[rows], b)
        assert theirs.holds(tol)
        scale = abs(theirs.dual_value)
        assert mine.dual_value == pytest.approx(theirs.dual_value, abs=1e-11 * scale)
        # Ours is that of the margin found with the steps, theirs that of the best one for f and b.
        assert theirs.primal_value - 1e-11 * scale <= mine.primal_value <= theirs.dual_value + 1.001 * tol * scale
        rho = found.margin(k)
        assert rho == pytest.approx(-own.level(own.losses(own.excess(found.values[rows], b))), abs=1e-12)
        assert np.abs(found.beta[rows]).sum() == pytest.approx(own.budget, rel=1e-12)
        function = Expansion(RBF(0.3), X[programs.samples[rows]], found.beta[rows], b)
        np.testing.assert_allclose(found.held_out[k], function(X[:7]), atol=1e-12)
    assert found.margin(0) is not None
    assert solved(machines(RBF(0.3), True), 1e-3).margin(0) is None


def test_a_margin_of_zero_is_left_unproved() -> None:
    twice = np.concatenate([X[:20], X[:20]])
    y = np.repeat([1.0, -1.0], 20)
    own = MarginLevelBounds(Gram(RBF(0.3), twice), y, 0.9, np.full(40, 1 / 40), 0.0)
    found = solved(KernelQPs.of_margin(own.program), 1e-3)
    assert not found.proved(1e-3).any()


def test_a_machine_takes_up_the_answer_of_the_one_before() -> None:
    programs = machines(RBF(0.3), True)
    apart = KernelQPs(programs.gram, programs.samples, programs.starts, programs.terms, np.zeros(5))
    together = solved(programs, 1e-3)
    assert together.proved(1e-3)[3]
    assert together.steps[3] < solved(apart, 1e-3).steps[3]
    assert together.steps[2] == solved(apart, 1e-3).steps[2]


def test_squared_losses_take_one_newton_step() -> None:
    programs = machines(Linear(), False, (60,) * 5)
    terms = programs.terms.copy()
    terms[1:] = [[0.0], [0.5], [-np.inf], [np.inf]]
    found = solved(KernelQPs(programs.gram, programs.samples, programs.starts, terms, None), 1e-9)
    assert found.proved(1e-9).all()
    assert (found.steps == 1).all()


def test_few_samples_for_each_feature_are_left_to_pair_steps() -> None:
    found = solved(machines(Linear(), True), 1e-6)
    assert found.weights is None
    assert found.proved(1e-6)[[0, 2, 3, 4]].all()


def test_steps_in_features_go_on_from_a_point() -> None:
    programs = machines(Linear(), True, (60,) * 5)
    answer = solved(programs, 1e-9)
    begun = replace(programs, begin=answer.beta)
    assert (solved(begun, 1e-6).steps < solved(programs, 1e-6).steps).all()


def test_who_allows_fewer_steps_than_may_be_taken_is_not_served() -> None:
    several, few = machines(Linear(), True, (60,) * 5), machines(RBF(0.3), True)
    assert solve_kernel_qps(several, tol=1e-3, memory=2**30, jobs=1, max_iter=10) is None
    assert solve_kernel_qps(several, tol=1e-3, memory=2**30, jobs=1, max_iter=1000) is not None
    assert solve_kernel_qps(few, tol=1e-3, memory=2**30, jobs=1, max_iter=1000) is None


def test_a_matrix_beyond_memory_is_left_to_others() -> None:
    assert solve_kernel_qps(machines(RBF(0.3), True), tol=1e-3, memory=2**10, jobs=1) is None


def test_what_takes_many_steps_is_left_unproved() -> None:
    programs = machines(RBF(0.001), True)
    hard = KernelQPs(
        programs.gram, programs.samples, programs.starts, programs.terms * [[1], [1], [0], [1e7], [1e7]], np.zeros(5)
    )
    found = solved(hard, 1e-9)
    assert not found.proved(1e-9).all()
    assert np.isfinite(found.beta).all()


def test_only_a_machine_with_samples_held_out_has_values_there() -> None:
    programs = machines(RBF(0.3), True)
    assert programs.held_out is not None
    stated = [
        Machine(programs.program(k), programs.samples[programs.rows(k)], held_out=held_out)
        for k, held_out in ((2, None), (4, programs.held_out[4]))
    ]
    found = [answer for _, answer in solve_each(programs.gram, stated, 1e-6, 2**30, 1)]
    assert all(isinstance(answer, Fitted) for answer in found)
    assert [answer.held_out is None for answer in found if isinstance(answer, Fitted)] == [True, False]
