# SPDX-License-Identifier: BSD-3-Clause
"""The certificate with values in float32 is that in float64, at every tolerance; what is not settled is counted."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest

from builders import every_family, manufacture, random_feasible, two_classes
from exact import exact, exact_function, exact_kernel, exact_matrix
from qpkernels import RBF, Gram
from qpkernels.gram.panels import sums
from qpkernels.problems import Certificate, KernelQP, KernelQPBounds, certify_kernel_qp
from qpkernels.problems.kernel_qp import bounds as certifying
from qpkernels.problems.kernel_qp.gap import duality_gap, gap_product


@pytest.fixture(autouse=True)
def however_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "FEW", 0)
    monkeypatch.setattr(sums, "_WORTH", 0)


def restated(program: KernelQP, *, formed: bool) -> KernelQP:
    """State the program on a matrix that is formed, whose products are in float64, or on one that is not."""
    gram = Gram(program.gram.kernel, program.gram.X)
    if formed:
        gram.dense  # noqa: B018  formed when first asked for
    return KernelQP(gram, program.target, program.lower, program.upper, program.total, program.epsilon, program.ridge)


def agree(one: Certificate, other: Certificate) -> None:
    scale = max(abs(other.primal_value), abs(other.dual_value))
    assert one.primal_value == pytest.approx(other.primal_value, abs=1e-12 * scale)
    assert one.dual_value == pytest.approx(other.dual_value, abs=1e-12 * scale)
    assert one.relative_gap == pytest.approx(other.relative_gap, abs=1e-12)
    assert one.primal_residual == pytest.approx(other.primal_residual, abs=1e-12)
    assert one.complementarity == pytest.approx(other.complementarity, abs=1e-12)
    assert one.rounding <= 3.0 * other.rounding


@every_family
@pytest.mark.parametrize("seed", range(3))
def test_the_certificate_is_that_of_float64(name: str, seed: int) -> None:
    made = manufacture(name, seed)
    program, reference = restated(made.program, formed=False), restated(made.program, formed=True)
    near = program.project(made.beta * (1.0 + 1e-3 * np.random.default_rng(seed).normal(size=made.beta.size)))
    for beta in (made.beta, near, random_feasible(program, seed)):
        agree(certify_kernel_qp(program, beta, made.intercept), certify_kernel_qp(reference, beta, made.intercept))
    assert certify_kernel_qp(program, made.beta, made.intercept).holds(1e-12)


@every_family
def test_float32_settles_samples_without_a_loss(name: str) -> None:
    made = manufacture(name)
    error = gap_product(restated(made.program, formed=False), made.beta, made.intercept).error
    assert not error[made.beta != 0].any()
    # Hard constraints are left to float64; without a kink at 0, all coefficients differ from it.
    assert bool(error.any()) == (bool((made.beta == 0).any()) and not name.startswith("hard margin"))


def problem(m: int, C: float = 1.0) -> tuple[KernelQP, np.ndarray]:
    X, y = two_classes(m, features=3)
    gram = Gram(RBF(0.5), X)
    program = KernelQP(gram, y, np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0), 0.0)
    beta = np.where(np.random.default_rng(0).random(m) < 0.4, 0.7 * C * y, 0.0)
    return program, program.project(beta)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3, 1e6])
def test_both_values_are_the_exact_ones(C: float) -> None:
    program, beta = problem(60, C)
    b = 0.25
    assert gap_product(program, beta, b).error.any() or C < 1.0
    certificate = certify_kernel_qp(program, beta, b)
    X = np.asarray(program.gram.X)
    f = exact_function(exact_matrix(exact_kernel(RBF(0.5)), X), beta)
    half = mp.fdot(exact(beta), f) / 2
    losses = [
        max(u * (t - v - b), low * (t - v - b))
        for u, low, t, v in zip(exact(program.upper), exact(program.lower), exact(program.target), f, strict=True)
    ]
    primal, dual = half + mp.fsum(losses), mp.fdot(exact(program.target), exact(beta)) - half
    assert abs(certificate.primal_value - primal) + abs(certificate.dual_value - dual) <= certificate.rounding
    assert certificate.rounding <= 1e-11 * float(primal)


def test_what_is_not_settled_counts_in_the_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    program, beta = problem(400)
    everything = np.flatnonzero(beta == 0)

    def careless(program: KernelQP, beta: np.ndarray, intercept: float) -> Any:
        del intercept
        return program.gram.bounded_product(beta, lambda samples, *_: np.ones(samples.size, bool))

    monkeypatch.setattr(certifying, "gap_product", careless)
    product = careless(program, beta, 0.3)
    assert (product.error[everything] > 0).all()
    rough, sharp = certify_kernel_qp(program, beta, 0.3), certify_kernel_qp(restated(program, formed=True), beta, 0.3)
    moved = abs(rough.primal_value - sharp.primal_value) + abs(rough.dual_value - sharp.dual_value)
    assert 0 < moved <= rough.rounding
    assert rough.rounding > 1e3 * sharp.rounding
    assert rough.relative_gap > sharp.relative_gap + 1e3 * sharp.rounding / sharp.primal_value


@pytest.mark.parametrize("inexact", [np.full(3, 1e-3), np.array([0.1, 0.0, 0.3])], ids=str)
def test_inexact_values_widen_the_gap(inexact: Any) -> None:
    program = KernelQP(Gram(RBF(1.0), np.eye(3)), np.array([1.0, -1.0, 1.0]), -2.0, 2.0, None)
    beta = np.array([0.5, -0.5, 0.5])
    values = program.gram.product(beta)
    sharp, rough = duality_gap(program, beta, values, 0.0), duality_gap(program, beta, values, 0.0, None, inexact)
    # The losses are 2 |t - f|, and both P and D have half of beta'f.
    expected = float((2.0 + np.abs(beta)) @ inexact)
    assert expected <= rough.rounding - sharp.rounding <= 2.0 * expected
    assert (rough.primal_value, rough.dual_value) == (sharp.primal_value, sharp.dual_value)


def test_a_product_of_other_coefficients_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    program, beta = problem(50)
    bounds = KernelQPBounds(program)
    own = bounds.certify(beta, 0.1)
    assert bounds.certify(beta, 0.1, product=bounds.product(0.5 * beta, 0.1)) == own
    monkeypatch.setattr(certifying, "gap_product", None)
    assert bounds.certify(beta, 0.1, product=gap_product(program, beta, 0.1)) == own
