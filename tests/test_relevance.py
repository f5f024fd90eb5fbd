# SPDX-License-Identifier: BSD-3-Clause
"""Relevance vector machines: the evidence against dense formulas, its ascent, and the worked examples."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import inv
from scipy.special import expit
from scipy.stats import multivariate_normal, norm
from sklearn.linear_model import ARDRegression
from sklearn.svm import SVR

import formulations.relevance.reweighted as reweighted
from formulations.relevance import (
    RelevanceClassification,
    RelevanceRegression,
    RelevanceSolution,
    ReweightedRelevance,
    Stationarity,
)
from formulations.relevance.evidence import Posterior
from qpkernels import RBF, Expansion, Gram, Kernel, Linear, Polynomial, Precomputed
from qpkernels.certificates.certificate import undefined
from qpkernels.errors import NonFiniteError, OneClassError, ParameterError, ShapeError

Floats = NDArray[np.float64]
KERNEL = RBF.from_theta(15.0)
REGRESSIONS = [RelevanceRegression, ReweightedRelevance]
every_regression = pytest.mark.parametrize("machine", REGRESSIONS)


def sine(m: int = 20, noise: float = 0.2, seed: int = 2) -> tuple[Floats, Floats]:
    """W6: m points evenly in [-1, 1], sin(pi x) with Gaussian noise."""
    rng = np.random.default_rng(seed)
    x = np.linspace(-1, 1, m)
    return x[:, None], np.sin(np.pi * x) + noise * rng.normal(size=m)


def gaussians(m: int, seed: int = 0, distance: float = 0.9) -> tuple[Floats, Floats]:
    """W7: two Gaussian classes in the plane, whose Bayes boundary is x1 + x2 = 0."""
    y = np.repeat([-1.0, 1.0], m // 2)
    return np.random.default_rng(seed).normal(size=(m, 2)) + distance * y[:, None], y


def some_posteriors() -> list[tuple[RelevanceRegression | RelevanceClassification, Floats, float | None]]:
    """Machines of both likelihoods with hyper-parameters far from any optimum, three weights pruned."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 2))
    alpha = np.exp(rng.normal(size=31))
    alpha[[3, 7, 20]] = np.inf
    labels = np.where(rng.random(30) < expit(2 * X[:, 0]), 1, -1)
    regression = RelevanceRegression(X, X[:, 0] + 0.1 * rng.normal(size=30), RBF(0.3))
    return [(regression, alpha, 0.05), (RelevanceClassification(X, labels, RBF(0.3)), alpha, None)]


either_likelihood = pytest.mark.parametrize("case", [0, 1], ids=["gaussian", "logistic"])


# --- the evidence ---


def test_the_posterior_is_that_of_the_dense_formulas() -> None:
    machine, alpha, noise = some_posteriors()[0]
    posterior = machine.likelihood.posterior(alpha, noise, None)
    kept = np.isfinite(alpha)
    Phi = machine.columns[:, kept]
    Sigma = inv(np.diag(alpha[kept]) + Phi.T @ Phi / noise)
    np.testing.assert_allclose(posterior.mean[kept], Sigma @ Phi.T @ machine.y / noise, rtol=1e-9)
    assert not posterior.mean[~kept].any()
    np.testing.assert_allclose(posterior.root.T @ posterior.root, Sigma, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(posterior.determined, 1 - alpha[kept] * np.diag(Sigma), rtol=1e-8)
    C = noise * np.eye(30) + Phi @ np.diag(1 / alpha[kept]) @ Phi.T
    assert posterior.log_evidence == pytest.approx(multivariate_normal(np.zeros(30), C).logpdf(machine.y), rel=1e-10)
    q, s, p = posterior.overlaps(machine.columns)
    np.testing.assert_allclose(q, machine.columns.T @ np.linalg.solve(C, machine.y), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(s, np.diag(machine.columns.T @ np.linalg.solve(C, machine.columns)), rtol=1e-8)
    assert not p.any()


def test_the_laplace_evidence_is_that_of_the_dense_formula() -> None:
    machine, alpha, _ = some_posteriors()[1]
    posterior = machine.likelihood.posterior(alpha, None, None)
    kept = np.isfinite(alpha)
    Phi, mode, A = machine.columns[:, kept], posterior.mean[kept], np.diag(alpha[kept])
    probability = expit(machine.y * (Phi @ mode))
    np.testing.assert_allclose(Phi.T @ (machine.y * (1 - probability)), A @ mode, atol=1e-9)
    H = A + Phi.T @ np.diag(probability * (1 - probability)) @ Phi
    dense = np.log(probability).sum() - 0.5 * mode @ A @ mode
    dense += 0.5 * (np.linalg.slogdet(A)[1] - np.linalg.slogdet(H)[1])
    assert posterior.log_evidence == pytest.approx(dense, rel=1e-10)
    np.testing.assert_allclose(posterior.root.T @ posterior.root, inv(H), rtol=1e-8, atol=1e-12)


@either_likelihood
def test_slopes_and_second_derivatives_are_those_of_finite_differences(case: int) -> None:
    machine, alpha, noise = some_posteriors()[case]
    here = machine.likelihood.posterior(alpha, noise, None)
    h = 1e-5

    def moved(coordinate: int, step: float) -> Posterior:
        there = alpha.copy()
        if coordinate < here.kept.size:
            there[here.kept[coordinate]] *= np.exp(step)
            return machine.likelihood.posterior(there, noise, None)
        assert noise is not None
        return machine.likelihood.posterior(alpha, noise * np.exp(step), None)

    pairs = [(moved(k, h), moved(k, -h)) for k in range(here.gradient.size)]
    slopes = [(above.log_evidence - below.log_evidence) / (2 * h) for above, below in pairs]
    np.testing.assert_allclose(here.gradient, slopes, atol=1e-7)
    curvatures = [(above.gradient - below.gradient) / (2 * h) for above, below in pairs]
    np.testing.assert_allclose(here.hessian, curvatures, atol=1e-6)
    assert here.gradient.size == here.kept.size + (noise is not None)


@either_likelihood
def test_the_slope_of_a_pruned_weight_is_that_of_finite_differences(case: int) -> None:
    machine, alpha, noise = some_posteriors()[case]
    here = machine.likelihood.posterior(alpha, noise, None)
    step = 1e-6
    for pruned in (3, 7, 20):
        values = [here.log_evidence]
        for precision in (1 / step, 0.5 / step):
            there = alpha.copy()
            there[pruned] = precision
            values.append(machine.likelihood.posterior(there, noise, None).log_evidence)
        slope = (4 * values[1] - values[2] - 3 * values[0]) / (2 * step)
        assert here.returning[0][pruned] == pytest.approx(2 * slope, rel=1e-3, abs=1e-4)


def test_alphas_may_be_as_far_apart_as_float64_allows() -> None:
    machine = RelevanceRegression(*sine(), KERNEL)
    wild = np.geomspace(1e-12, 1e12, 21)
    with_wild = machine.likelihood.posterior(wild, 0.04, None)
    without = machine.likelihood.posterior(np.where(wild > 1e10, np.inf, wild), 0.04, None)
    assert np.isfinite(with_wild.gradient).all()
    assert with_wild.log_evidence == pytest.approx(without.log_evidence, abs=1e-6)


# --- the ascent ---


def assert_never_falls(solution: RelevanceSolution) -> None:
    steps = np.diff(solution.trace)
    assert steps.min() >= -1e-11 * max(map(abs, solution.trace))
    assert solution.trace[-1] == solution.log_evidence
    assert solution.iterations == len(steps) > 0


SMOOTH_2D = np.random.default_rng(3).uniform(-1, 1, (80, 2))


@pytest.mark.parametrize(
    ("X", "y", "kernel"),
    [
        *((*sine(seed=seed), KERNEL) for seed in range(6)),
        (*sine(40, 0.0), KERNEL),
        (*sine(40, 0.1), RBF(0.01)),
        (*sine(40, 0.1), RBF(100.0)),
        (*sine(40, 0.1), Polynomial(3, 1.0, 1.0)),
        (*sine(40, 0.1), Linear()),
        (SMOOTH_2D, 1e6 * np.sin(3 * SMOOTH_2D[:, 0]) * SMOOTH_2D[:, 1], RBF(1.0)),
        (sine()[0], 1e-6 * np.random.default_rng(0).normal(size=20), KERNEL),
    ],
)
def test_the_evidence_never_falls_and_ends_stationary(X: Floats, y: Floats, kernel: Kernel) -> None:
    solution = RelevanceRegression(X, y, kernel).solve()
    assert_never_falls(solution)
    assert solution.converged, solution
    assert solution.stationarity.holds(1e-6)
    # The update is what it says: MacKay's fixed point holds at the end.
    weights = np.append(solution.bias_alpha, solution.alpha)
    posterior = RelevanceRegression(X, y, kernel).likelihood.posterior(weights, solution.noise, None)
    np.testing.assert_allclose(posterior.u**2, posterior.determined, atol=3e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_evidence_of_a_classifier_never_falls_and_ends_stationary(seed: int) -> None:
    solution = RelevanceClassification(*gaussians(60, seed), RBF(0.5)).solve()
    assert_never_falls(solution)
    assert solution.converged, solution


@pytest.mark.parametrize("separable", [True, False])
def test_classes_apart_and_classes_mixed_converge(separable: bool) -> None:
    X, y = gaussians(40, 1)
    labels = y if separable else np.random.default_rng(2).permutation(y)
    solution = RelevanceClassification(X + 4 * y[:, None] if separable else X, labels, RBF(0.5)).solve()
    assert solution.converged, solution
    assert_never_falls(solution)
    if separable:
        assert (solution.function.predict(X + 4 * y[:, None]) == y).all()


def test_a_limit_is_kept_and_said() -> None:
    stopped = RelevanceRegression(*sine(), KERNEL).solve(max_iter=2)
    assert stopped.iterations == 2
    assert not stopped.converged
    assert "max_iter" in stopped.words
    assert "NOT converged" in str(stopped)


def test_a_pruned_weight_comes_back_where_the_evidence_wants_it() -> None:
    solution = RelevanceRegression(*sine(), KERNEL).solve()
    machine = RelevanceRegression(*sine(), KERNEL)
    weights = np.append(solution.bias_alpha, solution.alpha)
    weights[1 + solution.relevance[0]] = np.inf
    assert machine.likelihood.posterior(weights, solution.noise, None).stationarity.pruned > 1e-3
    again = machine.climb(weights, solution.noise or 0.0, 1e-6, 1000)
    assert again.converged
    assert again.posterior.log_evidence >= solution.log_evidence - 1e-6


def test_stationarity_is_not_claimed_of_nan() -> None:
    assert Stationarity(0.0, 1e-9, 0.0).holds(1e-6)
    assert not Stationarity(float("nan"), 0.0, 0.0).holds(1e-6)
    assert not Stationarity(0.0, 0.0, 1e-3).holds(1e-6)


def test_more_evidence_than_ard_regression_of_scikit_learn() -> None:
    X, y = sine(40, seed=2)
    solution = RelevanceRegression(X, y, KERNEL).solve()
    K = KERNEL(X)
    ard = ARDRegression(fit_intercept=False, threshold_lambda=1e8, max_iter=3000, tol=1e-9).fit(
        np.hstack([np.ones((40, 1)), K]), y
    )
    weights = np.where(ard.lambda_ < 1e8, ard.lambda_, np.inf)
    theirs = RelevanceRegression(X, y, KERNEL).likelihood.posterior(weights, 1 / ard.alpha_, None).log_evidence
    assert solution.log_evidence >= theirs - 0.02 * abs(theirs)


# --- what comes out ---


def test_w6_needs_few_vectors_and_knows_its_noise() -> None:
    X, y = sine()
    solution = RelevanceRegression(X, y, KERNEL).solve()
    support = SVR(C=1.0, gamma=7.5, epsilon=0.3).fit(X, y).support_.size
    assert 2 * solution.n_relevance < support
    assert solution.n_relevance == solution.relevance.size == solution.function.coefficients.size
    assert solution.sparsity == pytest.approx(1 - solution.n_relevance / 20)
    assert 0.1 < np.sqrt(solution.noise or 0.0) < 0.35
    grid = np.linspace(-0.9, 0.9, 50)
    error = solution.mean(grid[:, None]) - np.sin(np.pi * grid)
    assert np.sqrt((error**2).mean()) < 0.2
    assert np.mean(np.abs(error) < 2 * np.sqrt(solution.variance(grid[:, None]))) > 0.9


@pytest.mark.parametrize("seed", [2, 4])
def test_g3_agrees_with_g1_on_w6(seed: int) -> None:
    X, y = sine(seed=seed)
    direct, convex = (machine(X, y, KERNEL).solve() for machine in REGRESSIONS)
    assert_never_falls(convex)
    assert convex.converged, convex
    assert convex.log_evidence >= direct.log_evidence - 0.01 * abs(direct.log_evidence)
    assert convex.iterations <= len(convex.certificates)
    assert all(certificate.holds(1e-6) for certificate in convex.certificates)
    assert "convex steps" in str(convex)
    assert direct.certificates == ()


def test_the_convex_step_is_declared_once_and_solves_the_lasso() -> None:
    X, y = sine()
    machine = ReweightedRelevance(X, y, KERNEL)
    problem = machine.lasso.problem
    assert problem.is_dcp(dpp=True)
    for price in (0.01, 0.5):
        w, certificate = machine.lasso.solve(np.full(21, price))
        assert certificate.holds(1e-6)
        pull = machine.columns.T @ (y - machine.columns @ w)
        assert np.abs(pull).max() <= price * (1 + 1e-4)
        np.testing.assert_allclose(pull[np.abs(w) > 1e-3], price * np.sign(w[np.abs(w) > 1e-3]), rtol=1e-4)
    assert machine.lasso.problem is problem


def test_a_convex_step_without_proof_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reweighted, "certify_cone_program", lambda *_: undefined("nothing is proved"))
    solution = ReweightedRelevance(*sine(), KERNEL).solve()
    assert not solution.converged
    assert "convex step 1 is not certified" in solution.words
    assert solution.iterations == 0
    assert len(solution.certificates) == 1


@pytest.mark.parametrize("machine", REGRESSIONS)
def test_mean_and_variance_are_those_of_the_dense_formulas(machine: type[RelevanceRegression]) -> None:
    X, y = sine(30, 0.2, 3)
    y = y + 2.0
    solution = machine(X, y, KERNEL).solve()
    Z = np.linspace(-1.5, 1.5, 40)[:, None]
    alpha = np.append(solution.bias_alpha, solution.alpha)
    kept = np.isfinite(alpha)
    assert kept[0]
    Phi, phi = (np.hstack([np.ones((len(S), 1)), KERNEL(S, X)])[:, kept] for S in (X, Z))
    Sigma = inv(np.diag(alpha[kept]) + Phi.T @ Phi / solution.noise)
    np.testing.assert_allclose(solution.mean(Z), phi @ Sigma @ Phi.T @ y / solution.noise, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(solution.variance(Z), solution.noise + np.diag(phi @ Sigma @ phi.T), rtol=1e-7)


def test_w7_is_near_bayes_with_few_vectors() -> None:
    X, y = gaussians(100)
    solution = RelevanceClassification(X, np.where(y > 0, "right", "left"), RBF(0.5)).solve()
    test, truth = gaussians(20000, seed=9)
    error = np.mean((solution.function.predict(test) == "right") != (truth > 0))
    assert error < norm.cdf(-0.9 * np.sqrt(2)) + 0.02
    assert solution.n_relevance <= 6
    assert solution.noise is None
    plain, moderated = solution.probability(test, moderated=False), solution.probability(test)
    np.testing.assert_allclose(plain, expit(solution.mean(test)), atol=1e-12)
    assert (np.abs(moderated - 0.5) <= np.abs(plain - 0.5)).all()
    assert ((moderated > 0.5) == (solution.function.predict(test) == "right")).all()
    np.testing.assert_allclose(
        moderated, expit(solution.mean(test) / np.sqrt(1 + np.pi / 8 * solution.variance(test))), atol=1e-12
    )


@every_regression
def test_without_relevance_vectors_the_bias_predicts(machine: type[RelevanceRegression]) -> None:
    X, _ = sine()
    constant = machine(X, np.full(20, 3.0), KERNEL).solve()
    assert constant.n_relevance == 0
    assert constant.sparsity == 1.0
    np.testing.assert_allclose(constant.function.predict(np.linspace(-2, 2, 7)[:, None]), 3.0, rtol=1e-6)
    zero = machine(X, np.zeros(20), KERNEL).solve()
    assert zero.n_relevance == 0
    np.testing.assert_array_equal(zero.mean(X), np.zeros(20))
    assert (zero.variance(X) > 0).all()
    assert np.isinf(zero.bias_alpha)


def test_noise_alone_is_left_to_the_noise() -> None:
    X, _ = sine()
    noise = np.random.default_rng(1).normal(size=20)
    solution = RelevanceRegression(X, 5.0 + 1e-3 * noise, KERNEL, noise=1e-4).solve()
    assert solution.n_relevance == 0
    assert solution.noise == 1e-4
    assert solution.function.intercept == pytest.approx(5.0, abs=1e-3)
    np.testing.assert_allclose(solution.variance(X), 1e-4 * (1 + 1 / 20), rtol=1e-5)


@pytest.mark.parametrize("machine", [*REGRESSIONS, RelevanceClassification])
def test_samples_that_occur_twice_are_no_two_relevance_vectors(machine: type[RelevanceRegression]) -> None:
    X, y = sine()
    targets = np.sign(y) if machine is RelevanceClassification else y
    twice = machine(np.repeat(X, 2, axis=0), np.repeat(targets, 2), KERNEL).solve()
    assert np.unique(twice.relevance // 2).size == twice.n_relevance > 0


def test_the_function_is_saved_and_loaded(tmp_path: Path) -> None:
    X, y = gaussians(40)
    for solution in (
        RelevanceRegression(*sine(), KERNEL).solve(),
        RelevanceClassification(X, y, RBF(0.5)).solve(),
        RelevanceRegression(sine()[0], np.full(20, 3.0), KERNEL).solve(),
    ):
        path = solution.function.save(tmp_path / "function")
        loaded = Expansion.load(path)
        np.testing.assert_array_equal(loaded.predict(loaded.centers), solution.function.predict(loaded.centers))


def test_a_kernel_that_is_not_positive_semidefinite_will_do() -> None:
    X, y = sine()
    K = -(np.abs(X - X.T) ** 3)
    solution = RelevanceRegression(np.arange(20), y, Precomputed(K)).solve()
    assert solution.converged
    assert np.sqrt(np.mean((solution.mean(np.arange(20)) - y) ** 2)) < 0.3


@pytest.mark.parametrize(
    ("machine", "scale"), [(RelevanceRegression, 1e-6), (RelevanceRegression, 1e6), (ReweightedRelevance, 1e-6)]
)
def test_the_unit_of_the_targets_does_not_matter(machine: type[RelevanceRegression], scale: float) -> None:
    X, y = sine()
    one, other = machine(X, y, KERNEL).solve(), machine(X, scale * y, KERNEL).solve()
    assert other.log_evidence == pytest.approx(one.log_evidence - 20 * np.log(scale), abs=1e-4)
    np.testing.assert_array_equal(other.relevance, one.relevance)
    assert other.noise == pytest.approx(scale**2 * (one.noise or 0.0), rel=1e-3)


def test_a_gram_serves_as_samples() -> None:
    X, y = sine()
    plain = RelevanceRegression(X, y, KERNEL).solve()
    bound = RelevanceRegression(Gram(KERNEL, X), y).solve()
    assert bound.trace == plain.trace
    assert plain.formulation == "RelevanceRegression"
    assert [machine.catalogue for machine in (*REGRESSIONS, RelevanceClassification)] == ["G1", "G3", "G2"]


# --- what is refused ---


def test_a_machine_is_frozen() -> None:
    machine = RelevanceRegression(*sine(), KERNEL)
    assert len(machine) == 20
    with pytest.raises(AttributeError, match="frozen, so 'y' cannot be set"):
        machine.y = np.zeros(20)
    with pytest.raises(ValueError, match="read-only"):
        machine.y[0] = 1.0


@pytest.mark.parametrize("machine", [*REGRESSIONS, RelevanceClassification])
def test_bad_arguments_are_refused(machine: type[RelevanceRegression]) -> None:
    X, y = sine()
    labels = np.sign(y)
    with pytest.raises(ParameterError, match="needs a Kernel object"):
        machine(X, labels)
    with pytest.raises(ParameterError, match="leave kernel out"):
        machine(Gram(KERNEL, X), labels, KERNEL)
    with pytest.raises(ShapeError, match="20"):
        machine(X, labels[:-1], KERNEL)
    with pytest.raises(ParameterError, match="max_iter must be an integer of at least 1, but 0 came"):
        machine(X, labels, KERNEL).solve(max_iter=0)
    with pytest.raises(ParameterError, match="tol must be finite and above 0"):
        machine(X, labels, KERNEL).solve(tol=0.0)


@every_regression
def test_bad_targets_are_refused(machine: type[RelevanceRegression]) -> None:
    X, y = sine()
    with pytest.raises(ShapeError, match=r"fit one machine for each column of y"):
        machine(X, np.stack([y, y], axis=1), KERNEL)
    with pytest.raises(ShapeError, match=r"y\.ravel\(\)"):
        machine(X, y[:, None], KERNEL)
    with pytest.raises(ShapeError, match="one target a sample"):
        machine(X, 1.0, KERNEL)
    with pytest.raises(NonFiniteError, match=r"y\[3\] is nan"):
        machine(X, np.where(np.arange(20) == 3, np.nan, y), KERNEL)
    with pytest.raises(NonFiniteError, match="scale the targets"):
        machine(X, 1e200 * y, KERNEL)
    with pytest.raises(ParameterError, match="noise must be finite and above 0"):
        machine(X, y, KERNEL, noise=0.0)


def test_labels_of_one_class_are_refused_and_a_regression_has_no_probability() -> None:
    X, y = sine()
    with pytest.raises(OneClassError, match="every label is 1"):
        RelevanceClassification(X, np.ones(20), KERNEL)
    with pytest.raises(ParameterError, match="has no classes"):
        RelevanceRegression(X, y, KERNEL).solve().probability(X)
