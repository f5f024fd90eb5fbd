# SPDX-License-Identifier: BSD-3-Clause
"""The set in a folder: a file for each problem, an index of what is proved about each, and loaders for benchmarks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

import qpkernels
from formulations.judging.testset.problems import Entry
from qpkernels.arrays.files import replacing
from qpkernels.errors import ParameterError, SolverFailedError
from qpkernels.files import FORMATS, read, write
from qpkernels.problems import ConeProgram, Status, enclose_cone_program
from qpkernels.problems.certificate import PROVED
from qpkernels.solvers import Claim, Outcome, installed_solvers
from qpkernels.solvers.repair import repair
from qpkernels.solvers.repair.proofs import repair_direction, repair_multipliers

__all__ = ["Optimum", "WrittenEntry", "optimum_of", "write_test_set"]

_SOLVERS = ("clarabel", "daqp", "piqp")
"""Asked where they are installed, until the interval is narrow."""

_NARROW = 1e-6
_TOLERANCES = (1e-10, 1e-8)
_PROOF_TOLERANCE = 1e-6
_SECONDS = 60.0

_LOADERS = ("kernel_machines.py", "kernel_machines_cvxpy.py")
_ABOUT = (
    "minimise 1/2 x'Px + q'x + r subject to l <= Ax <= u; an interval that is exact holds for the numbers of the files "
    "in exact arithmetic, others are the two values of a duality certificate in float64; null stands for no number"
)


@dataclass(frozen=True, eq=False)
class WrittenEntry:
    """A problem as it was written.

    Attributes
    ----------
    entry
        The problem of the set.
    program
        The program, as read back from the .mat file.
    optimum
        The proved bounds of its optimum.
    files
        Its files by their suffixes, as paths within the folder.
    """

    entry: Entry
    program: ConeProgram
    optimum: Optimum
    files: dict[str, str]

    def record(self) -> dict[str, Any]:
        """Return the problem as an entry of the index."""
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


def write_test_set(
    folder: str | Path,
    chosen: Sequence[Entry],
    formats: Sequence[str] = (".mat",),
    progress: Callable[[WrittenEntry], None] | None = None,
) -> list[WrittenEntry]:
    """Write problems to ``folder``, with index.json, README.md and the loaders of benchmarks.

    Parameters
    ----------
    folder
        The folder to write to. It is made if it is missing, and files of the same names are replaced.
    chosen
        The problems, as :func:`entries` returns them.
    formats
        Suffixes of :data:`qpkernels.files.FORMATS`. The loaders read .mat, which is always written.
    progress
        Called after each problem.

    Raises
    ------
    ParameterError
        If a format does not exist.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from formulations.judging.testset import entries, write_test_set
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


def _write(entry: Entry, folder: Path, formats: Sequence[str]) -> WrittenEntry:
    stated = entry.program()
    files = {}
    for suffix in formats:
        path = write(stated, folder / "problems" / f"{entry.name}{suffix}")
        files[suffix] = str(path.relative_to(folder).as_posix())
    # What is proved is proved of the numbers in the file.
    program = read(folder / files[".mat"])
    return WrittenEntry(entry, program, optimum_of(program), files)


def _readme(members: Sequence[WrittenEntry]) -> str:
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


@dataclass(frozen=True)
class Optimum:
    """The status of a program, and an interval that holds its optimal value.

    Attributes
    ----------
    status
        OPTIMAL where lower and upper are finite and hold, INFEASIBLE or UNBOUNDED where multipliers or a ray prove it,
        FAILED where nothing is proved.
    lower, upper
        The ends; +inf of an infeasible program, -inf of one that is unbounded.
    exact
        Whether the interval holds in exact arithmetic. Otherwise its ends are the two values of a certificate, computed
        in float64.
    """

    status: Status
    lower: float
    upper: float
    exact: bool

    @property
    def relative_width(self) -> float:
        """Upper - lower, relative to the larger of both; infinite where there is no interval."""
        if self.status is not Status.OPTIMAL:
            return float("inf")
        size = max(abs(self.lower), abs(self.upper))
        return (self.upper - self.lower) / size if size else 0.0


def optimum_of(program: ConeProgram) -> Optimum:
    """Return what is proved of the optimal value of a quadratic program, for its numbers as they are in float64.

    Parameters
    ----------
    program
        min 1/2 x'Px + q'x subject to Ax + s = b, its cones equations and inequalities.
    """
    best = Optimum(Status.FAILED, -np.inf, np.inf, exact=False)
    for outcome in _outcomes(program):
        found = _proved(program, outcome)
        if found.status in (Status.INFEASIBLE, Status.UNBOUNDED):
            return found
        if (found.exact, -found.relative_width) > (best.exact, -best.relative_width):
            best = found
        if best.exact and best.relative_width <= _NARROW:
            break
    return best


def _outcomes(program: ConeProgram) -> Iterator[Outcome]:
    for solver in (each for each in installed_solvers() if each.name in _SOLVERS):
        seconds = _SECONDS if "time_limit" in solver.options else None
        for tol in _TOLERANCES:
            try:
                outcome = solver.solve(program, tol=tol, time_limit=seconds)
            except SolverFailedError:
                continue
            if np.isfinite(outcome.point).all() or np.isfinite(outcome.multipliers).all():
                yield outcome


def _proved(program: ConeProgram, outcome: Outcome) -> Optimum:
    nothing = Optimum(Status.FAILED, -np.inf, np.inf, exact=False)
    # A proof needs no claim: a solver that gave up on a ray has found it all the same.
    if outcome.claim is not Claim.OPTIMAL and (impossible := _without_optimum(program, outcome)) is not None:
        return impossible
    finite = np.isfinite(outcome.point).all() and np.isfinite(outcome.multipliers).all()
    if outcome.claim in (Claim.INFEASIBLE, Claim.UNBOUNDED) or not finite:
        return nothing
    enclosure = enclose_cone_program(program, outcome.point, outcome.multipliers)
    if np.isfinite(enclosure.width):
        return Optimum(Status.OPTIMAL, enclosure.lower, enclosure.upper, exact=True)
    certificate = repair(program, outcome.point, outcome.multipliers, _PROOF_TOLERANCE).certificate
    if outcome.claim is not Claim.OPTIMAL or not certificate.holds(_PROOF_TOLERANCE):
        return nothing
    ends = sorted((certificate.dual_value, certificate.primal_value))
    return Optimum(Status.OPTIMAL, ends[0], ends[1], exact=False)


def _without_optimum(program: ConeProgram, outcome: Outcome) -> Optimum | None:
    if np.isfinite(outcome.multipliers).all() and repair_multipliers(program, outcome.multipliers)[1].holds(PROVED):
        return Optimum(Status.INFEASIBLE, np.inf, np.inf, exact=False)
    if np.isfinite(outcome.point).all() and repair_direction(program, outcome.point)[1].holds(PROVED):
        return Optimum(Status.UNBOUNDED, -np.inf, -np.inf, exact=False)
    return None
