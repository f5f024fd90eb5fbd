# SPDX-License-Identifier: BSD-3-Clause
r"""Regression in a tube
====================

Which of 20 noisy samples of a sine are support vectors? Given :math:`y_i = \sin \pi x_i` + noise of standard deviation
0.25 at 20 equidistant places in :math:`[-1, 1]`, :math:`\epsilon = 0.3`, :math:`C = 1` and
:math:`k(x, z) = e^{-\theta(x - z)^2/2}`, solve, with the residuals :math:`r_i = y_i - f(x_i) - b`:

.. math::

   \min_{f, b, \xi}\ \tfrac12 \|f\|^2 + C \sum_i (\xi^+_i + \xi^-_i)
   \quad\text{subject to}\quad r_i \le \epsilon + \xi^+_i,\quad -r_i \le \epsilon + \xi^-_i,\quad \xi^\pm_i \ge 0

by its dual in :math:`\beta = \alpha^+ - \alpha^-`, where :math:`f = \sum_j \beta_j k(x_j, \cdot)`,
:math:`\sum \beta_j = 0` and :math:`|\beta_j| \le C`. By the conditions of Karush, Kuhn and Tucker
:math:`\beta_i` tells where a sample is:

.. math::

   \beta_i = 0 \qquad & |r_i| \le \epsilon && \text{inside the tube: without this sample the fit would be the same}

   0 < |\beta_i| < C \qquad & |r_i| = \epsilon && \text{on the edge: each of these gives }
   b = y_i - f(x_i) - \operatorname{sign}(\beta_i)\,\epsilon

   |\beta_i| = C \qquad & |r_i| \ge \epsilon && \text{outside: its influence stays } C \text{, however far it is}

The noise is drawn as in a notebook on sparse kernel machines, from NumPy's old generator, seeded with 0, after the 50
samples of its classification. The notebook does not say how many numbers its solver draws in between; here it is none.
"""

import matplotlib.pyplot as plt
import numpy as np

from formulations import SoftTube
from formulations.plots import TubeDisplay
from formulations.plots.style import INK, STYLE, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

EPSILON, C = 0.3, 1.0
generator = np.random.RandomState(0)
generator.uniform(-1, 1, 100)  # the samples of the classification
x = np.linspace(-1, 1, 20)
y = np.sin(np.pi * x) + generator.normal(scale=0.25, size=20)

# %%
# On the left the width of the notebook, :math:`\theta = 10`, with
# ``7 support vectors of 20: 5 on the edge, 2 outside``; on the right the narrower kernel :math:`\theta = 15`,
# with ``8 support vectors of 20: 7 on the edge, 1 outside``.
answers = {}
for theta in (10.0, 15.0):
    model = SoftTube(x[:, None], y, RBF.from_theta(theta), C=C, epsilon=EPSILON)
    solution = model.solve(tol=1e-9)
    tube, size, outside = solution.tube, np.abs(solution.residuals), solution.support.bounded
    print(
        f"theta = {theta:g}: {solution.n_support} support vectors of 20: {tube.edge.size} on the edge, "
        f"{outside.size} outside"
    )
    assert solution.status == "optimal"
    assert np.all(size[tube.inside] < EPSILON)
    assert np.allclose(size[tube.edge], EPSILON, atol=1e-6)
    assert np.all(size[outside] > EPSILON)
    assert np.allclose(np.abs(solution.beta[outside]), C)
    assert abs(solution.beta.sum()) < 1e-9
    without_b = solution.decision[tube.edge] - solution.intercept
    edges = y[tube.edge] - without_b - EPSILON * np.sign(solution.beta[tube.edge])
    assert np.allclose(edges, solution.intercept, atol=1e-6)
    answers[theta] = model, solution
print(solution.explain(outside[0]))

# %%
# The dotted line is the sine, which the machine does not know.

# sphinx_gallery_alt = "Two panels, theta 10 and 15: a curve near a sine with a tinted tube around it; most samples are"
# sphinx_gallery_alt = "discs inside, those on the edge are ringed diamonds and those outside ringed squares."
# sphinx_gallery_lab = "answers[10.0][0]"
# sphinx_gallery_lab = "answers[15.0][0]"
figure, panels = plt.subplots(1, 2, figsize=(11.0, 4.8), sharey=True, layout="constrained")
for axes, (theta, (model, solution)) in zip(panels, answers.items(), strict=True):
    display = TubeDisplay.from_solution(solution, model, extent=(-1.05, 1.05)).plot(axes, legend=False)
    t = display.grid
    axes.plot(t, np.sin(np.pi * t), color=INK, linestyle="dotted", label=r"$\sin \pi x$", zorder=1.8)
    axes.set_title(
        rf"$\theta = {theta:g}$: {solution.n_support} support vectors of 20, "
        f"{solution.tube.edge.size} on the edge and {solution.support.bounded.size} outside"
    )
explain(list(panels), own=True, columns=7)
