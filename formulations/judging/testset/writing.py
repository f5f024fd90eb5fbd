# SPDX-License-Identifier: BSD-3-Clause
"""The set in a folder: a file and a proof for each problem, an index of them, and loaders for benchmarks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

import qpkernels
from formulations.judging.testset.problems import Entry
from qpkernels.arrays.files import replacing
from qpkernels.diagnosis import find_conflict
from qpkernels.errors import NoProofError, ParameterError, SolverFailedError
from qpkernels.files import FORMATS, read, write
from qpkernels.files.proofs import Proof, prove_cone_program
from qpkernels.problems import ConeProgram, Status
from qpkernels.problems.certificate import PROVED
from qpkernels.solvers import Claim, Outcome, installed_solvers
from qpkernels.solvers.repair import repair
from qpkernels.solvers.repair.proofs import repair_direction, repair_multipliers

__all__ = ["Optimum", "WrittenEntry", "optimum_of", "write_test_set"]

_SOLVERS = ("clarabel", "daqp", "piqp")
"""Asked where they are installed, until the proof has the digits that are wanted."""

_DIGITS = 9
_TOLERANCES = (1e-10, 1e-8)
_PROOF_TOLERANCE = 1e-6
_SECONDS = 60.0

_LOADERS = ("kernel_machines.py", "kernel_machines_cvxpy.py")
_ABOUT = (
    "minimise 1/2 x'Px + q'x + r subject to l <= Ax <= u; what has a proof holds for the numbers of the files in exact "
    "arithmetic, and proofcheck checks it; an interval without one is that of a duality certificate in float64; null "
    "stands for no number"
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
    proof
        The file of the proof, as such a path; None: there is none, and ``optimum.lacking`` says why.
    """

    entry: Entry
    program: ConeProgram
    optimum: Optimum
    files: dict[str, str]
    proof: str | None

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
            "digits": self.optimum.digits,
            "lacking": self.optimum.lacking,
            "proof": self.proof,
            "files": self.files,
        }


def write_test_set(
    folder: str | Path,
    chosen: Sequence[Entry],
    formats: Sequence[str] = (".mat",),
    progress: Callable[[WrittenEntry], None] | None = None,
) -> list[WrittenEntry]:
    """Write problems to ``folder`` with their proofs, index.json, README.md and the loaders of benchmarks.

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
    for part in ("problems", "proofs"):
        (target / part).mkdir(parents=True, exist_ok=True)
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
    optimum, proof = optimum_of(program, f"{entry.name}: {entry.description}")
    proved = None if proof is None else f"proofs/{entry.name}.proof.gz"
    if proof is not None and proved is not None:
        proof.write(folder / proved)
    return WrittenEntry(entry, program, optimum, files, proved)


def _readme(members: Sequence[WrittenEntry]) -> str:
    rows = [
        f"| {m.entry.name} | {m.entry.family} | {m.program.q.size} | {m.program.b.size} | {m.optimum.status} | "
        f"{_ends(m.optimum)} | {m.optimum.digits or ''} | {m.entry.description} |"
        for m in members
    ]
    head = [
        "# Kernel-machine QP set",
        "",
        f"{len(members)} problems: {_ABOUT}.",
        "",
        "* `problems/`: the files; .mat is that of OSQP's benchmarks (infinity is 1e20).",
        "* `proofs/`: the proof of each, for `proofcheck FILE`, which needs the standard library of Python alone.",
        "* `index.json`: what is proved of each, and what is lacking.",
        "* `kernel_machines.py`: for qpbenchmark, `qpbenchmark kernel_machines.py run`.",
        "* `kernel_machines_cvxpy.py`: for cvxpy/solver-benchmarks, to be put among its problems; the environment "
        "variable `KERNEL_MACHINES` names this folder.",
        "",
        "| name | family | variables | rows | status | optimal value | digits | problem |",
        "|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *rows]) + "\n"


def _ends(optimum: Optimum) -> str:
    if not isfinite(optimum.lower):
        return ""
    return f"[{optimum.lower:.12g}, {optimum.upper:.12g}]" + ("" if optimum.digits else " (float64)")


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
    digits
        How many digits of the optimal value a proof in exact arithmetic determines. Without a proof it is 0, and the
        ends are the two values of a certificate, computed in float64.
    lacking
        Why there are fewer than nine digits, or no proof; empty where nothing is lacking.
    """

    status: Status
    lower: float
    upper: float
    digits: int = 0
    lacking: str = ""

    @property
    def relative_width(self) -> float:
        """Upper - lower, relative to the larger of both; infinite where there is no interval."""
        if self.status is not Status.OPTIMAL:
            return float("inf")
        size = max(abs(self.lower), abs(self.upper))
        return (self.upper - self.lower) / size if size else 0.0


def optimum_of(program: ConeProgram, words: str = "a program") -> tuple[Optimum, Proof | None]:
    """Return what is proved of the optimal value of a quadratic program, for its numbers as they are in float64.

    Parameters
    ----------
    program
        min 1/2 x'Px + q'x subject to Ax + s = b, its cones equations and inequalities.
    words
        The words of its proof.
    """
    nothing = "no solver found an answer of which anything is proved"
    best: tuple[Optimum, Proof | None] = Optimum(Status.FAILED, -np.inf, np.inf, lacking=nothing), None
    for outcome in _outcomes(program):
        found = _proved(program, outcome, words)
        if found[0].status in (Status.INFEASIBLE, Status.UNBOUNDED):
            return found
        best = max(best, found, key=lambda each: (each[0].digits, -each[0].relative_width))
        if best[0].digits >= _DIGITS:
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


def _proved(program: ConeProgram, outcome: Outcome, words: str) -> tuple[Optimum, Proof | None]:
    nothing = Optimum(Status.FAILED, -np.inf, np.inf), None
    # A proof needs no claim: a solver that gave up on a ray has found it all the same.
    if outcome.claim is not Claim.OPTIMAL and (impossible := _without_optimum(program, outcome)) is not None:
        return impossible
    finite = np.isfinite(outcome.point).all() and np.isfinite(outcome.multipliers).all()
    if outcome.claim in (Claim.INFEASIBLE, Claim.UNBOUNDED) or not finite:
        return nothing
    try:
        proof = prove_cone_program(program, outcome.point, outcome.multipliers, words)
    except NoProofError as error:
        lacking = str(error)
    else:
        few = "" if proof.digits >= _DIGITS else "rounding, or the semidefiniteness of P, leaves the interval this wide"
        return Optimum(Status.OPTIMAL, proof.lower, proof.upper, proof.digits, few), proof
    certificate = repair(program, outcome.point, outcome.multipliers, _PROOF_TOLERANCE).certificate
    if outcome.claim is not Claim.OPTIMAL or not certificate.holds(_PROOF_TOLERANCE):
        return nothing
    ends = sorted((certificate.dual_value, certificate.primal_value))
    return Optimum(Status.OPTIMAL, ends[0], ends[1], lacking=lacking), None


def _without_optimum(program: ConeProgram, outcome: Outcome) -> tuple[Optimum, Proof | None] | None:
    if np.isfinite(outcome.multipliers).all() and repair_multipliers(program, outcome.multipliers)[1].holds(PROVED):
        infeasible = Optimum(Status.INFEASIBLE, np.inf, np.inf)
        try:
            conflict = find_conflict(program)
            return infeasible, None if conflict is None else conflict.prove()
        except (NoProofError, SolverFailedError) as error:
            return replace(infeasible, lacking=str(error)), None
    if np.isfinite(outcome.point).all() and repair_direction(program, outcome.point)[1].holds(PROVED):
        return Optimum(Status.UNBOUNDED, -np.inf, -np.inf, lacking="there is no optimum: it is unbounded below"), None
    return None
