# SPDX-License-Identifier: BSD-3-Clause
r"""The losses of classification and of regression
==============================================

What does a mistake cost? A classifier :math:`g = f + b` errs at :math:`(x, y)` where the margin :math:`z = y\,g(x)` is
not above 0. The count of errors, the 0/1 loss, is hard to minimise; each of these is convex and nowhere below it, so
that a small sum of them proves few errors:

* hinge, :math:`\max(0, 1 - z)`, of the soft margin: 0 from :math:`z = 1` on, hence few support vectors;
* logistic, :math:`\ln(1 + e^{-z}) / \ln 2`, of logistic regression: never 0, hence a weight on each sample;
* squared, :math:`(1 - z)^2 = (y - g(x))^2`, of least squares: it penalises :math:`z > 1` too, samples far on the
  right side.

Which of them touch the 0/1 loss at :math:`z = 0`, where it jumps? All three are 1 there.

In regression, :math:`r = y - g(x)` is the residual, and the same choice returns:

* :math:`\epsilon`-insensitive, :math:`\max(0, |r| - \epsilon)`, of the tube: free within :math:`\epsilon`, and
  then a slope of 1 at most;
* squared, :math:`r^2 / 2`, of least squares: its slope :math:`r` grows with the residual,

so that with the second loss one outlier can weigh as much as all other samples together.

The dual problem is made of the conjugate :math:`\phi^*(s) = \sup_t\, s t - \phi(t)` of each loss. It is finite at the
slopes that the loss has, and multipliers are minus slopes: they lie between 0 and :math:`C` for the hinge, between
:math:`-C` and :math:`C` for the tube, and anywhere for the square.
"""

from dataclasses import dataclass
from typing import ClassVar

import matplotlib.pyplot as plt
import numpy as np

import formulations.modelling.cvx as cp
from formulations.losses import EpsilonInsensitive, Hinge, LogisticLoss, MarginLoss, Squared, ZeroOne
from formulations.losses.loss import QuadraticConjugate, Values
from formulations.plots import LossDisplay
from formulations.plots.style import STYLE

plt.rcParams.update(STYLE)

# %%
# The squared margin is written here as an example: a loss of your own is a class like this one.


@dataclass(frozen=True)
class SquaredMargin(MarginLoss):
    """(1 - z)^2; its conjugate is s + s^2 / 4."""

    name: ClassVar[str] = "squared"

    @property
    def domain(self) -> tuple[float, float]:
        """All numbers."""
        return -np.inf, np.inf

    @property
    def quadratic_conjugate(self) -> QuadraticConjugate:
        """The conjugate."""
        return QuadraticConjugate(ridge=0.5, linear=1.0)

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return (1 - z)^2."""
        return cp.square(1 - expression)

    def _value(self, t: Values) -> Values:
        return (1.0 - t) ** 2

    def _slope(self, t: Values) -> Values:
        return 2.0 * (t - 1.0)


# %%
# Each loss is nowhere below the 0/1 loss, and all are 1 at :math:`z = 0`. At :math:`z = -1, 0, 1, 3` the hinge is
# ``[2.0, 1.0, 0.0, 0.0]`` and the square ``[4.0, 1.0, 0.0, 4.0]``.
of_margins = {"0/1": ZeroOne(), "hinge": Hinge(), "logistic / ln 2": LogisticLoss(), "squared": SquaredMargin()}
costs = np.array([1.0, 1.0, 1.0 / np.log(2.0), 1.0])
margins = LossDisplay.from_losses(of_margins, costs=costs, extent=(-2.0, 3.0))
errors = ZeroOne().value(margins.t)
for (name, loss), C in list(zip(of_margins.items(), costs, strict=True))[1:]:
    assert np.all(C * loss.value(margins.t) >= errors - 1e-12)
    assert np.isclose(C * loss.value(0.0), 1.0, rtol=1e-15)
    print(f"{name:15} at z = -1, 0, 1, 3: {np.round(C * loss.value([-1.0, 0.0, 1.0, 3.0]), 4).tolist()}")

# sphinx_gallery_alt = "Left, losses against the margin: hinge, logistic and squared meet the step of the 0/1 loss at"
# sphinx_gallery_alt = "height 1 and lie above it. Right, their conjugates: of the hinge a segment that ends in two"
# sphinx_gallery_alt = "dots."
display = margins.plot()
display.axes_[0].set(ylim=(-0.1, 4.1), title="three convex bounds of 0/1, all 1 at $z = 0$")
display.axes_[1].set(xlim=(-4.2, 1.2), ylim=(-1.7, 0.9), title="hinge: slopes from -1 to 0, multipliers to C")

# %%
# In regression, take :math:`\epsilon = 0.25`. At :math:`r = 2` the tube's loss has the slope 1, and the square the
# slope 2.
EPSILON = 0.25
tube, squared = EpsilonInsensitive(EPSILON), Squared()
residuals = LossDisplay.from_losses(
    {rf"$\epsilon$-insensitive, $\epsilon = {EPSILON}$": tube, "squared, $r^2 / 2$": squared}, extent=(-2.5, 2.5)
)
r = residuals.t
outside = np.abs(r) > EPSILON
assert np.all(tube.value(r[~outside]) == 0.0)
assert np.all(np.abs(tube.slope(r)) == outside)
assert np.allclose(squared.slope(r), r)
print(f"slope at r = 0.2, 2: epsilon-insensitive {tube.slope([0.2, 2.0])}, squared {squared.slope([0.2, 2.0])}")

# sphinx_gallery_alt = "Left, losses against the residual: the epsilon-insensitive one is flat to 0.25 and then"
# sphinx_gallery_alt = "straight, the squared one a parabola. Right, their conjugates: the first ends in dots at slopes"
# sphinx_gallery_alt = "-1 and 1."
display = residuals.plot()
display.axes_[0].set(ylim=(-0.1, 3.3), title="slope at $r = 2$: 1 in the tube's loss, 2 in the squared")
display.axes_[1].set(xlim=(-2.6, 2.6), ylim=(-0.1, 3.3), title="slopes from -1 to 1: an outlier weighs no more")
