# SPDX-License-Identifier: BSD-3-Clause
r"""A density from counts: a fixed integral
=========================================

Only the counts in age classes were published for 100 people. Which density has these counts? The integral of :math:`f`
over a class is the mean of its values at the points of a fine grid there, times the width: one functional for each
class, and one for the whole axis,

.. math::

   \min_f\ \tfrac{1}{10^4} \|f\|^2 + \sum_c \Bigl(\int_c f - p_c\Bigr)^2
   \quad\text{subject to}\quad \int f = 1,\quad f(t) \ge 0 \text{ at the points } t,

with the share :math:`p_c` of each class. Without the last constraint the function would be negative next to
the empty classes.

Source: L. Boneva, D. Kendall and I. Stefanov, "Spline transformations: three new diagnostic aids for the statistical
data-analyst", Journal of the Royal Statistical Society B 33 (1971).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Function, Machine
from formulations.plots.style import BLUE, GREY, STYLE, VERMILLION, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
people = np.concatenate([random.normal(25, 5, 60), random.normal(60, 8, 40)])
edges = np.arange(0, 101, 10)
share = np.histogram(people, edges)[0] / people.size
assert share.sum() == 1

# 100 points, the middles of cells of width 1: each row of cells has the weights of one class.
points = np.arange(0.5, 100)[:, None]
cells = np.kron(np.eye(10), np.ones(10))

# %%
# The statement.
f = Function(RBF(0.005))
classes = cp.sum_squares(f.mean(points, cells) - share)
whole = (100 * f.mean(points) == 1).set_label("whole")
positive = (f(points) >= 0).set_label("positive")
machine = Machine(cp.Minimize(1e-4 * f.squared_norm + classes), [whole, positive])

solution = machine.solve()
print(machine.recognised, solution.explain(), sep="\n")
density = solution.function(f)
assert solution.status == "optimal"
print(f"integral {density(points).sum():.6f}, least value {density(points).min():.1e}")
assert np.isclose(density(points).sum(), 1)
assert density(points).min() > -1e-9

# %%
# Ten classes, one equation and 100 inequalities, each about one functional: ``a KernelQP of 111 functionals``.

# sphinx_gallery_alt = "Bars of a histogram with two humps, and a smooth curve through them that is never below zero;"
# sphinx_gallery_alt = "a dashed one without the constraints is below zero in places."
figure, axes = plt.subplots(figsize=(8.0, 4.6), layout="constrained")
axes.bar(edges[:-1] + 5, share / 10, width=10, color=GREY, alpha=0.3, label="counts of the classes")
free = Machine(cp.Minimize(1e-4 * f.squared_norm + classes), [whole]).solve().function(f)
axes.plot(points, free(points), color=VERMILLION, linestyle="dashed", label="without the sign")
axes.plot(points, density(points), color=BLUE, label="density")
axes.axhline(0, color=GREY, linewidth=0.8)
axes.set(xlabel="age", ylabel="density", title="a density with the counts of its classes")
explain([axes], own=True)
