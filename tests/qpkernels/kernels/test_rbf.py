# SPDX-License-Identifier: BSD-3-Clause
"""The Gaussian kernel in each parametrisation, against its formula."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernel_samples import X, Z, by_pairs
from qpkernels import RBF
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from qpkernels.kernels.rbf import scale_gamma
from sparse_samples import with_zeros

RBF_FORMS = [
    ("gamma", RBF(0.7), lambda x, z: np.exp(-0.7 * sum((x - z) ** 2))),
    ("sigma", RBF.from_sigma(1.3), lambda x, z: np.exp(-sum((x - z) ** 2) / (2 * 1.3**2))),
    ("c", RBF.from_c(1.3), lambda x, z: np.exp(-sum((x - z) ** 2) / 1.3**2)),
    ("theta", RBF.from_theta(0.6), lambda x, z: np.exp(-0.5 * 0.6 * sum((x - z) ** 2))),
    (
        "theta vector",
        RBF.from_theta([0.5, 0.0, 2.0]),
        lambda x, z: np.exp(-0.5 * (0.5 * (x[0] - z[0]) ** 2 + 2.0 * (x[2] - z[2]) ** 2)),
    ),
    (
        "gamma vector",
        RBF((0.5, 1.0, 2.0)),
        lambda x, z: np.exp(-0.5 * (x[0] - z[0]) ** 2 - (x[1] - z[1]) ** 2 - 2.0 * (x[2] - z[2]) ** 2),
    ),
    ("data", RBF.from_data(X), lambda x, z: np.exp(-sum((x - z) ** 2) / (3 * np.var(X.ravel())))),
]


@pytest.mark.parametrize(("kernel", "formula"), [form[1:] for form in RBF_FORMS], ids=[form[0] for form in RBF_FORMS])
def test_rbf_in_each_parametrisation(kernel: RBF, formula: Callable[..., float]) -> None:
    np.testing.assert_allclose(kernel(X, Z), by_pairs(formula, X, Z), rtol=1e-13)
    np.testing.assert_allclose(kernel(X), by_pairs(formula, X, X), rtol=1e-13)
    np.testing.assert_array_equal(kernel(X).diagonal(), 1.0)


@pytest.mark.parametrize("mean", [1e3, 1e6, -1e6])
def test_rbf_keeps_its_digits_far_from_the_origin(mean: float) -> None:
    far = X + mean
    other = Z + mean
    exact = np.exp(-0.8 * ((far[:, None, :] - other[None, :, :]) ** 2).sum(axis=2))
    np.testing.assert_allclose(RBF(0.8)(far, other), exact, rtol=1e-11)
    exact = np.exp(-0.8 * ((far[:, None, :] - far[None, :, :]) ** 2).sum(axis=2))
    np.testing.assert_allclose(RBF(0.8)(far), exact, rtol=1e-11)


def test_rbf_of_equal_samples_is_one() -> None:
    twice = np.vstack([X, X])
    np.testing.assert_allclose(RBF(3.0)(twice)[:9, 9:].diagonal(), 1.0, rtol=1e-14)
    assert RBF(3.0)(twice).max() == 1.0


def test_scale_gamma_is_that_of_scikit_learn() -> None:
    assert scale_gamma(X) == pytest.approx(1.0 / (X.shape[1] * X.var()), rel=1e-15)
    assert RBF.from_data(X).gamma == scale_gamma(X)
    with pytest.raises(ParameterError, match="constant"):
        scale_gamma(np.ones((4, 2)))


@pytest.mark.parametrize("bad", [[], [0.0, 0.0], [1.0, -1.0]])
def test_a_vector_gamma_needs_one_entry_above_zero(bad: list[float]) -> None:
    with pytest.raises(ParameterError, match="gamma"):
        RBF(bad)
    with pytest.raises(ParameterError, match="gamma"):
        RBF.from_theta(bad)


def test_a_vector_gamma_is_finite_and_fits_the_features() -> None:
    with pytest.raises(NonFiniteError, match="gamma"):
        RBF([1.0, np.nan])
    with pytest.raises(ShapeError, match="gamma"):
        RBF([[1.0, 2.0]])
    with pytest.raises(ShapeError, match="gamma has 2 entries"):
        RBF.from_theta([1.0, 2.0])(X)


def test_scale_gamma_of_sparse_samples() -> None:
    X = with_zeros(30, d=7) + 0.0
    assert scale_gamma(csr_array(X)) == pytest.approx(scale_gamma(X), rel=1e-14)
    # Far from 0, a difference of means would have no digit left.
    far = np.where(X == 0.0, 1e8, 1e8 + X)
    assert scale_gamma(csr_array(far)) == pytest.approx(scale_gamma(far), rel=1e-6)
