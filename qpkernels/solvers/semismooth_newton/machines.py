# SPDX-License-Identifier: BSD-3-Clause
r"""The method for many machines of few samples, compiled whole: proximal steps, Newton steps and the gap of each.

The equations are those of :mod:`qpkernels.solvers.semismooth_newton.solver`, with b as the weight of a feature that is
1 and costs nothing. With so few samples a pass over all costs less than the choice of some would, and the Hessian
is kept from step to step: the rows of samples that became free are added to it, those of others subtracted. Where every
loss is curved by itself, as a squared one is, no proximal term is needed: Newton steps go straight to the optimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled_for, inlined, vectorised
from qpkernels.gram.panels.loops import add_scaled, copy
from qpkernels.solvers.smo.steps import level_of

__all__ = ["solve_in_features"]

_EPS = float(np.finfo(float).eps)

_LINE, _FLAT, _INSIDE = 40, 0.1, 0.1
"""Trials of a line search, the share of the derivative that may be left, and how near to its ends a trial may be."""

_OUTER = 60
"""Proximal steps of a machine, at most."""

_SIGMA, _REACH = 3.0, 10.0
"""The first sigma, in units of a coefficient that meets its target over the target, and at most of so many."""

_CURVED = 0.01
"""Part of the first 1/sigma that ridges must have for no proximal term to be needed."""

_MORE, _MUCH_MORE, _FREE, _MANY_FREE = 3.0, 10.0, 2, 8
"""Factors of sigma, where there are more free samples for each feature than these."""

_FALL = 0.3
"""Share of the gap before, above which sigma rises."""

_INEXACT, _SHARPER = 0.1, 0.1
"""Error of a proximal step as a share of its length; less by this where the answer was not good enough."""

_BETTER, _STALL = 0.9, 8
"""Part of the gap before that is none less, and proximal steps without a lesser one after which there will be none."""

_ROUNDING = 1e-22
"""Part of ||Z's||^2 up to which the square of the gradient is rounding."""

_FOUR = 4
"""Rows that are added to the Hessian at a time."""


@inlined
def _slope(residual: float, lower: float, upper: float, epsilon: float, inverse: float) -> float:
    """Return the slope of a loss at a residual, where ``inverse`` is one over its curvature."""
    s = (max(residual - epsilon, 0.0) + min(residual + epsilon, 0.0)) * inverse
    return min(max(s, lower), upper)


@vectorised
def _write_slopes(
    box: Matrix, aims: Vector, inverse: Vector, v: Vector, slopes: Vector, free: NDArray[np.bool_]
) -> int:
    """Write the slopes at v, and which of the samples are free; return how many are."""
    count = 0
    for k in range(v.size):
        s = _slope(aims[k] - v[k], box[3, k], box[4, k], box[1, k], inverse[k])
        slopes[k], free[k] = s, (s != 0.0) & (s > box[3, k]) & (s < box[4, k])
        count += free[k]
    return count


@vectorised
def _slope_along(box: Matrix, aims: Vector, inverse: Vector, v: Vector, direction: Vector, step: float) -> float:
    """Return sum_i s_i(v_i + step d_i) d_i."""
    total = 0.0
    for k in range(v.size):
        residual = aims[k] - v[k] - step * direction[k]
        total += _slope(residual, box[3, k], box[4, k], box[1, k], inverse[k]) * direction[k]
    return total


@vectorised
def _relative_gap(box: Matrix, beta: Vector, v: Vector, b: float, own: float, square: float, level: float) -> float:
    """Return that of the function v + b and beta.

    ``own`` and ``square`` are ||w||^2 and ||Z'beta||^2, ``level`` is what b costs.
    """
    primal, dual = 0.5 * own + level, -0.5 * square
    for k in range(beta.size):
        residual, size = box[0, k] - (v[k] + b), abs(beta[k])
        excess, reach = abs(residual) - box[1, k], box[4, k] if residual > 0.0 else -box[3, k]
        if box[2, k] > 0.0:
            reach = min(reach, excess / box[2, k])
        primal += excess * reach - 0.5 * box[2, k] * reach * reach if excess > 0.0 else 0.0
        dual += box[0, k] * beta[k] - box[1, k] * size - 0.5 * box[2, k] * size * size
    scale = max(abs(primal), abs(dual))
    return abs(primal - dual) / scale if scale > 0.0 else 0.0


@vectorised
def _square(w: Vector, d: int) -> float:
    """Return the sum of the squares of the first d entries."""
    total = 0.0
    for f in range(d):
        total += w[f] * w[f]
    return total


@vectorised
def _expand(features: Matrix, w: Vector, v: Vector) -> None:
    """Write Z w, of features that are a row each."""
    v[:] = 0.0
    for f in range(w.size):
        add_scaled(v, w[f], features[f])


@vectorised
def _draw(Z: Matrix, samples: Indices, slopes: Vector, drawn: Vector) -> None:
    """Write Z's."""
    drawn[:] = 0.0
    for k in range(slopes.size):
        if slopes[k] != 0.0:
            add_scaled(drawn, slopes[k], Z[samples[k]])


@vectorised
def _add_rows(H: Matrix, Z: Matrix, samples: Indices, rows: Indices, factors: Vector) -> None:
    """Add the products of these rows with themselves, times their factors, to the upper triangle of H."""
    r, count = len(H), rows.size
    for start in range(0, count - count % _FOUR, _FOUR):
        one, two = Z[samples[rows[start]]], Z[samples[rows[start + 1]]]
        three, four = Z[samples[rows[start + 2]]], Z[samples[rows[start + 3]]]
        for a in range(r):
            p, q = factors[start] * one[a], factors[start + 1] * two[a]
            s, t = factors[start + 2] * three[a], factors[start + 3] * four[a]
            own, left, right, third, last = H[a, a:], one[a:], two[a:], three[a:], four[a:]
            for c in range(own.size):
                own[c] += (p * left[c] + q * right[c]) + (s * third[c] + t * last[c])
    for place in range(count - count % _FOUR, count):
        one = Z[samples[rows[place]]]
        for a in range(r):
            add_scaled(H[a, a:], factors[place] * one[a], one[a:])


@vectorised
def _newton_direction(H: Matrix, gradient: Vector, bordered: bool, U: Matrix) -> Vector:
    """Return -H^-1 gradient from the upper triangle of H; where nothing says how far b goes, it goes by 1."""
    r = len(H)
    x = -gradient
    copy(H.ravel(), U.ravel())
    for j in range(r):
        pivot = U[j, j]
        if bordered and j == r - 1:
            pivot = max(pivot, 10.0 * _EPS * H[j, j])
            if H[j, j] == 0.0:
                pivot = abs(gradient[j])
        root = np.sqrt(pivot) if pivot > 0.0 else 1.0
        row = U[j, j:]
        row[0] = root
        for c in range(1, row.size):
            row[c] /= root
        x[j] /= root
        for c in range(1, row.size):
            x[j + c] -= row[c] * x[j]
            if row[c] != 0.0:
                add_scaled(U[j + c, j + c :], -row[c], row[c:])
    for j in range(r - 1, -1, -1):
        row = U[j, j:]
        rest = x[j]
        for c in range(1, row.size):
            rest -= row[c] * x[j + c]
        x[j] = rest / row[0]
    return x


@vectorised
def _line_minimum(
    box: Matrix, aims: Vector, inverse: Vector, v: Vector, direction: Vector, slope: float, curvature: float
) -> float:
    """Return about the minimum along a direction, by a bracketed secant method on the derivative."""
    first = slope - _slope_along(box, aims, inverse, v, direction, 0.0)
    if not first < 0.0:
        return 0.0
    low, at_low, high, at_high, step = 0.0, first, np.inf, np.inf, 1.0
    for _ in range(_LINE):
        here = slope + step * curvature - _slope_along(box, aims, inverse, v, direction, step)
        if abs(here) <= _FLAT * abs(first):
            break
        if here < 0.0:
            low, at_low = step, here
        else:
            high, at_high = step, here
        if high == np.inf:
            step *= 2.0
            continue
        secant = low - (high - low) * at_low / (at_high - at_low) if at_high > at_low else 0.5 * (low + high)
        margin = _INSIDE * (high - low)
        step = min(max(secant, low + margin), high - margin)
    return step


@vectorised
def _balance(box: Matrix, beta: Vector, total: float) -> float:
    """Shift the coefficients strictly inside their bounds evenly until their sum is ``total``, as far as they go.

    Return the sum then, with the digits that each addition loses added at the end (Neumaier, 1974).
    """
    moves = True
    while True:
        found, lost, size, room = 0.0, 0.0, abs(total), 0
        for k in range(beta.size):
            more = found + beta[k]
            lost += (found - more) + beta[k] if abs(found) >= abs(beta[k]) else (beta[k] - more) + found
            found, size = more, size + abs(beta[k])
            room += (beta[k] > box[3, k]) & (beta[k] < box[4, k]) & (beta[k] != 0.0)
        lacking = total - (found + lost)
        if not moves or room == 0 or abs(lacking) <= _EPS * size:
            return found + lost
        moves = False
        for k in range(beta.size):
            if beta[k] > box[3, k] and beta[k] < box[4, k] and beta[k] != 0.0:
                moved = beta[k] + lacking / room
                beta[k] = min(max(moved, box[3, k]), box[4, k])
                # Once nothing is cut off only rounding is left.
                moves |= beta[k] != moved


@vectorised
def _first_extra(box: Matrix, squares: float) -> float:
    """Return the first 1/sigma; 0 where the losses are curved enough by themselves."""
    n, least, highest, lowest = box.shape[1], np.inf, -np.inf, np.inf
    for k in range(n):
        least = min(least, box[2, k])
        highest, lowest = max(highest, box[0, k]), min(lowest, box[0, k])
    spread = 0.5 * (highest - lowest)
    if spread == 0.0:
        spread = max(abs(highest), 1e-300)
    reach = 0.0
    for k in range(n):
        reach += min(max(box[4, k], -box[3, k]), _REACH * spread / (squares + box[2, k] + 1e-300)) / n
    extra = spread / (_SIGMA * reach) if reach > 0.0 else 1.0
    return 0.0 if least >= _CURVED * extra else extra


class Hessian(NamedTuple):
    """The Hessian of the machine at hand, and the first one made for its samples, which machines after it share.

    Attributes
    ----------
    matrix, factor
        Its upper triangle, and room for the factor of that.
    counted
        The samples that it has as free.
    first, first_inverse, first_free
        The first one, with the 1/curvatures, -1 where there is none yet, and the free samples that it was made of.
    """

    matrix: Matrix
    factor: Matrix
    counted: NDArray[np.bool_]
    first: Matrix
    first_inverse: Vector
    first_free: NDArray[np.bool_]


@vectorised
def _count_free(
    hessian: Hessian, Z: Matrix, samples: Indices, inverse: Vector, free: NDArray[np.bool_], d: int, fresh: bool
) -> None:
    """Bring the Hessian to the samples that are free; ``fresh``: their curvatures are others than before."""
    H, counted = hessian.matrix, hessian.counted
    changes, count, others = 0, 0, 0
    for k in range(free.size):
        changes, count = changes + (free[k] != counted[k]), count + free[k]
        others += (free[k] != hessian.first_free[k]) | (inverse[k] != hessian.first_inverse[k])
    keeps = False
    if fresh or changes > count:
        if others == 0:
            copy(hessian.first.ravel(), H.ravel())
            copy(free, counted)
            return
        keeps = hessian.first_inverse[0] < 0.0
        H[:], counted[:] = 0.0, False
        for f in range(d):
            H[f, f] = 1.0
    rows, factors, changes = np.empty(free.size, np.intp), np.empty(free.size), 0
    for k in range(free.size):
        if free[k] != counted[k]:
            rows[changes], factors[changes] = k, inverse[k] if free[k] else -inverse[k]
            changes += 1
    _add_rows(H, Z, samples, rows[:changes], factors[:changes])
    copy(free, counted)
    if d < len(H) and count == 0:
        # What rounding leaves would pass for a sample.
        H[:, d] = 0.0
    if keeps:
        copy(H.ravel(), hessian.first.ravel())
        copy(inverse, hessian.first_inverse)
        copy(free, hessian.first_free)


@vectorised
def _final(
    Z: Matrix,
    offset: Vector,
    features: Matrix,
    samples: Indices,
    box: Matrix,
    total: float,
    d: int,
    goal: float,
    b: float,
    beta: Vector,
    w: Vector,
    values: Vector,
) -> tuple[float, float]:
    """Make beta feasible, write its w and K beta, and return the b of the two that there are, and the gap with it.

    That is the one in the middle of what the slopes of beta allow, and the other where only that is good enough.
    """
    rest = _balance(box, beta, total) if d < w.size else 0.0
    _draw(Z, samples, beta, w)
    w[d:] = 0.0
    if d < w.size:
        # What rounding leaves of 1'beta = 0 counts for as much as the samples are far away.
        add_scaled(w[:d], rest, offset)
    _expand(features, w, values)
    square, level = _square(w, d), 0.0
    if d < w.size:
        level = -level_of(box[0], box[1], box[2], box[3], box[4], beta, values)
    gap = _relative_gap(box, beta, values, level, square, square, level * total)
    if d == w.size or gap <= goal:
        return level, gap
    return b, _relative_gap(box, beta, values, b, square, square, b * total)


@vectorised
def _solve_one(  # noqa: C901, PLR0912, PLR0915  a called one is compiled twice
    Z: Matrix,
    offset: Vector,
    features: Matrix,
    samples: Indices,
    box: Matrix,
    total: float,
    d: int,
    goal: float,
    most: int,
    hessian: Hessian,
    beta: Vector,
    values: Vector,
    weights: Vector,
) -> tuple[float, int]:
    """Lower the relative gap of a machine from a beta to ``goal``; write beta, K beta and w, return b and the steps."""
    n, r, paired = samples.size, weights.size, d < weights.size
    squares = 0.0
    for f in range(d):
        squares += _square(features[f], n)
    extra, fresh = _first_extra(box, squares / n), True
    center, slopes, free = beta.copy(), np.zeros(n), np.zeros(n, np.bool_)
    aims, inverse, moves = np.empty(n), np.empty(n), np.empty(n)
    w, v, drawn, gradient = np.zeros(r), np.zeros(n), np.empty(r), np.empty(r)
    share, wanted, best, before = _INEXACT, goal, np.inf, np.inf
    taken, since, count, level = 0, 0, 0, 0.0
    begun = False
    for k in range(n):
        begun |= center[k] != 0.0
    if begun:
        _draw(Z, samples, center, w)
        w[d:] = 0.0
        _expand(features, w, v)
    for _ in range(_OUTER):
        for k in range(n):
            aims[k], inverse[k] = box[0, k] + extra * center[k], 1.0 / (box[2, k] + extra)
        gap = np.inf
        while gap == np.inf:
            count = _write_slopes(box, aims, inverse, v, slopes, free)
            _draw(Z, samples, slopes, drawn)
            for f in range(r):
                gradient[f] = w[f] - drawn[f]
            size, square, own = _square(gradient, d), _square(drawn, d), _square(w, d)
            if paired:
                gradient[d], level = total - drawn[d], w[d] * total
                size += gradient[d] * gradient[d] / n
            change = 0.0
            for k in range(n):
                change += (slopes[k] - center[k]) * (slopes[k] - center[k])
            if size <= share * extra * change + _ROUNDING * square or taken >= most:
                gap = _relative_gap(box, slopes, v, 0.0, own, square, level)
                break
            if extra == 0.0:
                reached = _relative_gap(box, slopes, v, 0.0, own, square, level)
                if reached <= wanted:
                    gap = reached
                    break
            _count_free(hessian, Z, samples, inverse, free, d, fresh)
            fresh = False
            direction = _newton_direction(hessian.matrix, gradient, paired, hessian.factor)
            _expand(features, direction, moves)
            slope = direction[d] * total if paired else 0.0
            for f in range(d):
                slope += w[f] * direction[f]
            step = _line_minimum(box, aims, inverse, v, moves, slope, _square(direction, d))
            taken += 1
            if step == 0.0:
                gap = _relative_gap(box, slopes, v, 0.0, own, square, level)
            add_scaled(w, step, direction)
            add_scaled(v, step, moves)
        copy(slopes, center)
        over = taken >= most or since >= _STALL
        if gap <= wanted or over:
            copy(slopes, beta)
            b, reached = _final(Z, offset, features, samples, box, total, d, goal, w[-1], beta, weights, values)
            if reached <= goal or over:
                return b, taken
            share, wanted = _SHARPER * share, _SHARPER * wanted
        since = 0 if gap < _BETTER * best else since + 1
        best = min(best, gap)
        if count > _MANY_FREE * r or count > _FREE * r or gap > _FALL * before:
            extra, fresh = extra / (_MUCH_MORE if count > _MANY_FREE * r else _MORE), True
        before = gap
    copy(slopes, beta)
    b, _ = _final(Z, offset, features, samples, box, total, d, goal, w[-1], beta, weights, values)
    return b, taken


_VECTOR, _PLACES = "Array(float64, 1, 'C', readonly=True)", "Array(int64, 1, 'C', readonly=True)"
_MATRIX, _OWN = "Array(float64, 2, 'C', readonly=True)", "float64[::1], float64[::1], float64[::1], int64[::1]"


@compiled_for(
    f"({_MATRIX}, {_VECTOR}, {_PLACES}, {_PLACES}, {_MATRIX}, {_VECTOR}, int64, int64, float64, int64, {_OWN}, "
    "float64[:, ::1])"
)
def solve_in_features(
    Z: Matrix,
    offset: Vector,
    samples: Indices,
    starts: Indices,
    terms: Matrix,
    totals: Vector,
    first: int,
    stop: int,
    goal: float,
    most: int,
    beta: Vector,
    values: Vector,
    intercepts: Vector,
    steps: Indices,
    weights: Matrix,
) -> None:
    """Lower the relative gap of the machines from ``first`` to before ``stop`` to ``goal``, in place.

    ``Z`` are the features of all samples, a row each, less the ``offset``; where there is b, one more is 1. The results
    are beta, b, the ``weights`` w = (Z + 1 offset')'beta, Z w, and the Newton steps.
    """
    r, d = Z.shape[1], offset.size
    H, U, early = np.empty((r, r)), np.empty((r, r)), np.empty((r, r))
    nobody, none = np.zeros(0, np.bool_), np.zeros(0)
    features, previous, hessian = np.empty((0, 0)), samples[:0], Hessian(H, U, nobody, early, none, nobody)
    for p in range(first, stop):
        place = slice(starts[p], starts[p + 1])
        own = samples[place]
        others = abs(previous.size - own.size)
        for k in range(min(previous.size, own.size)):
            others += previous[k] != own[k]
        if others > 0:
            features = np.empty((r, own.size))
            for k in range(own.size):
                copy(Z[own[k]], features[:, k])
            none, nobody = np.full(own.size, -1.0), np.zeros(own.size, np.bool_)
            hessian = Hessian(H, U, nobody.copy(), early, none, nobody)
        previous, box = own, np.empty((len(terms), own.size))
        for k in range(len(terms)):
            copy(terms[k, place], box[k])
        intercepts[p], steps[p] = _solve_one(
            Z,
            offset,
            features,
            own,
            box,
            totals[p],
            d,
            goal,
            most,
            hessian,
            beta[place],
            values[place],
            weights[p],
        )
