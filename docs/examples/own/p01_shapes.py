# SPDX-License-Identifier: BSD-3-Clause
r"""A function that rises, and one that is convex
=============================================

How is it used that a dose never lowers the response, or that a cost is convex? The derivatives of a function in the
space of a smooth kernel are continuous linear functionals, as its values are, so that constraints on them are linear:

.. math::

   \min_{f, b}\ \tfrac{1}{100} \|f\|^2 + \sum_i (y_i - f(x_i) - b)^2
   \quad\text{subject to}\quad f'(t) \ge 0 \quad\text{or}\quad f''(t) \ge 0 \quad\text{at the points } t

of a grid. Between the points nothing is asked for; a fine grid is a relaxation of the shape that is hardly one.

Source: P.-C. Aubin-Frankowski and Z. Szabó, "Hard shape-constrained kernel machines", Advances in Neural Information
Processing Systems 33 (2020).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Function, Machine
from formulations.plots.style import BLUE, GREY, INK, STYLE, VERMILLION, draw_samples, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
x, grid = np.sort(random.uniform(0, 4, (40, 1)), axis=0), np.linspace(0, 4, 81)[:, None]
response = np.log1p(x[:, 0]) + 0.3 * random.normal(size=40)
cost = (x[:, 0] - 1.5) ** 2 / 2 + 0.4 * random.normal(size=40)

# %%
# The statement of both, by the order of the derivative:


def shaped(y, order):
    """State a fit whose derivative of this order is not negative."""
    f, b = Function(RBF(2.0)), cp.Variable(name="b")
    shape = (f.derivative(grid, axis=0, order=order) >= 0).set_label("shape")
    return f, b, Machine(cp.Minimize(0.01 * f.squared_norm + cp.sum_squares(y - f(x) - b)), [shape])


# %%
# Losses and constraints are about one functional each, 40 values and 81 derivatives, so that the dual is a quadratic
# program: ``121 functionals`` and one free direction, the constant. The constraints bind where a multiplier is above
# 0.

# sphinx_gallery_alt = "Two panels of noisy points. Left, a curve that rises everywhere and one that also falls, with"
# sphinx_gallery_alt = "marks on the axis where the constraint binds; right, a convex curve and one that bends both"
# sphinx_gallery_alt = "ways."
figure, panels = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
t = np.linspace(0, 4, 401)[:, None]
for axes, y, order, shape in zip(panels, (response, cost), (1, 2), ("rises", "is convex"), strict=True):
    f, b, machine = shaped(y, order)
    plain = Machine(cp.Minimize(0.01 * f.squared_norm + cp.sum_squares(y - f(x) - b)))
    assert plain.solve().status == "optimal"
    axes.plot(t, f(t).value + b.value, color=GREY, linestyle="dashed", label="without the constraint")
    broken = int((f.derivative(grid, axis=0, order=order).value < 0).sum())

    solution = machine.solve()
    assert solution.status == "optimal"
    least = solution.function(f).derivative(t, *[0] * order).min()
    assert least > -0.1
    binding = grid[machine.constraint("shape").dual_value > 1e-6, 0]
    print(machine.recognised, solution.explain(), sep="\n")
    print(
        f"binds at {binding.size} of 81 points, at least {least:.4f} between; without it, {broken} have the wrong sign"
    )
    assert 0 < binding.size < broken
    axes.plot(t, f(t).value + b.value, color=BLUE, label="with it")
    axes.plot(binding, np.zeros(binding.size), "|", color=VERMILLION, markersize=12, clip_on=False,
              transform=axes.get_xaxis_transform(), label="the constraint binds")  # fmt: skip
    draw_samples(axes, x, y, INK, "o", "sample")
    axes.set(xlabel="$x$", ylabel="$y$", title=f"a function that {shape}")
explain(list(panels), own=True, columns=4)
