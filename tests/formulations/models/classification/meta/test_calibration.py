# SPDX-License-Identifier: BSD-3-Clause
"""Platt's sigmoid: against 50 digits, scikit-learn and cone solvers, by its dual, and by its invariances."""

from __future__ import annotations

import pickle
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.calibration import _SigmoidCalibration
from sklearn.linear_model import LogisticRegression

from formulations import Calibration, PlattCalibration
from formulations.models.classification.meta.calibration import Calibrations
from qpkernels.errors import (
    LabelError,
    NonFiniteError,
    OneClassError,
    ParameterError,
    SeparableScoresError,
    ShapeError,
    SolverFailedError,
)
from qpkernels.problems import SigmoidFit, Status
from qpkernels.problems.sigmoid_fit import SigmoidBounds

law = settings(derandomize=True, deadline=None, max_examples=40, database=None)
quick_law = settings(derandomize=True, deadline=None, max_examples=500, database=None)
TIGHT = 1e-10


def overlapping(seed: int = 0, samples: int = 120, shift: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    """Scores of two classes of different size, whose ranges overlap."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(samples) < 0.35, 1.0, -1.0)
    y[:4] = 1.0, -1.0, 1.0, -1.0
    s = rng.normal(size=samples) + shift * y
    s[:4] = -0.1, 0.1, 0.2, -0.2
    return s, y


def mean_loss(A: float, B: float, s: np.ndarray, t: np.ndarray) -> float:
    """The objective as the catalogue writes it."""
    z = A * s + B
    return float(np.mean(np.logaddexp(0.0, z) - t * z))


# --- against other programs ---


@pytest.mark.parametrize("seed", range(4))
def test_platts_targets_give_the_sigmoid_of_scikit_learn(seed: int) -> None:
    """Its sigmoid is 1 / (1 + exp(a s + b)), and its own solver stops at about 1e-6."""
    s, y = overlapping(seed)
    ours, theirs = PlattCalibration(s, y, targets="platt").solve(tol=TIGHT), _SigmoidCalibration().fit(s, y)
    assert ours.status is Status.OPTIMAL, ours
    np.testing.assert_allclose([ours.A, ours.B], [-theirs.a_, -theirs.b_], atol=1e-4)
    np.testing.assert_allclose(ours.probability(s), theirs.predict(s), atol=1e-4)
    t = PlattCalibration(s, y, targets="platt").t
    assert ours.objective <= mean_loss(-theirs.a_, -theirs.b_, s, t) + 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_plain_targets_give_the_logistic_regression_of_scikit_learn(seed: int) -> None:
    s, y = overlapping(seed)
    ours = PlattCalibration(s, y).solve(tol=TIGHT)
    theirs = LogisticRegression(C=1e12, solver="newton-cholesky", tol=1e-12).fit(s[:, None], y)
    assert ours.status is Status.OPTIMAL, ours
    np.testing.assert_allclose([ours.A, ours.B], [theirs.coef_[0, 0], theirs.intercept_[0]], rtol=1e-9)
    np.testing.assert_allclose(ours.probability(s), theirs.predict_proba(s[:, None])[:, 1], atol=1e-6)


def test_plain_targets_give_the_loss_of_the_margins() -> None:
    s, y = overlapping()
    ours = PlattCalibration(s, y).solve()
    assert ours.objective == pytest.approx(np.mean(np.log1p(np.exp(-y * (ours.A * s + ours.B)))), rel=1e-12)


def test_platts_targets_by_hand() -> None:
    targets = PlattCalibration([1.0, 2.0, 0.0, 0.5, -1.0], [1, 1, 0, 0, 0], targets="platt").t
    np.testing.assert_allclose(targets, [3 / 4, 3 / 4, 1 / 5, 1 / 5, 1 / 5])


@pytest.mark.parametrize("solver", ["clarabel", "scs"])
@pytest.mark.parametrize("targets", ["plain", "platt"])
def test_cone_solvers_prove_the_same_value_and_how_far_their_A_and_B_are(targets: Any, solver: str) -> None:
    s, y = overlapping(samples=30)
    model = PlattCalibration(s, y, targets=targets)
    first, second = model.solve(), model.solve(solver)
    assert (first.solver, second.solver) == ("newton", solver)
    assert first.status is second.status is Status.OPTIMAL
    assert first.objective == pytest.approx(second.objective, rel=1e-6)
    assert first.objective <= second.objective * (1 + 1e-14)
    assert abs(second.A - first.A) <= second.A_error + first.A_error
    assert abs(second.B - first.B) <= second.B_error + first.B_error
    # The gap of a flat problem says less of them than their own bounds do.
    assert 1e-12 < second.A_error < 0.01
    assert first.A_error < 1e-13


# --- to the last digit ---


def exact(s: np.ndarray, t: np.ndarray, A: float, B: float) -> tuple[mp.mpf, mp.mpf]:
    """Return the optimal A and B, by Newton's method in 50 digits from a point near them."""
    with mp.workdps(50):
        scores, targets, A, B = [mp.mpf(v) for v in s.tolist()], [mp.mpf(v) for v in t.tolist()], mp.mpf(A), mp.mpf(B)
        for _ in range(60):
            p = [1 / (1 + mp.exp(-A * v - B)) for v in scores]
            left, weights = [a - b for a, b in zip(p, targets, strict=True)], [a * (1 - a) for a in p]
            g, h = mp.fsum(left), mp.fsum(weights)
            slope, mixed = mp.fdot(left, scores), mp.fdot(weights, scores)
            square = mp.fdot(weights, [v * v for v in scores])
            determinant = h * square - mixed**2
            dB, dA = (mixed * slope - square * g) / determinant, (mixed * g - h * slope) / determinant
            A, B = A + dA, B + dB
            if -(g * dB + slope * dA) < mp.mpf(10) ** -70:
                return A, B
    raise AssertionError("Newton's method in 50 digits must converge")


def hard_scores(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores of units from 1e-6 to 1e6 and offsets up to 1e6 units, with rare classes, outliers and long tails."""
    rng = np.random.default_rng(seed)
    samples = int(rng.integers(4, 120))
    y = np.where(rng.random(samples) < rng.choice([0.5, 0.1, 0.02]), 1.0, -1.0)
    y[:2] = 1.0, -1.0
    s = (rng.normal(size=samples) if seed % 2 else rng.standard_cauchy(samples)) + rng.choice([0.0, 0.3, 1.0, 3.0]) * y
    if seed % 3 == 0:
        s[rng.integers(samples)] *= 10.0 ** rng.integers(1, 8)
    return (s + rng.choice([0.0, 1.0, -1e3, 1e6])) * 10.0 ** rng.integers(-6, 7), y


@pytest.mark.parametrize("targets", ["plain", "platt"])
@pytest.mark.parametrize("seed", range(30))
def test_A_and_B_have_all_their_digits(seed: int, targets: Any) -> None:
    s, y = hard_scores(seed)
    try:
        model = PlattCalibration(s, y, targets=targets)
    except SeparableScoresError:
        model = PlattCalibration(s, y, targets="platt")
    solution = model.solve()
    A, B = exact(s, model.t, solution.A, solution.B)
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.holds(1e-9)
    assert abs(solution.A - A) <= 1e-12 * abs(A)
    assert abs(solution.B - B) <= 1e-12 * abs(B)
    for answer in (solution, model.solve(max_iter=2)):
        assert abs(answer.A - A) <= answer.A_error
        assert abs(answer.B - B) <= answer.B_error
    assert solution.A_error < np.inf


def test_many_samples() -> None:
    """Their optimum is that of a sample for each different score, weighted by how many have it."""
    rng = np.random.default_rng(0)
    s = rng.integers(-40, 41, 200_000) / 8.0 + 1e4
    y = np.where(rng.random(s.size) < 1 / (1 + np.exp(-(0.7 * (s - 1e4) - 3.0))), 1, 0)
    solution = PlattCalibration(s, y).solve()
    scores, place = np.unique(s, return_inverse=True)
    counts, ones = np.bincount(place), np.bincount(place, weights=y)
    with mp.workdps(50):
        A, B = mp.mpf(solution.A), mp.mpf(solution.B)
        p = [1 / (1 + mp.exp(-A * v - B)) for v in scores.tolist()]
        left = [int(n) * a - int(k) for n, a, k in zip(counts, p, ones, strict=True)]
        weights = [int(n) * a * (1 - a) for n, a in zip(counts, p, strict=True)]
        centre = mp.fdot(weights, scores.tolist()) / mp.fsum(weights)
        offsets = [v - centre for v in scores.tolist()]
        step = mp.fdot(left, offsets) / mp.fdot(weights, [v * v for v in offsets])
    assert solution.status is Status.OPTIMAL
    assert abs(step) < 1e-12 * abs(A)
    assert abs(step) <= solution.A_error < 1e-10 * abs(A)


@given(seed=st.integers(0, 99), A=st.floats(-1.0, 1.0), B=st.floats(-1.0, 1.0), size=st.integers(-12, 0))
@law
def test_the_bounds_of_A_and_B_hold_for_every_answer(seed: int, A: float, B: float, size: int) -> None:
    s, y = overlapping(seed, samples=25)
    model = PlattCalibration(s, y, targets="platt")
    best = model.solve()
    program = SigmoidFit(model.scores, model.t)
    found = best.A + 10.0**size * A, best.B + 10.0**size * B
    for bound, value, optimum in zip(SigmoidBounds(program).errors(*found), found, (best.A, best.B), strict=True):
        assert abs(value - optimum) <= bound + 1e-14
        assert bound == np.inf or bound <= 100.0 * 10.0**size + 1e-12


def test_nothing_is_proved_of_A_where_it_is_not_determined_or_no_number() -> None:
    solution = PlattCalibration([2.0, 2.0, 2.0], [1, 0, 0]).solve()
    assert (solution.A, solution.A_error) == (0.0, np.inf)
    model = PlattCalibration(*overlapping())
    bounds = SigmoidBounds(SigmoidFit(model.scores, model.t))
    for answer in ((np.nan, 0.0), (1e308, 1e308), (1e3, 0.0)):
        assert bounds.errors(*answer) == (np.inf, np.inf)


def test_a_slope_beyond_float64_is_said() -> None:
    s, y = overlapping()
    with pytest.raises(SolverFailedError, match=r"A is beyond the largest number of float64, multiply the scores"):
        PlattCalibration(1e-310 * s, y).solve()


def test_a_start_that_is_near_saves_steps_and_one_that_is_far_costs_none() -> None:
    s, y = overlapping()
    model = PlattCalibration(s, y)
    best = model.solve()
    near = model.solve(warm_start=[best.A + 1e-6, best.B], max_iter=3)
    far = model.solve(warm_start=[1e9, -1e9])
    for answer in (near, far):
        np.testing.assert_allclose([answer.A, answer.B], [best.A, best.B], rtol=1e-13)
    assert near.certificate.holds(1e-12)
    with pytest.raises(ShapeError, match="warm_start"):
        model.solve(warm_start=[1.0, 2.0, 3.0])


def test_the_answer_is_that_of_the_problem_stated_before_or_after() -> None:
    s, y = overlapping()
    before, after = PlattCalibration(s, y), PlattCalibration(s, y)
    assert before.A.value is None
    for model in (before, after):
        solution = model.solve()
        assert float(model.A.value) == solution.A
        assert model.problem.value == solution.objective


# --- duality ---


@pytest.mark.parametrize("targets", ["plain", "platt"])
def test_primal_and_dual_in_cvxpy_have_one_value_and_share_their_multipliers(targets: Any) -> None:
    s, y = overlapping(3)
    model = PlattCalibration(s, y, targets=targets)
    solution = model.solve(tol=TIGHT)
    value = model.dual.solve(solver="CLARABEL")
    assert value == pytest.approx(solution.objective, rel=1e-7)
    offset, slope = model.dual.constraints
    assert (offset.label, slope.label) == ("offset", "slope")
    assert float(offset.dual_value) == pytest.approx(solution.B, abs=1e-4)
    assert float(slope.dual_value) == pytest.approx(solution.A, abs=1e-4)
    np.testing.assert_allclose(model.dual.variables()[0].value, solution.probability(s), rtol=1e-3, atol=1e-5)


@given(
    seed=st.integers(0, 99),
    A=st.floats(-30.0, 30.0),
    B=st.floats(-30.0, 30.0),
    targets=st.sampled_from(["plain", "platt"]),
)
@quick_law
def test_the_bounds_hold_for_every_answer(seed: int, A: float, B: float, targets: Any) -> None:
    s, y = overlapping(seed, samples=25)
    model = PlattCalibration(s, y, targets=targets)
    certificate = model.certify(A, B)
    found = minimize(lambda v: mean_loss(v[0], v[1], s, model.t), [0.0, 0.0], method="BFGS", options={"gtol": 1e-8})
    assert certificate.primal_value == pytest.approx(mean_loss(A, B, s, model.t), rel=1e-12)
    assert certificate.dual_value <= found.fun + 1e-12
    assert certificate.dual_value >= 0.0
    assert certificate.dual_residual <= 1e-12
    if certificate.holds(1e-6):
        assert abs(certificate.primal_value - found.fun) <= 2e-6 * found.fun


@given(seed=st.integers(0, 99), move=st.floats(-0.3, 0.3))
@law
def test_the_gap_is_of_the_size_of_the_error(seed: int, move: float) -> None:
    """Moved onto the equations, the probabilities of a near miss prove it near: the gap is of the size of the error."""
    assume(abs(move) > 1e-3)
    s, y = overlapping(seed)
    model = PlattCalibration(s, y, targets="platt")
    best = model.solve(tol=TIGHT)
    near = model.certify(best.A + move, best.B - move)
    excess = near.primal_value - best.objective
    assert excess > 1e-8
    assert near.primal_value - near.dual_value <= 3.0 * excess
    assert not near.holds(1e-8)


def test_a_wrong_answer_is_not_certified() -> None:
    s, y = overlapping()
    model = PlattCalibration(s, y)
    best = model.solve(tol=TIGHT)
    assert model.certify(best.A, best.B).holds(1e-8)
    assert not model.certify(-best.A, best.B).holds(1e-2)
    assert not model.certify(0.0, 0.0).holds(1e-3)
    assert not model.certify(np.nan, 0.0).holds(1e9)
    assert not model.certify(np.inf, 0.0).holds(1e9)
    assert not model.certify(1e308, 1e308).holds(1e9)


# --- laws ---


@given(seed=st.integers(0, 99), targets=st.sampled_from(["plain", "platt"]))
@law
def test_the_mean_probability_is_the_mean_target(seed: int, targets: Any) -> None:
    s, y = overlapping(seed)
    model = PlattCalibration(s, y, targets=targets)
    p = model.solve(tol=TIGHT).probability(s)
    assert p.mean() == pytest.approx(model.t.mean(), abs=1e-14)
    assert p @ s == pytest.approx(model.t @ s, abs=1e-12 * s.size)


@given(seed=st.integers(0, 99), unit=st.sampled_from([1e-3, 0.1, 40.0, 1e4]), origin=st.floats(-5.0, 5.0))
@law
def test_probabilities_do_not_depend_on_unit_and_origin_of_the_scores(seed: int, unit: float, origin: float) -> None:
    s, y = overlapping(seed)
    plain, changed = (PlattCalibration(v, y, targets="platt").solve(tol=TIGHT) for v in (s, unit * (s - origin)))
    np.testing.assert_allclose(changed.probability(unit * (s - origin)), plain.probability(s), atol=1e-12)
    assert changed.A * unit == pytest.approx(plain.A, rel=1e-12)


@given(seed=st.integers(0, 99), targets=st.sampled_from(["plain", "platt"]))
@law
def test_exchanging_the_classes_exchanges_the_probabilities(seed: int, targets: Any) -> None:
    s, y = overlapping(seed)
    one, other = (PlattCalibration(s, labels, targets=targets).solve(tol=TIGHT) for labels in (y, -y))
    np.testing.assert_allclose(one.probability(s), 1.0 - other.probability(s), atol=1e-14)
    np.testing.assert_allclose([one.A, one.B], [-other.A, -other.B], rtol=1e-12)


def test_equal_scores_give_every_sample_the_share_of_its_class() -> None:
    solution = PlattCalibration([2.0, 2.0, 2.0, 2.0], [1, 1, 1, 0]).solve()
    assert solution.status is Status.OPTIMAL
    np.testing.assert_allclose(solution.probability([2.0]), [0.75], rtol=1e-14)


# --- scores that separate ---


@pytest.mark.parametrize(
    ("scores", "y", "threshold"),
    [
        ([0.0, 1.0, 2.0, 3.0], [0, 0, 1, 1], 1.5),
        ([0.0, 1.0, 2.0, 3.0], [1, 1, 0, 0], 1.5),
        ([0.0, 1.0, 1.0, 3.0], [0, 0, 1, 1], 1.0),
        ([0.0, 1.0, 1.0, 1.0], [0, 0, 1, 1], 1.0),
    ],
    ids=["apart", "apart and reversed", "touching", "touching at the end"],
)
def test_plain_targets_refuse_scores_that_separate(scores: Any, y: Any, threshold: float) -> None:
    with pytest.raises(SeparableScoresError, match=r"no finite A is optimal; use targets='platt'") as caught:
        PlattCalibration(scores, y)
    assert caught.value.threshold == threshold
    solution = PlattCalibration(scores, y, targets="platt").solve()
    assert solution.status is Status.OPTIMAL
    assert (solution.A > 0) == (y[0] == 0)


def test_the_message_names_the_classes_in_their_order() -> None:
    with pytest.raises(SeparableScoresError, match=r"none of 'low' is above 1\.5 and none of 'top' below it"):
        PlattCalibration([1.0, 2.0], ["low", "top"])
    with pytest.raises(SeparableScoresError, match=r"none of 'top' is above 1\.5 and none of 'low' below it"):
        PlattCalibration([2.0, 1.0], ["low", "top"])


@given(
    scores=st.lists(st.integers(0, 3), min_size=2, max_size=6),
    labels=st.lists(st.sampled_from([-1, 1]), min_size=6, max_size=6),
)
@quick_law
def test_plain_targets_are_refused_where_a_direction_lowers_the_loss_for_ever(
    scores: list[int], labels: list[int]
) -> None:
    y = np.array(labels[: len(scores)], dtype=float)
    assume(abs(y.sum()) < y.size)
    s = np.array(scores, dtype=float)
    directions = [(A, -A * c) for A in (1.0, -1.0) for c in s] + [(0.0, 1.0), (0.0, -1.0)]
    margins = [y * (A * s + B) for A, B in directions]
    endless = any((m >= 0).all() and (m > 0).any() for m in margins)
    if endless:
        with pytest.raises(SeparableScoresError):
            PlattCalibration(s, y)
    else:
        assert PlattCalibration(s, y).certify(0.0, 0.0).primal_value == pytest.approx(np.log(2.0))


# --- the model as an object ---


def test_the_problem_is_cvxpys_and_holds_the_answer() -> None:
    s, y = overlapping()
    model = PlattCalibration(s, y)
    solution = model.solve()
    assert isinstance(solution, Calibration)
    assert model.problem.is_dcp()
    assert {variable.name() for variable in model.problem.variables()} == {"A", "B"}
    assert float(model.A.value) == solution.A
    assert float(model.B.value) == solution.B
    assert model.problem.status == "optimal"
    assert model.problem.value == pytest.approx(solution.objective, rel=1e-7)
    assert "sigmoid(A s + B) by newton: optimal, A = " in str(solution)
    with pytest.raises(AttributeError):
        model.targets = "platt"  # type: ignore[misc]


def test_a_limit_that_comes_first_is_told() -> None:
    s, y = overlapping()
    model = PlattCalibration(s, y)
    solution = model.solve(max_iter=1)
    assert solution.status is Status.STOPPED
    assert not solution.certificate.holds(solution.tol)
    assert model.problem.status == "optimal_inaccurate"


def test_a_tolerance_beyond_float64_leaves_the_answer_uncertified() -> None:
    s, y = overlapping()
    assert PlattCalibration(s, y).solve(tol=1e-18).status is Status.UNCERTIFIED


def test_probabilities_stay_within_0_and_1_at_any_score() -> None:
    s, y = overlapping()
    p = PlattCalibration(s, y).solve().probability([-1.7e308, -50.0, 50.0, 1.7e308])
    assert p[0] == 0.0
    assert p[-1] == 1.0
    assert (np.diff(p) >= 0).all()


def test_sigmoids_that_are_fitted_together_are_proved_as_each_alone() -> None:
    models = [PlattCalibration(*overlapping(seed, samples), targets="platt") for seed, samples in enumerate((40, 70))]
    fitted = Calibrations(models)
    np.testing.assert_allclose(fitted.sigmoids.A, [model.solve().A for model in models], rtol=1e-13)
    for one, other in zip(fitted, (model.solve() for model in models), strict=True):
        assert (one.status, one.solver, one.tol) == (Status.OPTIMAL, "newton", 1e-6)
        np.testing.assert_allclose([one.A, one.B, one.objective], [other.A, other.B, other.objective], rtol=1e-13)
    content = pickle.dumps(fitted)
    assert str(pickle.loads(content)[:]) == str(fitted[:])
    assert not any(score.tobytes() in content for score in models[0].scores)
    s, y = overlapping()
    with pytest.raises(SolverFailedError, match="multiply the scores"):
        Calibrations([*models, PlattCalibration(1e-310 * s, y)])


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (([1.0, np.nan], [0, 1]), {}, NonFiniteError, "scores must hold finite numbers"),
        (([[1.0, 2.0]], [0, 1]), {}, ShapeError, "scores must have one dimension"),
        (([1.0, 2.0, 3.0], [0, 1]), {}, ShapeError, "same length"),
        (([1.0, 2.0], [1, 1]), {}, OneClassError, "every label is 1"),
        (([1.0, 2.0, 3.0], [0, 1, 2]), {}, LabelError, "holds 3"),
        (([1.0, 2.0], [0, 1]), {"targets": "smooth"}, ParameterError, "'plain' or 'platt', but 'smooth' came"),
    ],
)
def test_bad_input_is_refused(arguments: Any, options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        PlattCalibration(*arguments, **options)
