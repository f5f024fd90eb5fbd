# SPDX-License-Identifier: BSD-3-Clause
"""KernelQPs on a line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from qpkernels import RBF
from qpkernels.errors import ParameterError
from qpkernels.families.paths.parametric import LINEAR, ParametricQP
from qpkernels.gram import Gram
from qpkernels.problems import KernelQP

GRAM = Gram(RBF(1.0), np.arange(3.0)[:, None])
COSTS = np.array([0.1, 0.7, 1.3])


def program(**changes: Any) -> KernelQP:
    return KernelQP(**{"gram": GRAM, "target": [1.0, 2.0, -1.0], "lower": -COSTS, "upper": 0.0} | changes)


def test_problems_between_are_in_proportion() -> None:
    line = ParametricQP(program(), program(lower=-3.0 * COSTS, target=[1.0, 5.0, 0.0]), 1.0, 3.0)
    assert line.at(1.0) is line.start
    assert line.at(3.0) is line.end
    middle = line.at(2.0)
    np.testing.assert_allclose(middle.target, [1.0, 3.5, -0.5], rtol=1e-15)
    np.testing.assert_array_equal(line.vectors["lower"][0], np.zeros(3))
    for name in LINEAR:
        np.testing.assert_allclose(2.0 * getattr(middle, name), getattr(line.start, name) + getattr(line.end, name))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ridge": 1.0}, "must share their kernel matrix, ridge and total"),
        ({"gram": Gram(RBF(1.0), np.arange(3.0)[:, None])}, "must share their kernel matrix"),
        ({"total": None}, "must share their kernel matrix, ridge and total"),
        ({"lower": -np.inf}, "needs finite bounds"),
    ],
)
def test_what_is_no_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ParametricQP(program(), program(**changes), 1.0, 2.0)
    with pytest.raises(ParameterError, match="two ends that differ, but both are 1"):
        ParametricQP(program(), program(), 1.0, 1.0)
