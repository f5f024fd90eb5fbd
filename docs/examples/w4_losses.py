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

from pathlib import Path

import numpy as np
from figures import BLUE, GREEN, INK, ORANGE, PURPLE, picture, run

from formulations.losses import EpsilonInsensitive, Hinge, LogisticLoss, Squared, ZeroOne

EPSILON = 0.5


def main(folder: Path) -> None:
    """Evaluate the losses, check the bounds, and draw both charts."""
    z = np.linspace(-2, 3, 1001)
    errors = ZeroOne().value(z)
    convex = {
        "hinge": (Hinge().value, BLUE, "solid"),
        "logistic / ln 2": (lambda z: LogisticLoss().value(z) / np.log(2), GREEN, "dashed"),
        "squared": (lambda z: 2 * Squared().value(1 - np.asarray(z)), ORANGE, "dashdot"),
    }
    r = np.linspace(-2.5, 2.5, 1001)
    tube, squared = EpsilonInsensitive(EPSILON), Squared()

    with picture(folder / "w4_losses.png", 2, width=5.2, height=4.0) as (left, right):
        # The 0/1 loss jumps: no line between its two values.
        left.plot(z, np.where(np.abs(z) < 1e-9, np.nan, errors), color=INK, linewidth=4, label="0/1")
        for name, (value, colour, style) in convex.items():
            assert np.all(value(z) >= errors - 1e-12), f"{name} is below the 0/1 loss"
            assert np.isclose(value(0.0), 1.0, rtol=1e-15), f"{name} does not touch the 0/1 loss at z = 0"
            print(f"{name:15} at z = -1, 0, 1, 3: {np.round(value([-1.0, 0.0, 1.0, 3.0]), 4).tolist()}")
            left.plot(z, value(z), color=colour, linestyle=style, label=name)
        assert Hinge().value(3.0) == 0.0
        assert convex["squared"][0](3.0) == 4.0
        left.plot(0, 1, "o", color=INK, markersize=5)
        left.set(ylim=(-0.1, 4.1), xlabel=r"margin $z = y\,g(x)$", ylabel="loss")
        left.set_title("three convex bounds of 0/1, all 1 at $z = 0$")
        left.legend()

        outside = np.abs(r) > EPSILON
        assert np.all(tube.value(r[~outside]) == 0.0)
        assert np.all(np.abs(tube.slope(r)) == outside)
        assert np.allclose(squared.slope(r), r)
        print(f"slope at r = 0.4, 2: epsilon-insensitive {tube.slope([0.4, 2.0])}, squared {squared.slope([0.4, 2.0])}")
        right.plot(r, tube.value(r), color=PURPLE, label=r"$\epsilon$-insensitive, $\epsilon = 0.5$")
        right.plot(r, squared.value(r), color=ORANGE, linestyle="dashdot", label=r"squared, $r^2 / 2$")
        right.axvspan(
            -EPSILON, EPSILON, 0, 0.5, color=PURPLE, alpha=0.3, linewidth=0, label=r"$|r| \leq \epsilon$: free"
        )
        right.set(ylim=(-0.1, 4.1), xlabel=r"residual $r = y - g(x)$ [unit of $y$]", ylabel="loss")
        right.set_title(r"slope at $r = 2$: 1 in the tube's loss, 2 in the squared")
        right.legend(loc="upper center")


if __name__ == "__main__":
    run(main)
