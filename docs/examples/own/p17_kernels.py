# SPDX-License-Identifier: BSD-3-Clause
r"""Several kernels, with their weights
=====================================

How wide should the kernel be? Take several kernels, a function of each, and penalise the sum of their norms:

.. math:: \min\ \tfrac12 \bigl(\textstyle\sum_k \|f_k\|\bigr)^2 + \sum_i \bigl(y_i - \sum_k f_k(x_i)\bigr)^2.

The sum of norms, unlike that of their squares, makes some of them 0. Since :math:`(\sum_k \|f_k\|)^2 = \min \{\sum_k
\|f_k\|^2 / d_k : d \ge 0,\ \sum_k d_k = 1\}`, the answer is that of the one kernel :math:`\sum_k d_k\, k_k` with the
best weights, and these are :math:`d_k = \|f_k\| / \sum_j \|f_j\|`.

Source: F. Bach, G. Lanckriet and M. Jordan, "Multiple kernel learning, conic duality, and the SMO algorithm",
Proceedings of the 21st International Conference on Machine Learning (2004).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Function, Machine
from formulations.plots.style import COLOURS, DASHES, INK, STYLE, draw_samples, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
x = np.linspace(0, 10, 60)[:, None]
y = np.sin(x[:, 0] / 1.5) + 0.4 * np.sin(6 * x[:, 0]) + 0.1 * random.normal(size=60)
widths = (0.01, 0.1, 1.0, 10.0, 100.0)

# %%
# The statement.
f = [Function(RBF(gamma), f"f{gamma}") for gamma in widths]
loss = cp.sum_squares(y - sum(each(x) for each in f))
machine = Machine(cp.Minimize(0.5 * cp.square(sum(each.norm for each in f)) + loss))

solution = machine.solve()
print(machine.recognised, solution.explain(), sep="\n")
norms = np.array([each.norm.value for each in f])
weights = norms / norms.sum()
for gamma, weight in zip(widths, weights, strict=True):
    print(f"gamma = {gamma:6}: weight {weight:.3f}")
assert solution.status == "optimal"

# %%
# The kernel with these weights, alone and with the square of its norm, has the same optimum.
used = [(gamma, float(weight)) for gamma, weight in zip(widths, weights, strict=True) if weight > 1e-4]
mixed = Function(sum((weight * RBF(gamma) for gamma, weight in used[1:]), used[0][1] * RBF(used[0][0])), "mixed")
same = Machine(cp.Minimize(0.5 * mixed.squared_norm + cp.sum_squares(y - mixed(x)))).solve()
print(f"objective {solution.objective:.5f}, of the one kernel {same.objective:.5f}")
assert np.isclose(solution.objective, same.objective, rtol=1e-4)

# sphinx_gallery_alt = "Left, points along a slow wave with quick ripples at its end, the curve through them and its"
# sphinx_gallery_alt = "parts. Right, bars with the weights of the kernels, some of which are zero."
figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.6), width_ratios=(2, 1), layout="constrained")
t = np.linspace(0, 10, 401)[:, None]
left.plot(t, sum(each(t).value for each in f), color=INK, label="sum")
for k, (gamma, weight) in enumerate(zip(widths, weights, strict=True)):
    if weight > 1e-4:
        left.plot(
            t, f[k](t).value, color=COLOURS[k], linestyle=DASHES[1 + k % 5], linewidth=1.2, label=rf"$\gamma = {gamma}$"
        )
draw_samples(left, x, y, INK, "o", "sample")
left.set(xlabel="$x$", ylabel="$y$", title="a wave, its ripples, and what each kernel has of them")
right.bar([str(gamma) for gamma in widths], weights, color=COLOURS[: len(widths)])
right.set(xlabel=r"$\gamma$", ylabel="weight", title="weights of the kernels")
explain([left], own=True, columns=6)
