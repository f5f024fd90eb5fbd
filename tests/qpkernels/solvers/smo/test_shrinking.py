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
from qpkernels.solvers.smo.rows import FeatureRows, KernelRows, MatrixRows, Memory, ProductRows, RowCache, SampleRows
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


def test_steps_over_one_block_go_on_for_no_longer_than_the_rows_of_what_changed_take() -> None:
    X, y = two_classes(400, shift=0.6, features=3)
    program = soft_margin(Gram(RBF(0.5), X), y, 300.0)
    search = PairDescent(program, MatrixRows(program.gram.dense), np.zeros(400), np.zeros(400))
    search.outer_iteration(20, 1e-12)
    changed, gap = np.count_nonzero(search.point()[0]), search.measure(0).gap.shortfall
    search.go_on(10**6, 1e-12, 1e-9)
    assert 20 < search.steps <= 20 + changed
    assert search.measure(0).gap.shortfall < gap
    before = search.steps
    search.go_on(3, 1e-12, 1e-9)
    assert search.steps == before + 3
    search.go_on(10**6, 1e-12, 1.0)
    assert search.steps == before + 3


def test_of_what_is_left_more_samples_are_one_block_than_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "ONE_BLOCK", 100)
    X, _ = two_classes(400, shift=0.6, features=3)
    product = make_product(RBF(0.5).product_form(X), X, np.float32)
    rows = ProductRows.with_cache(product, 2**18, left=150)
    assert rows.part(np.arange(100)).one_block() is not None
    assert rows.part(np.arange(150)).one_block() is not None
    assert rows.part(np.arange(151)).one_block() is None
    assert ProductRows.with_cache(product, 2**18).part(np.arange(150)).one_block() is None
    few = make_product(RBF(0.5).product_form(X), X[:150], np.float32)
    assert ProductRows.with_cache(few, 2**18, left=150).one_block() is None
    assert Memory(2**20).left > rows_module.ONE_BLOCK == Memory(2**20, 2**30).left
