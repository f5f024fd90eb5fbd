# SPDX-License-Identifier: BSD-3-Clause
r"""One outlier, four lines
=======================

Which of them stay where the other points are? 21 points lie near the line :math:`y = 1 + x/2`, with noise of standard
deviation 0.3; then the last one is moved down by 5. Fit a line :math:`wx + b` by the residuals
:math:`r_i = y_i - wx_i - b`:

.. math::

   \text{least squares (Gauss)}\qquad & \min \textstyle\sum r_i^2

   \text{least absolute deviations (Boscovich)}\qquad & \min \textstyle\sum |r_i|

   \text{the same through the mean point (Laplace)}\qquad
   & \min \textstyle\sum |r_i| \ \text{ subject to }\ \sum r_i = 0

   \text{least maximum (Chebyshev)}\qquad & \min \max |r_i|

In least squares :math:`w` is linear in :math:`y`, so an outlier moves it in proportion to its size. With absolute
deviations only the side of the line matters on which a point lies, not the distance. Laplace's line passes through the
mean of all points, the outlier included. The three worst points alone decide Chebyshev's line, and the outlier is one
of them.
"""

import matplotlib.pyplot as plt
import numpy as np

from formulations import ChebyshevFit, LaplaceFit, LeastAbsoluteFit, LeastSquaresFit
from formulations.plots.style import BLUE, GREEN, INK, PURPLE, STYLE, VERMILLION, draw_samples, explain, ring

plt.rcParams.update(STYLE)

x = np.linspace(0, 10, 21)
y = 1 + x / 2 + 0.3 * np.random.default_rng(0).normal(size=21)
y[-1] -= 5

# %%
# How far is each slope from 1/2? Least squares finds ``+0.3562``, absolute deviations ``+0.4749``, Chebyshev
# ``-0.0076``.
names = {
    LeastSquaresFit: "least squares",
    LeastAbsoluteFit: "absolute",
    LaplaceFit: "absolute, zero sum",
    ChebyshevFit: "Chebyshev",
}
answers = {fit: fit(x[:, None], y).solve() for fit in names}
away = {}
for (fit, name), solution in zip(names.items(), answers.values(), strict=True):
    slope = float(solution.function.weights[0])
    print(f"{name:20} slope {slope:+.4f}, b = {solution.intercept:.4f}, {solution.status}")
    assert solution.status == "optimal"
    assert solution.certificate.holds(1e-6)
    away[fit] = abs(slope - 0.5)
assert max(away[LeastAbsoluteFit], away[LaplaceFit]) < away[LeastSquaresFit] < away[ChebyshevFit]
assert away[LeastAbsoluteFit] < 0.05
assert away[ChebyshevFit] > 0.4
for through in (LeastSquaresFit, LaplaceFit):  # the mean point
    assert abs(answers[through].residuals.mean()) < 1e-6
worst = np.sort(np.abs(answers[ChebyshevFit].residuals))
assert np.allclose(worst[-3:], worst[-1], rtol=1e-4)
assert worst[-4] < 0.999 * worst[-1]

# %%
# Both fits of absolute deviations stay near the true line, least squares is drawn down, and Chebyshev's line follows
# the outlier most; so it is with 59 of the 60 seeds from 0 to 59. Which of the first two is nearer is chance; in
# Laplace's fit the outlier moves the height :math:`b`.

# sphinx_gallery_alt = "Points along a rising line, the last one far below: the lines of absolute deviations follow the"
# sphinx_gallery_alt = "points, that of least squares is flatter, and that of Chebyshev is level."
figure, axes = plt.subplots(figsize=(7.0, 4.8), layout="constrained")
ends = np.array([0.0, 10.3])
looks = ((VERMILLION, "dashdot"), (BLUE, "solid"), (GREEN, "dashed"), (PURPLE, (0, (1, 1))))
for name, solution, (colour, dashes) in zip(names.values(), answers.values(), looks, strict=True):
    label = f"{name}: {solution.function.weights[0]:.2f}"
    axes.plot(ends, solution.decision_function(ends[:, None]), color=colour, linestyle=dashes, label=label)
axes.plot(ends, 1 + ends / 2, color=INK, linestyle="dotted", label="true line: 0.50")
draw_samples(axes, x, y, INK, "o", "point")
ring(axes, x[-1:], y[-1:], "outlier")
axes.set(xlabel="$x$", ylabel="$y$", title="slopes of four lines")
explain([axes], own=True)
