# SPDX-License-Identifier: BSD-3-Clause
r"""A function that rises everywhere, and one that is convex
========================================================

A dose never lowers the response, and a cost is convex: how do we use such knowledge? The derivatives of a function in
the space of a smooth kernel are continuous linear functionals, as its values are, so that constraints on them are
linear:

.. math::

   \min_{f, b}\ \tfrac{1}{100} \|f\|^2 + \sum_i (y_i - f(x_i) - b)^2
   \quad\text{subject to}\quad f'(t) \ge 0 \quad\text{or}\quad f''(t) \ge 0 \quad\text{for all } t \in [0, 4].

Imposed at finitely many points, the constraint is a relaxation: the curve may break the rule between them. With a
reserve at these points, as large as the change of the derivative of a function of this norm until the next one, the
constraint holds everywhere. The values of both problems bracket the optimum.

Source: P.-C. Aubin-Frankowski and Z. Szabó, "Hard shape-constrained kernel machines", Advances in Neural Information
Processing Systems 33 (2020).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Everywhere, Function, Machine
from formulations.plots.style import BLUE, GREY, INK, STYLE, VERMILLION, draw_samples, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
x, few = np.sort(random.uniform(0, 4, (40, 1)), axis=0), np.linspace(0, 4, 9)[:, None]
response = np.log1p(x[:, 0]) + 0.3 * random.normal(size=40)
cost = (x[:, 0] - 1.5) ** 2 / 2 + 0.4 * random.normal(size=40)

# %%
# The statement of both, by the order of the derivative, and its relaxation at nine points:


def shaped(y, order):
    """State a fit whose derivative of this order is nowhere negative, and one where nine points are asked for that."""
    f, b = Function(RBF(2.0)), cp.Variable(name="b")
    fit = cp.Minimize(0.01 * f.squared_norm + cp.sum_squares(y - f(x) - b))
    shape = Everywhere(lambda t: f.derivative(t, axis=0, order=order) >= 0, box=[(0, 4)], label="shape")
    return f, b, Machine(fit, [shape]), Machine(fit, [shape.rows(few)])


# %%
# Points are added where the reserve costs most, until the bracket is as narrow as the tolerance. The constraint binds
# where a multiplier is above 0.

# sphinx_gallery_alt = "Two panels of noisy points, each with a curve and a dashed one apart from it. Left, the curve"
# sphinx_gallery_alt = "rises everywhere; right, it is convex. Marks on the axis show where the constraint binds, and"
# sphinx_gallery_alt = "the band between both curves is shaded."
figure, panels = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
t = np.linspace(0, 4, 401)[:, None]
for axes, y, order, shape in zip(panels, (response, cost), (1, 2), ("rises", "is convex"), strict=True):
    f, b, machine, relaxation = shaped(y, order)
    below = relaxation.solve()
    assert below.status == "optimal"
    relaxed, broken = f(t).value + b.value, below.function(f).derivative(t, *[0] * order).min()

    solution = machine.solve(tol=1e-3)
    assert solution.status == "optimal"
    low, high = solution.bracket
    least = solution.function(f).derivative(t, *[0] * order).min()
    assert broken < 0 <= least
    assert below.objective <= high
    everywhere = machine.constraint("shape")
    binding = everywhere.points[everywhere.dual_value > 1e-6, 0]
    print(
        f"a function that {shape}: the optimum is between {low:.4f} and {high:.4f}, by {len(everywhere.points)} points"
    )
    print(f"least derivative {least:.4f}; of the relaxation, whose value is {below.objective:.4f}, it is {broken:.2f}")
    axes.fill_between(t[:, 0], relaxed, f(t).value + b.value, color=GREY, alpha=0.2)
    axes.plot(t, relaxed, color=GREY, linestyle="dashed", label="asked for at nine points")
    axes.plot(t, f(t).value + b.value, color=BLUE, label="everywhere")
    axes.plot(binding, np.zeros(binding.size), "|", color=VERMILLION, markersize=12, clip_on=False,
              transform=axes.get_xaxis_transform(), label="the constraint binds")  # fmt: skip
    draw_samples(axes, x, y, INK, "o", "sample")
    axes.set(xlabel="$x$", ylabel="$y$", title=f"a function that {shape}")
explain(list(panels), own=True, columns=4)
