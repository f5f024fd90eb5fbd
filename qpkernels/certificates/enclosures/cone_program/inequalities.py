# SPDX-License-Identifier: BSD-3-Clause
"""Cones as inequalities: how far inside a point is, how it comes further inside, and the proof that it is inside."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from qpkernels.arrays import Vector
from qpkernels.intervals import Interval, inner
from qpkernels.programs.cones import Cone, Nonnegative, SecondOrder

__all__ = ["inside", "parts", "slack", "slopes"]


def parts(cones: Sequence[Cone]) -> list[tuple[Cone, slice]]:
    """Return each cone with its range of rows."""
    edges = np.cumsum([0, *(cone.size for cone in cones)]).tolist()
    return [(cone, slice(edges[k], edges[k + 1])) for k, cone in enumerate(cones)]


def slack(cones: Sequence[Cone], s: Vector) -> Vector:
    """Return how far inside its cone s is: s_i of each inequality, t - ||v|| of each second-order cone (t, v)."""
    found = [
        s[rows] if isinstance(cone, Nonnegative) else np.array([s[rows][0] - np.linalg.norm(s[rows][1:])])
        for cone, rows in parts(cones)
        if isinstance(cone, Nonnegative | SecondOrder) and cone.size
    ]
    return np.concatenate([np.zeros(0), *found])


def slopes(cones: Sequence[Cone], s: Vector) -> csr_array:
    """Return the derivatives of :func:`slack` by s, shape (slacks, rows)."""
    entries: list[tuple[Vector, Vector]] = []
    for cone, rows in parts(cones):
        index = np.arange(rows.start, rows.stop)
        if isinstance(cone, Nonnegative):
            entries.extend((np.ones(1), index[i : i + 1]) for i in range(index.size))
        elif isinstance(cone, SecondOrder) and cone.size:
            length = float(np.linalg.norm(s[rows][1:]))
            direction = s[rows][1:] / length if length > 0 else np.zeros(cone.size - 1)
            entries.append((np.append(1.0, -direction), index))
    pointers = np.cumsum([0, *(values.size for values, _ in entries)])
    values = np.concatenate([np.zeros(0), *(values for values, _ in entries)])
    columns = np.concatenate([np.zeros(0, dtype=np.intp), *(index for _, index in entries)])
    return csr_array((values, columns, pointers), shape=(len(entries), s.size))


def inside(cones: Sequence[Cone], s: Interval) -> bool:
    """Return whether every vector in s is proved to be in the cones, equations apart."""
    for cone, rows in parts(cones):
        part = s[rows]
        if isinstance(cone, Nonnegative) and not (part.lower >= 0).all():
            return False
        if isinstance(cone, SecondOrder) and cone.size:
            length = inner(part[1:], part[1:]).sqrt()
            if not float(part.lower[0]) >= float(length.upper):
                return False
    return True
