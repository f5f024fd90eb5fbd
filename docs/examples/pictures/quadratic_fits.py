# SPDX-License-Identifier: BSD-3-Clause
r"""One outlier, three parabolas
===============================

The effect of :ref:`one outlier on lines <sphx_glr_gallery_textbook_w8_outlier.py>` is the same for every fit that is
linear in its parameters. With the features :math:`(1, x, x^2)`, the
residuals are :math:`r_i = y_i - w_1 x_i - w_2 x_i^2 - b`, and

.. math::

   \min \sum r_i^2, \qquad\quad \min \sum |r_i|, \qquad\quad \min \max |r_i|

are three parabolas. 21 points lie near :math:`y = 2 - x + x^2/2`, with noise of standard deviation 0.2; one of them is
moved up by 6.
"""

import matplotlib.pyplot as plt
import numpy as np

from formulations import ChebyshevFit, LeastAbsoluteFit, LeastSquaresFit
from formulations.plots.style import BLUE, INK, PURPLE, STYLE, VERMILLION, draw_samples, explain, ring

plt.rcParams.update(STYLE)

TRUE = np.array([-1.0, 0.5])
x = np.linspace(-2, 4, 21)
y = 2 + np.column_stack([x, x**2]) @ TRUE + 0.2 * np.random.default_rng(0).normal(size=21)
outlier = 14
y[outlier] += 6

# %%
# The column of ones is the intercept, so a fit is given :math:`x` and :math:`x^2`. The parabola of least absolute
# deviations passes through three points, as many as there are parameters, and is the only one that stays near the
# others.
t = np.linspace(-2.2, 4.2, 200)
looks = {
    LeastSquaresFit: ("least squares", VERMILLION, "dashdot"),
    LeastAbsoluteFit: ("absolute", BLUE, "solid"),
    ChebyshevFit: ("Chebyshev", PURPLE, (0, (1, 1))),
}
answers, away = {}, {}
for fit, (name, _, _) in looks.items():
    solution = fit(np.column_stack([x, x**2]), y).solve(tol=1e-8)
    w = solution.function.weights
    curve = solution.decision_function(np.column_stack([t, t**2]))
    away[fit] = float(np.abs(curve - 2 - np.column_stack([t, t**2]) @ TRUE).max())
    found = f"{solution.intercept:.3f} {w[0]:+.3f} x {w[1]:+.3f} x^2, off by {away[fit]:.2f}"
    print(f"{name:14} {found}")
    assert solution.status == "optimal"
    answers[fit] = solution, curve
assert np.sum(np.abs(answers[LeastAbsoluteFit][0].residuals) < 1e-6) == 3
worst = np.sort(np.abs(answers[ChebyshevFit][0].residuals))
assert np.allclose(worst[-4:], worst[-1], rtol=1e-4)
assert away[LeastAbsoluteFit] < away[LeastSquaresFit] < away[ChebyshevFit]

# %%
# Four residuals of Chebyshev's fit are of one size, one more than there are parameters, and the outlier is among them.

# sphinx_gallery_alt = "Points along a parabola, one far above: the parabola of absolute deviations follows the points,"
# sphinx_gallery_alt = "that of least squares is lifted around the outlier, and that of Chebyshev most of all."
figure, axes = plt.subplots(figsize=(7.0, 4.8), layout="constrained")
for fit, (name, colour, dashes) in looks.items():
    axes.plot(t, answers[fit][1], color=colour, linestyle=dashes, label=name)
axes.plot(t, 2 + np.column_stack([t, t**2]) @ TRUE, color=INK, linestyle="dotted", label="true parabola")
draw_samples(axes, x, y, INK, "o", "point")
ring(axes, x[outlier : outlier + 1], y[outlier : outlier + 1], "outlier")
axes.set(xlabel="$x$", ylabel="$y$", title="three parabolas through the same points")
explain([axes], own=True)
