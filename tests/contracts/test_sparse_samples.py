# SPDX-License-Identifier: BSD-3-Clause
"""Models of sparse samples: they find what they find for the same samples dense."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix, issparse
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVC, SVR, OneClassSVM

from formulations import (
    BatchPerceptron,
    HullIntersection,
    LeastSquaresFit,
    OneClass,
    OneVersusOne,
    OneVersusRest,
    Perceptron,
    RelevanceRegression,
    Separability,
    SoftMargin,
    SoftTube,
    calibrate,
)
from formulations.modelling.inputs.estimators import with_constant
from model_data import CASES, SHARP, Case, blobs, contradiction, measured, model_of, solved
from qpkernels import (
    RBF,
    Expansion,
    Gram,
    Kernel,
    Linear,
    Polynomial,
)
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from qpkernels.kernels.rbf import scale_gamma
from sparse_samples import (
    FEATURES,
    assert_close,
    labels_of,
    wide,
    with_zeros,
)
from together import together


class TestBadInput:
    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("form", ["csr", "csc", "coo"])
    def test_entries_that_are_not_finite(self, value: float, form: str) -> None:
        X = np.eye(5, 4)
        X[3, 2], X[4, 0] = value, value
        words = rf"X must hold finite numbers only, but X\[3, 2\] is {value} \(2 such entries\); drop"
        for act in (RBF(1.0), Linear(), lambda bad: Gram(Polynomial(), bad), scale_gamma, with_constant):
            with pytest.raises(NonFiniteError, match=words):
                act(csr_array(X).asformat(form))
        with pytest.raises(NonFiniteError, match=words):
            SoftMargin(csr_array(X), [1, -1, 1, -1, 1], RBF(1.0))
        with pytest.raises(NonFiniteError, match=words):
            Expansion(RBF(1.0), np.eye(4), np.ones(4))(csr_array(X))

    def test_sums_beyond_float64(self) -> None:
        X = coo_array((np.full(2, 1e308), ([1, 1], [0, 0])), shape=(2, 2))
        with pytest.raises(NonFiniteError, match=r"X\[1, 0\] is inf"):
            Linear()(X)

    def test_shapes(self) -> None:
        for shape in ((0, 3), (3, 0)):
            with pytest.raises(ShapeError, match=rf"at least one sample and one feature, .* \({shape[0]}, {shape[1]}"):
                RBF(1.0)(csr_array(shape))
        with pytest.raises(ShapeError, match=r"X must have two dimensions .* \(3,\)"):
            RBF(1.0)(coo_array(np.ones(3)))

    def test_entries_that_are_no_real_numbers(self) -> None:
        with pytest.raises(ShapeError, match="X must hold real numbers, but complex128 came; convert it first"):
            RBF(1.0)(csr_array(np.eye(2) * 1j))

    def test_a_matrix_that_contradicts_itself(self) -> None:
        X = csr_array(np.eye(3))
        X.indices[1] = 7
        with pytest.raises(ShapeError, match=r"X is no valid sparse matrix: .*; build it anew"):
            RBF(1.0)(X)

    # SciPy's own full check passes over the first of these, and compiled code then writes out of bounds.
    @pytest.mark.parametrize("starts", [[0, 5, 0], [0, 2, 1], [1, 1, 2], [0, -1, 2]])
    @pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
    def test_starts_that_do_not_ascend_to_the_number_of_entries(self, starts: list[int], form: str) -> None:
        X = csr_array(np.eye(2)).asformat(form)
        X.indptr[:] = starts
        with pytest.raises(ShapeError, match="X is no valid sparse matrix"):
            RBF(1.0)(X)

    def test_coordinates_beyond_the_shape(self) -> None:
        X = coo_array(np.eye(2))
        X.coords[0][1] = 2
        with pytest.raises(ShapeError, match="X is no valid sparse matrix"):
            RBF(1.0)(X)

    def test_lengths_and_features_that_do_not_fit(self) -> None:
        X = csr_array(with_zeros(6))
        with pytest.raises(ShapeError, match="X has 6 samples and y has 5 labels"):
            SoftMargin(X, [1, -1, 1, -1, 1], RBF(1.0))
        with pytest.raises(ShapeError, match="coefficients must have 6 entries"):
            Expansion(RBF(1.0), X, np.ones(5))
        with pytest.raises(ShapeError, match="fitted to samples with 3 features, but those of X have 2 features"):
            Expansion(RBF(1.0), X, np.ones(6))(X[:, :2])


LAST_CASES = [case for case in CASES if case.intercept and case.kernel == case.example.kernels[-1]]


ROUTES = [(case, solver) for case in LAST_CASES for solver in case.routes[:1]]


ROUTES += [(case, "clarabel") for case in LAST_CASES if len(case.routes) > 1][::4]


EXPLICIT_ROUTES = [
    (case, case.routes[0])
    for case in CASES
    if case.intercept and case.kernel == "explicit" and len(case.example.kernels) > 1
]


@together("case, solver", ROUTES + EXPLICIT_ROUTES, by=model_of)
def test_every_model_finds_what_it_finds_for_dense_samples(case: Case, solver: str) -> None:
    dense, expected = solved(case, solver)
    X = case.data()[0]
    form = case.state(X=csr_array(X))
    assert not form.model.data.explicit
    solution = form.solve(solver, tol=SHARP[solver])
    assert solution.status == expected.status
    assert solution.objective == pytest.approx(expected.objective, rel=1e-7, abs=1e-9)
    # Each answer is proved by the other model, which knows nothing of how it was found.
    if case.model is not Separability:
        assert dense.model.certify(solution).holds(1e-7)
        assert form.model.certify(expected).holds(1e-7)
    f = solution.function
    assert_close(f(csr_array(X)), f(X))
    np.testing.assert_allclose(f(X), expected.function(X), atol=1e-3 * np.abs(expected.function(X)).max())


@pytest.mark.parametrize("machine", [OneVersusRest, OneVersusOne])
@pytest.mark.parametrize("kernel", [RBF(0.5), None], ids=str)
def test_several_classes(machine: Any, kernel: Kernel | None) -> None:
    X = with_zeros(45, d=4)
    y = np.array(["a", "b", "c"])[np.argmax(X[:, :3] + 0.1, axis=1)]
    dense = machine(X, y, kernel, C=2.0).solve("smo", tol=1e-9)
    sparse = machine(csr_array(X), y, kernel, C=2.0).solve("smo", tol=1e-9)
    assert sparse.status == dense.status == "optimal"
    np.testing.assert_allclose(sparse.function(csr_array(X)), dense.function(X), atol=1e-3)
    assert_close(sparse.function(csr_array(X)), sparse.function(X))
    np.testing.assert_array_equal(sparse.predict(csr_array(X)), sparse.predict(X))


def test_estimators_fitted_to_sparse_samples_are_certified() -> None:
    X = with_zeros(40, d=6)
    y, t, S = labels_of(X), X @ np.arange(6.0) + labels_of(X, 1), csr_matrix(X)
    for X_model in (S, X):
        svc = SVC(C=0.7, gamma=0.3, tol=1e-8).fit(S, y)
        assert SoftMargin(X_model, y, RBF(0.3), C=0.7).certify(svc).holds(1e-6)
        with pytest.raises(ParameterError, match=r"RBF\(gamma=0\.3\), but the model has RBF\(gamma=0\.4\)"):
            SoftMargin(X_model, y, RBF(0.4), C=0.7).certify(svc)
        linear = SVC(C=0.7, kernel="linear", tol=1e-8).fit(S, y)
        assert SoftMargin(X_model, y, C=0.7).certify(linear).holds(1e-6)
        svr = SVR(C=0.7, gamma=0.3, epsilon=0.2, tol=1e-8).fit(S, t)
        assert SoftTube(X_model, t, RBF(0.3), C=0.7, epsilon=0.2).certify(svr).holds(1e-6)
        novelty = OneClassSVM(nu=0.3, gamma=0.3, tol=1e-9).fit(S)
        assert OneClass(X_model, RBF(0.3), nu=0.3).certify(novelty).holds(1e-5)
        assert LeastSquaresFit(X_model, t).certify(LinearRegression(tol=1e-12).fit(S, t)).holds(1e-6)


def test_samples_without_a_kernel_are_bound_to_the_linear_one() -> None:
    X, y = blobs(seed=1, samples=30, features=4, distance=1.0)
    model = SoftMargin(csr_array(X), y)
    assert model.gram.kernel == Linear()
    with pytest.raises(AttributeError, match="sparse samples, the variable of a SoftMarginPrimal is u"):
        _ = model.primal.w
    solution = model.primal.solve("clarabel", tol=1e-9)
    dense = SoftMargin(X, y).primal.solve("clarabel", tol=1e-9)
    np.testing.assert_allclose(solution.function.weights, dense.function.weights[:], atol=1e-5)
    assert issparse(solution.function.centers)


def test_a_gram_of_sparse_samples_is_shared() -> None:
    X, y = blobs(seed=1, samples=30, features=4, distance=1.0)
    gram = Gram(RBF(0.5), csr_array(X))
    first, second = (SoftMargin(gram, y, C=C).dual.solve("smo", tol=1e-10) for C in (0.5, 2.0))
    for solution, C in ((first, 0.5), (second, 2.0)):
        assert SoftMargin(X, y, RBF(0.5), C=C).certify(solution).holds(1e-9)


def test_separability_is_decided() -> None:
    X, y = contradiction()
    for kernel in (None, RBF(0.5)):
        proof = Separability(csr_array(X), y, kernel).decide()
        assert isinstance(proof, HullIntersection)
        assert proof.distance < 1e-6
        assert proof.coordinates is None
        assert issparse(proof.positive.centers)
        apart = blobs(seed=3, samples=24, features=3, distance=12.0)
        assert Separability(csr_array(apart[0]), apart[1], kernel).decide().status == "optimal"


@pytest.mark.parametrize("rule", [Perceptron, BatchPerceptron])
def test_perceptrons_separate(rule: Any) -> None:
    X, y = blobs(seed=3, samples=24, features=3, distance=12.0)
    for kernel in (None, RBF(0.1)):
        sparse = rule(csr_array(X), y, kernel).solve()
        assert sparse.separated
        np.testing.assert_array_equal(sparse.alpha, rule(X, y, Linear() if kernel is None else kernel).solve().alpha)
        np.testing.assert_array_equal(np.sign(sparse.function(csr_array(X))), y)


def test_scores_are_calibrated() -> None:
    X = with_zeros(40, d=5)
    y = labels_of(X)

    def state(samples: Any, labels: Any) -> SoftMargin:
        return SoftMargin(samples, labels, RBF(0.3))

    for make in (csr_array, csr_matrix, coo_array):
        sparse, dense = (calibrate(state, samples, y, folds=4) for samples in (make(X), X))
        np.testing.assert_allclose(sparse.probability(csr_array(X)), dense.probability(X), atol=1e-3)
    with pytest.raises(ShapeError, match="X has 40 samples and y has 39"):
        calibrate(state, csr_array(X), y[1:])


def test_relevance_vectors_are_found() -> None:
    X, t = measured()
    sparse, dense = (RelevanceRegression(samples, t, RBF(0.5)).solve() for samples in (csr_array(X), X))
    np.testing.assert_array_equal(sparse.relevance, dense.relevance)
    assert sparse.log_evidence == pytest.approx(dense.log_evidence, rel=1e-9)
    np.testing.assert_allclose(sparse.variance(csr_array(X)), dense.variance(X), rtol=1e-6)


def test_a_constant_feature_is_added() -> None:
    X = with_zeros(5)
    extended = with_constant(csr_array(X), 2.0)
    assert type(extended) is csr_array
    np.testing.assert_array_equal(extended.toarray(), with_constant(X, 2.0))


@pytest.mark.parametrize("kernel", [RBF(0.05), None], ids=str)
def test_models_of_samples_that_no_memory_holds_dense(kernel: Kernel | None, tmp_path: Path) -> None:
    X, y = wide(20_000)
    train = X[:600], y[:600]
    solution = SoftMargin(*train, kernel).dual.solve("smo", tol=1e-8)
    assert solution.status == "optimal"
    assert SoftMargin(*train, kernel).dual.solve("clarabel", tol=1e-8).objective == pytest.approx(
        solution.objective, rel=1e-6
    )
    f = Expansion.load(solution.function.save(tmp_path / "model"))
    assert np.mean(f.predict(X) == y) > 0.7
    if kernel is None:
        assert f.weights.shape == (FEATURES,)
