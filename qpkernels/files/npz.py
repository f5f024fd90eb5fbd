# SPDX-License-Identifier: BSD-3-Clause
"""Cone programs as .npz files.

A quadratic program is written with the keys P, q, G, h, A, b, lb, ub of ``qpsolvers.Problem.load`` (the bounds all
infinite: each is a named row of G), a program with other cones with cone_A and cone_b. Beside them stand the constant
of the objective, and name, cones and blocks as JSON, so that the program is read back exactly. Matrices are dense, as
qpsolvers reads them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from qpkernels.arrays import Vector
from qpkernels.arrays.archives import load_arrays, parsing, sized
from qpkernels.arrays.paths import replacing
from qpkernels.errors import FileFormatError
from qpkernels.files.structure import cone_of, describe_program, state_program
from qpkernels.problems import ConeProgram, Zero

__all__ = ["read_npz", "write_npz"]

_FORMAT = 2
_WHAT = "a program written by qpkernels.files.write"


def write_npz(program: ConeProgram, path: Path) -> None:
    """Write ``program`` to ``path``."""
    if program.is_quadratic:
        qp = program.to_qp()
        n = program.q.size
        rows = {"G": qp.G.toarray(), "h": qp.h, "A": qp.A.toarray(), "b": qp.b}
        rows |= {"lb": np.full(n, -np.inf), "ub": np.full(n, np.inf)}
    else:
        rows = {"cone_A": program.A.toarray(), "cone_b": program.b}
    with replacing(path) as file:
        np.savez_compressed(
            file,
            format=_FORMAT,
            P=program.P.toarray(),
            q=program.q,
            offset=program.offset,
            structure=json.dumps(describe_program(program)),
            **rows,  # type: ignore[arg-type]
        )


def read_npz(path: Path) -> ConeProgram:
    """Read a program that :func:`write_npz` wrote."""
    arrays = load_arrays(path, _WHAT)
    if "format" not in arrays or arrays["format"].shape or arrays["format"].item() != _FORMAT:
        raise FileFormatError(
            f"{path} must be {_WHAT} (format {_FORMAT}), but it holds {', '.join(arrays) or 'nothing'}; write it again."
        )
    with parsing(path, _WHAT):
        description = json.loads(str(arrays["structure"]))
        q = sized(arrays["q"], "q", None)
        A, b = _rows(arrays, description["cones"], q.size)
        P = csc_array(sized(arrays["P"], "P", q.size, q.size))
        return state_program(description, P, q, csc_array(A), b, sized(arrays["offset"], "offset").item())


def _rows(arrays: Mapping[str, NDArray[Any]], cones: Any, n: int) -> tuple[NDArray[np.float64], Vector]:
    if "cone_A" in arrays:
        b = sized(arrays["cone_b"], "cone_b", None)
        return sized(arrays["cone_A"], "cone_A", b.size, n), b
    parts = {"inequalities": ("G", "h"), "equations": ("A", "b")}
    found = {}
    for kind, (matrix, vector) in parts.items():
        right = sized(arrays[vector], vector, None)
        found[kind] = sized(arrays[matrix], matrix, right.size, n), right
    stated = [cone_of(cone) for cone in cones]
    size = sum(cone.size for cone in stated)
    if size != sum(right.size for _, right in found.values()):
        raise FileFormatError(f"the cones must cover all rows of G and A, but they have {size}; write the file anew.")
    equal = np.concatenate([np.zeros(0, bool), *(np.full(cone.size, isinstance(cone, Zero)) for cone in stated)])
    A, b = np.empty((size, n)), np.empty(size)
    A[equal], b[equal] = found["equations"]
    A[~equal], b[~equal] = found["inequalities"]
    return A, b
