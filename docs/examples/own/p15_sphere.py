# SPDX-License-Identifier: BSD-3-Clause
r"""A sphere around the usual
===========================

Which samples are unlike the rest? Look for the smallest sphere in the space of the kernel around most of the samples,
with middle :math:`c` and radius :math:`\sqrt R`. The distance of a sample from the middle is
:math:`\|k(x, \cdot) - c\|^2 = k(x, x) - 2 c(x) + \|c\|^2`, so that with :math:`\rho = R - \|c\|^2`

.. math::

   \min_{c, R}\ R + C \sum_i \max\bigl(0, \|k(x_i, \cdot) - c\|^2 - R\bigr)
   = \min_{c, \rho}\ \|c\|^2 + \rho + C \sum_i \max\bigl(0, k(x_i, x_i) - 2 c(x_i) - \rho\bigr):

the middle is a function like any other, and the sphere is a soft margin without classes.

Source: D. Tax and R. Duin, "Support vector data description", Machine Learning 54 (2004).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Function, Machine
from formulations.plots.style import BLUE, INK, STYLE, draw_samples, explain, ring
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
angle = random.uniform(0, 2 * np.pi, 60)
X = np.column_stack([1.5 * np.cos(angle), np.sin(angle)]) + 0.12 * random.normal(size=(60, 2))
X = np.concatenate([X, random.uniform(-2.2, 2.2, (6, 2))])

# %%
# The statement; :math:`k(x, x) = 1`.
c, rho = Function(RBF(1.0), "c"), cp.Variable(name="rho")
outside = cp.sum(cp.pos(1 - 2 * c(X) - rho))
machine = Machine(cp.Minimize(c.squared_norm + rho + 0.1 * outside))

solution = machine.solve(tol=1e-9)
print(machine.recognised, solution.explain(), sep="\n")
R = rho.value + c.squared_norm.value
distance = 1 - 2 * c(X).value + c.squared_norm.value
out = distance > R + 1e-6
print(f"R = {R:.4f}, {int(out.sum())} of 66 outside")
assert solution.status == "optimal"
# Each sample outside pays C of a sum of 1, and so at most 1 / C are there.
assert 0 < out.sum() <= 10

# %%
# In the plane the sphere is a level line of its middle, which may have a hole.

# sphinx_gallery_alt = "Points on a ring with a few others: two closed lines, one around the ring and one within, and"
# sphinx_gallery_alt = "the points beyond them are ringed."
figure, axes = plt.subplots(figsize=(6.8, 5.4), layout="constrained")
side = np.linspace(-2.5, 2.5, 120)
plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
far = (1 - 2 * c(plane).value + c.squared_norm.value - R).reshape(120, 120)
axes.contourf(side, side, far, [-np.inf, 0], colors=[BLUE], alpha=0.15)
axes.contour(side, side, far, [0], colors=[BLUE], linestyles="solid")
draw_samples(axes, *X.T, INK, "o", "sample")
ring(axes, *X[out].T, "outside of the sphere")
axes.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal", title=f"$R = {R:.3f}$, {int(out.sum())} of 66 outside")
explain([axes], own=True)
