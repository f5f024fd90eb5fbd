# SPDX-License-Identifier: BSD-3-Clause
"""Model files of LIBSVM and LIBLINEAR, written of scikit-learn's machines as these programs write theirs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM
from sklearn.tree import DecisionTreeClassifier

from audit_data import GAMMA, SHARP, targets, three_classes, two_classes, weights
from formulations import SoftMargin, audit, estimators
from qpkernels.errors import FileFormatError, ParameterError, ShapeError
from qpkernels.files import write_libsvm_model
from qpkernels.kernels import RBF

RADIAL: dict[str, Any] = {"gamma": GAMMA, **SHARP}
SAME = 1e-5
"""Features of 8 digits move the kernel by as much."""


def numbered(y: np.ndarray) -> np.ndarray:
    """Return labels as the integers that LIBSVM has."""
    return np.unique(y, return_inverse=True)[1]


def by_libsvm(machine: Any, path: Path, digits: str = ".8g") -> Path:
    """Write the machine as svm-train does, with 17 digits of coefficients and 8 of features."""
    classes = getattr(machine, "classes_", None)
    head = [f"svm_type {machine._impl}", f"kernel_type {machine.kernel}"]
    if machine.kernel == "rbf":
        head.append(f"gamma {machine._gamma:.17g}")
    head += [f"nr_class {2 if classes is None else len(classes)}", f"total_sv {len(machine.support_)}"]
    head.append("rho " + " ".join(f"{-b:.17g}" for b in machine._intercept_))
    if classes is not None:
        head.append("label " + " ".join(map(str, classes.tolist())))
        head += [f"{key} " + " ".join("1" for _ in machine._intercept_) for key in ("probA", "probB")]
        head.append("nr_sv " + " ".join(map(str, machine.n_support_.tolist())))
    lines = []
    for coefficients, vector in zip(machine._dual_coef_.T, machine.support_vectors_, strict=True):
        features = " ".join(f"{k}:{value:{digits}}" for k, value in enumerate(vector, start=1) if value)
        lines.append(" ".join(f"{c:.17g}" for c in coefficients) + " " + features + " ")
    path.write_text("\n".join([*head, "SV", *lines]) + "\n")
    return path


def by_liblinear(solver: str, machine: Any, path: Path, bias: float, order: Any = None) -> Path:
    """Write the machine as train does, the classes in that order."""
    classes = getattr(machine, "classes_", None)
    w = np.atleast_2d(machine.coef_)
    b = np.broadcast_to(machine.intercept_, len(w))
    order = np.arange(1 if classes is None else len(classes)) if order is None else np.asarray(order)
    if len(w) > 1:
        w, b = w[order], b[order]
    elif classes is not None and order[0] == 0:
        w, b = -w, -b
    head = [f"solver_type {solver}", f"nr_class {2 if classes is None else len(classes)}"]
    if classes is not None:
        head.append("label " + " ".join(str(label) for label in classes[order].tolist()))
    head += [f"nr_feature {w.shape[1]}", f"bias {bias:.17g}"]
    rows = np.vstack([w.T, b / bias]) if bias >= 0 else w.T
    lines = ["".join(f"{value:.17g} " for value in row) for row in rows]
    path.write_text("\n".join([*head, "w", *lines]) + "\n")
    return path


# --- LIBSVM ---


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("digits", [".8g", ".17g"])
def test_classes_of_libsvm(several: bool, digits: str, tmp_path: Path) -> None:
    X, y = three_classes() if several else two_classes()
    y = numbered(y)
    path = by_libsvm(SVC(C=3.0, **RADIAL).fit(X, y), tmp_path / "a.model", digits)
    found = audit(path, X, y, tol=SAME, C=3.0)
    assert found.estimator == "a.model"
    assert found.status == "optimal"
    assert len(found) == (3 if several else 1)
    assert audit(str(path), csr_array(X), y, tol=SAME, C=3.0).status == "optimal"
    assert audit(path, X, y, tol=SAME, C=1.0).status == "uncertified"


def test_weights_of_classes(tmp_path: Path) -> None:
    X, y = two_classes()
    y = numbered(y)
    path = by_libsvm(SVC(class_weight={0: 1.0, 1: 4.0}, **RADIAL).fit(X, y), tmp_path / "a.model")
    assert audit(path, X, y, tol=SAME, C=1.0, class_weight={0: 1.0, 1: 4.0}).status == "optimal"
    assert audit(path, X, y, tol=SAME, C=1.0).status == "uncertified"


@pytest.mark.parametrize(
    ("estimator", "given", "real"),
    [
        (NuSVC(nu=0.2, **RADIAL), {"nu": 0.2}, False),
        (SVR(C=2.0, epsilon=0.3, **RADIAL), {"C": 2.0, "epsilon": 0.3}, True),
        (NuSVR(C=2.0, nu=0.3, **RADIAL), {"C": 2.0, "nu": 0.3}, True),
        (SVR(kernel="linear", **SHARP), {"C": 1.0, "epsilon": 0.1}, True),
    ],
    ids=str,
)
def test_other_kinds(estimator: Any, given: dict[str, float], real: bool, tmp_path: Path) -> None:
    X, y = targets() if real else two_classes()
    y = y if real else numbered(y)
    path = by_libsvm(estimator.fit(X, y), tmp_path / "a.model")
    assert audit(path, X, y, tol=SAME, **given).status == "optimal"


def test_one_class(tmp_path: Path) -> None:
    X, _ = two_classes()
    path = by_libsvm(OneClassSVM(nu=0.3, **RADIAL).fit(X), tmp_path / "a.model")
    assert audit(path, X, tol=SAME, nu=0.3).status == "optimal"


def test_a_matrix(tmp_path: Path) -> None:
    X, y = two_classes()
    K, y = RBF(GAMMA)(X), numbered(y)
    machine = SVC(kernel="precomputed", **SHARP).fit(K, y)
    path = by_libsvm(SVC(**RADIAL).fit(X, y), tmp_path / "a.model")
    text = re.sub(r"kernel_type rbf\ngamma .*", "kernel_type precomputed", path.read_text())
    head, _, body = text.partition("SV\n")
    assert np.array_equal(machine.support_, SVC(**RADIAL).fit(X, y).support_)
    lines = [line.split()[0] for line in body.splitlines()]
    rows = [f"{line} 0:{number + 1}" for line, number in zip(lines, machine.support_, strict=True)]
    path.write_text(head + "SV\n" + "\n".join(rows) + "\n")
    assert audit(path, K, y, tol=SAME, C=1.0).status == "optimal"
    with pytest.raises(ShapeError, match=r"of a matrix, but X has 50 rows"):
        audit(path, K[:50, :50], y[:50], C=1.0)


def test_what_this_project_writes(tmp_path: Path) -> None:
    X, y = two_classes()
    y = numbered(y)
    solution = SoftMargin(X, y, RBF(GAMMA), C=2.0).solve(tol=1e-9)
    path = write_libsvm_model(solution.function, tmp_path / "ours.model")
    found = audit(path, X, y, tol=1e-8, C=2.0)
    assert found.status == "optimal"
    assert found[0].certificate.dual_value == pytest.approx(solution.certificate.dual_value, rel=1e-12)


def test_equal_samples_of_two_classes(tmp_path: Path) -> None:
    X, y = two_classes()
    y = numbered(y)
    X, y = np.vstack([X, X[:40]]), np.concatenate([y, 1 - y[:20], y[20:40]])
    path = by_libsvm(SVC(C=3.0, **RADIAL).fit(X, y), tmp_path / "a.model")
    assert audit(path, X, y, tol=SAME, C=3.0).status == "optimal"


def test_support_vectors_that_are_no_samples(tmp_path: Path) -> None:
    X, y = two_classes()
    y = numbered(y)
    machine = SVC(**RADIAL).fit(X, y)
    path = by_libsvm(machine, tmp_path / "a.model")
    other = X.copy()
    other[machine.support_[3]] += 1e-3
    with pytest.raises(ParameterError, match=r"support vector 4 of a.model is no row of X of class 0, and so 1 of"):
        audit(path, other, y, C=1.0)
    with pytest.raises(ParameterError, match=r"scaled as they were then"):
        audit(path, 2.0 * X, y, C=1.0)
    with pytest.raises(ParameterError, match=r"is no row of X of class 0"):
        audit(path, X, 1 - y, C=1.0)


def test_hyper_parameters_are_not_in_the_file(tmp_path: Path) -> None:
    X, y = two_classes()
    y = numbered(y)
    path = by_libsvm(SVC(**RADIAL).fit(X, y), tmp_path / "a.model")
    with pytest.raises(
        ParameterError, match=r"a.model does not hold C; say what it was trained with: audit\(..., C=\)"
    ):
        audit(path, X, y)
    with pytest.raises(ParameterError, match=r"a.model has no hyper-parameter 'nu'; those that can be given are C, cl"):
        audit(path, X, y, C=1.0, nu=0.5)


# --- LIBLINEAR ---

LINEAR: dict[str, Any] = {"tol": 1e-10, "max_iter": 1_000_000, "random_state": 0}


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("bias", [-1.0, 1.0, 2.5])
@pytest.mark.parametrize("turned", [False, True])
def test_classes_of_liblinear(bias: float, turned: bool, several: bool, tmp_path: Path) -> None:
    X, y = three_classes() if several else two_classes()
    y = numbered(y)
    scaling = {"intercept_scaling": bias} if bias > 0 else {"fit_intercept": False}
    machine = LinearSVC(C=0.7, dual=False, **scaling, **LINEAR).fit(X, y)
    order = np.arange(len(machine.classes_))[::-1] if turned else None
    path = by_liblinear("L2R_L2LOSS_SVC", machine, tmp_path / "a.model", bias, order)
    found = audit(path, X, y, tol=1e-6, C=0.7)
    assert found.status == "optimal"
    values = machine.decision_function(X)
    assert np.column_stack([each.decision for each in found]).reshape(values.shape) == pytest.approx(values, abs=1e-9)


def test_other_kinds_of_liblinear(tmp_path: Path) -> None:
    X, y = two_classes()
    y = numbered(y)
    hinge = LinearSVC(loss="hinge", **LINEAR).fit(X, y)
    path = by_liblinear("L2R_L1LOSS_SVC_DUAL", hinge, tmp_path / "a.model", 1.0)
    assert audit(path, X, y, tol=1e-4, C=1.0).status == "optimal"
    logistic = LogisticRegression(solver="liblinear", **LINEAR).fit(X, y)
    path = by_liblinear("L2R_LR", logistic, tmp_path / "b.model", 1.0)
    assert audit(path, csr_array(X), y, tol=1e-6, C=1.0).status == "optimal"
    X, t = targets()
    for solver, loss in (
        ("L2R_L1LOSS_SVR_DUAL", "epsilon_insensitive"),
        ("L2R_L2LOSS_SVR", "squared_epsilon_insensitive"),
    ):
        tube = LinearSVR(loss=loss, epsilon=0.2, **LINEAR).fit(X, t)
        path = by_liblinear(solver, tube, tmp_path / "c.model", 1.0)
        assert audit(path, X, t, tol=1e-4, C=1.0, epsilon=0.2).status == "optimal"


def test_features_that_the_file_lacks(tmp_path: Path) -> None:
    X, y = two_classes()
    y = numbered(y)
    machine = LinearSVC(dual=False, **LINEAR).fit(X, y)
    path = by_liblinear("L2R_L2LOSS_SVC", machine, tmp_path / "a.model", 1.0)
    wider = np.hstack([X, np.zeros((len(y), 2))])
    assert audit(path, wider, y, tol=1e-6, C=1.0).status == "optimal"
    with pytest.raises(ShapeError, match=r"a.model has 5 features, but X has 4"):
        audit(path, X[:, :4], y, C=1.0)


def test_kinds_that_no_model_here_is(tmp_path: Path) -> None:
    X, y = two_classes()
    y = numbered(y)
    path = by_liblinear("L1R_LR", LinearSVC(dual=False).fit(X, y), tmp_path / "a.model", 1.0)
    with pytest.raises(ParameterError, match=r"a.model is of the type L1R_LR, which no model here states"):
        audit(path, X, y, C=1.0)


# --- neither ---


def test_other_files(tmp_path: Path) -> None:
    X, y = two_classes()
    with pytest.raises(FileFormatError, match=r"there is no file .*none.model; an audit takes a fitted estimator"):
        audit(tmp_path / "none.model", X, y)
    path = tmp_path / "a.txt"
    path.write_text("hello")
    with pytest.raises(FileFormatError, match=r"which begins with svm_type, or of LIBLINEAR, which begins with"):
        audit(path, X, y)


def test_the_last_step_of_a_pipeline() -> None:
    X, y = two_classes()
    machine = make_pipeline(StandardScaler(), PCA(3), SVC(**SHARP)).fit(5.0 + X, y)
    found = audit(machine, 5.0 + X, y, tol=1e-6)
    assert found.estimator == "SVC"
    assert found.status == "optimal"
    assert audit(make_pipeline(SVC(**SHARP)).fit(X, y), X, y).status == "optimal"


def test_the_best_of_a_search() -> None:
    X, y = two_classes()
    pipeline = make_pipeline(StandardScaler(), SVC(**SHARP))
    search = GridSearchCV(pipeline, {"svc__C": [0.5, 2.0]}, cv=2).fit(X, y)
    found = audit(search, X, y, tol=1e-6)
    assert found.status == "optimal"
    assert found[0].machine.model.value_of("C")[0] == search.best_params_["svc__C"]
    drawn = RandomizedSearchCV(SVC(**SHARP), {"C": [0.5, 2.0]}, n_iter=2, cv=2, random_state=0).fit(X, y)
    assert audit(drawn, X, y, tol=1e-6).status == "optimal"


def test_a_search_without_a_best_machine() -> None:
    X, y = two_classes()
    search = GridSearchCV(SVC(), {"C": [0.5, 2.0]}, cv=2, refit=False)
    for unfitted in (search, search.fit(X, y)):
        with pytest.raises(NotFittedError, match=r"has no best_estimator_: call fit, with refit=True"):
            audit(unfitted, X, y)


@pytest.mark.parametrize(
    "estimator",
    [SVC(), SVR(), LinearSVC(), KernelRidge(), Ridge(), LogisticRegression(), make_pipeline(StandardScaler(), SVC())],
    ids=lambda each: type(each).__name__,
)
def test_machines_that_are_not_fitted(estimator: Any) -> None:
    X, y = two_classes()
    with pytest.raises(NotFittedError, match=r"not fitted yet"):
        audit(estimator, X, y)


def test_attributes_that_a_library_sets_to_nothing() -> None:
    class SVC:
        dual_coef_ = None

    with pytest.raises(NotFittedError, match=r"this SVC is not fitted yet: call fit before its audit"):
        audit(SVC(), *two_classes())


@pytest.mark.parametrize(
    "estimator", [DecisionTreeClassifier(), object(), 3.0, None], ids=lambda each: type(each).__name__
)
def test_what_is_no_machine(estimator: Any) -> None:
    X, y = two_classes()
    name = type(estimator).__name__
    with pytest.raises(
        ParameterError, match=rf"an audit takes a fitted SVC, NuSVC, .* but {name} came; state its model"
    ):
        audit(estimator, X, y)


def test_a_class_in_place_of_an_estimator() -> None:
    with pytest.raises(ParameterError, match=r"takes a fitted estimator, but the class SVC came; fit one"):
        audit(SVC, *two_classes())


CLASSIFIERS = [
    estimators.SVC(C=2.0),
    estimators.SVC(kernel=RBF(0.1)),
    estimators.NuSVC(nu=0.2),
    estimators.SquaredHingeSVC(),
    estimators.LSSVC(),
    estimators.KernelLogisticRegression(),
    estimators.LPSVC(),
]


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("several", [False, True])
def test_classes(estimator: Any, several: bool) -> None:
    X, y = three_classes() if several else two_classes()
    machine = estimator.set_params(tol=1e-6).fit(X, y)
    found = audit(machine, X, y, tol=1e-6)
    assert found.status == "optimal"
    assert len(found) == (3 if several else 1)
    proof = max((each.certificate for each in found), key=lambda each: each.relative_gap)
    # A level that the program leaves open is chosen anew, for the best bound.
    gap = machine.certificate_.relative_gap
    is_open = isinstance(estimator, estimators.NuSVC)
    assert proof.relative_gap == pytest.approx(gap, rel=0.1 if is_open else 1e-3, abs=1e-11)
    assert proof.relative_gap <= gap * (1.0 + 1e-3) + 1e-11
    assert all(np.array_equal(each.machine.labels, y[each.rows]) for each in found)


@pytest.mark.parametrize("estimator", [estimators.SVR(), estimators.QuantileSVR(quantile=0.3)], ids=str)
def test_targets(estimator: Any) -> None:
    X, y = targets()
    counted = weights(len(y))
    machine = estimator.fit(X, y, sample_weight=counted)
    found = audit(machine, X, y, sample_weight=counted)
    assert found.status == "optimal"
    assert np.array_equal(found[0].rows, np.flatnonzero(counted))
    with pytest.raises(ShapeError, match=r"but 150 came with a weight above 0"):
        audit(machine, X, y)


def test_one_class_and_a_matrix() -> None:
    X, y = two_classes()
    assert audit(estimators.OneClassSVM(nu=0.2).fit(X), X).status == "optimal"
    K = rbf_kernel(X, gamma=0.1)
    assert audit(estimators.SVC(kernel="precomputed").fit(K, y), K, y).status == "optimal"


def test_other_data() -> None:
    X, y = two_classes()
    machine = estimators.SVC().fit(X, y)
    with pytest.raises(ParameterError, match=r"sample 0 of X is not the one"):
        audit(machine, X[::-1], y)
    other = y.copy()
    other[5] = "no" if y[5] == "yes" else "yes"
    with pytest.raises(ParameterError, match=rf"sample 5 was '{y[5]}' when the estimator was fitted, but y has"):
        audit(machine, X, other)
    with pytest.raises(ParameterError, match=r"SVC has no hyper-parameter 'C'; those that can be given are none"):
        audit(machine, X, y, C=1.0)
    with pytest.raises(NotFittedError):
        audit(estimators.SVC(), X, y)
