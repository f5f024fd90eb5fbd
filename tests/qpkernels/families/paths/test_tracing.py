# SPDX-License-Identifier: BSD-3-Clause
"""Paths of KernelQPs: closed forms, and every breakpoint and points between before the certificate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from qpkernels import RBF, Linear
from qpkernels.errors import SolverFailedError
from qpkernels.families.paths import ParametricQP, Pieces, trace, tracing
from qpkernels.gram import Gram
from qpkernels.kernels.kernel import Kernel
from qpkernels.problems import KernelQP, KernelQPBounds
from qpkernels.solvers.smo import SMO

TOTALS = {"with-b": 0.0, "without-b": None}


def margins(X: np.ndarray, y: np.ndarray, kernel: Kernel, costs: np.ndarray, total: float | None) -> ParametricQP:
    """Return the soft margin for C from 1/1000 to 1000 times the costs."""
    gram = Gram(kernel, X)
    below, above = np.where(y > 0, 0.0, -costs), np.where(y > 0, costs, 0.0)
    first, last = (KernelQP(gram, y, C * below, C * above, total) for C in (1e-3, 1e3))
    return ParametricQP(first, last, 1e-3, 1e3)


def tubes(X: np.ndarray, y: np.ndarray, kernel: Kernel, costs: np.ndarray, total: float | None) -> ParametricQP:
    """Return the soft tube as epsilon falls from beyond all targets to 0."""
    gram, width = Gram(kernel, X), 1.5 * float(np.abs(y).max())
    return ParametricQP(*(KernelQP(gram, y, -costs, costs, total, each) for each in (width, 0.0)), width, 0.0)


def wide_tubes(X: np.ndarray, y: np.ndarray, kernel: Kernel, costs: np.ndarray, total: float | None) -> ParametricQP:
    """Return the soft tube of one width for C from 1/100 to 100 times the costs."""
    gram = Gram(kernel, X)
    first, last = (KernelQP(gram, y, -C * costs, C * costs, total, 0.3, ridge=0.1) for C in (1e-2, 1e2))
    return ParametricQP(first, last, 1e-2, 1e2)


def scattered(rng: np.random.Generator, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return rng.normal(size=(m, 3)), rng.normal(size=m), np.ones(m)


def integers(rng: np.random.Generator, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Many equal samples, with targets that agree and others that do not: many events at once."""
    return rng.integers(0, 3, (m, 2)).astype(float), rng.integers(-2, 3, m).astype(float), np.ones(m)


def doubled(rng: np.random.Generator, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, y, costs = scattered(rng, m // 2)
    return np.vstack([X, X]), np.concatenate([y, y]), np.concatenate([costs, costs])


def weighted(rng: np.random.Generator, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Costs of single samples, of which some are absent."""
    X, y, _ = scattered(rng, m)
    return X, y, np.where(rng.random(m) < 0.2, 0.0, rng.uniform(0.1, 5.0, m))


def one_sided(rng: np.random.Generator, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One positive target among many negative ones."""
    X, y, costs = scattered(rng, m)
    return X, np.where(np.arange(m) == 0, 1.0, -np.abs(y)), costs


def start_of(line: ParametricQP) -> np.ndarray:
    answer = SMO().solve(line.start, tol=1e-6)
    return np.asarray(answer.point)


def largest_error(line: ParametricQP, pieces: Pieces) -> float:
    """Return the largest error of breakpoints and points between, where the optimum is not 0."""
    rng, errors = np.random.default_rng(0), []
    low, high = sorted((line.first, line.last))
    between = [(p, *pieces.at(p)) for p in np.concatenate([rng.uniform(low, high, 5), [low + 1e-4 * (high - low)]])]
    unit = float(line.start.upper.max()) * float(np.abs(line.start.target).max())
    for p, beta, b in [*pieces.breakpoints(), *between]:
        proof = KernelQPBounds(line.at(p)).certify(beta, b)
        if max(abs(proof.primal_value), abs(proof.dual_value)) > 1e-6 * unit:
            errors.append(proof.error)
        else:
            assert abs(proof.primal_value - proof.dual_value) <= 1e-9 * unit
            assert proof.dual_residual <= 1e-9
    return max(errors)


@pytest.mark.parametrize("total", TOTALS.values(), ids=TOTALS)
@pytest.mark.parametrize("kernel", [RBF(0.5), Linear()], ids=["rbf", "linear"])
@pytest.mark.parametrize("data", [scattered, integers, doubled, weighted, one_sided], ids=lambda each: each.__name__)
@pytest.mark.parametrize("problem", [margins, tubes, wide_tubes], ids=lambda each: each.__name__)
def test_every_point_is_proved(
    problem: Callable[..., ParametricQP], data: Callable[..., tuple], kernel: Kernel, total: float | None
) -> None:
    for seed in range(3):
        X, y, costs = data(np.random.default_rng(seed), 40)
        if problem is margins:
            y = np.where(y > 0, 1.0, -1.0)
        line = problem(X, y, kernel, costs, total)
        pieces = trace(line, start_of(line))
        assert largest_error(line, pieces) <= 1e-9
        np.testing.assert_array_equal(pieces.ends[[0, -1], [0, 2]], [line.first, line.last])
        np.testing.assert_allclose(pieces.ends[1:, 0], pieces.ends[:-1, 2], rtol=1e-9)


@pytest.mark.parametrize("problem", [margins, tubes], ids=lambda each: each.__name__)
@pytest.mark.parametrize("data", [integers, doubled], ids=lambda each: each.__name__)
def test_ties_are_broken(
    problem: Callable[..., ParametricQP], data: Callable[..., tuple], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no step without a length is waited for, so that each of them counts as a circle."""
    monkeypatch.setattr(tracing, "_PATIENCE", 0)
    monkeypatch.setattr(tracing, "_TIES", 10_000)
    X, y, costs = data(np.random.default_rng(0), 40)
    line = problem(X, np.where(y > 0, 1.0, -1.0) if problem is margins else y, RBF(0.5), costs, 0.0)
    pieces = trace(line, start_of(line))
    assert pieces.ties > 0
    assert largest_error(line, pieces) <= 1e-7
    monkeypatch.setattr(tracing, "_TIES", 0)
    with pytest.raises(SolverFailedError, match="cannot go on: too many samples change at once"):
        trace(line, start_of(line))


@pytest.mark.parametrize("start", [np.zeros(2), np.array([0.1, -0.1]), np.array([0.07, 0.03])])
def test_two_points_on_either_side(start: np.ndarray) -> None:
    """The two points +-1 with these labels: alpha = min(C, 1/2), and b = 0 as soon as it is unique."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    gram = Gram(Linear(), X)
    first, last = (KernelQP(gram, y, [0.0, -C], [C, 0.0]) for C in (0.1, 2.0))
    pieces = trace(ParametricQP(first, last, 0.1, 2.0), start)
    np.testing.assert_allclose(pieces.ends[:, [0, 2]], [[0.1, 0.5], [0.5, 2.0]], rtol=1e-12)
    for C in (0.1, 0.3, 0.5, 0.7, 2.0):
        beta, b = pieces.at(C)
        np.testing.assert_allclose(beta, min(C, 0.5) * y, rtol=1e-12)
        assert abs(b) <= 1.0 - 2.0 * min(C, 0.5) + 1e-12


def test_a_tube_of_two_points() -> None:
    """beta = min(C, (1 - epsilon) / 2) of the points +-1 with targets +-1, and 0 from epsilon = 1 on."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    gram = Gram(Linear(), X)
    first, last = (KernelQP(gram, y, -0.25, 0.25, epsilon=width) for width in (2.0, 0.0))
    line = ParametricQP(first, last, 2.0, 0.0)
    pieces = trace(line, np.zeros(2))
    np.testing.assert_allclose(pieces.ends[:, 0], [2.0, 1.0, 0.5], rtol=1e-12)
    for epsilon in (2.0, 1.3, 0.9, 0.6, 0.4, 0.0):
        size = min(0.25, max(0.0, 0.5 * (1.0 - epsilon)))
        np.testing.assert_allclose(pieces.at(epsilon)[0], size * y, atol=1e-12)


def test_both_ways_are_the_same_path() -> None:
    X, y, costs = scattered(np.random.default_rng(5), 40)
    line = margins(X, np.where(y > 0, 1.0, -1.0), RBF(0.5), costs, 0.0)
    back = ParametricQP(line.end, line.start, line.last, line.first)
    there, again = trace(line, start_of(line)), trace(back, start_of(back))
    for C in (0.01, 0.3, 7.0, 400.0):
        np.testing.assert_allclose(again.at(C)[0], there.at(C)[0], atol=1e-8 * C)
