# SPDX-License-Identifier: BSD-3-Clause
"""Models of low rank beside the exact kernel: bounds in closed form, streams, parts, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import sklearn.kernel_approximation
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from builders import two_classes
from formulations import KernelRidge, OneVersusOne, OneVersusRest, SoftMargin
from formulations.modelling import PrimalFunction
from qpkernels import RBF, Expansion, Gram, LowRank
from qpkernels.errors import ParameterError
from qpkernels.problems import ExactKernelCertificate, Status

KERNEL = RBF(0.3)
X, Y = two_classes(300, seed=4, shift=0.6, features=3)


def blocks() -> Iterator[np.ndarray]:
    for start in range(0, len(X), 70):
        yield X[start : start + 70]


def test_values_in_closed_form() -> None:
    """One landmark, ridge regression without an intercept: both values by hand."""
    Z, targets = X[:5], np.arange(1.0, 6.0)
    model = KernelRidge(LowRank(KERNEL, Z, landmarks=Z[:1]), targets, regularisation=0.5)
    program = model.qp()
    K, z = KERNEL(Z), KERNEL(Z, Z[:1])[:, 0]
    beta = 0.1 * targets
    product, trace = (model.certify_exact((beta, 0.0), method) for method in ("product", "trace"))
    f, ridge = z * (z @ beta), program.ridge
    primal = 0.5 * (z @ beta) ** 2 + 0.5 * np.sum((program.target - f) ** 2 / ridge)
    assert product.primal_value == pytest.approx(primal, rel=1e-12)
    assert trace.primal_value == product.primal_value
    # max over t of t a - 1/2 t^2 q is a^2 / 2 q.
    rise, charge = program.target @ beta, np.sum(ridge * beta**2)
    assert product.dual_value == pytest.approx(rise**2 / (2 * (beta @ K @ beta + charge)), rel=1e-12)
    left = np.sum(np.abs(beta) * np.sqrt(1.0 - z**2)) ** 2
    assert trace.dual_value == pytest.approx(rise**2 / (2 * ((z @ beta) ** 2 + left + charge)), rel=1e-6)
    gap = primal - product.dual_value
    assert product.suboptimality == pytest.approx(gap / product.dual_value, rel=1e-9)


def test_the_text_says_within_what() -> None:
    model = SoftMargin(LowRank(KERNEL, X, 60), Y, C=2.0)
    solution = model.solve()
    proof = model.certify_exact(solution)
    assert isinstance(proof, ExactKernelCertificate)
    percent = float(str(proof).split()[1])
    assert str(proof).startswith(f"within {percent:.2g} % of the optimum with the exact kernel RBF(gamma=0.3): it lies")
    # Rounded up, to two digits.
    assert 0.9 * percent <= 100 * proof.suboptimality <= percent
    assert "within" in repr(proof)
    assert "refine the answer" in proof.explain(1e-9)
    assert proof.explain(0.9).startswith("Within")
    assert "exact kernel" in str(proof.card())
    loose = model.certify_exact((np.zeros(len(X)), 0.0))
    assert loose.suboptimality == np.inf
    assert str(loose).startswith("not proved to be within any share of the optimum with the exact kernel")


def test_the_forms_own_function_and_expansions_are_judged() -> None:
    model = SoftMargin(LowRank(KERNEL, X, 30), Y, C=2.0)
    solution = model.solve(tol=1e-8)
    proof = model.certify_exact(solution)
    for answer in ((solution.beta, solution.intercept), model.primal.solve("clarabel", tol=1e-8), solution.function):
        other = model.certify_exact(answer)
        assert other.primal_value == pytest.approx(proof.primal_value, rel=1e-6)
        assert other.dual_value == pytest.approx(proof.dual_value, rel=1e-3)


def test_a_pipeline_of_scikit_learn_is_a_function_in_the_space_of_the_exact_kernel() -> None:
    features = sklearn.kernel_approximation.Nystroem(gamma=0.3, n_components=80, random_state=0)
    pipeline = make_pipeline(features, LinearSVC(loss="hinge", C=1.0, max_iter=100_000, tol=1e-6, random_state=0))
    pipeline.fit(X, Y)
    machine = pipeline[-1]
    coefficients = features.normalization_.T @ machine.coef_[0]
    function = Expansion(KERNEL, features.components_, coefficients, float(machine.intercept_[0]), machine.classes_)
    np.testing.assert_allclose(function(X), pipeline.decision_function(X), rtol=1e-6, atol=1e-8)
    model = SoftMargin(X, Y, KERNEL, C=1.0)
    proof, optimum = model.certify(function), model.solve().certificate
    assert proof.dual_value <= optimum.primal_value
    assert optimum.dual_value <= proof.primal_value <= 1.2 * proof.dual_value


def test_the_function_is_the_same_in_both_spaces() -> None:
    function = SoftMargin(LowRank(KERNEL, X, 30), Y, C=2.0).solve().function
    exact = function.with_exact_kernel()
    assert exact.kernel == KERNEL
    np.testing.assert_allclose(exact(X), function(X), atol=1e-9)
    assert exact.squared_norm == pytest.approx(function.squared_norm, rel=1e-9)
    with pytest.raises(ParameterError, match="only a function in the space of a Nystroem"):
        exact.with_exact_kernel()


class TestStreams:
    def test_bounds_are_those_of_arrays(self) -> None:
        model = SoftMargin(LowRank(KERNEL, blocks, 40), Y, C=2.0)
        kept = SoftMargin(LowRank(KERNEL, X, 40), Y, C=2.0)
        solution = kept.solve(tol=1e-8)
        for method in ("product", "trace"):
            expected = kept.certify_exact((solution.beta, solution.intercept), method)
            proof = model.certify_exact((solution.beta, solution.intercept), method)
            assert proof.dual_value == pytest.approx(expected.dual_value, rel=1e-6)
        own = model.solve()
        assert model.certify(own).holds(1e-6)
        assert model.certify_exact(own).suboptimality < 0.2
        # Other coefficients beside the function of the solution.
        moved = replace(own, beta=own.beta * (1.0 - 1e-9))
        assert model.certify(moved).holds(1e-5)

    def test_who_needs_all_samples_says_so(self) -> None:
        model = SoftMargin(LowRank(KERNEL, blocks, 40), Y, C=2.0)
        solution = model.solve()
        with pytest.raises(ParameterError, match="came as a stream"):
            model.refine(solution)
        # The multipliers of a function alone are found on a part of the samples.
        with pytest.raises(ParameterError, match="came as a stream"):
            model.certify_exact(solution.function)


def test_parts_and_several_classes() -> None:
    labels = np.where(X[:, 0] > 0.7, 2, np.where(Y > 0, 1, 0))
    gram = LowRank(KERNEL, X, 60)
    for scheme in (OneVersusRest(gram, labels, C=1.0), OneVersusOne(gram, labels, C=1.0)):
        solution = scheme.solve(progress=False)
        for pair, answer in zip(solution.pairs, solution.solutions, strict=True):
            machine = scheme.model(pair)
            proof, optimum = machine.certify_exact(answer), machine.with_exact_kernel().solve().certificate
            assert proof.dual_value <= optimum.primal_value
            assert proof.primal_value >= optimum.dual_value
            assert proof.suboptimality < 0.1


def test_some_samples_of_some_samples() -> None:
    model = SoftMargin(LowRank(KERNEL, X, 60), Y, C=1.0).on(np.arange(200)).on(np.arange(10, 90))
    proof, optimum = model.certify_exact(model.solve()), SoftMargin(X[10:90], Y[10:90], KERNEL, C=1.0).solve()
    assert proof.dual_value <= optimum.certificate.primal_value * (1 + 1e-6)
    assert proof.primal_value >= optimum.certificate.dual_value
    assert proof.suboptimality < 0.1


def test_random_fourier_features_are_judged_by_their_expansion() -> None:
    model = SoftMargin(LowRank(KERNEL, X, 200, method="fourier"), Y, C=1.0)
    solution = model.solve()
    proof = model.certify_exact(solution)
    exact = model.with_exact_kernel()
    assert proof.is_expansion
    assert str(proof).startswith("the expansion in beta is within")
    assert proof.primal_value == exact.certify((solution.beta, solution.intercept)).primal_value
    assert proof.dual_value <= exact.solve().certificate.primal_value <= proof.primal_value
    with pytest.raises(ParameterError, match="take method='product'"):
        model.certify_exact(solution, "trace")


class TestRefine:
    def test_limits_are_the_solvers(self) -> None:
        model = SoftMargin(LowRank(KERNEL, X, 10), Y, C=100.0)
        stopped = model.refine(model.solve(), solver="smo", tol=1e-9, max_iter=3)
        assert stopped.status is Status.STOPPED

    def test_a_good_start_leaves_less_to_do(self) -> None:
        model = SoftMargin(LowRank(KERNEL, X, 150), Y, C=10.0)
        # With a smaller tolerance both go on until all that is free is minimised at once, after as many steps.
        refined = model.refine(model.solve(tol=1e-8), solver="smo", tol=1e-4)
        assert refined.iterations < model.with_exact_kernel().solve("smo", tol=1e-4).iterations

    def test_where_0_is_better_it_is_the_start(self) -> None:
        """Two landmarks leave most of K out, and a large C lets beta grow."""
        model = SoftMargin(LowRank(KERNEL, X, 2), Y, C=1000.0)
        answer = model.solve()
        assert model.certify_exact(answer).dual_value > 0.0
        from_zero = model.with_exact_kernel().solve("smo", tol=1e-4, max_iter=500)
        refined = model.refine(answer, solver="smo", tol=1e-4, max_iter=500)
        np.testing.assert_array_equal(refined.beta, from_zero.beta)

    @pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
    def test_answers_that_are_no_numbers_are_no_start(self, bad: float) -> None:
        model = SoftMargin(LowRank(KERNEL, X, 20), Y, C=1.0)
        assert model.refine((np.full(len(X), bad), 0.0)).status is Status.OPTIMAL


class TestBadInput:
    def test_an_exact_model(self) -> None:
        model = SoftMargin(Gram(KERNEL, X), Y, C=1.0)
        for ask in (lambda: model.certify_exact((np.zeros(300), 0.0)), model.with_exact_kernel):
            with pytest.raises(ParameterError, match="the kernel matrix of this SoftMargin is exact already"):
                ask()

    def test_methods_and_answers(self) -> None:
        model = SoftMargin(LowRank(KERNEL, X, 20), Y, C=1.0)
        with pytest.raises(ParameterError, match="method must be"):
            model.certify_exact((np.zeros(300), 0.0), "diagonal")  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match="pass an Expansion"):
            model.certify_exact(PrimalFunction(lambda Z: np.zeros(len(Z)), 0.0))

    @pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
    def test_answers_that_are_no_numbers_prove_nothing(self, bad: float) -> None:
        model = SoftMargin(LowRank(KERNEL, X, 20), Y, C=1.0)
        proof = model.certify_exact((np.full(300, bad), 0.0))
        assert not proof.holds(0.99)
        assert np.isnan(proof.relative_gap)
        assert "not proved to be within any share" in str(proof)
