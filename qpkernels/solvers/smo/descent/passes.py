# SPDX-License-Identifier: BSD-3-Clause
"""Passes over all samples: what a step costs each of them, and which coefficients to change.

So that each runs in vector registers, what a bound or a kink adds to the gradient is held in arrays, infinite where
beta_i cannot move; and a pass keeps the best value of each lane, that is of the samples k, k + LANES, k + 2 LANES ...,
and looks for the index afterwards, in the best lane alone.
"""

from typing import Any, NamedTuple

import numpy as np

from qpkernels.arrays import Floats, Vector
from qpkernels.arrays.compiled import compiled, vectorised

__all__ = [
    "FLAT",
    "LANES",
    "Arrays",
    "State",
    "best_partner",
    "best_single",
    "descend_and_find_up",
    "offset_down",
    "offset_up",
    "separating_interval",
]

FLAT = 1e-14
"""Curvature below this part of K_ii + K_jj is rounding: the two samples are the same point for the kernel."""

# Constants of a pass are of single precision, for they must not widen it.
_ZERO = np.float32(0)
_FLAT_PART = np.float32(FLAT)
_TINY = np.float32(1e-30)
"""Added to a curvature of 0, so that the gain is huge and not infinite."""

LANES = 128
"""Best values that a pass keeps: enough to fill the registers, few enough to look through."""


class Arrays(NamedTuple):
    """The data of a KernelQP as compiled code takes them; K is a matrix, or LazyRows."""

    K: Any
    target: Vector
    epsilon: Vector
    ridge: Vector
    lower: Vector
    upper: Vector


class State(NamedTuple):
    """What a pass reads, in the precision of K: g less a level, what the slopes add, K_ii + ridge_i; best values."""

    gradient: Floats
    up: Floats
    down: Floats
    squares: Floats
    lanes: Floats


@compiled
def offset_up(beta: float, upper: float, epsilon: float) -> float:
    """Return slope_up - g of a coefficient, infinite where it cannot go up.

    It takes numbers, so that it is compiled once for all kinds of arrays.
    """
    if beta >= upper:
        return np.inf
    return epsilon if beta >= 0 else -epsilon


@compiled
def offset_down(beta: float, lower: float, epsilon: float) -> float:
    """Return slope_down - g of a coefficient, infinite where it cannot go down."""
    if beta <= lower:
        return -np.inf
    return epsilon if beta > 0 else -epsilon


@compiled
def separating_interval(p: Arrays, beta: Vector, values: Vector) -> tuple[float, float]:
    """Return (max slope_down, min slope_up): the ends of the interval that -b lies in once the first is the smaller."""
    highest_down, lowest_up = -np.inf, np.inf
    for k in range(beta.size):
        gradient = values[k] + p.ridge[k] * beta[k] - p.target[k]
        lowest_up = min(lowest_up, gradient + offset_up(beta[k], p.upper[k], p.epsilon[k]))
        highest_down = max(highest_down, gradient + offset_down(beta[k], p.lower[k], p.epsilon[k]))
    return highest_down, lowest_up


@vectorised
def _lowest(lanes: Floats) -> int:
    """Return the lane of the least value; NumPy's search, which looks for NaN, takes as long as a short pass."""
    best = 0
    for k in range(lanes.size):
        best = k if lanes[k] < lanes[best] else best
    return best


@vectorised
def _highest(lanes: Floats) -> int:
    """Return the lane of the greatest value."""
    best = 0
    for k in range(lanes.size):
        best = k if lanes[k] > lanes[best] else best
    return best


@vectorised
def descend_and_find_up(state: State, row_i: Floats, row_j: Floats, delta: float) -> int:
    """Add delta (K_i - K_j) to g, and return the sample that can go up at the least cost, or -1."""
    state.lanes[:] = np.inf
    for start in range(0, state.gradient.size, LANES):
        gradient, up = state.gradient[start : start + LANES], state.up[start : start + LANES]
        left, right = row_i[start : start + LANES], row_j[start : start + LANES]
        for k in range(gradient.size):
            gradient[k] += delta * (left[k] - right[k])
            slope, low = gradient[k] + up[k], state.lanes[k]
            state.lanes[k] = slope if slope < low else low
    i, lowest = -1, state.gradient.dtype.type(np.inf)
    for k in range(_lowest(state.lanes), state.gradient.size, LANES):
        slope = state.gradient[k] + state.up[k]
        if slope < lowest:
            i, lowest = k, slope
    return i


@vectorised
def best_partner(state: State, row: Floats, i: int, cost: float, tolerance: float) -> int:
    """Return the j whose step down with i's step up gains most to second order, or -1."""
    state.lanes[:] = 0
    for start in range(0, row.size, LANES):
        gradient, down = state.gradient[start : start + LANES], state.down[start : start + LANES]
        squares, cross = state.squares[start : start + LANES], row[start : start + LANES]
        for k in range(gradient.size):
            gain = _pair_gain(gradient[k] + down[k] - cost, state.squares[i] + squares[k], cross[k], tolerance)
            high = state.lanes[k]
            state.lanes[k] = gain if gain > high else high
    j, highest = -1, row.dtype.type(0)
    for k in range(_highest(state.lanes), row.size, LANES):
        fall = state.gradient[k] + state.down[k] - cost
        gain = _pair_gain(fall, state.squares[i] + state.squares[k], row[k], tolerance)
        if gain > highest:
            j, highest = k, gain
    return j


@vectorised
def _pair_gain(fall: Any, squares: Any, cross: Any, tolerance: Any) -> Any:
    """Return twice what a pair gains to second order, or 0 where optimality is violated by at most ``tolerance``."""
    flat = _FLAT_PART * squares + _TINY
    curvature = squares - (cross + cross)
    curvature = curvature if curvature > flat else flat
    fall = fall if fall > tolerance else _ZERO
    return fall * fall / curvature


@vectorised
def best_single(state: State, tolerance: float) -> int:
    """Return the coefficient whose own step gains most to second order, or -1."""
    state.lanes[:] = 0
    for start in range(0, state.gradient.size, LANES):
        gradient, squares = state.gradient[start : start + LANES], state.squares[start : start + LANES]
        up, down = state.up[start : start + LANES], state.down[start : start + LANES]
        for k in range(gradient.size):
            gain, high = _single_gain(gradient[k], up[k], down[k], squares[k], tolerance), state.lanes[k]
            state.lanes[k] = gain if gain > high else high
    i, highest = -1, state.gradient.dtype.type(0)
    for k in range(_highest(state.lanes), state.gradient.size, LANES):
        gain = _single_gain(state.gradient[k], state.up[k], state.down[k], state.squares[k], tolerance)
        if gain > highest:
            i, highest = k, gain
    return i


@vectorised
def _single_gain(gradient: Any, up: Any, down: Any, square: Any, tolerance: Any) -> Any:
    rise, fall = -(gradient + up), gradient + down
    fall = rise if rise > fall else fall
    fall = fall if fall > tolerance else _ZERO
    return fall * fall / (square + _TINY)
