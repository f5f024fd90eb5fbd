# SPDX-License-Identifier: BSD-3-Clause
"""The convex quadratic programs of Maros and Meszaros (1999), from an archive that the user obtains.

The archive maros_meszaros_mat.tar.xz holds one MATLAB file for each problem, as the repository
qpsolvers/maros_meszaros_qpbenchmark has them, with P, q, r, A, l, u of

    min 1/2 x'Px + q'x + r   s.t.   l <= Ax <= u,

and 00README.QP of the authors with the optimal values that the solver BPMPD found.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from qpkernels.arrays import Vector
from qpkernels.files.mat import read_variables
from qpkernels.files.structure import both_triangles, from_row_bounds
from qpkernels.problems import ConeProgram

__all__ = ["ARCHIVE", "Published", "problems", "to_program"]

ARCHIVE = "maros_meszaros_mat.tar.xz"

_KEYS = ("P", "q", "r", "A", "l", "u")

_RESIDUE = 1e-10
"""Below this, an entry of l or u is what rounding left of a 0 when the files were evaluated from their sources, which
have no such number: the smallest of the others is above 1e-6."""


@dataclass(frozen=True, eq=False)
class Published:
    """A problem, and the optimal value that its authors state to eight digits; None where they state none."""

    name: str
    program: ConeProgram
    value: float | None

    @property
    def size(self) -> int:
        """Number of coefficients."""
        return int(self.program.P.nnz + self.program.A.nnz)


def problems(folder: Path) -> Iterator[Published]:
    """Yield all problems, those with few coefficients first.

    Raises
    ------
    FileNotFoundError
        If the archive is not in the folder.
    """
    path = folder / ARCHIVE
    if not path.exists():
        raise FileNotFoundError(
            f"{ARCHIVE} was expected in {folder}, but is not there; pack the .mat files of the repository "
            "qpsolvers/maros_meszaros_qpbenchmark together with 00README.QP of the problem set."
        )
    values: dict[str, float] = {}
    found: list[tuple[str, bytes]] = []
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None and member.name.endswith("00README.QP"):
                values = _published(file.read().decode(errors="replace"))
            elif file is not None and member.name.endswith(".mat"):
                found.append((Path(member.name).stem, file.read()))
    read = [
        Published(name, to_program(name, read_variables(data, _KEYS)), values.get(_key(name))) for name, data in found
    ]
    yield from sorted(read, key=lambda problem: (problem.size, problem.name))


def to_program(name: str, data: Mapping[str, Any]) -> ConeProgram:
    """Return the problem with equations, upper bounds and lower bounds apart, and infinite ones left out.

    What rounding left of a 0 in l and u is a 0 again; all else is as the file has it.
    """
    q, lower, upper, offset = (_vector(data[key]) for key in "qlur")
    P, A = (csc_array(data[key], dtype=np.float64) for key in "PA")
    bounds = _without_residues(lower), _without_residues(upper)
    return from_row_bounds(both_triangles(P), q, A, bounds, float(offset[0]), name=name)


def _vector(values: Any) -> Vector:
    return np.asarray(values, dtype=np.float64).ravel()


def _without_residues(sides: Vector) -> Vector:
    return np.where(np.abs(sides) < _RESIDUE, 0.0, sides)


def _published(text: str) -> dict[str, float]:
    """Return the last column of the table: NAME, five counts, OPT."""
    rows = re.findall(r"^\s*(\S+)(?:\s+\d+){5}\s+(\S+)\s*$", text, re.MULTILINE)
    return {_key(name): float(value) for name, value in rows}


def _key(name: str) -> str:
    return re.sub(r"[-_]", "", name.lower())
