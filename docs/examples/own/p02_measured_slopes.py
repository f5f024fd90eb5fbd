# SPDX-License-Identifier: BSD-3-Clause
r"""Slopes that were measured
===========================

A pendulum in oil is photographed at five times, and its speed is measured at nine others. What was its motion? Values
and derivatives are functionals of one function, and both may have a loss:

.. math:: \min_f\ \tfrac{1}{1000} \|f\|^2 + \sum_i (y_i - f(x_i))^2 + \sum_j (v_j - f'(z_j))^2.

The optimum is a sum of the representers :math:`k(x_i, \cdot)` and :math:`\partial k(z_j, \cdot)`: the kernel is
differentiated by the library, and the matrix has all inner products of both kinds.

Source: D.-X. Zhou, "Derivative reproducing properties for kernel methods in learning theory", Journal of
Computational and Applied Mathematics 220 (2008).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Function, Machine
from formulations.plots.style import BLUE, GREY, INK, STYLE, VERMILLION, draw_samples, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)


def motion(t):
    """Return the true motion."""
    return np.exp(-t / 6) * np.cos(2 * t)


def speed(t):
    """Return its derivative."""
    return -np.exp(-t / 6) * (np.cos(2 * t) / 6 + 2 * np.sin(2 * t))


x, z = np.linspace(0, 10, 5)[:, None], np.linspace(0, 10, 11)[1:-1, None]
random = np.random.default_rng(0)
y, v = motion(x[:, 0]) + 0.02 * random.normal(size=5), speed(z[:, 0]) + 0.05 * random.normal(size=9)

# %%
# The statement, once with the values alone and once with both. A quadratic loss without constraints has a system of
# linear equations for a dual, of ``14 functionals``.
f = Function(RBF(1.0))
values = 0.001 * f.squared_norm + cp.sum_squares(y - f(x))
slopes = cp.sum_squares(v - f.derivative(z, axis=0))
alone, machine = Machine(cp.Minimize(values)), Machine(cp.Minimize(values + slopes))

t = np.linspace(0, 10, 401)[:, None]
found = {}
for name, each in (("values", alone), ("values and slopes", machine)):
    solution = each.solve()
    assert solution.status == "optimal"
    found[name] = solution.function(f)
    error = np.sqrt(np.mean((found[name](t) - motion(t[:, 0])) ** 2))
    print(f"{name}: root mean square error {error:.3f}, {solution.program}")
print(machine.recognised, solution.explain(), sep="\n")
both = found["values and slopes"]
assert error < 0.15
assert np.abs(both.derivative(z, 0) - v).max() < 0.1

# %%
# Five values leave the motion between them open. With the slopes it is found.

# sphinx_gallery_alt = "A damped oscillation: the curve from five points alone misses most of the swings, that from"
# sphinx_gallery_alt = "points and short tangents follows the dotted true motion."
figure, axes = plt.subplots(figsize=(8.0, 4.6), layout="constrained")
axes.plot(t, motion(t), color=INK, linestyle="dotted", label="true motion")
axes.plot(t, found["values"](t), color=GREY, linestyle="dashed", label="from the values alone")
axes.plot(t, both(t), color=BLUE, label="from values and slopes")
for number, (at, slope) in enumerate(zip(z[:, 0], v, strict=True)):
    ends, height = at + np.array([-0.25, 0.25]), both([[at]])[0]
    label = "measured slope" if number == 0 else None
    axes.plot(ends, height + slope * (ends - at), color=VERMILLION, linewidth=3.5, alpha=0.7, label=label)
draw_samples(axes, x, y, INK, "o", "measured value")
axes.set(xlabel="$t$", ylabel="$f(t)$", title="a pendulum in oil")
explain([axes], own=True)
