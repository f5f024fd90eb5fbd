# SPDX-License-Identifier: BSD-3-Clause
"""The linear-programming machine: an answer without coefficients, and answers that come without multipliers."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import LinearProgramMachine
from qpkernels.kernels import RBF, Sigmoid
from qpkernels.problems import Status

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
LABELS = np.where(X[:, 0] + 0.5 * RNG.normal(size=30) > 0, 1, -1)


def test_a_linear_program_without_coefficients() -> None:
    model = LinearProgramMachine(X, LABELS, RBF(1.0), C=0.03)
    for form in model.forms.values():
        solution = form.solve()
        assert solution.status is Status.OPTIMAL
        assert model.certify(solution).holds(1e-6)


@pytest.mark.parametrize("kernel", [RBF(1.0), Sigmoid(0.6, -0.4)], ids=["rbf", "indefinite"])
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_multipliers_are_completed_from_the_margins(form: str, kernel: object) -> None:
    model = LinearProgramMachine(X, LABELS, kernel, C=0.7)  # type: ignore[arg-type]
    solution = model.forms[form].solve(tol=1e-10)
    assert solution.status is not Status.FAILED
    certificate = model.certify((solution.beta, solution.intercept))
    assert certificate.holds(1e-5)
    assert not model.certify((1.1 * solution.beta, solution.intercept)).holds(1e-4)
    assert not model.certify((-solution.beta, solution.intercept)).holds(1e-4)
