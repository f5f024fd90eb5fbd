# SPDX-License-Identifier: BSD-3-Clause
"""Machines of several classes are written as LIBSVM, inside scikit-learn, has them."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from formulations import LeastSquaresClassifier, OneVersusOne, OneVersusRest
from qpkernels.errors import UnsupportedProgramError
from qpkernels.files import LibsvmMachines, read_libsvm_machines, write_libsvm_machines
from qpkernels.functions import Expansions
from qpkernels.kernels import RBF, Linear, Matern


def data(load: object = load_wine) -> tuple[np.ndarray, np.ndarray]:
    X, y = load(return_X_y=True)  # type: ignore[operator]
    return StandardScaler().fit_transform(X), y


def values(found: LibsvmMachines, X: np.ndarray) -> np.ndarray:
    """The decision values as svm-predict computes them."""
    assert found.counts is not None
    K, columns = found.kernel(X, found.centers), []
    ends = np.cumsum(found.counts)
    part = [slice(int(end - count), int(end)) for end, count in zip(ends, found.counts, strict=True)]
    for i, j in combinations(range(found.counts.size), 2):
        own = K[:, part[i]] @ found.coefficients[j - 1, part[i]] + K[:, part[j]] @ found.coefficients[i, part[j]]
        columns.append(own + found.intercepts[len(columns)])
    return np.column_stack(columns)


def fitted() -> tuple[SVC, np.ndarray, np.ndarray]:
    X, y = data()
    return SVC(C=2.0, gamma=0.05, tol=1e-10, decision_function_shape="ovo").fit(X, y), X, y


def test_what_is_written_is_what_svm_train_writes(tmp_path: Path) -> None:
    svc, X, y = fitted()
    solution = OneVersusOne(X, y, RBF(0.05), C=2.0).solve(tol=1e-12, progress=False)
    machine = solution.predictor
    path = write_libsvm_machines(machine.functions, solution.classes, solution.pairs, tmp_path / "several.model")
    lines = path.read_text().splitlines()
    body = lines[lines.index("SV") + 1 :]
    coefficients = np.array([[float(field) for field in line.split()[:2]] for line in body])
    assert f"nr_sv {' '.join(map(str, svc.n_support_))}" in lines
    assert sorted(map(tuple, np.abs(coefficients).round(5))) == sorted(map(tuple, np.abs(svc.dual_coef_.T).round(5)))
    (rho,) = (line.split()[1:] for line in lines if line.startswith("rho"))
    assert [-float(value) for value in rho] == pytest.approx(svc.intercept_, abs=1e-6)
    assert -values(read_libsvm_machines(path), X) == pytest.approx(machine.functions(X), abs=1e-12)


def test_sparse_centers_and_absent_features(tmp_path: Path) -> None:
    X, y = data(load_iris)
    X[:, 3] = 0.0
    solution = OneVersusOne(X, y, Linear(), C=1.0).solve(progress=False)
    machine = solution.predictor
    path = write_libsvm_machines(machine.functions, solution.classes, solution.pairs, tmp_path / "several.model")
    assert -values(read_libsvm_machines(path), X) == pytest.approx(machine.functions(X), abs=1e-10)


def test_coefficients_of_both_signs_in_one_class(tmp_path: Path) -> None:
    X, y = data(load_iris)
    solution = OneVersusOne(X, y, RBF(0.1), machine=LeastSquaresClassifier, C=1e4).solve(progress=False)
    shared = Expansions(RBF(0.1), X, np.random.default_rng(0).normal(size=(len(X), 3)), np.arange(3.0))
    for functions in (solution.predictor.functions, shared):
        path = write_libsvm_machines(functions, solution.classes, solution.pairs, tmp_path / "several.model")
        assert -values(read_libsvm_machines(path), X) == pytest.approx(functions(X), abs=1e-9)


def test_what_libsvm_has_not(tmp_path: Path) -> None:
    X, y = data(load_iris)
    path = tmp_path / "several.model"
    for state, words in (
        (OneVersusRest(X, y, RBF(0.1), C=1.0), "one machine for each pair"),
        (OneVersusOne(X, y, Matern(), C=1.0), "LIBSVM has the kernels"),
        (OneVersusOne(X, np.array(list("abc"))[y], RBF(0.1), C=1.0), "labels in a model of LIBSVM are integers"),
    ):
        solution = state.solve(progress=False)
        with pytest.raises(UnsupportedProgramError, match=words):
            write_libsvm_machines(solution.predictor.functions, solution.classes, solution.pairs, path)
    assert not path.exists()
