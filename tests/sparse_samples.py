# SPDX-License-Identifier: BSD-3-Clause
"""Sparse samples for tests: few entries, too many features to be held dense, and the kernels that take them."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from builders import KERNEL_EXAMPLES

TAKERS = [kernel for kernel in KERNEL_EXAMPLES.values() if kernel.takes_sparse]
REFUSERS = [kernel for kernel in KERNEL_EXAMPLES.values() if not kernel.takes_sparse]
each_taker = pytest.mark.parametrize("kernel", TAKERS, ids=lambda kernel: type(kernel).__name__)
each_refuser = pytest.mark.parametrize("kernel", REFUSERS, ids=lambda kernel: type(kernel).__name__)

FEATURES = 2_000_000


def with_zeros(m: int, d: int = 3, seed: int = 0, share: float = 0.6) -> np.ndarray:
    """m dense samples with about that share of entries other than 0, the second sample without any."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d)) * (rng.random((m, d)) < share)
    X[1] = 0.0
    return X


def labels_of(X: np.ndarray, seed: int = 0) -> np.ndarray:
    """Labels that follow the samples but for some noise."""
    noise = np.random.default_rng(seed).normal(size=len(X))
    return np.where(X.sum(axis=1) + 0.5 * noise > 0, 1, -1)


def assert_close(actual: Any, expected: Any) -> None:
    scale = float(np.abs(expected).max())
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12 * scale)


def wide(m: int, seed: int = 0) -> tuple[csr_array, np.ndarray]:
    """m samples of 2 000 000 features with about 20 entries each, and labels."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(m), 20)
    # Half of the entries fall on features that other samples have as well.
    columns = np.where(
        rng.random(rows.size) < 0.5, rng.integers(0, 50, rows.size), rng.integers(0, FEATURES, rows.size)
    )
    X = csr_array((rng.normal(size=rows.size), (rows, columns)), shape=(m, FEATURES))
    return X, np.where(X[:, :25].sum(axis=1) > X[:, 25:50].sum(axis=1), 1, -1)
