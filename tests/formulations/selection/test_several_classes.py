# SPDX-License-Identifier: BSD-3-Clause
"""Selection of several classes: what fitting each fold's machines alone and predicting gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold

from formulations import (
    HardMargin,
    LeastSquaresClassifier,
    MulticlassSolution,
    NuMargin,
    OneVersusOne,
    OneVersusRest,
    SoftMargin,
)
from formulations.plots import PathDisplay
from formulations.selection import cross_validate, exact_path, grid, leave_one_out, path
from qpkernels import RBF, Linear
from qpkernels.errors import InfeasibleError, LabelError, OneClassError, ParameterError
from qpkernels.problems import Status
from together import together

SCHEMES = [OneVersusOne, OneVersusRest]
KERNEL = RBF(0.5)
QUIET: Any = {"progress": False}


def flowers() -> tuple[np.ndarray, np.ndarray]:
    """Return 60 samples of three classes, by name."""
    X, y = load_iris(return_X_y=True)
    chosen = np.random.default_rng(3).permutation(150)[:60]
    return X[chosen], np.array(["setosa", "versicolor", "virginica"])[y[chosen]]


def alone(scheme: Any, train: np.ndarray, kernel: Any, **settings: Any) -> MulticlassSolution:
    """Return the machines of a fold, stated on its samples and solved by themselves."""
    X, y = flowers()
    own = {name: value[train] if np.ndim(value) else value for name, value in settings.items()}
    solution: MulticlassSolution = scheme(X[train], y[train], kernel, **own).solve(tol=1e-9, **QUIET)
    return solution


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("settings", "values"),
    [
        ({}, {"C": [0.3, 3.0, 30.0]}),
        ({"machine": NuMargin}, {"nu": [0.3, 0.5]}),
        ({"machine": LeastSquaresClassifier, "fit_intercept": False}, {"C": [0.3, 3.0]}),
        ({}, {"C": [np.linspace(0.5, 2.0, 60), np.linspace(5.0, 20.0, 60)]}),
    ],
    ids=["costs", "levels", "dense", "costs of samples"],
)
def test_a_grid_scores_the_votes_of_machines_fitted_alone(
    scheme: Any, settings: dict[str, Any], values: dict[str, Any]
) -> None:
    X, y = flowers()
    found = grid(scheme(X, y, KERNEL, **settings), 3, gamma=[0.1, 1.0], tol=1e-8, **values, **QUIET)
    assert found.status is Status.OPTIMAL
    folds = list(StratifiedKFold(3).split(X, y))
    for point, scores, fits in zip(found.points, found.scores, found.fits, strict=True):
        own = {name: value for name, value in point.items() if name != "gamma"}
        for (train, test), score, fit in zip(folds, scores, fits, strict=True):
            solution = alone(scheme, train, RBF(point["gamma"]), **settings, **own)
            assert score == accuracy_score(y[test], solution.predict(X[test]))
            assert fit is not None
            assert fit.held_out == pytest.approx(solution.function(X[test]), abs=2e-3)
            assert fit.certificate.holds(1e-8)
            assert np.shape(fit.intercept) == (3,)
            assert (fit.n_support is None) == (settings.get("machine") is LeastSquaresClassifier)
    assert found.best_score == found.mean.max()
    assert found.best_model.gram.kernel == RBF(found.best_params["gamma"])
    assert found.best_solution.status is Status.OPTIMAL
    assert found.best_solution.predict(X).tolist() == found.best_model.solve(tol=1e-8, **QUIET).predict(X).tolist()


@pytest.mark.parametrize("options", [{}, {"solver": "smo"}, {"options": {"max_iter": 10**6}}])
def test_whoever_solves_the_choice_is_the_same(options: dict[str, Any]) -> None:
    model = OneVersusOne(*flowers(), KERNEL)
    found = grid(model, 3, C=[0.3, 3.0], tol=1e-8, **options, **QUIET)
    assert found.scores == pytest.approx(grid(model, 3, C=[0.3, 3.0], tol=1e-8, **QUIET).scores)
    assert found.status is Status.OPTIMAL


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_cross_validation_has_the_machines_of_each_fold(scheme: Any) -> None:
    X, y = flowers()
    found = cross_validate(scheme(X, y, KERNEL, C=2.0), 3, tol=1e-8, **QUIET)
    for fold, solution, fit, score in zip(found.folds, found.solutions, found.fits, found.scores, strict=True):
        expected = alone(scheme, fold.train, KERNEL, C=2.0)
        assert isinstance(solution, MulticlassSolution)
        assert solution.predict(X[fold.test]).tolist() == expected.predict(X[fold.test]).tolist()
        assert score == accuracy_score(y[fold.test], expected.predict(X[fold.test]))
        assert fit.certificate.error == max(each.certificate.error for each in solution.solutions)
    assert found.decision.shape == (60, 3)
    assert found.mean == pytest.approx(accuracy_score(y, found.predictions))
    assert found.classes is not None
    assert found.classes.tolist() == ["setosa", "versicolor", "virginica"]
    assert "every fit is proved" in str(found)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_path_solves_all_machines_at_each_cost(scheme: Any) -> None:
    X, y = flowers()
    found = path(scheme(X, y, KERNEL), C=[0.1, 1.0, 10.0], tol=1e-8, **QUIET)
    assert found.status is Status.OPTIMAL
    for C, solution in zip(found.values, found, strict=True):
        expected = scheme(X, y, KERNEL, C=C).solve(tol=1e-9, **QUIET)
        objectives = [[each.objective for each in several.solutions] for several in (solution, expected)]
        assert objectives[0] == pytest.approx(objectives[1], rel=1e-7)
    assert [*found.to_pandas().columns] == ["C", "status", "relative_gap", "n_support", "seconds"]
    assert "intercept" not in str(found)
    with pytest.raises(ParameterError, match="draw the path of one"):
        PathDisplay.from_path(found)


def test_support_vectors_are_counted_once() -> None:
    X, y = flowers()
    (fit,) = path(OneVersusOne(X, y, KERNEL), C=[1.0], tol=1e-8, **QUIET).fits
    model = OneVersusOne(X, y, KERNEL)
    used = [model.rows(pair)[model.model(pair).solve(tol=1e-8).support.indices] for pair in model.pairs()]
    assert fit is not None
    assert fit.n_support == np.unique(np.concatenate(used)).size < sum(each.size for each in used)


def test_scores_of_several_classes() -> None:
    X, y = flowers()
    model = OneVersusOne(X, y, KERNEL)
    found = cross_validate(model, 3, scoring="balanced_accuracy", **QUIET)
    expected = [balanced_accuracy_score(y[fold.test], found.predictions[fold.test]) for fold in found.folds]
    assert found.scores == pytest.approx(expected)

    def largest(labels: np.ndarray, values: np.ndarray) -> float:
        return float((np.unique(y)[values.argmax(axis=1)] == labels).mean())

    assert cross_validate(model, 3, scoring=largest, **QUIET).scores == pytest.approx(
        cross_validate(model, 3, **QUIET).scores
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_two_classes_are_scored_as_by_one_machine(scheme: Any) -> None:
    X, y = flowers()
    data = X[REST], y[REST]
    found = cross_validate(scheme(*data, KERNEL), 3, scoring="roc_auc", tol=1e-8, **QUIET)
    expected = cross_validate(SoftMargin(*data, KERNEL), 3, scoring="roc_auc", tol=1e-8, **QUIET)
    assert found.scores == pytest.approx(expected.scores)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_file_of_results_answers_a_rerun(scheme: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from formulations.selection import fits

    file, model = tmp_path / "fits.jsonl", scheme(*flowers(), KERNEL)
    first = grid(model, 3, C=[1.0, 10.0], store=file, refit=False, **QUIET)
    assert len(file.read_text().splitlines()) == 6
    solve = fits.train_machines

    def counted(gram: Any, machines: Any, **options: Any) -> Any:
        assert not machines
        return solve(gram, machines, **options)

    monkeypatch.setattr(fits, "train_machines", counted)
    second = grid(model, 3, C=[1.0, 10.0], store=file, refit=False, **QUIET)
    assert second.scores.tolist() == first.scores.tolist()
    assert all(fit is not None and fit.earlier for row in second.fits for fit in row)
    earlier = cross_validate(model.with_params(C=10.0), 3, store=file, **QUIET)
    assert earlier.decision.shape == (60, 3)
    assert earlier.solutions[0].status is Status.OPTIMAL


def test_a_file_tells_schemes_machines_and_settings_apart(tmp_path: Path) -> None:
    file, data = tmp_path / "fits.jsonl", flowers()
    models = [
        OneVersusOne(*data, KERNEL),
        OneVersusRest(*data, KERNEL),
        OneVersusOne(*data, KERNEL, fit_intercept=False),
        OneVersusOne(*data, KERNEL, machine=LeastSquaresClassifier),
    ]
    for number, model in enumerate(models, 1):
        cross_validate(model, 3, store=file, **QUIET)
        assert len(file.read_text().splitlines()) == 3 * number


REST = np.flatnonzero(flowers()[1] != "setosa")
"""Samples of two of the classes."""


def lonely() -> OneVersusOne:
    X, y = flowers()
    keep = np.concatenate([np.flatnonzero(y != "virginica"), np.flatnonzero(y == "virginica")[:2]])
    return OneVersusOne(X[keep], y[keep], KERNEL)


@together(
    "search, error, message",
    [
        (
            lambda model: grid(model, [(REST, np.setdiff1d(np.arange(60), REST))], C=[1.0]),
            OneClassError,
            "fold 1 must leave samples of all 3 classes to train on, but of its .* none is of 'setosa'; shuffle",
        ),
        (
            lambda _: cross_validate(lonely(), 2, **QUIET),
            LabelError,
            "one-versus-one needs at least two samples of every class, but 'virginica' has one",
        ),
        (
            lambda _: grid(OneVersusRest(*flowers(), KERNEL), 3, C=[1.0, -1.0]),
            ParameterError,
            "C must be a number above 0",
        ),
        (lambda model: grid(model, 3, D=[1.0]), ParameterError, "no hyper-parameter 'D'"),
        (lambda model: path(model, gamma=[1.0]), ParameterError, "no hyper-parameter 'gamma'"),
        (lambda model: grid(model, 3, C=[1.0], scoring="f1"), ParameterError, "'f1' does not score several classes"),
        (
            lambda model: grid(model, 3, C=[1.0], scoring="neg_log_loss"),
            ParameterError,
            "asks for more than decision values",
        ),
        (lambda model: exact_path(model, C=(1.0, 2.0)), ParameterError, "exact_path takes one machine"),
        (lambda model: model.on(REST), OneClassError, "none is of 'setosa'"),
    ],
)
def test_refusals(search: Any, error: type[Exception], message: str) -> None:
    X, y = flowers()
    with pytest.raises(error, match=message):
        search(OneVersusOne(X, y, KERNEL))


def test_a_level_that_a_pair_does_not_allow_is_told_before_anything_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    from formulations.selection.fits import Effort

    monkeypatch.setattr(Effort, "run", None)
    X, y = flowers()
    with pytest.raises(ParameterError, match=r"'versicolor' against 'setosa': nu = 0\.9 is infeasible") as caught:
        grid(OneVersusOne(X, y, KERNEL, machine=NuMargin), 2, nu=[0.1, 0.9], **QUIET)
    assert caught.value.__notes__ == ["at nu=0.9, fold 2"]


def test_points_without_an_answer() -> None:
    X, y = flowers()
    X = X[:, :2] + np.random.default_rng(0).normal(0.0, 1e-2, (60, 2))
    found = grid(OneVersusOne(X, y, machine=HardMargin), 3, kernel=[Linear(), RBF(300.0)], refit=False, **QUIET)
    assert np.isnan(found.scores[0]).all()
    assert found.best_index == 1
    assert found.status is Status.FAILED
    assert all(isinstance(error, InfeasibleError) for error in found.errors.values())
    assert "against" in str(found.errors[0, 0])


def test_a_scheme_with_other_hyper_parameters_is_another() -> None:
    model = OneVersusOne(*flowers(), KERNEL, C=1.0)
    other = model.with_params(C=5.0)
    assert isinstance(other, OneVersusOne)
    assert float(other.model((0, 1)).value_of("C")[0]) == 5.0
    assert float(model.model((0, 1)).value_of("C")[0]) == 1.0
    assert isinstance(model.model((0, 1)), SoftMargin)
    assert model.with_kernel(RBF(2.0)).gram.kernel == RBF(2.0)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    "settings",
    [
        {"C": 3.0},
        {"C": 3.0, "fit_intercept": False},
        {"machine": NuMargin, "nu": 0.4},
        {"C": np.linspace(0.5, 3.0, 60)},
        {"machine": LeastSquaresClassifier, "C": 3.0},
    ],
    ids=["costs", "no intercept", "level", "costs of samples", "closed form"],
)
def test_leaving_a_sample_out_is_fitting_the_machines_without_it(scheme: Any, settings: dict[str, Any]) -> None:
    X, y = flowers()
    model = scheme(X, y, KERNEL, **settings)
    found = leave_one_out(model, tol=1e-8, **QUIET)
    assert found.status is Status.OPTIMAL
    assert found.closed_form == (settings.get("machine") is LeastSquaresClassifier)
    for sample in range(0, 60, 4):
        rest = np.delete(np.arange(60), sample)
        expected = alone(scheme, rest, KERNEL, **settings)
        assert found.decision[sample] == pytest.approx(expected.function(X[[sample]])[0], abs=2e-3)
        assert found.predictions[sample] == expected.predict(X[[sample]])[0]
    assert found.score == accuracy_score(y, found.predictions)
    sample = 7
    assert found.solution(sample).predict(X[[sample]])[0] == found.predictions[sample]
    assert "over 60 samples" in str(found)


def test_samples_without_a_coefficient_in_any_machine_are_not_left_out() -> None:
    model = OneVersusOne(*flowers(), KERNEL, C=3.0)
    found = leave_one_out(model, tol=1e-8, **QUIET)
    used = [part.samples[part.model.solve(tol=1e-8).support.indices] for part in model.parts]
    assert sorted(found.fits) == np.unique(np.concatenate(used)).tolist()
    fit = found.fits[next(iter(found.fits))]
    assert (np.shape(fit.intercept), fit.held_out.shape) == ((3,), (1, 3))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_leave_one_out_goes_on_from_a_file(scheme: Any, tmp_path: Path) -> None:
    file, model = tmp_path / "fits.jsonl", scheme(*flowers(), KERNEL, C=3.0)
    first = leave_one_out(model, store=file, **QUIET)
    lines = file.read_text().splitlines()
    second = leave_one_out(model, store=file, **QUIET)
    assert file.read_text().splitlines() == lines
    assert all(fit.earlier for fit in second.fits.values())
    assert second.decision.tolist() == first.decision.tolist()


def test_an_unproved_machine_counts_for_samples_that_it_is_not_trained_on() -> None:
    found = leave_one_out(OneVersusOne(*flowers(), KERNEL, C=1e4), tol=1e-12, solver="smo", max_iter=1, **QUIET)
    assert found.status is not Status.OPTIMAL
    assert len(found.fits) == 60


def test_leaving_out_what_the_scheme_needs() -> None:
    with pytest.raises(LabelError, match="one-versus-one needs at least two samples of every class") as caught:
        leave_one_out(lonely(), **QUIET)
    assert caught.value.__notes__ == ["leaving out a sample of the smallest class"]
    several = lonely()
    assert leave_one_out(OneVersusRest(several.gram, several.y), **QUIET).status is Status.OPTIMAL
