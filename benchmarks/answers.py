# SPDX-License-Identifier: BSD-3-Clause
"""What a solver answers to a problem, and what that is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.problems import Machine
from qpkernels.arrays import Vector
from qpkernels.problems import certify_kernel_qp

__all__ = ["Point", "Solved", "same_points", "support_sizes", "weakest_gap"]


@dataclass(frozen=True, eq=False)
class Point:
    """The coefficients and the intercept of one machine: f(x) + b = sum_i beta_i k(x_i, x) + b."""

    beta: Vector
    b: float


@dataclass(frozen=True, eq=False)
class Solved:
    """The seconds of every run and a point for each machine, those of the last run.

    ``in_time`` is false where the solver stopped because its time was up.
    """

    seconds: tuple[float, ...]
    points: tuple[Point, ...]
    in_time: bool = True


def weakest_gap(machines: Sequence[Machine], points: Sequence[Point]) -> float:
    """Return the largest relative duality gap of all machines, recomputed in float64 from the data."""
    pairs = zip(machines, points, strict=True)
    return max(certify_kernel_qp(machine.program, point.beta, point.b).relative_gap for machine, point in pairs)


def support_sizes(points: Sequence[Point]) -> list[int]:
    """Return the number of support vectors of each machine."""
    return [int(np.count_nonzero(point.beta)) for point in points]


def same_points(some: Sequence[Point], others: Sequence[Point]) -> bool:
    """Return whether two answers are the same to the last bit."""
    return all(p.b == q.b and np.array_equal(p.beta, q.beta) for p, q in zip(some, others, strict=True))
