# SPDX-License-Identifier: BSD-3-Clause
"""The nu-tube: what nu promises, the soft tube of its width, LIBSVM, and a sweep."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import NuSVR

from formulations import NuTube, SoftTube
from formulations.modelling.inputs.estimators import read_coefficients
from model_data import measured
from qpkernels.kernels import RBF, Kernel
from qpkernels.problems import Status
from regression_data import each_kernel, slack, solved, targets

each_form = pytest.mark.parametrize("form", ["primal", "dual"])


@each_kernel
@pytest.mark.parametrize("nu", [0.1, 0.25, 0.6])
@each_form
def test_nu_bounds_the_share_outside_the_tube(form: str, nu: float, kernel: Kernel | None) -> None:
    X, y = targets(80)
    solution = solved(NuTube(X, y, kernel, nu=nu, C=2.0).forms[form])
    outside = np.mean(np.abs(solution.residuals) > solution.epsilon + slack(solution))
    assert solution.epsilon > 0.0
    assert 0.0 < outside <= nu <= solution.n_support / len(y)
    assert solution.support.bounded.size <= nu * len(y)
    # The soft tube of that width is the same machine.
    tube = solved(SoftTube(X, y, kernel, C=2.0, epsilon=solution.epsilon), "smo", 1e-10)
    assert tube.decision == pytest.approx(solution.decision, abs=1e-4)


@pytest.mark.parametrize("fit_intercept", [True, False])
@each_form
def test_its_answer_is_certified_by_the_soft_tube_of_its_width(form: str, fit_intercept: bool) -> None:
    model = NuTube(*measured(), RBF(0.5), nu=0.31, C=1.3, fit_intercept=fit_intercept)
    solution = model.forms[form].solve(tol=1e-9)
    assert solution.status is Status.OPTIMAL
    tube = SoftTube(*measured(), RBF(0.5), C=1.3, epsilon=solution.epsilon, fit_intercept=fit_intercept)
    assert tube.certify(solution).holds(1e-6)
    assert not tube.certify((0.9 * solution.beta, solution.intercept)).holds(1e-4)


@pytest.mark.parametrize("nu", [0.22, 0.63])
def test_libsvm_is_certified(nu: float) -> None:
    X, y = measured()
    fitted = NuSVR(nu=nu, C=1.3, gamma=0.5, tol=1e-8).fit(X, y)
    model = NuTube(X, y, RBF(0.5), nu=nu, C=1.3)
    assert model.certify(fitted).holds(1e-5)
    point = model.translate(read_coefficients(fitted, len(y)))
    assert not NuTube(X, y, RBF(0.5), nu=nu, C=2.6).certify(point).holds(1e-3)
    assert not NuTube(X, y, RBF(0.5), nu=0.9 * nu, C=1.3).certify(point).holds(1e-3)


@each_form
def test_a_sweep_moves_the_budget(form: str) -> None:
    model = NuTube(*measured(), RBF(0.5))
    for nu, C in ((0.2, 0.4), (0.7, 3.0)):
        model.set_params(nu=nu, C=C)
        assert model.budget.value == pytest.approx(nu * C * 24, rel=1e-12)
        expected = NuTube(*measured(), RBF(0.5), nu=nu, C=C).primal.solve(tol=1e-9)
        assert model.forms[form].solve(tol=1e-9).epsilon == pytest.approx(expected.epsilon, abs=1e-6)
