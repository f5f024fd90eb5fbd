# SPDX-License-Identifier: BSD-3-Clause
r"""A soft tube beside least squares
===================================

How does the loss treat one outlier? A survey of learning with kernels draws two curves through the points of its
picture of three lines, both with :math:`k(x, z) = e^{-(x - z)^2/c^2}`, :math:`c = 8`: a soft tube with
:math:`C = 0.5` and :math:`\epsilon = 0.2`, and least squares with :math:`C = 40`,

.. math::

   \text{tube}\qquad & \min_{f, b}\ \tfrac12 \|f\|^2 + C \sum_i \max(0, |r_i| - \epsilon)
   && \text{the slope of the loss is at most } C

   \text{squares}\qquad & \min_{f, b}\ \tfrac12 \|f\|^2 + \tfrac C2 \sum_i r_i^2
   && \text{the slope is } C\,|r_i|

with the residuals :math:`r_i = y_i - f(x_i) - b`. The survey does not print its points. The points here are those of
:ref:`one outlier, four lines <sphx_glr_gallery_textbook_w8_outlier.py>`: 21 near a line, the last one moved down by 5.

In both machines the coefficient of a sample is the slope of the loss at its residual: :math:`|\beta_i| \le C` in the
tube, and :math:`\beta_i = C r_i` with squares. In the tube the outlier therefore has no more influence than any other
sample outside, and samples inside have none.
"""

import matplotlib.pyplot as plt
import numpy as np

from formulations import LeastSquares, SoftTube
from formulations.plots import TubeDisplay
from formulations.plots.style import BLUE, INK, STYLE, draw_samples, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

x = np.linspace(0, 10, 21)
y = 1 + x / 2 + 0.3 * np.random.default_rng(0).normal(size=21)
y[-1] -= 5
X, kernel = x[:, None], RBF.from_c(8)

# %%
# Both answers are proved optimal. In the tube ``18 of 21`` coefficients are not 0 and ``16 at the bound``; with squares
# it is ``21 of 21``. The outlier stays ``3.61`` below the curve of the tube, and draws that of squares to ``2.97``.
tube = SoftTube(X, y, kernel, C=0.5, epsilon=0.2)
squares = LeastSquares(X, y, kernel, C=40.0)
robust, fitted = tube.solve(tol=1e-9), squares.solve(tol=1e-9)
used = int(np.count_nonzero(np.abs(fitted.beta) > 1e-9))
for name, solution in (("tube", robust), ("squares", fitted)):
    assert solution.status == "optimal"
    print(f"{name}: optimal value {solution.certificate.primal_value:.4f}, outlier {-solution.residuals[-1]:.2f} below")
print(f"{robust.n_support} of 21 in the tube, {robust.support.bounded.size} at the bound; {used} of 21 by squares")
assert (robust.n_support, robust.support.bounded.size, used) == (18, 16, 21)
assert np.allclose(np.abs(robust.beta[robust.support.bounded]), 0.5)
assert np.allclose(fitted.beta, 40.0 * fitted.residuals, atol=1e-6)
assert robust.residuals[-1] < fitted.residuals[-1] < 0

# sphinx_gallery_alt = "Two panels with the same points along a rising line, the last one far below. Left, a tinted"
# sphinx_gallery_alt = "tube around a curve that bends towards it a little; right, the curve of least squares bends"
# sphinx_gallery_alt = "further."
# sphinx_gallery_lab = "tube"
# sphinx_gallery_lab = "squares"
figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.8), sharey=True, layout="constrained")
display = TubeDisplay.from_solution(robust, tube).plot(left, legend=False)
left.set_title(rf"tube, $c = 8$, $C = 0.5$, $\epsilon = 0.2$: {robust.n_support} support vectors of 21")
t = display.grid
right.plot(t, fitted.decision_function(t[:, None]), color=BLUE, label="least squares")
draw_samples(right, x, y, INK, "o", "sample")
right.set(xlabel="$x$", title=f"least squares, $c = 8$, $C = 40$: {used} coefficients of 21")
for axes in (left, right):
    axes.plot(t, 1 + t / 2, color=INK, linestyle="dotted", label="true line", zorder=1.8)
explain([left, right], own=True, columns=8)
