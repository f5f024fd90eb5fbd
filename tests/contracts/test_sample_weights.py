# SPDX-License-Identifier: BSD-3-Clause
"""A sample with a cost, or a weight, k times as large counts as k copies of it, in every model that has one of each.

So one of 0 is that of an absent sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from formulations import (
    LeastSquaresClassifier,
    LinearProgramMachine,
    NuMargin,
    OneVersusRest,
    SoftMargin,
    SquaredHinge,
    cross_validate,
    leave_one_out,
    path,
)
from formulations.estimators import SVC
from model_data import CASES, MODEL_CASES, SHARP, Case, overlapping
from qpkernels import RBF
from qpkernels.errors import OneClassError, ParameterError
from qpkernels.problems import Status


def per_sample(case: Case) -> str | None:
    return case.model.entry.per_sample


WEIGHTED = [case for case in MODEL_CASES if per_sample(case) is not None]


def test_those_that_scikit_learn_weighs_are_among_them() -> None:
    names = {case.model.__name__ for case in WEIGHTED}
    assert names >= {"SoftMargin", "SquaredHinge", "Logistic", "NuMargin", "OneClass", "SoftTube", "NuTube", "Huber"}


@pytest.mark.parametrize("case", WEIGHTED, ids=str)
def test_a_weight_of_k_is_that_of_k_copies(case: Case) -> None:
    name = per_sample(case)
    assert name is not None
    model = case.state_model()
    copies = np.random.default_rng(0).integers(1, 4, len(model))
    base = model.value_of(name)
    weighted = model.copy().set_params(**{name: copies * base})
    data = [np.asarray(model.gram.X), *([model.y] if hasattr(model, "y") else [])]
    repeated = case.state_model(*(np.repeat(each, copies, axis=0) for each in data), **{name: np.repeat(base, copies)})
    one, other = weighted.solve(tol=1e-9), repeated.solve(tol=1e-9)
    assert one.status is other.status is Status.OPTIMAL
    assert one.certificate.primal_value == pytest.approx(other.certificate.primal_value, rel=1e-8)
    np.testing.assert_allclose(
        one.function(data[0]), other.function(data[0]), atol=1e-3 * float(np.ptp(other.decision) + 1e-9)
    )


def without(case: Case, seed: int = 1) -> tuple[Any, Any, np.ndarray]:
    """Return a model with some weights 0, that of the other samples alone, and their numbers."""
    name = per_sample(case)
    assert name is not None
    model = case.state_model()
    rng = np.random.default_rng(seed)
    absent = np.concatenate([rng.permutation(each)[: len(each) // 5] for each in classes_of(model)])
    weights = np.array(model.value_of(name))
    weights[absent] = 0.0
    present = np.setdiff1d(np.arange(len(model)), absent)
    return model.copy().set_params(**{name: weights}), model.on(present), present


def classes_of(model: Any) -> list[np.ndarray]:
    if model.classes is None:
        return [np.arange(len(model))]
    return [np.flatnonzero(model.y == sign) for sign in (-1.0, 1.0)]


ZEROS = [case for case in CASES if per_sample(case) is not None]


@pytest.mark.parametrize("case", ZEROS, ids=str)
def test_a_weight_of_0_is_an_absent_sample_to_every_form(case: Case) -> None:
    model, rest, _ = without(case)
    own, alone = getattr(model, case.form), getattr(rest, case.form)
    answer, expected = own.solve("clarabel", tol=1e-7), alone.solve("clarabel", tol=1e-7)
    assert answer.status is expected.status is Status.OPTIMAL
    assert answer.certificate.primal_value == pytest.approx(expected.certificate.primal_value, rel=1e-6)
    assert answer.objective == pytest.approx(expected.objective, rel=1e-6)
    assert own.problem.value == pytest.approx(alone.problem.value, rel=1e-6)
    assert model.certify(answer).holds(1e-7)


@pytest.mark.parametrize("case", WEIGHTED, ids=str)
def test_a_weight_of_0_is_an_absent_sample(case: Case) -> None:
    model, rest, present = without(case)
    absent = np.setdiff1d(np.arange(len(model)), present)
    tol = SHARP["clarabel"] if case.model is LinearProgramMachine else 1e-10
    answer, expected = model.solve(tol=tol), rest.solve(tol=tol)
    assert answer.status is expected.status is Status.OPTIMAL
    assert answer.certificate.primal_value == pytest.approx(expected.certificate.primal_value, rel=1e-8)
    assert answer.certificate.dual_value == pytest.approx(expected.certificate.dual_value, rel=1e-8)
    # Multipliers of a primal form are as exact as its solver.
    assert np.abs(answer.beta[absent]).max() <= 1e-9 * np.abs(answer.beta).max()
    scale = float(np.ptp(expected.decision))
    np.testing.assert_allclose(answer.decision[present], expected.decision, atol=1e-4 * scale)
    ends, others = answer.intercept_interval, expected.intercept_interval
    np.testing.assert_allclose(ends, others, atol=1e-3 * scale)
    assert not set(answer.support.indices.tolist()) & set(absent.tolist()) or not model.entry.sparse
    for values in answer.conditions.values():
        assert np.isfinite(values).all()
        assert np.abs(values[absent]).max() <= 1e-9 * scale
    own, other = model.enclose(answer), rest.enclose(expected)
    assert own.lower <= other.upper
    assert other.lower <= own.upper
    assert own.upper - own.lower <= 1e-6 * abs(own.upper)


@pytest.mark.parametrize("case", WEIGHTED, ids=str)
def test_labels_and_targets_of_absent_samples_do_not_matter(case: Case) -> None:
    model, rest, present = without(case)
    name = per_sample(case)
    if name is None or not hasattr(model, "y"):
        return
    y = case.data()[1]
    wild = y.astype(float)
    absent = np.setdiff1d(np.arange(len(y)), present)
    wild[absent] = -y[absent] if model.classes is not None else 1e3
    other = case.state_model(y=wild, **{name: model.value_of(name)}).solve(tol=1e-8)
    assert other.status is Status.OPTIMAL
    assert other.certificate.primal_value == pytest.approx(rest.solve(tol=1e-8).certificate.primal_value, rel=1e-6)


def test_intervals_of_intercepts_without_a_free_support_vector() -> None:
    X, y = np.array([[-1.0], [1.0], [0.2], [-0.3]]), np.array([-1, 1, 1, 1])
    model = SoftMargin(X, y, C=[0.1, 0.1, 0.0, 0.0])
    assert model.solve(tol=1e-10).intercept_interval == pytest.approx(
        SoftMargin(X[:2], y[:2], C=0.1).solve(tol=1e-10).intercept_interval
    )
    low, high = model.solve(tol=1e-10).intercept_interval
    assert high - low > 1.0


def test_weights_of_0_come_and_go() -> None:
    X, y = overlapping()
    model = SquaredHinge(X, y, RBF(0.5))
    form = model.dual
    form.solve("clarabel")
    costs = np.ones(30)
    costs[:4] = 0.0
    model.set_params(C=costs)
    with pytest.raises(ParameterError, match="stated with 0 samples of weight 0, and its model has others now"):
        form.solve("clarabel")
    alone = SquaredHinge(X[4:], y[4:], RBF(0.5)).solve(tol=1e-9)
    assert model.dual.solve("clarabel").objective == pytest.approx(-alone.certificate.dual_value, rel=1e-6)
    form = model.dual
    model.set_params(C=2.0 * costs)
    assert model.dual is form
    model.C.value = np.ones(30)
    with pytest.raises(ParameterError, match="stated with 4 samples of weight 0"):
        form.lower()


def test_batches_and_estimators_leave_absent_samples_out() -> None:
    X, y = overlapping()
    costs = np.where(np.arange(30) < 6, 0.0, 1.0)
    model, rest = SoftMargin(X, y, RBF(0.5), C=costs), SoftMargin(X[6:], y[6:], RBF(0.5))
    folds = [(np.arange(0, 24), np.arange(24, 30)), (np.arange(3, 30), np.arange(3))]
    found = cross_validate(model, folds, tol=1e-8, progress=False)
    first = SoftMargin(X[6:24], y[6:24], RBF(0.5)).solve(tol=1e-8)
    np.testing.assert_allclose(found.fits[0].held_out, first.function(X[24:]), atol=1e-5)
    machines = path(model, C=[costs, 5.0 * costs], tol=1e-8, progress=False)
    assert machines[1].certificate.primal_value == pytest.approx(
        rest.copy().set_params(C=5.0).solve(tol=1e-8).certificate.primal_value, rel=1e-6
    )
    pairs = OneVersusRest(X, y, RBF(0.5), C=costs).solve(progress=False, tol=1e-8)
    assert pairs.status is Status.OPTIMAL
    weighted = SVC(gamma=0.5, tol=1e-8).fit(X, y, sample_weight=costs)
    assert weighted.certificate_.primal_value == pytest.approx(rest.solve(tol=1e-8).objective, rel=1e-6)
    assert model.certify(weighted).holds(1e-7)
    values = leave_one_out(LeastSquaresClassifier(X, y, C=costs), tol=1e-12, progress=False).decision
    alone = leave_one_out(LeastSquaresClassifier(X[6:], y[6:]), tol=1e-12, progress=False).decision
    np.testing.assert_allclose(values[6:], alone, atol=1e-5)


def test_weights_that_are_none() -> None:
    X, y = overlapping()
    with pytest.raises(ParameterError, match="C must be above 0 for some sample, but each C is 0"):
        SoftMargin(X, y, C=np.zeros(30))
    with pytest.raises(ParameterError, match=r"or 0 for an absent one, but C\[2\] is -1"):
        SoftMargin(X, y, C=np.where(np.arange(30) == 2, -1.0, 1.0))
    with pytest.raises(ParameterError, match="C must be a number above 0, but 0"):
        SoftMargin(X, y, C=0.0)
    for model in (SoftMargin, NuMargin):
        name = "C" if model is SoftMargin else "sample_weight"
        with pytest.raises(OneClassError, match=r"above 0, but each of -1 has 0"):
            model(X, y, **{name: np.where(y > 0, 1.0, 0.0)})
