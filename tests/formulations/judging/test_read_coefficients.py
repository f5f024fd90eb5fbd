# SPDX-License-Identifier: BSD-3-Clause
"""Machines of support vectors: pairs of classes, weights, kernels, other libraries by their attributes, other data."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from audit_data import GAMMA, SHARP, targets, three_classes, two_classes, weights
from formulations import audit
from qpkernels.errors import IndefiniteKernelError, NonFiniteError, ParameterError, ShapeError

RADIAL: dict[str, Any] = {"gamma": GAMMA, **SHARP}


@pytest.mark.parametrize("estimator", [SVC(C=3.0, **RADIAL), NuSVC(nu=0.2, **RADIAL)], ids=str)
def test_every_pair_is_a_machine(estimator: Any) -> None:
    X, y = three_classes()
    found = audit(estimator.fit(X, y), X, y, tol=1e-5)
    assert found.status == "optimal"
    assert len(found) == 3
    assert sum(len(each.rows) for each in found) == 2 * len(y)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "estimator",
    [
        SVC(C=1.5, **RADIAL),
        SVC(C=1.5, class_weight={"a": 2.0, "no": 3.0}, **RADIAL),
        SVC(class_weight="balanced", **RADIAL),
        NuSVC(nu=0.2, **RADIAL),
        NuSVC(nu=0.2, class_weight="balanced", **RADIAL),
    ],
    ids=str,
)
def test_weights_of_classes_and_samples(estimator: Any, classes: int) -> None:
    X, y = two_classes() if classes == 2 else three_classes()
    if isinstance(estimator.class_weight, dict):
        known = {label: weight for label, weight in estimator.class_weight.items() if label in y}
        estimator = SVC(C=1.5, class_weight=known, **RADIAL)
    assert audit(estimator.fit(X, y), X, y, tol=1e-5).status == "optimal"
    counted = weights(len(y))
    found = audit(estimator.fit(X, y, sample_weight=counted), X, y, tol=1e-5, sample_weight=counted)
    assert found.status == "optimal"
    assert (counted[np.concatenate([each.rows for each in found])] > 0).all()
    positive = np.maximum(counted, 0.2)
    assert audit(estimator.fit(X, y, sample_weight=positive), X, y).status == "uncertified"


def test_weights_that_were_forgotten_are_told() -> None:
    X, y = two_classes()
    counted = weights(len(y))
    found = audit(SVC(**RADIAL).fit(X, y, sample_weight=np.maximum(counted, 0.2)), X, y)
    assert "another C, class_weight or sample_weight" in found[0].remarks[0]


@pytest.mark.parametrize("estimator", [SVR(C=2.0, **RADIAL), NuSVR(C=2.0, nu=0.3, **RADIAL)], ids=str)
def test_weights_of_targets(estimator: Any) -> None:
    X, y = targets()
    counted = weights(len(y))
    machine = estimator.fit(X, y, sample_weight=counted)
    assert audit(machine, X, y, tol=1e-6, sample_weight=counted).status == "optimal"
    # scikit-learn counts support vectors among the samples that it was left with.
    with pytest.raises(ParameterError, match=r"sample \d+ of X is not the one"):
        audit(machine, X, y)


def test_weights_of_one_class() -> None:
    X, _ = two_classes()
    counted = weights(len(X))
    machine = OneClassSVM(nu=0.3, **RADIAL).fit(X, sample_weight=counted)
    assert audit(machine, X, tol=1e-6, sample_weight=counted).status == "optimal"
    with pytest.raises(ParameterError, match=r"sample \d+ of X is not the one"):
        audit(machine, X)


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.1])
def test_widths_by_name(gamma: Any) -> None:
    X, y = two_classes()
    assert audit(SVC(gamma=gamma, **SHARP).fit(X, y), X, y, tol=1e-6).status == "optimal"


def test_kernels_by_function_and_matrix() -> None:
    X, y = two_classes()
    K = laplacian_kernel(X, gamma=0.1)
    by_function = SVC(kernel=lambda A, B: laplacian_kernel(A, B, gamma=0.1), **SHARP).fit(X, y)
    by_matrix = SVC(kernel="precomputed", **SHARP).fit(K, y)
    counted = weights(len(y))
    weighted = SVC(kernel="precomputed", **SHARP).fit(K, y, sample_weight=counted)
    found = audit(weighted, K, y, tol=1e-6, sample_weight=counted)
    assert found[0].certificate.holds(1e-6)
    # scikit-learn numbers support vectors among the samples of positive weight, and predicts with the values of others.
    others = K[:, weighted.support_] @ weighted.dual_coef_[0] + weighted.intercept_
    assert weighted.decision_function(K) == pytest.approx(others)
    assert found.status == "uncertified"
    assert "it does not predict with them" in found[0].verdict
    for machine, samples in ((by_function, X), (by_matrix, K)):
        found = audit(machine, samples, y, tol=1e-6)
        assert found.status == "optimal"
        assert found[0].decision == pytest.approx(machine.decision_function(samples), abs=1e-9)


def test_sparse_samples() -> None:
    X, y = three_classes()
    sparse = csr_array(np.where(np.abs(X) > 1.0, X, 0.0))
    sparse.indices, sparse.indptr = sparse.indices.astype(np.int32), sparse.indptr.astype(np.int32)
    machine = SVC(**RADIAL).fit(sparse, y)
    assert audit(machine, sparse, y, tol=1e-6).status == "optimal"
    with pytest.raises(ParameterError, match=r"sample \d+ of X is not the one"):
        audit(machine, sparse[::-1], y[::-1])


def test_a_kernel_that_is_not_positive_semidefinite_has_no_optimum() -> None:
    X, y = two_classes()
    with pytest.raises(IndefiniteKernelError, match=r"negative eigenvalue|positive semidefinite"):
        audit(SVC(kernel="sigmoid", gamma=1.0, coef0=-1.0).fit(X, y), X, y)


# --- by their attributes ---


def device(values: Any) -> Any:
    """Return what holds an array as those of CuPy do: only ``get`` brings it to the host."""
    return SimpleNamespace(get=lambda: np.asarray(values))


def parameters(machine: Any) -> dict[str, Any]:
    names = ("kernel", "gamma", "degree", "coef0", "C", "epsilon", "nu", "class_weight")
    return {name: getattr(machine, name) for name in names if hasattr(machine, name)}


def of_cuml(machine: Any, precision: Any = np.float32) -> Any:
    """Return an object with the attributes of cuML's estimator of that name, in single precision on a device.

    Its machine of two classes has scikit-learn's signs, and counts support vectors in one number.
    """
    kept = {
        "dual_coef_": device(machine.dual_coef_.astype(precision)),
        "support_": device(machine.support_),
        "support_vectors_": device(machine.support_vectors_.astype(precision)),
        "intercept_": device(machine.intercept_.astype(precision)),
        "n_support_": int(machine.support_.size),
        "shape_fit_": machine.shape_fit_,
        "_gamma": machine._gamma,
        "fit_status_": 0,
    }
    if hasattr(machine, "classes_"):
        kept |= {"classes_": device(machine.classes_), "class_weight_": machine.class_weight_}
    made = type(type(machine).__name__, (), {})()
    vars(made).update({**parameters(machine), **kept})
    return made


def of_intelex(machine: Any) -> Any:
    """Return the machine as scikit-learn-intelex has one of two classes: its vectors in the order of the samples."""
    order = np.argsort(machine.support_)
    made = type(type(machine).__name__, (), {})()
    vars(made).update(
        parameters(machine),
        dual_coef_=machine.dual_coef_[:, order],
        support_=machine.support_[order],
        support_vectors_=machine.support_vectors_[order],
        intercept_=machine.intercept_,
        n_support_=machine.n_support_,
        classes_=machine.classes_,
        class_weight_=machine.class_weight_,
        shape_fit_=machine.shape_fit_,
        _gamma=machine._gamma,
    )
    return made


def of_thundersvm(machine: Any, y: Any = None) -> Any:
    """Return an object with the attributes of ThunderSVM's estimator of that name.

    It keeps LIBSVM's own signs, the classes in the order in which they come, no labels, and as intercept_ what is taken
    off.
    """
    classes = machine.classes_ if y is None or hasattr(machine, "classes_") else None
    two = classes is not None and len(classes) == 2
    made = type(type(machine).__name__, (), {})()
    sign = -1.0 if two else 1.0
    vars(made).update(
        {**parameters(machine), "class_weight": {}},
        dual_coef_=sign * machine.dual_coef_,
        support_=machine.support_,
        support_vectors_=machine.support_vectors_,
        intercept_=-sign * machine.intercept_,
        n_support_=machine.n_support_ if classes is not None else np.array([machine.support_.size, 0]),
        n_binary_model=1 if classes is None else len(classes) * (len(classes) - 1) // 2,
        shape_fit_=machine.shape_fit_,
        _gamma=machine._gamma,
    )
    return made


SINGLE = 1e-4
"""Where coefficients were rounded to single precision."""


@pytest.mark.parametrize("estimator", [SVC(C=2.0, **RADIAL), SVC(class_weight="balanced", **RADIAL)], ids=str)
def test_classes_of_cuml(estimator: Any) -> None:
    X, y = two_classes()
    machine = estimator.fit(X, y)
    found = audit(of_cuml(machine), X, y, tol=SINGLE)
    assert found.status == "optimal"
    assert found.estimator == "SVC"
    assert found[0].decision == pytest.approx(machine.decision_function(X), abs=1e-4)
    machine.dual_coef_ = 0.5 * machine.dual_coef_
    assert audit(of_cuml(machine), X, y, tol=SINGLE).status == "uncertified"


@pytest.mark.parametrize("estimator", [SVC(C=2.0, **RADIAL), NuSVC(nu=0.2, **RADIAL)], ids=str)
def test_classes_of_intelex(estimator: Any) -> None:
    X, y = two_classes()
    machine = of_intelex(estimator.fit(X, y))
    assert audit(machine, X, y, tol=1e-5).status == "optimal"
    other = y.copy()
    sample = int(machine.support_[4])
    other[sample] = "yes" if y[sample] == "no" else "no"
    with pytest.raises(ParameterError, match=r"support vectors of the classes .'no', 'yes'., but by y they are"):
        audit(machine, X, other)
    second = int(machine.support_[np.flatnonzero(y[machine.support_] == other[sample])[0]])
    other[second] = y[sample]
    (found,) = audit(machine, X, other)
    assert any("the sign of the other class: 2 coefficients" in each for each in found.remarks)


def test_targets_of_cuml() -> None:
    X, y = targets()
    machine = SVR(C=2.0, epsilon=0.2, **RADIAL).fit(X, y)
    assert audit(of_cuml(machine), X, y, tol=SINGLE).status == "optimal"


def test_several_classes_of_cuml_are_refused() -> None:
    X, y = three_classes()
    machine = of_cuml(SVC(**RADIAL).fit(X, y))
    with pytest.raises(ParameterError, match=r"has 3 intercepts, which is not one for each pair"):
        audit(machine, X, y)


@pytest.mark.parametrize("estimator", [SVC(C=2.0, **RADIAL), NuSVC(nu=0.2, **RADIAL)], ids=str)
@pytest.mark.parametrize("several", [False, True])
def test_classes_of_thundersvm(estimator: Any, several: bool) -> None:
    X, y = three_classes() if several else two_classes()
    machine = estimator.set_params(class_weight=None).fit(X, y)
    assert audit(of_thundersvm(machine), X, y, tol=1e-5).status == "optimal"


def test_classes_of_thundersvm_in_another_order() -> None:
    """The classes of its pairs are as they come in the data: what scikit-learn finds for other labels."""
    X, y = three_classes()
    machine = SVC(**RADIAL).fit(X, y)
    names = np.array(["z", "x", "y"])
    found = audit(of_thundersvm(machine), X, names[np.searchsorted(machine.classes_, y)], tol=1e-6)
    assert found.status == "optimal"
    assert [each.machine.name for each in found] == ["'z' against 'x'", "'z' against 'y'", "'y' against 'x'"]


@pytest.mark.parametrize("estimator", [SVR(C=2.0, **RADIAL), NuSVR(C=2.0, **RADIAL)], ids=str)
def test_targets_of_thundersvm(estimator: Any) -> None:
    X, y = targets()
    assert audit(of_thundersvm(estimator.fit(X, y), y), X, y, tol=1e-6).status == "optimal"


def test_one_class_of_thundersvm() -> None:
    X, y = two_classes()
    assert audit(of_thundersvm(OneClassSVM(nu=0.2, **RADIAL).fit(X), y), X, tol=1e-6).status == "optimal"


def test_a_subclass_is_what_it_inherits_from() -> None:
    class Mine(SVC):
        pass

    X, y = two_classes()
    found = audit(Mine(**RADIAL).fit(X, y), X, y)
    assert found.estimator == "Mine"
    assert found.status == "optimal"


# --- other data ---


def fitted() -> tuple[Any, np.ndarray, np.ndarray]:
    X, y = two_classes()
    return SVC(**RADIAL).fit(X, y), X, y


def test_fewer_samples() -> None:
    machine, X, y = fitted()
    with pytest.raises(ShapeError, match=r"was fitted to 178 samples, but X has 100"):
        audit(machine, X[:100], y[:100])


def test_other_features() -> None:
    machine, X, y = fitted()
    with pytest.raises(ShapeError, match=r"fitted to samples of 5 features, but X has 3"):
        audit(machine, X[:, :3], y)


def test_other_samples() -> None:
    machine, X, y = fitted()
    with pytest.raises(ParameterError, match=r"sample \d+ of X is not the one that the estimator was fitted to"):
        audit(machine, X + 0.01, y)
    with pytest.raises(ParameterError, match=r"sample \d+ of X is not the one"):
        audit(machine, X[::-1], y[::-1])


def test_other_labels() -> None:
    machine, X, y = fitted()
    other = y.copy()
    sample = int(machine.support_[4])
    other[sample] = "yes" if y[sample] == "no" else "no"
    with pytest.raises(
        ParameterError, match=rf"sample {sample} was of class '{y[sample]}' when the estimator was fitt"
    ):
        audit(machine, X, other)
    with pytest.raises(ParameterError, match=r"was fitted to the classes .'no', 'yes'., but y has .'maybe', 'no'."):
        audit(machine, X, np.where(y == "yes", "maybe", y))


def test_labels_left_out() -> None:
    machine, X, y = fitted()
    with pytest.raises(ParameterError, match=r"was fitted to labels or targets; pass them: audit\(estimator, X, y\)"):
        audit(machine, X)
    with pytest.raises(ShapeError, match=r"X has 178 samples, and y must hold one entry for each"):
        audit(machine, X, y[:-1])
    with pytest.raises(ShapeError, match=r"y must hold one label or target for each sample"):
        audit(machine, X, np.column_stack([y, y]))


def test_weights_that_are_none() -> None:
    machine, X, y = fitted()
    with pytest.raises(ParameterError, match=r"sample_weight must be"):
        audit(machine, X, y, sample_weight=np.full(len(y), -1.0))


def test_coefficients_that_are_no_numbers() -> None:
    machine, X, y = fitted()
    machine.dual_coef_[0, 0] = np.nan
    with pytest.raises(NonFiniteError, match=r"dual_coef_ of the estimator must hold finite numbers only"):
        audit(machine, X, y)


def test_a_support_vector_that_is_none() -> None:
    machine, X, y = fitted()
    machine.support_[-1] = 500
    with pytest.raises(ShapeError, match=r"support vector 500 of the estimator is not among the 178 samples"):
        audit(machine, X, y)


@pytest.mark.parametrize(
    "estimator",
    [
        KernelRidge(alpha=0.3),
        KernelRidge(alpha=0.3, kernel="rbf"),
        KernelRidge(alpha=0.3, kernel="rbf", gamma=0.05),
        KernelRidge(alpha=0.3, kernel="poly", degree=2, coef0=0.5),
        KernelRidge(alpha=0.3, kernel="polynomial", gamma=0.1),
        KernelRidge(alpha=0.3, kernel="laplacian", gamma=0.1),
        KernelRidge(alpha=0.3, kernel="cosine"),
        KernelRidge(alpha=0.3, kernel=lambda x, z, scale: float(x @ z) ** 2 / scale, kernel_params={"scale": 2.0}),
    ],
    ids=lambda each: each.kernel if isinstance(each.kernel, str) else "function",
)
def test_kernels(estimator: Any) -> None:
    X, y = targets()
    found = audit(estimator.fit(X, y), X, y, tol=1e-6)
    assert found.status == "optimal"
    assert found[0].decision == pytest.approx(estimator.predict(X), abs=1e-8)
    assert audit(estimator, X, y, tol=1e-6, alpha=0.6).status == "uncertified"


def test_a_matrix() -> None:
    X, y = targets()
    K = rbf_kernel(X, gamma=0.1)
    machine = KernelRidge(kernel="precomputed", alpha=0.2).fit(K, y)
    assert audit(machine, K, y, tol=1e-8).status == "optimal"


@pytest.mark.parametrize("counted", [False, True])
def test_outputs_and_weights(counted: bool) -> None:
    X, y = targets()
    several = np.column_stack([y, X[:, 0] ** 2])
    times = np.maximum(weights(len(y)), 0.1) if counted else None
    machine = KernelRidge(alpha=[0.5, 2.0], kernel="rbf").fit(X, several, sample_weight=times)
    found = audit(machine, X, several, tol=1e-8, sample_weight=times)
    assert found.status == "optimal"
    assert [each.machine.name for each in found] == ["output 0", "output 1"]
    machine.dual_coef_[7, 1] += 0.5
    changed = audit(machine, X, several, sample_weight=times)
    assert [each.status for each in changed] == ["optimal", "uncertified"]
    assert changed[1].row.worst[0].sample == 7


def test_other_data() -> None:
    X, y = targets()
    machine = KernelRidge(kernel="rbf").fit(X, y)
    with pytest.raises(ShapeError, match=r"was fitted to 150 samples, but X has 100"):
        audit(machine, X[:100], y[:100])
    with pytest.raises(ParameterError, match=r"sample 0 of X is not the one"):
        audit(machine, X[::-1], y[::-1])
    with pytest.raises(ParameterError, match=r"has 1 outputs, but y has 2"):
        audit(machine, X, np.column_stack([y, y]))
    with pytest.raises(ParameterError, match=r"a sample of weight 0 has a coefficient"):
        audit(machine, X, y, sample_weight=weights(len(y)))
    (found,) = audit(machine, X, y[::-1])
    assert found.status == "uncertified"
