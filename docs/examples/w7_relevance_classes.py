# SPDX-License-Identifier: BSD-3-Clause
r"""W7. The relevance vector machine for two classes.

How close does it come to the best possible error? 50 samples of each class are drawn, from N(mu, I) for y = +1 and from
N(-mu, I) for y = -1, mu = (1, 1/2). With P(y | x) = 1 / (1 + exp(-y g(x))), g = [1, k(x_1, x), ..., k(x_m, x)] w,
k(x, z) = exp(-theta/2 ||x - z||^2), theta = 1/2, and a prior w_i ~ N(0, 1/alpha_i) for each weight, choose the alpha
where the evidence, by Laplace's approximation, is largest (G2).

The truth is known here: by Bayes' rule P(y = +1 | x) = 1 / (1 + exp(-2 <mu, x>)), so the best boundary is the line
<mu, x> = 0. A sample lies on its wrong side with probability F(-||mu||), F the normal distribution function, because
<mu, x> / ||mu|| is N(+-||mu||, 1). No classifier has a smaller error than this Bayes error, 0.132.

The probabilities are another matter: far from all relevance vectors every k(x_j, x) vanishes, and without a bias, which
is pruned here, P returns to 1/2. The true one goes on to 0 or 1.
"""

from pathlib import Path

import numpy as np
from figures import picture, run
from numpy.typing import NDArray
from scipy.stats import norm

from formulations.displays import DecisionRegionDisplay
from formulations.displays.style import GREEN, explain
from formulations.relevance import RelevanceClassification
from qpkernels import RBF

MU = np.array([1.0, 0.5])
TESTS = 20_000


def draw(samples: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return samples of both classes, as many of each."""
    y = np.repeat([1.0, -1.0], samples // 2)
    return rng.normal(size=(samples, 2)) + y[:, None] * MU, y


def main(folder: Path) -> None:
    """Fit 100 samples, count the errors on 20000 new ones, and draw the probabilities."""
    rng = np.random.default_rng(1)
    X, y = draw(100, rng)
    machine = RelevanceClassification(X, y, RBF.from_theta(0.5))
    solution = machine.solve()

    X_new, y_new = draw(TESTS, rng)
    error = float(np.mean(solution.predict(X_new) != y_new))
    bayes = float(norm.cdf(-np.linalg.norm(MU)))
    spread = np.sqrt(bayes * (1 - bayes) / TESTS)
    truth = 1 / (1 + np.exp(-2 * X_new @ MU))
    away = float(np.abs(solution.probability(X_new) - truth).mean())
    print(f"{solution.n_relevance} relevance vectors of 100, ln evidence {solution.log_evidence:.4f}")
    print(f"test error {error:.3f} (+- {spread:.3f}), Bayes error {bayes:.3f}")
    print(f"probabilities are {away:.3f} from the true ones on average")
    assert solution.converged
    assert solution.n_relevance == 3
    assert solution.bias_alpha == np.inf
    assert np.diff(solution.log_evidences).min() >= -1e-9 * np.abs(solution.log_evidences).max()
    assert abs(bayes - 0.1318) < 5e-5
    assert bayes - 3 * spread < error < bayes + 0.01
    assert away < 0.1

    with picture(folder / "w7_relevance_classes.png", width=6.4, height=5.6) as (axes,):
        display = DecisionRegionDisplay.from_solution(
            solution, machine, response_method="predict_proba", extent=(-4.0, 4.0, -3.6, 3.6)
        )
        display.plot(axes, legend=False).ax_.set_aspect("equal")
        axes.plot([-1.8, 1.8], [3.6, -3.6], color=GREEN, linestyle="dashdot", label="Bayes boundary", zorder=2.5)
        axes.set_title(
            f"test error {error:.3f}, Bayes error {bayes:.3f}, {solution.n_relevance} relevance vectors of 100"
        )
        explain([axes], own=True)


if __name__ == "__main__":
    run(main)
