# SPDX-License-Identifier: BSD-3-Clause
"""Which suffix is which format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from qpkernels.arrays import check_path, shown
from qpkernels.errors import ParameterError
from qpkernels.files.cone_json import read_json, write_json
from qpkernels.files.mat import read_mat, write_mat
from qpkernels.files.mps import read_mps, write_mps
from qpkernels.files.npz import read_npz, write_npz
from qpkernels.problems import ConeProgram

__all__ = ["FORMATS", "Format", "read", "write"]


@dataclass(frozen=True)
class Format:
    """A way to hold programs in a file.

    Attributes
    ----------
    write, read
        Of a program and a path, and of a path.
    cones
        Whether it holds all cones; otherwise equations and inequalities only.
    readers
        Who else reads it.
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
        A program; a format that has no place for some of its cones refuses it.
    path
        Where to, with one of the suffixes of :data:`FORMATS`; a file that is there is replaced.

    Raises
    ------
    ParameterError
        If it is no program, or ``path`` no path.
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
        If the suffix is that of no format.
    FileFormatError
        If the file is damaged, or of another format.
    UnsupportedProgramError
        If it states what is no ConeProgram, such as integer variables.

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
