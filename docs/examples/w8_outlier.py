# SPDX-License-Identifier: BSD-3-Clause
r"""W8. One outlier, four lines.

Which of them stay where the other points are? 21 points lie near the line y = 1 + x/2, with noise of standard deviation
0.3; then the last one is moved down by 5. Fit a line w x + b by the residuals r_i = y_i - w x_i - b:

    A1    min  sum r_i^2     least squares (Gauss): w is linear in y, so an outlier moves it in proportion to its size
    A2    min  sum |r_i|     least absolute deviations: of a point off the line only the side matters, not the distance
    A2L   A2 with sum r_i = 0 (Laplace): the line passes through the mean of all points, the outlier included
    A3    min  max |r_i|     Chebyshev: the three worst points alone decide, and the outlier is one of them

How far is each slope from 1/2? A2 and A2L stay near, A1 is drawn down, A3 follows the outlier most: so it is
with 59 of the 60 seeds from 0 to 59. Which of A2 and A2L is nearer is chance; of A2L the outlier moves the height b.
"""

from pathlib import Path

import numpy as np
from figures import picture, run

from formulations import ChebyshevFit, LaplaceFit, LeastAbsoluteFit, LeastSquaresFit
from formulations.displays.style import BLUE, GREEN, INK, PURPLE, VERMILLION, draw_samples, explain, ring

LINES = {
    LeastSquaresFit: ("least squares", VERMILLION, "dashdot"),
    LeastAbsoluteFit: ("absolute", BLUE, "solid"),
    LaplaceFit: ("absolute, zero sum", GREEN, "dashed"),
    ChebyshevFit: ("Chebyshev", PURPLE, (0, (1, 1))),
}


def main(folder: Path) -> None:
    """Fit the four lines, compare their slopes with the true one, and draw them."""
    x = np.linspace(0, 10, 21)
    y = 1 + x / 2 + 0.3 * np.random.default_rng(0).normal(size=21)
    y[-1] -= 5

    away, solutions = {}, {}
    with picture(folder / "w8_outlier.png", width=7.0, height=4.6) as (axes,):
        for fit, (name, colour, style) in LINES.items():
            solution = fit(x[:, None], y).solve()
            slope = float(solution.function.weights[0])
            print(f"{fit.catalogue:4}{name:20} slope {slope:+.4f}, b = {solution.intercept:.4f}, {solution.status}")
            assert solution.status == "optimal"
            assert solution.certificate.holds(1e-6)
            away[fit.catalogue], solutions[fit.catalogue] = abs(slope - 0.5), solution
            ends = np.array([0.0, 10.3])
            label = f"{fit.catalogue} {name}: {slope:.2f}"
            axes.plot(ends, solution.function(ends[:, None]), color=colour, linestyle=style, label=label)
        assert max(away["A2"], away["A2L"]) < away["A1"] < away["A3"]
        assert away["A2"] < 0.05
        assert away["A3"] > 0.4
        # A1 and A2L pass through the mean point; the worst residuals of A3 are three of one size.
        for through in ("A1", "A2L"):
            assert abs(solutions[through].residuals.mean()) < 1e-6
        size = np.sort(np.abs(solutions["A3"].residuals))
        assert np.allclose(size[-3:], size[-1], rtol=1e-4)
        assert size[-4] < 0.999 * size[-1]

        axes.plot(ends, 1 + ends / 2, color=INK, linestyle="dotted", label="true line: 0.50")
        draw_samples(axes, x, y, INK, "o", "point")
        ring(axes, x[-1:], y[-1:], "outlier")
        axes.set(xlabel="$x$", ylabel="$y$")
        axes.set_title(f"distance from the slope 1/2: A2 {away['A2']:.2f}, A1 {away['A1']:.2f}, A3 {away['A3']:.2f}")
        explain([axes], own=True)


if __name__ == "__main__":
    run(main)
