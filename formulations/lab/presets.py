# SPDX-License-Identifier: BSD-3-Clause
"""Settings to start from: points that show what a machine or a kernel is for.

Those with a W and a number in the title are the worked examples of ``docs/examples``, their coordinates rounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from formulations.lab.settings import KERNELS, MACHINES, Chosen, KernelChoice, MachineChoice, Points, Setting, Window
from qpkernels.arrays import Matrix, Vector

__all__ = ["PRESETS", "Preset", "kernel_part", "machine_part", "points_part"]

_DECIMALS = 3
"""Digits of coordinates, few so that the address of a page stays short."""


def machine_part(name: str, **values: float) -> Chosen[MachineChoice]:
    """Return a machine with some of its values; the others are the defaults."""
    return Chosen.read({"name": name, "values": values}, MACHINES, "machine")


def kernel_part(name: str, **values: float) -> tuple[Chosen[KernelChoice], ...]:
    """Return a kernel with some of its values; the others are the defaults."""
    return (Chosen.read({"name": name, "values": values}, KERNELS, "kernel"),)


def points_part(X: ArrayLike, y: ArrayLike) -> Points:
    """Return points by their coordinates and their labels or targets."""
    points = np.round(np.column_stack([np.asarray(X, dtype=float), np.asarray(y, dtype=float)]), _DECIMALS)
    points.flags.writeable = False
    return points


@dataclass(frozen=True, eq=False)
class Preset:
    """A setting with a name and a title."""

    name: str
    title: str
    setting: Setting


# Points of two classes -----------------------------------------------------------------------------------------


def _clouds(seed: int, samples: int, centre: tuple[float, float], spread: float = 1.0) -> tuple[Matrix, Vector]:
    """Draw two Gaussian classes, as many samples of each, about the centre and about its mirror image."""
    y = np.repeat([1.0, -1.0], samples // 2)
    X = spread * np.random.default_rng(seed).normal(size=(samples, 2)) + y[:, None] * np.array(centre)
    return X, y


def _square() -> Matrix:
    """Draw the samples of a corner, and of the exclusive or, uniform in [-1, 1]^2."""
    return np.random.RandomState(0).uniform(-1, 1, (50, 2))


def _corner() -> Points:
    X = _square()
    return points_part(X, np.where((X < 0).all(axis=1), -1, 1))


def _exclusive_or() -> Points:
    X = _square()
    return points_part(X, np.sign(X[:, 0] * X[:, 1]))


def _rings() -> Points:
    """Draw a disc in a ring."""
    rng, y = np.random.default_rng(0), np.repeat([1.0, -1.0], (25, 45))
    radius, angle = np.where(y > 0, rng.uniform(0, 1.1, 70), rng.uniform(1.5, 2.3, 70)), rng.uniform(0, 2 * np.pi, 70)
    return points_part(np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y)


def _spirals() -> Points:
    """Draw two arms, of which the second is the first turned by half a circle."""
    t = np.linspace(0.5, 3.0, 50)
    arm = 0.85 * t[:, None] * np.column_stack([np.cos(np.pi * t), np.sin(np.pi * t)])
    X = np.vstack([arm, -arm]) + 0.06 * np.random.default_rng(0).normal(size=(100, 2))
    return points_part(X, np.repeat([1, -1], 50))


def _with_outlier() -> Points:
    """Draw two clouds that a line separates, and one sample of the second within the first."""
    X, y = _clouds(1, 40, (1.5, 0.6), 0.6)
    return points_part(np.vstack([X, [1.6, 0.9]]), np.append(y, -1))


def _one_class() -> Points:
    """Draw a cloud, and after it five samples around it."""
    cloud = np.random.default_rng(0).normal(size=(55, 2)) * (0.9, 0.6)
    return points_part(
        np.vstack([cloud, [[-2.9, 1.6], [-0.8, 2.3], [1.9, 2.1], [3.1, -0.9], [0.4, -2.4]]]), np.ones(60)
    )


def _applet() -> Points:
    """Return points as they are clicked into an applet: few, in the unit square, of classes that no line separates."""
    positive = [[0.2, 0.75], [0.3, 0.55], [0.45, 0.7], [0.6, 0.65], [0.75, 0.75], [0.55, 0.35]]
    negative = [[0.25, 0.2], [0.4, 0.3], [0.45, 0.5], [0.7, 0.15], [0.85, 0.35], [0.95, 0.55]]
    return points_part([*positive, *negative], [1] * 6 + [-1] * 6)


# Points of a regression ----------------------------------------------------------------------------------------


def _noisy_sines() -> tuple[Points, Points]:
    """Draw the samples of the tube, and then those of relevance vectors, after those of a corner."""
    generator, x = np.random.RandomState(0), np.linspace(-1, 1, 20)
    generator.uniform(-1, 1, 100)
    first, second = (
        points_part(x, np.sin(np.pi * x) + generator.normal(scale=noise, size=20)) for noise in (0.25, 0.2)
    )
    return first, second


def _sine() -> Points:
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-3.6, 3.6, 60))
    return points_part(x, 1.5 * np.sin(1.5 * x) + 0.3 * rng.normal(size=60))


def _steps() -> Points:
    x = np.linspace(-3.6, 3.6, 73)
    heights = np.select([x < -1.75, x < 0.55, x < 2.15], [-1.5, 1.0, -0.4], 1.8)
    return points_part(x, heights + 0.1 * np.random.default_rng(0).normal(size=73))


def _line_with_outlier() -> Points:
    """Draw the samples of a line, and its last sample moved down by 5."""
    x = np.linspace(0, 10, 21)
    y = 1 + x / 2 + 0.3 * np.random.default_rng(0).normal(size=21)
    y[-1] -= 5
    return points_part(x, y)


def _spreading() -> Points:
    """Draw samples about a curve whose noise grows from left to right."""
    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(-3.6, 3.6, 90))
    return points_part(x, 0.6 * np.sin(x) + (0.08 + 0.13 * (x + 3.6)) * rng.normal(size=90))


_SQUARE = Window(-1.6, 1.6, -1.2, 1.2)
_THETA_1, _THETA_5, _THETA_15 = (kernel_part("rbf", gamma=theta / 2) for theta in (1, 5, 15))
_LINEAR = kernel_part("linear")
_TUBE, _RELEVANCE = _noisy_sines()

_PRESETS = (
    Preset(
        "two-clouds",
        "Two clouds",
        Setting(machine_part("soft-margin", C=1), _LINEAR, points_part(*_clouds(0, 60, (1.1, 0.8), 0.9))),
    ),
    Preset(
        "three-points",
        "Three points, by hand",
        Setting(machine_part("hard-margin"), _LINEAR, points_part([[0, 2], [2, 0], [-1, -1]], [1, 1, -1])),
    ),
    Preset("corner", "A corner, hard margin", Setting(machine_part("hard-margin"), _THETA_1, _corner(), _SQUARE)),
    Preset(
        "exclusive-or",
        "Exclusive or, hard margin",
        Setting(machine_part("hard-margin"), _THETA_1, _exclusive_or(), _SQUARE),
    ),
    Preset(
        "cost-and-width",
        "A corner, cost and width",
        Setting(machine_part("soft-margin", C=1), _THETA_5, _corner(), _SQUARE),
    ),
    Preset(
        "rings",
        "Rings, by a kernel of degree 2",
        Setting(machine_part("soft-margin", C=10), kernel_part("polynomial", degree=2, gamma=1, coef0=1), _rings()),
    ),
    Preset(
        "spirals",
        "Spirals, by a narrow kernel",
        Setting(machine_part("soft-margin", C=100), kernel_part("rbf", gamma=2), _spirals()),
    ),
    Preset("outlier", "An outlier, soft margin", Setting(machine_part("soft-margin", C=1), _LINEAR, _with_outlier())),
    Preset(
        "applet",
        "The applet: C = 100, gamma = 10",
        Setting(machine_part("soft-margin", C=100), kernel_part("rbf", gamma=10), _applet(), Window(0, 1.2, 0, 0.9)),
    ),
    Preset(
        "relevance-classes",
        "Two Gaussian classes, relevance vectors",
        Setting(
            machine_part("relevance-classification"),
            kernel_part("rbf", gamma=0.25),
            points_part(*_clouds(1, 100, (1.0, 0.5))),
            Window(-4.8, 4.8, -3.6, 3.6),
        ),
    ),
    Preset(
        "one-class",
        "One class, a tenth of it outside",
        Setting(machine_part("one-class", nu=0.1), kernel_part("rbf", gamma=0.3), _one_class()),
    ),
    Preset(
        "sine",
        "A sine with noise",
        Setting(machine_part("soft-tube", C=10, epsilon=0.3), kernel_part("rbf", gamma=1), _sine()),
    ),
    Preset(
        "steps",
        "Steps, by a kernel with a kink",
        Setting(machine_part("soft-tube", C=10, epsilon=0.2), kernel_part("laplacian", gamma=1), _steps()),
    ),
    Preset(
        "spreading",
        "Noise that grows: nine tenths below",
        Setting(machine_part("quantile", C=10, tau=0.9), kernel_part("rbf", gamma=0.1), _spreading()),
    ),
    Preset(
        "tube",
        "The tube",
        Setting(machine_part("soft-tube", C=1, epsilon=0.3), _THETA_15, _TUBE, Window(-1.2, 1.2, -2, 2)),
    ),
    Preset(
        "relevance-regression",
        "Relevance vectors",
        Setting(machine_part("relevance-regression"), _THETA_15, _RELEVANCE, Window(-1.2, 1.2, -2, 2)),
    ),
    Preset(
        "line-outlier",
        "A line and an outlier",
        Setting(machine_part("huber", C=10, delta=0.3), _LINEAR, _line_with_outlier(), Window(-0.5, 10.5, 0, 7)),
    ),
)

PRESETS: Mapping[str, Preset] = {each.name: each for each in _PRESETS}
"""The presets by name, in the order in which a page lists them."""
