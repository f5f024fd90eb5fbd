# SPDX-License-Identifier: BSD-3-Clause
"""What is trained together: pairs of classes, folds of a path, and paths in C."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.problems import named
from qpkernels import Gram
from qpkernels.arrays import Indices, Matrix, Samples, Vector
from qpkernels.families.batch import Machine
from qpkernels.problems import KernelQP

__all__ = ["WORKLOADS", "Workload"]


@dataclass(frozen=True)
class Workload:
    """Samples with a kernel, and the machines on them.

    Attributes
    ----------
    name
        What it is called.
    load
        Reads the samples, their labels and gamma from the folder with the data.
    machines
        States the machines, given the kernel matrix and the labels: what is timed.
    """

    name: str
    load: Callable[[Path], tuple[Samples, Vector, float]]
    machines: Callable[[Gram, Vector], list[Machine]]


def clusters(samples: int, features: int, seed: int = 0) -> tuple[Matrix, Vector, float]:
    """Return the simulation of TorchKM's paper: five normal clusters a class, standardised, and its bandwidth.

    The class means are normal, and 2 further in one half of the features each; the samples lie around them with the
    standard deviation 3. The bandwidth is the mean inverse of the squared distances' quantiles at 10 and 90 %.
    """
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(10, features))
    means[:5, : features // 2] += 2.0
    means[5:, features // 2 :] += 2.0
    positive = rng.random(samples) < 0.5
    cluster = rng.integers(0, 5, samples) + 5 * positive
    X = 3.0 * rng.normal(size=(samples, features)) + means[cluster]
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    left, right = rng.integers(0, samples, (2, samples // 2))
    squares = ((X[left] - X[right]) ** 2).sum(axis=1)
    sigma = float((1.0 / np.quantile(squares[squares > 0], [0.1, 0.9])).mean())
    return X, np.where(positive, 1.0, -1.0), 2.0 * sigma


def clouds(samples: int, features: int) -> tuple[Matrix, Vector, float]:
    """Return two normal distributions, their means 0.1 apart in every feature."""
    y = np.where(np.arange(samples) % 2 == 0, -1.0, 1.0)
    return np.random.default_rng(0).normal(size=(samples, features)) + 0.05 * y[:, None], y, 1.0 / features


def soft_margin(gram: Gram, y: Vector, C: float) -> KernelQP:
    """State a soft margin with labels -1 and 1."""
    return KernelQP(gram, y, np.minimum(0.0, C * y), np.maximum(0.0, C * y), 0.0)


def pairs(C: float) -> Callable[[Gram, Vector], list[Machine]]:
    """State one machine for each pair of classes."""

    def machines(gram: Gram, y: Vector) -> list[Machine]:
        classes = np.unique(y).tolist()
        return [
            machine(gram, np.flatnonzero((y == a) | (y == b)), np.where(y == b, 1.0, -1.0), C)
            for k, a in enumerate(classes)
            for b in classes[k + 1 :]
        ]

    return machines


def machine(gram: Gram, samples: Indices, y: Vector, C: float) -> Machine:
    """State a machine on some of the samples."""
    return Machine(soft_margin(gram.part(samples), y[samples], C), samples)


def folds_of_a_path(gram: Gram, y: Vector) -> list[Machine]:
    """State 50 values of lambda from 1e3 to 1e-3 in 10 folds; the mean loss + lambda |f|^2 has C = 1 / (2 n lambda)."""
    machines: list[Machine] = []
    fold = np.random.default_rng(1).permutation(y.size) % 10
    for k in range(10):
        samples, out = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        part = gram.part(samples)
        for number, penalty in enumerate(np.logspace(3, -3, 50)):
            program = soft_margin(part, y[samples], 1.0 / (2.0 * y.size * penalty))
            machines.append(Machine(program, samples, len(machines) - 1 if number else None, out))
    return machines


def path(costs: Vector) -> Callable[[Gram, Vector], list[Machine]]:
    """State one machine for each C, each from the answer before."""

    def machines(gram: Gram, y: Vector) -> list[Machine]:
        samples = np.arange(y.size)
        return [Machine(soft_margin(gram, y, C), samples, k - 1 if k else None) for k, C in enumerate(costs)]

    return machines


def _read(name: str) -> Callable[[Path], tuple[Samples, Vector, float]]:
    (problem,) = named([name])

    def load(folder: Path) -> tuple[Samples, Vector, float]:
        return *problem.load(folder), problem.gamma

    return load


def _simulated(samples: int) -> Workload:
    return Workload(f"50 lambda, 10 folds, {samples} x 1000", lambda _: clusters(samples, 1000), folds_of_a_path)


WORKLOADS = (
    Workload("letter, 325 pairs", _read("letter"), pairs(10.0)),
    _simulated(5_000),
    _simulated(10_000),
    _simulated(20_000),
    Workload("13 C, 9000 x 1000", lambda _: clouds(9_000, 1000), path(np.logspace(-3, 3, 13))),
    Workload("20 C, a9a", _read("a9a C=1"), path(np.logspace(-2, 1, 20))),
    Workload("last C, a9a", _read("a9a C=1"), path(np.array([10.0]))),
)
"""Those of docs/performance; the last is the most expensive machine of the one before, alone."""
