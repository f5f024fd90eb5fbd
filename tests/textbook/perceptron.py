# SPDX-License-Identifier: BSD-3-Clause
"""The perceptron: its criterion, both rules, and the bound on the mistakes."""

from __future__ import annotations

import numpy as np

from formulations import BatchPerceptron, HardMargin, Perceptron, mistake_bound
from textbook.cases import APART, TOL, Pairs, formula

__all__: list[str] = []

X = APART.X + np.array([3.0, 2.0])
"""Away from the origin, so that many corrections are needed."""

POINTS = APART.y[:, None] * np.column_stack([np.ones(len(APART)), X])
"""In generalised coordinates, with the sign of the class: a separates where POINTS @ a > 0."""

START = np.array([3.0, -1.0, 0.5])


def single() -> list[np.ndarray]:
    """Return a of the rule for single samples, after 0, 1, 2, ... corrections."""
    steps = [np.zeros(3)]
    while (POINTS @ steps[-1] <= 0).any():
        for z in POINTS:
            if z @ steps[-1] <= 0:
                steps.append(steps[-1] + z)
    return steps


@formula
def generalised_coordinates() -> Pairs:
    run = Perceptron(X, APART.y).solve()
    yield run.function(APART.N), np.column_stack([np.ones(len(APART.N)), APART.N]) @ run.weights
    yield np.append(run.intercept, run.function.weights), run.weights


@formula
def perceptron_criterion() -> Pairs:
    run = BatchPerceptron(X, APART.y, start=START).solve()
    products = POINTS @ START
    yield run.criterion[0], -products[products <= 0].sum()
    yield run.criterion[-1], 0.0


@formula
def batch_rule() -> Pairs:
    a, rates = START, lambda k: k**-0.5
    k = 0
    while (wrong := POINTS @ a <= 0).any():
        k += 1
        a = a + rates(k) * POINTS[wrong].sum(axis=0)
    run = BatchPerceptron(X, APART.y, start=START, rate=rates).solve()
    yield run.weights, a
    yield run.mistakes, k


@formula
def single_sample_rule() -> Pairs:
    steps, run = single(), Perceptron(X, APART.y).solve()
    yield run.weights, steps[-1]
    yield run.mistakes, len(steps) - 1


@formula
def distance_to_a_solution_falls() -> Pairs:
    best = HardMargin(X, APART.y).solve(tol=TOL)
    separator = np.append(best.intercept, best.function.weights)
    squares, least = (POINTS**2).sum(axis=1).max(), (POINTS @ separator).min()
    scaled = squares / least * separator
    path = [np.zeros(3)]
    for correction in Perceptron(X, APART.y).corrections():
        path.append(correction.alpha @ POINTS)
    distances = np.array([np.sum((a - scaled) ** 2) for a in path])
    yield np.array(path), np.array(single())
    # Each correction brings a nearer by the square of the longest sample at least.
    yield np.maximum(np.diff(distances) + squares, 0.0), np.zeros(len(path) - 1)
    # And so their number is at most the first distance in that unit.
    yield max(0.0, len(path) - 1 - distances[0] / squares), 0.0


@formula
def bound_of_the_corrections() -> Pairs:
    best = HardMargin(X, APART.y).solve(tol=TOL)
    separator = np.append(best.intercept, best.function.weights)
    bound = (POINTS**2).sum(axis=1).max() * separator @ separator / (POINTS @ separator).min() ** 2
    yield mistake_bound(POINTS, separator), bound
    yield Perceptron(X, APART.y).mistake_bound(best.function), bound
    yield max(0.0, Perceptron(X, APART.y).solve().mistakes - bound), 0.0
