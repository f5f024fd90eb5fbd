# SPDX-License-Identifier: BSD-3-Clause
"""Losses and their conjugates: against brute force, against CVXPY, at kinks and at the ends of float64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import formulations.losses as losses
from formulations.losses import (
    AbsolutePower,
    EpsilonInsensitive,
    ExpressionLoss,
    Hinge,
    Huber,
    LogisticLoss,
    LogisticResidual,
    Loss,
    MarginLoss,
    Pinball,
    ResidualLoss,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
    SquaredMargin,
    ZeroOne,
)
from qpkernels.errors import NoEnclosureError, ParameterError, UnsupportedProgramError

CONVEX: tuple[Loss, ...] = (
    Hinge(),
    SquaredHinge(),
    SquaredMargin(),
    LogisticLoss(),
    EpsilonInsensitive(0.0),
    EpsilonInsensitive(0.3),
    SquaredEpsilonInsensitive(0.0),
    SquaredEpsilonInsensitive(0.3),
    Pinball(0.5),
    Pinball(0.9),
    Huber(0.7),
    Huber(3.0),
    Squared(),
    AbsolutePower(1.0),
    AbsolutePower(1.25),
    AbsolutePower(2.0),
    AbsolutePower(np.pi),
    LogisticResidual(),
)
every_loss = pytest.mark.parametrize("loss", CONVEX, ids=repr)
numbers = st.floats(-20.0, 20.0)

_SMALL = np.geomspace(1e-8, 1.0, 20_001)
GRID = np.sort(np.concatenate([np.linspace(-60.0, 60.0, 240_001), -_SMALL, _SMALL]))
"""Steps of 0.0005, finer towards 0 where the curvature of powers is largest: enough for the suprema below."""


def slopes_within(loss: Loss, count: int = 41) -> np.ndarray:
    """Slopes of the domain, its finite ends included, for which the supremum is reached on the grid."""
    lower, upper = loss.domain
    return np.linspace(max(lower, -3.0), min(upper, 3.0), count)


def test_the_list_of_convex_losses_is_complete() -> None:
    # Those of users have laws of their own: test_expression.py.
    others = {Loss, MarginLoss, ResidualLoss, ZeroOne, ExpressionLoss}
    kinds = {getattr(losses, name) for name in losses.__all__} - others
    assert {type(loss) for loss in CONVEX} == kinds
    assert len({loss.name for loss in CONVEX}) == len(kinds)


# --- conjugacy ---


@every_loss
@given(t=numbers, share=st.floats(0.0, 1.0))
def test_fenchel_and_young(loss: Loss, t: float, share: float) -> None:
    lower, upper = (max(loss.domain[0], -10.0), min(loss.domain[1], 10.0))
    s = lower + share * (upper - lower)
    value, conjugate = float(loss.value(t)), float(loss.conjugate(s))
    assert value + conjugate >= s * t - 1e-12 * (1.0 + abs(value) + abs(s * t))


@every_loss
@given(t=numbers)
def test_fenchel_and_young_are_tight_at_the_slope(loss: Loss, t: float) -> None:
    s = float(loss.slope(t))
    assert loss.domain[0] <= s <= loss.domain[1]
    assert float(loss.value(t)) + float(loss.conjugate(s)) == pytest.approx(s * t, rel=1e-12, abs=1e-11)


@every_loss
@given(t=numbers, other=numbers)
def test_the_slope_is_a_subgradient(loss: Loss, t: float, other: float) -> None:
    bound = float(loss.value(t)) + float(loss.slope(t)) * (other - t)
    assert float(loss.value(other)) >= bound - 1e-11 * (1.0 + abs(bound))


@every_loss
def test_the_conjugate_is_the_largest_of_s_t_minus_value(loss: Loss) -> None:
    slopes = slopes_within(loss)
    searched = np.array([np.max(s * GRID - loss.value(GRID)) for s in slopes])
    np.testing.assert_allclose(loss.conjugate(slopes), searched, atol=2e-6)
    assert (searched <= loss.conjugate(slopes) + 1e-12).all()


def test_a_conjugate_that_is_quadratic_is_stated_as_such() -> None:
    stated = {repr(loss): loss.quadratic_conjugate for loss in CONVEX}
    for loss in CONVEX:
        conjugate, slopes = loss.quadratic_conjugate, slopes_within(loss)
        # Third differences of a quadratic vanish on either side of 0.
        parts = [np.linspace(*ends, 9) for ends in ((0.0, slopes.max()), (slopes.min(), 0.0)) if ends[0] < ends[1]]
        quadratic = all(np.abs(np.diff(loss.conjugate(part), 3)).max() < 1e-12 for part in parts)
        assert quadratic == (conjugate is not None), stated
        if conjugate is not None:
            np.testing.assert_allclose(conjugate(slopes), loss.conjugate(slopes), atol=1e-15)


@dataclass(frozen=True)
class Tilted(Hinge):
    """A hinge with a conjugate of its own, which need not be that of the hinge."""

    def _conjugate(self, s: np.ndarray) -> np.ndarray:
        return s**4


class Silent(ResidualLoss):
    """A loss that says nothing of its conjugate."""

    name = "silent"
    domain = (-1.0, 1.0)

    def atom(self, expression: cp.Expression) -> cp.Expression:
        return cp.abs(expression)

    def _value(self, t: np.ndarray) -> np.ndarray:
        return np.abs(t)

    def _slope(self, t: np.ndarray) -> np.ndarray:
        return np.sign(t)


def test_a_curvature_is_the_derivative_of_the_slope() -> None:
    smooth = {loss for loss in CONVEX if loss.is_smooth}
    assert smooth == {LogisticLoss(), LogisticResidual()}
    t, h = np.linspace(-30.0, 30.0, 61), 1e-5
    for loss in smooth:
        differences = (loss.slope(t + h) - loss.slope(t - h)) / (2 * h)
        np.testing.assert_allclose(loss.curvature(t), differences, rtol=1e-6, atol=1e-10)
    with pytest.raises(NotImplementedError, match="Hinge has no second derivative everywhere"):
        Hinge().curvature(0.0)


def test_a_loss_of_other_values_has_no_curvature_of_its_parent() -> None:
    class Doubled(LogisticLoss):
        def _value(self, t: np.ndarray) -> np.ndarray:
            return 2.0 * super()._value(t)

    assert not Doubled().is_smooth


def test_a_loss_says_itself_what_its_conjugate_is() -> None:
    assert Tilted().quadratic_conjugate is None
    assert Tilted().conjugate(-0.5) == 0.5**4
    with pytest.raises(NotImplementedError, match="Silent must state its conjugate: as quadratic_conjugate, or by"):
        Silent().conjugate(0.5)


@every_loss
def test_the_conjugate_of_the_conjugate_is_the_loss(loss: Loss) -> None:
    points = np.array([-2.0, -0.7, -0.3, 0.0, 0.3, 0.5, 1.0, 1.5])
    lower, upper = loss.domain
    slopes = np.linspace(max(lower, -60.0), min(upper, 60.0), 240_001)
    searched = np.array([np.max(slopes * t - loss.conjugate(slopes)) for t in points])
    np.testing.assert_allclose(loss.value(points), searched, atol=1e-6)


@every_loss
def test_the_conjugate_is_infinite_outside_the_domain_only(loss: Loss) -> None:
    lower, upper = loss.domain
    assert lower < upper
    for end, beyond in ((lower, -np.inf), (upper, np.inf)):
        if np.isfinite(end):
            assert np.isfinite(loss.conjugate(end))
            assert loss.conjugate(np.nextafter(end, beyond)) == np.inf
            # Beyond the end the supremum has no bound: moving ten times as far gains ten times as much.
            far = np.sign(beyond) * np.array([1e3, 1e4])
            gains = (end + np.sign(beyond) * 0.1) * far - loss.value(far)
            assert gains[1] > 5.0 * gains[0] > 0.0
        assert loss.conjugate(beyond) == np.inf


@every_loss
def test_the_least_loss_is_minus_the_conjugate_at_0(loss: Loss) -> None:
    assert float(loss.value(GRID).min()) == pytest.approx(-float(loss.conjugate(0.0)), abs=1e-12)
    if isinstance(loss, ResidualLoss):
        assert loss.value(0.0) == 0.0
        assert loss.conjugate(0.0) == 0.0


# --- CVXPY ---


@every_loss
def test_the_atoms_have_the_values_of_numpy(loss: Loss) -> None:
    points = np.array([[-30.0, -1.5, -0.3, 0.0], [0.2, 1.0, 1.7, 25.0]])
    np.testing.assert_allclose(loss.atom(cp.Constant(points)).value, loss.value(points), rtol=1e-9, atol=1e-12)
    slopes = slopes_within(loss, 8).reshape(2, 4)
    atom = loss.conjugate_atom(cp.Constant(slopes))
    np.testing.assert_allclose(atom.value, loss.conjugate(slopes), rtol=1e-9, atol=1e-12)


@every_loss
def test_the_atoms_are_convex_and_elementwise(loss: Loss) -> None:
    x = cp.Variable(3)
    for atom in (loss.atom(2 * x - 1), loss.conjugate_atom(1 - x)):
        assert atom.shape == (3,)
        assert atom.is_convex()


@every_loss
def test_cvxpy_minimises_through_either_atom(loss: Loss) -> None:
    """min phi(t) + (t - 2)^2 and its dual max 2 s - s^2 / 4 - phi*(s) have one value, and s = -2 (t - 2)."""
    t, s = cp.Variable(), cp.Variable()
    primal = cp.Problem(cp.Minimize(loss.atom(t) + cp.square(t - 2.0)))
    lowest, highest = loss.domain
    bounds = [*([s >= lowest] if np.isfinite(lowest) else []), *([s <= highest] if np.isfinite(highest) else [])]
    dual = cp.Problem(cp.Maximize(2.0 * s - 0.25 * cp.square(s) - loss.conjugate_atom(s)), bounds)
    upper, lower = primal.solve(solver="CLARABEL"), dual.solve(solver="CLARABEL")
    assert lower == pytest.approx(upper, abs=1e-6)
    assert float(loss.value(t.value)) + (float(t.value) - 2.0) ** 2 == pytest.approx(upper, abs=1e-6)
    assert float(s.value) == pytest.approx(-2.0 * (float(t.value) - 2.0), abs=1e-3)


# --- shapes and the ends of float64 ---


@every_loss
def test_shapes_are_kept_and_inputs_left_alone(loss: Loss) -> None:
    t = np.array([[0.1, -0.2], [0.3, 0.0]])
    for method in (loss.value, loss.slope, loss.conjugate):
        before = t.copy()
        result = method(t)
        assert result.shape == (2, 2)
        assert result.dtype == np.float64
        result[:] = 7.0
        np.testing.assert_array_equal(t, before)
        assert method(0.0).shape == ()
        assert method([0, -1]).shape == (2,)


@every_loss
def test_huge_arguments_are_exact_or_infinite_and_warn_of_nothing(loss: Loss) -> None:
    huge = np.array([-np.inf, -1e300, -1e10, 1e10, 1e300, np.inf])
    values = loss.value(huge)
    assert not np.isnan(values).any()
    assert (values >= 0.0).all()
    assert not np.isnan(loss.slope(huge)).any()
    if np.isfinite(loss.domain).all():
        # Linear far away: the value is the slope times the argument, up to what the conjugate says.
        slopes = loss.slope(huge[1:-1])
        np.testing.assert_allclose(values[1:-1], slopes * huge[1:-1] - loss.conjugate(slopes), rtol=1e-14)


@every_loss
def test_what_is_not_a_number_stays_so(loss: Loss) -> None:
    assert np.isnan(loss.value(np.nan))
    assert np.isnan(loss.conjugate(np.nan))


def test_small_arguments_keep_their_digits() -> None:
    tiny = np.array([1e-3, 1e-6, 1e-9])
    np.testing.assert_allclose(LogisticResidual().value(tiny), tiny**2 / 4 - tiny**4 / 96, rtol=1e-12)
    np.testing.assert_allclose(LogisticLoss().value([40.0, 700.0]), np.exp([-40.0, -700.0]), rtol=1e-12)
    np.testing.assert_allclose(LogisticLoss().slope([40.0, 700.0]), -np.exp([-40.0, -700.0]), rtol=1e-12)


# --- single losses ---


def test_values_by_hand() -> None:
    assert Hinge().value([-1.0, 0.0, 1.0, 3.0]).tolist() == [2.0, 1.0, 0.0, 0.0]
    assert SquaredHinge().value([-1.0, 0.0, 1.0, 3.0]).tolist() == [4.0, 1.0, 0.0, 0.0]
    assert float(LogisticLoss().value(0.0)) == pytest.approx(np.log(2.0))
    assert EpsilonInsensitive(0.5).value([-2.0, -0.5, 0.25, 1.0]).tolist() == [1.5, 0.0, 0.0, 0.5]
    assert Pinball(0.75).value([-2.0, 4.0]).tolist() == [0.5, 3.0]
    assert Huber(2.0).value([-1.0, 2.0, 5.0]).tolist() == [0.5, 2.0, 8.0]
    assert Squared().value([-3.0]).tolist() == [4.5]
    assert AbsolutePower(3.0).value([-2.0]).tolist() == [8.0]
    r = np.array([-3.0, -0.4, 0.0, 1.2])
    np.testing.assert_allclose(
        LogisticResidual().value(r), -np.log(4.0 * np.exp(r) / (1.0 + np.exp(r)) ** 2), atol=1e-15
    )


def test_losses_meet_in_their_limits() -> None:
    r = np.linspace(-3.0, 3.0, 61)
    np.testing.assert_array_equal(Huber(1e6).value(r), Squared().value(r))
    np.testing.assert_allclose(Huber(1e-9).value(r) / 1e-9, np.abs(r), atol=1e-9)
    np.testing.assert_array_equal(EpsilonInsensitive(0.0).value(r), AbsolutePower(1.0).value(r))
    np.testing.assert_allclose(2.0 * Pinball(0.5).value(r), np.abs(r))
    np.testing.assert_allclose(AbsolutePower(2.0).value(r), 2.0 * Squared().value(r))
    np.testing.assert_allclose(AbsolutePower(1.0 + 1e-9).conjugate([-0.9, 0.0, 0.9]), 0.0, atol=1e-8)


def test_the_other_margin_losses_bound_the_errors() -> None:
    z = np.linspace(-3.0, 3.0, 121)
    errors = ZeroOne().value(z)
    assert ZeroOne().value([-0.5, 0.0, 0.5]).tolist() == [1.0, 1.0, 0.0]
    for bound in (Hinge().value(z), SquaredHinge().value(z), LogisticLoss().value(z) / np.log(2.0)):
        assert (bound >= errors).all()


def test_the_count_of_errors_refuses_what_needs_convexity() -> None:
    loss, x = ZeroOne(), cp.Variable()
    uses: list[Any] = [
        lambda: loss.atom(x),
        lambda: loss.conjugate_atom(x),
        lambda: loss.conjugate(0.0),
        lambda: loss.slope(0.0),
        lambda: loss.domain,
    ]
    for use in uses:
        with pytest.raises(UnsupportedProgramError, match=r"0/1 loss is not convex.*Hinge"):
            use()
    assert np.isnan(loss.value(np.nan))


@pytest.mark.parametrize(
    ("kind", "bad", "words"),
    [
        (EpsilonInsensitive, -0.1, "epsilon must be a finite number of at least 0, but -0.1 came"),
        (EpsilonInsensitive, np.inf, "epsilon must be a finite number of at least 0, but inf came"),
        (Pinball, 0.0, "tau must be a finite number above 0 and below 1, but 0 came"),
        (Pinball, 1.0, "tau must be a finite number above 0 and below 1, but 1 came"),
        (Huber, 0.0, "delta must be a finite number above 0, but 0 came"),
        (Huber, "wide", "delta must be a finite number above 0, but 'wide' came"),
        (AbsolutePower, 0.5, "p must be a finite number of at least 1, but 0.5 came; .* not convex"),
        (AbsolutePower, np.nan, "p must be a finite number of at least 1, but nan came"),
    ],
)
def test_parameters_outside_their_range_are_refused(kind: Any, bad: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        kind(bad)


def test_losses_are_values() -> None:
    assert Huber(1) == Huber(1.0)
    assert {Hinge(), Hinge(), Pinball(0.5)} == {Hinge(), Pinball(0.5)}
    assert repr(EpsilonInsensitive(0.1)) == "EpsilonInsensitive(epsilon=0.1)"
    assert isinstance(Hinge(), MarginLoss)
    with pytest.raises(AttributeError):
        Huber(1.0).delta = 2.0  # type: ignore[misc]


# --- proved errors ---

mp.mp.dps = 60

EXACT: dict[str, tuple[Any, Any]] = {
    "Hinge": (lambda _, t: max(mp.mpf(0), 1 - t), lambda _, s: s),
    "SquaredHinge": (lambda _, t: max(mp.mpf(0), 1 - t) ** 2, lambda _, s: s + s * s / 4),
    "SquaredMargin": (lambda _, t: (1 - t) ** 2 / 2, lambda _, s: s + s * s / 2),
    "LogisticLoss": (lambda _, t: mp.log1p(mp.exp(-t)), lambda _, s: -entropy(-s) - entropy(1 + s)),
    "EpsilonInsensitive": (
        lambda loss, t: max(mp.mpf(0), abs(t) - mp.mpf(loss.epsilon)),
        lambda loss, s: mp.mpf(loss.epsilon) * abs(s),
    ),
    "SquaredEpsilonInsensitive": (
        lambda loss, t: max(mp.mpf(0), abs(t) - mp.mpf(loss.epsilon)) ** 2,
        lambda loss, s: mp.mpf(loss.epsilon) * abs(s) + s * s / 4,
    ),
    "Pinball": (lambda loss, t: max(mp.mpf(loss.tau) * t, (mp.mpf(loss.tau) - 1) * t), lambda _, s: 0 * s),
    "Huber": (
        lambda loss, t: min(abs(t), mp.mpf(loss.delta)) * (abs(t) - min(abs(t), mp.mpf(loss.delta)) / 2),
        lambda _, s: s * s / 2,
    ),
    "Squared": (lambda _, t: t * t / 2, lambda _, s: s * s / 2),
    "AbsolutePower": (lambda loss, t: abs(t) ** mp.mpf(loss.p), lambda loss, s: dual_power(mp.mpf(loss.p), s)),
    "LogisticResidual": (
        lambda _, t: 2 * mp.log(mp.cosh(t / 2)),
        lambda _, s: -entropy(1 + s) - entropy(1 - s),
    ),
}


def entropy(p: Any) -> Any:
    return -p * mp.log(p) if p else mp.mpf(0)


def dual_power(p: Any, s: Any) -> Any:
    return mp.mpf(0) if p == 1 else (p - 1) * (abs(s) / p) ** (p / (p - 1))


@every_loss
def test_upper_bounds_hold_to_60_digits(loss: Loss) -> None:
    value, conjugate = EXACT[type(loss).__name__]
    points = np.concatenate([np.linspace(-30, 30, 241), np.geomspace(1e-12, 1, 40), -np.geomspace(1e-12, 1, 40)])
    low, high = loss.domain
    for point, bound in zip(points.tolist(), loss.largest_value(points, points).tolist(), strict=True):
        true = value(loss, mp.mpf(point))
        assert true <= mp.mpf(bound) <= true * (1 + mp.mpf(2) ** -45) + mp.mpf(2) ** -900
    slopes = points[(points >= low) & (points <= high)]
    for slope, bound in zip(slopes.tolist(), loss.largest_conjugate(slopes, slopes).tolist(), strict=True):
        true = conjugate(loss, mp.mpf(slope))
        assert true <= mp.mpf(bound) <= true + (abs(true) + abs(mp.mpf(slope))) * mp.mpf(2) ** -45 + mp.mpf(2) ** -900


@every_loss
def test_between_two_numbers_a_loss_is_largest_at_an_end(loss: Loss) -> None:
    ends = np.array([-0.7]), np.array([1.3])
    inner = np.linspace(-0.7, 1.3, 50)
    assert np.all(loss.value(inner) <= loss.largest_value(*ends))
    assert np.all(loss.conjugate(np.clip(inner, *loss.domain)) <= loss.largest_conjugate(*ends))


def test_a_loss_of_ones_own_knows_no_errors() -> None:
    class Steep(Hinge):
        def _value(self, t: Any) -> Any:
            return 2.0 * super()._value(t)

    with pytest.raises(NoEnclosureError, match="states no bound of its rounding errors"):
        Steep().largest_value(np.zeros(1), np.zeros(1))
