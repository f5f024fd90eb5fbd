# SPDX-License-Identifier: BSD-3-Clause
"""The estimators of this package: their certificates made anew, and other data told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from audit_data import targets, three_classes, two_classes, weights
from formulations import audit
from formulations.estimators import (
    LPSVC,
    LSSVC,
    SVC,
    SVR,
    KernelLogisticRegression,
    NuSVC,
    OneClassSVM,
    QuantileSVR,
    SquaredHingeSVC,
)
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels import RBF

CLASSIFIERS = [
    SVC(C=2.0),
    SVC(kernel=RBF(0.1)),
    NuSVC(nu=0.2),
    SquaredHingeSVC(),
    LSSVC(),
    KernelLogisticRegression(),
    LPSVC(),
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
    assert proof.relative_gap == pytest.approx(machine.certificate_.relative_gap, rel=1e-3, abs=1e-12)
    assert all(np.array_equal(each.machine.labels, y[each.rows]) for each in found)


@pytest.mark.parametrize("estimator", [SVR(), QuantileSVR(quantile=0.3)], ids=str)
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
    assert audit(OneClassSVM(nu=0.2).fit(X), X).status == "optimal"
    K = rbf_kernel(X, gamma=0.1)
    assert audit(SVC(kernel="precomputed").fit(K, y), K, y).status == "optimal"


def test_other_data() -> None:
    X, y = two_classes()
    machine = SVC().fit(X, y)
    with pytest.raises(ParameterError, match=r"sample 0 of X is not the one"):
        audit(machine, X[::-1], y)
    other = y.copy()
    other[5] = "no" if y[5] == "yes" else "yes"
    with pytest.raises(ParameterError, match=rf"sample 5 was '{y[5]}' when the estimator was fitted, but y has"):
        audit(machine, X, other)
    with pytest.raises(ParameterError, match=r"SVC has no hyper-parameter 'C'; those that can be given are none"):
        audit(machine, X, y, C=1.0)
    with pytest.raises(NotFittedError):
        audit(SVC(), X, y)
