# SPDX-License-Identifier: BSD-3-Clause
r"""Classes in an order
=====================

Poor, fair, good: three classes, of which the middle one lies between the others. One function and two thresholds are
enough, and every sample has a label for each threshold, above or below:

.. math::

   \min_{f, c}\ \tfrac12 \|f\|^2 + \sum_i \sum_k \max\bigl(0, 1 - z_{ik} (f(x_i) - c_k)\bigr)
   \quad\text{subject to}\quad c_1 \le c_2,

where :math:`z_{ik} = 1` if the class of sample :math:`i` is above threshold :math:`k`, and :math:`-1` otherwise.

Source: W. Chu and S. S. Keerthi, "Support vector ordinal regression", Neural Computation 19 (2007).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Function, Machine
from formulations.plots.style import COLOURS, INK, MARKERS, STYLE, draw_samples, explain, tinted
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
X = random.uniform(-2, 2, (90, 2))
quality = X[:, 0] + X[:, 1] ** 2 / 2 + 0.3 * random.normal(size=90)
grade = np.digitize(quality, [0.0, 1.2])

# %%
# The statement has two losses for each sample, and the order of the thresholds.
f, c = Function(RBF(0.5)), cp.Variable(2, name="c")
above = np.where(grade[:, None] > [0, 1], 1, -1)
hinge = sum(cp.sum(cp.pos(1 - cp.multiply(above[:, k], f(X) - c[k]))) for k in (0, 1))
machine = Machine(cp.Minimize(0.5 * f.squared_norm + hinge), [c[0] <= c[1]])

solution = machine.solve()
print(machine.recognised, solution.explain(), sep="\n")
predictor = solution.predictor(f, classes=["poor", "fair", "good"], thresholds=c)
right = int((predictor.predict(X) == np.array(["poor", "fair", "good"])[grade]).sum())
print(f"thresholds {c.value[0]:.3f} and {c.value[1]:.3f}, {right} of 90 right")
assert solution.status == "optimal"
assert c.value[0] < c.value[1]
assert right >= 80

# %%
# The thresholds are two level lines of one function, which never cross.

# sphinx_gallery_alt = "Points of three classes in the plane, in bands beside each other, with two lines between the"
# sphinx_gallery_alt = "bands that bend and do not meet."
figure, axes = plt.subplots(figsize=(6.6, 5.4), layout="constrained")
side = np.linspace(-2.1, 2.1, 120)
plane = np.stack(np.meshgrid(side, side), axis=-1)
level = f(plane.reshape(-1, 2)).value.reshape(120, 120)
tints = [tinted(colour, 0.16) for colour in COLOURS[:3]]
axes.contourf(side, side, level, [-np.inf, *c.value, np.inf], colors=tints)
axes.contour(side, side, level, c.value, colors=[INK], linestyles="solid", linewidths=1.4)
for k, name in enumerate(("poor", "fair", "good")):
    draw_samples(axes, *X[grade == k].T, COLOURS[k], MARKERS[k], name)
axes.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal", title="two level lines of one function")
explain([axes], own=True)
