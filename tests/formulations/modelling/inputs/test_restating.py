# SPDX-License-Identifier: BSD-3-Clause
"""The same model on some of its samples, with another kernel, or with hyper-parameters of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from formulations import Incremental, KernelRidge, LinearProgramMachine, NuMargin, OneClass, SoftMargin
from model_data import MODEL_CASES, Case, overlapping
from qpkernels import RBF, Gram, Linear, Matern, Precomputed
from qpkernels.errors import IndefiniteKernelError, OneClassError, ParameterError, ShapeError

each_case = pytest.mark.parametrize("case", MODEL_CASES, ids=str)


def chosen(model: Any) -> np.ndarray:
    """Return two thirds of the samples of each class, in no order."""
    y = getattr(model, "y", np.ones(len(model)))
    sides = [np.flatnonzero(y > 0), np.flatnonzero(y < 0)] if model.classes is not None else [np.arange(len(y))]
    rng = np.random.default_rng(3)
    return rng.permutation(np.concatenate([rng.permutation(side)[: 2 * side.size // 3] for side in sides]))


def stated_anew(case: Case, rows: np.ndarray) -> Any:
    """Return the model stated on those samples from the start."""
    X, *y = case.data()
    settings = {
        name: value[rows] if np.shape(value) == (len(X),) else value for name, value in case.example.parameters.items()
    }
    return case.model(X[rows], *(each[rows] for each in y), None, **settings)


@each_case
def test_it_is_the_model_stated_on_those_samples(case: Case) -> None:
    model = case.state_model()
    rows = chosen(model)
    part, anew = model.on(rows), stated_anew(case, rows)
    assert type(part) is type(model)
    assert len(part) == rows.size
    assert part.fit_intercept == anew.fit_intercept
    assert part.data.explicit
    np.testing.assert_array_equal(part.gram.X, anew.gram.X)
    for name in ("y", "classes"):
        np.testing.assert_array_equal(getattr(part, name, None), getattr(anew, name, None))
    for each in model.entry.parameters:
        np.testing.assert_array_equal(getattr(part, each.name).value, getattr(anew, each.name).value)
    first, second = part.bounds(), anew.bounds()
    assert type(first) is type(second)


@each_case
def test_what_was_computed_of_all_samples_is_left_behind(case: Case) -> None:
    model = case.state_model()
    for form in model.forms.values():
        form.problem  # noqa: B018  stated
    rows = chosen(model)
    for name, form in model.on(rows).forms.items():
        assert form.model is not model
        assert form is not getattr(model, name)
        assert sum(variable.size for variable in form.problem.variables()) > 0
    with pytest.raises(AttributeError, match="is frozen"):
        model.on(rows).y = None


@pytest.mark.parametrize("rows", [np.arange(5, 25), [3, 27, 11, 24, 2, 16]])
def test_answers_agree_and_a_gram_is_shared(rows: Any) -> None:
    X, y = overlapping()
    model = SoftMargin(Gram(RBF(0.5), X), y, C=np.linspace(0.5, 2.0, len(X)))
    answer = model.on(rows).solve(tol=1e-9)
    alone = SoftMargin(X[rows], y[rows], RBF(0.5), C=np.linspace(0.5, 2.0, len(X))[rows]).solve(tol=1e-9)
    assert answer.objective == pytest.approx(alone.objective, rel=1e-8)
    assert answer.function.predict(X).tolist() == alone.function.predict(X).tolist()
    formed = SoftMargin(Gram(RBF(0.5), X), y)
    formed.gram.dense  # noqa: B018  formed
    np.testing.assert_array_equal(formed.on(rows).gram.dense, formed.gram.dense[np.ix_(rows, rows)])


def test_truth_values_choose_samples() -> None:
    model = SoftMargin(*overlapping())
    mask = np.arange(len(model)) % 7 > 0
    mask[:2] = False
    np.testing.assert_array_equal(model.on(mask).gram.X, model.gram.X[mask])


def test_a_copy_has_numbers_of_its_own() -> None:
    model = SoftMargin(*overlapping(), RBF(0.5), C=2.0)
    model.solve()
    copy = model.copy().set_params(C=7.0)
    assert copy.gram is model.gram
    assert np.unique(model.C.value).tolist() == [2.0]
    assert np.unique(copy.C.value).tolist() == [7.0]
    assert copy._latest.answer is None


def test_another_kernel() -> None:
    X, y = overlapping()
    model = KernelRidge(Gram(RBF(0.5), X, memory_limit=1e6), y, regularisation=0.3)
    other = model.with_kernel(RBF(2.0))
    assert other.gram.kernel == RBF(2.0)
    assert other.gram.memory_limit == 1e6
    assert other.solve().objective == pytest.approx(KernelRidge(X, y, RBF(2.0), regularisation=0.3).solve().objective)
    assert not SoftMargin(X, y).with_kernel(Linear()).data.explicit


def test_another_kernel_that_is_indefinite() -> None:
    numbers, y = np.arange(4), np.array([1, 1, -1, -1])
    indefinite = Precomputed(np.array([[0.0, 2, 0, 0], [2, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]))
    model = SoftMargin(numbers, y, Precomputed(np.eye(4)))
    with pytest.raises(IndefiniteKernelError):
        model.with_kernel(indefinite)
    LinearProgramMachine(numbers, y, Precomputed(np.eye(4))).with_kernel(indefinite)


def test_samples_of_one_class() -> None:
    X, y = overlapping()
    model = SoftMargin(X, np.where(y > 0, "left", "right"))
    with pytest.raises(OneClassError, match=r"hold both classes, 'left' and 'right', but all are of 'left'"):
        model.on(np.flatnonzero(y > 0))


def test_a_share_that_few_samples_do_not_allow() -> None:
    X, y = overlapping()
    model = NuMargin(X, y, nu=0.5)
    rows = np.concatenate([np.flatnonzero(y > 0), np.flatnonzero(y < 0)[:2]])
    with pytest.raises(ParameterError, match=r"nu = 0\.5 is infeasible for these classes"):
        model.on(rows)


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([], ShapeError, "rows must be numbers of samples"),
        ([0.5, 1.0], ShapeError, "rows must be numbers of samples"),
        ([[0, 1]], ShapeError, r"shape \(1, 2\)"),
        ([True, False], ShapeError, "one truth value for each"),
        (np.arange(0), ParameterError, "at least one"),
        ([0, 10_000], ParameterError, "from 0 to"),
        ([-1, 2], ParameterError, "from 0 to"),
        ([4, 2, 4], ParameterError, "4 came more than once"),
    ],
)
def test_rows_that_are_none(rows: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        OneClass(overlapping()[0]).on(rows)


@each_case
def test_the_kernel_is_set_as_a_parameter(case: Case) -> None:
    X, *y = case.data()
    # The radial kernels have full rank, which interpolation asks for and a fit without a norm does not take.
    first, second = (Linear(), Linear()) if "rbf" not in case.example.kernels else (RBF(0.5), RBF(1.5))
    model = case.model(X, *y, first, **case.example.parameters)
    for form in model.forms.values():
        form.problem  # noqa: B018  stated
    anew = case.model(X, *y, second, **case.example.parameters)
    assert model.set_params(kernel=second) is model
    assert model.gram.kernel == second
    for name, form in model.forms.items():
        solution = form.solve("clarabel", tol=1e-7)
        assert solution.status == "optimal"
        assert solution.objective == pytest.approx(getattr(anew, name).solve("clarabel", tol=1e-7).objective, rel=1e-5)


def test_parameters_of_the_kernel_are_swept() -> None:
    X, y = overlapping()
    model = SoftMargin(X, y, RBF(0.5))
    cost = model.C
    for gamma in (0.1, 1.0):
        answer = model.set_params(gamma=gamma, C=2.0).solve(tol=1e-9)
        alone = SoftMargin(X, y, RBF(gamma), C=2.0).solve(tol=1e-9)
        assert answer.objective == pytest.approx(alone.objective, rel=1e-8)
        assert model.dual.problem.value == pytest.approx(-alone.certificate.dual_value, rel=1e-8)
        assert model.C is cost
    mixed = SoftMargin(X, y, RBF(1.0) + Matern()).set_params(left__gamma=0.3, kernel__right__nu=2.5)
    assert mixed.gram.kernel == RBF(0.3) + Matern(nu=2.5)
    assert mixed.set_params(kernel=Matern(), nu=0.5).gram.kernel == Matern(nu=0.5)
    # A name that both have is the model's own.
    shared = NuMargin(X, y, Matern(), nu=0.3).set_params(nu=0.2, kernel__nu=0.5)
    assert (float(shared.value_of("nu")), shared.gram.kernel) == (0.2, Matern(nu=0.5))


def test_forms_of_another_kernel_refuse_to_go_on() -> None:
    model = SoftMargin(*overlapping(), RBF(0.5))
    form = model.dual
    extended = model.primal.extend(model.primal.b <= 1.0)
    extended.solve("clarabel")
    model.set_params(gamma=0.7)
    actions = [form.solve, form.lower, lambda: form.problem, lambda: form.extend(form.alpha <= 1.0), extended.solve]
    for action in actions:
        with pytest.raises(ParameterError, match=r"kernel RBF\(gamma=0\.5\), and its model has RBF\(gamma=0\.7\) now"):
            action()
    assert model._latest.answer is None
    assert model.dual.solve("clarabel").status == "optimal"


def test_nothing_is_set_if_one_value_is_refused() -> None:
    model = SoftMargin(*overlapping(), RBF(0.5))
    gram = model.gram
    for values in ({"C": 2.0, "gamma": -1.0}, {"C": -2.0, "gamma": 1.0}, {"C": 2.0, "sigma": 1.0}, {"kernel": "rbf"}):
        with pytest.raises(ParameterError):
            model.set_params(**values)
        assert model.gram is gram
        assert np.unique(model.value_of("C")).tolist() == [1.0]
    with pytest.raises(ParameterError, match="the names are C of the model, and none of the kernel"):
        SoftMargin(*overlapping()).set_params(gamma=1.0)
    with pytest.raises(ParameterError, match=r"function of two sets of samples, but <class .*write RBF\(...\)"):
        model.set_params(kernel=RBF)
    with pytest.raises(ParameterError, match="an Incremental keeps its kernel"):
        Incremental(model).set_params(gamma=1.0)
