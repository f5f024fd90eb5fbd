# SPDX-License-Identifier: BSD-3-Clause
r"""What only the teacher sees
============================

Patients are judged by two quick tests :math:`x`. For the patients of the study, and for no others, there is also a
biopsy :math:`x^*`. It tells which samples are hard: let the slack of a sample be a function of the biopsy,

.. math::

   \min_{f, b, h, d}\ \tfrac12 \|f\|^2 + \tfrac12 \|h\|^2 + \sum_i \bigl(h(x_i^*) + d\bigr)
   \quad\text{subject to}\quad y_i (f(x_i) + b) \ge 1 - (h(x_i^*) + d),\quad h(x_i^*) + d \ge 0.

The decision :math:`f + b` takes the tests alone. In the dual one sum of coefficients is fixed for each of :math:`b`
and :math:`d`.

Source: V. Vapnik and A. Vashist, "A new learning paradigm: learning using privileged information", Neural Networks 22
(2009).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Function, Machine
from formulations.plots.style import BLUE, INK, STYLE, class_mark, draw_samples, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
X = random.normal(size=(60, 2))
biopsy = X[:, :1] + X[:, 1:] + 0.7 * random.normal(size=(60, 1))
y = np.where(biopsy[:, 0] > 0, 1, -1)

# %%
# The statement.
f, b = Function(RBF(0.2), "f"), cp.Variable(name="b")
h, d = Function(RBF(1.0), "h"), cp.Variable(name="d")
slack = h(biopsy) + d
cost = cp.Minimize(0.5 * f.squared_norm + 0.5 * h.squared_norm + cp.sum(slack))
machine = Machine(cost, [cp.multiply(y, f(X) + b) >= 1 - slack, slack >= 0])

solution = machine.solve()
print(machine.recognised, solution.explain(), sep="\n")
decision = f(X).value + b.value
print(f"{int((np.sign(decision) == y).sum())} of 60 right")
assert solution.status == "optimal"
assert slack.value.min() > -1e-6
assert (y * decision >= 1 - slack.value - 1e-6).all()

# %%
# Slack is allowed where the biopsy is near the threshold, and nowhere else: an error of the tests there is chance.

# sphinx_gallery_alt = "Left, two classes that overlap, and the boundary of the decision by the two tests. Right, the"
# sphinx_gallery_alt = "slack as a function of the biopsy: humps, with the hinge of every sample below it."
figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
side = np.linspace(-2.6, 2.6, 100)
plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
left.contour(side, side, (f(plane).value + b.value).reshape(100, 100), [0], colors=[INK], linestyles="solid")
t = np.linspace(biopsy.min(), biopsy.max(), 201)[:, None]
right.plot(t, h(t).value + d.value, color=BLUE, label="slack allowed")
for code, label in enumerate((-1, 1)):
    draw_samples(left, *X[y == label].T, *class_mark(code, 2), f"class {label:+d}")
    hinge = np.maximum(0, 1 - label * decision[y == label])
    draw_samples(right, biopsy[y == label], hinge, *class_mark(code, 2), None)
left.set(xlabel="first test", ylabel="second test", title="the decision")
right.set(xlabel="biopsy", ylabel="slack", title="the slack is a function of the biopsy")
explain([left, right], own=True)
