# SPDX-License-Identifier: BSD-3-Clause
"""What an answer of low rank is worth with the exact kernel, and what it saves on the way to the exact answer.

python -m benchmarks.scale.bounds --data FOLDER [--only "a9a C=1"] [--rank 500 2000] [--repeats 3]

Each repeat solves the exact machine from the answer of low rank and from zero, one after the other, by the same solver
to the same tolerance: other programs slow down both. A first is not counted.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from benchmarks.computer import Computer, Setting, Watch, this_computer
from benchmarks.problems import Problem, named
from benchmarks.scale.held_out import held_out
from benchmarks.scale.saving import save_beside
from formulations import SoftMargin
from qpkernels import RBF, LowRank
from qpkernels.arrays import Matrix, Vector
from qpkernels.solvers import find_solver

__all__ = ["Bound", "measure"]

FILE = "bounds.json"

PROBLEMS = ("a9a C=1", "mnist20k")

Result = TypeVar("Result")


@dataclass(frozen=True)
class Bound:
    """What was measured of a machine of two classes at one rank.

    Attributes
    ----------
    where, problem, samples, rank, tol
        What was solved, on which computer and day.
    trace_error
        Share of the trace of K that the landmarks leave.
    making, solving
        Seconds of Z, and of the machine of low rank with its certificate.
    product, trace
        Bounds of (P(f, b) - optimum) / optimum with the exact kernel, by the rows of K and by diagonals alone.
    product_seconds, trace_seconds
        What they took.
    actual
        What that ratio is, up to ``tol``, by the exact machine.
    refining, from_zero
        Seconds of each repeat to the proved exact machine, from the answer of low rank on and from zero.
    steps_refining, steps_from_zero
        Steps of smo.
    proved
        Whether both were proved.
    error, exact_error
        Share of the samples for testing that are decided wrong, by the machine of low rank and by the exact one.
    """

    where: Setting
    problem: str
    samples: int
    rank: int
    tol: float
    trace_error: float
    making: float
    solving: float
    product: float
    product_seconds: float
    trace: float
    trace_seconds: float
    actual: float
    refining: tuple[float, ...]
    from_zero: tuple[float, ...]
    steps_refining: int
    steps_from_zero: int
    proved: bool
    error: float
    exact_error: float


def measure(
    problem: Problem,
    data: tuple[Matrix, Vector],
    test: tuple[Matrix, Vector],
    rank: int,
    tol: float,
    repeats: int,
    computer: Computer,
) -> Bound:
    """Solve by low rank, bound, refine, and solve from zero."""
    (X, y), watch = data, Watch(computer)
    making, gram = _timed(lambda: LowRank(RBF(problem.gamma), X, rank))
    model = SoftMargin(gram, y, C=problem.C)
    solving, answer = _timed(lambda: model.solve("semismooth-newton", tol=tol))
    trace_seconds, trace = _timed(lambda: model.certify_exact(answer, "trace"))
    product_seconds, product = _timed(lambda: model.certify_exact(answer))
    exact = model.with_exact_kernel()
    refining, from_zero = [], []
    for _ in range(repeats + 1):
        seconds, refined = _timed(lambda: model.refine(answer, solver="smo", tol=tol))
        refining.append(seconds)
        seconds, solution = _timed(lambda: exact.solve("smo", tol=tol))
        from_zero.append(seconds)
    optimum = max(refined.certificate.dual_value, solution.certificate.dual_value)
    return Bound(
        where=watch.setting(),
        problem=problem.name,
        samples=len(y),
        rank=gram.rank,
        tol=tol,
        trace_error=gram.trace_error,
        making=making,
        solving=solving,
        product=product.suboptimality,
        product_seconds=product_seconds,
        trace=trace.suboptimality,
        trace_seconds=trace_seconds,
        actual=(answer.certificate.primal_value - optimum) / optimum,
        refining=tuple(refining[1:]),
        from_zero=tuple(from_zero[1:]),
        steps_refining=refined.iterations or 0,
        steps_from_zero=solution.iterations or 0,
        proved=bool(refined.certificate.holds(tol) and solution.certificate.holds(tol)),
        error=_error(answer, test),
        exact_error=_error(solution, test),
    )


def _error(answer: Any, test: tuple[Matrix, Vector]) -> float:
    return float((answer.predict(test[0]) != test[1]).mean())


def _timed(run: Callable[[], Result]) -> tuple[float, Result]:
    begin = perf_counter()
    result = run()
    return perf_counter() - begin, result


def _bounds(options: argparse.Namespace) -> Iterator[Bound]:
    computer = this_computer()
    for problem in named(options.only):
        data, test = problem.load(options.data), held_out(problem, options.data)
        for rank in options.rank:
            yield measure(problem, data, test, rank, options.tol, options.repeats, computer)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, and write after each measurement."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale.bounds", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the LIBSVM data")
    parser.add_argument("--only", nargs="+", default=list(PROBLEMS), help="a9a or mnist problems of benchmarks")
    parser.add_argument("--rank", nargs="+", type=int, default=[500])
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("docs/scale"))
    options = parser.parse_args(arguments)
    for name in ("smo", "semismooth-newton"):
        find_solver(name).load()
    for bound in _bounds(options):
        save(bound, options.out)
        print(json.dumps(asdict(bound)), flush=True)


def save(bound: Bound, folder: Path) -> None:
    """Write a measurement beside the others of the file, in place of one of the same problem, rank and tolerance."""
    save_beside(folder / FILE, asdict(bound), ("problem", "rank", "tol"))


if __name__ == "__main__":
    main()
