# SPDX-License-Identifier: BSD-3-Clause
r"""The cost C and the width theta
==============================

How many support vectors are there, and how curved is the boundary? The 50 samples are those of
:ref:`the corner <sphx_glr_gallery_textbook_w2_gaussian_margins.py>`, as a notebook on sparse kernel machines draws
them: uniform in :math:`[-1, 1]^2`, the first 100 numbers of NumPy's old generator, seeded with 0, with :math:`y = -1`
where both coordinates are negative and :math:`+1` elsewhere. With :math:`k(x, z) = e^{-\theta\|x - z\|^2/2}`, for
:math:`C \in \{0.5, 1, 10\}` and :math:`\theta \in \{1, 5, 10\}`, solve

.. math::

   p(C) = \min_{f, b, \xi}\ \tfrac12 \|f\|^2 + C \sum_i \xi_i
   \quad\text{subject to}\quad y_i (f(x_i) + b) \ge 1 - \xi_i,\quad \xi_i \ge 0.

On every data set, with :math:`(f, \xi)` optimal at :math:`C` and :math:`(f', \xi')` at :math:`C' > C`,

.. math:: p(C) \le p(C'), \qquad \sum \xi_i \ge \sum \xi'_i, \qquad \|f\| \le \|f'\|.

The first holds because the objective at :math:`C` is nowhere above the one at :math:`C'`. For the second, add the two
statements that :math:`(f, \xi)` is best at :math:`C` and :math:`(f', \xi')` at :math:`C'`: they leave
:math:`(C' - C)(\sum \xi'_i - \sum \xi_i) \le 0`. For the third, at :math:`C` the point :math:`(f', \xi')` has no more
slack and yet is no better, so its norm is no smaller. Nothing is proved about the number of support vectors: it need
not rise or fall with :math:`C` or :math:`\theta`.
"""

import matplotlib.pyplot as plt
import numpy as np

from formulations import SoftMargin
from formulations.plots import DecisionRegionDisplay
from formulations.plots.style import STYLE, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

COSTS, THETAS = (0.5, 1.0, 10.0), (1.0, 5.0, 10.0)
X = np.random.RandomState(0).uniform(-1, 1, 100).reshape(50, 2)
y = np.where((X < 0).all(axis=1), -1.0, 1.0)

# %%
# A sweep over the cost computes the kernel matrix once for each width. The three inequalities hold. At
# :math:`\theta = 1` there are ``support vectors [25, 19, 10]`` with the
# ``optimal values [8.3485272, 12.7482334, 44.426765]``: the middle one, :math:`C = 1`, is the soft margin of the corner
# before. At :math:`\theta = 10` there are ``support vectors [26, 22, 19]``.
displays, counts, optima = {}, {}, {}
for theta in THETAS:
    model = SoftMargin(X, y, RBF.from_theta(theta))
    values, slacks, norms = [], [], []
    for C in COSTS:
        solution = model.set_params(C=C).solve(tol=1e-9)
        assert solution.status == "optimal"
        assert solution.certificate.holds(1e-9)
        values.append(solution.certificate.primal_value)
        slacks.append(solution.slacks.sum())
        norms.append(1 / solution.margin)
        counts[C, theta], optima[C, theta] = solution.n_support, values[-1]
        displays[C, theta] = DecisionRegionDisplay.from_solution(solution, model, extent=(-1.05, 1.05, -1.05, 1.05))
    assert np.all(np.diff(values) >= 0)
    assert np.all(np.diff(slacks) <= 1e-6)
    assert np.all(np.diff(norms) >= -1e-6)
    found = [counts[C, theta] for C in COSTS]
    print(f"theta = {theta:4g}: support vectors {found}, optimal values {np.round(values, 7).tolist()}")
assert list(counts.values()) == [25, 19, 10, 21, 15, 7, 26, 22, 19]
assert abs(optima[1.0, 1.0] - 12.7482334) < 5e-8

# %%
# From top to bottom :math:`\theta` rises and the kernel narrows: a sample speaks for a smaller neighbourhood. The
# dashed lines :math:`g = \pm 1`, nearly straight at :math:`\theta = 1`, follow the samples more and more closely, and
# at :math:`\theta = 10` they bend around single samples. Where there are none, in the corners of the square and in the
# gaps between samples, :math:`g` falls back between :math:`-1` and :math:`+1` (pale).
#
# From left to right :math:`C` rises and slack costs more: the strip between the dashed lines narrows around the
# boundary, and fewer samples lie within.

# sphinx_gallery_alt = "Nine panels, the cost rising to the right and theta downwards. At theta 1 the margins are"
# sphinx_gallery_alt = "gentle arcs; at theta 10 they wind around groups of samples. With the cost the strip gets"
# sphinx_gallery_alt = "thinner."
# sphinx_gallery_lab = "SoftMargin(X, y, RBF.from_theta(5), C=1)"
figure, panels = plt.subplots(3, 3, figsize=(8.7, 9.5), sharex=True, sharey=True, layout="constrained")
plt.rcParams["lines.markersize"] = 4.0
for axes, ((C, theta), display) in zip(panels.flat, displays.items(), strict=True):
    display.plot(axes, legend=False)
    shown = f"{counts[C, theta]} support vectors\noptimal value {optima[C, theta]:.4f}"
    axes.set_title(f"$C = {C:g}$, $\\theta = {theta:g}$: {shown}", fontsize=10)
    axes.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1], aspect="equal")
    axes.label_outer()
explain(list(panels.flat), own=True, columns=5)
