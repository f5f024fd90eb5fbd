# SPDX-License-Identifier: BSD-3-Clause
"""The bounds of the linear-programming machine: weak duality, and what was moved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import SEEDS
from qpkernels import RBF, Gram, Sigmoid
from qpkernels.problems.linear_program import LinearProgramBounds


def bounds_of(seed: int, total: float | None = 0.0) -> LinearProgramBounds:
    rng = np.random.default_rng(seed)
    kernel = RBF(0.7) if seed % 2 else Sigmoid(0.6, -0.4)
    gram = Gram(kernel, rng.normal(size=(12, 2)), indefinite="refuse")
    return LinearProgramBounds(gram, np.tile([-1.0, 1.0], 6), rng.uniform(0.5, 2.0, 12), total)


@given(seed=SEEDS, size=st.floats(0.0, 3.0), with_intercept=st.booleans())
def test_every_primal_value_is_above_every_dual_value(seed: int, size: float, with_intercept: bool) -> None:
    bounds, rng = bounds_of(seed, 0.0 if with_intercept else None), np.random.default_rng(seed + 1)
    certificates = []
    for _ in range(2):
        beta, given_l = size * rng.normal(size=12), size * rng.normal(size=12)
        b = float(rng.normal()) if with_intercept else 0.0
        certificates.append(replace(bounds, multipliers=given_l).certify(beta, b))
        certificates.append(bounds.certify(beta, b))
    for above in certificates:
        for below in certificates:
            assert above.primal_value >= below.dual_value - 1e-9 * (1 + abs(above.primal_value))


def test_what_was_moved_is_a_residual() -> None:
    bounds = bounds_of(1)
    moved = replace(bounds, multipliers=-np.ones(12)).certify(-bounds.y, 0.0)
    assert moved.primal_residual == pytest.approx(1.0 / max(1.0, moved.primal_value / 12))
    assert moved.dual_residual > 0.5
    assert not bounds.certify(np.full(12, np.nan), 0.0).holds(1e9)
