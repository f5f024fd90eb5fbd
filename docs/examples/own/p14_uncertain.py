# SPDX-License-Identifier: BSD-3-Clause
r"""Samples that are uncertain
============================

Each sample is known up to an ellipsoid, :math:`x_i + S_i u` with :math:`\|u\| \le 1`. The worst case of a linear
decision :math:`f(x) + b` there lies :math:`\|S_i^\top \nabla f\|` below its value in the middle, so that the machine
that is best in the worst case is

.. math::

   \min_{f, b}\ \tfrac12 \|f\|^2
   + \sum_i \max\bigl(0, 1 - y_i (f(x_i) + b) + \|S_i^\top \nabla f(x_i)\|\bigr),

a cone program of the second order. With another kernel the same statement is right to the first order.

Source: P. Shivaswamy, C. Bhattacharyya and A. Smola, "Second order cone programming approaches for handling missing
and uncertain data", Journal of Machine Learning Research 7 (2006).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse

from formulations import Function, Machine
from formulations.plots.style import BLUE, GREY, STYLE, class_mark, draw_samples, explain, tinted
from qpkernels import Linear

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
y = np.repeat([-1, 1], 15)
X = random.normal(size=(30, 2)) * 0.6 + 0.9 * y[:, None]
axes_of = np.column_stack([random.uniform(0.05, 0.2, 30), random.uniform(0.3, 1.0, 30)])

# %%
# The statement: axes of the ellipsoids along those of the plane, the second one longer.
f, b = Function(Linear()), cp.Variable(name="b")
worst = cp.multiply(y, f(X) + b) - cp.norm(cp.multiply(axes_of, f.gradient(X)), axis=1)
machine = Machine(cp.Minimize(0.5 * f.squared_norm + cp.sum(cp.pos(1 - worst))))
plain = Machine(cp.Minimize(0.5 * f.squared_norm + cp.sum(cp.pos(1 - cp.multiply(y, f(X) + b)))))

# sphinx_gallery_alt = "Two classes of points with upright ellipses around them, and two lines: the dashed one cuts"
# sphinx_gallery_alt = "several ellipses, the solid one is steeper and cuts fewer."
figure, panel = plt.subplots(figsize=(6.8, 5.4), layout="constrained")
height = np.linspace(-2.6, 2.6, 2)
cut = {}
for each, name, look in ((plain, "points", (GREY, "dashed")), (machine, "ellipsoids", (BLUE, "solid"))):
    solution = each.solve()
    assert solution.status == "optimal"
    w = f.gradient(X[:1]).value[0]
    reach = np.linalg.norm(axes_of * w, axis=1)
    cut[name] = int((y * (X @ w + b.value) < reach).sum())
    print(f"{name}: w = ({w[0]:.3f}, {w[1]:.3f}), {cut[name]} of 30 ellipsoids cut or on the wrong side")
    panel.plot((-b.value - w[1] * height) / w[0], height, color=look[0], linestyle=look[1], label=f"by {name}")
print(machine.recognised, solution.explain(), sep="\n")
assert cut["ellipsoids"] < cut["points"]
for code, label in enumerate((-1, 1)):
    colour, marker = class_mark(code, 2)
    draw_samples(panel, *X[y == label].T, colour, marker, f"class {label:+d}")
    for middle, half in zip(X[y == label], axes_of[y == label], strict=True):
        panel.add_patch(Ellipse(middle, *(2 * half), facecolor=tinted(colour, 0.12), edgecolor=colour, linewidth=0.6))
panel.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal", title="samples in ellipsoids", xlim=(-3, 3), ylim=(-2.9, 2.9))
explain([panel], own=True, columns=4)
