# SPDX-License-Identifier: BSD-3-Clause
"""What a program has beside its numbers, as JSON: its name, its cones, and the names of its blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from scipy.sparse import csc_array, tril, triu

from qpkernels.arrays import Vector, is_integer
from qpkernels.errors import FileFormatError
from qpkernels.problems import Block, Cone, ConeProgram, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero

__all__ = ["block_sizes", "both_triangles", "cone_of", "describe_cone", "describe_program", "state_program"]

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
