# SPDX-License-Identifier: BSD-3-Clause
r"""Dimension against margin
===========================

Why can a machine with infinitely many features generalise? Take the hyperplanes of :math:`\mathbb R^n` that separate
points in a ball of radius :math:`R` with a margin of at least :math:`\rho`. They cannot give all :math:`2^h` labellings
to
:math:`h` points, wherever these lie, unless

.. math:: h \le \min\bigl(\lceil R^2/\rho^2 \rceil,\ n\bigr) + 1

(Vapnik 1995, Burges 1998). The greatest such :math:`h` is their dimension in the sense of Vapnik and Chervonenkis: a
wide margin bounds it where the number :math:`n` of features does not.

The bound is attained by regular simplices. The :math:`h` points :math:`e_i - \tfrac1h \sum_j e_j` have
:math:`R^2 = 1 - 1/h`. The narrowest of all their labellings is that in halves, whose centroids are
:math:`2/\sqrt h` apart: for even :math:`h`, :math:`\rho = 1/\sqrt h` and :math:`R^2/\rho^2 + 1 = h`. For odd :math:`h`
there are no halves, :math:`R^2/\rho^2 + 1` is :math:`(h - 1)/h^2` less, and the ceiling makes up for it.
"""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np

import formulations.modelling.cvx as cp
from formulations import HardMargin
from formulations.plots.style import BLUE, GREEN, INK, PURPLE, STYLE, VERMILLION
from qpkernels import RBF, Kernel, Polynomial

plt.rcParams.update(STYLE)

# %%
# Hard margins of all labellings of simplices: the narrowest of 8 points gives ``R^2 / rho^2 + 1 = 8.0000``, and that of
# 7 points ``R^2 / rho^2 + 1 = 6.8776``.
simplices = {}
for h in range(2, 9):
    points = np.eye(h) - 1 / h
    labellings = [np.array(signs) for signs in product([-1.0, 1.0], repeat=h) if abs(sum(signs)) < h]
    narrowest = min(HardMargin(points, y).solve(tol=1e-8).margin for y in labellings)
    simplices[h] = np.sqrt(1 - 1 / h) / narrowest
    print(f"{h} points: R^2 / rho^2 + 1 = {simplices[h] ** 2 + 1:.4f}")
    assert abs(simplices[h] ** 2 + 1 - h + (h % 2) * (h - 1) / h**2) < 1e-5

# %%
# The same numbers follow for machines on 50 samples of two classes. :math:`R` is the radius of the smallest ball around
# the samples :math:`\phi(x_i)`,
#
# .. math:: R^2 = \max_\lambda\ \sum_i \lambda_i K_{ii} - \lambda' K \lambda
#           \quad\text{subject to}\quad \lambda \ge 0,\ \sum_i \lambda_i = 1.
#
# With the Gaussian kernel any number of samples is separated, :math:`n` is no bound, and the margin says
# ``dimension at most 18`` at :math:`\theta = 10`. With :math:`(\langle x, z\rangle + 1)^2` there are 5 features beside
# the intercept, and these say ``dimension at most 6``.
X = np.random.RandomState(0).uniform(-1, 1, 100).reshape(50, 2)
y = np.where((X < 0).all(axis=1), -1.0, 1.0)


def radius(kernel: Kernel) -> float:
    """Return the radius of the smallest ball around the samples in the space of the kernel."""
    K = kernel.matrix(X, X)
    values, vectors = np.linalg.eigh(K)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))).T
    share = cp.Variable(len(X), nonneg=True)
    ball = cp.Problem(cp.Maximize(share @ np.diag(K) - cp.sum_squares(root @ share)), [cp.sum(share) == 1])
    return float(np.sqrt(ball.solve(solver="CLARABEL")))


machines: list[tuple[str, Kernel, float]] = [
    *((rf"Gaussian, $\theta = {theta}$", RBF.from_theta(theta), np.inf) for theta in (1, 5, 10)),
    ("degree 2", Polynomial(degree=2, gamma=1.0, coef0=1.0), 5),
    ("degree 3", Polynomial(degree=3, gamma=1.0, coef0=1.0), 9),
]
placed = {}
for name, kernel, features in machines:
    solution = HardMargin(X, y, kernel).solve(tol=1e-8)
    assert solution.status == "optimal"
    ratio = radius(kernel) / solution.margin
    placed[name] = ratio, min(np.ceil(ratio**2), features) + 1
    print(f"{name}: R / rho = {ratio:.3f}, dimension at most {placed[name][1]:g}")
assert [dimension for _, dimension in placed.values()] == [133, 26, 18, 6, 10]

# %%
# The bound holds for margins that are fixed before the samples are seen. A machine finds its margin on the samples,
# which needs bounds of a different kind; in those too :math:`R^2/\rho^2` takes the place of the dimension.

# sphinx_gallery_alt = "A rising staircase of the dimension against R over rho, with level branches at 6 and at 10."
# sphinx_gallery_alt = "Seven simplices lie on its steps, three Gaussian machines further up, and two polynomial ones"
# sphinx_gallery_alt = "on the branches."
figure, axes = plt.subplots(figsize=(7.4, 5.2), layout="constrained")
along = np.geomspace(1.0, 30.0, 2000)
axes.plot(along, np.ceil(along**2) + 1, color=INK, label=r"$\lceil R^2/\rho^2 \rceil + 1$")
for features, colour in ((5, GREEN), (9, PURPLE)):
    beyond = along[along**2 > features]
    axes.plot(beyond, np.full(beyond.size, features + 1.0), color=colour, linestyle="dashed", label=f"$n = {features}$")
axes.plot(list(simplices.values()), list(simplices), "o", color=BLUE, label="simplices of 2 to 8 points")
axes.plot(*zip(*placed.values(), strict=True), "D", color=VERMILLION, linestyle="none", label="machines on 50 samples")
for name, (ratio, dimension) in placed.items():
    axes.annotate(f"{name}: {dimension:g}", (ratio, dimension), (-8, 5), textcoords="offset points", ha="right")
axes.set(xscale="log", yscale="log", xlabel=r"$R / \rho$", ylabel="dimension at most", xlim=(0.9, 34), ylim=(1.5, 1100))
axes.set_title(r"$\min(\lceil R^2/\rho^2 \rceil,\ n) + 1$")
axes.legend(loc="upper left")
