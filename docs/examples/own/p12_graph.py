# SPDX-License-Identifier: BSD-3-Clause
r"""Two labels a class, and a graph
=================================

Only 4 of 100 samples have labels. The others still tell where samples lie: join each to its nearest neighbours
:math:`E`, and ask that the function differs little along the edges,

.. math::

   \min_f\ \tfrac{1}{100} \|f\|^2 + \sum_{i \text{ labelled}} \max\bigl(0, 1 - y_i f(x_i)\bigr)
   + \tfrac{1}{20} \sum_{(i, j) \in E} \bigl(f(x_i) - f(x_j)\bigr)^2.

The last sum is the quadratic form of the Laplacian of the graph. As it is written here, each edge
has a loss of one functional.

Source: M. Belkin, P. Niyogi and V. Sindhwani, "Manifold regularization", Journal of Machine Learning Research 7
(2006).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.neighbors import kneighbors_graph

from formulations import Function, Machine
from formulations.plots.style import GREY, INK, STYLE, class_mark, draw_samples, explain, ring
from qpkernels import RBF

plt.rcParams.update(STYLE)

X, y = make_moons(100, noise=0.07, random_state=0)
y = 2 * y - 1
known = np.concatenate([np.flatnonzero(y == label)[:2] for label in (-1, 1)])
graph = kneighbors_graph(X, 6)
i, j = graph.maximum(graph.T).nonzero()
i, j = i[i < j], j[i < j]

# %%
# The statement.
f = Function(RBF(5.0))
hinge = cp.sum(cp.pos(1 - cp.multiply(y[known], f(X)[known])))
rough = cp.sum_squares(f(X)[i] - f(X)[j])
machine = Machine(cp.Minimize(0.01 * f.squared_norm + hinge + 0.05 * rough))

# %%
# There are four losses of labels, and one for each edge. Without the graph the boundary lies between the four labels
# wherever the kernel puts it.

# sphinx_gallery_alt = "Two panels with two half moons, four samples ringed. Left, the boundary cuts through both"
# sphinx_gallery_alt = "moons; right, with the edges of the graph drawn, it runs between them."
figure, panels = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
alone = Machine(cp.Minimize(0.01 * f.squared_norm + hinge))
horizontal, vertical = np.linspace(-1.4, 2.4, 100), np.linspace(-0.9, 1.4, 80)
plane = np.stack(np.meshgrid(horizontal, vertical), axis=-1).reshape(-1, 2)
for axes, each, name in zip(panels, (alone, machine), ("labels alone", "labels and graph"), strict=True):
    solution = each.solve()
    assert solution.status == "optimal"
    right = int((np.sign(solution.function(f)(X)) == y).sum())
    print(f"{name}: {right} of 100 right, {solution.program}")
    level = solution.function(f)(plane).reshape(80, 100)
    axes.contour(horizontal, vertical, level, [0], colors=[INK], linestyles="solid")
    if each is machine:
        axes.plot(*np.stack([X[i], X[j]], axis=1).T, color=GREY, linewidth=0.5, zorder=1)
    for code, label in enumerate((-1, 1)):
        draw_samples(axes, *X[y == label].T, *class_mark(code, 2), f"class {label:+d}")
    ring(axes, *X[known].T, "label known")
    axes.set(xlabel="$x_1$", ylabel="$x_2$", title=f"{name}: {right} of 100 right")
print(solution.explain())
assert right == 100
explain(list(panels), own=True)
