# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as expressions: what they mean, where they are wrong, and that nothing else is carried out."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qpkernels.kernels as kernels
from formulations.commands.kernel_expression import read_kernel
from qpkernels.errors import ParameterError
from qpkernels.kernels import RBF, Kernel, Laplacian, Linear, Matching, Matern, Polynomial, Sigmoid
from qpkernels.kernels.catalogue import KERNELS, NAMED
from qpkernels.kernels.rbf import scale_gamma

X = np.random.default_rng(3).normal(size=(6, 4))
SCALE = scale_gamma(X)


@pytest.mark.parametrize(
    ("text", "kernel"),
    [
        ("linear", Linear()),
        ("rbf", RBF(SCALE)),
        ("RBF()", RBF(SCALE)),
        ("rbf(0.25)", RBF(0.25)),
        ("rbf(gamma=2**-3)", RBF(0.125)),
        ("rbf(gamma=auto)", RBF(0.25)),
        ("rbf(gamma=scale / 2)", RBF(SCALE / 2)),
        ("rbf(sigma=2)", RBF.from_sigma(2.0)),
        ("rbf(c=2)", RBF.from_c(2.0)),
        ("rbf(theta=[1, 0, 2, 1/2])", RBF.from_theta([1.0, 0.0, 2.0, 0.5])),
        ("poly", Polynomial(3, SCALE, 0.0)),
        ("polynomial(2, 1, 1)", Polynomial(2, 1.0, 1.0)),
        ("polynomial(degree=2, gamma=0.5, coef0=-1)", Polynomial(2, 0.5, -1.0)),
        ("laplacian(gamma=0.5)", Laplacian(0.5)),
        ("exp(2 * matching)", (2 * Matching()).exp()),
        ("matern(nu=1.5, length=2)", Matern(2.0, 1.5)),
        ("matern(length_scale=2, nu=inf)", Matern(2.0, math.inf)),
        ("sigmoid(gamma=0.1, coef0=-1)", Sigmoid(0.1, 1.0)),
        ("matern(nu=1.5, length=2) + linear", Matern(2.0, 1.5) + Linear()),
        ("0.5 * rbf(1) * linear", 0.5 * RBF(1.0) * Linear()),
        ("linear * 2", 2 * Linear()),
        ("(linear + 1) ** 2", Linear().polynomial([1.0, 1.0]) ** 2),
        ("exp(linear)", Linear().exp()),
        ("  linear\n + linear ", Linear() + Linear()),
    ],
)
def test_what_expressions_mean(text: str, kernel: Kernel) -> None:
    assert read_kernel(text, X) == kernel
    assert read_kernel(text, X)(X) == pytest.approx(kernel(X), rel=1e-14)


@pytest.mark.parametrize("kind", KERNELS.values(), ids=KERNELS)
def test_a_kernel_is_made_by_every_name_it_has(kind: type[Kernel]) -> None:
    entry = kind.entry
    assert entry is not None
    for name in entry.names:
        assert NAMED[name] is kind
        if not entry.takes:
            assert type(read_kernel(f"{name}(gamma=1)" if kind is Laplacian else name, X)) is kind
    assert [kind for kind in KERNELS.values() if set(kind.entry.names) & set(entry.names)] == [kind]


def test_every_kernel_in_a_file_of_its_own_has_an_entry() -> None:
    own = {
        value
        for value in vars(kernels).values()
        if isinstance(value, type)
        and value.__module__.replace("_", "") == f"qpkernels.kernels.{value.__name__.lower()}"
    }
    assert own - {kernels.Kernel, kernels.Columns, kernels.FunctionKernel} == set(KERNELS.values())


@pytest.mark.parametrize(
    ("text", "options", "kernel"),
    [
        ("rbf", {"gamma": "0.5"}, RBF(0.5)),
        ("rbf", {"gamma": "auto"}, RBF(0.25)),
        ("rbf(sigma=1) + rbf", {"gamma": "2"}, RBF(0.5) + RBF(2.0)),
        ("polynomial", {"gamma": "1", "degree": 2, "coef0": 0.5}, Polynomial(2, 1.0, 0.5)),
        ("polynomial(degree=4)", {"gamma": "2**-1"}, Polynomial(4, 0.5, 0.0)),
        ("sigmoid", {"gamma": "0.1", "coef0": 1.0}, Sigmoid(0.1, -1.0)),
        ("laplacian", {"gamma": "0.1"}, Laplacian(0.1)),
    ],
)
def test_options_fill_what_the_expression_leaves_open(text: str, options: dict[str, Any], kernel: Kernel) -> None:
    assert read_kernel(text, X, options) == kernel


@pytest.mark.parametrize(
    ("text", "words", "marked"),
    [
        ("matttern + linear", "did you mean 'matern'", "matttern"),
        ("linear + rbf(gama=1)", "rbf has no parameter gama; its parameters are gamma, sigma", "gama=1"),
        ("linear(1)", "takes 0 parameters at most", "1"),
        ("linear(gamma=1)", "it has none", "gamma=1"),
        ("2 * rbf(gamma=-1)", "gamma must be finite and above 0, but -1 came", "rbf(gamma=-1)"),
        ("rbf(1, gamma=2)", "gamma of rbf is stated twice", "gamma=2"),
        ("rbf(gamma=1, sigma=2)", "one of gamma, sigma, c and theta", "rbf(gamma=1, sigma=2)"),
        ("linear - rbf", "kernels are combined by + and *", "linear - rbf"),
        ("-1 * linear", "factor of a kernel must be finite and above 0", "-1 * linear"),
        ("linear ** 0.5", "exponent of a kernel must be an integer", "linear ** 0.5"),
        ("2 ** linear", "kernels are combined by", "2 ** linear"),
        ("rbf(linear)", "a number belongs here", "linear"),
        ("exp(2)", "a kernel belongs here", "2"),
        ("9**9**9 * linear", "this is no number", "9**9**9"),
        ("1/0 * linear", "this is no number", "1/0"),
        ("7 % 2 * linear", "numbers are combined by", "7 % 2"),
        ("3", "--kernel must state a kernel, but this is the number 3", "3"),
        ("laplacian", "laplacian needs its gamma", "laplacian"),
        ("precomputed", "precomputed takes a matrix of kernel values", "precomputed"),
        ("spectrum(3)", "spectrum takes sequences", "spectrum(3)"),
        ("polynomial(degree=2.5)", "degree must be an integer", "polynomial(degree=2.5)"),
        ("rbf(gamma='1')", "no other parts", "'1'"),
        ("True * linear", "no other parts", "True"),
        ("linear.exp()", "no other parts", "linear.exp()"),
        ("(lambda: linear)()", "no other parts", "(lambda: linear)()"),
        ("[linear]", "no other parts", "[linear]"),
        ("__import__('os').system('true')", "no other parts", "__import__('os').system('true')"),
        ("rbf(**linear)", "has no parameter **", "**linear"),
    ],
)
def test_errors_point_at_the_place(text: str, words: str, marked: str) -> None:
    with pytest.raises(ParameterError) as caught:
        read_kernel(text, X)
    message, shown, marks = str(caught.value).split("\n")
    assert words in message
    start = marks.index("^")
    assert shown[start : start + marks.count("^")] == marked


@pytest.mark.parametrize("text", ["", "rbf +", "rbf(", "linear linear", "(" * 300 + "linear" + ")" * 300, "lin\0ear"])
def test_what_is_no_expression(text: str) -> None:
    with pytest.raises(ParameterError, match="--kernel must be an expression such as"):
        read_kernel(text, X)


@pytest.mark.parametrize("text", ["linear + " * 200 + "linear", "linéar"])
def test_long_and_foreign_text(text: str) -> None:
    with pytest.raises(ParameterError, match="at most 1000 ASCII characters"):
        read_kernel(text, X)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("linear", {"gamma": "1"}, "--kernel linear has no use for --gamma"),
        ("rbf(sigma=2)", {"gamma": "1"}, "has no use for --gamma"),
        ("rbf", {"degree": 2}, "has no use for --degree"),
        ("rbf", {"gamma": "narrow"}, "--gamma must be a number, 'scale' or 'auto', but 'narrow' came"),
        ("rbf", {"gamma": "linear"}, "--gamma must be a number"),
        ("rbf", {"gamma": "0"}, "gamma must be finite and above 0"),
    ],
)
def test_options_that_are_none(text: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        read_kernel(text, X, options)


@given(st.text(alphabet="linearbfpoygms()+*-/.,=0123456789[]'_ ", max_size=30))
def test_any_text_is_a_kernel_or_refused(text: str) -> None:
    with suppress(ParameterError):
        assert isinstance(read_kernel(text, X), Kernel)
