# SPDX-License-Identifier: BSD-3-Clause
r"""W3. The cost C and the width theta.

How many support vectors are there, and how curved is the boundary? 50 samples, uniform in [-1, 1]^2, have y = -1 where
both coordinates are negative and +1 elsewhere. With k(x, z) = exp(-theta/2 ||x - z||^2), for C in {0.5, 1, 10} and
theta in {1, 5, 10}, solve (C2)

    p(C) = min  1/2 ||f||^2 + C sum xi_i   s.t.  y_i (f(x_i) + b) >= 1 - xi_i,   xi_i >= 0

Raising theta narrows the kernel: f is more flexible. Raising C raises the cost of slack: the strip narrows. Neither is
bound to move the number of support vectors one way. But on every data set, with (f, xi) optimal at C and (f', xi') at
C' > C,

    p(C) <= p(C'),   sum xi_i >= sum xi'_i,   ||f|| <= ||f'||.

The first, since the objective at C is nowhere above the one at C'. For the second, add that (f, xi) is best at C and
(f', xi') at C': what is left is (C' - C) (sum xi'_i - sum xi_i) <= 0. The third: at C, (f', xi') has no more slack and
yet is no better, so its norm is no smaller.
"""

from pathlib import Path

import numpy as np
from figures import picture, run
from matplotlib import rc_context

from formulations import SoftMargin
from formulations.displays import DecisionRegionDisplay
from formulations.displays.style import explain
from qpkernels import RBF

TICKS, EXTENT = (-1.0, 0.0, 1.0), (-1.05, 1.05, -1.05, 1.05)
COSTS, THETAS = (0.5, 1.0, 10.0), (1.0, 5.0, 10.0)
SUPPORT = {1.0: (20, 18, 8), 5.0: (23, 17, 10), 10.0: (28, 26, 17)}


def main(folder: Path) -> None:
    """Sweep C for each theta, check the certificates and the three inequalities, and draw the grid."""
    X = np.random.default_rng(3).uniform(-1, 1, (50, 2))
    y = np.where((X < 0).all(axis=1), -1.0, 1.0)

    with picture(folder / "w3_cost_and_width.png", 3, 3, width=2.9, height=2.95) as panels:
        grid = panels.reshape(3, 3)
        for row, theta in zip(grid, THETAS, strict=True):
            model = SoftMargin(X, y, RBF.from_theta(theta))
            values, slacks, norms, counts = [], [], [], []
            for axes, C in zip(row, COSTS, strict=True):
                solution = model.set_params(C=C).solve()  # the kernel matrix is computed once for each theta
                assert solution.status == "optimal"
                assert solution.certificate.holds(1e-6)
                values.append(solution.certificate.primal_value)
                slacks.append(solution.slacks.sum())
                norms.append(1 / solution.margin)
                counts.append(solution.n_support)

                with rc_context({"lines.markersize": 4.0}):
                    DecisionRegionDisplay.from_solution(solution, model, extent=EXTENT).plot(axes, legend=False)
                axes.set_title(f"$C = {C:g}$, $\\theta = {theta:g}$: {solution.n_support} support vectors", fontsize=10)
                axes.set(xticks=TICKS, yticks=TICKS, aspect="equal")
                axes.label_outer()
            assert np.all(np.diff(values) >= 0)
            assert np.all(np.diff(slacks) <= 1e-6)
            assert np.all(np.diff(norms) >= -1e-6)
            assert tuple(counts) == SUPPORT[theta]
            print(f"theta = {theta:4g}: support vectors {counts}, optimal values {np.round(values, 3).tolist()}")
        explain(panels, own=True, columns=5)


if __name__ == "__main__":
    run(main)
