# SPDX-License-Identifier: BSD-3-Clause
"""Relevance vector machines: posterior, evidence, updates and predictions, for targets and for labels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import multivariate_normal, norm

from formulations import RelevanceClassification, RelevanceRegression, RelevanceSolution
from formulations.models.relevance.evidence import WeightPosterior
from qpkernels import RBF
from textbook.cases import CURVE, GAMMA, MIXED, Pairs, formula

__all__: list[str] = []

BETA = 5.0
"""Precision of the noise, where it is not learned."""


def _alphas(samples: int, kept: tuple[int, ...]) -> np.ndarray:
    """Return the precisions of 1 + samples weights, of which these are kept."""
    alpha = np.full(samples + 1, np.inf)
    alpha[list(kept)] = np.linspace(0.4, 2.0, len(kept))
    return alpha


@cache
def regression(kept: tuple[int, ...] = (0, 3, 8, 13, 19)) -> SimpleNamespace:
    """Return our posterior at some precisions, and the restated design, mean and covariance."""
    alpha = _alphas(len(CURVE), kept)
    ours: WeightPosterior = RelevanceRegression(CURVE.X, CURVE.y, RBF(GAMMA)).likelihood.posterior(
        alpha, 1 / BETA, None
    )
    Phi = np.column_stack([np.ones(len(CURVE)), CURVE.K])[:, kept]
    A = np.diag(alpha[list(kept)])
    Sigma = np.linalg.inv(A + BETA * Phi.T @ Phi)
    return SimpleNamespace(ours=ours, Phi=Phi, A=A, Sigma=Sigma, m=BETA * Sigma @ Phi.T @ CURVE.y, kept=list(kept))


@cache
def classification(kept: tuple[int, ...] = (0, 2, 9, 14)) -> SimpleNamespace:
    """Return our approximate posterior at some precisions, and the restated design and mode."""
    alpha, t = _alphas(len(MIXED), kept), (MIXED.y + 1) / 2
    ours: WeightPosterior = RelevanceClassification(MIXED.X, MIXED.y, RBF(GAMMA)).likelihood.posterior(
        alpha, None, None
    )
    Phi = np.column_stack([np.ones(len(MIXED)), MIXED.K])[:, kept]
    a = alpha[list(kept)]

    def log_posterior(w: np.ndarray) -> float:
        y = expit(Phi @ w)
        density = (t * np.log(y) + (1 - t) * np.log(1 - y)).sum()
        return float(density - 0.5 * w @ (a * w) - 0.5 * a.size * np.log(2 * np.pi) + 0.5 * np.log(a).sum())

    def gradient(w: np.ndarray) -> np.ndarray:
        return Phi.T @ (t - expit(Phi @ w)) - a * w

    w = minimize(lambda v: -log_posterior(v), np.zeros(a.size), jac=lambda v: -gradient(v), options={"gtol": 1e-9}).x
    y = expit(Phi @ w)
    precision = Phi.T @ np.diag(y * (1 - y)) @ Phi + np.diag(a)
    return SimpleNamespace(
        ours=ours,
        Phi=Phi,
        a=a,
        t=t,
        w=w,
        Sigma=np.linalg.inv(precision),
        precision=precision,
        kept=list(kept),
        log_posterior=log_posterior,
        gradient=gradient,
    )


@cache
def solved() -> RelevanceSolution:
    """Return our regression at the end."""
    return RelevanceRegression(CURVE.X, CURVE.y, RBF(GAMMA)).solve(tol=1e-10)


def at_the_end() -> SimpleNamespace:
    """Return the restated posterior at the precisions where our regression ended."""
    kept = np.append(np.isfinite(solved().bias_alpha), np.isfinite(solved().alpha))
    alpha = np.append(solved().bias_alpha, solved().alpha)[kept]
    Phi = np.column_stack([np.ones(len(CURVE)), CURVE.K])[:, kept]
    beta = 1.0 / float(solved().noise or np.nan)
    Sigma = np.linalg.inv(np.diag(alpha) + beta * Phi.T @ Phi)
    return SimpleNamespace(Phi=Phi, alpha=alpha, beta=beta, Sigma=Sigma, m=beta * Sigma @ Phi.T @ CURVE.y, kept=kept)


def _grid(centre: np.ndarray, Sigma: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    """Yield points and weights of the Gauss-Hermite rule for an integral over two weights."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(30)
    factor = np.linalg.cholesky(Sigma)
    for i, one in enumerate(nodes):
        for j, other in enumerate(nodes):
            v = np.array([one, other])
            yield centre + factor @ v, float(weights[i] * weights[j] * np.exp(0.5 * v @ v) * np.linalg.det(factor))


@formula
def gaussian_posterior() -> Pairs:
    # The posterior is what prior times likelihood is up to a constant.
    r = regression()
    own = multivariate_normal(r.ours.mean[r.kept], r.ours.root.T @ r.ours.root)
    other = np.linspace(-1.0, 1.0, r.m.size)

    def joint(w: np.ndarray) -> float:
        return float(-0.5 * BETA * np.sum((CURVE.y - r.Phi @ w) ** 2) - 0.5 * w @ r.A @ w)

    yield own.logpdf(other) - own.logpdf(0 * other), joint(other) - joint(0 * other)


@formula
def posterior_mean_and_covariance() -> Pairs:
    r = regression()
    yield r.ours.mean[r.kept], r.m
    yield r.ours.root.T @ r.ours.root, r.Sigma


@formula
def integrated_evidence() -> Pairs:
    r = regression((3, 13))
    noise, prior = np.sqrt(1.0 / BETA), np.sqrt(1.0 / np.diag(r.A))
    total = sum(
        weight * np.exp(norm.logpdf(CURVE.y, r.Phi @ w, noise).sum() + norm.logpdf(w, 0.0, prior).sum())
        for w, weight in _grid(r.m, r.Sigma)
    )
    yield r.ours.log_evidence, np.log(total)


@formula
def completed_square() -> Pairs:
    r, t = regression(), CURVE.y
    precision = np.linalg.inv(r.ours.root.T @ r.ours.root)
    own = r.ours.mean[r.kept]
    for w in np.random.default_rng(1).normal(size=(3, own.size)):
        error = BETA * np.sum((t - r.Phi @ w) ** 2) + w @ r.A @ w
        yield BETA * t @ t + (w - own) @ precision @ (w - own) - own @ precision @ own, error


@formula
def evidence_by_the_covariance_of_the_weights() -> Pairs:
    r, t = regression(), CURVE.y
    error = BETA * t @ t - r.m @ np.linalg.solve(r.Sigma, r.m)
    value = 0.5 * t.size * np.log(BETA / (2 * np.pi)) + 0.5 * np.log(np.diag(r.A)).sum()
    yield r.ours.log_evidence, value + 0.5 * np.linalg.slogdet(r.Sigma)[1] - 0.5 * error


@formula
def exponent_of_the_evidence() -> Pairs:
    r, t = regression(), CURVE.y
    # What remains of the exponent is the misfit and the penalty at the mean.
    ours = r.ours.misfit + r.ours.u @ r.ours.u
    yield ours, BETA * t @ t - BETA**2 * t @ r.Phi @ r.Sigma @ r.Phi.T @ t
    yield ours, t @ np.linalg.solve(np.eye(t.size) / BETA + r.Phi @ np.linalg.inv(r.A) @ r.Phi.T, t)


@formula
def woodbury_identity() -> Pairs:
    # The inverse of D + U V, with D = I / beta; one printed mapping gives D as beta I, which is its inverse.
    r, one = regression(), np.eye(len(CURVE))
    direct = np.linalg.inv(one / BETA + r.Phi @ np.linalg.inv(r.A) @ r.Phi.T)
    yield BETA * one - BETA**2 * r.Phi @ (r.ours.root.T @ r.ours.root) @ r.Phi.T, direct


@formula
def evidence_is_a_gaussian() -> Pairs:
    r = regression()
    C = np.eye(len(CURVE)) / BETA + r.Phi @ np.linalg.inv(r.A) @ r.Phi.T
    yield r.ours.log_evidence, multivariate_normal(np.zeros(len(CURVE)), C).logpdf(CURVE.y)


@formula
def covariance_of_the_targets() -> Pairs:
    # Its inverse times the targets is the slope of the likelihood at the mean.
    r = regression()
    C = np.eye(len(CURVE)) / BETA + r.Phi @ np.linalg.inv(r.A) @ r.Phi.T
    yield r.ours.slope, np.linalg.solve(C, CURVE.y)
    yield r.ours.overlaps[1][r.kept], np.einsum("ij,ij->j", r.Phi, np.linalg.solve(C, r.Phi))


@formula
def log_evidence() -> Pairs:
    r, t = regression(), CURVE.y
    C = np.eye(t.size) / BETA + r.Phi @ np.linalg.inv(r.A) @ r.Phi.T
    value = -0.5 * (t.size * np.log(2 * np.pi) + np.linalg.slogdet(C)[1] + t @ np.linalg.solve(C, t))
    yield r.ours.log_evidence, value


@formula
def update_of_the_precisions() -> Pairs:
    r = regression()
    alpha, gamma = np.diag(r.A), 1.0 - np.diag(r.A) * np.diag(r.Sigma)
    yield r.ours.determined, gamma
    yield alpha * r.ours.fixed_point[: alpha.size], gamma / r.m**2
    noise = np.sum((CURVE.y - r.Phi @ r.m) ** 2) / (len(CURVE) - gamma.sum())
    yield r.ours.fixed_point[-1] / BETA, noise
    # Where the library ends, the update changes nothing.
    end = at_the_end()
    gamma = 1.0 - end.alpha * np.diag(end.Sigma)
    yield gamma / (end.alpha * end.m**2), np.ones(end.alpha.size)
    yield solved().noise, np.sum((CURVE.y - end.Phi @ end.m) ** 2) / (len(CURVE) - gamma.sum())


@formula
def predictive_distribution() -> Pairs:
    end = at_the_end()
    new = np.column_stack([np.ones(len(CURVE.N)), CURVE.gaussian(CURVE.N)])[:, end.kept]
    yield solved().mean(CURVE.N), new @ end.m


@formula
def predictive_variance() -> Pairs:
    end = at_the_end()
    new = np.column_stack([np.ones(len(CURVE.N)), CURVE.gaussian(CURVE.N)])[:, end.kept]
    yield solved().variance(CURVE.N), 1.0 / end.beta + np.einsum("ij,jk,ik->i", new, end.Sigma, new)


@formula
def probability_of_a_class() -> Pairs:
    answer = RelevanceClassification(MIXED.X, MIXED.y, RBF(GAMMA)).solve(tol=1e-8)
    values = MIXED.gaussian(MIXED.N)[:, answer.relevance] @ answer.function.coefficients + answer.function.intercept
    yield answer.probability(MIXED.N, moderated=False), 1.0 / (1.0 + np.exp(-values))


@formula
def posterior_of_a_classifier() -> Pairs:
    # Prior times likelihood, whose integral is not elementary; the library takes the Gaussian at the mode.
    r = classification((2, 9))
    exact = sum(weight * np.exp(r.log_posterior(w) - r.log_posterior(r.w)) for w, weight in _grid(r.w, r.Sigma))
    shared = 2 * np.pi * np.sqrt(np.linalg.det(r.ours.root.T @ r.ours.root))
    # Laplace's approximation of this integral is within a few hundredths of it.
    assert 1e-6 < abs(exact / shared - 1.0) < 0.1
    yield r.ours.log_evidence, r.log_posterior(r.w) + np.log(shared)


@formula
def log_posterior_at_the_mode() -> Pairs:
    r = classification()
    constant = 0.5 * np.log(r.a).sum() - 0.5 * r.a.size * np.log(2 * np.pi)
    yield r.ours.fit - 0.5 * r.ours.u @ r.ours.u + constant, r.log_posterior(r.w)


@formula
def gradient_of_the_log_posterior() -> Pairs:
    r = classification()
    own = r.ours.mean[r.kept]
    # The slope in each value is t - y in targets of 0 and 1.
    yield r.ours.slope, r.t - expit(r.Phi @ own)
    yield r.Phi.T @ r.ours.slope - r.a * own, np.zeros(r.a.size)
    there = r.w + 1.0
    ahead, behind = (there + sign * 1e-5 * np.eye(r.a.size) for sign in (1, -1))
    slopes = [(r.log_posterior(one) - r.log_posterior(other)) / 2e-5 for one, other in zip(ahead, behind, strict=True)]
    assert np.allclose(r.gradient(there), slopes, rtol=1e-6, atol=1e-6)


@formula
def hessian_of_the_log_posterior() -> Pairs:
    r = classification()
    y = expit(r.Phi @ r.w)
    yield r.ours.curvature, y * (1 - y)
    yield np.linalg.inv(r.ours.root.T @ r.ours.root), r.Phi.T @ np.diag(y * (1 - y)) @ r.Phi + np.diag(r.a)


@formula
def mode_and_covariance() -> Pairs:
    r = classification()
    yield r.ours.mean[r.kept], r.w
    yield r.ours.mean[r.kept], r.Phi.T @ (r.t - expit(r.Phi @ r.w)) / r.a
    yield r.ours.root.T @ r.ours.root, r.Sigma


@formula
def laplace_evidence() -> Pairs:
    r = classification()
    likelihood = np.prod(np.where(r.t > 0, expit(r.Phi @ r.w), 1 - expit(r.Phi @ r.w)))
    prior = multivariate_normal(np.zeros(r.a.size), np.diag(1.0 / r.a)).pdf(r.w)
    volume = (2 * np.pi) ** (r.a.size / 2) * np.sqrt(np.linalg.det(r.Sigma))
    yield r.ours.log_evidence, np.log(likelihood * prior * volume)


@formula
def log_laplace_evidence() -> Pairs:
    # With a sum over the samples and plus ln |A| / 2; for the printed sign see the errata.
    r = classification()
    y = expit(r.Phi @ r.w)
    value = (r.t * np.log(y) + (1 - r.t) * np.log(1 - y)).sum() - 0.5 * r.w @ (r.a * r.w)
    yield r.ours.log_evidence, value + 0.5 * np.log(r.a).sum() + 0.5 * np.linalg.slogdet(r.Sigma)[1]


@formula
def slopes_of_the_laplace_evidence() -> Pairs:
    # The printed derivative holds the curvature fixed; what the mode does to it is the library's correction.
    r = classification()
    printed = 0.5 * (1.0 / r.a - r.w**2 - np.diag(r.Sigma))
    yield r.ours.gradient - 0.5 * r.ours.mode_correction, r.a * printed
    yield r.a * r.ours.determined / r.ours.u**2, (1.0 - r.a * np.diag(r.Sigma)) / r.w**2
