# SPDX-License-Identifier: BSD-3-Clause
r"""W1. The hard margin by hand.

Which line separates three points with the widest strip? Given x_1 = (0, 2), x_2 = (2, 0), x_3 = (-1, -1) with labels
y = +1, +1, -1, solve (C1)

    min  1/2 ||w||^2   s.t.  y_i (<w, x_i> + b) >= 1.

By hand. Swapping the coordinates swaps x_1 and x_2 and leaves the problem as it is, and the answer is unique, so
w = (c, c). If all three constraints are active, 2c + b = 1 and 2c - b = 1, hence c = 1/2 and b = 0.

That they are active, and the point optimal, is what the multipliers prove (Karush, Kuhn, Tucker): with a >= 0,

    w = sum a_i y_i x_i:   2 a_2 + a_3 = 1/2,   2 a_1 + a_3 = 1/2          sum a_i y_i = 0:   a_1 + a_2 = a_3

which a = (1/8, 1/8, 1/4) solves. All a_i are above 0: three support vectors. The primal is 1/2 ||w||^2 = 1/4, the dual
sum a_i - 1/2 ||w||^2 = 1/2 - 1/4 = 1/4, the same; and the margin is 1/||w|| = (sum a_i)^(-1/2) = sqrt(2).
"""

from pathlib import Path

import numpy as np
from figures import picture, run

from formulations import HardMargin
from formulations.displays import DecisionRegionDisplay
from formulations.displays.style import INK, explain

X = np.array([[0.0, 2.0], [2.0, 0.0], [-1.0, -1.0]])
y = np.array([1.0, 1.0, -1.0])


def main(folder: Path) -> None:
    """Solve the three forms, each as it is declared, and draw the strip."""
    model = HardMargin(X, y)
    values = []
    for form in (model.primal, model.geometric, model.dual):
        # Left to itself, solve() would take smo for each: all three are one KernelQP. Clarabel takes each as declared.
        solution = form.solve("clarabel", tol=1e-7)
        w = solution.function.weights
        print(f"{form.catalogue:13} w = ({w[0]:.4f}, {w[1]:.4f}), margin {solution.margin:.4f}, {solution.status}")
        assert solution.status == "optimal"
        assert np.allclose(w, [1 / 2, 1 / 2], atol=1e-6)
        assert abs(solution.intercept) < 1e-6
        assert np.allclose(solution.alpha, [1 / 8, 1 / 8, 1 / 4], atol=1e-6)
        assert solution.n_support == 3
        assert abs(solution.margin - np.sqrt(2)) < 1e-6
        values.append(solution.objective)

    # What each form calls its value: 1/2 ||w||^2, the margin itself, and minus the value of the primal.
    assert np.allclose(values, [1 / 4, np.sqrt(2), -1 / 4])
    print("values: primal {:.4f}, margin {:.4f}, dual {:.4f}".format(*values))
    # The answer belongs to the model: whoever found it, every form shows it in its variables.
    assert np.isclose(model.geometric.problem.value, np.sqrt(2))
    assert np.allclose(model.dual.alpha.value, [1 / 8, 1 / 8, 1 / 4], atol=1e-6)
    print(solution.explain(2))

    with picture(folder / "w1_hard_margin.png", height=4.8) as (axes,):
        extent = (-2.4, 2.9, -2.4, 2.9)
        DecisionRegionDisplay.from_solution(solution, model, extent=extent).plot(axes, legend=False)
        arrow = {"arrowstyle": "<->", "color": INK, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (1.5, 0.5), (0.5, -0.5), arrowprops=arrow)
        axes.text(1.1, -0.3, r"$1/\|w\|$", ha="left", va="center")
        for point, multiplier, offset in zip(X, ("1/8", "1/8", "1/4"), ((10, 4), (10, 4), (-48, -16)), strict=True):
            axes.annotate(f"$\\alpha = {multiplier}$", point, offset, textcoords="offset points")
        for level, place in (("+1", (-0.3, 2.5)), ("0", (-1.8, 2.0)), ("-1", (-2.2, 0.4))):
            axes.text(*place, f"$g = {level}$")
        axes.set_aspect("equal")
        explain([axes], own=True)
        axes.set_title(r"$w = (1/2, 1/2)$, $b = 0$, margin $1/\|w\| = \sqrt{2}$")


if __name__ == "__main__":
    run(main)
