# SPDX-License-Identifier: BSD-3-Clause
"""Cone programs as JSON, in the form that Clarabel reads (``clarabel.load_from_file``): all cones, sparse, exact.

P, q, A, b and cones are Clarabel's; of P stands the upper triangle, which is all that a reader gets. Name, offset,
variables and rows are ours, and Clarabel skips them. Numbers are written with the fewest digits that read back as the
same float64. A file of Clarabel's own is read too, its settings left aside, with one block of variables and one of
rows.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csc_array, triu

from qpkernels.arrays.archives import check_compressed, parsing, sized
from qpkernels.arrays.paths import read_file, replacing
from qpkernels.errors import FileFormatError
from qpkernels.files.structure import both_triangles, describe_program, state_program
from qpkernels.problems import ConeProgram

__all__ = ["read_json", "write_json"]


def write_json(program: ConeProgram, path: Path) -> None:
    """Write ``program`` to ``path``."""
    numbers = {
        "P": _columns(csc_array(triu(program.P))),
        "q": program.q.tolist(),
        "A": _columns(program.A),
        "b": program.b.tolist(),
        "offset": float(program.offset),
    }
    with replacing(path, "ascii") as file:
        file.write(json.dumps({**describe_program(program), **numbers}, allow_nan=False) + "\n")


def read_json(path: Path) -> ConeProgram:
    """Read a program that :func:`write_json`, or Clarabel, wrote."""
    content = read_file(path)
    with parsing(path, "a program in JSON"):
        record = json.loads(content)
        q, b = (sized(np.array(record[key]), key, None) for key in "qb")
        names = {"name": "cone program", "variables": [["x", q.size]], "rows": [["rows", b.size]], "offset": 0.0}
        record = {**names, **record}
        P, A = both_triangles(_matrix(record["P"], q.size, q.size)), _matrix(record["A"], b.size, q.size)
        return state_program(record, P, q, A, b, sized(np.array(record["offset"]), "offset").item())


def _columns(matrix: csc_array) -> dict[str, Any]:
    matrix = csc_array(matrix)
    matrix.sum_duplicates()
    return {
        "m": matrix.shape[0],
        "n": matrix.shape[1],
        "colptr": matrix.indptr.tolist(),
        "rowval": matrix.indices.tolist(),
        "nzval": matrix.data.tolist(),
    }


def _matrix(record: dict[str, Any], rows: int, columns: int) -> csc_array:
    if (record["m"], record["n"]) != (rows, columns):
        raise FileFormatError(
            f"a matrix must have shape {(rows, columns)}, but {(record['m'], record['n'])} came; write the file anew."
        )
    values, places, starts = (np.array(record[key]) for key in ("nzval", "rowval", "colptr"))
    if places.size == 0:
        places = places.astype(np.int64)
    check_compressed(starts, places, values, (columns, rows))
    return csc_array((values.astype(np.float64), places, starts), shape=(rows, columns))
