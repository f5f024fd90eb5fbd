# SPDX-License-Identifier: BSD-3-Clause
"""Data in bad shape: duplicates, constants, collinear features, sizes from 1e-8 to 1e8, offsets, one of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

__all__ = ["Drawn", "draw_classes", "draw_samples", "draw_targets", "with_near_duplicates", "with_own_scales"]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Values, and what is bad about them."""

    values: Any
    words: str


def draw_samples(rng: Generator, m: int) -> Drawn:
    """Return m samples."""
    d = int(rng.integers(1, 6)) if m <= 100 else 2
    X, words = rng.normal(size=(m, d)), [f"{d} features"]
    match int(rng.integers(7)):
        case 0:
            X = X[rng.integers(max(1, m // 2), size=m)]
            words.append("duplicates")
        case 1:
            X[:, int(rng.integers(d))] = rng.choice([0.0, 1.0, -3.0])
            words.append("a constant feature")
        case 2:
            X = np.outer(X[:, 0], rng.normal(size=d))
            words.append("rank 1")
        case 3:
            X = np.round(X)
            words.append("integers")
        case 4:
            X[1:] = X[0]
            words.append("one sample again and again")
        case _:
            pass
    match int(rng.integers(5)):
        case 0:
            X = X * 10.0 ** rng.uniform(-8, 8)
            words.append("one odd scale")
        case 1:
            X = X * 10.0 ** rng.uniform(-8, 8, d)
            words.append("odd scales")
        case _:
            pass
    if rng.random() < 0.15:
        X = X + 10.0 ** rng.uniform(0, 8)
        words.append("an offset")
    return Drawn(X, ", ".join(words))


def draw_classes(rng: Generator, samples: Drawn, imbalanced: bool) -> Drawn:
    """Return labels -1 and +1, of each at least one."""
    m = len(samples.values)
    y = np.where(rng.random(m) < 0.5, -1, 1)
    words = "random labels"
    kind = 2 if imbalanced else int(rng.integers(4))
    if kind < 2 and isinstance(samples.values, np.ndarray) and samples.values.ndim == 2:
        first = samples.values[:, 0]
        y = np.where(first > np.median(first), 1, -1)
        words = "separable labels"
        if kind == 1:
            flip = rng.random(m) < 0.15
            y = np.where(flip, -y, y)
            words = "labels with noise"
    elif kind == 2:
        y = np.full(m, -1)
        words = f"labels {m - 1}:1"
    if abs(int(y.sum())) == m:
        y[int(rng.integers(m))] *= -1
    return Drawn(y, words)


def draw_targets(rng: Generator, samples: Drawn, imbalanced: bool) -> Drawn:
    """Return real targets."""
    del imbalanced
    m, X = len(samples.values), samples.values
    plane = rng.normal(size=m)
    if isinstance(X, np.ndarray) and X.ndim == 2:
        size = np.abs(X - X.mean(axis=0)).max()
        plane = (X - X.mean(axis=0)) @ rng.normal(size=X.shape[1]) / (size if size > 0 else 1.0)
    match int(rng.integers(5)):
        case 0:
            y, words = plane, "exactly linear"
        case 1:
            y, words = np.full(m, rng.choice([0.0, 1.0, -2.5])), "constant"
        case 2:
            y, words = np.round(plane + rng.normal(size=m)), "few values of"
        case _:
            y, words = plane + 0.3 * rng.normal(size=m), "noisy"
    if rng.random() < 0.25:
        y, words = y * 10.0 ** rng.uniform(-8, 8), f"{words}, oddly scaled"
    if rng.random() < 0.2:
        y, words = y + 10.0 ** rng.uniform(0, 8), f"{words}, offset"
    return Drawn(y, f"{words} targets")


def with_near_duplicates(rng: Generator, samples: Drawn) -> Drawn:
    """Return samples some of which are others, moved by a share of 1e-9 to 1e-4."""
    X = np.array(samples.values)
    m = len(X)
    copies = rng.integers(m, size=max(1, m // 3))
    moved = X[rng.integers(m, size=copies.size)]
    share = 10.0 ** rng.uniform(-9, -4)
    X[copies] = moved * (1.0 + share * rng.normal(size=moved.shape))
    return Drawn(X, f"{samples.words}, near duplicates to {share:.0e}")


def with_own_scales(rng: Generator, targets: Drawn) -> Drawn:
    """Return targets each of which has a scale of its own."""
    decades = float(rng.uniform(0, 12))
    scales = 10.0 ** rng.uniform(-decades / 2, decades / 2, size=len(targets.values))
    return Drawn(targets.values * scales, f"{decades:.0f} decades of {targets.words}")
