# SPDX-License-Identifier: BSD-3-Clause
"""SCS: what it calls solved holds by the certificate too, at the tolerance asked."""

import numpy as np
import pytest

from formulations import NormConstrainedRegression
from qpkernels.problems import Status


@pytest.mark.parametrize("tol", [1e-7, 1e-8])
@pytest.mark.parametrize("seed", [2, 10, 984111])
def test_the_tolerance_of_the_certificate_is_met(seed: int, tol: float) -> None:
    """SCS measures residuals against larger terms: at ``tol`` itself some of these miss it by a half."""
    rng = np.random.default_rng(seed)
    m, features = int(rng.integers(4, 12)), int(rng.integers(1, 4))
    X = rng.normal(size=(m, features))
    X[:, 0] = 1.0 + rng.permutation(m) + rng.uniform(-0.3, 0.3, m)
    solution = NormConstrainedRegression(X, X[:, 0] + rng.normal(size=m), R=0.2).primal.solve("scs", tol=tol)
    assert solution.status is Status.OPTIMAL, solution
