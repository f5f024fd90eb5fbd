# SPDX-License-Identifier: BSD-3-Clause
"""Right answers to every exercise, and typical wrong ones with what is to be said of them."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["RIGHT", "WRONG"]


def threshold(y: np.ndarray, epsilon: float) -> np.ndarray:
    return np.sign(y) * np.maximum(np.abs(y) - epsilon, 0.0)


def corner(t: float) -> list[float]:
    """Return the multipliers of (1, -1), (1, t) and (-1, 0)."""
    if t < 0.0:
        return [0.0, 2.0 / (4.0 + t * t), 2.0 / (4.0 + t * t)]
    return [0.5 * t / (1.0 + t), 0.5 / (1.0 + t), 0.5]


def wave(t: int, x: np.ndarray) -> np.ndarray:
    return np.sin((t - 0.5) * np.pi * x)


def wave_value(t: int) -> float:
    return 1.0 / ((t - 0.5) * np.pi) ** 2


RIGHT: dict[str, list[dict[str, Any]]] = {
    "corrections": [
        {"corrections": [1, 3, 3, 1, 3]},
        {"alpha": [2, 0, 3], "a": [-1, 2]},
        {"corrections": [1, 3, 3, 1, 3], "alpha": [2, 0, 3], "a": [-1, 2]},
    ],
    "kernel-perceptron": [{"corrections": [1, 2]}, {"alpha": [1, 1, 0, 0]}],
    "smallest-bound": [{"a": [0, 0.5, 0.5]}, {"a": [0, 3, 3]}],
    "beyond-the-margin": [{"w": [0.5, 0.5], "b": 0}, {"w": [0.5, 0.5]}, {"b": 0.0}],
    "within-the-margin": [{"w": [2 / 3, 2 / 3], "b": 1 / 3}],
    "turned-line": [{"w": [1, 1 / 3], "b": 1 / 3}],
    "four-points": [{"alpha": [1 / 4, 1 / 4, 1 / 2, 0]}, {"w": [1, 0], "b": 0}],
    "hulls": [
        {"alpha": [2 / 9, 0, 2 / 9], "w": [2 / 3], "b": 1 / 3},
        {"alpha": [2 / 9, 0, 2 / 9]},
        {"w": 2 / 3, "b": [1 / 3]},
    ],
    "moving-corner": [{"alpha": corner}],
    "cost-of-the-hard-margin": [{"C": 0.5}],
    "every-cost": [
        {"alpha": lambda C: [min(0.5, C)] * 2, "w": lambda C: min(1.0, 2 * C), "b": 0},
        {"w": lambda C: min(1.0, 2 * C), "b": lambda C: max(0.0, 1 - 2 * C)},
        {"alpha": lambda C: np.minimum([0.5, 0.5], C)},
    ],
    "mislabelled": [{"w": lambda C: [min(C, 1.0), 0.0], "b": lambda C: min(C, 1.0) - 1.0}],
    "no-kernel": [{"samples": [0, 1]}, {"samples": (0.2, 0.3, 0.9)}],
    "exclusive-or": [{"alpha": [1 / 8] * 4}, {"alpha": [1 / 4, 1 / 4, 0, 0]}],
    "gaussian-corners": [{"alpha": lambda gamma: [(1.0 - np.exp(-4.0 * gamma)) ** -2] * 4}],
    "height-of-a-bump": [{"C": 9}],
    "least-norm": [{"beta": [2, 0]}],
    "largest-value": [{"value": 0.75**0.5}],
    "share-of-the-trace": [{"n": 8}],
    "eigenfunctions": [
        {"eigenvalue": wave_value, "eigenfunction": wave},
        {"eigenfunction": lambda t, x: -3.0 * wave(t, x)},
        {"eigenvalue": wave_value},
    ],
    "promised-samples": [{"m": 1667}],
    "wide-tube": [{"epsilon": 1}],
    "flat-line": [
        {
            "beta": lambda C, epsilon: np.array([-1, 1]) * min(C, (1 - epsilon) / 2),
            "w": lambda C, epsilon: min(2 * C, 1 - epsilon),
            "b": 0,
        },
        {"b": lambda C, epsilon: max(0.0, 1 - epsilon - 2 * C)},
    ],
    "thin-tube": [{"epsilon": 2}],
    "samples-that-stay": [{"n": 3}],
    "soft-threshold": [{"a": threshold}],
    "largest-nu": [{"nu": 0.6}],
    "relevant-from": [{"t": 2}],
    "width-of-the-band": [{"mean": 3, "variance": 7, "far": 4}],
    "relevant-targets": [
        {"mu": [1.5, -1.5, 0, 0]},
        {"alpha": [1 / 3, 1 / 3, np.inf, np.inf]},
        {"mu": [1.5, -1.5, 0, 0], "alpha": [1 / 3, 1 / 3, np.inf, np.inf]},
    ],
}
"""Each answer that is to be accepted."""

WRONG: dict[str, list[tuple[dict[str, Any], str]]] = {
    "corrections": [
        ({"corrections": [1, 2, 3]}, "correction 2 is not of x_2"),
        ({"corrections": [1, 3, 3]}, "all of these corrections are right, but more follow"),
        ({"corrections": [1, 3, 3, 1, 3, 1]}, "the first 5 corrections are right, and there are no more"),
        ({"corrections": [0.5]}, "correction 1 is not of 0.5, which is no sample"),
        ({"alpha": [1, 0, 1]}, "another number of corrections than the 2 of this alpha"),
        ({"alpha": [2, 0, -3]}, "this is beta = y alpha"),
        ({"alpha": [3, 0, 2]}, "does not end with this alpha"),
        ({"a": [2, -1]}, "this is (w, b), but a = (b, w) begins with b"),
        ({"a": [-1, 5]}, "does not end with this a"),
    ],
    "kernel-perceptron": [
        ({"alpha": [1, 1, 1, 1]}, "this is the alpha of the batch rule"),
        ({"alpha": [1, -1, 0, 0]}, "this is beta = y alpha"),
        ({"corrections": [1, 2, 3]}, "the first 2 corrections are right, and there are no more"),
    ],
    "smallest-bound": [
        ({"a": [1, 1, 0]}, "a does not separate: a'z_3 = 0 is not above 0"),
        ({"a": [0.1, 1, 1]}, "a separates, and its bound is 2.784, but there is an a with a smaller one"),
    ],
    "beyond-the-margin": [
        ({"w": [0.25, 0.25], "b": 0}, "the line is right, its scale is not: w and b are 0.5 times what they should be"),
        ({"w": [-0.5, -0.5], "b": 0}, "the line has its sides swapped"),
        (
            {"w": [1.0, 0.5], "b": 0.0},
            "w and b satisfy the constraints, but the primal value is 0.38 above the optimum",
        ),
        ({"b": 0.25}, "b is not feasible: y_3 g(x_3) = 0.75 is below 1"),
    ],
    "within-the-margin": [
        ({"w": [0.5, 0.5], "b": 0}, "w and b are not feasible: y_4 g(x_4) = 0.5 is below 1"),
        ({"w": [2 / 3, 2 / 3], "b": -1 / 3}, "b has the other sign: here g(x) = <w, x> + b"),
        ({"w": [0.6668, 0.6668], "b": 0.3334}, "so write more digits, or a fraction"),
    ],
    "turned-line": [({"w": [1, 1], "b": 0}, "w and b are not feasible: y_4 g(x_4) = 0 is below 1")],
    "four-points": [
        ({"alpha": [1 / 4, 1 / 4, 1 / 2, 1 / 4]}, "the sum of all alpha_i y_i is 0.25, not 0"),
        ({"w": [1, 0], "b": 1}, "w and b are not feasible: y_3 g(x_3)"),
    ],
    "hulls": [
        ({"alpha": [2 / 9, 0, -2 / 9]}, "this is beta = y alpha: multiply each entry by its y"),
        ({"alpha": [1 / 9, 0, 1 / 9]}, "right but for its scale: each entry is 0.5 times what it should be"),
        ({"alpha": [-4 / 9, 0, -4 / 9]}, "all signs of alpha are turned; and each entry is 2 times"),
        ({"alpha": [-0.1, 0.2, 0.1]}, "alpha is not feasible: alpha_1 = -0.1 is below 0"),
        ({"alpha": [0.2, 0.0, 0.1]}, "the sum of all alpha_i y_i is 0.1, not 0"),
        ({"alpha": [0.0, 0.1, 0.1]}, "alpha is feasible, but its dual value is 0.15 below the optimum: not optimal"),
        ({"w": [2 / 3], "b": -1 / 3}, "b has the other sign"),
        ({"alpha": [2 / 9, 0, 2 / 9], "b": -1 / 3}, "b has the other sign"),
    ],
    "moving-corner": [
        (
            {"alpha": lambda t: [t / (2 + 2 * t), 1 / (2 + 2 * t), 1 / 2]},
            "at t = -0.5: alpha is not feasible: alpha_1 = -0.5 is below 0",
        )
    ],
    "cost-of-the-hard-margin": [
        ({"C": 0.4}, "at C = 0.4 it is not so that the hard margin is optimal"),
        ({"C": 1.0}, "at C = 1 it is so that the hard margin is optimal, but a smaller C will do as well"),
        ({"C": -1.0}, "C is above 0, and -1 is not"),
    ],
    "every-cost": [
        ({"alpha": [0.5, 0.5]}, "at C = 0.2: alpha is right but for its scale: each entry is 2.5 times"),
        (
            {"alpha": lambda C: [C, 0.3]},
            "at C = 0.2: alpha is not feasible: alpha_2 = 0.3 is above C = 0.2, and the sum",
        ),
        ({"alpha": lambda C: [C, C]}, "at C = 3: alpha is right but for its scale"),
        ({"alpha": lambda C: [-min(0.5, C), min(0.5, C)]}, "at C = 0.2: this is beta = y alpha"),
        ({"w": 1.0, "b": 0.0}, "at C = 0.2: the line is right, its scale is not"),
        (
            {"w": lambda C: min(1.0, 2 * C), "b": 0.5},
            "at C = 0.5: with w and b as they are the primal value is 0.25 above",
        ),
    ],
    "mislabelled": [
        ({"w": [1, 0], "b": 0}, "at C = 0.3: with w and b as they are the primal value is 0.24 above"),
    ],
    "no-kernel": [
        ({"samples": [0.5]}, "the matrix of these samples has no negative eigenvalue"),
        ({"samples": [0.0, 2.0]}, "the samples are to be in [0, 1]"),
        ({"samples": []}, "the samples are to be in [0, 1]"),
    ],
    "exclusive-or": [({"alpha": [1 / 4] * 4}, "each entry is 2 times what it should be")],
    "gaussian-corners": [({"alpha": [1] * 4}, "at gamma = 0.1: alpha is right but for its scale")],
    "height-of-a-bump": [({"C": 10}, "but a smaller C will do as well")],
    "least-norm": [
        ({"beta": [0, 1]}, "its dual value is 0.5 below the optimum: not optimal"),
        ({"beta": [1, 0]}, "each entry is 0.5 times what it should be"),
        ({"beta": [-2, 0]}, "all signs of beta are turned"),
    ],
    "largest-value": [({"value": 1}, "at value = 1 it is not so that a function of norm at most 1 reaches it")],
    "share-of-the-trace": [
        ({"n": 7}, "at n = 7 it is not so that the first n add up to at least 99.9 %"),
        ({"n": 9}, "but a smaller n will do as well"),
    ],
    "eigenfunctions": [
        ({"eigenfunction": lambda t, x: np.sin(t * np.pi * x)}, "the function of t = 1 is not an eigenfunction"),
        (
            {"eigenfunction": lambda t, x: wave(t + 1, x)},
            "of the eigenvalue 0.04503, but that is not number 1 in order of size",
        ),
        ({"eigenfunction": lambda _, x: 0 * x}, "the eigenfunction of t = 1 is 0, which is not an eigenfunction"),
        (
            {"eigenfunction": wave, "eigenvalue": lambda t: 2 * wave_value(t)},
            "the function of t = 1 is an eigenfunction, but its eigenvalue is not 0.810569",
        ),
        ({"eigenvalue": lambda t: (t * np.pi) ** -2}, "the eigenvalue of t = 1 cannot be 0.1013"),
    ],
    "promised-samples": [({"m": 1666}, "at m = 1666 it is not so that the bound of the theorem is")],
    "wide-tube": [({"epsilon": 2}, "but a smaller epsilon will do as well")],
    "flat-line": [
        ({"beta": lambda C, _: [-C, C]}, "at C = 3 and epsilon = 0.2: beta is right but for its scale"),
        ({"beta": lambda *_: [0.3, 0.3]}, "|beta_1| = 0.3 is above C = 0.1, and the sum of all beta_i is 0.6"),
        ({"w": lambda C, _: min(2 * C, 1.0), "b": 0}, "at C = 3 and epsilon = 0.2: the line is right, its scale"),
        ({"w": lambda C, epsilon: -min(2 * C, 1 - epsilon), "b": 0}, "the line has its sides swapped"),
    ],
    "thin-tube": [({"epsilon": 1.9}, "at epsilon = 1.9 it is not so that a line has a hard tube")],
    "samples-that-stay": [({"n": 4}, "but a smaller n will do as well")],
    "soft-threshold": [
        (
            {"a": lambda y, epsilon: np.where(np.abs(y) > epsilon, y, 0.0)},
            "at y = (2, -2, 0.5, -0.5) and epsilon = 1: a is right but for its scale: each entry is 2 times",
        ),
        ({"a": lambda y, epsilon: -threshold(y, epsilon)}, "all signs of a are turned"),
        ({"a": lambda y, _: y}, "a is feasible, but its dual value is"),
    ],
    "largest-nu": [
        ({"nu": 0.7}, "at nu = 0.7 it is not so that the dual has a feasible point"),
        ({"nu": 0.3}, "but a larger nu will do as well"),
    ],
    "relevant-from": [({"t": 4}, "but a smaller t will do as well")],
    "width-of-the-band": [
        ({"mean": 4}, "mean is not 4"),
        ({"variance": 3}, "variance is not 3"),
        ({"far": 0}, "far is not 0"),
    ],
    "relevant-targets": [
        ({"mu": [1, -1, 0, 0]}, "mu_1 is not 1"),
        ({"mu": [0, -1.5, 0, 0]}, "mu_1 is not 0"),
        ({"mu": [1.5, -1.5, 0.2, 0]}, "mu_3 is 0"),
        ({"alpha": [3, 1 / 3, np.inf, np.inf]}, "the evidence is not stationary: its slope in ln alpha_1"),
        ({"alpha": [np.inf, 1 / 3, np.inf, np.inf]}, "the evidence would rise if alpha_1 were finite"),
        ({"alpha": [0, 1 / 3, np.inf, np.inf]}, "alpha_1 is a precision, and not above 0"),
    ],
}
"""Each answer that is to be refused, with a part of the words."""
