# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as text and arrays, and what a file cannot hold."""

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import qpkernels.kernels
from kernel_samples import X, Z
from qpkernels import RBF, Kernel, Linear, Matern, RankOne
from qpkernels.errors import FileFormatError, ParameterError
from qpkernels.kernels.kernel import SampleFunction
from qpkernels.kernels.spec import kernel_from_spec, kernel_to_spec


def test_a_python_function_is_not_saved() -> None:
    for kernel in (RankOne(np.tanh), 2 * Linear().compose(np.tanh)):
        with pytest.raises(ParameterError, match=r"cannot hold <ufunc 'tanh'>, the .*derives from SampleFunction"):
            kernel_to_spec(kernel, [])


def test_two_kernels_of_the_same_name_are_told_apart() -> None:
    @dataclass(frozen=True)
    class Laplacian(Kernel):
        gamma: float

        def matrix(self, X: Any, Z: Any) -> Any:
            return np.zeros((len(X), len(Z)))

        def diagonal(self, X: Any) -> Any:
            return np.zeros(len(X))

    for kernel in (Laplacian(2.0), qpkernels.Laplacian(2.0)):
        again = kernel_from_spec(json.loads(json.dumps(kernel_to_spec(kernel, []))), [])
        assert type(again) is type(kernel)
        assert again == kernel
    assert kernel_to_spec(qpkernels.Laplacian(2.0), []) == {"kernel": "Laplacian", "gamma": 2.0}


@dataclass(frozen=True)
class Blend(SampleFunction):
    """A function with a kernel, an array and a tuple among its fields."""

    array: np.ndarray
    inner: Kernel
    parts: tuple[Kernel, ...]

    def __call__(self, X: Any) -> Any:
        return self.inner(X, self.array)[:, 0] + sum(part(X, self.array)[:, 0] for part in self.parts)


def test_functions_with_kernels_and_arrays_are_read_back() -> None:
    kernel = RankOne(Blend(Z, RBF(0.5), (Linear(), Matern(2.0, math.inf))))
    arrays: list[Any] = []
    again = kernel_from_spec(json.loads(json.dumps(kernel_to_spec(kernel, arrays))), arrays)
    np.testing.assert_array_equal(again(X), kernel(X))


def test_fields_that_a_file_cannot_hold_are_refused() -> None:
    with pytest.raises(
        ParameterError, match=r"cannot hold \{1, 2\}, the value of Odd, .*numbers, text, arrays and kernels"
    ):
        kernel_to_spec(Odd({1, 2}), [])
    with pytest.raises(ParameterError, match=r"field 'kernel' of Wrapped .* rename it"):
        kernel_to_spec(Wrapped(Linear()), [])
    with pytest.raises(ParameterError, match="is no dataclass"):
        kernel_to_spec(RankOne(Plain()), [])


def test_an_unknown_function_in_a_file_is_named() -> None:
    spec = {"kernel": "RankOne", "function": {"function": "Sine", "fields": {}}}
    with pytest.raises(FileFormatError, match=r"holds a function 'Sine'.*QuadraticMap.*import the module"):
        kernel_from_spec(spec, [])


class Plain(SampleFunction):
    """No dataclass."""

    def __call__(self, X: Any) -> Any:
        return np.ones(len(X))


@dataclass(frozen=True)
class Odd(Linear):
    value: Any


@dataclass(frozen=True)
class Wrapped(Linear):
    kernel: Kernel


def test_an_unknown_kernel_in_a_file_is_named() -> None:
    with pytest.raises(FileFormatError, match=r"'Quantum'.*RBF.*import the module"):
        kernel_from_spec({"kernel": "Quantum"}, [])
