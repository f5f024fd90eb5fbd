# SPDX-License-Identifier: BSD-3-Clause
"""Leave-one-out, against training without each sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import r2_score

from formulations import (
    HardMargin,
    Interpolation,
    KernelRidge,
    LeastSquares,
    LeastSquaresClassifier,
    Logistic,
    OneClass,
    SoftMargin,
    SoftTube,
    SquaredHinge,
)
from formulations.selection import leave_one_out
from model_data import contradiction, few, measured, overlapping, separable
from qpkernels import RBF, Gram, Sigmoid
from qpkernels.errors import InseparableError, LabelError, ParameterError
from qpkernels.problems import Status

KERNEL = RBF(0.5)


def brute(model: Any, tol: float) -> np.ndarray:
    """Return the decision value of each sample by a model stated without it."""
    values = []
    for sample in range(len(model)):
        rest = np.delete(np.arange(len(model)), sample)
        values.append(model.on(rest).solve(tol=tol).function(model.gram.X[[sample]])[0])
    return np.array(values)


@pytest.mark.parametrize(
    "model",
    [
        KernelRidge(*measured(), KERNEL, regularisation=0.3),
        KernelRidge(*measured(), regularisation=0.3),
        LeastSquares(*measured(), KERNEL, C=5.0),
        LeastSquares(*measured(), C=5.0),
        LeastSquaresClassifier(*overlapping(), KERNEL, C=np.linspace(0.5, 3.0, 30)),
        Interpolation(*few(), RBF(0.1)),
    ],
    ids=lambda model: model.name,
)
def test_the_closed_form_is_exact(model: Any) -> None:
    found = leave_one_out(model)
    assert found.closed_form
    assert not found.fits
    assert found.decision == pytest.approx(brute(model, 1e-10), abs=1e-8)
    assert "in closed form" in str(found)
    sample = 3
    solution = found.solution(sample)
    assert solution.status is Status.OPTIMAL
    assert solution.function(model.gram.X[[sample]])[0] == pytest.approx(found.decision[sample], abs=1e-4)


@pytest.mark.parametrize(
    "model",
    [
        SoftMargin(*overlapping(), KERNEL, C=2.0),
        SoftMargin(*overlapping(), KERNEL, C=np.linspace(0.5, 3.0, 30)),
        SquaredHinge(*overlapping(), KERNEL, C=2.0),
        SoftTube(*measured(), KERNEL, C=3.0, epsilon=0.3),
        HardMargin(*separable(), KERNEL),
    ],
    ids=lambda model: model.name,
)
def test_only_support_vectors_are_left_out(model: Any) -> None:
    found = leave_one_out(model, tol=1e-9)
    support = model.copy().solve(tol=1e-9).support.indices.tolist()
    assert set(found.fits) >= set(support)
    assert len(found.fits) < len(model)
    assert all(fit.certificate.holds(1e-9) for fit in found.fits.values())
    assert found.decision == pytest.approx(brute(model, 1e-9), abs=2e-4)
    assert not found.closed_form


def test_the_answer_of_all_is_proved_for_all_but_one_without_a_coefficient() -> None:
    model = SoftMargin(*overlapping(), KERNEL, C=2.0)
    whole = model.solve(tol=1e-9)
    without = np.flatnonzero(whole.beta == 0)
    assert without.size > 2
    for sample in without:
        rest = np.delete(np.arange(len(model)), sample)
        assert model.on(rest).certify((whole.beta[rest], whole.intercept)).holds(1e-9)


def test_no_sample_keeps_the_intercept_that_it_helped_to_choose() -> None:
    """Without the third target every b from -6 to 6 is optimal, without another one those from 4 to 6."""
    model = SoftTube([[0.0], [1.0], [2.0]], [0, 0, 10], RBF(1.0), C=1.0, epsilon=6.0)
    found = leave_one_out(model)
    assert found.decision == pytest.approx([5.0, 5.0, 0.0])
    assert found.score == pytest.approx(-1.25)
    refits = [float(found.solution(sample).function(model.gram.X[[sample]])[0]) for sample in range(3)]
    assert found.decision == pytest.approx(refits)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_value_is_that_of_a_refit(seed: int, fit_intercept: bool) -> None:
    """From where all coefficients are at their bounds, and b is not unique, to where none is."""
    rng = np.random.default_rng(seed)
    X, noise = rng.normal(size=(14, 2)), rng.normal(size=14)
    y, targets = np.where(X[:, 0] + 0.7 * noise > 0, 1, -1), X[:, 0] + 0.3 * noise
    determined = set()
    for C in 10.0 ** np.arange(-3, 4):
        for model in (
            SoftMargin(X, y, KERNEL, C=C, fit_intercept=fit_intercept),
            SoftTube(X, targets, KERNEL, C=C, epsilon=0.3, fit_intercept=fit_intercept),
        ):
            found = leave_one_out(model, tol=1e-9)
            assert found.decision == pytest.approx(brute(model, 1e-9), abs=1e-5)
            determined.add(model.copy().solve(tol=1e-9).support.free.size > 0)
    assert determined == {True, False}


@pytest.mark.parametrize(
    "model",
    [Logistic(*overlapping(), KERNEL), OneClass(overlapping()[0], KERNEL, nu=0.3)],
    ids=lambda model: model.name,
)
def test_every_sample_is_left_out_where_nothing_is_known(model: Any) -> None:
    """The cost 1/(nu m) of one class is another one for fewer samples."""
    scoring = None if model.classes is not None else lambda _, values: float(np.mean(values > 0))
    found = leave_one_out(model, tol=1e-8, scoring=scoring)
    assert sorted(found.fits) == list(range(len(model)))
    assert found.decision == pytest.approx(brute(model, 1e-8), abs=1e-3)


def test_a_corrected_matrix_is_that_of_each_part() -> None:
    X, y = overlapping()
    model = LeastSquaresClassifier(Gram(Sigmoid(1.0, -1.0), X, indefinite="shift"), y)
    found = leave_one_out(model, tol=1e-8)
    assert not found.closed_form
    assert found.decision == pytest.approx(brute(model, 1e-8), abs=1e-5)


def test_scores() -> None:
    X, y = overlapping()
    names = np.where(y > 0, "yes", "no")
    found = leave_one_out(SoftMargin(X, names, KERNEL))
    assert found.score == np.mean(found.predictions == names)
    assert f"accuracy {found.score:.6g} over 30 samples" in str(found)
    X, y = measured()
    ridge = leave_one_out(KernelRidge(X, y, KERNEL))
    assert ridge.score == r2_score(y, ridge.decision)


def test_bad_input() -> None:
    X, y = overlapping()
    with pytest.raises(LabelError, match="there is one of 'lonely'"):
        leave_one_out(SoftMargin(X, np.where(np.arange(30) == 7, "lonely", "many")))
    with pytest.raises(ParameterError, match="leave_one_out takes a model first"):
        leave_one_out("SoftMargin")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="tol must be"):
        leave_one_out(SoftMargin(X, y), tol=-1)
    with pytest.raises(InseparableError):
        leave_one_out(HardMargin(*contradiction()))
