# SPDX-License-Identifier: BSD-3-Clause
"""From the answer to one setting to that of the next by one small change of a machine, where that is all there is."""

from __future__ import annotations

from typing import Any

import numpy as np

from formulations.incremental.machine import Incremental
from formulations.lab.settings import Points, Setting
from formulations.modelling.solution import Solution
from qpkernels.arrays import Indices

__all__ = ["followed"]

_SHARE = 4
"""One point in so many may change; of more, a solve from nothing takes less."""


def followed(machine: Incremental[Any], before: Setting, after: Setting) -> Solution | None:
    """Let a machine that answers a setting follow to the next one, and return its answer; None where it cannot.

    Points were moved, with their labels or targets or without, or added after the others, or removed; or the values of
    the machine were changed.
    """
    if before.machine.choice is not after.machine.choice or before.kernel != after.kernel:
        return None
    solution: Solution | None = None
    if before.machine.values != after.machine.values:
        if np.array_equal(before.points, after.points):
            solution = machine.set_params(**after.machine.values)
    elif len(before.points) == len(after.points):
        solution = _moved(machine, before, after)
    elif len(before.points) < len(after.points):
        solution = _added(machine, before, after)
    elif (gone := _gone(before.points, after.points)) is not None and _SHARE * gone.size <= len(before.points):
        solution = machine.remove(gone)
    return solution


def _moved(machine: Incremental[Any], before: Setting, after: Setting) -> Solution | None:
    """Follow points that are where they were not, or whose labels or targets are others."""
    solution: Solution | None = machine.solution
    moved, changed = (before.X != after.X).any(axis=1), np.zeros(len(after.points), bool)
    if after.machine.choice.takes_labels:
        changed = before.y != after.y
    i = np.flatnonzero(moved | changed)
    if _SHARE * i.size > len(after.points):
        solution = None
    elif moved.any():
        solution = machine.move(i, after.X[i], after.y[i] if changed.any() else None)
    elif i.size:
        solution = machine.relabel(i, after.y[i])
    return solution


def _added(machine: Incremental[Any], before: Setting, after: Setting) -> Solution | None:
    """Follow points that came after the others."""
    known, choice = len(before.points), after.machine.choice
    if _SHARE * (len(after.points) - known) > known or len(after.points) > choice.most_points:
        return None
    if not np.array_equal(before.points, after.points[:known]):
        return None
    solution: Solution = machine.add(after.X[known:], after.y[known:] if choice.takes_labels else None)
    return solution


def _gone(before: Points, after: Points) -> Indices | None:
    """Return the points that are there no more, if the others are there in their order; else None."""
    gone, left, k = [], after.tolist(), 0
    for number, point in enumerate(before.tolist()):
        if k < len(left) and point == left[k]:
            k += 1
        else:
            gone.append(number)
    return np.array(gone, np.intp) if k == len(left) else None
