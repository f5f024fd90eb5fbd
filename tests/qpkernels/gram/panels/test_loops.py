# SPDX-License-Identifier: BSD-3-Clause
"""Powers of two in the registers' operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpkernels.gram.panels.loops import exp2


def test_powers_of_two_in_single_precision() -> None:
    from numba import njit

    @njit
    def powers(x: Any) -> Any:
        out = np.empty_like(x)
        for k in range(x.size):
            out[k] = exp2(x[k])
        return out

    x = np.linspace(-125, 0, 100_001).astype(np.float32)
    assert np.abs(powers(x) / np.exp2(x.astype(float)) - 1).max() < 2.5e-7
    assert powers(np.array([-1e30, -200.0], np.float32)).max() <= 2.0**-125
