# SPDX-License-Identifier: BSD-3-Clause
"""Models without slack: what is called infeasible is so in rational arithmetic, and what clearly is so is called so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formulations import HardMargin, HardTube, HullIntersection, Interpolation, Separability, SparseApproximation
from qpkernels.errors import InfeasibleError, InseparableError, QPKernelsError, SolverFailedError
from qpkernels.kernels import RBF, Columns, Kernel, Laplacian, Linear, Matern, Polynomial, Precomputed

SQUARE = Polynomial(2, 1.0, 1.0)
FAR = [[70.0], [71.0], [72.0]]
"""The kernel matrix of integers has determinant 8: f = 2 (x - 71)^2 - 1 meets 1, -1, 1."""
NEAR = 1e-4 * np.arange(4)[:, None]


def exact_matrix(kernel: Kernel | None, X: np.ndarray) -> list[list[Fraction]]:
    """Return the kernel matrix, or where it is irrational, but regular for different samples, one of the same rank."""
    rows = [list(map(Fraction, row)) for row in X.tolist()]
    match kernel:
        case None | Linear():
            return [[sum(map(Fraction.__mul__, x, z), Fraction(0)) for z in rows] for x in rows]
        case Polynomial(degree, gamma, coef0):
            products = exact_matrix(None, X)
            return [[(Fraction(gamma) * each + Fraction(coef0)) ** degree for each in row] for row in products]
        case Precomputed():
            return [[Fraction(kernel.K[i, j]) for j in X.tolist()] for i in X.tolist()]
        case _:
            return [[Fraction(x == z) for z in rows] for x in rows]


def null_vectors(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """Return a basis of the vectors that the matrix maps to 0, by Gauss' elimination."""
    rows, width, pivots = [row[:] for row in rows], len(rows[0]), []
    for column in range(width):
        rank = len(pivots)
        found = next((n for n in range(rank, len(rows)) if rows[n][column]), None)
        if found is None:
            continue
        rows[rank], rows[found] = rows[found], rows[rank]
        rows[rank] = [each / rows[rank][column] for each in rows[rank]]
        for n, row in enumerate(rows):
            if n != rank:
                rows[n] = [a - row[column] * b for a, b in zip(row, rows[rank], strict=True)]
        pivots.append(column)
    basis = []
    for free in set(range(width)) - set(pivots):
        vector = [Fraction(number == free) for number in range(width)]
        for n, column in enumerate(pivots):
            vector[column] = -rows[n][free]
        basis.append(vector)
    return basis


def circuits(K: list[list[Fraction]], *, balanced: bool) -> Iterator[tuple[tuple[int, ...], list[Fraction]]]:
    """Yield the minimal sets of dependent samples, and their weights; all dependences are sums of such."""
    for size in range(1, len(K) + 1):
        for samples in combinations(range(len(K)), size):
            rows = [[row[j] for j in samples] for row in K]
            basis = null_vectors([*rows, [Fraction(1)] * size] if balanced else rows)
            if len(basis) == 1 and all(basis[0]):
                yield samples, basis[0]


def contradicts(samples: tuple[int, ...], v: list[Fraction], y: np.ndarray, epsilon: float | None) -> bool:
    """Return whether these weights, of either sign, show that targets are too far apart, or classes inseparable."""
    if epsilon is None:
        signs = {Fraction(y[i]) * each > 0 for i, each in zip(samples, v, strict=True)}
        return len(signs) == 1
    reach = abs(sum((Fraction(y[i]) * each for i, each in zip(samples, v, strict=True)), Fraction(0)))
    return reach > Fraction(epsilon) * sum(map(abs, v))


def is_infeasible(
    kernel: Kernel | None, X: np.ndarray, y: np.ndarray, epsilon: float | None, *, balanced: bool
) -> bool:
    return any(
        contradicts(samples, v, y, epsilon) for samples, v in circuits(exact_matrix(kernel, X), balanced=balanced)
    )


def verdict(model: Any, form: str | None = None, solver: str | None = None) -> InfeasibleError | None:
    """Return the error that says that the model is infeasible; None where nothing says so."""
    with suppress(SolverFailedError):
        try:
            answer = (model if form is None else getattr(model, form)).solve(solver, time_limit=0.5)
            assert answer.status != "infeasible"
        except InfeasibleError as error:
            return error
    return None


@pytest.mark.parametrize("form", [None, "primal", "dual"])
@pytest.mark.parametrize("solver", [None, "clarabel", "osqp"])
def test_a_regular_matrix_of_integers_is_not_singular(form: str | None, solver: str | None) -> None:
    model = Interpolation(FAR, [1, -1, 1], SQUARE)
    assert verdict(model, form, solver) is None
    assert model.conflict() is None


@pytest.mark.parametrize("form", [None, "primal", "l1", "split"])
@pytest.mark.parametrize("solver", [None, "clarabel", "osqp"])
def test_a_tube_around_such_targets(form: str | None, solver: str | None) -> None:
    assert verdict(SparseApproximation(FAR, [1, -1, 1], SQUARE, epsilon=0.1), form, solver) is None
    assert verdict(SparseApproximation(NEAR, [1, -1, 1, -1], RBF(1.0), epsilon=0.1), form, solver) is None


def test_constraints_that_have_no_part_in_it_prove_nothing_more() -> None:
    for stated, entry in (
        (Interpolation(FAR, [1, -1, 1], SQUARE), 0),
        (Interpolation(NEAR, [1, -1, 1, -1], RBF(1.0)), 0),
        (HardMargin(NEAR, [1, -1, 1, -1], RBF(1.0)), 1),
        (Separability(NEAR, [1, -1, 1, -1], RBF(1.0)), 1),
    ):
        form = stated.primal
        assert verdict(form.extend(form.f.variable[entry] >= -1e18)) is None, stated
    form = Interpolation([[0.0], [0.0], [1.0]], [1.0, 2.0, 3.0], RBF(1.0)).primal
    error = verdict(form.extend(form.f.variable[0] >= -1e18))
    assert error is not None
    assert error.conflict.samples.tolist() == [0, 1]
    form = Separability([[0.0], [0.0], [1.0]], [1, -1, 1], RBF(1.0)).primal
    assert isinstance(verdict(form.extend(form.b >= -1e6)), InseparableError)


@pytest.mark.parametrize("kernel", [RBF(1.0), Matern(1.0, 2.5), Laplacian(1e-9)])
@pytest.mark.parametrize("distance", [1e-4, 1e-8, 1e-12])
def test_different_samples_are_independent(kernel: Kernel, distance: float) -> None:
    X = distance * np.arange(4)[:, None]
    for model in (
        Interpolation(X, [1, -1, 1, -1], kernel),
        HardTube(X, [1, -1, 1, -1], kernel, epsilon=0.1),
        HardMargin(X, [1, -1, 1, -1], kernel),
        Separability(X, [1, -1, 1, -1], kernel),
    ):
        assert verdict(model) is None, model
        assert verdict(model, "primal", "clarabel") is None, model


@pytest.mark.parametrize("offset", [7e2, 7e3, 7e4, 7e5, 7e6])
def test_a_parabola_far_from_the_origin_separates(offset: float) -> None:
    X, y = offset + np.arange(3.0)[:, None], [1, -1, 1]
    assert not is_infeasible(SQUARE, X, np.array(y), None, balanced=True)
    for model in (HardMargin(X, y, SQUARE), Separability(X, y, SQUARE), HardTube(X, y, SQUARE, epsilon=0.1)):
        assert verdict(model) is None
        assert verdict(model, "primal", "clarabel") is None


@pytest.mark.parametrize("kernel", [None, Linear(), SQUARE, RBF(1.0), RBF(1.0) + Linear(), 0.3 * Columns(RBF(1.0), 0)])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_two_targets_at_one_place_contradict_each_other(kernel: Kernel | None, offset: float) -> None:
    X = offset + np.array([[0.0], [0.0], [1.0], [3.0]])
    for model in (
        Interpolation(X, [1.0, 2.0, 1.0, 1.0], kernel),
        HardTube(X, [1.0, 2.0, 1.5, 1.5], kernel, epsilon=0.25),
    ):
        for form in (None, "primal"):
            error = verdict(model, form)
            assert error is not None, (model, form)
            conflict: Any = error.conflict
            assert conflict.is_irreducible
            rows = conflict.samples.tolist()
            # A line needs a third sample to miss more than two of one place do.
            assert rows == [0, 1] or kernel is None or isinstance(kernel, Linear | Polynomial)
    for model in (HardMargin(X, [1, -1, 1, 1], kernel), Separability(X, [1, -1, 1, 1], kernel)):
        error = verdict(model)
        assert isinstance(error, InseparableError)
        assert {0, 1} <= set(error.proof.support) or kernel is None or isinstance(kernel, Linear | Polynomial)


def test_a_pair_at_one_place_among_samples_that_are_nearly_dependent() -> None:
    X, y = np.vstack([NEAR, NEAR[2:3]]), [1.0, -1.0, 1.0, -1.0, 1.5]
    error = verdict(Interpolation(X, y, RBF(1.0)))
    assert error is not None
    assert error.conflict.samples.tolist() == [2, 4]
    assert error.conflict.least_epsilon == pytest.approx(0.25)


def test_kernels_whose_features_are_fewer_than_the_samples() -> None:
    rng = np.random.default_rng(3)
    X, y, labels = rng.normal(size=(30, 2)), rng.normal(size=30), np.where(rng.normal(size=30) > 0, 1, -1)
    for kernel in (Polynomial(2, 0.5, 0.0), (0.5 * Linear()) ** 2 + Linear(), Linear().polynomial([0.3, 1.0, 2.0])):
        assert verdict(Interpolation(X, y, kernel)) is not None
        assert verdict(HardTube(X, y, kernel, epsilon=0.1)) is not None
        assert isinstance(Separability(X, labels, kernel).decide(), HullIntersection)
        with pytest.raises(InseparableError):
            HardMargin(X, labels, kernel).solve()


def test_exclusive_or_has_no_line() -> None:
    for scale in (1e-6, 1.0, 1e6):
        X = scale * np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
        for kernel in (None, Linear()):
            proof = Separability(X, [-1, -1, 1, 1], kernel).decide()
            assert isinstance(proof, HullIntersection)
            assert proof.multipliers == pytest.approx(0.5, rel=1e-12)
            with pytest.raises(InseparableError):
                HardMargin(X, [-1, -1, 1, 1], kernel).solve()


def test_a_matrix_that_is_the_data() -> None:
    """Its entries are what they are: a singular one contradicts targets, one regular by a last digit does not."""
    K = np.array([[1.0, 1.0], [1.0, 1.0]])
    assert verdict(Interpolation([0, 1], [1.0, 2.0], Precomputed(K))) is not None
    K[1, 1] += 2.0**-52
    assert verdict(Interpolation([0, 1], [1.0, 2.0], Precomputed(K))) is None


DECADES = st.floats(-6.0, 6.0).map(lambda exponent: 10.0**exponent)
KERNELS = st.one_of(
    st.none(),
    st.just(Linear()),
    st.builds(Polynomial, st.sampled_from([1, 2, 3]), DECADES, st.just(0.0) | DECADES),
    st.builds(RBF, DECADES),
)
ROUTES = st.sampled_from(
    [(None, None), (None, None), ("primal", "clarabel"), ("primal", "osqp"), ("primal", "highs"), ("primal", "scs")]
)


@st.composite
def stated(draw: st.DrawFn) -> tuple[Any, Kernel | None, np.ndarray, np.ndarray, float | None, bool]:
    """Draw a model of two to five samples on a grid, the grid far away or not, and some of them next to each other."""
    m, features, kernel = draw(st.integers(2, 5)), draw(st.integers(1, 2)), draw(KERNELS)
    unit = st.integers(-3, 3).map(float)
    grid = np.array(draw(st.lists(unit, min_size=m * features, max_size=m * features))).reshape(m, features)
    X = draw(DECADES) * grid + draw(st.just(0.0) | DECADES)
    if draw(st.booleans()):
        X[1] = X[0] + draw(st.sampled_from([0.0, 1.0])) * (X[1] - X[0]) * draw(DECADES) * 1e-6
    kind = draw(st.sampled_from([HardMargin, Separability, HardTube, Interpolation, SparseApproximation]))
    if kind in (HardMargin, Separability):
        labels = np.array([1.0, -1.0, *(1.0 if draw(st.booleans()) else -1.0 for _ in range(m - 2))])
        return kind(X, labels, kernel), kernel, X, labels, None, True
    y = draw(DECADES) * np.array(draw(st.lists(unit, min_size=m, max_size=m)))
    if kind is Interpolation:
        return kind(X, y, kernel), kernel, X, y, 0.0, False
    epsilon = draw(st.just(0.0) | DECADES)
    return kind(X, y, kernel, epsilon=epsilon), kernel, X, y, epsilon, kind is HardTube


@settings(max_examples=75)
@given(problem=stated(), route=ROUTES)
def test_what_is_infeasible_is_so_in_rational_arithmetic(problem: Any, route: tuple[str | None, str | None]) -> None:
    model, kernel, X, y, epsilon, balanced = problem
    error = None
    with suppress(QPKernelsError):
        error = verdict(model, *route)
    if error is None:
        return
    assert is_infeasible(kernel, X, y, epsilon, balanced=balanced)
    # So are the samples that the error names, for themselves.
    named = error.proof.support if isinstance(error, InseparableError) else error.conflict.samples
    assert is_infeasible(kernel, X[named], y[named], epsilon, balanced=balanced)
