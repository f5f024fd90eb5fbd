# SPDX-License-Identifier: BSD-3-Clause
r"""Quantiles side by side that do not cross
==========================================

A tenth of the values should lie below the first curve, half below the second, a tenth above the third. Curves that are
fitted one by one to few samples cross, although quantiles cannot. Fit them together:

.. math::

   \min\ \sum_k \tfrac12 \|f_k\|^2 + 10 \sum_k \sum_i \ell_{\tau_k}(y_i - f_k(x_i) - b_k)
   \quad\text{subject to}\quad f_k(t) + b_k \le f_{k+1}(t) + b_{k+1} \quad\text{for all } t \in [0, 4],

with the pinball loss :math:`\ell_\tau(r) = \max(\tau r, (\tau - 1) r)`.

Source: I. Takeuchi, Q. V. Le, T. Sears and A. Smola, "Nonparametric quantile estimation", Journal of Machine Learning
Research 7 (2006).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Everywhere, Function, Machine
from formulations.plots.style import COLOURS, DASHES, INK, STYLE, draw_samples, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(4)
x, grid = np.sort(random.uniform(0, 4, (40, 1)), axis=0), np.linspace(0, 4, 401)[:, None]
y = np.sin(x[:, 0]) + (0.05 + 0.15 * x[:, 0]) * random.normal(size=40)

# %%
# The statement: three functions, three constants, and an order.
levels = (0.1, 0.5, 0.9)
f, b = [Function(RBF(3.0), f"q{level}") for level in levels], cp.Variable(3, name="b")
pinball = 0
for k, level in enumerate(levels):
    r = y - f[k](x) - b[k]
    pinball += cp.sum(cp.maximum(level * r, (level - 1) * r))
cost = cp.Minimize(0.5 * sum(each.squared_norm for each in f) + 10 * pinball)
order = [Everywhere(lambda t, k=k: f[k](t) + b[k] <= f[k + 1](t) + b[k + 1], box=[(0, 4)]) for k in (0, 1)]
apart, machine = Machine(cost), Machine(cost, order)

# %%
# The functions are parts of one function in the sum of their spaces, so that the whole is one quadratic program, with
# ``3 free directions``. It is solved with the order at points alone and with a reserve between them; the optimum lies
# in between.

# sphinx_gallery_alt = "Two panels with the same points and three curves each: left they cross at several places,"
# sphinx_gallery_alt = "right they touch there and keep their order."
figure, panels = plt.subplots(1, 2, figsize=(11.0, 4.8), sharey=True, layout="constrained")
for axes, each, name in zip(panels, (apart, machine), ("one by one", "together"), strict=True):
    solution = each.solve(tol=1e-3)
    assert solution.status == "optimal"
    curves = np.array([f[k](grid).value + b[k].value for k in range(3)])
    crossed = int((np.diff(curves, axis=0) < 0).any(axis=0).sum())
    print(f"{name}: objective {solution.objective:.3f}, crossed at {crossed} of 401 points")
    assert (crossed == 0) == (each is machine)
    for k, level in enumerate(levels):
        axes.plot(grid, curves[k], color=COLOURS[k], linestyle=DASHES[k], label=rf"$\tau = {level}$")
    draw_samples(axes, x, y, INK, "o", "sample")
    axes.set(xlabel="$x$", title=f"{name}: crossed at {crossed} of 401 points")
low, high = solution.bracket
print(machine.recognised, f"the optimum is between {low:.4f} and {high:.4f}", sep="\n")
explain(list(panels), own=True, columns=4)
