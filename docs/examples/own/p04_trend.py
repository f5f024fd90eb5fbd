# SPDX-License-Identifier: BSD-3-Clause
r"""A trend that is not penalised
===============================

A quantity rises by half a unit a year and swings around that trend. A kernel alone goes back to 0 where there are no
samples. Add known functions without a penalty, and let the kernel find the rest:

.. math:: \min_{f, w, b}\ \tfrac12 \|f\|^2 + 10 \sum_i \max(0, |y_i - f(x_i) - w x_i - b| - \tfrac1{10}).

Each of :math:`w` and :math:`b` is a free direction of the dual: :math:`\sum_i \beta_i = 0` and
:math:`\sum_i \beta_i x_i = 0`.

Source: A. Smola, T. Frieß and B. Schölkopf, "Semiparametric support vector and linear programming machines", Advances
in Neural Information Processing Systems 11 (1999).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Function, Machine
from formulations.plots.style import BLUE, GREY, INK, STYLE, draw_samples, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
x = np.linspace(0, 10, 60)[:, None]
y = x[:, 0] / 2 + np.sin(3 * x[:, 0]) / 2 + 0.1 * random.normal(size=60)

# %%
# The statement, with ``2 free directions``.
f, w, b = Function(RBF(4.0)), cp.Variable(name="w"), cp.Variable(name="b")
tube = cp.sum(cp.pos(cp.abs(y - f(x) - w * x[:, 0] - b) - 0.1))
machine = Machine(cp.Minimize(0.5 * f.squared_norm + 10 * tube))

solution = machine.solve()
print(machine.recognised, solution.explain(), sep="\n")
print(f"w = {w.value:.3f}, b = {b.value:.3f}")
assert solution.status == "optimal"
assert abs(w.value - 0.5) < 0.05

# %%
# Beyond the samples the swing dies away, and the trend stays. A constant alone, as the models of the library have it,
# would miss it.
trend, rest = w.value, b.value
ahead = np.linspace(0, 14, 401)[:, None]
semiparametric = f(ahead).value + trend * ahead[:, 0] + rest
level = Machine(cp.Minimize(0.5 * f.squared_norm + 10 * cp.sum(cp.pos(cp.abs(y - f(x) - b) - 0.1))))
assert level.solve().status == "optimal"

# sphinx_gallery_alt = "A wave along a rising line. With the trend the curve goes on along the line beyond the last"
# sphinx_gallery_alt = "sample; with a constant alone it falls back to a level."
figure, axes = plt.subplots(figsize=(8.0, 4.6), layout="constrained")
axes.plot(ahead, f(ahead).value + b.value, color=GREY, linestyle="dashed", label="with a constant alone")
axes.plot(ahead, semiparametric, color=BLUE, label="with a trend")
axes.plot(ahead, trend * ahead + rest, color=INK, linestyle="dotted", label="the trend")
draw_samples(axes, x, y, INK, "o", "sample")
axes.set(xlabel="$x$", ylabel="$y$", title=f"a trend of {trend:.2f} a year, and a swing")
explain([axes], own=True, columns=4)
