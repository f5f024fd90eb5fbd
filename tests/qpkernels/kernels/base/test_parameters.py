# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of kernels by name."""

from __future__ import annotations

from typing import Any

import pytest

from builders import KERNEL_EXAMPLES
from qpkernels import RBF, Kernel, Linear, Polynomial
from qpkernels.errors import ParameterError
from qpkernels.kernels.base.parameters import parameters_of, with_parameters


@pytest.mark.parametrize("kernel", KERNEL_EXAMPLES.values(), ids=lambda kernel: type(kernel).__name__)
def test_a_kernel_is_made_of_its_parameters(kernel: Kernel) -> None:
    again = with_parameters(kernel, parameters_of(kernel))
    assert type(again) is type(kernel)
    assert parameters_of(again).keys() == parameters_of(kernel).keys()
    assert with_parameters(kernel, {}) is kernel


def test_those_of_kernels_in_a_kernel() -> None:
    kernel = RBF(1.0) + 2.0 * Polynomial(2)
    assert parameters_of(kernel)["right__base__degree"] == 2
    changed = with_parameters(kernel, {"left__gamma": 3.0, "right__factor": 5.0, "right__base__degree": 4})
    assert changed == RBF(3.0) + 5.0 * Polynomial(4)
    assert with_parameters(kernel, {"left": Polynomial(3), "left__degree": 5}) == Polynomial(5) + 2.0 * Polynomial(2)


@pytest.mark.parametrize(
    ("kernel", "changes", "words"),
    [
        (RBF(1.0), {"sigma": 1.0}, r"has no parameter 'sigma'; it has gamma"),
        (Linear(), {"gamma": 1.0}, r"has no parameter 'gamma'; it has none"),
        (RBF(1.0), {"gamma__x": 1.0}, r"has no parameter 'gamma__x'"),
        (RBF(1.0) + Linear(), {"right__gamma": 1.0}, r"Linear\(\) has no parameter 'gamma'"),
        (RBF(1.0), {"gamma": "wide"}, "gamma must be"),
    ],
)
def test_what_a_kernel_does_not_take(kernel: Kernel, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        with_parameters(kernel, changes)
