# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a setting that the lab itself states: those of its examples and challenges."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from formulations.lab.settings.choices import Chosen
from formulations.lab.settings.kernels import KERNELS, KernelChoice
from formulations.lab.settings.machines import MACHINES, Machine
from formulations.lab.settings.setting import Points

__all__ = ["kernel_part", "machine_part", "points_part"]

_DECIMALS = 3
"""Of coordinates, so that the address of a page stays short."""


def machine_part(name: str, **values: float) -> Chosen[Machine]:
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
