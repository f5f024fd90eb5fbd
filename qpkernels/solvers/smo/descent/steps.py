# SPDX-License-Identifier: BSD-3-Clause
"""The compiled inner loops of sequential minimal optimisation: choose two coefficients, minimise over them, repeat.

Notation: with v = K beta, the smooth part of the objective has the gradient g_i = v_i + ridge_i beta_i - target_i.
Since |beta_i| has a kink at 0, moving beta_i up costs ``slope_up`` = g_i + epsilon_i (or - epsilon_i below 0), and
moving it down gains ``slope_down``. beta is optimal when a number -b separates the slopes:

    max over i that can go down of slope_down_i  <=  -b  <=  min over i that can go up of slope_up_i.

Working-set choice: Fan, Chen and Lin, Working set selection using second order information (JMLR 6, 2005), extended
to the kink.

A step costs two passes over the samples. Pairs see differences of gradients alone; so the gradient is held less a level
close to -b, and loses nothing to float32 that K has not lost.
"""

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.gram.panels.loops import add_scaled
from qpkernels.solvers.smo.descent.lazy_rows import row, square
from qpkernels.solvers.smo.descent.passes import (
    FLAT,
    LANES,
    Arrays,
    State,
    best_partner,
    best_single,
    descend_and_find_up,
    offset_down,
    offset_up,
    separating_interval,
)

__all__ = ["pair_steps", "single_steps"]

_FAR = 1e100
"""Longest step: without curvature and bound there is no end, and the engine recognises the direction."""


@compiled
def _begin(p: Arrays, beta: Vector, values: Vector, level: float) -> State:
    dtype = row(p.K, 0).dtype
    state = State(
        np.empty(beta.size, dtype),
        np.empty(beta.size, dtype),
        np.empty(beta.size, dtype),
        np.empty(beta.size, dtype),
        np.empty(LANES, dtype),
    )
    for k in range(beta.size):
        state.gradient[k] = values[k] + p.ridge[k] * beta[k] - p.target[k] - level
        state.up[k] = offset_up(beta[k], p.upper[k], p.epsilon[k])
        state.down[k] = offset_down(beta[k], p.lower[k], p.epsilon[k])
        state.squares[k] = square(p.K, k) + p.ridge[k]
    return state


@compiled
def _moved(p: Arrays, beta: Vector, state: State, k: int, delta: float) -> None:
    """Bring up to date what beta_k, which went up by ``delta``, changes at k alone."""
    state.gradient[k] += p.ridge[k] * delta
    state.up[k] = offset_up(beta[k], p.upper[k], p.epsilon[k])
    state.down[k] = offset_down(beta[k], p.lower[k], p.epsilon[k])


@compiled
def _write_values(p: Arrays, beta: Vector, state: State, level: float, values: Vector) -> None:
    for k in range(values.size):
        values[k] = state.gradient[k] - p.ridge[k] * beta[k] + p.target[k] + level


@compiled
def pair_steps(p: Arrays, beta: Vector, values: Vector, limit: int, tolerance: float) -> int:
    """Take up to ``limit`` steps beta_i += delta, beta_j -= delta, in place; return how many were taken.

    i is where going up costs least, j where the decrease of the objective over the pair is largest. Fewer steps than
    ``limit`` mean that no pair violates optimality by more than ``tolerance``.
    """
    level = _middle(*separating_interval(p, beta, values))
    state = _begin(p, beta, values, level)
    number = state.gradient.dtype.type
    delta, taken, before_i, before_j = 0.0, 0, 0, 0
    while True:
        i = descend_and_find_up(state, row(p.K, before_i), row(p.K, before_j), number(delta))
        if taken == limit or i < 0:
            break
        cost = state.gradient[i] + state.up[i]
        row_i = row(p.K, i)
        j = best_partner(state, row_i, i, cost, number(tolerance))
        if j < 0:
            break
        fall = float(state.gradient[j] + state.down[j] - cost)
        curvature = _curvature(square(p.K, i) + square(p.K, j), -2.0 * row_i[j], p.ridge[i] + p.ridge[j])
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
def single_steps(p: Arrays, beta: Vector, values: Vector, limit: int, tolerance: float) -> int:
    """Take up to ``limit`` steps over one coefficient each, in place, where no equation ties them; return how many."""
    state = _begin(p, beta, values, 0.0)
    number, taken = state.gradient.dtype.type, 0
    while taken < limit:
        i = best_single(state, number(tolerance))
        if i < 0:
            break
        up, down = -float(state.gradient[i] + state.up[i]), float(state.gradient[i] + state.down[i])
        sign = 1.0 if up >= down else -1.0
        room = p.upper[i] - beta[i] if sign > 0 else beta[i] - p.lower[i]
        kink = abs(beta[i]) if sign * beta[i] < 0 else np.inf
        curvature = _curvature(square(p.K, i), 0.0, p.ridge[i])
        delta = min(_length(max(up, down), curvature, kink, 2 * p.epsilon[i], np.inf, 0.0), room, _FAR)
        beta[i] = (p.upper[i] if sign > 0 else p.lower[i]) if delta == room else beta[i] + sign * delta
        _moved(p, beta, state, i, sign * delta)
        add_scaled(state.gradient, number(sign * delta), row(p.K, i))
        taken += 1
    _write_values(p, beta, state, 0.0, values)
    return taken


@compiled
def _middle(low: float, high: float) -> float:
    """Return the middle of an interval, or 0 if it has none."""
    return 0.5 * (low + high) if np.isfinite(low) and np.isfinite(high) else 0.0


@compiled
def _curvature(squares: float, cross: float, ridge: float) -> float:
    return max(squares + cross + ridge, FLAT * squares + 1e-300)


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
