# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of .mat files of version 5, read element by element.

SciPy's reader, made for files that one trusts, ends the process on some that are damaged. This one reads real matrices,
full and sparse, and text, which is all that a program needs, and takes every size from the bytes that are there.

Source: MathWorks, MAT-File Format (version 5).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from qpkernels.arrays.archives import LARGEST_BYTES, check_compressed
from qpkernels.errors import FileFormatError

__all__ = ["Content", "read_variables"]

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
    """Return the variables of these names.

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
