# SPDX-License-Identifier: BSD-3-Clause
"""The set in a folder: a file for each problem, an index with what is proved of each, and the loaders of benchmarks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import qpkernels
from formulations.testset.entry import Entry
from formulations.testset.families import (
    degenerate,
    impossible,
    linear_machines,
    margins,
    nearly_singular,
    scaled,
    tubes,
)
from formulations.testset.optimum import Optimum, optimum_of
from formulations.testset.published import published
from qpkernels.arrays.paths import replacing
from qpkernels.errors import ParameterError
from qpkernels.files import FORMATS, read, write
from qpkernels.problems import ConeProgram

__all__ = ["FAMILIES", "Member", "entries", "write_test_set"]

FAMILIES: tuple[Callable[[], Iterable[Entry]], ...] = (
    margins,
    tubes,
    linear_machines,
    degenerate,
    scaled,
    nearly_singular,
    impossible,
    published,
)

_LOADERS = ("kernel_machines.py", "kernel_machines_cvxpy.py")
_ABOUT = (
    "minimise 1/2 x'Px + q'x + r subject to l <= Ax <= u; an interval that is exact holds for the numbers of the files "
    "in exact arithmetic, others are the two values of a duality certificate in float64; null stands for no number"
)


@dataclass(frozen=True, eq=False)
class Member:
    """A problem as it was written.

    Attributes
    ----------
    entry
        The problem of the set.
    program
        The program, as read back from the .mat file.
    optimum
        What is proved of it.
    files
        Its files by their suffixes, as paths within the folder.
    """

    entry: Entry
    program: ConeProgram
    optimum: Optimum
    files: dict[str, str]

    def record(self) -> dict[str, Any]:
        """Return the problem as the index has it."""
        return {
            "name": self.entry.name,
            "family": self.entry.family,
            "description": self.entry.description,
            "variables": self.program.q.size,
            "rows": self.program.b.size,
            "nonzeros_P": self.program.P.nnz,
            "nonzeros_A": self.program.A.nnz,
            "status": str(self.optimum.status),
            "lower": _finite(self.optimum.lower),
            "upper": _finite(self.optimum.upper),
            "exact": self.optimum.exact,
            "files": self.files,
        }


def entries(max_variables: int = 5000) -> list[Entry]:
    """Return the problems with at most so many variables.

    Parameters
    ----------
    max_variables
        Problems of more variables are left out.

    Examples
    --------
    >>> from formulations.testset import entries
    >>> small = entries(max_variables=100)
    >>> print(len(small) > 0, all(entry.most_variables <= 100 for entry in small))
    True True
    """
    found = [entry for family in FAMILIES for entry in family()]
    return [entry for entry in found if entry.most_variables <= max_variables]


def write_test_set(
    folder: str | Path,
    chosen: Sequence[Entry],
    formats: Sequence[str] = (".mat",),
    progress: Callable[[Member], None] | None = None,
) -> list[Member]:
    """Write problems to ``folder``, with index.json, README.md and the loaders of benchmarks.

    Parameters
    ----------
    folder
        Where to; it is made if it is missing, and files of the same names are replaced.
    chosen
        The problems, as :func:`entries` returns them.
    formats
        Suffixes of :data:`qpkernels.files.FORMATS`. The loaders read .mat, which is always written.
    progress
        Called after each problem.

    Raises
    ------
    ParameterError
        If there is no such format.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from formulations.testset import entries, write_test_set
    >>> with TemporaryDirectory() as folder:
    ...     (member,) = write_test_set(folder, entries(max_variables=100)[:1])
    >>> print(member.optimum.status, member.optimum.upper - member.optimum.lower < 1e-6)
    optimal True
    """
    if unknown := [suffix for suffix in formats if suffix not in FORMATS]:
        raise ParameterError(f"formats are {', '.join(FORMATS)}, but {', '.join(unknown)} came.")
    target = Path(folder)
    (target / "problems").mkdir(parents=True, exist_ok=True)
    members = []
    for entry in chosen:
        members.append(_write(entry, target, tuple(dict.fromkeys([".mat", *formats]))))
        if progress is not None:
            progress(members[-1])
    index = {"about": _ABOUT, "qpkernels": qpkernels.__version__, "problems": [member.record() for member in members]}
    texts = {"index.json": json.dumps(index, indent=1, allow_nan=False) + "\n", "README.md": _readme(members)}
    for name in _LOADERS:
        texts[name] = (Path(__file__).parent / "loaders" / name).read_text(encoding="utf-8")
    for name, text in texts.items():
        with replacing(target / name, "utf-8") as file:
            file.write(text)
    return members


def _write(entry: Entry, folder: Path, formats: Sequence[str]) -> Member:
    stated = entry.program()
    files = {}
    for suffix in formats:
        path = write(stated, folder / "problems" / f"{entry.name}{suffix}")
        files[suffix] = str(path.relative_to(folder).as_posix())
    # What is proved is proved of the numbers in the file.
    program = read(folder / files[".mat"])
    return Member(entry, program, optimum_of(program), files)


def _readme(members: Sequence[Member]) -> str:
    rows = [
        f"| {m.entry.name} | {m.entry.family} | {m.program.q.size} | {m.program.b.size} | {m.optimum.status} | "
        f"{_ends(m.optimum)} | {m.entry.description} |"
        for m in members
    ]
    head = [
        "# Kernel-machine QP set",
        "",
        f"{len(members)} problems: {_ABOUT}.",
        "",
        "* `problems/`: the files; .mat is that of OSQP's benchmarks (infinity is 1e20).",
        "* `index.json`: what is proved of each.",
        "* `kernel_machines.py`: for qpbenchmark, `qpbenchmark kernel_machines.py run`.",
        "* `kernel_machines_cvxpy.py`: for cvxpy/solver-benchmarks, to be put among its problems; the environment "
        "variable `KERNEL_MACHINES` names this folder.",
        "",
        "| name | family | variables | rows | status | optimal value | problem |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *rows]) + "\n"


def _ends(optimum: Optimum) -> str:
    if not isfinite(optimum.lower):
        return ""
    return f"[{optimum.lower:.12g}, {optimum.upper:.12g}]" + ("" if optimum.exact else " (float64)")


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
