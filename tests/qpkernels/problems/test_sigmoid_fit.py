# SPDX-License-Identifier: BSD-3-Clause
"""A sigmoid over scores as a program: its values and derivatives, against 150 digits."""

import mpmath as mp
import numpy as np

from qpkernels.problems import SigmoidFit
from together import together

RNG = np.random.default_rng(0)


@together("unit", [1e-300, 1e-6, 1.0, 1e6, 1e300])
@together("origin", [0.0, -3.0, 1e6])
@together("slope", [-40.0, 1e-9, 0.0, 2.0])
def test_log_odds_and_derivatives_have_their_digits(unit: float, origin: float, slope: float) -> None:
    scores = unit * (origin + RNG.normal(size=30))
    fit = SigmoidFit(scores, RNG.choice([0.0, 0.02, 0.97, 1.0], size=30)).in_unit
    A, B = slope / unit, 0.3 - slope * origin
    point = fit.at(A, B)
    with mp.workdps(150):
        z = [mp.mpf(A) * v + mp.mpf(B) for v in map(mp.mpf, scores.tolist())]
        p = [1 / (1 + mp.exp(-v)) for v in z]
        residuals = [a - t for a, t in zip(p, fit.targets.tolist(), strict=True)]
        offsets = [v * mp.mpf(2) ** -int(fit.exponent) - mp.mpf(point.centre) for v in map(mp.mpf, scores.tolist())]
        weights = [a * (1 - a) for a in p]
        gradient = mp.fsum(residuals), mp.fdot(residuals, offsets)
        curvature = mp.fsum(weights), mp.fdot(weights, [v * v for v in offsets])
    np.testing.assert_allclose(point.z, np.array(z, dtype=float), rtol=1e-15)
    np.testing.assert_allclose(point.weights, np.array(weights, dtype=float), rtol=1e-13)
    np.testing.assert_allclose(point.residuals, np.array(residuals, dtype=float), rtol=1e-13, atol=1e-17)
    np.testing.assert_allclose(point.curvature, np.array(curvature, dtype=float), rtol=1e-13)
    np.testing.assert_allclose(point.gradient, np.array(gradient, dtype=float), rtol=1e-12, atol=1e-14)


def test_a_point_has_the_numbers_that_it_was_made_of() -> None:
    fit = SigmoidFit(1e6 + RNG.normal(size=20), np.linspace(0.0, 1.0, 20)).in_unit
    A, B = 1.7, -1.7e6
    np.testing.assert_allclose(fit.original(fit.at(A, B)), [A, B], rtol=1e-15)
