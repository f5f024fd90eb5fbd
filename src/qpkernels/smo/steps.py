# SPDX-License-Identifier: BSD-3-Clause
"""The compiled inner loops of sequential minimal optimisation: choose two coefficients, minimise over them, repeat.

Notation: with v = K beta, the smooth part of the objective has the gradient g_i = v_i + ridge_i beta_i - target_i.
Since |beta_i| has a kink at 0, moving beta_i up costs ``slope_up`` = g_i + epsilon_i (or - epsilon_i below 0), and
moving it down gains ``slope_down``. beta is optimal when a number -b separates the slopes:

    max over i that can go down of slope_down_i  <=  -b  <=  min over i that can go up of slope_up_i.

Working-set choice: Fan, Chen and Lin, Working set selection using second order information (JMLR 6, 2005), extended
to the kink.
"""

import numpy as np

from qpkernels.arrays import Matrix, Vector
from qpkernels.smo.compiled import compiled

__all__ = ["pair_steps", "single_steps", "slopes"]

_FLAT = 1e-14
"""Curvature below this part of K_ii + K_jj is rounding: the two samples are the same point for the kernel."""


@compiled
def slopes(
    target: Vector, epsilon: Vector, ridge: Vector, lower: Vector, upper: Vector, beta: Vector, values: Vector
) -> tuple[float, float]:
    """Return (max slope_down, min slope_up): the ends of the interval that -b lies in once the first is the smaller."""
    highest_down, lowest_up = -np.inf, np.inf
    for k in range(beta.size):
        gradient = values[k] + ridge[k] * beta[k] - target[k]
        if beta[k] < upper[k]:
            lowest_up = min(lowest_up, gradient + (epsilon[k] if beta[k] >= 0 else -epsilon[k]))
        if beta[k] > lower[k]:
            highest_down = max(highest_down, gradient + (epsilon[k] if beta[k] > 0 else -epsilon[k]))
    return highest_down, lowest_up


@compiled
def pair_steps(
    K: Matrix,
    target: Vector,
    epsilon: Vector,
    ridge: Vector,
    lower: Vector,
    upper: Vector,
    beta: Vector,
    values: Vector,
    limit: int,
    floor: float,
) -> int:
    """Take up to ``limit`` steps beta_i += delta, beta_j -= delta, in place; return how many were taken.

    i is where going up costs least, j where the decrease of the objective over the pair is largest. Fewer steps than
    ``limit`` mean that no pair violates optimality by more than ``floor``.
    """
    for step in range(limit):
        i, up = _steepest_up(target, epsilon, ridge, upper, beta, values)
        j, fall = _best_partner(K, target, epsilon, ridge, lower, beta, values, i, up, floor)
        if j < 0:
            return step
        curvature = _curvature(K[i, i] + K[j, j], -2.0 * K[i, j], ridge[i] + ridge[j])
        room_up, room_down = upper[i] - beta[i], beta[j] - lower[j]
        kink_i, kink_j = (-beta[i] if beta[i] < 0 else np.inf), (beta[j] if beta[j] > 0 else np.inf)
        if kink_i <= kink_j:
            delta = _length(fall, curvature, kink_i, 2 * epsilon[i], kink_j, 2 * epsilon[j])
        else:
            delta = _length(fall, curvature, kink_j, 2 * epsilon[j], kink_i, 2 * epsilon[i])
        delta = min(delta, room_up, room_down)
        beta[i] = upper[i] if delta == room_up else beta[i] + delta
        beta[j] = lower[j] if delta == room_down else beta[j] - delta
        for k in range(beta.size):
            values[k] += delta * (K[i, k] - K[j, k])
    return limit


@compiled
def single_steps(
    K: Matrix,
    target: Vector,
    epsilon: Vector,
    ridge: Vector,
    lower: Vector,
    upper: Vector,
    beta: Vector,
    values: Vector,
    limit: int,
    floor: float,
) -> int:
    """Take up to ``limit`` steps over one coefficient each, in place, where no equation ties them; return how many."""
    for step in range(limit):
        best, i, sign, fall = 0.0, -1, 0.0, 0.0
        for k in range(beta.size):
            gradient = values[k] + ridge[k] * beta[k] - target[k]
            up = -(gradient + (epsilon[k] if beta[k] >= 0 else -epsilon[k])) if beta[k] < upper[k] else 0.0
            down = gradient + (epsilon[k] if beta[k] > 0 else -epsilon[k]) if beta[k] > lower[k] else 0.0
            gain = max(up, down) ** 2 / _curvature(K[k, k], 0.0, ridge[k])
            if max(up, down) > floor and gain > best:
                best, i, sign, fall = gain, k, (1.0 if up >= down else -1.0), max(up, down)
        if i < 0:
            return step
        room = upper[i] - beta[i] if sign > 0 else beta[i] - lower[i]
        kink = abs(beta[i]) if sign * beta[i] < 0 else np.inf
        delta = _length(fall, _curvature(K[i, i], 0.0, ridge[i]), kink, 2 * epsilon[i], np.inf, 0.0)
        delta = min(delta, room)
        beta[i] = (upper[i] if sign > 0 else lower[i]) if delta == room else beta[i] + sign * delta
        for k in range(beta.size):
            values[k] += sign * delta * K[i, k]
    return limit


@compiled
def _steepest_up(
    target: Vector, epsilon: Vector, ridge: Vector, upper: Vector, beta: Vector, values: Vector
) -> tuple[int, float]:
    i, lowest = -1, np.inf
    for k in range(beta.size):
        if beta[k] < upper[k]:
            slope = values[k] + ridge[k] * beta[k] - target[k] + (epsilon[k] if beta[k] >= 0 else -epsilon[k])
            if slope < lowest:
                i, lowest = k, slope
    return i, lowest


@compiled
def _best_partner(
    K: Matrix,
    target: Vector,
    epsilon: Vector,
    ridge: Vector,
    lower: Vector,
    beta: Vector,
    values: Vector,
    i: int,
    up: float,
    floor: float,
) -> tuple[int, float]:
    j, fall_of_j, best = -1, 0.0, 0.0
    if i < 0:
        return j, fall_of_j
    for k in range(beta.size):
        if beta[k] > lower[k]:
            slope = values[k] + ridge[k] * beta[k] - target[k] + (epsilon[k] if beta[k] > 0 else -epsilon[k])
            fall = slope - up
            if fall > floor:
                gain = fall * fall / _curvature(K[i, i] + K[k, k], -2.0 * K[i, k], ridge[i] + ridge[k])
                if gain > best:
                    j, fall_of_j, best = k, fall, gain
    return j, fall_of_j


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
