# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of low rank in place of others: against scikit-learn, on the landmarks, and in the mean of many draws."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.kernel_approximation import Nystroem as NystroemOracle

from kernel_samples import X, Z
from qpkernels import RBF, Expansion, Laplacian, Linear, Matern
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels import Kernel, Nystroem, RandomFourier
from qpkernels.kernels.spec import kernel_from_spec, kernel_to_spec


def test_nystroem_against_scikit_learn() -> None:
    oracle = NystroemOracle(kernel="rbf", gamma=0.3, n_components=len(X), random_state=0).fit(X)
    kernel = Nystroem(RBF(0.3), X)
    np.testing.assert_allclose(kernel(Z, X), oracle.transform(Z) @ oracle.transform(X).T, atol=1e-10)


def test_nystroem_is_the_kernel_itself_at_landmarks() -> None:
    base = Matern(1.2, 1.5)
    kernel = Nystroem(base, X[:4])
    np.testing.assert_allclose(kernel(X[:4], Z), base(X[:4], Z), atol=1e-12)
    assert (kernel.diagonal(X) <= base.diagonal(X) + 1e-12).all()
    assert np.linalg.eigvalsh(base(X) - kernel(X)).min() > -1e-12


@pytest.mark.parametrize("kernel", [Nystroem(RBF(0.3), X[:5]), RandomFourier.sampled(RBF(0.3), 3, 12)], ids=repr)
def test_the_laws_of_kernels(kernel: Any) -> None:
    np.testing.assert_allclose(kernel(X, Z), kernel(Z, X).T, atol=1e-15)
    np.testing.assert_allclose(kernel.diagonal(X), kernel(X).diagonal(), atol=1e-14)
    np.testing.assert_allclose(kernel.features(X) @ kernel.features(Z).T, kernel(X, Z), atol=1e-14)
    np.testing.assert_allclose(kernel(csr_array(X), Z), kernel(X, Z), atol=1e-12)
    assert kernel.features(X).shape == (len(X), kernel.rank)
    arrays: list[Any] = []
    again = kernel_from_spec(kernel_to_spec(kernel, arrays), arrays)
    np.testing.assert_array_equal(again(X, Z), kernel(X, Z))


@pytest.mark.parametrize(
    "base", [RBF(0.2), RBF((0.1, 0.0, 0.4)), Laplacian(0.3), Matern(1.5, 1.5), Matern(2.0, np.inf)], ids=repr
)
def test_random_fourier_features_meet_the_kernel_in_the_mean(base: Kernel) -> None:
    errors = [np.abs(RandomFourier.sampled(base, 3, rank, 1)(X, Z) - base(X, Z)).max() for rank in (200, 80_000)]
    assert errors[1] < 0.02 < 0.3
    assert errors[1] < errors[0]


def test_a_function_is_one_over_the_landmarks(tmp_path: Path) -> None:
    kernel = Nystroem(RBF(0.3), X[:4])
    weights = np.arange(1.0, 5.0)
    centers, coefficients = kernel.condensed(weights)
    values = RBF(0.3)(Z, centers) @ coefficients
    np.testing.assert_allclose(values, kernel.features(Z) @ weights, atol=1e-12)
    function = Expansion(kernel, centers, coefficients, 0.5)
    np.testing.assert_allclose(Expansion.load(function.save(tmp_path / "f"))(Z), values + 0.5, atol=1e-12)


def test_what_has_no_such_kernel() -> None:
    with pytest.raises(ParameterError, match="singular"):
        Nystroem(RBF(1.0), X[[0, 0]])
    with pytest.raises(ParameterError, match="takes a Kernel first"):
        Nystroem(X, X)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"Linear\(\) has no random Fourier features"):
        RandomFourier.sampled(Linear(), 3, 4)
    with pytest.raises(ParameterError, match="rank 3 is odd"):
        RandomFourier.sampled(RBF(1.0), 3, 3)
    with pytest.raises(ShapeError, match="those of 2 features, but X has 3"):
        RandomFourier.sampled(RBF(1.0), 2, 4)(X)
