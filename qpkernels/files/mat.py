# SPDX-License-Identifier: BSD-3-Clause
"""Quadratic programs as .mat files in OSQP's convention: min 1/2 x'Px + q'x + r s.t. l <= Ax <= u, infinity 1e20.

The Maros-Meszaros problems of OSQP's benchmarks are stored in this way. In addition to P, q, r, A, l, u, n and m, a
file holds ``structure``, which other readers skip: name, cones and blocks as JSON, by which the program is read back
exactly. Rows without any bound are left out when a file is read.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import csc_array

from qpkernels.arrays import Vector, is_sparse
from qpkernels.arrays.files import LARGEST_BYTES, check_compressed, check_size, parsing, read_file, replacing
from qpkernels.errors import FileFormatError
from qpkernels.files.structure import both_triangles, check_bounds, describe, from_row_bounds, lower_bounds
from qpkernels.problems import ConeProgram

__all__ = [
    "Content",
    "read_mat",
    "read_variables",
    "write_mat",
]

Content: TypeAlias = NDArray[Any] | csc_array | str
"""A full matrix of float64 with two dimensions, a sparse one, or text."""

_HEADER = 128
_BYTE_ORDERS = {b"\x00\x01IM": "<", b"\x01\x00MI": ">"}
_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_ENCODINGS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16"}
_MATRIX, _COMPRESSED = 14, 15
_CHAR, _SPARSE, _FULL = 4, 5, range(6, 16)
_COMPLEX = 0x0800


@dataclass(frozen=True)
class _Element:
    kind: int
    data: memoryview


def read_variables(content: bytes, names: Container[str]) -> dict[str, Content]:
    """Return the variables of these names from a .mat file of version 5, read element by element.

    SciPy's reader, made for files that one trusts, ends the process on some that are damaged: on 354 of 2379 such, with
    SciPy 1.17. This one reads real matrices, full and sparse, and text, which is all that a program needs, and takes
    every size from the bytes that are there. Source: MathWorks, MAT-File Format (version 5).

    Raises
    ------
    FileFormatError
        If the file is damaged, of another version, or if one of these is no real matrix and no text. Damage may also
        raise exceptions of NumPy, SciPy and zlib.
    """
    order = _BYTE_ORDERS.get(content[_HEADER - 4 : _HEADER])
    if order is None:
        raise FileFormatError("a .mat file must be of version 5, but its header is another; save it with -v7.")
    found: dict[str, Content] = {}
    room = LARGEST_BYTES
    for element in _elements(memoryview(content)[_HEADER:], order):
        matrix = element
        if element.kind == _COMPRESSED:
            unpacked = zlib.decompressobj().decompress(element.data, room)
            room -= len(unpacked)
            matrix = next(_elements(memoryview(unpacked), order))
        if matrix.kind != _MATRIX or room <= 0:
            raise FileFormatError(f"a .mat file must hold matrices, but an element of type {matrix.kind} came.")
        parts = _elements(matrix.data, order)
        flags = int(_numbers(next(parts), order)[0])
        shape = tuple(int(size) for size in _numbers(next(parts), order))
        name = bytes(next(parts).data).decode("latin-1")
        if name in names:
            if name in found:
                raise FileFormatError(f"a .mat file must hold each variable once, but {name} came twice.")
            found[name] = _content(name, flags, shape, parts, order)
    return found


def _elements(data: memoryview, order: str) -> Iterator[_Element]:
    """Yield the elements of which data consist, each a type, a length, and padding to eight bytes."""
    place = 0
    while place + 8 <= len(data):
        kind, size = (int(word) for word in np.frombuffer(data[place : place + 8], dtype=f"{order}u4"))
        if kind >> 16:
            # A small element has both in four bytes, and its data in the other four.
            kind, size, start, stop = kind & 0xFFFF, kind >> 16, place + 4, place + 8
        else:
            start = place + 8
            stop = start + size + (-size % 8 if kind != _COMPRESSED else 0)
        if start + size > min(stop, len(data)):
            raise FileFormatError(f"an element of a .mat file claims {size} bytes, but {len(data) - start} are left.")
        yield _Element(kind, data[start : start + size])
        place = stop


def _content(name: str, flags: int, shape: tuple[int, ...], parts: Iterator[_Element], order: str) -> Content:
    kind = flags & 0xFF
    if len(shape) != 2 or min(shape) < 0 or flags & _COMPLEX or kind not in (_CHAR, _SPARSE, *_FULL):
        raise FileFormatError(f"{name} must be a real matrix or text, but class {kind} of shape {shape} came.")
    if kind == _CHAR:
        text = next(parts)
        encoding = _ENCODINGS[text.kind]
        return bytes(text.data).decode(encoding if encoding != "utf-16" else f"utf-16-{'l' if order == '<' else 'b'}e")
    if kind == _SPARSE:
        rows, starts, values = (_numbers(next(parts), order) for _ in range(3))
        stored = int(starts[-1]) if starts.size else 0
        rows, values = rows[:stored], values[:stored]
        check_compressed(starts, rows, values, (shape[1], shape[0]))
        matrix = csc_array((values.astype(np.float64), rows, starts), shape=shape)
        matrix.sum_duplicates()
        return matrix
    values = _numbers(next(parts), order)
    if values.size != math.prod(shape):
        raise FileFormatError(f"{name} must have {math.prod(shape)} entries, but {values.size} came.")
    return values.astype(np.float64).reshape(shape, order="F")


def _numbers(element: _Element, order: str) -> NDArray[Any]:
    if element.kind not in _NUMBERS:
        raise FileFormatError(f"an element of a .mat file must hold numbers, but type {element.kind} came.")
    values: NDArray[Any] = np.frombuffer(element.data, dtype=f"{order}{_NUMBERS[element.kind]}")
    return values.astype(values.dtype.newbyteorder("="))


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
