# SPDX-License-Identifier: BSD-3-Clause
"""The structure of a program as JSON, and programs with two-sided rows, l <= Ax <= u.

The JSON holds its name, its cones, and the names of its blocks. Two-sided rows are those of OSQP's and MPS files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array, tril, triu, vstack

from qpkernels.arrays import Vector, is_integer
from qpkernels.errors import FileFormatError, UnsupportedProgramError
from qpkernels.problems import Block, Cone, ConeProgram, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero

__all__ = [
    "INFINITY",
    "block_sizes",
    "both_triangles",
    "check_bounds",
    "cone_of",
    "describe",
    "describe_cone",
    "describe_program",
    "from_row_bounds",
    "lower_bounds",
    "state_program",
]

_KINDS = {f"{kind.__name__}ConeT": kind for kind in (Zero, Nonnegative, SecondOrder, PSDTriangle)}
"""The cones that one size tells, by the names that Clarabel gives them."""


def describe_program(program: ConeProgram) -> dict[str, Any]:
    """Return name, cones and blocks as a JSON object."""
    return {
        "name": program.name,
        "cones": [describe_cone(cone) for cone in program.cones],
        "variables": block_sizes(program.variables),
        "rows": block_sizes(program.rows),
    }


def describe_cone(cone: Cone) -> dict[str, Any]:
    """Return a cone as Clarabel writes it: ``{"ZeroConeT": 3}``."""
    match cone:
        case PSDTriangle():
            value: Any = cone.order
        case Power():
            value = cone.alpha
        case Exponential():
            value = []
        case _:
            value = cone.size
    return {f"{type(cone).__name__}ConeT": value}


def cone_of(description: Any) -> Cone:
    """Return the cone that :func:`describe_cone` describes.

    Raises
    ------
    FileFormatError
        If there is no such cone.
    """
    match description:
        case {"ExponentialConeT": []}:
            return Exponential()
        case {"PowerConeT": float(alpha)}:
            return Power(alpha)
        case dict() if len(description) == 1:
            ((kind, size),) = description.items()
            if kind in _KINDS and is_integer(size) and 0 <= size < 2**31:
                cone: Cone = _KINDS[kind](size)
                return cone
    raise FileFormatError(
        f"a cone must be one of {', '.join([*_KINDS, 'PowerConeT', 'ExponentialConeT'])} with its size, but "
        f"{str(description)[:80]} came; write the file anew."
    )


def block_sizes(blocks: Iterable[Block]) -> list[list[Any]]:
    """Return the names of blocks with their sizes."""
    return [[block.name, block.stop - block.start] for block in blocks]


def state_program(
    description: Mapping[str, Any], P: csc_array, q: Vector, A: csc_array, b: Vector, offset: float
) -> ConeProgram:
    """Return the program of these numbers with name, cones and blocks of :func:`describe_program`."""
    name = description["name"]
    if not isinstance(name, str):
        raise FileFormatError(f"the name of a program must be text, but {str(name)[:80]} came.")
    if not isfinite(offset):
        raise FileFormatError(f"the constant of the objective must be finite, but {offset} came.")
    return ConeProgram(
        P=P,
        q=q,
        A=A,
        b=b,
        cones=tuple(cone_of(each) for each in description["cones"]),
        variables=_blocks(description["variables"]),
        rows=_blocks(description["rows"]),
        offset=float(offset),
        name=name,
    )


def both_triangles(P: csc_array) -> csc_array:
    """Return a symmetric matrix of which perhaps the upper triangle alone is stored, with both."""
    upper = triu(P, k=1)
    return csc_array(P + upper.T) if upper.nnz and not tril(P, k=-1).nnz else P


def _blocks(sizes: Any) -> tuple[Block, ...]:
    blocks, start = [], 0
    for name, size in sizes:
        if not (isinstance(name, str) and is_integer(size) and 0 <= size < 2**31):
            raise FileFormatError(f"a block must have a name and a size, but {str([name, size])[:80]} came.")
        blocks.append(Block(name, start, start + size))
        start += size
    return tuple(blocks)


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
