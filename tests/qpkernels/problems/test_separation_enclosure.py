# SPDX-License-Identifier: BSD-3-Clause
"""A feasibility problem has the optimum 0, or none."""

from __future__ import annotations

import numpy as np

from qpkernels.gram import Gram
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import Linear
from qpkernels.problems.separation import SeparationBounds


def test_what_separates_by_nothing_is_no_proof() -> None:
    X, y = np.array([[1.0], [1.001], [3.0]]), np.array([-1.0, 1.0, 1.0])
    bounds, beta = SeparationBounds(Gram(Linear(), X), y), np.array([0.0, 0.0, 1.0])
    # f(x) = 3 x.
    assert bounds.enclose(beta, -3.0015).upper == 0.0
    assert bounds.enclose(beta, -3.0).upper == np.inf
    assert bounds.enclose(beta, -3.0030000000001).upper == np.inf
    assert bounds.enclose(np.zeros(3), 0.0).upper == np.inf
    assert bounds.enclose(np.full(3, np.nan), 0.0).upper == np.inf


def test_a_function_of_its_own() -> None:
    X, y = np.array([[-1.0], [2.0]]), np.array([-1.0, 1.0])
    bounds = SeparationBounds(Gram(Linear(), X), y)
    enclosure = bounds.enclose(np.zeros(2), 0.0, Expansion(Linear(), np.array([[1.0]]), np.array([1.0])))
    assert (enclosure.lower, enclosure.upper) == (0.0, 0.0)
