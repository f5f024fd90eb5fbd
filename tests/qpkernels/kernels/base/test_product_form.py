# SPDX-License-Identifier: BSD-3-Clause
"""Which kernels are summed in panels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from qpkernels import RBF, Gram


def test_no_class_but_itself_is_summed_in_panels() -> None:
    class Doubled(RBF):
        def matrix(self, X: Any, Z: Any) -> np.ndarray:
            return 2.0 * super().matrix(X, Z)

        def diagonal(self, X: Any) -> np.ndarray:
            return np.full(X.shape[0], 2.0)

    X = np.random.default_rng(0).normal(size=(800, 3))
    assert Gram(Doubled(0.5), X).product(np.ones(800)) == pytest.approx(2.0 * RBF(0.5)(X).sum(axis=1), rel=1e-12)
