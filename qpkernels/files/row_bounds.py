# SPDX-License-Identifier: BSD-3-Clause
"""Quadratic programs with two-sided rows, l <= Ax <= u, as OSQP and MPS files have them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from qpkernels.arrays import Vector
from qpkernels.errors import FileFormatError, UnsupportedProgramError
from qpkernels.files.structure import describe_program, state_program
from qpkernels.problems import ConeProgram

__all__ = ["INFINITY", "check_bounds", "describe", "from_row_bounds", "lower_bounds"]

INFINITY = 1e20
"""From this size on, a bound is none: the convention of OSQP's files, and of HiGHS."""


def check_bounds(program: ConeProgram) -> None:
    """Refuse a program that rows with bounds cannot state.

    Raises
    ------
    UnsupportedProgramError
        If it has other cones than equations and inequalities, or a right-hand side that would read as infinite.
    """
    program.equations()
    largest = float(np.abs(program.b).max(initial=0.0))
    if largest >= INFINITY:
        raise UnsupportedProgramError(
            f"a file with bounds of rows takes {INFINITY:g} for infinite, but {program.name} has a right-hand side of "
            f"size {largest:g}; scale that row, or write .npz or .json."
        )


def lower_bounds(program: ConeProgram) -> Vector:
    """Return l of l <= Ax <= b: b of an equation, else -infinity as such files write it."""
    return np.where(program.equations(), program.b, -INFINITY)


def describe(program: ConeProgram) -> str:
    """Return name, cones and blocks in one line of ASCII."""
    return json.dumps(describe_program(program))


def from_row_bounds(
    P: csc_array,
    q: Vector,
    A: csc_array,
    bounds: tuple[Vector, Vector],
    offset: float,
    description: str | None = None,
    name: str = "quadratic program",
) -> ConeProgram:
    """Return min 1/2 x'Px + q'x + offset s.t. l <= Ax <= u as a ConeProgram.

    Parameters
    ----------
    bounds
        l and u.
    description
        What :func:`describe` wrote; the program is then the one that was written, with its names and cones. Without,
        its rows are the equations (l = u), then the finite upper, then the finite lower bounds.
    name
        What the program is called without a description.

    Raises
    ------
    FileFormatError
        If a bound is NaN, or infinite on its wrong side, or if the description is of another program.
    """
    lower, upper = bounds
    if np.isnan(lower).any() or np.isnan(upper).any() or (lower >= INFINITY).any() or (upper <= -INFINITY).any():
        raise FileFormatError("bounds must be numbers, a lower one below and an upper one above infinity.")
    equal = lower == upper
    above, below = ~equal & (upper < INFINITY), ~equal & (lower > -INFINITY)
    if description is not None:
        record = _object(description)
        one_sided = not below.any() and bool((above | equal).all())
        program = state_program(record, P, q, A, upper, offset) if one_sided else None
        if program is None or not np.array_equal(program.equations(), equal):
            raise FileFormatError("the description of the program does not fit its rows; delete it, or write it anew.")
        return program
    rows = csr_array(A)
    parts = {"equations": (rows[equal], upper[equal]), "upper": (rows[above], upper[above])}
    parts["lower"] = (-rows[below], -lower[below])
    cones = {"ZeroConeT": int(equal.sum()), "NonnegativeConeT": int(above.sum() + below.sum())}
    generic = {
        "name": name,
        "cones": [{kind: size} for kind, size in cones.items() if size],
        "variables": [["x", q.size]],
        "rows": [[label, right.size] for label, (_, right) in parts.items()],
    }
    stacked = csc_array(vstack([matrix for matrix, _ in parts.values()]))
    return state_program(generic, P, q, stacked, np.concatenate([right for _, right in parts.values()]), offset)


def _object(description: str) -> dict[str, Any]:
    record = json.loads(description)
    if not isinstance(record, dict):
        raise FileFormatError("the description of a program must be a JSON object; delete it, or write it anew.")
    return record
