# SPDX-License-Identifier: BSD-3-Clause
"""The perceptron: against a slow reference, against its kernel form, and against the bound on its mistakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formulations import (
    HardMargin,
)
from formulations.models.classification.separation.perceptron import (
    BatchPerceptron,
    Perceptron,
    PerceptronSolution,
    mistake_bound,
)
from qpkernels.errors import LabelError, NonFiniteError, OneClassError, ParameterError, ShapeError
from qpkernels.gram import Gram
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import RBF, Linear, Polynomial, Precomputed
from qpkernels.problems import Status

law = settings(derandomize=True, deadline=None, max_examples=150, database=None)

TRIANGLE = np.array([[0.0, 2.0], [2.0, 0.0], [-1.0, -1.0]])
TRIANGLE_LABELS = np.array([1.0, 1.0, -1.0])

XOR = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
XOR_LABELS = np.array([1.0, -1.0, -1.0, 1.0])


def separable(seed: int, samples: int = 40, features: int = 3, gap: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Samples on both sides of a plane that lies off the origin, none closer to it than the gap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(samples, features))
    y = np.where(rng.random(samples) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    X[:, 0] = y * (gap + np.abs(X[:, 0])) + rng.normal()
    return X, y


def points(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """z_i = y_i (1, x_i)."""
    return y[:, None] * np.column_stack([np.ones(len(X)), X])


def lack(z: np.ndarray, a: np.ndarray) -> float:
    """J_p, sample by sample."""
    return -sum(min(float(a @ point), 0.0) for point in z)


def single_sample_reference(
    z: np.ndarray, epochs: int, eta: Callable[[int], float] = lambda _: 1.0, start: np.ndarray | None = None
) -> tuple[np.ndarray, list[int], list[float]]:
    """B2 as the book has it."""
    a, errors, values = np.zeros(z.shape[1]) if start is None else start, [], []
    for _ in range(epochs):
        errors.append(0)
        values.append(lack(z, a))
        for point in z:
            if a @ point <= 0:
                errors[-1] += 1
                a = a + eta(sum(errors)) * point
        if not errors[-1]:
            break
    return a, errors, [*values, lack(z, a)]


def batch_reference(
    z: np.ndarray, eta: Callable[[int], float], threshold: float, epochs: int, start: np.ndarray | None = None
) -> tuple[np.ndarray, list[int], list[float]]:
    """B1 as the book has it."""
    a, errors, values = np.zeros(z.shape[1]) if start is None else start, [], []
    for k in range(1, epochs + 1):
        values.append(lack(z, a))
        wrong = z @ a <= 0
        step = eta(k) * z[wrong].sum(axis=0)
        a, errors = a + step, [*errors, int(wrong.sum())]
        if np.linalg.norm(step) <= threshold:
            break
    return a, errors, [*values, lack(z, a)]


# --- what the rules do ---


def test_three_points_by_hand() -> None:
    """The first sample is corrected, a = (1, 0, 2); the others are right then, at values 1 and -1."""
    solution = Perceptron(TRIANGLE, TRIANGLE_LABELS).solve()
    assert solution.weights is not None
    assert solution.weights.tolist() == [1.0, 0.0, 2.0]
    assert solution.alpha.tolist() == [1.0, 0.0, 0.0]
    assert solution.function(TRIANGLE).tolist() == [5.0, 1.0, -1.0]
    assert (solution.mistakes, solution.epochs, solution.errors.tolist()) == (1, 2, [1, 0])
    assert solution.separated
    assert solution.intercept == 1.0
    assert str(solution) == (
        "Perceptron: every sample is on its right side (a whole pass found no mistake); mistakes: 1, epochs: 2"
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_single_sample_rule_is_that_of_the_book(seed: int) -> None:
    X, y = separable(seed)
    solution = Perceptron(X, y).solve(max_epochs=5000)
    a, errors, values = single_sample_reference(points(X, y), 5000)
    assert solution.errors.tolist() == errors
    assert solution.mistakes == sum(errors) == solution.alpha.sum()
    np.testing.assert_allclose(solution.weights, a, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(solution.criterion, values, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("rate", "threshold"), [(1.0, 0.0), (0.25, 0.0), (0.5, 4.0)])
def test_the_batch_rule_is_that_of_the_book(seed: int, rate: float, threshold: float) -> None:
    X, y = separable(seed)
    solution = BatchPerceptron(X, y, rate=rate, threshold=threshold).solve(max_epochs=5000)
    a, errors, values = batch_reference(points(X, y), lambda _: rate, threshold, 5000)
    assert solution.errors.tolist() == errors
    assert solution.mistakes == np.count_nonzero(errors)
    np.testing.assert_allclose(solution.weights, a, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(solution.criterion, values, rtol=1e-9, atol=1e-9)
    assert solution.separated == bool((points(X, y) @ a > 0).all())


@pytest.mark.parametrize("rule", [Perceptron, BatchPerceptron])
def test_the_linear_kernel_makes_the_same_mistakes(rule: Any) -> None:
    X, y = separable(3)
    explicit, kernel = rule(X, y).solve(), rule(X, y, Linear()).solve()
    assert explicit.separated
    assert kernel.errors.tolist() == explicit.errors.tolist()
    assert kernel.alpha.tolist() == explicit.alpha.tolist()
    assert kernel.weights is None
    np.testing.assert_allclose(kernel.function(X), explicit.function(X), rtol=1e-10)
    np.testing.assert_allclose(explicit.weights, explicit.alpha @ points(X, y), rtol=1e-12)


@pytest.mark.parametrize("rule", [Perceptron, BatchPerceptron])
def test_a_kernel_is_its_explicit_map(rule: Any) -> None:
    """(x'z)^2 is the inner product of (x1^2, sqrt(2) x1 x2, x2^2), which separates the labels of XOR."""
    X = np.random.default_rng(0).uniform(-1.0, 1.0, size=(60, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
    mapped = np.column_stack([X[:, 0] ** 2, np.sqrt(2.0) * X[:, 0] * X[:, 1], X[:, 1] ** 2])
    by_kernel = rule(X, y, Polynomial(2, 1.0, 0.0)).solve(max_epochs=20_000)
    by_map = rule(mapped, y).solve(max_epochs=20_000)
    assert by_kernel.separated
    assert by_kernel.errors.tolist() == by_map.errors.tolist()
    new = np.random.default_rng(1).uniform(-1.0, 1.0, size=(20, 2))
    mapped_new = np.column_stack([new[:, 0] ** 2, np.sqrt(2.0) * new[:, 0] * new[:, 1], new[:, 1] ** 2])
    np.testing.assert_allclose(by_kernel.function(new), by_map.function(mapped_new), rtol=1e-8, atol=1e-8)


def test_the_rate_scales_the_batch_rule_and_nothing_else() -> None:
    X, y = separable(4)
    plain, scaled = BatchPerceptron(X, y).solve(), BatchPerceptron(X, y, rate=8.0).solve()
    assert scaled.errors.tolist() == plain.errors.tolist()
    np.testing.assert_allclose(scaled.weights, 8.0 * np.asarray(plain.weights), rtol=1e-12)


def test_a_gram_is_shared_and_gives_the_kernel_form() -> None:
    X, y = separable(5)
    gram = Gram(RBF(0.5), X)
    shared, own = Perceptron(gram, y).solve(), Perceptron(X, y, RBF(0.5)).solve()
    assert shared.alpha.tolist() == own.alpha.tolist()
    assert shared.function.kernel == RBF(0.5)
    assert len(shared.function.centers) == np.count_nonzero(shared.alpha)


def test_a_precomputed_matrix_is_taken() -> None:
    X, y = separable(5)
    numbers, K = np.arange(len(X)), Precomputed(X @ X.T)
    assert Perceptron(numbers, y, K).solve().alpha.tolist() == Perceptron(X, y).solve().alpha.tolist()


def test_a_seed_draws_an_order_that_can_be_repeated() -> None:
    X, y = separable(6, gap=0.02)
    first, again = Perceptron(X, y, seed=1).solve(), Perceptron(X, y, seed=1).solve()
    assert first.alpha.tolist() == again.alpha.tolist()
    assert first.separated
    others = [Perceptron(X, y, seed=seed).solve().alpha.tolist() for seed in (None, 2, 3)]
    assert first.alpha.tolist() not in others


def test_labels_are_those_given() -> None:
    names = np.where(TRIANGLE_LABELS > 0, "yes", "no")
    for rule in (Perceptron, BatchPerceptron):
        assert rule(TRIANGLE, names).solve().function.predict(TRIANGLE).tolist() == names.tolist()


# --- rates, a start, the criterion ---


RATES: list[Callable[[int], float]] = [lambda k: 1.0 / k, lambda k: 0.1 + k % 3, np.sqrt]


@pytest.mark.parametrize("eta", RATES)
@pytest.mark.parametrize("begins", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_rates_and_a_start_are_those_of_the_book(seed: int, begins: bool, eta: Any) -> None:
    X, y = separable(seed)
    z = points(X, y)
    start = np.random.default_rng(seed).normal(size=4) if begins else None
    for solution, (a, errors, values) in (
        (Perceptron(X, y, rate=eta, start=start).solve(max_epochs=60), single_sample_reference(z, 60, eta, start)),
        (BatchPerceptron(X, y, rate=eta, start=start).solve(max_epochs=60), batch_reference(z, eta, 0.0, 60, start)),
    ):
        assert solution.errors.tolist() == errors
        np.testing.assert_allclose(solution.weights, a, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(solution.criterion, values, rtol=1e-9, atol=1e-8)
        begin = np.zeros(4) if start is None else start
        np.testing.assert_allclose(solution.weights, begin + solution.alpha @ z, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rule", [Perceptron, BatchPerceptron])
def test_a_fixed_rate_scales_a_and_changes_no_decision_from_zero(rule: Any) -> None:
    X, y = separable(4)
    plain, scaled = rule(X, y).solve(), rule(X, y, rate=0.125).solve()
    assert scaled.errors.tolist() == plain.errors.tolist()
    np.testing.assert_allclose(scaled.weights, 0.125 * np.asarray(plain.weights), rtol=1e-12)
    np.testing.assert_allclose(scaled.criterion, 0.125 * plain.criterion, rtol=1e-9)


@pytest.mark.parametrize("rule", [Perceptron, BatchPerceptron])
def test_a_rate_matters_where_a_starts_elsewhere(rule: Any) -> None:
    X, y = separable(4)
    start = [40.0, -30.0, 20.0, 10.0]
    slow, fast = (rule(X, y, rate=rate, start=start).solve() for rate in (0.1, 10.0))
    assert slow.separated
    assert fast.separated
    assert slow.epochs > fast.epochs


@pytest.mark.parametrize("rule", [Perceptron, BatchPerceptron])
def test_what_separates_is_left_as_it_is(rule: Any) -> None:
    X, y = separable(5)
    first = rule(X, y).solve()
    again = rule(X, y, start=first.weights).solve()
    assert (again.mistakes, again.errors.tolist(), again.criterion.tolist()) == (0, [0], [0.0, 0.0])
    assert again.weights.tolist() == first.weights.tolist()
    assert not again.alpha.any()
    kernel = rule(X, y, RBF(0.5)).solve()
    again = rule(X, y, RBF(0.5), start=kernel.alpha).solve()
    assert (again.mistakes, again.weights) == (0, None)
    np.testing.assert_allclose(again.function(X), kernel.function(X), rtol=1e-12)


@pytest.mark.parametrize("rule", [Perceptron, BatchPerceptron])
def test_a_start_in_coefficients_is_the_start_in_weights(rule: Any) -> None:
    X, y = separable(6)
    start = np.random.default_rng(6).normal(size=len(X))
    by_weights = rule(X, y, rate=RATES[1], start=start @ points(X, y)).solve(max_epochs=50)
    by_kernel = rule(X, y, Linear(), rate=RATES[1], start=start).solve(max_epochs=50)
    assert by_kernel.errors.tolist() == by_weights.errors.tolist()
    np.testing.assert_allclose(by_kernel.criterion, by_weights.criterion, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(by_kernel.function(X), by_weights.function(X), rtol=1e-7, atol=1e-7)


def test_the_criterion_by_hand() -> None:
    """From a = (0, -1, 0) the margins are 0, -2 and -1; the batch adds all three z_i, whose sum is (1, 3, 3)."""
    solution = BatchPerceptron(TRIANGLE, TRIANGLE_LABELS, start=[0.0, -1.0, 0.0]).solve()
    assert solution.criterion.tolist() == [3.0, 0.0, 0.0]
    assert solution.weights is not None
    assert solution.weights.tolist() == [1.0, 2.0, 3.0]


def test_the_criterion_is_zero_at_zero_too() -> None:
    solution = BatchPerceptron(XOR, XOR_LABELS).solve(max_epochs=3)
    assert solution.criterion.tolist() == [0.0, 0.0]
    assert not solution.separated


def test_a_rate_is_asked_for_the_corrections_made_and_no_other() -> None:
    X, y = separable(7)
    for rule in (Perceptron, BatchPerceptron):
        asked: list[int] = []
        solution = rule(X, y, rate=lambda k, asked=asked: asked.append(k) or 1.0).solve()  # type: ignore[func-returns-value]
        assert asked == list(range(1, solution.mistakes + 1))


def test_the_start_is_not_changed() -> None:
    X, y = separable(8)
    start = np.ones(4)
    perceptron = Perceptron(X, y, start=start)
    first, again = perceptron.solve(), perceptron.solve()
    assert start.tolist() == [1.0] * 4
    assert first.weights is not None
    assert again.weights is not None
    assert first.weights.tolist() == again.weights.tolist()


@pytest.mark.parametrize("rule", [Perceptron, BatchPerceptron])
@pytest.mark.parametrize("kernel", [None, RBF(1.0)])
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "must be finite and above 0, but 0 came"),
        (-1.0, "must be finite and above 0, but -1 came"),
        (np.nan, "must be finite and above 0, but nan came"),
        (np.inf, "must be finite and above 0, but inf came"),
        ("fast", "must be a number above 0, but 'fast' came"),
        (None, "must be a number above 0, but None came"),
        ([1.0, 2.0], "must be a number above 0, but"),
    ],
)
def test_a_rate_is_checked_when_it_is_used(rule: Any, kernel: Any, k: int, value: Any, words: str) -> None:
    perceptron = rule(
        XOR,
        XOR_LABELS,
        kernel,
        rate=lambda now: value if now == k else 0.5,
        start=[-1.0, 0.5, 2.0, 1.0][: 3 if kernel is None else 4],
    )
    with pytest.raises(ParameterError, match=rf"rate\({k}\) {words}"):
        perceptron.solve(max_epochs=20)


@pytest.mark.parametrize("rule", [Perceptron, BatchPerceptron])
@pytest.mark.parametrize("rate", [0.0, -1.0, np.nan, np.inf, "fast", None, [1.0, 2.0]])
def test_a_fixed_rate_is_checked_at_once(rule: Any, rate: Any) -> None:
    with pytest.raises(ParameterError, match="rate must be"):
        rule(TRIANGLE, TRIANGLE_LABELS, rate=rate)


@pytest.mark.parametrize("rule", [Perceptron, BatchPerceptron])
@pytest.mark.parametrize("kernel", [None, RBF(1.0)])
def test_steps_beyond_all_numbers_are_refused(rule: Any, kernel: Any) -> None:
    X, y = TRIANGLE * 1e10, TRIANGLE_LABELS
    with pytest.raises(ParameterError, match=r"within the range of float64, but epoch \d+ left it"):
        rule(X, y, kernel, rate=lambda _: 1e308).solve(max_epochs=20)


@pytest.mark.parametrize("rule", [Perceptron, BatchPerceptron])
@pytest.mark.parametrize(
    ("start", "kernel", "kind", "words"),
    [
        ([1.0, 2.0], None, ShapeError, r"start must be a = \(b, w\) with 3 entries, but it has 2"),
        (1.0, None, ShapeError, "start must have one dimension"),
        ([[1.0, 2.0, 3.0]], None, ShapeError, "start must have one dimension"),
        (
            [1.0, 2.0],
            RBF(1.0),
            ShapeError,
            "start must be one coefficient for each sample with 3 entries, but it has 2",
        ),
        ([1.0, np.nan, 0.0], None, NonFiniteError, "start"),
        ([1.0, np.inf, 0.0], RBF(1.0), NonFiniteError, "start"),
    ],
)
def test_a_start_of_another_kind_is_refused(rule: Any, start: Any, kernel: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        rule(TRIANGLE, TRIANGLE_LABELS, kernel, start=start)


# --- the bound ---


@pytest.mark.parametrize("options", [{"start": [0.0, 1.0, 0.0, 0.0]}, {"rate": lambda _: 1.0}])
def test_the_bound_is_refused_where_it_is_not_valid(options: dict[str, Any]) -> None:
    X, y = separable(7)
    hard = HardMargin(X, y).primal.solve()
    with pytest.raises(ParameterError, match="holds for a fixed rate from a = 0 only"):
        Perceptron(X, y, **options).mistake_bound(hard.function)
    plain = Perceptron(X, y, rate=3.0, start=np.zeros(4))
    assert plain.solve().mistakes <= plain.mistake_bound(hard.function)


def test_a_start_can_exceed_the_bound() -> None:
    """A start that is wrong by far has to be walked back; of the bound from a = 0 it knows nothing."""
    X, y = separable(7)
    bound = Perceptron(X, y).mistake_bound(HardMargin(X, y).primal.solve().function)
    start = [0.0, -100.0 * np.sqrt(bound), 0.0, 0.0]
    assert Perceptron(X, y, start=start).solve(max_epochs=100_000).mistakes > bound


def test_the_bound_by_hand() -> None:
    """The nearest hyperplane through a = (0, 1): z = (1, 1) and (-1, 1) have length sqrt(2) and margin 1."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    assert mistake_bound(points(X, y), [0.0, 3.0]) == pytest.approx(2.0)
    hard = HardMargin(X, y).primal.solve()
    assert Perceptron(X, y).mistake_bound(hard.function) == pytest.approx(2.0, rel=1e-6)


def test_both_ways_to_the_bound_agree() -> None:
    X, y = separable(7)
    hard = HardMargin(X, y).primal.solve("clarabel", tol=1e-8)
    w = hard.function.centers.T @ hard.function.coefficients
    expected = mistake_bound(points(X, y), np.append(hard.intercept, w))
    assert Perceptron(X, y).mistake_bound(hard.function) == pytest.approx(expected, rel=1e-9)
    z = points(X, y)
    a = np.append(hard.intercept, w)
    assert expected == pytest.approx((z**2).sum(axis=1).max() * (a @ a) / (z @ a).min() ** 2)


@given(
    seed=st.integers(0, 2**32 - 1),
    samples=st.integers(4, 24),
    features=st.integers(1, 4),
    gap=st.floats(0.02, 1.0),
    order=st.one_of(st.none(), st.integers(0, 99)),
    form=st.sampled_from(["primal", "dual"]),
)
@law
def test_mistakes_never_exceed_the_bound(
    seed: int, samples: int, features: int, gap: float, order: int | None, form: str
) -> None:
    X, y = separable(seed, samples, features, gap)
    hard = HardMargin(X, y).forms[form].solve(tol=1e-7)
    assert hard.status is Status.OPTIMAL
    perceptron = Perceptron(X, y, seed=order)
    bound = perceptron.mistake_bound(hard.function)
    solution = perceptron.solve(max_epochs=int(bound) + 1)
    assert solution.separated
    assert solution.mistakes <= bound
    # The hyperplane found separates too, so that it has a bound of its own.
    assert solution.mistakes <= perceptron.mistake_bound(solution.function)


@given(seed=st.integers(0, 2**32 - 1), samples=st.integers(4, 24), gamma=st.sampled_from([0.3, 3.0]))
@law
def test_mistakes_never_exceed_the_bound_in_the_space_of_a_kernel(seed: int, samples: int, gamma: float) -> None:
    X, y = separable(seed, samples, features=2, gap=0.1)
    hard = HardMargin(X, y, RBF(gamma)).dual.solve(tol=1e-7)
    perceptron = Perceptron(X, y, RBF(gamma))
    bound = perceptron.mistake_bound(hard.function)
    solution = perceptron.solve(max_epochs=int(bound) + 1)
    assert solution.separated
    assert solution.mistakes <= bound


@pytest.mark.parametrize("separator", [[0.0, 0.0], [0.0, -1.0], [1.0, 0.0]])
def test_a_bound_needs_a_separator(separator: list[float]) -> None:
    with pytest.raises(ParameterError, match="needs a function that separates the classes, but sample"):
        mistake_bound([[1.0, 1.0], [-1.0, 1.0]], separator)


def test_a_bound_needs_the_same_kernel() -> None:
    X, y = separable(8)
    other = Perceptron(X, y, RBF(0.5)).solve().function
    with pytest.raises(ParameterError, match=r"in the space of the kernel Linear\(\), but it is in that of RBF"):
        Perceptron(X, y).mistake_bound(other)


# --- no end, and bad input ---


def test_without_a_separator_it_stops_and_says_so() -> None:
    solution = Perceptron(XOR, XOR_LABELS).solve(max_epochs=7)
    assert (solution.separated, solution.epochs, solution.errors.size) == (False, 7, 7)
    assert (solution.errors > 0).all()
    assert "stopped at max_epochs = 7" in solution.message
    assert "Separability" in str(solution)


def test_the_batch_rule_can_come_to_rest_without_separating() -> None:
    """The four points of XOR pull in turn, and their sum is 0."""
    solution = BatchPerceptron(XOR, XOR_LABELS).solve(max_epochs=7)
    assert (solution.separated, solution.epochs, solution.mistakes) == (False, 1, 1)
    assert "4 samples are not (the last step has length 0" in solution.message
    X = np.array([[0.0], [1.0], [2.0]])
    assert BatchPerceptron(X, [1, -1, 1]).solve(max_epochs=9).epochs == 9


def test_a_threshold_can_end_it_early() -> None:
    X, y = separable(9, gap=0.01)
    exact, early = BatchPerceptron(X, y).solve(), BatchPerceptron(X, y, threshold=1e3).solve()
    assert exact.separated
    assert early.epochs == 1
    assert "last step has length" in early.message


def test_what_is_returned_cannot_be_changed() -> None:
    solution = Perceptron(TRIANGLE, TRIANGLE_LABELS).solve()
    assert isinstance(solution, PerceptronSolution)
    assert isinstance(solution.function, Expansion)
    for values in (solution.weights, solution.alpha, solution.errors):
        assert values is not None
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": -1}, "seed must be an integer of at least 0, or None for no shuffling, but -1 came"),
        ({"seed": "x"}, "seed must be an integer of at least 0, or None for no shuffling, but 'x' came"),
        ({"kernel": "rbf"}, "kernel must be a Kernel object"),
    ],
)
def test_options_outside_their_range_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Perceptron(TRIANGLE, TRIANGLE_LABELS, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rate": 0.0}, "rate must be finite and above 0, but 0 came"),
        ({"rate": np.inf}, "rate must be finite and above 0, but inf came"),
        ({"threshold": -1.0}, r"threshold must be a finite number of at least 0, but -1\.0 came"),
        ({"threshold": np.nan}, "threshold must be a finite number of at least 0, but nan came"),
    ],
)
def test_steps_outside_their_range_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        BatchPerceptron(TRIANGLE, TRIANGLE_LABELS, **options)


@pytest.mark.parametrize("rule", [Perceptron, BatchPerceptron])
@pytest.mark.parametrize("limit", [0, -3, 2.5, True, None])
def test_epochs_must_be_counted(rule: Any, limit: Any) -> None:
    with pytest.raises(ParameterError, match="max_epochs must be an integer of at least 1, but"):
        rule(TRIANGLE, TRIANGLE_LABELS).solve(max_epochs=limit)


def test_labels_of_other_than_two_classes_are_refused() -> None:
    with pytest.raises(OneClassError):
        Perceptron(TRIANGLE, [1, 1, 1])
    with pytest.raises(LabelError):
        Perceptron(TRIANGLE, [1, 2, 3])


@pytest.mark.parametrize("kernel", [None, Linear(), RBF(0.5)])
@pytest.mark.parametrize("how", [{}, {"seed": 3}, {"rate": lambda k: 1.0 / k}])
def test_corrections_are_those_of_the_solution(kernel: Any, how: dict[str, Any]) -> None:
    X, y = separable(3)
    rule = Perceptron(X, y, kernel, **how)
    solution, steps = rule.solve(), list(rule.corrections())
    assert len(steps) == solution.mistakes
    np.testing.assert_array_equal(steps[-1].alpha, solution.alpha)
    np.testing.assert_array_equal(np.bincount([step.epoch for step in steps])[1:], solution.errors[:-1])
    before = np.zeros(len(y))
    for step in steps:
        wrong = y[step.sample] * rule.decision(y * before)[step.sample]
        assert wrong <= 1e-12
        assert np.flatnonzero(step.alpha != before).tolist() == [step.sample]
        before = step.alpha


def test_corrections_end_after_the_passes_allowed() -> None:
    steps = list(Perceptron(XOR, XOR_LABELS).corrections(max_epochs=3))
    assert {step.epoch for step in steps} == {1, 2, 3}
    assert all(1 <= step.looked <= 4 for step in steps)
