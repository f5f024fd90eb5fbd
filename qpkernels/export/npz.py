# SPDX-License-Identifier: BSD-3-Clause
"""Cone programs as .npz files.

A quadratic program is written with the keys P, q, G, h, A, b, lb, ub of ``qpsolvers.Problem.load`` (the bounds all
infinite: each is a named row of G), a program with other cones with cone_A and cone_b. Beside them stand the names of
all blocks of variables and rows, and what it takes to read the program back exactly.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from qpkernels.arrays import npz_path
from qpkernels.errors import ShapeError
from qpkernels.programs import (
    Block,
    Cone,
    ConeProgram,
    Exponential,
    Nonnegative,
    Power,
    PSDTriangle,
    SecondOrder,
    Zero,
)

__all__ = ["read_npz", "write_npz"]

_FORMAT = 1
_KINDS = {kind.__name__: kind for kind in (Zero, Nonnegative, SecondOrder, PSDTriangle, Exponential, Power)}


def write_npz(program: ConeProgram, path: str | Path) -> Path:
    """Write ``program`` to ``path`` (.npz is appended if missing) and return the path; matrices are written dense."""
    target = npz_path(path)
    if program.is_quadratic:
        qp = program.to_qp()
        n = program.q.size
        rows = {"G": qp.G.toarray(), "h": qp.h, "A": qp.A.toarray(), "b": qp.b}
        rows |= {"lb": np.full(n, -np.inf), "ub": np.full(n, np.inf)}
    else:
        rows = {"cone_A": program.A.toarray(), "cone_b": program.b}
    np.savez_compressed(
        target,
        format=_FORMAT,
        P=program.P.toarray(),
        q=program.q,
        offset=program.offset,
        name=program.name,
        cone_kinds=np.array([type(cone).__name__ for cone in program.cones], dtype=np.str_),
        cone_parameters=np.array([_parameter(cone) for cone in program.cones], dtype=np.float64),
        variable_names=np.array([block.name for block in program.variables], dtype=np.str_),
        variable_sizes=np.array([block.stop - block.start for block in program.variables], dtype=np.int64),
        row_names=np.array([block.name for block in program.rows], dtype=np.str_),
        row_sizes=np.array([block.stop - block.start for block in program.rows], dtype=np.int64),
        **rows,  # type: ignore[arg-type]
    )
    return target


def read_npz(path: str | Path) -> ConeProgram:
    """Read a program that :func:`write_npz` wrote.

    Raises
    ------
    ShapeError
        If the file was not written by it.
    """
    with np.load(path, allow_pickle=False) as file:
        if "format" not in file.files or int(file["format"]) != _FORMAT:
            raise ShapeError(f"{path} is no program written by write_npz (format {_FORMAT}); it holds {file.files}.")
        cones = tuple(
            _cone(str(kind), float(parameter))
            for kind, parameter in zip(file["cone_kinds"], file["cone_parameters"], strict=True)
        )
        A, b = _rows(file, cones)
        return ConeProgram(
            P=csc_array(file["P"]),
            q=file["q"],
            A=csc_array(A),
            b=b,
            cones=cones,
            variables=_blocks(file["variable_names"], file["variable_sizes"]),
            rows=_blocks(file["row_names"], file["row_sizes"]),
            offset=float(file["offset"]),
            name=str(file["name"]),
        )


def _parameter(cone: Cone) -> float:
    match cone:
        case PSDTriangle():
            return cone.order
        case Power():
            return cone.alpha
        case _:
            return cone.size


def _cone(kind: str, parameter: float) -> Cone:
    match kind:
        case "Exponential":
            return Exponential()
        case "Power":
            return Power(parameter)
        case _:
            return _KINDS[kind](int(parameter))  # type: ignore[call-arg]


def _rows(file: Any, cones: tuple[Cone, ...]) -> tuple[Any, Any]:
    if "cone_A" in file.files:
        return file["cone_A"], file["cone_b"]
    equal = np.concatenate([np.zeros(0, bool), *(np.full(cone.size, isinstance(cone, Zero)) for cone in cones)])
    A, b = np.empty((equal.size, file["q"].size)), np.empty(equal.size)
    A[equal], b[equal] = file["A"], file["b"]
    A[~equal], b[~equal] = file["G"], file["h"]
    return A, b


def _blocks(names: Any, sizes: Any) -> tuple[Block, ...]:
    stops = np.cumsum(sizes).tolist()
    return tuple(Block(str(name), stop - int(size), stop) for name, size, stop in zip(names, sizes, stops, strict=True))
