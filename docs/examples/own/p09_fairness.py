# SPDX-License-Identifier: BSD-3-Clause
r"""Fairness, and its price
=========================

A bank may not decide about a loan by a column that the law protects, nor by anything that stands in for it. Bound the
covariance of the decision with that column :math:`s`:

.. math::

   \min_{f, b}\ \tfrac12 \|f\|^2 + \sum_i \max\bigl(0, 1 - y_i (f(x_i) + b)\bigr)
   \quad\text{subject to}\quad \Bigl|\tfrac1n \sum_i (s_i - \bar s)\, f(x_i)\Bigr| \le a.

The covariance is one functional, :math:`\sum_i w_i f(x_i)`. The bound :math:`a` is a ``cp.Parameter``: one statement
gives the whole path, and the multiplier of the bound is its price: the rate at which the objective falls as the
bound is relaxed.

Source: M. B. Zafar, I. Valera, M. Gomez Rodriguez and K. Gummadi, "Fairness constraints: mechanisms for fair
classification", Proceedings of the 20th International Conference on Artificial Intelligence and Statistics (2017).
"""

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np

from formulations import Function, Machine
from formulations.plots.style import BLUE, GREEN, STYLE, VERMILLION, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

random = np.random.default_rng(0)
X = random.normal(size=(150, 2))
s = (random.random(150) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(float)
y = np.where(X[:, 0] + X[:, 1] + 0.5 * random.normal(size=150) > 0, 1, -1)

# %%
# The statement.
f, b, a = Function(RBF(0.3)), cp.Variable(name="b"), cp.Parameter(name="a", nonneg=True)
hinge = cp.sum(cp.pos(1 - cp.multiply(y, f(X) + b)))
covariance = f.mean(X, (s - s.mean()) / 150)
fair = (cp.abs(covariance) <= a).set_label("fair")
machine = Machine(cp.Minimize(0.5 * f.squared_norm + hinge), [fair])

# %%
# The path runs from a bound that does not matter to a covariance of 0.
path = np.linspace(0.45, 0, 13)
cost, price, right, apart = [], [], [], []
for a.value in path:
    solution = machine.solve()
    assert solution.status == "optimal"
    decided = f(X).value + b.value > 0
    cost.append(solution.objective)
    price.append(float(fair.dual_value))
    right.append(np.mean(decided == (y > 0)))
    apart.append(decided[s == 1].mean() - decided[s == 0].mean())
    print(
        f"a = {a.value:.3f}: objective {cost[-1]:7.3f}, price {price[-1]:7.2f}, {right[-1]:.0%} right, {apart[-1]:+.0%}"
    )
print(machine.recognised, solution.explain(), sep="\n")
assert (np.diff(cost) >= -1e-6).all()
assert price[0] == 0
# Between two bounds the objective rises by between the two prices.
steps = np.diff(cost) / -np.diff(path)
assert (steps >= np.array(price[:-1]) - 1e-3).all()
assert (steps <= np.array(price[1:]) + 1e-3).all()

# %%
# Fairness has its price: accuracy falls with the difference between the groups.

# sphinx_gallery_alt = "Left, the objective falls and its price goes down to zero as the bound grows. Right, the"
# sphinx_gallery_alt = "accuracy rises with the bound, and so does the difference between the two groups."
figure, (left, right_panel) = plt.subplots(1, 2, figsize=(11.0, 4.4), layout="constrained")
left.plot(path, cost, color=BLUE, marker="o", label="objective")
left.plot(path, price, color=VERMILLION, marker="s", linestyle="dashed", label="price of the bound")
left.set(xlabel="bound $a$ of the covariance", title="the multiplier is the slope", ylim=(-5, None))
right_panel.plot(path, right, color=GREEN, marker="^", label="share right")
right_panel.plot(
    path, apart, color=VERMILLION, marker="D", linestyle="dashdot", label="yes in group 1 less yes in group 0"
)
right_panel.set(xlabel="bound $a$ of the covariance", title="what it does", ylim=(-0.1, 1.05))
explain([left, right_panel], own=True, columns=4)
