# SPDX-License-Identifier: BSD-3-Clause
"""Measure how long portable proofs take to write and to check: python -m benchmarks.proofs [--data FOLDER].

Machines of 300 to 2,000 samples are proved, and proofcheck checks each file in an interpreter of its own, whose seconds
of the processor and largest memory count. Every model of the catalogue is stated on breast-cancer and, where its
targets are real, on diabetes, and proved to nine digits, or the reason is told. With --data, the folder of a9a.xz, a
proof of 32,561 samples is written, and the values of the function at a share of them are checked. The record is
docs/performance/proofs.md, which docs/proofs.md includes. Some minutes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import proofcheck
from benchmarks.computer import Setting, Watch, this_computer
from benchmarks.pages import FOOTNOTE, mark, seconds, table
from benchmarks.problems import Problem, gaussians, named
from formulations import OneClass, SoftMargin
from formulations.commands.options import models_by_name
from formulations.models.classification.two_class_model import TwoClassModel
from formulations.models.regression.linear_fits import LinearFit
from qpkernels import RBF
from qpkernels.errors import QPKernelsError
from qpkernels.files import Scaling, load_dataset
from qpkernels.files.proofs import Proof

__all__ = ["main"]

_TARGET = 9
"""Digits that are asked for."""

_MEASURED = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
"""Runs a program from a small process, since a process begins with the largest memory of the one that starts it."""


@dataclass(frozen=True)
class _Checked:
    """A machine with its proof: seconds of the processor to write and to check it, bytes, and MiB of the checker."""

    samples: int
    support: int
    digits: int
    writing: float
    size: int
    checking: float
    memory: float


@dataclass(frozen=True)
class _Large:
    """A large machine, and the seconds to read its proof and to check a share of the samples."""

    proof: _Checked
    reading: float
    values: int


@dataclass(frozen=True)
class _Catalogued:
    """A model on a data set: what is stated, the digits that are proved, or the reason why there is no proof."""

    model: str
    data: str
    stated: str = ""
    digits: int | None = None
    checking: float = 0.0
    reason: str = ""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.proofs", description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder of a9a.xz; left out: no large machine")
    parser.add_argument("--share", type=float, default=0.01, help="of the samples of a9a that are checked")
    parser.add_argument("--samples", type=int, nargs="+", default=[300, 500, 1000, 2000], help="sizes of the machines")
    parser.add_argument("--rows", type=int, default=None, help="first samples of the data sets; default: all")
    parser.add_argument("--out", type=Path, default=Path("docs/performance"))
    asked = parser.parse_args(arguments)
    watch = Watch(this_computer())
    with TemporaryDirectory() as name, warnings.catch_warnings(action="ignore"):
        path = Path(name) / "machine.proof"
        sized = [_proved(gaussians(samples), Path(), path) for samples in asked.samples]
        catalogued = list(_catalogue(asked.rows, path))
        large = None if asked.data is None else _large(asked.data, asked.share, path)
    page = "\n".join(_page(sized, catalogued, large, watch.setting()))
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "proofs.md").write_text(page, encoding="utf-8")


def _proved(problem: Problem, folder: Path, path: Path, *, check: bool = True) -> _Checked:
    """Write the proof of a soft margin, and check it."""
    X, y = problem.load(folder)
    solution = SoftMargin(X, y, RBF(problem.gamma), C=problem.C).solve(tol=1e-10)
    begun = process_time()
    proof = solution.prove(path, digits=_TARGET)
    writing = process_time() - begun
    checking, memory = _checked(path) if check else (0.0, 0.0)
    support = sum(map(bool, proofcheck.vector(proof.answer["beta"], "beta", len(y))))
    found = _Checked(len(y), support, proof.digits, writing, path.stat().st_size, checking, memory)
    print(found, flush=True)
    return found


def _checked(path: Path) -> tuple[float, float]:
    """Return the seconds of the processor and the MiB that the checker takes, and demand that it says yes."""
    command = [sys.executable, "-I", "-c", _MEASURED, sys.executable, "-I", proofcheck.__file__, str(path)]
    status, worked, kibibytes = map(float, subprocess.check_output(command, text=True).split())
    if status:
        raise AssertionError(f"proofcheck ended with {status:.0f}")
    return worked, kibibytes / 1024.0


def _catalogue(rows: int | None, path: Path) -> Iterator[_Catalogued]:
    """Yield every model on the data that it is for; those of a function of real targets take those of diabetes."""
    classes, values = load_dataset("breast-cancer"), load_dataset("diabetes")
    X, Z = (Scaling.standardise(each.X).transform(each.X)[:rows] for each in (classes, values))
    y, t = classes.y[:rows], ((values.y - values.y.mean()) / values.y.std())[:rows]
    for model in models_by_name().values():
        kind: Any = model
        data = "diabetes"
        given: tuple[Any, ...] = (Z, t)
        if issubclass(kind, TwoClassModel | OneClass):
            data, given = "breast-cancer", (X, y) if issubclass(kind, TwoClassModel) else (X,)
        kernel = () if issubclass(kind, LinearFit) else (RBF(1.0 / given[0].shape[1]),)
        settings = {name: 0.3 for name in ("nu", "epsilon") if name in kind.entry.names}
        found = _Catalogued(kind.__name__, data)
        try:
            proof = kind(*given, *kernel, **settings).solve(tol=1e-10).prove(path, digits=_TARGET)
        except QPKernelsError as error:
            found = replace(found, reason=str(error))
        else:
            found = replace(found, stated=_stated(proof), digits=proof.digits, checking=_checked(path)[0])
        print(found, flush=True)
        yield found


def _stated(proof: Proof) -> str:
    if proof.statement["problem"] == "cone-program":
        return "in matrices"
    return "by a matrix" if proof.statement["kernel"]["name"] == "matrix" else "by its kernel"


def _large(folder: Path, share: float, path: Path) -> _Large:
    """Write the proof of a9a, and compute the values of its function at some of the samples, as the checker does."""
    (problem,) = named(["a9a C=1"])
    proof = _proved(problem, folder, path, check=False)
    begun = process_time()
    said = json.loads(proofcheck.content(path))
    machine = proofcheck.Machine(said["statement"], [])
    beta = proofcheck.vector(said["answer"]["beta"], "beta", machine.size)
    reading = process_time() - begun
    numbers = range(0, machine.size, max(1, round(1.0 / share)))
    begun = process_time()
    machine.values(beta, numbers)
    checking = process_time() - begun
    return _Large(_Checked(**{**vars(proof), "checking": checking}), reading, len(numbers))


def _page(
    sized: Sequence[_Checked], catalogued: Sequence[_Catalogued], large: _Large | None, where: Setting
) -> Iterator[str]:
    """Yield the record: sizes and times, then the models."""
    yield f"""# Portable proofs, measured

Written by `python -m benchmarks.proofs`.

<!-- measured -->

These are soft margins of two overlapping normal distributions in 20 dimensions, with a Gaussian kernel and C = 1. Times
are seconds that the processor worked: to make and write the proof of an answer, and to check it in an interpreter of
its own, with its largest memory; {where.computer.processor}, on {where.day}{mark(where.others)}, Python \
{where.computer.python}.
"""
    heads = ("samples", "support vectors", "digits", "write", "file", "check", "memory")
    yield table(heads, [[*_cells(each), seconds(each.checking), f"{each.memory:.0f} MiB"] for each in sized])
    if large is not None:
        proof = large.proof
        whole = large.reading + proof.checking * proof.samples / large.values
        yield f"""For a9a with {proof.samples:,} samples, of which {proof.support:,} are support vectors, a proof of \
{proof.digits} digits was written in {seconds(proof.writing)}. The file has {proof.size / 1e6:.0f} MB. The checker \
needs {seconds(large.reading)} to read it, and {seconds(proof.checking)} for the values of the function at \
{large.values:,} of the samples. The whole check thus takes about {whole / 60.0:.0f} minutes.
"""
    proved = [each for each in catalogued if each.digits is not None]
    least = min((each.digits or 0 for each in proved), default=0)
    yield f"""Every model of the catalogue was stated on all of breast-cancer or diabetes, standardised, with a \
Gaussian kernel where it has one. {len(proved)} of {len(catalogued)} are proved, to {least} digits at least:
"""
    rows = [[each.model, each.data, each.stated, str(each.digits), seconds(each.checking)] for each in proved]
    yield table(("model", "data", "stated", "digits", "check"), rows)
    yield "The others are not, for these reasons:\n"
    for each in catalogued:
        if each.digits is None:
            yield f"* {each.model}: {each.reason.removeprefix(f'{each.model}: ')}"
    yield ""
    if mark(where.others):
        yield FOOTNOTE
    yield "<!-- end of measured -->\n"


def _cells(each: _Checked) -> list[str]:
    counts = [f"{each.samples:,}", f"{each.support:,}", str(each.digits)]
    return [*counts, seconds(each.writing), f"{each.size / 1e6:.1f} MB"]


if __name__ == "__main__":
    main()
