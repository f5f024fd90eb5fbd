# SPDX-License-Identifier: BSD-3-Clause
"""The formats by their suffixes, and the two formats that hold all cones: NumPy archives and JSON.

A quadratic program in .npz has the keys P, q, G, h, A, b, lb, ub of ``qpsolvers.Problem.load`` (the bounds all
infinite: each is a named row of G), a program with other cones has cone_A and cone_b. Beside them stand the constant of
the objective, and name, cones and blocks as JSON, so that the program is read back exactly. Matrices are dense, as
qpsolvers reads them.

JSON is in the form that Clarabel reads (``clarabel.load_from_file``): sparse and exact. P, q, A, b and cones are
Clarabel's; of P stands the upper triangle, which is all that a reader gets. Name, offset, variables and rows are ours,
and Clarabel skips them. Numbers are written with the fewest digits that read back as the same float64. A file of
Clarabel's own is read too, its settings left aside, with one block of variables and one of rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from qpkernels.arrays import Vector, shown
from qpkernels.arrays.files import check_compressed, check_path, load_arrays, parsing, read_file, replacing, sized
from qpkernels.errors import FileFormatError, ParameterError
from qpkernels.files.mat import read_mat, write_mat
from qpkernels.files.mps import read_mps, write_mps
from qpkernels.files.structure import both_triangles, cone_of, describe_program, state_program
from qpkernels.problems import ConeProgram, Zero

__all__ = [
    "FORMATS",
    "Format",
    "read",
    "read_json",
    "read_npz",
    "write",
    "write_json",
    "write_npz",
]

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


def write_json(program: ConeProgram, path: Path) -> None:
    """Write ``program`` to ``path``."""
    numbers = {
        "P": _columns(program.upper_triangle()),
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


@dataclass(frozen=True)
class Format:
    """A way to hold programs in a file.

    Attributes
    ----------
    write, read
        The functions that write a program to a path, and read one from a path.
    cones
        Whether it holds all cones; otherwise it only holds equations and inequalities.
    readers
        Other programs that read the format.

    Examples
    --------
    >>> from qpkernels.files import FORMATS
    >>> print(sorted(FORMATS))
    ['.json', '.mat', '.mps', '.npz', '.qps']
    """

    write: Callable[[ConeProgram, Path], None]
    read: Callable[[Path], ConeProgram]
    cones: bool
    readers: str


FORMATS: Mapping[str, Format] = {
    ".npz": Format(write_npz, read_npz, cones=True, readers="qpsolvers and qpbenchmark, where it is quadratic"),
    ".mat": Format(write_mat, read_mat, cones=False, readers="MATLAB, SciPy, and OSQP's benchmarks"),
    ".mps": Format(write_mps, read_mps, cones=False, readers="HiGHS and whoever reads free MPS with QUADOBJ"),
    ".qps": Format(write_mps, read_mps, cones=False, readers="whoever reads free MPS with QUADOBJ"),
    ".json": Format(write_json, read_json, cones=True, readers="Clarabel"),
}
"""The formats by the suffix of a file."""


def write(program: ConeProgram, path: str | Path) -> Path:
    """Write ``program`` in the format that the suffix of ``path`` names, and return the path.

    A path with no suffix of :data:`FORMATS` gets .npz appended.

    Parameters
    ----------
    program
        The program; a format that cannot hold some of its cones refuses it.
    path
        The file to write, with one of the suffixes of :data:`FORMATS`; an existing file is replaced.

    Raises
    ------
    ParameterError
        If ``program`` is not a program, or if ``path`` is not a path.
    UnsupportedProgramError
        If the format cannot hold the program; nothing is written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from formulations import SoftMargin
    >>> from qpkernels.files import read, write
    >>> program = SoftMargin([[0.0], [1.0], [2.0]], [-1, 1, 1], C=1.0).qp().to_cone_program()
    >>> with TemporaryDirectory() as folder:
    ...     again = read(write(program, f"{folder}/soft_margin.qps"))
    >>> print(again.q.size, again.b.size)
    3 7
    """
    if not isinstance(program, ConeProgram):
        raise ParameterError(f"a file holds a ConeProgram, such as form.lower().program, but {shown(program)} came.")
    target = check_path(path)
    if target.suffix.lower() not in FORMATS:
        target = Path(f"{path}.npz")
    FORMATS[target.suffix.lower()].write(program, target)
    return target


def read(path: str | Path) -> ConeProgram:
    """Read a program in the format that the suffix of ``path`` names.

    Nothing in a file is executed. Sizes are checked before memory is allocated for them.

    Parameters
    ----------
    path
        A file with one of the suffixes of :data:`FORMATS`.

    Raises
    ------
    ParameterError
        If no format has this suffix.
    FileFormatError
        If the file is damaged or has another format.
    UnsupportedProgramError
        If the file states something that is not a ConeProgram, such as integer variables.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from formulations import SoftMargin
    >>> from qpkernels.files import read
    >>> model = SoftMargin([[0.0], [1.0], [2.0]], [-1, 1, 1], C=1.0)
    >>> with TemporaryDirectory() as folder:
    ...     program = read(model.dual.export(f"{folder}/soft_margin.npz"))
    >>> print(program.q.size, program.A.shape)
    3 (7, 3)
    """
    source = check_path(path)
    if source.suffix.lower() not in FORMATS:
        raise ParameterError(f"a program is read by its suffix, {', '.join(FORMATS)}, but {path} came; rename it.")
    return FORMATS[source.suffix.lower()].read(source)
