# SPDX-License-Identifier: BSD-3-Clause
"""Where a path starts: a point near an optimum, and the line of targets that leads to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.paths.parametric import LINEAR
from qpkernels.paths.state import FIXED, FREE, LOWER, UPPER, ZERO, Line, Point
from qpkernels.paths.sweep import enter
from qpkernels.problems import KernelQP

__all__ = ["started"]

_SAME = 1e-10
"""Part of its interval by which a coefficient is at an end of it."""


def started(line: Line, program: KernelQP, beta: Vector) -> tuple[Line, Point]:
    """Return a line along p from 0 to 1, and a point that is optimal where it begins; it ends at ``program``.

    Along it only the targets move. The point is ``beta`` with coefficients that are almost at an end put there.
    """
    there: dict[str, Any] = {name: getattr(program, name).copy() for name in LINEAR}
    there |= {f"{name}_rate": np.zeros(len(program)) for name in LINEAR}
    line = line._replace(**there)
    point = _near(line, program.project(beta))
    inside = np.flatnonzero(point.status == FREE)
    room = np.minimum(line.upper - point.beta, point.beta - line.lower)[inside]
    _free(line, point, inside[np.argsort(-room)])
    return _with_targets(line, point)


def _near(line: Line, beta: Vector) -> Point:
    """Return the point at beta, with no sample in the inverse yet."""
    low, high = line.lower, line.upper
    near = _SAME * (high - low)
    status = np.full(beta.size, FREE, np.int8)
    status[line.kinked & (np.abs(beta) <= near)] = ZERO
    status[beta >= high - near] = UPPER
    status[beta <= low + near] = LOWER
    status[(low == 0) & (high == 0)] = FIXED
    settled = np.select([status == UPPER, status == LOWER, status == ZERO], [high, low, 0.0 * low], beta)
    rows, zeros = int((status == FREE).sum()) + 3, np.zeros(beta.size)
    return Point(
        beta=settled,
        slopes=line.K @ settled + line.ridge * settled - line.target,
        level=np.zeros(2),
        status=status,
        side=np.where(line.kinked, np.sign(settled), 0.0),
        free=np.zeros(beta.size + 2, np.intp),
        sizes=np.zeros(4, np.intp),
        memory=np.zeros((rows, rows)),
        drift=zeros,
        order=np.arange(rows),
        changes=np.zeros((2 * rows + 2, 3), np.intp),
    )


def _free(line: Line, point: Point, samples: Indices) -> None:
    """Make the inverse of these samples; one that depends on those before drives one of them to an end."""
    for sample in samples:
        enter(line, point, int(sample), 1)


def _with_targets(line: Line, point: Point) -> tuple[Line, Point]:
    """Choose b, with a free sample at least if there is one, and begin with targets for which the point is optimal."""
    status, slopes = point.status, point.slopes
    below, above = (status == LOWER) | (status == ZERO), (status == UPPER) | (status == ZERO)
    rising = slopes + np.where(status == LOWER, line.lower_side, 1.0) * line.epsilon
    falling = slopes + np.where(status == UPPER, line.upper_side, -1.0) * line.epsilon
    if line.balanced:
        if not point.sizes[0]:
            way = 1 if below.any() else -1
            k = int(
                np.argmin(np.where(below, rising, np.inf)) if way > 0 else np.argmax(np.where(above, falling, -np.inf))
            )
            side = way if status[k] == ZERO else (line.lower_side if way > 0 else line.upper_side)[k]
            point.side[k] = side if line.kinked[k] else 0.0
            _free(line, point, np.array([k]))
        free = point.free[: point.sizes[0]]
        point.level[1] = -float(np.median((slopes + point.side * line.epsilon)[free]))
    b, free = float(point.level[1]), point.free[: point.sizes[0]]
    excess = np.where(below, np.minimum(rising + b, 0.0), 0.0) + np.where(above, np.maximum(falling + b, 0.0), 0.0)
    excess[free] = (slopes + point.side * line.epsilon)[free] + b
    excess[status == FIXED] = 0.0
    return line._replace(target=line.target + excess, target_rate=-excess), point
