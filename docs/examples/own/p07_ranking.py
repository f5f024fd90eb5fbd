# SPDX-License-Identifier: BSD-3-Clause
r"""Ranking from pairs
====================

It is hard to say how good a wine is, but easy to say which of two is better. Look for a function that is larger by 1
at the better one of each pair:

.. math:: \min_f\ \tfrac12 \|f\|^2 + \sum_{(i, j)} \max\bigl(0, 1 - (f(x_i) - f(x_j))\bigr).

The loss is about the difference of two values, which is one functional for each pair.

Source: T. Joachims, "Optimizing search engines using clickthrough data", Proceedings of the 8th ACM SIGKDD conference
(2002).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Function, Machine
from formulations.plots.style import BLUE, GREY, INK, STYLE, draw_samples, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
X = random.uniform(-2, 2, (50, 2))
hidden = -((X - 0.5) ** 2).sum(axis=1)
pairs = random.choice(50, (200, 2))
pairs = pairs[pairs[:, 0] != pairs[:, 1]]
swap = (hidden[pairs[:, 0]] < hidden[pairs[:, 1]]) ^ (random.random(len(pairs)) < 0.05)  # one answer of twenty is wrong
better, worse = np.where(swap[:, None], pairs[:, ::-1], pairs).T

# %%
# The statement.
f = Function(RBF(0.3))
lead = f(X)[better] - f(X)[worse]
machine = Machine(cp.Minimize(0.5 * f.squared_norm + cp.sum(cp.pos(1 - lead))))

solution = machine.solve()
print(machine.recognised, solution.explain(), sep="\n")
score = f(X).value
i, j = np.triu_indices(50, 1)
agree = int(((score[i] > score[j]) == (hidden[i] > hidden[j])).sum())
print(f"{agree} of {len(i)} pairs of the 50 in the hidden order; {len(better)} were asked for")
assert solution.status == "optimal"
assert agree > 0.9 * len(i)

# %%
# From answers about 197 of the 1,225 pairs, ``1186 of 1225`` are ordered.

# sphinx_gallery_alt = "Left, points in the plane with level lines that close around a hill near (0.5, 0.5). Right,"
# sphinx_gallery_alt = "the score against the hidden quality: a rising cloud."
figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.8), layout="constrained")
side = np.linspace(-2.1, 2.1, 80)
plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
lines = left.contour(side, side, f(plane).value.reshape(80, 80), 9, cmap="viridis", linewidths=1.2)
draw_samples(left, *X.T, INK, "o", "wine")
left.plot(0.5, 0.5, "+", color=GREY, markersize=14, markeredgewidth=2, label="the best that there is")
left.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal", title="level lines of the score")
draw_samples(right, hidden, score, BLUE, "o", None)
right.set(xlabel="hidden quality", ylabel="score", title=f"{len(better)} answers, {agree} of {len(i)} pairs in order")
explain([left], own=True)
