# SPDX-License-Identifier: BSD-3-Clause
"""The checker's kernels are intervals that hold the true values, and are narrow."""

import random
from fractions import Fraction

import mpmath as mp
from hypothesis import given
from hypothesis import strategies as st

import proofcheck
from proofs.judge import kernel_value
from together import together

ONE = proofcheck.ONE

RBF = {"name": "rbf", "gamma": ["0x1.8p-1", "1/3"]}
LINEAR = {"name": "linear"}
CONSTANT = {"name": "constant", "value": "2/3"}
KERNELS = [
    LINEAR,
    CONSTANT,
    RBF,
    {"name": "rbf", "gamma": ["0/1", "1/5"]},
    {"name": "laplacian", "gamma": "1/3"},
    *({"name": "matern", "nu": nu, "gamma": "0x1.4p+0"} for nu in ("1/2", "3/2", "5/2")),
    {"name": "sum", "of": [LINEAR, RBF, CONSTANT]},
    {"name": "product", "of": [LINEAR, LINEAR, RBF]},
    {"name": "power", "degree": 3, "of": [{"name": "sum", "of": [LINEAR, CONSTANT]}]},
    {"name": "power", "degree": 4, "of": [LINEAR]},
    {"name": "normalised", "of": [LINEAR]},
    {"name": "normalised", "of": [{"name": "power", "degree": 2, "of": [LINEAR]}]},
    {"name": "normalised", "of": [{"name": "normalised", "of": [{"name": "power", "degree": 2, "of": [LINEAR]}]}]},
]


def holds(interval, value, width):
    low, high = interval
    assert low <= value * ONE <= high
    assert high - low <= width * ONE


@given(st.fractions(min_value=0, max_value=1200, max_denominator=1 << 60))
def test_exponentials_are_held(t):
    interval = proofcheck.exp_minus(proofcheck.around(*t.as_integer_ratio()))
    holds(interval, mp.exp(-mp.mpf(t.numerator) / t.denominator), mp.mpf(2) ** -100)


@together("low, high", [(0, 0), (0, 1), (1, 2), (1 << 100, 1 << 101), (1023 * ONE, 1025 * ONE), (1 << 900, 1 << 901)])
def test_exponentials_of_extreme_intervals_are_held(low, high):
    least, most = proofcheck.exp_minus((low, high))
    assert 0 <= mp.mpf(least) / ONE <= mp.exp(-mp.mpf(high) / ONE)
    assert mp.exp(-mp.mpf(low) / ONE) <= mp.mpf(most) / ONE <= 1


@together("said", KERNELS)
def test_values_are_held_by_narrow_intervals(said):
    draw = random.Random(str(said))

    def sample(scale):
        return [(draw.gauss(0, 1) * scale).hex() for _ in range(2)]

    samples = [["0/1", "0/1"], ["1/3", "-1/7"], *(sample(scale) for scale in (1e-9, 1e-3, 0.5, 1, 1, 3, 20))]
    k = proofcheck.kernel(said, samples, set())
    for i, x in enumerate(samples):
        for j, z in enumerate(samples):
            value = kernel_value(said, x, z)
            # Short samples lose digits to the fixed point where they are normalised, and so do roots of small numbers.
            short = said["name"] == "normalised" and {i, j} & {2, 3}
            width = 2 if short else mp.mpf(2) ** (-60 if said["name"] == "matern" else -90) * (1 + abs(value))
            holds(k(i, j), value, width)


def test_counts_of_words_and_of_equal_columns_are_exact():
    words = ["abab", "ba", "", "a"]
    k = proofcheck.kernel({"name": "spectrum", "p": 2}, words, set())
    assert [k(0, j) for j in range(4)] == [(5 * ONE, 5 * ONE), (ONE, ONE), (0, 0), (0, 0)]
    rows = [["0x1p+0", "x", "True", ""], ["0x1p+0", "y", "False", ""]]
    k = proofcheck.kernel({"name": "matching"}, rows, set())
    assert k(0, 1) == (ONE // 2, ONE // 2)


def test_nothing_normalised_is_nothing():
    k = proofcheck.kernel({"name": "normalised", "of": [LINEAR]}, [["0/1"], ["1/1"]], set())
    assert k(0, 1) == k(0, 0) == (0, 0)


def test_values_of_functions_are_held():
    samples = [["0/1"], ["1/3"], ["-0x1.8p+0"]]
    statement = {"problem": "kernel-qp", "kernel": {"name": "rbf", "gamma": "1/7"}, "samples": samples, "balances": []}
    statement |= {"lower": "-1/1", "upper": "1/1", "target": "0/1", "epsilon": "0/1", "ridge": "0/1"}
    a = [Fraction(1, 3), Fraction(-2, 7), Fraction(-1, 9)]
    for x, interval in zip(samples, proofcheck.Machine(statement, []).values(a, range(3)), strict=True):
        values = [kernel_value(statement["kernel"], z, x) for z in samples]
        holds(
            [end * ONE for end in interval], mp.fdot([mp.mpf(c.numerator) / c.denominator for c in a], values), 2**-100
        )
