# SPDX-License-Identifier: BSD-3-Clause
r"""All classes in one problem
============================

Instead of one class against the rest, or pair by pair, take one function for each class, and let the largest decide. A
sample pays for each class :math:`k` that comes within 1 of its own, either for all of them or for the worst alone. With
the leads :math:`m_{ik} = f_{y_i}(x_i) + b_{y_i} - f_k(x_i) - b_k`:

.. math::

   \min\ \sum_k \tfrac12 \|f_k\|^2 + \sum_i \sum_{k \ne y_i} \max(0, 1 - m_{ik})
   \qquad\text{or}\qquad
   \min\ \sum_k \tfrac12 \|f_k\|^2 + \sum_i \max_{k \ne y_i} \max(0, 1 - m_{ik}).

Sources: J. Weston and C. Watkins, "Support vector machines for multi-class pattern recognition", ESANN (1999);
K. Crammer and Y. Singer, "On the algorithmic implementation of multiclass kernel-based vector machines", Journal of
Machine Learning Research 2 (2001).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from formulations import Function, Machine
from formulations.plots.style import COLOURS, INK, MARKERS, STYLE, draw_samples, explain, tinted
from qpkernels import RBF

plt.rcParams.update(STYLE)

X, y = make_blobs(75, centers=[[0, 0], [2.2, 0], [1.1, 1.9]], cluster_std=0.65, random_state=0)
rivals = np.array([[1, 2], [0, 2], [0, 1]])[y]

# %%
# The statement: the values of all functions, those of the sample's own class and of its rivals, and two losses. Only
# differences of the constants matter, so that their sum may be 0.
f, b = [Function(RBF(0.5), f"f{k}") for k in range(3)], cp.Variable(3, name="b")
values = cp.vstack([f[k](X) + b[k] for k in range(3)]).T
rows = np.arange(75)
lead = [values[rows, y] - values[rows, rivals[:, k]] for k in (0, 1)]
every = sum(cp.sum(cp.pos(1 - each)) for each in lead)
worst = cp.sum(cp.maximum(0, 1 - lead[0], 1 - lead[1]))
norms = 0.5 * sum(each.squared_norm for each in f)
weston_watkins, crammer_singer = (Machine(cp.Minimize(norms + loss), [cp.sum(b) == 0]) for loss in (every, worst))

# %%
# Each lead is one functional of three functions. In the worst of two leads a variable is shared, one for each sample,
# and is a free direction.

# sphinx_gallery_alt = "Two panels with three groups of points and three tinted regions, which are almost the same in"
# sphinx_gallery_alt = "both."
figure, panels = plt.subplots(1, 2, figsize=(11.0, 4.8), sharey=True, layout="constrained")
horizontal, vertical = np.linspace(-1.9, 4, 120), np.linspace(-1.8, 3.8, 120)
plane = np.stack(np.meshgrid(horizontal, vertical), axis=-1).reshape(-1, 2)
stated = {"Weston and Watkins": weston_watkins, "Crammer and Singer": crammer_singer}
for axes, (name, machine) in zip(panels, stated.items(), strict=True):
    solution = machine.solve()
    assert solution.status == "optimal"
    predictor = solution.predictor(lambda x: [f[k](x) + b[k] for k in range(3)], classes=[0, 1, 2])
    right = int((predictor.predict(X) == y).sum())
    print(f"{name}: {machine.recognised}; objective {solution.objective:.3f}, {right} of 75 right")
    print(solution.explain())
    assert right >= 65
    region = predictor.predict(plane).reshape(120, 120)
    axes.contourf(
        horizontal, vertical, region, [-0.5, 0.5, 1.5, 2.5], colors=[tinted(each, 0.16) for each in COLOURS[:3]]
    )
    axes.contour(horizontal, vertical, region, [0.5, 1.5], colors=[INK], linestyles="solid", linewidths=1.0)
    for k in range(3):
        draw_samples(axes, *X[y == k].T, COLOURS[k], MARKERS[k], f"class {k}")
    axes.set(xlabel="$x_1$", ylabel="$x_2$", title=f"{name}: {right} of 75 right")
explain(list(panels), own=True)
