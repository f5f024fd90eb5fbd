# SPDX-License-Identifier: BSD-3-Clause
r"""W6. The relevance vector machine for regression.

How few of 20 samples are enough, and how sure is the fit? Given y = sin(pi x) + noise of standard deviation 0.2 at 20
places in [-1, 1], take y = Phi w + noise with Phi = [1, K] and k(x, z) = exp(-theta/2 (x - z)^2), theta = 15. Each
weight has its own prior, w_i ~ N(0, 1/alpha_i), and all alpha and the variance 1/beta of the noise are chosen where
the evidence of the data is largest (G1):

    max  ln N(y; 0, I/beta + Phi A^-1 Phi')    over  A = diag(alpha) and beta

Most alpha_i become infinite there, and their weights 0; the samples of the others are the relevance vectors. At every x
the prediction is a Gaussian of mean phi(x)'mean and variance 1/beta + phi(x)'Sigma phi(x).

Is it sparser than the tube of W5? There epsilon = 0.3 was 1.2 standard deviations of the noise. The same is 0.24 here,
and the relevance vectors are fewer than half of the support vectors. That is a number of this sample and no theorem: of
40 samples drawn so, seeds 0 to 39, the relevance vectors are fewer on 37, and fewer than half on 21. Nor is the problem
convex: what is proved of the answer is that the slopes of the evidence vanish there. A second way to it, by convex
problems (G3), ends at the same evidence.
"""

from pathlib import Path

import numpy as np
from figures import picture, run

from formulations import SoftTube
from formulations.displays import RelevanceDisplay
from formulations.displays.style import BLUE, INK, VERMILLION, explain
from formulations.relevance import RelevanceRegression, ReweightedRelevance
from qpkernels import RBF

KERNEL = RBF.from_theta(15)


def main(folder: Path) -> None:
    """Raise the evidence in two ways, compare with the tube, and draw the band."""
    x = np.linspace(-1, 1, 20)
    X, y = x[:, None], np.sin(np.pi * x) + 0.2 * np.random.default_rng(3).normal(size=20)

    machine = RelevanceRegression(X, y, KERNEL)
    solution = machine.solve()
    reweighted = ReweightedRelevance(X, y, KERNEL).solve()
    tube = SoftTube(X, y, KERNEL, C=1.0, epsilon=0.24).solve()
    print(f"{solution.n_relevance} relevance vectors, {tube.n_support} support vectors of the tube")
    print(f"noise: standard deviation {np.sqrt(solution.noise):.3f} found, 0.2 true")
    for way in (solution, reweighted):
        print(
            f"{way.formulation}: {way.iterations} iterations, "
            f"ln evidence {way.log_evidences[0]:.3f} -> {way.log_evidence:.4f}"
        )
        assert way.converged
        assert way.stationarity.holds(1e-6)
        # It never falls, but for the rounding of each value.
        assert np.diff(way.log_evidences).min() >= -1e-9 * np.abs(way.log_evidences).max()
    assert tube.status == "optimal"
    assert (solution.n_relevance, tube.n_support) == (3, 8)
    assert 2 * solution.n_relevance < tube.n_support
    assert abs(solution.log_evidence - reweighted.log_evidence) < 1e-4

    with picture(folder / "w6_relevance_regression.png", 2, width=6.0, height=4.4) as (left, right):
        display = RelevanceDisplay.from_solution(solution, machine, extent=(-1.05, 1.05)).plot(left, legend=False)
        t = display.grid
        left.plot(t, np.sin(np.pi * t), color=INK, linestyle="dotted", label=r"$\sin \pi x$", zorder=1.8)
        left.set_title(f"{solution.n_relevance} relevance vectors (tube of W5: {tube.n_support} support vectors)")

        for way, colour, style, name in (
            (solution, BLUE, "solid", "fixed-point update (G1)"),
            (reweighted, VERMILLION, "dashed", "convex problems (G3)"),
        ):
            right.plot(way.log_evidences, color=colour, linestyle=style, label=name)
        right.set(xlabel="iteration", ylabel=r"$\ln$ evidence")
        right.set_title(rf"the evidence never falls; it ends at $\ln p = {solution.log_evidence:.3f}$")
        right.legend()
        explain([left], own=True, columns=5)


if __name__ == "__main__":
    run(main)
