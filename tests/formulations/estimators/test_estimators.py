# SPDX-License-Identifier: BSD-3-Clause
"""Estimators beside those of scikit-learn, and what they add: proofs, kernels as objects, weights that are copies."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn import svm
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import formulations.estimators as estimators
from formulations import ChebyshevFit, HardMargin, OneVersusOne, SoftMargin, SoftTube
from formulations.estimators import (
    LSSVC,
    SVC,
    SVR,
    KernelClassifier,
    KernelLogisticRegression,
    KernelRegressor,
    KernelRidge,
    NuSVC,
    OneClassSVM,
    SparseApproximation,
    UncertifiedWarning,
)
from formulations.losses import LogisticLoss
from qpkernels.errors import (
    IndefiniteKernelError,
    LabelError,
    OneClassError,
    ParameterError,
    ShapeError,
    SolverFailedError,
)
from qpkernels.kernels import RBF, FunctionKernel, Kernel, Linear, Polynomial
from qpkernels.problems import Status
from together import together

IRIS, SPECIES = load_iris(return_X_y=True)
PATIENTS, PROGRESS = (part[:200] for part in load_diabetes(return_X_y=True))
TWO = IRIS[50:], SPECIES[50:]

PAIRS: dict[str, tuple[str, dict[str, Any], Any]] = {
    "SVC": ("SVC", {}, (IRIS, SPECIES)),
    "SVC, two classes": ("SVC", {"C": 10.0, "gamma": "auto"}, TWO),
    "SVC, balanced": ("SVC", {"class_weight": "balanced"}, (IRIS[20:], SPECIES[20:])),
    "SVC, linear": ("SVC", {"kernel": "linear"}, (IRIS, SPECIES)),
    "SVC, poly": ("SVC", {"kernel": "poly", "degree": 2, "coef0": 1.0}, (IRIS, SPECIES)),
    "NuSVC": ("NuSVC", {"nu": 0.3}, (IRIS, SPECIES)),
    "SVR": ("SVR", {"C": 100.0, "epsilon": 5.0}, (PATIENTS, PROGRESS)),
    "NuSVR": ("NuSVR", {"C": 100.0, "nu": 0.3}, (PATIENTS, PROGRESS)),
    "OneClassSVM": ("OneClassSVM", {"nu": 0.2}, (IRIS, None)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_the_functions_are_those_of_scikit_learn(name: str) -> None:
    kind, parameters, (X, y) = PAIRS[name]
    weights = None if "balanced" in parameters.values() else np.random.default_rng(0).integers(1, 3, len(X))
    ours = getattr(estimators, kind)(tol=1e-10, gamma=parameters.pop("gamma", 0.3), **parameters)
    theirs = getattr(svm, kind)(tol=1e-9, gamma=ours.gamma, **parameters).fit(X, y, weights)
    ours.fit(X, y, weights)
    PAIRS[name] = kind, {**parameters, "gamma": ours.gamma}, (X, y)
    values = "decision_function" if hasattr(ours, "decision_function") else "predict"
    expected = getattr(theirs, values)(X)
    np.testing.assert_allclose(getattr(ours, values)(X), expected, atol=1e-4 * float(np.ptp(expected)))
    assert ours.dual_coef_.shape[0] == theirs.dual_coef_.shape[0]
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-3, atol=1e-4)
    assert ours.certificate_.holds(1e-10)
    assert ours.fit_status_ == 0
    if ours.kernel == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
        with pytest.raises(ValueError, match="read-only"):
            ours.coef_[:] = 0.0


def test_the_attributes_are_those_of_libsvm() -> None:
    ours, theirs = (kind(gamma=0.3, tol=1e-8).fit(IRIS, SPECIES) for kind in (SVC, svm.SVC))
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    np.testing.assert_array_equal(ours.predict(IRIS), theirs.predict(IRIS))
    assert isinstance(ours.model_, OneVersusOne)
    assert ours.solution_.status is Status.OPTIMAL


def test_a_search_over_a_pipeline_chooses_as_with_scikit_learn() -> None:
    grid = {"svc__C": [0.1, 1.0, 10.0], "svc__gamma": [0.01, 0.1, 1.0]}
    found = [
        GridSearchCV(make_pipeline(StandardScaler(), svc), grid, cv=3).fit(*TWO).best_params_
        for svc in (SVC(tol=1e-8), svm.SVC(tol=1e-8))
    ]
    assert found[0] == found[1]


# --- kernels ---


def test_one_kernel_in_four_ways() -> None:
    X, y = TWO
    named = SVC(gamma=0.5, tol=1e-10).fit(X, y)
    by_object = SVC(kernel=RBF(0.5), tol=1e-10).fit(X, y)
    by_function = SVC(kernel=lambda A, B: RBF(0.5)(A, B), tol=1e-10).fit(X, y)
    by_matrix = SVC(kernel="precomputed", tol=1e-10).fit(RBF(0.5)(X, X), y)
    expected = named.decision_function(IRIS)
    for values in (
        by_object.decision_function(IRIS),
        by_function.decision_function(IRIS),
        by_matrix.decision_function(RBF(0.5)(IRIS, X)),
    ):
        np.testing.assert_allclose(values, expected, atol=1e-6)
    assert by_matrix.support_vectors_.size == 0
    with pytest.raises(ValueError, match="100"):
        by_matrix.decision_function(np.ones((3, 7)))


def test_a_kernel_of_texts() -> None:
    texts = ["aa", "aab", "ab", "bb", "bba", "ba"]

    def common(one: list[str], other: list[str]) -> np.ndarray:
        return np.array([[float(sum(a.count(c) * b.count(c) for c in "ab")) for b in other] for a in one])

    fitted = SVC(kernel=common).fit(texts, [0, 0, 0, 1, 1, 1])
    assert fitted.predict(["aaa", "bbb"]).tolist() == [0, 1]


def test_parameters_of_a_kernel_are_searched_over() -> None:
    search = GridSearchCV(SVC(kernel=RBF(1.0)), {"kernel__gamma": [0.01, 0.1]}, cv=3).fit(*TWO)
    assert search.best_estimator_.kernel.gamma == search.best_params_["kernel__gamma"]
    mixed = SVC(kernel=RBF(1.0) + Polynomial(degree=2))
    assert clone(mixed).set_params(kernel__left__gamma=7.0).kernel.left.gamma == 7.0
    assert mixed.kernel.left.gamma == 1.0
    with pytest.raises(ParameterError, match=r"has no parameter 'width'; it has gamma"):
        SVC(kernel=RBF(1.0)).set_params(kernel__width=2.0)
    with pytest.raises(ParameterError, match="kernel is 'rbf'; the named kernels have gamma, degree and coef0"):
        SVC().set_params(kernel__gamma=2.0)


def test_an_indefinite_kernel_is_refused_or_corrected() -> None:
    X, y = TWO[0] - TWO[0].mean(axis=0), TWO[1]
    settings: dict[str, Any] = {"kernel": "sigmoid", "gamma": 1.0, "coef0": -1.0}
    with pytest.raises(IndefiniteKernelError):
        SVC(**settings).fit(X, y)
    corrected = SVC(**settings, indefinite="clip").fit(X, y)
    assert "kernel matrix" in str(corrected.solution_)


def test_sparse_samples_stay_sparse() -> None:
    X, y = csr_array(np.where(IRIS > 2.0, IRIS, 0.0)), SPECIES
    sparse, dense = SVC(tol=1e-8).fit(X, y), SVC(tol=1e-8).fit(X.toarray(), y)
    np.testing.assert_allclose(sparse.decision_function(X), dense.decision_function(X.toarray()), atol=1e-5)
    assert not isinstance(sparse.support_vectors_, np.ndarray)


# --- weights ---


def test_a_class_whose_samples_all_weigh_nothing_is_not_there() -> None:
    fitted = SVC().fit(IRIS, SPECIES, np.where(SPECIES == 1, 0.0, 1.0))
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert set(fitted.predict(IRIS)) == {0, 2}
    assert fitted.n_support_[1] == 0


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.where(np.arange(100) == 3, -1.0, 1.0), r"sample_weight\[3\] is -1: a sample cannot be there less than"),
        (np.zeros(100), "all samples have zero or negative weights"),
        (np.ones(99), "sample_weight must have 100 entries"),
    ],
)
def test_weights_that_are_none(weights: np.ndarray, words: str) -> None:
    for kind in (SVC, SVR):
        with pytest.raises((ParameterError, ShapeError), match=words):
            kind().fit(*TWO, sample_weight=weights)


def test_one_class_that_is_left() -> None:
    with pytest.raises(OneClassError, match="every sample with a weight above 0 is of 2"):
        SVC().fit(*TWO, sample_weight=(TWO[1] == 2).astype(float))


def test_a_model_without_costs_of_samples_weighs_none() -> None:
    machine = KernelRegressor(model=SoftTube, parameters={"epsilon": 0.5})
    assert machine.fit(PATIENTS, PROGRESS, np.linspace(1, 2, 200)).model_.value_of("C")[-1] == 2.0
    with pytest.raises(ParameterError, match="ChebyshevFit has no cost for single samples"):
        KernelRegressor(model=ChebyshevFit).fit(*TWO, np.linspace(1, 2, 100))


# --- proofs ---


def test_an_answer_that_is_not_proved_warns_or_is_refused() -> None:
    limited = SVC(C=1e4, max_iter=3, solver="smo", tol=1e-6)
    with pytest.warns(UncertifiedWarning, match="not proved to tol=1e-06: limit of iterations") as caught:
        fitted = limited.fit(*TWO)
    assert issubclass(UncertifiedWarning, ConvergenceWarning)
    assert caught[0].filename == __file__
    # What the solver says of its gap is left to the proof.
    assert "limit of iterations. The optimum lies between" in str(caught[0].message)
    assert (fitted.fit_status_, fitted.solution_.status) == (1, Status.STOPPED)
    with pytest.warns(UncertifiedWarning, match=r"not proved to tol=0\.01: .* This does not hold to 0\.01: "):
        SVC(max_iter=3, tol=1e-2).fit(IRIS, SPECIES)
    for kind in (LSSVC, SVR):
        with pytest.warns(UncertifiedWarning) as caught:
            kind(C=1e4, max_iter=1, solver="smo", tol=1e-9).fit(*TWO)
        assert caught[0].filename == __file__
    with pytest.raises(SolverFailedError, match="Pass strict=False to keep it"):
        clone(limited).set_params(strict=True).fit(*TWO)


def test_any_solver_of_the_registry() -> None:
    expected = SVC(tol=1e-8).fit(*TWO).decision_function(IRIS)
    for solver in ("clarabel", "interior-point"):
        np.testing.assert_allclose(SVC(solver=solver, tol=1e-8).fit(*TWO).decision_function(IRIS), expected, atol=1e-4)


def test_an_infinite_cost_is_the_hard_margin() -> None:
    separable = IRIS[:100], SPECIES[:100]
    fitted = SVC(C=np.inf, kernel="linear").fit(*separable)
    assert isinstance(fitted.model_, HardMargin)
    assert fitted.score(*separable) == 1.0
    assert SVR(C=np.inf, epsilon=100.0).fit(PATIENTS, PROGRESS).model_.name == "HardTube"
    assert SparseApproximation(C=np.inf, epsilon=150.0).fit(PATIENTS, PROGRESS).model_.name == "SparseApproximation"


# --- probabilities ---


def test_probabilities_of_logistic_regression() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:, :5]
    ours = KernelLogisticRegression(kernel="linear", tol=1e-10).fit(X, y)
    theirs = LogisticRegression(tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)


def test_probabilities_of_several_classes_add_up_and_decide() -> None:
    fitted = KernelLogisticRegression().fit(IRIS, SPECIES)
    proba = fitted.predict_proba(IRIS)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(fitted.predict(IRIS), np.argmax(proba, axis=1))
    assert fitted.score(IRIS, SPECIES) > 0.95


@pytest.mark.parametrize("data", [TWO, (IRIS, SPECIES)], ids=["two", "three"])
def test_calibrated_probabilities(data: Any) -> None:
    X, y = data
    fitted = NuSVC(nu=0.3, probability=True, random_state=0).fit(X, y)
    again = clone(fitted).fit(X, y)
    proba = fitted.predict_proba(X)
    np.testing.assert_array_equal(proba, again.predict_proba(X))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert (fitted.classes_[np.argmax(proba, axis=1)] == y).mean() > 0.9
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba(X)), proba)
    assert all(each.status is Status.OPTIMAL for each in fitted.calibrations_)


def test_probabilities_that_were_not_asked_for() -> None:
    fitted = SVC().fit(*TWO)
    assert not hasattr(fitted, "predict_proba")
    with pytest.raises(NotFittedError, match="fitted with probability=False"):
        fitted.set_params(probability=True).predict_proba(IRIS)


def tanh_of_products(X: Any, Z: Any) -> Any:
    """Return values that have no feature space."""
    return np.tanh(0.25 * np.asarray(X) @ np.asarray(Z).T)


@pytest.mark.parametrize(
    "kernel", ["sigmoid", FunctionKernel(tanh_of_products), tanh_of_products], ids=["name", "own", "function"]
)
@pytest.mark.parametrize("kind", [SVC, NuSVC, LSSVC, SVR, OneClassSVM, KernelRidge])
def test_a_clipped_matrix_predicts_what_was_proved(kind: Any, kernel: Any) -> None:
    settings = {"gamma": 0.25, "coef0": 0.0, "indefinite": "clip"} | ({"nu": 0.3} if kind is NuSVC else {})
    if kind is KernelRidge and not isinstance(kernel, str | Kernel):
        kernel = FunctionKernel(kernel)
    flowers = StandardScaler().fit_transform(IRIS)
    fitted = kind(kernel=kernel, **settings).fit(flowers[50:], SPECIES[50:])
    assert "kernel matrix" in str(fitted.solution_)
    values = fitted.predict(flowers[50:]) if kind in (SVR, KernelRidge) else fitted.decision_function(flowers[50:])
    decision = fitted.solution_.decision
    scale = np.abs(values).max() / np.abs(decision).max()
    assert scale == pytest.approx(1.0) or kind in (NuSVC, OneClassSVM)
    np.testing.assert_allclose(values, scale * decision, atol=1e-9 * np.abs(values).max())
    if kind is SVC:
        several = SVC(kernel=kernel, **settings, decision_function_shape="ovo").fit(flowers, SPECIES)
        for column, part in enumerate(several.solution_.function.parts):
            own = several.decision_function(flowers)[part.samples, column]
            proved = several.solution_.solutions[column].decision
            np.testing.assert_allclose(own, -proved, atol=1e-9 * np.abs(own).max())


# --- losses and models ---


def test_a_loss_by_name_by_object_and_a_model() -> None:
    by_name = KernelClassifier(loss="log_loss", tol=1e-8).fit(*TWO)
    by_object = KernelClassifier(loss=LogisticLoss(), tol=1e-8).fit(*TWO)
    np.testing.assert_allclose(by_name.decision_function(IRIS), by_object.decision_function(IRIS))
    by_model = KernelClassifier(model=SoftMargin, parameters={"C": 3.0}, tol=1e-8).fit(*TWO)
    np.testing.assert_allclose(
        by_model.decision_function(IRIS), SVC(C=3.0, tol=1e-8).fit(*TWO).decision_function(IRIS), atol=1e-5
    )
    with pytest.raises(ParameterError, match="loss"):
        KernelClassifier(loss="hing").fit(*TWO)
    with pytest.raises(ParameterError, match="parameters are those of a model, but there is none"):
        KernelClassifier(parameters={"C": 3.0}).fit(*TWO)


def test_all_samples_support_least_squares() -> None:
    assert LSSVC().fit(*TWO).n_support_.sum() == 100


# --- what is kept, and what is refused ---


def test_names_of_features_are_checked() -> None:
    frame = pd.DataFrame(IRIS, columns=["a", "b", "c", "d"])
    fitted = SVC().fit(frame, SPECIES)
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(frame[["b", "a", "c", "d"]])
    with pytest.raises(ValueError, match="3 features"):
        SVC(kernel=RBF(1.0)).fit(IRIS, SPECIES).predict(IRIS[:, :3])


@pytest.mark.filterwarnings("error")
def test_samples_whose_sum_overflows_are_samples() -> None:
    y, X = np.minimum(SPECIES, 1), IRIS.copy()
    X[:2, 0] = 1e308
    fitted = SVC(gamma=0.5).fit(X, y)
    assert fitted.predict(X[2:]) == pytest.approx(y[2:])


def test_a_fit_that_fails_leaves_no_answer_of_another() -> None:
    fitted = SVC(gamma=0.5).fit(IRIS, np.minimum(SPECIES, 1))
    with pytest.raises(IndefiniteKernelError):
        fitted.set_params(kernel="sigmoid").fit(IRIS - IRIS.mean(axis=0), SPECIES)
    assert not hasattr(fitted, "solution_")


def test_a_copy_from_a_file_answers_alike() -> None:
    fitted = SVC(kernel=Linear(), probability=True, random_state=1).fit(IRIS, SPECIES)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict_proba(IRIS), fitted.predict_proba(IRIS))
    assert str(copy.certificate_) == str(fitted.certificate_)


@together(
    "estimator, error, words",
    [
        (
            SVC(kernel="rbv"),
            ParameterError,
            "kernel must be one of laplacian, linear, polynomial, rbf, sigmoid, precomputed",
        ),
        (SVC(gamma="wide"), ParameterError, "gamma must be 'scale', 'auto' or a number above 0"),
        (SVC(gamma=0.0), ParameterError, "gamma must be finite and above 0"),
        (SVC(max_iter=0), ParameterError, "max_iter must be an integer of at least 1, or -1 for no limit, but 0 came"),
        (SVC(C=-1.0), ParameterError, "C must be"),
        (SVC(tol=0.0), ParameterError, "tol must be"),
        (SVC(cache_size=0), ParameterError, "cache_size must be"),
        (SVC(decision_function_shape="ova"), ParameterError, "decision_function_shape"),
        (NuSVC(nu=0.9, class_weight={1: 1.0, 2: 0.1}), ParameterError, "samples with these weights: the largest"),
        (SVC(kernel="precomputed"), ShapeError, "must be a square matrix"),
        (OneClassSVM(nu=2.0), ParameterError, "nu must be"),
    ],
)
def test_refusals(estimator: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        estimator.fit(*TWO)


def test_refusals_of_answers() -> None:
    with pytest.raises(AttributeError, match="only available when using a linear kernel"):
        _ = SVC().fit(*TWO).coef_
    with pytest.raises(AttributeError, match="is not fitted yet"):
        _ = SVC().n_support_
    with pytest.raises(ParameterError, match="break_ties must be False"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(IRIS, SPECIES).predict(IRIS)
    with pytest.raises(LabelError, match="needs two samples of each class"):
        SVC(probability=True).fit(np.arange(5.0)[:, None], [0, 0, 0, 0, 1])
