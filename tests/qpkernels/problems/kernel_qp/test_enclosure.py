# SPDX-License-Identifier: BSD-3-Clause
"""Enclosures hold the optimum: as a rational number where all data are integers, whatever answer they come from."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from exact import exact_kernel, exact_matrix, polished
from qpkernels.errors import NoEnclosureError
from qpkernels.gram import Gram
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import RBF, Kernel, Linear, Matern, Polynomial, Precomputed
from qpkernels.problems import Enclosure, KernelQP, KernelQPBounds
from qpkernels.solvers.smo import SMO

Rows = list[list[Fraction]]


# --- the rational optimum, by trying all active sets ---


def solve(A: Rows, c: list[Fraction]) -> list[Fraction] | None:
    """Solve A x = c by elimination; None where A is singular."""
    rows = [[*row, value] for row, value in zip(A, c, strict=True)]
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(len(rows)):
            if i != k and rows[i][k] != 0:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def rational_optimum(program: KernelQP, K: np.ndarray) -> Fraction:
    """Return the best dual value over all choices of bounded and free coefficients: at the optimum's it is feasible.

    Without epsilon; of every such choice whose system is regular the point is checked to be feasible, so that no value
    is above the optimum.
    """
    m = len(program)
    low, high, t, r = ([Fraction(x) for x in v.tolist()] for v in _finite(program))
    k = [[Fraction(x) for x in row] for row in K.tolist()]
    best = None
    for places in product("lfh", repeat=m):
        point = [low[i] if p == "l" else high[i] if p == "h" else Fraction(0) for i, p in enumerate(places)]
        free = [i for i, p in enumerate(places) if p == "f"]
        A = [[k[i][j] + (r[i] if i == j else 0) for j in free] for i in free]
        c = [t[i] - sum(k[i][j] * point[j] for j in range(m)) for i in free]
        if program.total is not None:
            A = [[*row, Fraction(1)] for row in A] + [[Fraction(1)] * len(free) + [Fraction(0)]]
            c = [*c, Fraction(program.total) - sum(point)]
        if not free:
            if program.total is not None and c[0] != 0:
                continue
        else:
            found = solve(A, c)
            if found is None:
                continue
            for i, value in zip(free, found, strict=False):
                point[i] = value
        if all(low[i] <= point[i] <= high[i] for i in range(m)):
            value = _dual(k, t, r, point)
            best = value if best is None else max(best, value)
    assert best is not None
    return best


def _finite(program: KernelQP) -> tuple[np.ndarray, ...]:
    return tuple(np.clip(v, -(2.0**40), 2.0**40) for v in (program.lower, program.upper, program.target, program.ridge))


def _dual(k: Rows, t: list[Fraction], r: list[Fraction], point: list[Fraction]) -> Fraction:
    m = len(point)
    f = [sum((k[i][j] * point[j] for j in range(m)), Fraction(0)) for i in range(m)]
    gain = sum((a * b for a, b in zip(t, point, strict=True)), Fraction(0))
    return gain - sum(((f[i] + r[i] * point[i]) * point[i] for i in range(m)), Fraction(0)) / 2


def holds(enclosure: Enclosure, value: Fraction) -> bool:
    low = enclosure.lower == -np.inf or Fraction(enclosure.lower) <= value
    return low and (enclosure.upper == np.inf or value <= Fraction(enclosure.upper))


def integers(seed: int, m: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(m, 2)).astype(float)
    y = np.where(np.arange(m) % 2 == 0, 1.0, -1.0)
    return X, y


PROGRAMS: dict[str, Any] = {
    "hinge": lambda y: {"target": y, "lower": np.minimum(y, 0.0), "upper": np.maximum(y, 0.0)},
    "no intercept": lambda y: {
        "target": y,
        "lower": np.minimum(0.5 * y, 0.0),
        "upper": np.maximum(0.5 * y, 0.0),
        "total": None,
    },
    "ridge": lambda y: {"target": 3 * y + np.arange(y.size), "lower": -np.inf, "upper": np.inf, "ridge": 0.75},
    "huber": lambda y: {"target": np.arange(y.size) * y, "lower": -1.0, "upper": 1.0, "ridge": 0.5},
    "one class": lambda y: {"target": 0.0, "lower": 0.0, "upper": 0.5 + 0.0 * y, "total": 1.0},
}
KERNELS: list[Kernel] = [Linear(), Polynomial(2, 0.5, 1.0)]


def state(name: str, kernel: Kernel, seed: int) -> KernelQP:
    X, y = integers(seed)
    return KernelQP(Gram(kernel, X), **PROGRAMS[name](y))


def answer(program: KernelQP, tol: float = 1e-12) -> tuple[np.ndarray, float]:
    outcome = SMO().solve(program, tol=tol)
    return outcome.point, float(outcome.multipliers[0]) if outcome.multipliers.size else 0.0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_rational_optimum_is_held(name: str, kernel: Kernel, seed: int) -> None:
    program = state(name, kernel, seed)
    best = rational_optimum(program, kernel(program.gram.X))
    beta, b = answer(program)
    rng = np.random.default_rng(seed)
    bounds = KernelQPBounds(program)
    sharp = bounds.enclose(beta, b)
    assert holds(sharp, best)
    assert sharp.width <= 1e-9 * (1 + abs(float(best)))
    others = [0.0 * beta, beta + 1e-3 * rng.normal(size=beta.size), 10.0 * rng.normal(size=beta.size), 1e8 * beta]
    for other in others:
        assert holds(bounds.enclose(other, b + 0.1 if program.total is not None else 0.0), best)


# --- optima to 60 digits ---


def cloud(m: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 3))
    return X, np.where(X[:, 0] + 0.7 * rng.normal(size=m) > 0, 1.0, -1.0)


@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("cost", [1e-3, 1.0, 1e4])
def test_bad_scales(cost: float, offset: float) -> None:
    X, y = cloud(20, 1)
    X[4] = X[5]
    kernel = RBF(0.5)
    program = KernelQP(Gram(kernel, X + offset), y, np.minimum(0.0, cost * y), np.maximum(0.0, cost * y))
    beta, b = answer(program)
    best = polished(program, exact_matrix(exact_kernel(kernel), program.gram.X), beta)
    enclosure = KernelQPBounds(program).enclose(beta, b)
    assert enclosure.lower <= best <= enclosure.upper
    certificate = KernelQPBounds(program).certify(beta, b)
    gap = certificate.primal_value - certificate.dual_value
    terms = cost * np.abs(kernel(program.gram.X) @ np.abs(beta) + 1.0 + abs(b)).sum()
    assert enclosure.width <= gap + 100 * 2.0**-53 * terms


def test_a_perturbed_answer_is_no_refutation() -> None:
    X, y = cloud(20, 2)
    program = KernelQP(Gram(RBF(0.5), X), y, np.minimum(0.0, y), np.maximum(0.0, y))
    beta, b = answer(program)
    sharp = KernelQPBounds(program).enclose(beta, b)
    rng = np.random.default_rng(3)
    for size in 10.0 ** np.arange(-15, 3):
        loose = KernelQPBounds(program).enclose(beta + size * rng.normal(size=20), b + size)
        assert loose.lower <= sharp.upper
        assert sharp.lower <= loose.upper
        assert loose.width >= 0.0


def test_a_function_of_its_own_bounds_from_above() -> None:
    # beta = 0 has the function 0; the function of the optimum makes up for it.
    X, y = cloud(20, 4)
    gram = Gram(RBF(0.5), X)
    program = KernelQP(gram, y, np.minimum(0.0, y), np.maximum(0.0, y))
    beta, b = answer(program)
    bounds, sharp = KernelQPBounds(program), KernelQPBounds(program).enclose(beta, b)
    enclosure = bounds.enclose(0.0 * beta, b, Expansion(gram.kernel, X, beta, 7.0))
    assert enclosure.lower <= 0.0
    assert enclosure.upper == pytest.approx(sharp.upper, rel=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nothing_follows_from_no_answer(bad: float) -> None:
    X, y = cloud(6, 5)
    program = KernelQP(Gram(RBF(0.5), X), y, np.minimum(0.0, y), np.maximum(0.0, y))
    for enclosure in (
        KernelQPBounds(program).enclose(np.full(6, bad), 0.0),
        KernelQPBounds(program).enclose(np.zeros(6), bad),
    ):
        assert (enclosure.lower, enclosure.upper) == (-np.inf, np.inf)


def test_a_dual_without_a_feasible_point_has_no_lower_bound() -> None:
    # The bounds add up to 1 to rounding only.
    X, _ = cloud(30, 6)
    cost = float(np.nextafter(1 / 30, 0.0))
    program = KernelQP(Gram(RBF(0.5), X), 0.0, 0.0, cost, total=1.0)
    assert KernelQPBounds(program).enclose(np.full(30, cost), -0.5).lower == -np.inf


def test_a_kernel_that_knows_no_errors_is_refused() -> None:
    X, y = cloud(6, 7)
    program = KernelQP(Gram(Matern(1.0, 2.2), X), y, np.minimum(0.0, y), np.maximum(0.0, y))
    with pytest.raises(NoEnclosureError, match=r"Precomputed\(kernel\(X\)\)"):
        KernelQPBounds(program).enclose(0.5 * y, 0.0)


# --- matrices that are semidefinite by nothing but their numbers ---


def singular(m: int) -> np.ndarray:
    root = np.random.default_rng(8).integers(-5, 6, size=(m, 2)).astype(float)
    return root @ root.T


@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_a_singular_matrix(ridge: float) -> None:
    K = singular(6)
    y = integers(0)[1]
    ends = {"lower": -np.inf, "upper": np.inf} if ridge else PROGRAMS["hinge"](y)
    program = KernelQP(Gram(Precomputed(K), np.arange(6)), **{"target": y, **ends, "ridge": ridge})
    enclosure = KernelQPBounds(program).enclose(*answer(program))
    assert holds(enclosure, rational_optimum(program, K))
    assert enclosure.width <= 1e-9


def test_an_indefinite_matrix_is_paid_for() -> None:
    # The best value is at the ends, 2 in beta = (1, -1); where the gradient vanishes it is less.
    K = np.array([[0.0, 1.0], [1.0, 0.0]])
    program = KernelQP(Gram(Precomputed(K), np.arange(2)), [0.5, -0.5], -1.0, 1.0)
    for beta in ([0.0, 0.0], [1.0, -1.0], [-0.5, 0.5]):
        assert KernelQPBounds(program).enclose(np.array(beta), 0.0).contains(2.0)


# --- hard constraints ---


def tube(X: np.ndarray, t: np.ndarray, kernel: Kernel, epsilon: float) -> KernelQP:
    return KernelQP(Gram(kernel, X), t, -np.inf, np.inf, epsilon=epsilon)


def targets(X: np.ndarray) -> np.ndarray:
    return np.asarray(X[:, 0] + np.sin(3 * np.arange(float(len(X)))))


@pytest.mark.parametrize("epsilon", [0.0, 0.3], ids=["equations", "tube"])
def test_hard_tubes(epsilon: float) -> None:
    X, kernel = cloud(12, 9)[0], RBF(0.5)
    program = tube(X, targets(X), kernel, epsilon)
    beta, b = answer(program, 1e-11)
    best = polished(program, exact_matrix(exact_kernel(kernel), X), beta)
    enclosure = KernelQPBounds(program).enclose(beta, b)
    assert enclosure.lower <= best <= enclosure.upper
    assert enclosure.width <= 1e-9 * float(best)
    # Beyond the tube by a little: it is moved back, for a price.
    outside = KernelQPBounds(program).enclose(beta, b + 1e-5)
    assert outside.upper >= float(best)
    assert outside.upper <= 1.01 * float(best)


def test_a_hard_tube_of_a_singular_matrix() -> None:
    X = cloud(12, 9)[0]
    program = tube(X, targets(X), Linear(), 1.05)
    beta, b = answer(program, 1e-11)
    sharp = KernelQPBounds(program).enclose(beta, b)
    assert sharp.lower > 0.0
    assert sharp.width <= 1e-9 * sharp.lower
    assert KernelQPBounds(program).enclose(beta, b + 1e-6).upper >= sharp.lower


def test_a_tube_that_no_function_meets_has_no_upper_bound() -> None:
    program = tube(np.array([[0.0], [0.0], [1.0]]), np.array([0.0, 1.0, 0.5]), RBF(1.0), 0.25)
    assert KernelQPBounds(program).enclose(np.array([-1.0, 1.0, 0.0]), 0.5).upper == np.inf


def test_hard_margins_are_scaled() -> None:
    X, y = cloud(16, 10)
    X[:, 0] = y * (0.3 + np.abs(X[:, 0]))
    program = KernelQP(Gram(Linear(), X), y, np.where(y > 0, 0.0, -np.inf), np.where(y > 0, np.inf, 0.0))
    beta, b = answer(program)
    best = polished(program, exact_matrix(exact_kernel(Linear()), X), beta)
    enclosure = KernelQPBounds(program).enclose(0.5 * beta, 0.5 * b)
    assert enclosure.lower <= best <= enclosure.upper
    assert enclosure.upper <= (1 + 1e-9) * float(best)
