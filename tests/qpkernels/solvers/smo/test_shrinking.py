# SPDX-License-Identifier: BSD-3-Clause
"""What was left out comes back with its values."""

from __future__ import annotations

import numpy as np
import pytest

import qpkernels.solvers.smo.rows as rows_module
from builders import two_classes
from qpkernels import RBF, Gram, Kernel, Linear
from qpkernels.gram.panels.samples import make_product
from qpkernels.solvers.smo.descent import PairDescent
from qpkernels.solvers.smo.rows import FeatureRows, KernelRows, MatrixRows, ProductRows, RowCache, SampleRows
from smo_problems import soft_margin


@pytest.mark.parametrize("kind", ["matrix", "features", "kernel", "product"])
def test_what_was_left_out_comes_back_with_its_values(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "ONE_BLOCK", 0)
    X, y = two_classes(400, shift=0.6, features=3)
    kernel: Kernel = Linear() if kind == "features" else RBF(0.5)
    program = soft_margin(Gram(kernel, X), y, 3.0)
    K = kernel(X)
    form = kernel.product_form(program.gram.X)
    assert form is not None
    rows: SampleRows = {
        "matrix": lambda: MatrixRows(K),
        "features": lambda: FeatureRows(program.gram.X, pairs=True),
        "kernel": lambda: KernelRows(program.gram, RowCache(400, 2**14, np.float64)),
        "product": lambda: ProductRows.with_cache(make_product(form, program.gram.X, np.float32), 2**18),
    }[kind]()
    rows.block_size = 40
    search = PairDescent(program, rows, np.zeros(400), np.zeros(400))
    sizes = []
    for _ in range(60):
        search.outer_iteration(10**6, 1e-9)
        search.shrink()
        beta, values = search.point()
        assert values[search.samples] == pytest.approx((K @ beta)[search.samples], abs=1e-4)
        sizes.append(search.samples.size)
    assert len(set(sizes)) > 2
    assert not search.unshrunk
    search.restore()
    beta, values = search.point()
    assert search.unshrunk
    assert values == pytest.approx(K @ beta, abs=1e-4)
    assert beta.sum() == pytest.approx(0.0, abs=1e-9)
