# SPDX-License-Identifier: BSD-3-Clause
"""Compilation of the inner loops before a solve is timed: those that its problem begins with, or all of them.

To compile all takes four times as long as what one problem uses. What makes rows in float64, which few problems come to
after those in float32, is compiled where one does.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from qpkernels.arrays import is_sparse
from qpkernels.gram import Gram
from qpkernels.gram.panels.products import mostly_zero
from qpkernels.gram.panels.samples import form_and_samples, make_product
from qpkernels.gram.panels.sums import DoubleSums
from qpkernels.kernels import RBF, Linear, ProductForm
from qpkernels.problems.kernel_qp.program import KernelQP
from qpkernels.solvers.smo.blocks import holds_matrix, streamed_rows
from qpkernels.solvers.smo.memory import Memory
from qpkernels.solvers.smo.rows.product_rows import ProductRows
from qpkernels.solvers.smo.rows.rows import MatrixRows, Rows
from qpkernels.solvers.smo.shrinking import ShrinkingDescent

__all__ = ["compile_all", "compile_for"]

_FEW = 64
"""Samples on which loops are used to have them compiled."""

_KEPT = 2**20
"""Bytes for rows meanwhile."""

_compiled: set[tuple[Any, ...]] = set()
"""The kinds of problem whose loops this process has compiled, or loaded."""


def compile_for(program: KernelQP) -> None:
    """Use what a descent on ``program`` begins with on a few samples: it is compiled then, or read from the cache."""
    pairs = program.total is not None
    if holds_matrix(program):
        _compile_matrix(pairs)
        return
    gram, hard = program.gram, program.is_hard
    if gram.features is not None:
        _compile_features(pairs, hard)
        return
    kind = type(gram.kernel), is_sparse(gram.X), mostly_zero(gram.X), pairs, hard
    if kind in _compiled:
        return
    count = min(len(gram), _FEW)
    few = Gram(gram.kernel, gram.X[np.linspace(0, len(gram) - 1, count).astype(np.intp)])
    sample = _alternating(few, pairs, np.inf if hard else 1.0)
    _use(sample, next(streamed_rows(sample, Memory(_KEPT))))
    form, X = form_and_samples(few.kernel, few.X)
    if form is not None:
        # What a product with K in float64 is made of.
        sums = DoubleSums(form, X, np.ones(count))
        sums(X, sums.buffer())
    _compiled.add(kind)


@cache
def _compile_features(pairs: bool, hard: bool) -> None:
    # With as few samples as features, these would not be used.
    program = _alternating(Gram(Linear(), np.eye(3, 1)), pairs, np.inf if hard else 1.0)
    _use(program, next(streamed_rows(program, Memory(_KEPT))))


@cache
def _compile_matrix(pairs: bool) -> None:
    program = _alternating(Gram(RBF(1.0), np.eye(3)), pairs)
    _descend(program, MatrixRows(program.gram.dense))


@cache
def compile_all() -> None:
    """Use all compiled code once on a few samples."""
    X = np.eye(3)
    # So many that their matrix is made in compiled code.
    Gram(RBF(1.0), np.eye(2 * _FEW)).dense  # noqa: B018  formed when first asked for
    for pairs in (True, False):
        _compile_matrix(pairs)
        for samples in (X, csr_array(X)):
            for dtype in (np.float32, np.float64):
                product = make_product(ProductForm.exponential(1.0, samples), samples, dtype)
                _use(_alternating(Gram(RBF(1.0), X), pairs), ProductRows.with_cache(product, _KEPT))


def _alternating(gram: Gram, pairs: bool, bound: float = 1.0) -> KernelQP:
    """Return a problem whose targets are +1 and -1 in turn."""
    return KernelQP(gram, 1.0 - 2.0 * (np.arange(len(gram)) % 2), -bound, bound, 0.0 if pairs else None)


def _use(program: KernelQP, rows: Rows) -> None:
    """Descend, and make rows that are not kept, are kept, and are there."""
    everything, one = np.arange(len(program)), np.ones(len(program))
    rows.add_to(everything, everything, one, np.zeros(len(program)))
    for _ in range(2):
        rows.add(everything, one, np.full(len(program), 1000), np.zeros(len(program)))
        rows.block(everything)
    _descend(program, rows)


def _descend(program: KernelQP, rows: Rows) -> None:
    search = ShrinkingDescent(program, rows, np.zeros(len(program)), np.zeros(len(program)))
    search.outer_iteration(10, 1e-6)
    search.measure(0)
