# SPDX-License-Identifier: BSD-3-Clause
"""What kernels over time series share: samples, numbers of any size, and enclosed values."""

from itertools import product
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given

from kernel_samples import SHORT_SERIES
from qpkernels import ElasticEdit, Expansion, GlobalAlignment, Mercer
from qpkernels.errors import NonFiniteError, ShapeError
from qpkernels.kernels.series import SeriesKernel, as_series, series_values
from together import together

KERNELS = [GlobalAlignment(0.3), GlobalAlignment(0.3, band=3), ElasticEdit(0.3, 0.1)]

every_kernel = together("kernel", KERNELS)

SERIES = [np.random.default_rng(k).normal(size=(length, 2)) for k, length in enumerate((3, 5, 4, 1, 5))]


def exactly(kernel: Any, x: Any, z: Any) -> Any:
    """k before normalisation, in 60 digits."""
    edits = isinstance(kernel, ElasticEdit)

    def weight(a: Any, b: Any, distance: int) -> Any:
        squared = mp.fsum((mp.mpf(float(p)) - mp.mpf(float(q))) ** 2 for p, q in zip(a, b, strict=True))
        g = mp.exp(-mp.mpf(kernel.gamma) * squared)
        if edits:
            return g
        g *= max(mp.mpf(0), 1 - mp.mpf(distance) / kernel.band) if kernel.band else 1
        return g / (2 - g)

    gap = [kernel.gap if edits else 0.0] * 2
    D: Any = {(0, 0): mp.mpf(1)}
    for i in range(len(x) + 1):
        for j in range(len(z) + 1):
            if i == j == 0:
                continue
            match = weight(x[i - 1], z[j - 1], abs(i - j)) if i and j else 0
            above = (weight(x[i - 1], gap, 0) if i else 0) if edits else match
            beside = (weight(z[j - 1], gap, 0) if j else 0) if edits else match
            terms = ((match, i - 1, j - 1), (above, i - 1, j), (beside, i, j - 1))
            D[i, j] = mp.fsum(w * D.get((p, q), 0) for w, p, q in terms)
    return D[len(x), len(z)]


@together("kernel, scale, normalise", list(product(KERNELS, (1.0, 30.0, 1e4), (False, True))))
def test_errors_hold_the_exact_kernel(kernel: Any, scale: float, normalise: bool) -> None:
    kernel = type(kernel)(**{**vars(kernel), "normalise": normalise})
    series = [scale * each for each in SERIES]
    X = kernel.samples(series)
    enclosed = kernel.enclosed(X, X)(slice(0, 5))
    own = [exactly(kernel, each, each) if normalise else mp.mpf(1) for each in series]
    for i, j in np.ndindex(5, 5):
        k = exactly(kernel, series[i], series[j]) / mp.sqrt(own[i] * own[j])
        assert abs(mp.mpf(float(enclosed.values[i, j])) - k) <= mp.mpf(float(enclosed.reach[i, j]))
    if scale == 1.0:
        assert np.all(enclosed.reach <= 1e-11 * enclosed.values + 1e-300)


@every_kernel
def test_sums_beyond_float64_are_normalised(kernel: Any) -> None:
    """Before normalisation they are above 1e500 for series that stay, and below 1e-500 for those that run off."""
    rng = np.random.default_rng(0)
    series = [0.01 * rng.normal(size=1000), 0.01 * rng.normal(size=1000), 60.0 + 0.01 * rng.normal(size=1000)]
    K = kernel(series)
    np.testing.assert_allclose(K.diagonal(), 1.0, rtol=1e-12)
    assert 0.3 < K[0, 1] < 1.0
    assert K[0, 2] == 0.0
    whole = type(kernel)(**{**vars(kernel), "normalise": False})
    with pytest.raises(NonFiniteError, match="is not finite on these samples"):
        whole(series)


@given(X=SHORT_SERIES)
def test_matrices_are_positive_semidefinite(X: Any) -> None:
    for kernel in KERNELS:
        assert kernel.positive_semidefinite
        assert Mercer(kernel, X).is_psd


@every_kernel
def test_lists_arrays_and_the_container_are_the_same_series(kernel: SeriesKernel) -> None:
    equal = np.random.default_rng(1).normal(size=(4, 6, 2))
    expected = kernel(list(equal))
    for same in (equal, equal.tolist(), tuple(equal), equal.astype(object), kernel.samples(equal).tolist()):
        np.testing.assert_array_equal(kernel(same), expected)
    numbers = equal[:, :, 0]
    np.testing.assert_array_equal(kernel(numbers), kernel(numbers[:, :, None]))
    np.testing.assert_array_equal(kernel(SERIES[1:4], SERIES), kernel(SERIES)[1:4])


def test_the_container_keeps_every_number(tmp_path: Path) -> None:
    series = [np.array([[0.0, -0.0], [5e-324, -1.7976931348623157e308]]), np.array([[np.pi, 1 / 3]])]
    X = as_series(series)
    values, lengths = series_values(X)
    assert lengths.tolist() == [2, 1]
    for found, length, given_ in zip(values, lengths, series, strict=True):
        np.testing.assert_array_equal(found[:length], given_)
    f = Expansion(ElasticEdit(0.1), [[0.5, 1.0], [2.0]], np.array([1.0, -2.0]))
    again = Expansion.load(f.save(tmp_path / "f"))
    np.testing.assert_array_equal(again([[1.0, 2.0, 3.0]]), f([[1.0, 2.0, 3.0]]))


@together(
    "bad, error, words",
    [
        ([], ShapeError, "at least one series"),
        ([[1.0], []], ShapeError, r"X\[1\] is empty; drop"),
        ([[1.0], [np.nan]], NonFiniteError, r"X\[1\] holds a number that is not finite; fill gaps"),
        ([[1.0], "ab"], ShapeError, r"X\[1\] is 'ab'"),
        (["ab"], ShapeError, r"X\[0\] is 'ab'"),
        (np.array(["ab", "cd"]), ShapeError, r"X\[0\] is .*'ab'"),
        ([1.0, 2.0], ShapeError, r"X\[0\] is 1.0; a single series x is \[x\]"),
        (np.ones(3), ShapeError, r"shape \(3,\) came"),
        ([[[1.0, 2.0]], [[1.0]]], ShapeError, r"those of X\[0\] have 2 numbers and those of X\[1\] 1"),
        ([[1.0, "x"]], ShapeError, r"X\[0\] is \[1.0, 'x'\]"),
        (None, ShapeError, r"shape \(\)"),
    ],
)
def test_what_is_no_list_of_series_is_refused(bad: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        as_series(bad)


def test_series_of_other_vectors_are_refused() -> None:
    with pytest.raises(ShapeError, match="those of X have 2 numbers and those of Z 1"):
        KERNELS[0](SERIES, [[1.0]])
