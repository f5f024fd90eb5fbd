# SPDX-License-Identifier: BSD-3-Clause
"""Quadratic programs as free MPS with QUADOBJ.

The objective is 1/2 x'Px + q'x + offset: QUADOBJ lists the upper triangle of P, each entry once, which is all of P that
a reader gets, and the right-hand side of the objective row is -offset. Every variable is free (FR). Names of rows and
columns are made of those of their blocks, without blanks; the true ones stand, with the cones, in a comment that
:mod:`qpkernels.files.mps.reader` reads and others skip. Numbers are written with the fewest digits that read back as
the same float64.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from scipy.sparse import csc_array, triu

from qpkernels.arrays.paths import replacing
from qpkernels.files.row_bounds import check_bounds, describe
from qpkernels.problems import Block, ConeProgram

__all__ = ["DESCRIPTION", "OBJECTIVE", "write_mps"]

DESCRIPTION = "* qpkernels "
"""What the comment with names and cones begins with."""

OBJECTIVE = "objective"
_LONGEST_NAME = 32


def write_mps(program: ConeProgram, path: Path) -> None:
    """Write ``program`` to ``path``.

    Raises
    ------
    UnsupportedProgramError
        If it has other cones than equations and inequalities, or a right-hand side of 1e20 or more.
    """
    check_bounds(program)
    with replacing(path, "ascii") as file:
        file.writelines(f"{line}\n" for line in _lines(program))


def _lines(program: ConeProgram) -> Iterator[str]:
    columns, rows = _names(program.variables), _names(program.rows)
    yield f"NAME {_plain(program.name)}"
    yield f"{DESCRIPTION}{describe(program)}"
    yield "ROWS"
    yield f" N {OBJECTIVE}"
    yield from (f" {'E' if equal else 'L'} {row}" for row, equal in zip(rows, program.equations(), strict=True))
    yield "COLUMNS"
    yield from _columns(program, columns, rows)
    yield "RHS"
    if program.offset:
        yield f" RHS {OBJECTIVE} {-float(program.offset)!r}"
    yield from (f" RHS {row} {value!r}" for row, value in zip(rows, program.b.tolist(), strict=True) if value)
    yield "BOUNDS"
    yield from (f" FR BOUND {column}" for column in columns)
    upper = csc_array(triu(program.P))
    upper.eliminate_zeros()
    if upper.nnz:
        yield "QUADOBJ"
        yield from (f" {columns[j]} {columns[i]} {value!r}" for j, entries in _by_column(upper) for i, value in entries)
    yield "ENDATA"


def _columns(program: ConeProgram, columns: list[str], rows: list[str]) -> Iterator[str]:
    costs = program.q.tolist()
    matrix = csc_array(program.A, copy=True)
    matrix.eliminate_zeros()
    for j, entries in _by_column(matrix):
        # A column is declared by an entry, if only by a cost of 0.
        if costs[j] or not entries:
            yield f" {columns[j]} {OBJECTIVE} {costs[j]!r}"
        yield from (f" {columns[j]} {rows[i]} {value!r}" for i, value in entries)


def _by_column(matrix: csc_array) -> Iterator[tuple[int, list[tuple[int, float]]]]:
    matrix = csc_array(matrix, copy=True)
    matrix.sum_duplicates()
    indices, values, starts = matrix.indices.tolist(), matrix.data.tolist(), matrix.indptr.tolist()
    for j in range(matrix.shape[1]):
        part = slice(starts[j], starts[j + 1])
        yield j, list(zip(indices[part], values[part], strict=True))


def _names(blocks: Iterable[Block]) -> list[str]:
    names: list[str] = []
    taken: set[str] = set()
    for number, block in enumerate(blocks):
        plain = _plain(block.name)
        base = plain if plain not in taken else f"{plain}.{number}"
        taken.add(base)
        names.extend(f"{base}[{k}]" for k in range(block.stop - block.start))
    return names


def _plain(name: str) -> str:
    """Return the name with every run of characters that some reader could stumble over replaced by one underscore."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", name)[:_LONGEST_NAME] or "_"
