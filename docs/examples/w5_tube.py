# SPDX-License-Identifier: BSD-3-Clause
r"""W5. Regression in a tube.

Which of 20 noisy samples of a sine are support vectors? Given y_i = sin(pi x_i) + noise of standard deviation 0.25 at
20 places in [-1, 1], epsilon = 0.3, C = 1 and k(x, z) = exp(-theta/2 (x - z)^2), theta = 15, solve (D2), with the
residuals r_i = y_i - f(x_i) - b:

    min  1/2 ||f||^2 + C sum (xi+_i + xi-_i)   s.t.  r_i <= epsilon + xi+_i,   -r_i <= epsilon + xi-_i,   xi+-_i >= 0

by its dual in beta = a+ - a-, where f = sum_j beta_j k(x_j, .), sum beta_j = 0 and |beta_j| <= C. The conditions of
Karush, Kuhn and Tucker tell from beta_i where a sample is:

    beta_i = 0          inside the tube, |r_i| <= epsilon: without this sample the fit would be the same
    0 < |beta_i| < C    on the edge, |r_i| = epsilon: each of these gives b = y_i - f(x_i) - sign(beta_i) epsilon
    |beta_i| = C        outside, |r_i| >= epsilon: its influence stays C, however far it is
"""

from pathlib import Path

import numpy as np
from figures import picture, run

from formulations import SoftTube
from formulations.displays import TubeDisplay
from formulations.displays.style import INK, explain
from qpkernels import RBF

EPSILON, C = 0.3, 1.0


def main(folder: Path) -> None:
    """Fit the tube, check where every sample is, and draw it."""
    x = np.linspace(-1, 1, 20)
    y = np.sin(np.pi * x) + 0.25 * np.random.default_rng(4).normal(size=20)

    model = SoftTube(x[:, None], y, RBF.from_theta(15), C=C, epsilon=EPSILON)
    solution = model.solve(tol=1e-9)
    tube, size = solution.tube, np.abs(solution.residuals)
    outside = solution.support.bounded
    print(f"{solution.n_support} support vectors of 20: {tube.edge.size} on the edge, {outside.size} outside")
    print(solution.explain(outside[0]))
    assert solution.status == "optimal"
    assert (tube.inside.size, tube.edge.size, tube.above.size + tube.below.size) == (12, 4, 4)
    assert np.all(size[tube.inside] < EPSILON)
    assert np.allclose(size[tube.edge], EPSILON, atol=1e-6)
    assert np.all(size[outside] > EPSILON)
    assert np.allclose(np.abs(solution.beta[outside]), C)
    assert abs(solution.beta.sum()) < 1e-9
    without_b = solution.decision[tube.edge] - solution.intercept
    edges = y[tube.edge] - without_b - EPSILON * np.sign(solution.beta[tube.edge])
    assert np.allclose(edges, solution.intercept, atol=1e-6)

    with picture(folder / "w5_tube.png", width=7.0, height=4.8) as (axes,):
        display = TubeDisplay.from_solution(solution, model, extent=(-1.05, 1.05)).plot(axes, legend=False)
        t = display.grid
        axes.plot(t, np.sin(np.pi * t), color=INK, linestyle="dotted", label=r"$\sin \pi x$", zorder=1.8)
        axes.set_title(
            rf"$\epsilon = 0.3$, $C = 1$, $\theta = 15$: {solution.n_support} support vectors of 20, "
            f"{tube.edge.size} on the edge and {outside.size} outside"
        )
        explain([axes], own=True, columns=4)


if __name__ == "__main__":
    run(main)
