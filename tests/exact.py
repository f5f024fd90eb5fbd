# SPDX-License-Identifier: BSD-3-Clause
"""Kernels and optima to 60 digits: what enclosures must hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath as mp
import numpy as np

from qpkernels.kernels import (
    RBF,
    Columns,
    Composed,
    Exponential,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Nystroem,
    Polynomial,
    PolynomialOf,
    Power,
    Product,
    RandomFourier,
    RankOne,
    Scaled,
    Sigmoid,
    Sum,
)
from qpkernels.problems import KernelQP
from qpkernels.problems.level_qp.enclosure import FreeLevel

__all__ = [
    "exact",
    "exact_function",
    "exact_kernel",
    "exact_matrix",
    "holds",
    "polished",
    "polished_level",
    "polished_losses",
]

mp.mp.dps = 60

Entry = Callable[[Sequence[Any], Sequence[Any]], Any]


def exact(values: Any) -> list[Any]:
    """Return floats as they are."""
    return [mp.mpf(float(value)) for value in values]


def holds(interval: Any, values: Any) -> bool:
    """Return whether an interval of the numerics holds all exact values."""
    ends = zip(np.ravel(interval.lower).tolist(), np.ravel(interval.upper).tolist(), values, strict=True)
    return all(mp.mpf(low) <= value <= mp.mpf(high) for low, high, value in ends)


def exact_kernel(kernel: Kernel) -> Entry:
    """Return the exact kernel, of the parameters as they are in float64; phi and f count as what they return."""
    if isinstance(kernel, Sum | Product):
        left, right = exact_kernel(kernel.left), exact_kernel(kernel.right)
        if isinstance(kernel, Sum):
            return lambda x, z: left(x, z) + right(x, z)
        return lambda x, z: left(x, z) * right(x, z)
    if isinstance(kernel, Composed | Columns | RankOne):
        return _of_mapped(kernel)
    if isinstance(kernel, Scaled | Power | Exponential | PolynomialOf):
        return _mapping(kernel)
    return _approximate(kernel) if isinstance(kernel, Nystroem | RandomFourier) else _of_samples(kernel)


def _of_mapped(kernel: Composed | Columns | RankOne) -> Entry:
    if isinstance(kernel, RankOne):
        return lambda x, z: _mapped(kernel.function, x)[0] * _mapped(kernel.function, z)[0]
    base = exact_kernel(kernel.base)
    if isinstance(kernel, Composed):
        return lambda x, z: base(_mapped(kernel.phi, x), _mapped(kernel.phi, z))
    listed = np.atleast_1d(kernel.columns).tolist()
    return lambda x, z: base([x[place] for place in listed], [z[place] for place in listed])


def _approximate(kernel: Nystroem | RandomFourier) -> Entry:
    if isinstance(kernel, RandomFourier):
        drawn = [exact(w) for w in kernel.drawn]
        return lambda x, z: mp.fsum(mp.cos(mp.fdot(w, x) - mp.fdot(w, z)) for w in drawn) / len(drawn)
    base, landmarks = exact_kernel(kernel.base), [exact(w) for w in kernel.landmarks]
    inverse = exact_matrix(base, kernel.landmarks) ** -1

    def row(x: Sequence[Any]) -> Any:
        return mp.matrix([base(w, x) for w in landmarks])

    return lambda x, z: (row(x).T * inverse * row(z))[0]


def _mapped(function: Callable[[Any], Any], x: Sequence[Any]) -> list[Any]:
    return exact(np.ravel(function(np.array([[float(value) for value in x]]))))


def _mapping(kernel: Any) -> Entry:
    base = exact_kernel(kernel.base)
    if isinstance(kernel, Scaled):
        return lambda x, z: mp.mpf(kernel.factor) * base(x, z)
    if isinstance(kernel, Power):
        return lambda x, z: base(x, z) ** kernel.exponent
    if isinstance(kernel, Exponential):
        return lambda x, z: mp.exp(base(x, z))
    return lambda x, z: mp.fsum(c * base(x, z) ** n for n, c in enumerate(exact(kernel.coefficients)))


def _of_samples(kernel: Kernel) -> Entry:
    if isinstance(kernel, Linear):
        return lambda x, z: mp.fdot(x, z)
    if isinstance(kernel, Polynomial):
        gamma, constant, degree = mp.mpf(kernel.gamma), mp.mpf(kernel.coef0), kernel.degree
        return lambda x, z: (gamma * mp.fdot(x, z) + constant) ** degree
    if isinstance(kernel, Sigmoid):
        return lambda x, z: mp.tanh(mp.mpf(kernel.kappa) * mp.fdot(x, z) - mp.mpf(kernel.b))
    if isinstance(kernel, Laplacian):
        return lambda x, z: mp.exp(-mp.mpf(kernel.gamma) * mp.fsum(abs(a - b) for a, b in zip(x, z, strict=True)))
    if isinstance(kernel, Matern):
        return lambda x, z: _matern(kernel, mp.sqrt(mp.fsum((a - b) ** 2 for a, b in zip(x, z, strict=True))))
    assert isinstance(kernel, RBF)
    gamma = kernel.gamma

    def gaussian(x: Sequence[Any], z: Sequence[Any]) -> Any:
        weights = exact(gamma) if isinstance(gamma, tuple) else [mp.mpf(gamma)] * len(x)
        return mp.exp(-mp.fsum(w * (a - b) ** 2 for w, a, b in zip(weights, x, z, strict=True)))

    return gaussian


def _matern(kernel: Matern, distance: Any) -> Any:
    if kernel.nu == np.inf:
        return mp.exp(-((distance / mp.mpf(kernel.length_scale)) ** 2) / 2)
    x = mp.sqrt(2 * mp.mpf(kernel.nu)) * distance / mp.mpf(kernel.length_scale)
    closed = {0.5: mp.mpf(1), 1.5: 1 + x, 2.5: 1 + x + x * x / 3, 3.5: 1 + x + 2 * x**2 / 5 + x**3 / 15}
    if kernel.nu in closed:
        return closed[kernel.nu] * mp.exp(-x)
    nu = mp.mpf(kernel.nu)
    return mp.mpf(1) if x == 0 else 2 ** (1 - nu) / mp.gamma(nu) * x**nu * mp.besselk(nu, x)


def exact_matrix(k: Entry, X: np.ndarray, Z: np.ndarray | None = None) -> Any:
    """Return k(x_i, z_j)."""
    rows = [exact(x) for x in X]
    if Z is None:
        K = mp.matrix(len(rows), len(rows))
        for i, x in enumerate(rows):
            for j in range(i + 1):
                K[i, j] = K[j, i] = k(x, rows[j])
        return K
    return mp.matrix([[k(x, exact(z)) for z in Z] for x in rows])


def exact_function(K: Any, coefficients: Any) -> list[Any]:
    """Return K c."""
    return list(K * mp.matrix(exact(coefficients)))


def polished(program: KernelQP, K: Any, beta: np.ndarray, share: float = 1e-7) -> Any:
    """Return the exact optimum of a KernelQP, by its KKT system on the active set of a sharp answer.

    The conditions of the result are asserted, so that it is the optimum whatever the answer was.
    """
    m, scale = len(program), share * max(float(np.abs(beta).max()), 1e-300)
    low, high, t, eps, r = (
        exact(v) for v in (program.lower, program.upper, program.target, program.epsilon, program.ridge)
    )
    at_low, at_high = beta - program.lower < scale, program.upper - beta < scale
    at_zero = (np.abs(beta) < scale) & (program.epsilon > 0)
    point = [low[i] if at_low[i] else high[i] if at_high[i] else mp.mpf(0) for i in range(m)]
    free = [i for i in range(m) if not (at_low[i] or at_high[i] or at_zero[i])]
    n, has_b = len(free), program.total is not None
    A, c = mp.matrix(n + has_b), mp.matrix(n + has_b, 1)
    for row, i in enumerate(free):
        for column, j in enumerate(free):
            A[row, column] = K[i, j] + (r[i] if i == j else 0)
        c[row] = t[i] - eps[i] * int(np.sign(beta[i])) - mp.fsum(K[i, j] * point[j] for j in range(m))
        if has_b:
            A[row, n] = A[n, row] = 1
    b = mp.mpf(0)
    if has_b:
        c[n] = mp.mpf(program.total) - mp.fsum(point)
    if has_b and not n:
        # Any b between the samples at either bound.
        slopes = [t[i] - f - r[i] * point[i] for i, f in enumerate(K * mp.matrix(point))]
        rising, falling = (
            [s for s, high_end in zip(slopes, at_high, strict=True) if high_end],
            [s for s, low_end in zip(slopes, at_low, strict=True) if low_end],
        )
        b = (min(rising) + max(falling)) / 2
    elif n:
        found = mp.lu_solve(A, c)
        b = found[n] if has_b else b
        for row, i in enumerate(free):
            point[i] = found[row]
    _assert_optimal(program, K, point, b, free)
    quadratic = mp.fdot(point, list(K * mp.matrix(point)))
    return (
        mp.fdot(t, point)
        - mp.fsum(e * abs(x) for e, x in zip(eps, point, strict=True))
        - (quadratic + mp.fsum(w * x * x for w, x in zip(r, point, strict=True))) / 2
    )


def _assert_optimal(program: KernelQP, K: Any, point: list[Any], b: Any, free: list[int]) -> None:
    tiny, f = mp.mpf(10) ** -30, list(K * mp.matrix(point))
    for i, x in enumerate(point):
        low, high = mp.mpf(float(program.lower[i])), mp.mpf(float(program.upper[i]))
        assert low - tiny <= x <= high + tiny
        slope = mp.mpf(float(program.target[i])) - f[i] - b - mp.mpf(float(program.ridge[i])) * x
        width = mp.mpf(float(program.epsilon[i]))
        if i in free:
            assert abs(slope - width * mp.sign(x)) <= tiny * (1 + abs(mp.mpf(float(program.target[i]))))
        else:
            assert x == low or x == 0 or slope >= width * mp.sign(x) - tiny
            assert x == high or x == 0 or slope <= width * mp.sign(x) + tiny
            assert x != 0 or ((x == low or slope >= -width - tiny) and (x == high or slope <= width + tiny))
    if program.total is not None and free:
        assert abs(mp.fsum(point) - mp.mpf(program.total)) < tiny


def polished_level(problem: FreeLevel, K: Any, beta: np.ndarray, share: float = 1e-5) -> Any:
    """Return the exact optimum of a model whose level is free, by its KKT system: b and the level l are unknowns too.

    With the sign s_i of beta_i a sample at the level has v_i + s_i l = t_i; and 1'beta = 0 and 1'|beta| = nu 1'C.
    """
    m, costs, t = len(beta), exact(problem.costs), exact(problem.target)
    size, signs = np.abs(beta), [int(sign) for sign in np.sign(beta)]
    at_bound, at_zero = size > (1 - share) * problem.costs, size < share * problem.costs
    point = [signs[i] * costs[i] if at_bound[i] else mp.mpf(0) for i in range(m)]
    free = [i for i in range(m) if not (at_bound[i] or at_zero[i])]
    n, has_b = len(free), problem.total is not None
    A, c = mp.matrix(n + 1 + has_b), mp.matrix(n + 1 + has_b, 1)
    for row, i in enumerate(free):
        for column, j in enumerate(free):
            A[row, column] = K[i, j]
        c[row] = t[i] - mp.fsum(K[i, j] * point[j] for j in range(m))
        A[row, n] = A[n, row] = signs[i]
        if has_b:
            A[row, n + 1] = A[n + 1, row] = 1
    c[n] = mp.mpf(problem.nu) * mp.fsum(costs) - mp.fsum(abs(x) for x in point)
    if has_b:
        c[n + 1] = -mp.fsum(point)
    found = mp.lu_solve(A, c)
    level, b = found[n], found[n + 1] if has_b else mp.mpf(0)
    assert level <= 0 if problem.least else level >= 0
    for row, i in enumerate(free):
        point[i] = found[row]
        assert 0 < signs[i] * point[i] < costs[i]
    f = list(K * mp.matrix(point))
    for i in range(m):
        ends = (mp.sign(x) for x in (mp.mpf(float(problem.upper[i])), mp.mpf(float(problem.lower[i]))) if x)
        loss = max(s * (t[i] - f[i] - b) for s in ends)
        assert i in free or (loss >= level if at_bound[i] else loss <= level)
    return mp.fdot(t, point) - mp.fdot(point, f) / 2


def polished_losses(
    value: Callable[[int, Any], Any],
    slope: Callable[[int, Any], Any],
    curvature: Callable[[int, Any], Any],
    K: Any,
    beta: np.ndarray,
    intercept: float,
    has_b: bool,
) -> Any:
    """Return the exact optimum of 1/2 ||f||^2 + sum L_i(f(x_i) + b), by Newton's method on beta_i = -L_i'(v_i)."""
    m = len(beta)
    c, b = mp.matrix(exact(beta)), mp.mpf(intercept)
    for _ in range(12):
        f = K * c
        A, r = mp.matrix(m + has_b), mp.matrix(m + has_b, 1)
        for i in range(m):
            bend = curvature(i, f[i] + b)
            r[i] = -(c[i] + slope(i, f[i] + b))
            for j in range(m):
                A[i, j] = bend * K[i, j] + (1 if i == j else 0)
            if has_b:
                A[i, m], A[m, i] = bend, 1
        if has_b:
            r[m] = -mp.fsum(c)
        if mp.norm(r, mp.inf) < mp.mpf(10) ** -40:
            break
        step = mp.lu_solve(A, r)
        c = c + step[:m, 0]
        b = b + step[m] if has_b else b
    else:
        raise AssertionError("Newton's method did not converge")
    f = K * c
    return mp.fdot(c, f) / 2 + mp.fsum(value(i, f[i] + b) for i in range(m))
