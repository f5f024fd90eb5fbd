# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of the kernel matrix, of rows that are kept and of such as are not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from qpkernels import RBF
from qpkernels.gram.panels.samples import make_product
from qpkernels.solvers.smo.rows import ProductRows


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("features", [5, 300])
@pytest.mark.parametrize(("kept", "count"), [(0, 1), (0, 300), (90, 300), (300, 300)])
def test_blocks_are_those_of_the_matrix(dtype: type, sparse: bool, features: int, kept: int, count: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, features))
    kernel, chosen = RBF(0.3 / features), rng.permutation(700)[:count]
    samples = csr_array(X) if sparse else X
    rows = ProductRows.with_cache(make_product(kernel.product_form(samples), samples, dtype), 2**28)
    keep = rng.permutation(chosen)[:kept]
    values = np.zeros(700)
    rows.add(keep, np.ones(kept), np.full(kept, 10**6), values)
    matrix = kernel.matrix(X, X)
    exact = 2e-5 if dtype is np.float32 else 1e-12
    np.testing.assert_allclose(rows.block(chosen).source, matrix[np.ix_(chosen, chosen)], atol=exact)
    np.testing.assert_allclose(values, matrix[keep].sum(axis=0), atol=max(1, kept) * exact)


def test_blocks_of_wide_rows_are_smaller() -> None:
    few, many = (
        ProductRows.with_cache(make_product(RBF(1.0).product_form(X), X, np.float32), 2**20)
        for X in (np.eye(4000, 5), np.eye(4000, 300))
    )
    assert (few.block_size, many.block_size) == (1000, 500)
