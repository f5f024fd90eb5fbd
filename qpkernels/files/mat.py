# SPDX-License-Identifier: BSD-3-Clause
"""Quadratic programs as .mat files in OSQP's convention: min 1/2 x'Px + q'x + r s.t. l <= Ax <= u, infinity 1e20.

So are the Maros-Meszaros problems of OSQP's benchmarks. Beside P, q, r, A, l, u, n and m stands ``structure``, which
other readers skip: name, cones and blocks as JSON, by which the program is read back exactly. Rows without any bound
are left out when a file is read.
"""

from __future__ import annotations

import math
import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat, savemat, whosmat
from scipy.sparse import csc_array

from qpkernels.arrays import Vector, is_sparse
from qpkernels.arrays.archives import check_size, parsing, sized
from qpkernels.errors import FileFormatError
from qpkernels.files.row_bounds import check_bounds, describe, from_row_bounds, lower_bounds
from qpkernels.files.structure import both_triangles
from qpkernels.programs import ConeProgram

__all__ = ["read_mat", "write_mat"]

_KEYS = ("P", "q", "r", "A", "l", "u")
_VERSION_5 = (b"\x00\x01IM", b"\x01\x00MI")


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
    savemat(path, contents, appendmat=False, do_compression=True, oned_as="column")


def read_mat(path: Path) -> ConeProgram:
    """Read a program that :func:`write_mat` wrote, or any in OSQP's convention."""
    content = path.read_bytes()
    what = "a quadratic program in a .mat file of version 5, with P, q, r, A, l and u"
    with parsing(path, what), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if content[124:128] not in _VERSION_5:
            raise FileFormatError(f"{path} must be {what}, but its header is another; save it with -v7.")
        # Annotations of SciPy's stubs leave out streams, which its documentation has.
        stream: Any = BytesIO(content)
        listed = whosmat(stream)
        _check_kinds({name: kind for name, _, kind in listed})
        check_size(path, sum(8 * math.prod(shape) for _, shape, kind in listed if kind != "sparse"))
        arrays = loadmat(stream, variable_names=[*_KEYS, "structure"])
        q, offset = _vector(arrays["q"]), _vector(arrays["r"])
        lower, upper = _vector(arrays["l"]), _vector(arrays["u"])
        P, A = _matrix(arrays["P"], q.size, q.size), _matrix(arrays["A"], upper.size, q.size)
        if offset.size != 1 or lower.size != upper.size:
            raise FileFormatError(f"{path} must hold one r, and an l for each u.")
        text = "".join(arrays["structure"].tolist()) if "structure" in arrays else None
        return from_row_bounds(both_triangles(P), q, A, (lower, upper), float(offset[0]), text, path.stem)


def _check_kinds(kinds: dict[str, str]) -> None:
    numbers = {"sparse", "double", "single", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}
    bad = [name for name in _KEYS if kinds.get(name) not in numbers]
    if bad or kinds.get("structure", "char") != "char":
        raise FileFormatError(
            f"P, q, r, A, l and u must be arrays of numbers, but {', '.join(bad)} are not, or absent."
        )


def _vector(values: Any) -> Vector:
    dense = values.toarray() if is_sparse(values) else values
    if dense.ndim != 2 or (dense.size and 1 not in dense.shape):
        raise FileFormatError(f"q, r, l and u must be vectors, but one has shape {dense.shape}.")
    return sized(dense.ravel(), "a vector of the program", None)


def _matrix(values: Any, rows: int, columns: int) -> csc_array:
    # A matrix without rows or columns is written as one, but its shape may come back as (0, 0).
    if 0 in (rows, columns) and 0 in values.shape:
        return csc_array((rows, columns))
    if values.shape != (rows, columns) or values.dtype.kind not in "biuf":
        raise FileFormatError(f"a matrix must have shape {(rows, columns)}, but {values.shape} came.")
    matrix = csc_array(values)
    # SciPy trusts indices unless it is told to look at each.
    matrix.check_format(full_check=True)
    matrix = csc_array(matrix.astype(np.float64))
    matrix.sum_duplicates()
    return matrix
