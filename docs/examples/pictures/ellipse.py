# SPDX-License-Identifier: BSD-3-Clause
r"""An ellipse becomes a plane
=============================

Which machine separates the points within an ellipse from those outside? No machine that is linear in :math:`(x_1, x_2)`
does, but an ellipse around the origin is :math:`w_1 x_1^2 + w_2 x_1 x_2 + w_3 x_2^2 = c`, which is linear in the three
features of

.. math:: \phi(x) = (x_1^2,\ \sqrt2\, x_1 x_2,\ x_2^2).

There the ellipse is a plane. The factor :math:`\sqrt 2` makes the inner product a kernel of the samples themselves,

.. math:: \langle\phi(x), \phi(z)\rangle = x_1^2 z_1^2 + 2 x_1 x_2 z_1 z_2 + x_2^2 z_2^2 = \langle x, z\rangle^2,

so that the features need never be computed.
"""

import matplotlib.pyplot as plt
import numpy as np

from formulations import HardMargin
from formulations.plots import DecisionRegionDisplay
from formulations.plots.style import GREEN, STYLE, class_mark, explain
from qpkernels import Polynomial, ScaledQuadraticMap

plt.rcParams.update(STYLE)

# 70 samples in a square, those near the ellipse left out: the classes can be separated.
X = np.random.default_rng(1).uniform(-2, 2, (110, 2))
level = (X[:, 0] ** 2 + X[:, 0] * X[:, 1] + 2 * X[:, 1] ** 2) / 2.5
X, y = X[np.abs(level - 1) > 0.25], np.where(level > 1, 1.0, -1.0)[np.abs(level - 1) > 0.25]

# %%
# The hard margin with the kernel :math:`\langle x, z\rangle^2`, and with the features: one answer, by two ways.
model = HardMargin(X, y, Polynomial(degree=2))
solution = model.solve(tol=1e-8)
phi = ScaledQuadraticMap()
explicit = HardMargin(phi(X), y).solve(tol=1e-8)
plane, b = explicit.function.weights, explicit.intercept
print(f"ellipse: {plane[0]:.3f} x1^2 + {np.sqrt(2) * plane[1]:.3f} x1 x2 + {plane[2]:.3f} x2^2 = {-b:.3f}")
print(f"margins: {solution.margin:.6f} by the kernel, {explicit.margin:.6f} by the features")
assert solution.status == explicit.status == "optimal"
assert np.isclose(solution.margin, explicit.margin, rtol=1e-6)
assert np.allclose(solution.decision_function(X), phi(X) @ plane + b, atol=1e-4)
assert plane[0] * plane[2] > plane[1] ** 2 / 2  # an ellipse, and no other curve of degree two

# %%
# In the plane of the samples the boundary is an ellipse; in the space of the features the same boundary is a plane, and
# all samples lie on the cone :math:`\phi_2^2 = 2 \phi_1 \phi_3` that the map makes of their plane.
assert np.allclose(phi(X)[:, 1] ** 2, 2 * phi(X)[:, 0] * phi(X)[:, 2])

# sphinx_gallery_alt = "Left, points inside and outside an ellipse with a strip around it. Right, the same points in"
# sphinx_gallery_alt = "three dimensions on a cone: a plane cuts those of the inner class off at the tip."
# sphinx_gallery_lab = "model"
figure = plt.figure(figsize=(10.4, 5.2), layout="constrained")
left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2, projection="3d")
DecisionRegionDisplay.from_solution(solution, model, extent=(-2.1, 2.1, -2.1, 2.1)).plot(left, legend=False)
left.set(aspect="equal", title="in the plane: an ellipse")
features = phi(X)
for code, label in enumerate((-1.0, 1.0)):
    colour, marker = class_mark(code, 2)
    right.scatter(*features[y == label].T, color=colour, marker=marker, s=22, depthshade=False)
one, two = np.meshgrid(np.linspace(0, 4, 60), np.linspace(-5, 5, 60))
three = -(plane[0] * one + plane[1] * two + b) / plane[2]
three[(three < 0) | (three > 4)] = np.nan
right.plot_surface(one, two, three, color=GREEN, alpha=0.35, rcount=60, ccount=60)
right.set(xlabel=r"$x_1^2$", ylabel=r"$\sqrt{2}\,x_1 x_2$", zlabel="$x_2^2$", title="in the features: a plane")
right.set(xticks=[0, 2, 4], yticks=[-4, 0, 4], zticks=[0, 2, 4], xlim=(0, 4), ylim=(-5, 5), zlim=(0, 4))
right.view_init(elev=12, azim=-40)
right.set_box_aspect(None, zoom=0.85)
explain([left], own=True, columns=5)
