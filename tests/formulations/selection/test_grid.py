# SPDX-License-Identifier: BSD-3-Clause
"""Grids: the choice of scikit-learn, from certified fits."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold
from sklearn.svm import SVC

from formulations import HardMargin, KernelRidge, Logistic, NuMargin, SoftMargin, SoftTube
from formulations.selection import cross_validate, grid
from model_data import contradiction, measured, overlapping
from qpkernels import RBF, Linear, Matern, Polynomial
from qpkernels.errors import InfeasibleError, ParameterError, ShapeError
from qpkernels.files import scale_features
from qpkernels.problems import Status

C, GAMMA = [0.1, 1.0, 10.0, 100.0], [0.01, 0.1, 1.0]


def cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return scale_features(X), y


def test_the_choice_of_scikit_learn() -> None:
    X, y = cancer()
    found = grid(SoftMargin(X, y, RBF(0.5)), 5, C=C, gamma=GAMMA, tol=1e-6)
    peer = GridSearchCV(SVC(tol=1e-6), {"C": C, "gamma": GAMMA}, cv=5).fit(X, y)
    assert found.status is Status.OPTIMAL
    assert list(found.points) == list(ParameterGrid({"C": C, "gamma": GAMMA}))
    assert found.best_params == peer.best_params_
    assert found.best_index == peer.best_index_
    assert found.best_score == peer.best_score_
    assert found.mean == pytest.approx(peer.cv_results_["mean_test_score"], abs=1e-12)
    assert found.std == pytest.approx(peer.cv_results_["std_test_score"], abs=1e-12)
    assert found.rank.tolist() == peer.cv_results_["rank_test_score"].tolist()
    table = found.to_pandas()
    for column in ("param_C", "param_gamma", "split3_test_score", "mean_test_score", "rank_test_score"):
        assert list(table[column]) == pytest.approx(list(peer.cv_results_[column]))
    assert found.best_solution is not None
    assert np.array_equal(found.best_solution.function.predict(X), peer.predict(X))


def test_every_point_is_a_cross_validation() -> None:
    X, y = measured()
    model = SoftTube(X, y, RBF(0.5))
    found = grid(model, 3, C=[0.5, 2.0], epsilon=[0.2, 0.05], kernel__gamma=[0.3, 0.6], tol=1e-8)
    assert len(found.points) == 8
    for point, scores in zip(found.points, found.scores, strict=True):
        numbers = {name: value for name, value in point.items() if name != "kernel__gamma"}
        alone = SoftTube(X, y, RBF(point["kernel__gamma"]), **numbers)
        assert scores == pytest.approx(cross_validate(alone, 3, tol=1e-8).scores, abs=1e-4)
    assert (model.C.value == 1.0).all()


def test_equal_means_choose_the_first_point() -> None:
    X, y = overlapping()
    found = grid(SoftMargin(X, y, RBF(0.5)), 3, C=[3.0, 3.0, 3.0])
    assert found.rank.tolist() == [1, 1, 1]
    assert found.best_index == 0


def test_kernels_are_values_too() -> None:
    X, y = overlapping()
    kernels = [Linear(), RBF(0.5), Polynomial(2)]
    found = grid(SoftMargin(X, y), StratifiedKFold(3), kernel=kernels, C=[1.0, 5.0], tol=1e-7)
    assert [point["kernel"] for point in found.points] == kernels * 2
    for point, scores in zip(found.points, found.scores, strict=True):
        alone = SoftMargin(X, y, point["kernel"], C=point["C"])
        assert scores == pytest.approx(cross_validate(alone, 3, tol=1e-7).scores)
    assert found.best_model.gram.kernel == found.best_params["kernel"]


def test_a_name_that_model_and_kernel_share_is_the_model_s() -> None:
    X, y = overlapping()
    model = NuMargin(X, y, Matern(1.0, 1.5), nu=0.3)
    found = grid(model, 3, nu=[0.2, 0.3], kernel__nu=[0.5, 2.5])
    assert found.best_model.gram.kernel.nu in (0.5, 2.5)
    assert float(found.best_model.nu.value) in (0.2, 0.3)


def test_models_that_are_no_kernel_qp_and_costs_for_each_sample() -> None:
    X, y = overlapping()
    assert grid(Logistic(X, y, RBF(0.5)), 3, C=[0.5, 5.0], tol=1e-5).status is Status.OPTIMAL
    assert grid(KernelRidge(X, y.astype(float), RBF(0.5)), 3, regularisation=[5.0, 0.5]).status is Status.OPTIMAL
    weights = np.linspace(0.5, 2.0, 30)
    found = grid(SoftMargin(X, y, RBF(0.5)), 3, C=[weights, 5 * weights], tol=1e-8)
    alone = cross_validate(SoftMargin(X, y, RBF(0.5), C=5 * weights), 3, tol=1e-8)
    assert found.scores[1] == pytest.approx(alone.scores)


def test_the_table() -> None:
    found = grid(SoftMargin(*overlapping(), RBF(0.5)), 3, C=C, gamma=GAMMA, refit=False)
    assert found.best_solution is None
    lines = str(found).splitlines()
    assert lines[0].startswith(f"best accuracy {found.best_score:.6g} at C={found.best_params['C']:g}, gamma=")
    assert lines[0].endswith("every fit is proved at 0.001")
    assert lines[-1] == "2 more points"
    first = next(line.split() for line in lines if line.split()[:1] == ["1"])
    assert first[5] == "3/3"


def test_a_grid_without_any_score_and_a_refit_without_an_answer() -> None:
    X, y = contradiction()
    pairs = [(np.arange(30), np.array([30])), (np.delete(np.arange(31), 5), np.array([5]))]
    with pytest.raises(InfeasibleError) as caught:
        grid(HardMargin(X, y), pairs, kernel=[RBF(1.0)])
    assert caught.value.__notes__ == ["at kernel=RBF(gamma=1.0), fold 2"]
    with pytest.raises(InfeasibleError) as caught:
        grid(HardMargin(X, y), pairs[:1], kernel=[RBF(1.0)])
    assert caught.value.__notes__ == ["on all samples, at the best point; refit=False returns the scores"]
    assert grid(HardMargin(X, y), pairs[:1], kernel=[RBF(1.0)], refit=False).status is Status.OPTIMAL


def test_points_without_a_score_are_last() -> None:
    X, y = overlapping()
    found = grid(HardMargin(X, y), 3, kernel=[Linear(), RBF(1.0)])
    assert np.isnan(found.scores[0]).any()
    assert not np.isnan(found.scores[1]).any()
    assert found.best_params["kernel"] == RBF(1.0)
    assert found.rank.tolist() == [2, 1]
    assert found.status is Status.FAILED
    assert {point for point, _ in found.errors} == {0}
    assert all(isinstance(error, InfeasibleError) for error in found.errors.values())
    assert re.search(r"kernel=Linear\(\), fold \d: no hyperplane", str(found))
    assert f"; {6 - len(found.errors)} of 6 fits are proved at 0.001" in str(found)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({}, ParameterError, "a grid needs values"),
        (
            {"D": [1]},
            ParameterError,
            r"no hyper-parameter 'D', .* the names are C of the model, and gamma of the kernel",
        ),
        ({"kernel__sigma": [1]}, ParameterError, "no hyper-parameter 'sigma'"),
        ({"C": 1.0}, ParameterError, "C must be a list of values"),
        ({"C": []}, ParameterError, "C must be a list of values"),
        ({"C": "1"}, ParameterError, "C must be a list of values"),
        ({"kernel": RBF(1.0)}, ParameterError, "kernel must be a list of values"),
        ({"kernel": ["rbf"]}, ParameterError, "kernel must be a Kernel object"),
        ({"C": [1.0, -1.0]}, ParameterError, "C must be a number above 0, but -1"),
        ({"C": [1.0, "much"]}, ParameterError, "C must be a number"),
        ({"C": [np.ones(7)]}, ShapeError, "C must"),
        ({"gamma": [1.0, 0.0]}, ParameterError, "gamma must be"),
        ({"gamma": [1.0, None]}, ParameterError, "gamma must be"),
    ],
)
def test_values_are_checked_before_anything_is_computed(
    parameters: dict[str, Any], error: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from formulations.selection.fits import Effort

    monkeypatch.setattr(Effort, "run", None)
    with pytest.raises(error, match=message):
        grid(SoftMargin(*overlapping(), RBF(0.5)), 3, **parameters)


def test_a_value_that_one_fold_does_not_allow_is_told_first(monkeypatch: pytest.MonkeyPatch) -> None:
    from formulations.selection.fits import Effort

    monkeypatch.setattr(Effort, "run", None)
    X, y = overlapping()
    few = np.concatenate([np.flatnonzero(y > 0), np.flatnonzero(y < 0)[:3]])
    pairs = [(np.arange(20), np.arange(20, 30)), (few, np.setdiff1d(np.arange(30), few))]
    with pytest.raises(ParameterError, match=r"nu = 0\.5 is infeasible") as caught:
        grid(NuMargin(X, y), pairs, nu=[0.1, 0.5])
    assert caught.value.__notes__ == ["at nu=0.5, fold 2"]


def test_bad_input() -> None:
    model = SoftMargin(*overlapping(), RBF(0.5))
    with pytest.raises(ParameterError, match=r"grid takes a model first.* GridSearchCV\(SVC"):
        grid(SVC(), C=[1])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="refit must be"):
        grid(model, C=[1], refit="yes")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="tol must be"):
        grid(model, C=[1], tol=0)
