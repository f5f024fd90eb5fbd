# SPDX-License-Identifier: BSD-3-Clause
r"""W2. Hard or soft margin, with a Gaussian kernel.

What does the kernel make of two classes that no line separates, and when is a margin to be soft? 50 samples, uniform in
[-1, 1]^2, are labelled in two ways: y = -1 where both coordinates are negative and +1 elsewhere (the corner), and
y = sign(x_1 x_2) (exclusive or). With k(x, z) = exp(-theta/2 ||x - z||^2), theta = 1, solve

    hard (C1):   min  1/2 ||f||^2                   s.t.  y_i (f(x_i) + b) >= 1
    soft (C2):   min  1/2 ||f||^2 + C sum xi_i      s.t.  y_i (f(x_i) + b) >= 1 - xi_i,   xi_i >= 0,   here C = 1

Why is there a hard margin at all? The Gaussian kernel matrix of different samples is positive definite, so that f can
take any values at them: every labelling is separable. No sample may then lie between the dashed lines g = -1 and g = +1
of g = f + b, and the few on these lines are the support vectors.

Why take a soft one? A single sample can force a large ||f||, and so a thin margin 1/||f||. At the cost C for each unit
of slack, samples may lie inside the strip or on the wrong side; all of these are support vectors too, with a_i = C.
"""

from pathlib import Path

import numpy as np
from figures import picture, run

from formulations import HardMargin, SoftMargin
from formulations.displays import DecisionRegionDisplay
from formulations.displays.style import explain
from qpkernels import RBF

TICKS = (-1.0, -0.5, 0.0, 0.5, 1.0)
SUPPORT = {("corner", "hard"): 3, ("corner", "soft"): 18, ("exclusive or", "hard"): 7, ("exclusive or", "soft"): 40}


def main(folder: Path) -> None:
    """Solve both machines on both labellings, and draw them."""
    X = np.random.default_rng(3).uniform(-1, 1, (50, 2))
    labels = {"corner": np.where((X < 0).all(axis=1), -1.0, 1.0), "exclusive or": np.sign(X[:, 0] * X[:, 1])}
    kernel = RBF.from_theta(1)

    with picture(folder / "w2_gaussian_margins.png", 2, 2) as panels:
        for axes, (name, kind) in zip(panels, SUPPORT, strict=True):
            y = labels[name]
            model = HardMargin(X, y, kernel) if kind == "hard" else SoftMargin(X, y, kernel, C=1.0)
            solution = model.solve()
            inside = np.flatnonzero(solution.margins < 1 - 1e-5)
            print(
                f"{name:12} {kind}: {solution.n_support:2} support vectors, {inside.size:2} inside the strip, "
                f"margin {solution.margin:.4f}, {solution.status}"
            )
            assert solution.status == "optimal"
            assert solution.n_support == SUPPORT[name, kind]
            # Free support vectors lie on the dashed lines, those at the bound C inside the strip.
            assert np.allclose(solution.margins[solution.support.free], 1, atol=1e-4)
            assert np.array_equal(inside, solution.support.bounded)
            assert np.allclose(solution.alpha[solution.support.bounded], 1.0)
            assert kind == "soft" or inside.size == 0

            extent = (-1.05, 1.05, -1.05, 1.05)
            DecisionRegionDisplay.from_solution(solution, model, extent=extent).plot(axes, legend=False)
            axes.set(xticks=TICKS, yticks=TICKS, aspect="equal")
            cost = "" if kind == "hard" else ", $C = 1$"
            axes.set_title(f"{name}, {kind} margin{cost}: {solution.n_support} support vectors")
        explain(panels, own=True, columns=5)


if __name__ == "__main__":
    run(main)
