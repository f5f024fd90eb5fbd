# SPDX-License-Identifier: BSD-3-Clause
r"""Several tasks that are alike
==============================

Four schools have eight pupils each. These are too few for a curve for each school, and the schools are too different
for one curve. Let each school have a function of its own near one that all share:

.. math:: \min\ \|f_0\|^2 + 5 \sum_t \|f_t - f_0\|^2 + 20 \sum_t \sum_i (y_{ti} - f_t(x_{ti}))^2.

With :math:`g_t = f_t - f_0`, the school's own part, each norm is that of one function, and the statement is
recognised as a quadratic program.

Source: T. Evgeniou and M. Pontil, "Regularized multi-task learning", Proceedings of the 10th ACM SIGKDD conference
(2004).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Function, Machine
from formulations.plots.style import COLOURS, DASHES, INK, MARKERS, STYLE, draw_samples, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
x = random.uniform(0, 4, (4, 8, 1))
tilt = np.array([-0.3, -0.1, 0.1, 0.3])[:, None]


def true(x):
    """Return the true curves, one row for each school."""
    return np.sin(2 * x[..., 0]) + tilt * x[..., 0]


y = true(x) + 0.1 * random.normal(size=(4, 8))

# %%
# The statement, of ``32 functionals``.
shared, own = Function(RBF(1.0), "shared"), [Function(RBF(1.0), f"own{t}") for t in range(4)]
misfit = sum(cp.sum_squares(y[t] - (shared + own[t])(x[t])) for t in range(4))
machine = Machine(cp.Minimize(shared.squared_norm + 5 * sum(g.squared_norm for g in own) + 20 * misfit))

solution = machine.solve()
print(machine.recognised, solution.explain(), sep="\n")
assert solution.status == "optimal"

# %%
# The picture compares it with each school fitted alone.
grid = np.linspace(0, 4, 201)[:, None]
found = np.array([solution.function(shared + own[t])(grid) for t in range(4)])
alone = []
for t in range(4):
    f = Function(RBF(1.0))
    solved = Machine(cp.Minimize(f.squared_norm + 20 * cp.sum_squares(y[t] - f(x[t])))).solve()
    assert solved.status == "optimal"
    alone.append(solved.function(f)(grid))
error = {"together": found - true(grid), "alone": np.array(alone) - true(grid)}
for name, difference in error.items():
    print(f"{name}: root mean square error {np.sqrt(np.mean(difference**2)):.3f}")
assert np.mean(error["together"] ** 2) < np.mean(error["alone"] ** 2)

# sphinx_gallery_alt = "Two panels with the points of four schools. Left, four curves of one shape that differ by"
# sphinx_gallery_alt = "their tilt, near the dotted true ones; right, four curves that go apart where a school has no"
# sphinx_gallery_alt = "points."
figure, panels = plt.subplots(1, 2, figsize=(11.0, 4.8), sharey=True, layout="constrained")
for axes, curves, name in zip(panels, (found, alone), ("together", "each alone"), strict=True):
    for t in range(4):
        axes.plot(grid, true(grid)[t], color=INK, linestyle="dotted", linewidth=1.0, label="true" if t == 0 else None)
        axes.plot(grid, curves[t], color=COLOURS[t], linestyle=DASHES[t], label=f"school {t + 1}")
        draw_samples(axes, x[t], y[t], COLOURS[t], MARKERS[t], None)
    axes.set(xlabel="$x$", title=name)
explain(list(panels), own=True, columns=5)
