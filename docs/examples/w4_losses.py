# SPDX-License-Identifier: BSD-3-Clause
r"""W4. The losses of classification and of regression, each in one chart.

What does a mistake cost? A classifier g = f + b errs at (x, y) where the margin z = y g(x) is not above 0. The count of
errors, the 0/1 loss, is hard to minimise; each of these is convex and nowhere below it, so that a small sum of them
proves few errors:

    hinge        max(0, 1 - z)              of the soft margin (C2): 0 from z = 1 on, hence few support vectors
    logistic     log(1 + exp(-z)) / log 2   of logistic regression (C4): never 0, hence a weight on every sample
    squared      (1 - z)^2 = (y - g(x))^2   of least squares (E1): it penalises z > 1 too, samples that are right by far

Which of them touch the 0/1 loss at z = 0, where it jumps? All three are 1 there.

In regression, r = y - g(x) is the residual, and the same choice returns:

    epsilon-insensitive   max(0, |r| - epsilon)   of the tube (D2): free within epsilon, and then a slope of 1 at most
    squared               r^2 / 2                 of least squares (E1): its slope r grows with the residual, and one
                                                  outlier can weigh as much as all other samples together
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from figures import picture, run

import formulations.cvx as cp
from formulations.displays import LossDisplay
from formulations.losses import EpsilonInsensitive, Hinge, LogisticLoss, MarginLoss, Squared, ZeroOne
from formulations.losses.base import QuadraticConjugate, Values

EPSILON = 0.5


@dataclass(frozen=True)
class SquaredMargin(MarginLoss):
    """(1 - z)^2; its conjugate is s + s^2 / 4. A loss of one's own is a class like this one."""

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


def main(folder: Path) -> None:
    """Evaluate the losses, check the bounds, and draw them beside their conjugates."""
    of_margins = {"0/1": ZeroOne(), "hinge": Hinge(), "logistic / ln 2": LogisticLoss(), "squared": SquaredMargin()}
    costs = np.array([1.0, 1.0, 1.0 / np.log(2.0), 1.0])
    tube, squared = EpsilonInsensitive(EPSILON), Squared()
    of_residuals = {r"$\epsilon$-insensitive, $\epsilon = 0.5$": tube, "squared, $r^2 / 2$": squared}
    margins = LossDisplay.from_losses(of_margins, costs=costs, extent=(-2.0, 3.0))
    residuals = LossDisplay.from_losses(of_residuals, extent=(-2.5, 2.5))

    z, errors = margins.t, ZeroOne().value(margins.t)
    for (name, loss), C in list(zip(of_margins.items(), costs, strict=True))[1:]:
        assert np.all(C * loss.value(z) >= errors - 1e-12), f"{name} is below the 0/1 loss"
        assert np.isclose(C * loss.value(0.0), 1.0, rtol=1e-15), f"{name} does not touch the 0/1 loss at z = 0"
        print(f"{name:15} at z = -1, 0, 1, 3: {np.round(C * loss.value([-1.0, 0.0, 1.0, 3.0]), 4).tolist()}")
    assert Hinge().value(3.0) == 0.0
    assert SquaredMargin().value(3.0) == 4.0
    r = residuals.t
    outside = np.abs(r) > EPSILON
    assert np.all(tube.value(r[~outside]) == 0.0)
    assert np.all(np.abs(tube.slope(r)) == outside)
    assert np.allclose(squared.slope(r), r)
    print(f"slope at r = 0.4, 2: epsilon-insensitive {tube.slope([0.4, 2.0])}, squared {squared.slope([0.4, 2.0])}")

    with picture(folder / "w4_losses.png", 2, 2, width=4.6, height=3.7) as axes:
        margins.plot(axes[:2], legend=False)
        residuals.plot(axes[2:], legend=False)
        axes[0].set(ylim=(-0.1, 4.1), title="three convex bounds of 0/1, all 1 at $z = 0$")
        axes[1].set(xlim=(-4.2, 1.2), ylim=(-1.7, 0.9), title="hinge: slopes from -1 to 0, multipliers to C")
        axes[2].set(ylim=(-0.1, 3.3), title="slope at $r = 2$: 1 in the tube's loss, 2 in the squared")
        axes[3].set(xlim=(-2.6, 2.6), ylim=(-0.1, 3.3), title="slopes from -1 to 1: an outlier weighs no more")
        for ax in axes[:4:2]:
            ax.legend()


if __name__ == "__main__":
    run(main)
