# SPDX-License-Identifier: BSD-3-Clause
"""Quadratic programs as .mat files in OSQP's convention: min 1/2 x'Px + q'x + r s.t. l <= Ax <= u, infinity 1e20.

So are the Maros-Meszaros problems of OSQP's benchmarks. Beside P, q, r, A, l, u, n and m stands ``structure``, which
other readers skip: name, cones and blocks as JSON, by which the program is read back exactly. Rows without any bound
are left out when a file is read.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from scipy.sparse import csc_array

from qpkernels.arrays import Vector, is_sparse
from qpkernels.arrays.archives import check_size, parsing
from qpkernels.arrays.paths import read_file, replacing
from qpkernels.errors import FileFormatError
from qpkernels.files.matlab5 import read_variables
from qpkernels.files.row_bounds import check_bounds, describe, from_row_bounds, lower_bounds
from qpkernels.files.structure import both_triangles
from qpkernels.problems import ConeProgram

__all__ = ["read_mat", "write_mat"]

_KEYS = ("P", "q", "r", "A", "l", "u")
_WHAT = "a quadratic program in a .mat file, with P, q, r, A, l and u"


def write_mat(program: ConeProgram, path: Path) -> None:
    """Write ``program`` to ``path``.

    Raises
    ------
    UnsupportedProgramError
        If it has other cones than equations and inequalities, or a right-hand side of 1e20 or more.
    """
    check_bounds(program)
    contents = {
        "P": csc_array(program.P),
        "q": program.q,
        "r": float(program.offset),
        "A": csc_array(program.A),
        "l": lower_bounds(program),
        "u": program.b,
        "n": float(program.q.size),
        "m": float(program.b.size),
        "structure": describe(program),
    }
    with replacing(path) as file:
        stream: Any = file  # scipy's types know of paths alone
        scipy.io.savemat(stream, contents, appendmat=False, do_compression=True, oned_as="column")


def read_mat(path: Path) -> ConeProgram:
    """Read a program that :func:`write_mat` wrote, or any in OSQP's convention."""
    content = read_file(path)
    with parsing(path, _WHAT):
        variables = read_variables(content, (*_KEYS, "structure"))
        text = variables.pop("structure", None)
        if missing := [name for name in _KEYS if not isinstance(variables.get(name, ""), np.ndarray | csc_array)]:
            raise FileFormatError(f"{path} must be {_WHAT}, but {', '.join(missing)} are no matrices, or absent.")
        q, offset, lower, upper = (_vector(variables[name]) for name in "qrlu")
        P, A = _matrix(variables["P"], q.size, q.size), _matrix(variables["A"], upper.size, q.size)
        if offset.size != 1 or lower.size != upper.size or not isinstance(text, str | None):
            raise FileFormatError(f"{path} must hold one r, an l for each u, and its structure as text.")
        return from_row_bounds(both_triangles(P), q, A, (lower, upper), float(offset[0]), text, path.stem)


def _vector(values: Any) -> Vector:
    if is_sparse(values):
        check_size(values.shape, 8 * math.prod(values.shape))
    dense = values.toarray() if is_sparse(values) else values
    if dense.size and 1 not in dense.shape:
        raise FileFormatError(f"q, r, l and u must be vectors, but one has shape {dense.shape}.")
    return np.asarray(dense.ravel())


def _matrix(values: Any, rows: int, columns: int) -> csc_array:
    # A matrix without rows or columns is written as one, but its shape may come back as (0, 0).
    if 0 in (rows, columns) and 0 in values.shape:
        return csc_array((rows, columns))
    if values.shape != (rows, columns):
        raise FileFormatError(f"a matrix must have shape {(rows, columns)}, but {values.shape} came.")
    return csc_array(values)
