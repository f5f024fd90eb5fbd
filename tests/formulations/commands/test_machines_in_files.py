# SPDX-License-Identifier: BSD-3-Clause
"""Machines of svm-train: LIBSVM inside scikit-learn, written as it writes them, and read by the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from formulations import load
from formulations.commands.machines_in_files import read_machine


def theirs(fitted: SVC, labels: list[int], *probabilities: str) -> str:
    """The file that svm-train writes: dual_coef_ and intercept_ are its sv_coef and -rho."""
    head = [
        "svm_type c_svc",
        "kernel_type rbf",
        f"gamma {fitted.gamma!r}",
        f"nr_class {fitted.classes_.size}",
        f"total_sv {len(fitted.support_)}",
        "rho " + " ".join(repr(-value) for value in fitted.intercept_.tolist()),
        "label " + " ".join(map(str, labels)),
        *probabilities,
        "nr_sv " + " ".join(map(str, fitted.n_support_.tolist())),
        "SV",
    ]
    rows = [
        " ".join(map(repr, coefficients)) + "".join(f" {k}:{value!r}" for k, value in enumerate(row, 1))
        for coefficients, row in zip(fitted.dual_coef_.T.tolist(), fitted.support_vectors_.tolist(), strict=True)
    ]
    return "\n".join([*head, *rows]) + "\n"


@pytest.mark.parametrize("labels", [[0, 1, 2], [7, -3, 5]])
def test_several_classes(labels: list[int], tmp_path: Path) -> None:
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    svc = SVC(C=2.0, gamma=0.05, tol=1e-10, decision_function_shape="ovo").fit(X, y)
    path = tmp_path / "several.model"
    path.write_text(theirs(svc, labels))
    machine = read_machine(path, scaled=False)
    assert machine.values(X) == pytest.approx(svc.decision_function(X), abs=1e-12)
    assert machine.classes is not None
    assert machine.classes.tolist() == sorted(labels)
    assert np.array_equal(machine.predict(X), np.array(labels)[svc.predict(X)])


@pytest.mark.parametrize("labels", [[1, -1], [0, 1]])
def test_two_classes(labels: list[int], tmp_path: Path) -> None:
    X, y = load_wine(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[y < 2], y[y < 2]
    # svm-train begins with the class of the first line: values above 0 are of that one.
    svc = SVC(C=2.0, gamma=0.05, tol=1e-10).fit(X, y)
    path = tmp_path / "two.model"
    path.write_text(theirs(svc, labels))
    machine = read_machine(path, scaled=False)
    assert machine.decision_function(X) == pytest.approx(svc.decision_function(X), abs=1e-12)
    assert np.array_equal(machine.predict(X), np.array(labels)[(svc.decision_function(X) <= 0).astype(int)])


def test_probabilities_are_those_of_the_sigmoids_in_the_file(tmp_path: Path) -> None:
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    two = SVC(C=2.0, gamma=0.05).fit(X[y < 2], y[y < 2])
    path = tmp_path / "two.model"
    path.write_text(theirs(two, [1, -1], "probA -1.5", "probB 0.25"))
    machine = load(path)
    assert machine.classes is not None
    assert machine.classes.tolist() == [-1, 1]
    first = 1.0 / (1.0 + np.exp(-1.5 * two.decision_function(X) + 0.25))
    assert machine.predict_proba(X) == pytest.approx(np.column_stack([1.0 - first, first]))
    three = SVC(C=2.0, gamma=0.05, decision_function_shape="ovo").fit(X, y)
    path.write_text(theirs(three, [5, -3, 7], "probA -1.5 -2 -1", "probB 0.25 0 -0.5"))
    machine = load(path)
    # Of each pair, that of the class that comes first in the file; svm_predict_probability couples them.
    pairs = 1.0 / (1.0 + np.exp([-1.5, -2.0, -1.0] * three.decision_function(X) + [0.25, 0.0, -0.5]))
    r = np.full((len(X), 3, 3), np.nan)
    for (i, j), share in zip([(0, 1), (0, 2), (1, 2)], pairs.T, strict=True):
        r[:, i, j], r[:, j, i] = share, 1.0 - share
    p = machine.predict_proba(X)[:, [1, 0, 2]]
    assert p.sum(axis=1) == pytest.approx(1.0)
    for sample in range(0, len(X), 20):
        Q = -r[sample].T * r[sample]
        np.fill_diagonal(Q, [np.nansum(r[sample][:, k] ** 2) for k in range(3)])
        assert np.ptp(Q @ p[sample]) == pytest.approx(0.0, abs=1e-6)
    assert read_machine(path, scaled=False).predict(X).tolist() == [[5, -3, 7][k] for k in three.predict(X)]
