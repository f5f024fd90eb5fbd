# SPDX-License-Identifier: BSD-3-Clause
"""Shared builders: random data, kernels by example, and problems whose optimum is known before they are solved."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array

from qpkernels import (
    RBF,
    Columns,
    ElasticEdit,
    FunctionKernel,
    GlobalAlignment,
    Gram,
    Kernel,
    Laplacian,
    Linear,
    Matching,
    Matern,
    Nystroem,
    Polynomial,
    Precomputed,
    RandomFourier,
    RankOne,
    ScaledQuadraticMap,
    Sigmoid,
    Spectrum,
    Subsequence,
)
from qpkernels.kernels import (
    Composed,
    Exponential,
    PolynomialOf,
    Power,
    Product,
    Scaled,
    SequenceKernel,
    Sum,
)
from qpkernels.kernels.catalogue import KERNELS, KernelEntry
from qpkernels.kernels.kernel import SampleFunction
from qpkernels.kernels.series import SeriesKernel
from qpkernels.problems import Block, Cone, ConeProgram, KernelQP, Nonnegative, PSDTriangle, SecondOrder, Zero
from qpkernels.problems import Exponential as ExponentialCone
from qpkernels.problems import Power as PowerCone

Floats = NDArray[np.float64]


# --- data ---


def two_classes(m: int, seed: int = 0, shift: float = 1.0, features: int = 2) -> tuple[Floats, Floats]:
    """m samples, the two halves labelled -1 and +1, their means 2 * shift apart in every feature."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(m) % 2 == 0, -1.0, 1.0)
    return rng.normal(size=(m, features)) + shift * y[:, None], y


# --- kernels ---


@dataclass(frozen=True)
class Tilt(SampleFunction):
    """1 + weight x_1: a function of samples that a file can hold."""

    weight: float

    def __call__(self, X: ArrayLike) -> Floats:
        return 1.0 + self.weight * np.asarray(X)[:, 0]


def inner_products(A: Any, B: Any) -> Any:
    """x'z as a plain function of two sets of samples."""
    return A @ B.T


_ROOT = np.random.default_rng(7).normal(size=(12, 5))


def _usual(entry: KernelEntry) -> Kernel:
    """Return the kernel with the values where exploring begins."""
    values = {each.name: each.value(each.usual) for each in entry.own}
    made: Kernel = KERNELS[entry.name].named(**values)
    return made


KERNEL_EXAMPLES: dict[type[Kernel], Kernel] = {
    **{kind: _usual(kind.entry) for kind in KERNELS.values() if kind.entry.explored},
    Laplacian: Laplacian(0.4),
    Matern: Matern(1.3, 2.2),
    Sigmoid: Sigmoid(0.3, -0.2),
    Spectrum: Spectrum(2),
    Subsequence: Subsequence(2, 0.6, normalise=True),
    Polynomial: Polynomial(degree=3, gamma=0.5, coef0=1.25),
    RBF: RBF((0.3, 0.0, 1.7)),
    Precomputed: Precomputed(_ROOT @ _ROOT.T),
    Sum: RBF(0.4) + Linear(),
    Product: RBF(0.4) * Polynomial(2, 1.0, 0.5),
    Scaled: 2.5 * Linear(),
    Power: RBF(0.2) ** 3,
    Exponential: (0.3 * Linear()).exp(),
    PolynomialOf: RBF(0.4).polynomial([0.5, 0.0, 2.0]),
    Composed: Linear().compose(ScaledQuadraticMap()),
    RankOne: RankOne(Tilt(0.7)),
    Columns: Columns(RBF(0.4), (0, 2)),
    Matching: Matching(),
    GlobalAlignment: GlobalAlignment(0.3, band=4),
    ElasticEdit: ElasticEdit(0.3, gap=0.2),
    FunctionKernel: FunctionKernel(inner_products),
    Nystroem: Nystroem(RBF(0.4), _ROOT[:4, :3]),
    RandomFourier: RandomFourier.sampled(RBF(0.4), 3, 8),
}
"""One example for each public kernel; every example takes three features, row numbers below 12, text or series.

A kernel whose entry has values to explore is here by that; it is stated where others test more.
"""

SAVED_KERNELS = {kind: kernel for kind, kernel in KERNEL_EXAMPLES.items() if kind is not FunctionKernel}
"""Those that a file can hold."""

HOLDS_ARRAYS = (Precomputed, Nystroem, RandomFourier)
"""Those that are equal to themselves alone."""

INDEFINITE = {Sigmoid}
"""Those whose example has a negative eigenvalue."""


def example_samples(kernel: Kernel, m: int = 8, seed: int = 1) -> NDArray[Any]:
    """m samples as the kernel of :data:`KERNEL_EXAMPLES` takes them."""
    rng = np.random.default_rng(seed)
    if isinstance(kernel, Precomputed):
        return rng.permutation(len(kernel.K))[:m]
    if isinstance(kernel, Matching):
        return rng.choice(["red", "green", "blue"], (m, 3))
    if isinstance(kernel, SequenceKernel):
        return np.array(random_texts(m, "abc", 4, 9, seed))
    if isinstance(kernel, SeriesKernel):
        return kernel.samples([rng.normal(size=(length, 2)) for length in rng.integers(2, 6, m)])
    return rng.normal(size=(m, 3))


def random_texts(m: int, alphabet: str, shortest: int, longest: int, seed: int = 0) -> list[str]:
    """m random texts over an alphabet."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(shortest, longest + 1, m)
    return ["".join(rng.choice(list(alphabet), length)) for length in lengths]


# --- kernel quadratic programs built backwards from their optimum ---


@dataclass(frozen=True)
class Manufactured:
    """A problem with its only optimum beta, its only intercept b (0 in a model without one) and its least objective."""

    program: KernelQP
    beta: Floats
    intercept: float
    optimum: float


@dataclass(frozen=True)
class Family:
    """What tells the members of the model family apart; bounds are those of positive and negative labels alike."""

    one_sided: bool = False
    lower: float = -1.5
    upper: float = 1.5
    epsilon: float = 0.0
    ridge: float = 0.0
    total: float | None = 0.0
    varied: bool = False


FAMILIES: dict[str, Family] = {
    "hinge": Family(one_sided=True),
    "hinge without intercept": Family(one_sided=True, total=None),
    "weighted hinge": Family(one_sided=True, varied=True),
    "hard margin": Family(one_sided=True, lower=-np.inf, upper=np.inf),
    "hard margin without intercept": Family(one_sided=True, lower=-np.inf, upper=np.inf, total=None),
    "squared hinge": Family(one_sided=True, lower=-np.inf, upper=np.inf, ridge=0.4),
    "squared hinge without intercept": Family(one_sided=True, lower=-np.inf, upper=np.inf, ridge=0.4, total=None),
    "epsilon-insensitive": Family(epsilon=0.3),
    "epsilon-insensitive without intercept": Family(epsilon=0.3, total=None),
    "weighted epsilon-insensitive": Family(epsilon=0.3, ridge=0.2, varied=True),
    "squared epsilon-insensitive": Family(lower=-np.inf, upper=np.inf, epsilon=0.3, ridge=0.4),
    "absolute": Family(),
    "pinball": Family(lower=-0.4, upper=1.6),
    "Huber": Family(ridge=0.5),
    "squared": Family(lower=-np.inf, upper=np.inf, ridge=0.5),
    "squared without intercept": Family(lower=-np.inf, upper=np.inf, ridge=0.5, total=None),
    "one class": Family(lower=0.0, upper=0.11, total=1.0),
    "another total": Family(epsilon=0.2, total=0.7),
}
"""Every shape a KernelQP can have: sides, finite and infinite bounds, kink, ridge, equation."""


def manufacture(name: str, seed: int = 0, m: int = 24) -> Manufactured:
    """Choose beta and b first, then the targets for which they are optimal, strictly complementary everywhere.

    Every sample is put in one of the states that its bounds allow: free, at 0 (where there is a bound or a kink), at
    the upper and at the lower bound. The slope that holds it there is between 0.2 and 1.
    """
    family = FAMILIES[name]
    rng = np.random.default_rng(seed)
    gram = Gram(RBF(1.5), rng.normal(size=(m, 3)))
    weight = rng.uniform(0.5, 1.5, m) if family.varied else np.ones(m)
    y = np.where(np.arange(m) % 2 == 0, 1.0, -1.0)
    lower, upper = family.lower * weight, family.upper * weight
    if family.one_sided:
        lower, upper = np.where(y > 0, 0.0, lower), np.where(y > 0, upper, 0.0)
    epsilon, ridge = family.epsilon * weight, family.ridge * weight
    beta, state = _point(rng, lower, upper, epsilon, family.total)
    b = 0.0 if family.total is None else float(rng.normal())
    slack = rng.uniform(0.2, 1.0, m)
    sign = np.sign(beta)
    push = ridge * beta + sign * epsilon
    push += np.where(state == "bound", sign * slack, 0.0)
    at_zero = state == "zero"
    inside = epsilon * rng.uniform(-0.8, 0.8, m)
    held = np.select([lower == 0, upper == 0], [epsilon - slack, slack - epsilon], inside)
    target = gram.dense @ beta + b + np.where(at_zero, held, push)
    program = KernelQP(gram, target, lower, upper, family.total, epsilon, ridge, name)
    optimum = 0.5 * beta @ gram.dense @ beta + 0.5 * ridge @ beta**2 - target @ beta + epsilon @ np.abs(beta)
    return Manufactured(program, beta, b, float(optimum))


def _point(
    rng: np.random.Generator, lower: Floats, upper: Floats, epsilon: Floats, total: float | None
) -> tuple[Floats, NDArray[np.str_]]:
    """Return a beta with the given sum and the state of each of its entries."""
    m = lower.size
    one_sided = (lower == 0) | (upper == 0)
    for _ in range(1000):
        beta, end, state = np.zeros(m), np.zeros(m), np.full(m, "bound")
        for k in range(m):
            # Where both signs are allowed, take the one that brings the sum closer to the total.
            end[k] = upper[k] if (beta.sum() <= (total or 0.0) or lower[k] == 0) and upper[k] > 0 else lower[k]
            state[k] = rng.choice(_states(end[k], bool(one_sided[k] or epsilon[k] > 0)))
            reach = np.clip(end[k], -2.0, 2.0) * rng.uniform(0.3, 0.7)
            beta[k] = {"free": reach, "bound": end[k], "zero": 0.0}[str(state[k])]
        free = state == "free"
        if total is not None and free.sum() >= 3:
            beta[free] += (total - beta.sum()) / free.sum()
        # No free entry may have changed its sign or come near an end.
        share = (beta / np.clip(end, -2.0, 2.0))[free]
        crowded = share.max(initial=0.5, where=np.isfinite(end[free])) > 0.9
        balanced = total is None or abs(beta.sum() - total) < 1e-12
        if balanced and not crowded and share.min(initial=0.5) > 0.1:
            return beta, state
    raise AssertionError("no point of this family was found")


def _states(end: float, zero: bool) -> Sequence[str]:
    return ["free", "free", *(["bound"] if np.isfinite(end) else []), *(["zero"] if zero else [])]


def random_feasible(program: KernelQP, seed: int) -> Floats:
    """Some point within the bounds and with the right sum, found without the code under test."""
    rng = np.random.default_rng(seed)
    lower, upper = np.maximum(program.lower, -3.0), np.minimum(program.upper, 3.0)
    beta = rng.uniform(lower, upper)
    if program.total is None:
        return beta
    # On the segment to the nearer end the sum runs through the total.
    end = upper if program.total > beta.sum() else lower
    way = (program.total - beta.sum()) / (end.sum() - beta.sum())
    return np.asarray(beta + way * (end - beta))


# --- cone programs with their optimum by hand ---


@dataclass(frozen=True)
class KnownOptimum:
    """A program and its optimal pair (x, z)."""

    program: ConeProgram
    x: Floats
    z: Floats
    value: float


def cone_program(
    P: ArrayLike, q: ArrayLike, A: ArrayLike, b: ArrayLike, cones: Sequence[Cone], offset: float = 0.0, name: str = "p"
) -> ConeProgram:
    """A program from dense matrices, with one block of variables and one block of rows for each cone."""
    q, b = np.asarray(q, float), np.asarray(b, float)
    edges = np.cumsum([0, *(cone.size for cone in cones)]).tolist()
    return ConeProgram(
        P=csc_array(np.asarray(P, float).reshape(q.size, q.size)),
        q=q,
        A=csc_array(np.asarray(A, float).reshape(b.size, q.size)),
        b=b,
        cones=tuple(cones),
        variables=(Block("x", 0, q.size),),
        rows=tuple(Block(f"rows {k}", start, stop) for k, (start, stop) in enumerate(pairwise(edges))),
        offset=offset,
        name=name,
    )


def _known(
    name: str,
    P: ArrayLike,
    q: ArrayLike,
    A: ArrayLike,
    b: ArrayLike,
    cones: Sequence[Cone],
    x: ArrayLike,
    z: ArrayLike,
    value: float,
) -> KnownOptimum:
    return KnownOptimum(
        cone_program(P, q, A, b, cones, offset=0.5, name=name), np.asarray(x, float), np.asarray(z, float), value + 0.5
    )


_A = 0.3
_PEAK = _A**_A * (1 - _A) ** (1 - _A)
_R = np.sqrt(2.0)

KNOWN_OPTIMA: dict[str, KnownOptimum] = {
    known.program.name: known
    for known in (
        _known(
            "LP: min -x1 - 2 x2 s.t. x1 + x2 <= 4, x1 <= 3, x2 <= 2, x >= 0",
            np.zeros((2, 2)),
            [-1, -2],
            [[1, 1], [1, 0], [0, 1], [-1, 0], [0, -1]],
            [4, 3, 2, 0, 0],
            [Nonnegative(5)],
            x=[2, 2],
            z=[1, 0, 1, 0, 0],
            value=-6.0,
        ),
        _known(
            "QP: min (x1^2 + x2^2) / 2 s.t. x1 >= 0.8, x1 + x2 = 1",
            np.eye(2),
            [0, 0],
            [[-1, 0], [1, 1]],
            [-0.8, 1],
            [Nonnegative(1), Zero(1)],
            x=[0.8, 0.2],
            z=[0.6, -0.2],
            value=0.34,
        ),
        _known(
            "SOCP: min x1 + x2 s.t. x1 <= 5, |x| <= 1",
            np.zeros((2, 2)),
            [1, 1],
            [[1, 0], [0, 0], [-1, 0], [0, -1]],
            [5, 1, 0, 0],
            [Nonnegative(1), SecondOrder(3)],
            x=[-1 / _R, -1 / _R],
            z=[0, _R, 1, 1],
            value=-_R,
        ),
        _known(
            "exponential: max x s.t. exp(x) <= w, w <= 2",
            np.zeros((2, 2)),
            [-1, 0],
            [[-1, 0], [0, 0], [0, -1], [0, 1]],
            [0, 1, 0, 2],
            [ExponentialCone(), Nonnegative(1)],
            x=[np.log(2), 2],
            z=[-1, np.log(2) - 1, 0.5, 0.5],
            value=-np.log(2),
        ),
        _known(
            "power: max w s.t. w <= x^a y^(1-a), x + y = 1",
            np.zeros((3, 3)),
            [0, 0, -1],
            [[-1, 0, 0], [0, -1, 0], [0, 0, -1], [1, 1, 0]],
            [0, 0, 0, 1],
            [PowerCone(_A), Zero(1)],
            x=[_A, 1 - _A, _PEAK],
            z=[_PEAK, _PEAK, -1, _PEAK],
            value=-_PEAK,
        ),
        _known(
            "semidefinite: min x s.t. [[x, 1], [1, x]] is positive semidefinite",
            [[0.0]],
            [1],
            [[-1], [0], [-1]],
            [0, _R, 0],
            [PSDTriangle(2)],
            x=[1],
            z=[0.5, -0.5 * _R, 0.5],
            value=1.0,
        ),
    )
}
"""A program for each kind of cone, with optimum and multipliers found by hand."""


# --- parameters of tests ---

SEEDS = st.integers(0, 2**32 - 1)
every_family = pytest.mark.parametrize("name", FAMILIES)
