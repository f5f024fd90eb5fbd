# SPDX-License-Identifier: BSD-3-Clause
"""The duality gap for any convex loss."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from builders import SEEDS
from formulations.losses import (
    AbsolutePower,
    EpsilonInsensitive,
    Hinge,
    Huber,
    LogisticLoss,
    LogisticResidual,
    Loss,
    MarginLoss,
    Pinball,
    Squared,
    SquaredHinge,
)
from qpkernels import RBF, Gram
from qpkernels.problems import FenchelBounds, KernelQP, SampleLosses, Support, certify_kernel_qp
from qpkernels.problems.rounding import FunctionAtSamples
from qpkernels.problems.smooth_risk import Ball

C = 1.5
_NOBODY = Support(free=np.arange(0), bounded=np.arange(0))


def sample_losses(loss: Loss, y: np.ndarray, C: float) -> SampleLosses:
    """Return C psi(y - v), or C phi(y v), with the conjugates in beta."""
    low, high = loss.domain
    if isinstance(loss, MarginLoss):
        ends = np.where(y > 0, -C * high, C * low), np.where(y > 0, -C * low, C * high)
        return SampleLosses(
            value=lambda v: C * loss.value(y * v),
            conjugate=lambda beta: C * loss.conjugate(np.clip(-y * beta / C, low, high)),
            lower=ends[0],
            upper=ends[1],
            slope=lambda v: C * y * loss.slope(y * v),
        )
    return SampleLosses(
        value=lambda v: C * loss.value(y - v),
        conjugate=lambda beta: C * loss.conjugate(np.clip(beta / C, low, high)) - y * beta,
        lower=np.full(len(y), C * low),
        upper=np.full(len(y), C * high),
        slope=lambda v: -C * loss.slope(y - v),
    )


FENCHEL: list[Loss] = [
    LogisticLoss(),
    Hinge(),
    SquaredHinge(),
    AbsolutePower(1.0),
    AbsolutePower(1.3),
    AbsolutePower(2.0),
    AbsolutePower(4.0),
    LogisticResidual(),
    Squared(),
    Huber(0.5),
    Pinball(0.3),
    EpsilonInsensitive(0.2),
]


every_loss = pytest.mark.parametrize("loss", FENCHEL, ids=repr)


def setting(loss: Loss, seed: int) -> tuple[Gram, np.ndarray, SampleLosses, float]:
    rng = np.random.default_rng(seed)
    gram = Gram(RBF(0.7), rng.normal(size=(14, 2)))
    y = np.where(np.arange(14) % 2 == 0, 1.0, -1.0) if isinstance(loss, MarginLoss) else rng.normal(size=14)
    C = float(10.0 ** rng.uniform(-1, 1))
    return gram, y, sample_losses(loss, y, C), C


@every_loss
@given(seed=SEEDS, b=st.floats(-3, 3), balanced=st.booleans(), spread=st.sampled_from([1e-3, 1.0, 30.0]))
def test_weak_duality_of_any_loss(loss: Loss, seed: int, b: float, balanced: bool, spread: float) -> None:
    """P(f, b) >= D(beta) for every f, b and beta: beta is moved to where D is finite, and f is another function."""
    gram, _, losses, _ = setting(loss, seed % 7)
    rng = np.random.default_rng(seed)
    beta, other = spread * rng.normal(size=(2, 14))
    values = gram.dense @ other
    b = b if balanced else 0.0
    for function in (None, FunctionAtSamples(values, float(other @ values))):
        certificate = FenchelBounds(gram, losses, 0.0 if balanced else None).certify(beta, b, function)
        slack = 1e-9 * max(1.0, abs(certificate.primal_value), abs(certificate.dual_value))
        assert certificate.primal_value >= certificate.dual_value - slack
        assert certificate.relative_gap >= 0
        assert certificate.complementarity >= 0


@every_loss
def test_fenchel_bounds_meet_at_the_optimum(loss: Loss) -> None:
    """Without an intercept: the beta that is the slope of the loss at its own function, by damped iteration."""
    gram, y, losses, C = setting(loss, 3)
    smooth = isinstance(loss, LogisticLoss | SquaredHinge | LogisticResidual | Squared | Huber)
    if not smooth:
        certificate = FenchelBounds(gram, losses, None).certify(np.zeros(14), 0.0)
        assert not certificate.holds(1e-3)
        return
    beta = np.zeros(14)
    for _ in range(20_000):
        f = gram.dense @ beta
        slope = -y * loss.slope(y * f) if isinstance(loss, MarginLoss) else loss.slope(y - f)
        beta += 0.5 / (1.0 + 4 * C * 14) * (C * slope - beta)
    certificate = FenchelBounds(gram, losses, None).certify(beta, 0.0)
    assert certificate.holds(1e-9), certificate
    for wrong in (1.1 * beta, -beta, 0 * beta, np.roll(beta, 1)):
        assert not FenchelBounds(gram, losses, None).certify(wrong, 0.0).holds(1e-6)


@pytest.mark.parametrize(
    ("loss", "parts"),
    [
        (Squared(), lambda _, C: {"lower": -np.inf, "upper": np.inf, "ridge": 1 / C}),
        (Huber(0.5), lambda _, C: {"lower": -0.5 * C, "upper": 0.5 * C, "ridge": 1 / C}),
        (Pinball(0.3), lambda _, C: {"lower": -0.7 * C, "upper": 0.3 * C}),
        (EpsilonInsensitive(0.2), lambda _, C: {"lower": -C, "upper": C, "epsilon": 0.2}),
        (Hinge(), lambda y, C: {"lower": np.where(y > 0, 0, -C), "upper": np.where(y > 0, C, 0)}),
        (
            SquaredHinge(),
            lambda y, C: {
                "lower": np.where(y > 0, 0, -np.inf),
                "upper": np.where(y > 0, np.inf, 0),
                "ridge": 0.5 / C,
            },
        ),
    ],
    ids=lambda value: repr(value) if isinstance(value, Loss) else "",
)
@given(seed=SEEDS, b=st.floats(-3, 3))
def test_both_certificates_agree_on_losses_that_both_know(loss: Loss, parts: Any, seed: int, b: float) -> None:
    gram, y, losses, C = setting(loss, seed % 7)
    program = KernelQP(gram, y, total=0.0, **parts(y, C))
    beta = np.random.default_rng(seed).normal(size=14)
    ours, feasible = certify_kernel_qp(program, beta, b), program.project(beta)
    theirs = FenchelBounds(gram, losses, 0.0).certify(beta, b)
    assert theirs.primal_value == pytest.approx(ours.primal_value, rel=1e-9, abs=1e-9)
    assert theirs.dual_value == pytest.approx(ours.dual_value, rel=1e-9, abs=1e-9)
    assert theirs.relative_gap == pytest.approx(ours.relative_gap, rel=1e-6, abs=1e-9)
    if feasible.any():
        assert theirs.dual_residual == pytest.approx(ours.dual_residual, rel=1e-6, abs=1e-9)
    else:
        # Of beta nothing is left, and all of it was moved.
        assert min(ours.dual_residual, theirs.dual_residual) > 1e-3


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_fenchel_refuses_what_is_not_finite(bad: float) -> None:
    gram, _, losses, _ = setting(LogisticLoss(), 1)
    beta = np.zeros(14)
    assert not FenchelBounds(gram, losses, 0.0).certify(beta, bad).holds(np.inf)
    beta[3] = bad
    assert not FenchelBounds(gram, losses, 0.0).certify(beta, 0.0).holds(np.inf)


def test_what_is_moved_into_the_domain_is_the_dual_residual() -> None:
    gram, y, losses, C = setting(LogisticLoss(), 2)
    beta = 0.5 * C * y
    assert FenchelBounds(gram, losses, 0.0).certify(beta, 0.0).dual_residual == 0.0
    outside = beta.copy()
    outside[2] = -0.1 * C * y[2]
    certificate = FenchelBounds(gram, losses, None).certify(outside, 0.0)
    assert certificate.dual_residual == pytest.approx(0.1 / 0.5, rel=1e-9)
    assert not certificate.holds(0.1)


@every_loss
@given(seed=SEEDS, spread=st.sampled_from([0.0, 0.2, 1.0]))
def test_every_b_of_the_interval_is_best_for_f_and_no_other(loss: Loss, seed: int, spread: float) -> None:
    """f is rounded, so that kinks meet and the sum of the losses has flat pieces."""
    gram, _, losses, _ = setting(loss, seed % 7)
    values = np.round(2 * spread * np.random.default_rng(seed).normal(size=14)) / 2

    def cost(b: float) -> float:
        return float(losses.value(values + b).sum())

    best = minimize_scalar(cost, bracket=(-1.0, 1.0), tol=1e-12)
    found = FenchelBounds(gram, losses, 0.0).interval(np.zeros(14), values, float(best.x), _NOBODY)
    assert found[0] <= best.x <= found[1]
    scale = max(1.0, cost(0.0))
    for b in (*found, 0.5 * sum(found)):
        assert cost(b) <= best.fun + 1e-8 * scale
    for b in (found[0] - 0.05, found[1] + 0.05):
        assert cost(b) >= best.fun - 1e-12 * scale
        if isinstance(loss, Hinge | Pinball | EpsilonInsensitive | AbsolutePower) and loss != AbsolutePower(4.0):
            assert cost(b) > best.fun + 1e-9 * scale
    without = FenchelBounds(gram, losses, None).interval(np.zeros(14), values, 0.0, _NOBODY)
    assert without == (0.0, 0.0)


# --- a ball in place of the penalty ---


@every_loss
@given(seed=SEEDS, b=st.floats(-3, 3), spread=st.sampled_from([1e-3, 1.0, 30.0]))
def test_weak_duality_within_a_ball(loss: Loss, seed: int, b: float, spread: float) -> None:
    gram, _, losses, _ = setting(loss, seed % 7)
    rng = np.random.default_rng(seed)
    beta, other = spread * rng.normal(size=(2, 14))
    values = gram.dense @ other
    bounds = FenchelBounds(gram, losses, 0.0, regulariser=Ball(0.6))
    certificate = bounds.certify(beta, b, FunctionAtSamples(values, float(other @ values)))
    slack = 1e-9 * max(1.0, abs(certificate.primal_value), abs(certificate.dual_value))
    assert certificate.primal_value >= certificate.dual_value - slack
    excess = float(np.sqrt(other @ values / 0.6)) - 1.0
    assert certificate.primal_residual == pytest.approx(max(excess, 0.0), rel=1e-9)


@every_loss
@given(seed=SEEDS)
def test_the_best_multiple_is_no_worse_than_any_other(loss: Loss, seed: int) -> None:
    gram, _, losses, _ = setting(loss, seed % 7)
    bounds = FenchelBounds(gram, losses, None, regulariser=Ball(0.6))
    rng = np.random.default_rng(seed)
    beta = np.clip(rng.normal(size=14), losses.lower, losses.upper)
    best = bounds.best_multiple(beta)
    multiple = float(best @ beta) / float(beta @ beta)
    assert multiple >= 0.0
    assert best == pytest.approx(multiple * beta, rel=1e-12, abs=1e-12)
    for t in np.geomspace(1e-3, 1e3, 13):
        inside = ((t * beta >= losses.lower) & (t * beta <= losses.upper)).all()
        if inside:
            assert bounds.lower_bound(best) >= bounds.lower_bound(t * beta) - 1e-9


class Low(Squared):
    """1/2 r^2 with half of its conjugate."""

    def _conjugate(self, s: np.ndarray) -> np.ndarray:
        return 0.25 * s**2


def test_a_conjugate_that_is_none_is_named_with_the_sample_and_the_slope() -> None:
    gram, y, _, _ = setting(Squared(), 0)
    beta = np.zeros(14)
    beta[5] = 0.6
    bounds = FenchelBounds(gram, sample_losses(Low(), y, 1.0), None)
    values = y.copy()
    values[5] -= 0.6  # where the loss has the slope 0.6, and meets its conjugate
    certificate = bounds.certify(beta, 0.0, FunctionAtSamples(values, 0.1))
    assert not certificate.holds(1e300)
    assert "the conjugate is inconsistent with the loss: that of sample 5 is 0.18 " in certificate.worst
    assert "at the slope -0.6" in certificate.worst
    assert np.isfinite([certificate.primal_value, certificate.dual_value]).all()
    right = FenchelBounds(gram, sample_losses(Squared(), y, 1.0), None)
    assert "inconsistent" not in right.certify(beta, 0.0, FunctionAtSamples(values, 0.1)).worst
