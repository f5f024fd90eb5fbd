# SPDX-License-Identifier: BSD-3-Clause
r"""The hard margin by hand
=======================

Which line separates three points with the widest strip? Given :math:`x_1 = (0, 2)`, :math:`x_2 = (2, 0)`,
:math:`x_3 = (-1, -1)` with labels :math:`y = +1, +1, -1`, solve

.. math:: \min_{w, b}\ \tfrac12 \|w\|^2 \quad\text{subject to}\quad y_i (\langle w, x_i\rangle + b) \ge 1.

Swapping the coordinates swaps :math:`x_1` and :math:`x_2` and leaves the problem as it is, and the answer is unique, so
:math:`w = (c, c)`. If all three constraints are active, :math:`2c + b = 1` and :math:`2c - b = 1`, hence
:math:`c = 1/2` and :math:`b = 0`.

The multipliers prove that they are active and that the point is optimal (Karush, Kuhn, Tucker): with
:math:`\alpha \ge 0`,

.. math::

   w = \sum_i \alpha_i y_i x_i:\quad 2\alpha_2 + \alpha_3 = \tfrac12,\quad 2\alpha_1 + \alpha_3 = \tfrac12,
   \qquad\quad \sum_i \alpha_i y_i = 0:\quad \alpha_1 + \alpha_2 = \alpha_3,

which :math:`\alpha = (1/8, 1/8, 1/4)` solves. All :math:`\alpha_i` are above 0, so there are three support vectors. The
primal value is :math:`\tfrac12\|w\|^2 = 1/4`, the dual value :math:`\sum \alpha_i - \tfrac12\|w\|^2 = 1/2 - 1/4 = 1/4`,
the same; and the margin is :math:`1/\|w\| = (\sum \alpha_i)^{-1/2} = \sqrt 2`.
"""

from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np

from formulations import HardMargin
from formulations.plots import DecisionRegionDisplay
from formulations.plots.style import INK, STYLE, explain

plt.rcParams.update(STYLE)

X = np.array([[0.0, 2.0], [2.0, 0.0], [-1.0, -1.0]])
y = np.array([1.0, 1.0, -1.0])
model = HardMargin(X, y)

# %%
# Left to itself, ``solve()`` would take the same solver for each form, since all are one quadratic problem. Clarabel
# takes each of them as it is declared, and all three end at ``w = (0.5000, 0.5000), margin 1.4142``.
values = []
for form in (model.primal, model.geometric, model.dual):
    solution = form.solve("clarabel", tol=1e-7)
    w = solution.function.weights
    print(f"{form.name:21} w = ({w[0]:.4f}, {w[1]:.4f}), margin {solution.margin:.4f}, {solution.status}")
    assert solution.status == "optimal"
    assert np.allclose(w, [1 / 2, 1 / 2], atol=1e-6)
    assert abs(solution.intercept) < 1e-6
    assert np.allclose(solution.alpha, [1 / 8, 1 / 8, 1 / 4], atol=1e-6)
    assert solution.n_support == 3
    assert abs(solution.margin - np.sqrt(2)) < 1e-6
    values.append(solution.objective)

# %%
# Each form has a value of its own: half the squared norm, the margin itself, and minus the value of the primal. The
# answer belongs to the model: whichever form found it, every form shows it in its variables.
assert np.allclose(values, [1 / 4, np.sqrt(2), -1 / 4])
print("values: primal {:.4f}, margin {:.4f}, dual {:.4f}".format(*values))
assert np.isclose(model.geometric.problem.value, np.sqrt(2))
assert np.allclose(model.dual.alpha.value, [1 / 8, 1 / 8, 1 / 4], atol=1e-6)
print(fill(solution.explain(2), 110))

# %%
# All three samples lie on the edges of the strip.

# sphinx_gallery_alt = "Two points above and one below a line of slope -1; the strip around it touches all three,"
# sphinx_gallery_alt = "each ringed and marked with its multiplier 1/8, 1/8 or 1/4, and an arrow across half of it."
# sphinx_gallery_lab = "model"
figure, axes = plt.subplots(figsize=(4.6, 4.8), layout="constrained")
DecisionRegionDisplay.from_solution(solution, model, extent=(-2.4, 2.9, -2.4, 2.9)).plot(axes, legend=False)
axes.annotate("", (1.5, 0.5), (0.5, -0.5), arrowprops={"arrowstyle": "<->", "color": INK, "shrinkA": 0, "shrinkB": 0})
axes.text(1.1, -0.3, r"$1/\|w\|$", ha="left", va="center")
for point, multiplier, offset in zip(X, ("1/8", "1/8", "1/4"), ((10, 4), (10, 4), (-48, -16)), strict=True):
    axes.annotate(f"$\\alpha = {multiplier}$", point, offset, textcoords="offset points")
for level, place in (("+1", (-0.3, 2.5)), ("0", (-1.8, 2.0)), ("-1", (-2.2, 0.4))):
    axes.text(*place, f"$g = {level}$")
axes.set(aspect="equal", title=r"$w = (1/2, 1/2)$, $b = 0$, margin $1/\|w\| = \sqrt{2}$")
explain([axes], own=True)
