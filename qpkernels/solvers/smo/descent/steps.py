# SPDX-License-Identifier: BSD-3-Clause
"""The compiled inner loops of sequential minimal optimisation: choose two coefficients, minimise over them, repeat.

Notation: with v = K beta, the smooth part of the objective has the gradient g_i = v_i + ridge_i beta_i - target_i.
Since |beta_i| has a kink at 0, moving beta_i up costs ``slope_up`` = g_i + epsilon_i (or - epsilon_i below 0), and
moving it down gains ``slope_down``. beta is optimal when a number -b separates the slopes:

    max over i that can go down of slope_down_i  <=  -b  <=  min over i that can go up of slope_up_i.

Working-set choice: Fan, Chen and Lin, Working set selection using second order information (JMLR 6, 2005), extended
to the kink.

A step costs two passes over the samples. So that each runs in vector registers, what a bound or a kink adds to the
gradient is held in arrays, infinite where beta_i cannot move; and a pass keeps the best value of each lane, that is of
the samples k, k + LANES, k + 2 LANES ..., and looks for the index afterwards, in the best lane alone. Pairs see
differences of gradients alone; so the gradient is held less a level close to -b, and loses nothing to float32 that K
has not lost.
"""

from typing import Any, NamedTuple

import numpy as np

from qpkernels.arrays import Floats, Vector
from qpkernels.arrays.compiled import compiled, vectorised
from qpkernels.gram.panels.loops import add_scaled

__all__ = ["Arrays", "offset_down", "offset_up", "pair_steps", "separating_interval", "single_steps"]

_FLAT = 1e-14
"""Curvature below this part of K_ii + K_jj is rounding: the two samples are the same point for the kernel."""

# Constants of a pass are of single precision, for they must not widen it.
_ZERO = np.float32(0)
_FLAT_PART = np.float32(_FLAT)
_TINY = np.float32(1e-30)
"""Added to a curvature of 0, so that the gain is huge and not infinite."""

_FAR = 1e100
"""Longest step: without curvature and bound there is no end, and the engine recognises the direction."""

_LANES = 128
"""Best values that a pass keeps: enough to fill the registers, few enough to look through."""


class Arrays(NamedTuple):
    """The data of a KernelQP as compiled code takes them."""

    K: Floats
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
def offset_up(p: Arrays, beta: Vector, k: int) -> float:
    """Return slope_up_k - g_k, infinite where beta_k cannot go up."""
    if beta[k] >= p.upper[k]:
        return np.inf
    return float(p.epsilon[k] if beta[k] >= 0 else -p.epsilon[k])


@compiled
def offset_down(p: Arrays, beta: Vector, k: int) -> float:
    """Return slope_down_k - g_k, infinite where beta_k cannot go down."""
    if beta[k] <= p.lower[k]:
        return -np.inf
    return float(p.epsilon[k] if beta[k] > 0 else -p.epsilon[k])


@compiled
def separating_interval(p: Arrays, beta: Vector, values: Vector) -> tuple[float, float]:
    """Return (max slope_down, min slope_up): the ends of the interval that -b lies in once the first is the smaller."""
    highest_down, lowest_up = -np.inf, np.inf
    for k in range(beta.size):
        gradient = values[k] + p.ridge[k] * beta[k] - p.target[k]
        lowest_up = min(lowest_up, gradient + offset_up(p, beta, k))
        highest_down = max(highest_down, gradient + offset_down(p, beta, k))
    return highest_down, lowest_up


@compiled
def _begin(p: Arrays, beta: Vector, values: Vector, level: float) -> State:
    state = State(
        np.empty(beta.size, p.K.dtype),
        np.empty(beta.size, p.K.dtype),
        np.empty(beta.size, p.K.dtype),
        np.empty(beta.size, p.K.dtype),
        np.empty(_LANES, p.K.dtype),
    )
    for k in range(beta.size):
        state.gradient[k] = values[k] + p.ridge[k] * beta[k] - p.target[k] - level
        state.up[k] = offset_up(p, beta, k)
        state.down[k] = offset_down(p, beta, k)
        state.squares[k] = p.K[k, k] + p.ridge[k]
    return state


@compiled
def _moved(p: Arrays, beta: Vector, state: State, k: int, delta: float) -> None:
    """Bring up to date what beta_k, which went up by ``delta``, changes at k alone."""
    state.gradient[k] += p.ridge[k] * delta
    state.up[k] = offset_up(p, beta, k)
    state.down[k] = offset_down(p, beta, k)


@compiled
def _write_values(p: Arrays, beta: Vector, state: State, level: float, values: Vector) -> None:
    for k in range(values.size):
        values[k] = state.gradient[k] - p.ridge[k] * beta[k] + p.target[k] + level


@compiled
def pair_steps(p: Arrays, beta: Vector, values: Vector, limit: int, floor: float) -> int:
    """Take up to ``limit`` steps beta_i += delta, beta_j -= delta, in place; return how many were taken.

    i is where going up costs least, j where the decrease of the objective over the pair is largest. Fewer steps than
    ``limit`` mean that no pair violates optimality by more than ``floor``.
    """
    level = _middle(*separating_interval(p, beta, values))
    state = _begin(p, beta, values, level)
    delta, taken, before_i, before_j = 0.0, 0, 0, 0
    while True:
        i = _descend_and_find_up(state, p.K[before_i], p.K[before_j], p.K.dtype.type(delta))
        if taken == limit or i < 0:
            break
        cost = state.gradient[i] + state.up[i]
        j = _best_partner(state, p.K[i], i, cost, p.K.dtype.type(floor))
        if j < 0:
            break
        fall = float(state.gradient[j] + state.down[j] - cost)
        curvature = _curvature(float(p.K[i, i]) + float(p.K[j, j]), -2.0 * p.K[i, j], p.ridge[i] + p.ridge[j])
        room_up, room_down = p.upper[i] - beta[i], beta[j] - p.lower[j]
        kink_i, kink_j = (-beta[i] if beta[i] < 0 else np.inf), (beta[j] if beta[j] > 0 else np.inf)
        if kink_i <= kink_j:
            delta = _length(fall, curvature, kink_i, 2 * p.epsilon[i], kink_j, 2 * p.epsilon[j])
        else:
            delta = _length(fall, curvature, kink_j, 2 * p.epsilon[j], kink_i, 2 * p.epsilon[i])
        delta = min(delta, room_up, room_down, _FAR)
        beta[i] = p.upper[i] if delta == room_up else beta[i] + delta
        beta[j] = p.lower[j] if delta == room_down else beta[j] - delta
        _moved(p, beta, state, i, delta)
        _moved(p, beta, state, j, -delta)
        before_i, before_j, taken = i, j, taken + 1
    _write_values(p, beta, state, level, values)
    return taken


@compiled
def single_steps(p: Arrays, beta: Vector, values: Vector, limit: int, floor: float) -> int:
    """Take up to ``limit`` steps over one coefficient each, in place, where no equation ties them; return how many."""
    state = _begin(p, beta, values, 0.0)
    taken = 0
    while taken < limit:
        i = _best_single(state, p.K.dtype.type(floor))
        if i < 0:
            break
        up, down = -float(state.gradient[i] + state.up[i]), float(state.gradient[i] + state.down[i])
        sign = 1.0 if up >= down else -1.0
        room = p.upper[i] - beta[i] if sign > 0 else beta[i] - p.lower[i]
        kink = abs(beta[i]) if sign * beta[i] < 0 else np.inf
        curvature = _curvature(float(p.K[i, i]), 0.0, p.ridge[i])
        delta = min(_length(max(up, down), curvature, kink, 2 * p.epsilon[i], np.inf, 0.0), room, _FAR)
        beta[i] = (p.upper[i] if sign > 0 else p.lower[i]) if delta == room else beta[i] + sign * delta
        _moved(p, beta, state, i, sign * delta)
        add_scaled(state.gradient, p.K.dtype.type(sign * delta), p.K[i])
        taken += 1
    _write_values(p, beta, state, 0.0, values)
    return taken


@vectorised
def _descend_and_find_up(state: State, row_i: Floats, row_j: Floats, delta: float) -> int:
    """Add delta (K_i - K_j) to g, and return the sample that can go up at the least cost, or -1."""
    state.lanes[:] = np.inf
    for start in range(0, state.gradient.size, _LANES):
        gradient, up = state.gradient[start : start + _LANES], state.up[start : start + _LANES]
        left, right = row_i[start : start + _LANES], row_j[start : start + _LANES]
        for k in range(gradient.size):
            gradient[k] += delta * (left[k] - right[k])
            slope, low = gradient[k] + up[k], state.lanes[k]
            state.lanes[k] = slope if slope < low else low
    i, lowest = -1, state.gradient.dtype.type(np.inf)
    for k in range(np.argmin(state.lanes), state.gradient.size, _LANES):
        slope = state.gradient[k] + state.up[k]
        if slope < lowest:
            i, lowest = k, slope
    return i


@vectorised
def _best_partner(state: State, row: Floats, i: int, cost: float, floor: float) -> int:
    """Return the j whose step down with i's step up gains most to second order, or -1."""
    state.lanes[:] = 0
    for start in range(0, row.size, _LANES):
        gradient, down = state.gradient[start : start + _LANES], state.down[start : start + _LANES]
        squares, cross = state.squares[start : start + _LANES], row[start : start + _LANES]
        for k in range(gradient.size):
            gain = _pair_gain(gradient[k] + down[k] - cost, state.squares[i] + squares[k], cross[k], floor)
            high = state.lanes[k]
            state.lanes[k] = gain if gain > high else high
    j, highest = -1, row.dtype.type(0)
    for k in range(np.argmax(state.lanes), row.size, _LANES):
        fall = state.gradient[k] + state.down[k] - cost
        gain = _pair_gain(fall, state.squares[i] + state.squares[k], row[k], floor)
        if gain > highest:
            j, highest = k, gain
    return j


@vectorised
def _pair_gain(fall: Any, squares: Any, cross: Any, floor: Any) -> Any:
    """Return twice what a pair gains to second order, or 0 where it violates optimality by no more than ``floor``."""
    flat = _FLAT_PART * squares + _TINY
    curvature = squares - (cross + cross)
    curvature = curvature if curvature > flat else flat
    fall = fall if fall > floor else _ZERO
    return fall * fall / curvature


@vectorised
def _best_single(state: State, floor: float) -> int:
    """Return the coefficient whose own step gains most to second order, or -1."""
    state.lanes[:] = 0
    for start in range(0, state.gradient.size, _LANES):
        gradient, squares = state.gradient[start : start + _LANES], state.squares[start : start + _LANES]
        up, down = state.up[start : start + _LANES], state.down[start : start + _LANES]
        for k in range(gradient.size):
            gain, high = _single_gain(gradient[k], up[k], down[k], squares[k], floor), state.lanes[k]
            state.lanes[k] = gain if gain > high else high
    i, highest = -1, state.gradient.dtype.type(0)
    for k in range(np.argmax(state.lanes), state.gradient.size, _LANES):
        gain = _single_gain(state.gradient[k], state.up[k], state.down[k], state.squares[k], floor)
        if gain > highest:
            i, highest = k, gain
    return i


@vectorised
def _single_gain(gradient: Any, up: Any, down: Any, square: Any, floor: Any) -> Any:
    rise, fall = -(gradient + up), gradient + down
    fall = rise if rise > fall else fall
    fall = fall if fall > floor else _ZERO
    return fall * fall / (square + _TINY)


@compiled
def _middle(low: float, high: float) -> float:
    """Return the middle of an interval, or 0 if it has none."""
    return 0.5 * (low + high) if np.isfinite(low) and np.isfinite(high) else 0.0


@compiled
def _curvature(squares: float, cross: float, ridge: float) -> float:
    return max(squares + cross + ridge, _FLAT * squares + 1e-300)


@compiled
def _length(fall: float, curvature: float, near: float, rise: float, far: float, second_rise: float) -> float:
    """Minimise curvature/2 d^2 - fall d over d >= 0, where the slope rises by ``rise`` at ``near``, then at ``far``."""
    delta = fall / curvature
    if delta > near:
        fall -= rise
        delta = max(near, fall / curvature)
    if delta > far:
        fall -= second_rise
        delta = max(far, fall / curvature)
    return delta
