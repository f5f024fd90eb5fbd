# SPDX-License-Identifier: BSD-3-Clause
r"""Transfer from a function that is known
========================================

In the old laboratory a curve was measured at 40 places, in the new one at 4. Let the new curve be near the old one,
:math:`g`, in the norm of the space, and not near 0:

.. math:: \min_{f, b}\ \tfrac{1}{20} \|f - g\|^2 + \sum_i (y_i - f(x_i) - b)^2.

A known function can be subtracted like an unknown one. The library solves the same problem with the residuals of
:math:`g` as targets.

Source: J. Yang, R. Yan and A. Hauptmann, "Cross-domain video concept detection using adaptive SVMs", Proceedings of
the 15th ACM International Conference on Multimedia (2007).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Function, Machine
from formulations.plots.style import BLUE, GREY, INK, STYLE, VERMILLION, draw_samples, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
x, z = np.linspace(0, 6, 40)[:, None], np.array([0.6, 2.4, 4.2, 5.4])[:, None]
old = np.sin(2 * x[:, 0]) + 0.1 * random.normal(size=40)


def new(z):
    """Return the true curve of the new laboratory."""
    return np.sin(2 * z[:, 0]) + 0.5 + 0.4 * np.exp(-((z[:, 0] - 3) ** 2))


y = new(z) + 0.05 * random.normal(size=4)

# %%
# The function of the old laboratory.
g = Function(RBF(1.0), name="g")
known = Machine(cp.Minimize(0.05 * g.squared_norm + cp.sum_squares(old - g(x)))).solve().function(g)

# %%
# The statement: ``a KernelQP of 4 functionals``.
f, b = Function(RBF(1.0)), cp.Variable(name="b")
loss = cp.sum_squares(y - f(z) - b)
machine, alone = (Machine(cp.Minimize(0.05 * h.squared_norm + loss)) for h in (f - known, f))

# sphinx_gallery_alt = "A dotted true curve and four points. The curve near the old one follows its waves between the"
# sphinx_gallery_alt = "points; the curve from the four points alone misses them."
figure, axes = plt.subplots(figsize=(8.0, 4.6), layout="constrained")
grid = np.linspace(0, 6, 201)[:, None]
axes.plot(grid, new(grid), color=INK, linestyle="dotted", label="true curve")
axes.plot(grid, known(grid), color=VERMILLION, linestyle="dashdot", linewidth=1.2, label="old curve $g$")
error = {}
for each, name, look in ((alone, "from the samples alone", (GREY, "dashed")), (machine, "near $g$", (BLUE, "solid"))):
    solution = each.solve()
    assert solution.status == "optimal"
    curve = solution.function(f)(grid) + b.value
    error[name] = np.sqrt(np.mean((curve - new(grid)) ** 2))
    print(f"{name}: root mean square error {error[name]:.3f}")
    axes.plot(grid, curve, color=look[0], linestyle=look[1], label=name)
print(machine.recognised, solution.explain(), sep="\n")
assert error["near $g$"] < error["from the samples alone"] / 2
draw_samples(axes, z, y, INK, "o", "new sample")
axes.set(xlabel="$x$", ylabel="$y$", title="four samples of a new laboratory")
explain([axes], own=True)
