# SPDX-License-Identifier: BSD-3-Clause
"""The compiled inner loops of sequential minimal optimisation: choose two coefficients, minimise over them, repeat.

Notation: with v = K beta, the smooth part of the objective has the gradient g_i = v_i + ridge_i beta_i - target_i.
Since |beta_i| has a kink at 0, moving beta_i up costs ``slope_up`` = g_i + epsilon_i (or - epsilon_i below 0), and
moving it down gains ``slope_down``. beta is optimal when a number -b separates the slopes:

    max over i that can go down of slope_down_i  <=  -b  <=  min over i that can go up of slope_up_i.

Working-set choice: Fan, Chen and Lin, Working set selection using second order information (JMLR 6, 2005), extended
to the kink.
"""

from typing import NamedTuple

import numpy as np

from qpkernels.arrays import Matrix, Vector
from qpkernels.compiled import compiled

__all__ = ["Arrays", "pair_steps", "separating_interval", "single_steps"]

_FLAT = 1e-14
"""Curvature below this part of K_ii + K_jj is rounding: the two samples are the same point for the kernel."""

_FAR = 1e100
"""Longest step: without curvature and bound there is no end, and the engine recognises the direction."""


class Arrays(NamedTuple):
    """The data of a KernelQP as compiled code takes them."""

    K: Matrix
    target: Vector
    epsilon: Vector
    ridge: Vector
    lower: Vector
    upper: Vector


@compiled
def _slope_up(p: Arrays, beta: Vector, values: Vector, k: int) -> float:
    gradient = values[k] + p.ridge[k] * beta[k] - p.target[k]
    return float(gradient + (p.epsilon[k] if beta[k] >= 0 else -p.epsilon[k]))


@compiled
def _slope_down(p: Arrays, beta: Vector, values: Vector, k: int) -> float:
    gradient = values[k] + p.ridge[k] * beta[k] - p.target[k]
    return float(gradient + (p.epsilon[k] if beta[k] > 0 else -p.epsilon[k]))


@compiled
def separating_interval(p: Arrays, beta: Vector, values: Vector) -> tuple[float, float]:
    """Return (max slope_down, min slope_up): the ends of the interval that -b lies in once the first is the smaller."""
    highest_down, lowest_up = -np.inf, np.inf
    for k in range(beta.size):
        if beta[k] < p.upper[k]:
            lowest_up = min(lowest_up, _slope_up(p, beta, values, k))
        if beta[k] > p.lower[k]:
            highest_down = max(highest_down, _slope_down(p, beta, values, k))
    return highest_down, lowest_up


@compiled
def pair_steps(p: Arrays, beta: Vector, values: Vector, limit: int, floor: float) -> int:
    """Take up to ``limit`` steps beta_i += delta, beta_j -= delta, in place; return how many were taken.

    i is where going up costs least, j where the decrease of the objective over the pair is largest. Fewer steps than
    ``limit`` mean that no pair violates optimality by more than ``floor``.
    """
    for step in range(limit):
        i, cost = _steepest_up(p, beta, values)
        j, fall = _best_partner(p, beta, values, i, cost, floor)
        if j < 0:
            return step
        curvature = _curvature(p.K[i, i] + p.K[j, j], -2.0 * p.K[i, j], p.ridge[i] + p.ridge[j])
        room_up, room_down = p.upper[i] - beta[i], beta[j] - p.lower[j]
        kink_i, kink_j = (-beta[i] if beta[i] < 0 else np.inf), (beta[j] if beta[j] > 0 else np.inf)
        if kink_i <= kink_j:
            delta = _length(fall, curvature, kink_i, 2 * p.epsilon[i], kink_j, 2 * p.epsilon[j])
        else:
            delta = _length(fall, curvature, kink_j, 2 * p.epsilon[j], kink_i, 2 * p.epsilon[i])
        delta = min(delta, room_up, room_down, _FAR)
        beta[i] = p.upper[i] if delta == room_up else beta[i] + delta
        beta[j] = p.lower[j] if delta == room_down else beta[j] - delta
        row_i, row_j = p.K[i], p.K[j]
        for k in range(beta.size):
            values[k] += delta * (row_i[k] - row_j[k])
    return limit


@compiled
def single_steps(p: Arrays, beta: Vector, values: Vector, limit: int, floor: float) -> int:
    """Take up to ``limit`` steps over one coefficient each, in place, where no equation ties them; return how many."""
    for step in range(limit):
        i, sign, fall = _best_single(p, beta, values, floor)
        if i < 0:
            return step
        room = p.upper[i] - beta[i] if sign > 0 else beta[i] - p.lower[i]
        kink = abs(beta[i]) if sign * beta[i] < 0 else np.inf
        curvature = _curvature(p.K[i, i], 0.0, p.ridge[i])
        delta = min(_length(fall, curvature, kink, 2 * p.epsilon[i], np.inf, 0.0), room, _FAR)
        beta[i] = (p.upper[i] if sign > 0 else p.lower[i]) if delta == room else beta[i] + sign * delta
        row = p.K[i]
        for k in range(beta.size):
            values[k] += sign * delta * row[k]
    return limit


@compiled
def _steepest_up(p: Arrays, beta: Vector, values: Vector) -> tuple[int, float]:
    """Return the i that can go up at the least cost, and that cost."""
    i, lowest = -1, np.inf
    for k in range(beta.size):
        if beta[k] < p.upper[k]:
            slope = _slope_up(p, beta, values, k)
            if slope < lowest:
                i, lowest = k, slope
    return i, lowest


@compiled
def _best_partner(p: Arrays, beta: Vector, values: Vector, i: int, cost: float, floor: float) -> tuple[int, float]:
    """Return the j whose step down with i's step up gains most to second order, and the slope of the pair."""
    j, slope_of_pair, best = -1, 0.0, 0.0
    if i < 0:
        return j, slope_of_pair
    row = p.K[i]
    for k in range(beta.size):
        if beta[k] > p.lower[k]:
            fall = _slope_down(p, beta, values, k) - cost
            if fall > floor:
                gain = fall * fall / _curvature(row[i] + p.K[k, k], -2.0 * row[k], p.ridge[i] + p.ridge[k])
                if gain > best:
                    j, slope_of_pair, best = k, fall, gain
    return j, slope_of_pair


@compiled
def _best_single(p: Arrays, beta: Vector, values: Vector, floor: float) -> tuple[int, float, float]:
    """Return the coefficient whose own step gains most to second order, its direction and its slope."""
    i, sign, slope, best = -1, 0.0, 0.0, 0.0
    for k in range(beta.size):
        up = -_slope_up(p, beta, values, k) if beta[k] < p.upper[k] else 0.0
        down = _slope_down(p, beta, values, k) if beta[k] > p.lower[k] else 0.0
        fall = max(up, down)
        gain = fall * fall / _curvature(p.K[k, k], 0.0, p.ridge[k])
        if fall > floor and gain > best:
            i, sign, slope, best = k, (1.0 if up >= down else -1.0), fall, gain
    return i, sign, slope


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
