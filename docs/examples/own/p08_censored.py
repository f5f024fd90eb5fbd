# SPDX-License-Identifier: BSD-3-Clause
r"""Survival times that are censored
==================================

All that is known about some patients is that they were alive at the end of the study. A prediction beyond that end is
not wrong, so their loss has one side:

.. math::

   \min_{f, b}\ \tfrac12 \|f\|^2 + 5 \sum_i \max(0, r_i) + 5 \sum_{i \text{ seen}} \max(0, -r_i),
   \qquad r_i = t_i - f(x_i) - b,

with the last time :math:`t_i` at which patient :math:`i` was seen. Leaving these patients out, or
taking the end of the study for the end of life, makes the predicted lives too short.

Source: P. Shivaswamy, W. Chu and M. Jansche, "A support vector approach to censored targets", Proceedings of the 7th
IEEE International Conference on Data Mining (2007).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Function, Machine
from formulations.plots.style import BLUE, GREY, INK, STYLE, VERMILLION, draw_samples, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
x = np.sort(random.uniform(0, 4, (80, 1)), axis=0)
life = 3 + np.sin(x[:, 0]) + 0.4 * random.normal(size=80)
end = random.uniform(2, 4.5, 80)
t, seen = np.minimum(life, end), life <= end

# %%
# The statement: ``80 functionals``, since both sides of a loss are about one.
f, b = Function(RBF(1.0)), cp.Variable(name="b")
r = t - f(x) - b
loss = cp.sum(cp.pos(r)) + cp.sum(cp.multiply(seen, cp.pos(-r)))
machine = Machine(cp.Minimize(0.5 * f.squared_norm + 5 * loss))
naive = Machine(cp.Minimize(0.5 * f.squared_norm + 5 * cp.sum(cp.abs(r))))

# sphinx_gallery_alt = "Dots of deaths and triangles of patients who were alive at the end of the study: the curve of"
# sphinx_gallery_alt = "one-sided losses is near the dotted true median, that of the last times seen runs below it."
figure, axes = plt.subplots(figsize=(8.0, 4.6), layout="constrained")
grid = np.linspace(0, 4, 201)[:, None]
axes.plot(grid, 3 + np.sin(grid), color=INK, linestyle="dotted", label="true median")
error = {}
for each, name, look in ((naive, "as if dead", (GREY, "dashed")), (machine, "one-sided", (BLUE, "solid"))):
    solution = each.solve()
    assert solution.status == "optimal"
    curve = f(grid).value + b.value
    error[name] = float(np.mean(curve - 3 - np.sin(grid[:, 0])))
    print(f"{name}: mean error {error[name]:+.3f}")
    axes.plot(grid, curve, color=look[0], linestyle=look[1], label=name)
print(machine.recognised, solution.explain(), sep="\n")
assert abs(error["one-sided"]) < abs(error["as if dead"]) / 2
draw_samples(axes, x[seen], t[seen], VERMILLION, "o", "died")
draw_samples(axes, x[~seen], t[~seen], GREY, "^", "alive at the end")
axes.set(xlabel="$x$", ylabel="years", title=f"survival times, {int((~seen).sum())} of 80 censored")
explain([axes], own=True)
