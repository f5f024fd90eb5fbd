# SPDX-License-Identifier: BSD-3-Clause
"""Samples that no function comes within epsilon of, none of which can be spared."""

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from formulations import ChebyshevFit, HardTube, SparseApproximation, TubeConflict
from model_data import few, measured
from qpkernels.errors import InfeasibleError, QPKernelsError, SolverFailedError
from qpkernels.kernels import RBF, Polynomial


def conflict_of(*data: ArrayLike, **options: object) -> TubeConflict:
    conflict = HardTube(*data, **options).conflict()
    assert conflict is not None
    assert conflict.is_irreducible
    assert conflict.certificate.holds(1e-9)
    assert conflict.least_epsilon > conflict.epsilon
    return conflict


def width(F: np.ndarray, y: np.ndarray) -> float:
    """The smallest tube, min e s.t. |y - Fc| <= e, by a simplex method."""
    k, n = F.shape
    ones = -np.ones((k, 1))
    rows = np.vstack([np.hstack([F, ones]), np.hstack([-F, ones])])
    found = linprog(np.append(np.zeros(n), 1.0), rows, np.concatenate([y, -y]), bounds=[(None, None)] * n + [(0, None)])
    return float(found.fun)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.8])
def test_samples_that_need_a_wider_tube(epsilon: float, intercept: bool) -> None:
    X, y = measured()
    F = np.column_stack([X, np.ones(len(y))]) if intercept else X
    conflict = conflict_of(X, y, epsilon=epsilon, fit_intercept=intercept)
    samples, v = conflict.samples, conflict.multipliers
    assert samples.size <= F.shape[1] + 1
    assert np.flatnonzero(v).tolist() == samples.tolist()
    assert np.abs(v).sum() == pytest.approx(1.0, rel=1e-12)
    assert np.abs(F.T @ v).max() <= 1e-12
    assert v @ y == pytest.approx(conflict.least_epsilon, rel=1e-9)
    assert width(F[samples], y[samples]) == pytest.approx(conflict.least_epsilon, rel=1e-6)
    for spared in samples:
        rest = np.setdiff1d(samples, spared)
        assert width(F[rest], y[rest]) <= max(epsilon, 1e-8)


def test_the_chebyshev_value_is_what_the_samples_need() -> None:
    smallest = ChebyshevFit(*measured()).solve("clarabel", tol=1e-8).objective
    assert conflict_of(*measured(), epsilon=0.5).least_epsilon == pytest.approx(smallest, rel=1e-6)


def test_a_sample_that_comes_twice() -> None:
    """Its targets are 0.78 apart, whatever the kernel and however large they are."""
    for offset in (0.0, 1e6):
        X, y = [[0.0], [0.0], [1.0]], np.array([0.0, 0.78, 0.5]) + offset
        conflict = conflict_of(X, y, RBF(1.0), epsilon=0.18)
        assert conflict.samples.tolist() == [0, 1]
        assert conflict.least_epsilon == pytest.approx(0.39, rel=1e-9)
        assert str(conflict).startswith("the samples 0, 1 alone need epsilon = 0.39")


def test_in_the_space_of_a_kernel() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    # 3 dimensions of 2 features, and the intercept.
    assert conflict_of(X, y, Polynomial(2, 0.5, 0.0), epsilon=0.1).samples.size <= 5


def test_sparse_approximation_has_no_intercept() -> None:
    conflict = SparseApproximation([[0.0], [0.0]], [1.0, 2.0], RBF(1.0), epsilon=0.25).conflict()
    assert conflict is not None
    assert (conflict.samples.tolist(), conflict.least_epsilon) == ([0, 1], pytest.approx(0.5, rel=1e-9))
    # A sample without features has the value 0.
    (sample,) = conflict_of([[0.0], [1.0]], [3.0, 1.0], epsilon=1.0, fit_intercept=False).samples
    assert sample == 0


def test_a_tube_that_holds_all_samples_has_no_conflict() -> None:
    smallest = ChebyshevFit(*measured()).solve("clarabel", tol=1e-8).objective
    assert HardTube(*measured(), epsilon=smallest * (1 + 1e-6)).conflict() is None
    assert HardTube(*few(), epsilon=0.0).conflict() is None
    touching = HardTube([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 0.0, 1.0], epsilon=0.5)
    assert touching.conflict() is None


def test_multipliers_that_prove_nothing() -> None:
    X, y = measured()
    model = HardTube(X, y, epsilon=0.1)
    for v in (np.zeros(24), np.eye(24)[3], -ChebyshevFit(X, y).solve("clarabel").beta):
        assert TubeConflict.of(model.data, y, 0.1, v, has_intercept=True) is None


def test_the_error_carries_the_conflict() -> None:
    with pytest.raises(InfeasibleError, match=r"the samples \d+(, \d+)* alone need epsilon = 0\.89") as caught:
        HardTube(*measured(), epsilon=0.5).solve()
    assert isinstance(caught.value.conflict, TubeConflict)
    assert caught.value.conflict.is_irreducible


def test_a_fit_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise QPKernelsError("no luck")

    monkeypatch.setattr(ChebyshevFit, "solve", fail)
    # Samples that depend on others need 0.65, all together 0.89.
    conflict = conflict_of(*measured(), epsilon=0.5)
    assert conflict.least_epsilon == pytest.approx(width(*of_conflict(conflict)), rel=1e-6)
    with pytest.raises(InfeasibleError, match=r"of every target: the samples .* alone need epsilon = 0\.65"):
        HardTube(*measured(), epsilon=0.5).solve()
    with pytest.raises(SolverFailedError, match="Chebyshev fit"):
        HardTube(*measured(), epsilon=0.85).conflict()


def of_conflict(conflict: TubeConflict) -> tuple[np.ndarray, np.ndarray]:
    X, y = measured()
    return np.column_stack([X, np.ones(len(y))])[conflict.samples], y[conflict.samples]


def test_samples_that_come_twice_are_found_without_a_linear_program() -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 3))
    X, y = np.vstack([X, X[:20]]), rng.normal(size=320)
    F = np.abs(y[:20] - y[300:]) / 2
    model = SparseApproximation(X, y, RBF(0.5), epsilon=0.01)
    conflict = TubeConflict.of_dependent(model.data, y, 0.01, has_intercept=False)
    assert conflict is not None
    assert conflict.samples.tolist() == [int(np.argmax(F)), 300 + int(np.argmax(F))]
    assert conflict.least_epsilon == pytest.approx(F.max(), rel=1e-9)
    apart = SparseApproximation(X[:300], y[:300], RBF(0.5), epsilon=0.01)
    assert TubeConflict.of_dependent(apart.data, y[:300], 0.0, has_intercept=False) is None
