# SPDX-License-Identifier: BSD-3-Clause
"""Model files of LIBSVM and LIBLINEAR, written of scikit-learn's machines as these programs write theirs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

from audit_data import GAMMA, SHARP, targets, three_classes, two_classes
from formulations import SoftMargin, audit
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
