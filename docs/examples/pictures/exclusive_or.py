# SPDX-License-Identifier: BSD-3-Clause
r"""Exclusive or (XOR), and the map that separates it
====================================================

Can a line tell :math:`(0, 1), (1, 0)` from :math:`(0, 0), (1, 1)`? No: the middle :math:`(1/2, 1/2)` is halfway between
the two samples of either class, so that a function :math:`g(x) = \langle w, x\rangle + b` that is positive at the
first two and negative at the others would be both there. This is why a single perceptron cannot compute the
exclusive or.

With the features

.. math:: \phi(x) = (x_1^2,\ \sqrt2\, x_1 x_2,\ x_2^2)

the four samples are corners of a tetrahedron, which separates any labelling. If all four are support vectors,
:math:`g = -1` at :math:`\phi = 0` gives :math:`b = -1`, the next two give :math:`w_1 = w_3 = 2`, and the last one
:math:`2 + \sqrt2\, w_2 + 2 - 1 = -1`, so :math:`w_2 = -2\sqrt2`. The multipliers :math:`\alpha = (6, 4, 4, 2)` prove
it: none is negative, :math:`\sum \alpha_i y_i = 0` and :math:`\sum \alpha_i y_i \phi(x_i) = w`. The margin is
:math:`1/\|w\| = 1/4`, and in the plane the boundary is
:math:`2 x_1^2 - 4 x_1 x_2 + 2 x_2^2 = 1`, the two lines :math:`x_1 - x_2 = \pm 1/\sqrt2`.
"""

import matplotlib.pyplot as plt
import numpy as np

from formulations import HardMargin, Separability
from formulations.plots import DecisionRegionDisplay
from formulations.plots.style import GREEN, INK, STYLE, class_mark, explain
from qpkernels import Polynomial, ScaledQuadraticMap

plt.rcParams.update(STYLE)

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = np.array([-1.0, 1.0, 1.0, -1.0])

# %%
# The linear program of separability has no solution, and its multipliers say why: the hulls of both classes meet at
# ``[0.5, 0.5]``. After the map there is the margin ``0.2500``, by the features and by their kernel
# :math:`\langle x, z\rangle^2`.
hulls = Separability(X, y).decide()
print(f"the hulls meet at {hulls.coordinates.round(6).tolist()}, multipliers {hulls.multipliers.round(6).tolist()}")
assert np.allclose(hulls.coordinates, [0.5, 0.5])

phi = ScaledQuadraticMap()
model = HardMargin(X, y, Polynomial(degree=2))
solution, explicit = model.solve(tol=1e-9), HardMargin(phi(X), y).solve(tol=1e-9)
for answer in (solution, explicit):
    print(f"margin {answer.margin:.4f}, multipliers {answer.alpha.round(4).tolist()}, {answer.status}")
    assert answer.status == "optimal"
    assert abs(answer.margin - 1 / 4) < 1e-6
    assert np.allclose(answer.alpha, [6, 4, 4, 2], atol=1e-5)
    assert abs(answer.intercept + 1) < 1e-6
w = explicit.function.weights
assert np.allclose(w, [2, -2 * np.sqrt(2), 2], atol=1e-6)

# %%
# On the left is the plane, with the point that is in both hulls and the boundary that the map gives; on the right are
# the features.

# sphinx_gallery_alt = "Left, the corners of a square, opposite ones in one class, with a cross in the middle and a"
# sphinx_gallery_alt = "band between two parallel lines. Right, the four samples in space, and a plane that"
# sphinx_gallery_alt = "separates them."
# sphinx_gallery_lab = "model"
figure = plt.figure(figsize=(10.4, 5.2), layout="constrained")
left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2, projection="3d")
DecisionRegionDisplay.from_solution(solution, model, extent=(-0.4, 1.4, -0.4, 1.4)).plot(left, legend=False)
left.plot(*hulls.coordinates, "x", color=INK, markersize=10, markeredgewidth=2, label="in both hulls")
left.set(aspect="equal", title="in the plane: no line, but two")
features = phi(X)
for code, label in enumerate((-1.0, 1.0)):
    colour, marker = class_mark(code, 2)
    right.scatter(*features[y == label].T, color=colour, marker=marker, s=50, depthshade=False)
for sample, place in zip(X.astype(int), features, strict=True):
    right.text(*(place + 0.06), f"({sample[0]}, {sample[1]})")
one, three = np.meshgrid(np.linspace(-0.2, 1.3, 30), np.linspace(-0.2, 1.3, 30))
two = -(w[0] * one + w[2] * three + explicit.intercept) / w[1]
two[(two < -0.3) | (two > 1.6)] = np.nan
right.plot_surface(one, two, three, color=GREEN, alpha=0.35)
right.set(xlabel=r"$x_1^2$", ylabel=r"$\sqrt{2}\,x_1 x_2$", zlabel="$x_2^2$")
right.set(xticks=[0, 1], yticks=[0, 1], zticks=[0, 1], title="in the features: a plane, margin 1/4")
right.view_init(elev=20, azim=42)
right.set_box_aspect(None, zoom=0.85)
explain([left], own=True, columns=6)
