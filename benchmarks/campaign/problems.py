# SPDX-License-Identifier: BSD-3-Clause
"""From a number a random problem: a model of any family, its samples, kernel and hyper-parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

import formulations
from formulations.losses import (
    AbsolutePower,
    EpsilonInsensitive,
    Hinge,
    Huber,
    LogisticLoss,
    LogisticResidual,
    Pinball,
    Squared,
    SquaredHinge,
)
from formulations.modelling import Model
from qpkernels.arrays import Matrix, Vector
from qpkernels.kernels import RBF, Kernel, Laplacian, Linear, Matern, Polynomial

__all__ = ["FAMILIES", "Case", "draw"]

FAMILIES: tuple[type[Model[Any]], ...] = tuple(
    value
    for value in (getattr(formulations, name) for name in formulations.__all__)
    if isinstance(value, type) and issubclass(value, Model) and not inspect.isabstract(value)
)
"""Every concrete model that is public."""

_SAMPLES, _FEATURES, _ENTRIES = (20, 2000), (2, 2000), 1_000_000
"""Least and largest numbers of samples and features, and the largest product of both."""


@dataclass(frozen=True, eq=False)
class Case:
    """A problem: the class of a model, the samples with their labels or targets, kernel and hyper-parameters."""

    number: int
    family: type[Model[Any]]
    data: tuple[Any, ...]
    kernel: Kernel | None
    parameters: dict[str, Any]
    words: str

    def state(self) -> Model[Any]:
        """Return the model, on which nothing has been computed yet."""
        return self.family(*self.data, kernel=self.kernel, **self.parameters)

    def __str__(self) -> str:
        numbers = ", ".join(f"{name}={_shown(value)}" for name, value in self.parameters.items())
        return f"{self.family.__name__}({self.words}; {self.kernel!r}; {numbers})"


def draw(number: int) -> Case:
    """Return the problem of that number: the same on every machine, as far as NumPy's streams are."""
    rng = np.random.default_rng([0xCA3, number])
    family = FAMILIES[number % len(FAMILIES)]
    m = int(_between(rng, *_SAMPLES))
    d = min(int(_between(rng, *_FEATURES)), _ENTRIES // m)
    X, words = _samples(rng, m, d)
    kernel = _kernel(rng, X)
    takes = inspect.signature(family).parameters
    X, unit = _in_units(rng, X)
    words = f"{m} x {d}, {words}{unit}"
    data: tuple[Any, ...] = (X,)
    spread = 1.0
    if "y" in takes:
        direction = _standard(X) @ rng.normal(size=d) / np.sqrt(d)
        if family.__module__.startswith("formulations.models.classification"):
            y, kind = _labels(rng, direction)
        else:
            y, kind = _targets(rng, direction)
            spread = float(np.std(y)) or 1.0
        data, words = (X, y), f"{words}, {kind}"
    return Case(number, family, data, kernel, _parameters(rng, takes, spread), words)


def _between(rng: Generator, low: float, high: float) -> float:
    """Return a number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _samples(rng: Generator, m: int, d: int) -> tuple[Matrix, str]:
    match int(rng.integers(5)):
        case 0:
            rank = int(_between(rng, 1, min(m, d, 30)))
            return rng.normal(size=(m, rank)) @ rng.normal(size=(rank, d)), f"rank {min(rank, d)}"
        case 1:
            return (rng.random((m, d)) < max(0.05, 2.0 / d)).astype(float), "sparse"
        case 2:
            return np.round(2 * rng.normal(size=(m, d))), "integers"
        case _:
            return rng.normal(size=(m, d)), "normal"


def _in_units(rng: Generator, X: Matrix) -> tuple[Matrix, str]:
    """Return the samples as they are, in two thirds of the cases, or features in units of their own."""
    match int(rng.integers(6)):
        case 0:
            return X * 10.0 ** rng.uniform(-3, 3), ", another unit"
        case 1:
            return X * 10.0 ** rng.uniform(-2, 2, X.shape[1]) + rng.normal(size=X.shape[1]), ", units of their own"
        case _:
            return X, ""


def _standard(X: Matrix) -> Matrix:
    spread = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _labels(rng: Generator, direction: Vector) -> tuple[Vector, str]:
    noise, kind = [(0.0, "separable"), (0.3, "overlapping"), (2.0, "hardly related")][int(rng.integers(3))]
    level = float(np.quantile(direction, rng.uniform(0.2, 0.8)))
    y = np.where(direction + noise * float(np.std(direction)) * rng.normal(size=direction.size) > level, 1.0, -1.0)
    if abs(y.sum()) == y.size:
        y[int(rng.integers(y.size))] *= -1
    return y, kind


def _targets(rng: Generator, direction: Vector) -> tuple[Vector, str]:
    curve, kind = [(direction, "linear"), (np.sin(3 * direction), "curved")][int(rng.integers(2))]
    noise = float(rng.choice([0.01, 0.3, 1.0]))
    return 10.0 ** rng.uniform(-1, 2) * (curve + noise * rng.standard_t(4, size=curve.size)), kind


def _kernel(rng: Generator, X: Matrix) -> Kernel | None:
    """Return None in two fifths of the cases, else a kernel whose length suits the samples in their first units."""
    size = float(np.linalg.norm(X - X.mean(axis=0), axis=1).mean()) or 1.0
    gamma = float(10.0 ** rng.uniform(-1.5, 1.5)) / size**2
    kernels: tuple[Callable[[], Kernel | None], ...] = (
        *(4 * (lambda: None,)),
        *(3 * (lambda: RBF(gamma),)),
        lambda: Laplacian(gamma * size),
        lambda: Matern(size * float(10.0 ** rng.uniform(-1, 1)), float(rng.choice([1.5, 2.5]))),
        lambda: [Polynomial(int(rng.integers(2, 4)), 1.0 / size**2, 1.0), Linear()][int(rng.integers(2))],
    )
    return kernels[int(rng.integers(len(kernels)))]()


def _parameters(rng: Generator, takes: Any, spread: float) -> dict[str, Any]:
    makers: dict[str, Callable[[], Any]] = {
        "C": lambda: float(10.0 ** rng.uniform(-3, 6)),
        "epsilon": lambda: float(10.0 ** rng.uniform(-3, 0)) * spread,
        "nu": lambda: float(10.0 ** rng.uniform(-2, -0.5)),
        "tau": lambda: float(rng.uniform(0.05, 0.95)),
        "delta": lambda: float(10.0 ** rng.uniform(-2, 1)) * spread,
        "R": lambda: float(10.0 ** rng.uniform(-2, 2)),
        "regularisation": lambda: float(10.0 ** rng.uniform(-6, 3)),
    }
    parameters = {name: maker() for name, maker in makers.items() if name in takes}
    if "fit_intercept" in takes and rng.random() < 0.25:
        parameters["fit_intercept"] = False
    if "loss" in takes:
        parameters["loss"] = _loss(rng, str(takes["loss"].annotation).startswith("MarginLoss"), spread)
    return parameters


def _loss(rng: Generator, of_margins: bool, spread: float) -> Any:
    margins: tuple[Any, ...] = (Hinge(), SquaredHinge(), LogisticLoss())
    residuals: tuple[Any, ...] = (
        AbsolutePower(float(rng.choice([1.0, 1.5, 2.0, 3.0]))),
        EpsilonInsensitive(0.3 * spread),
        Huber(0.3 * spread),
        LogisticResidual(),
        Pinball(0.3),
        Squared(),
    )
    choices = margins if of_margins else residuals
    return choices[int(rng.integers(len(choices)))]


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
