# SPDX-License-Identifier: BSD-3-Clause
"""Times of statements about functions, beside models of the catalogue, and beside CVXPY with Clarabel.

python -m benchmarks.functions [CASE ...] [--data FOLDER] [--samples M ...] [--turns N] [--limit SECONDS]

Each case prints what it took us, what the reference took, and the ratio. Seconds are those that processors worked, the
least of the turns, from the statement to the proved answer, without what is compiled once; a reference that takes long
has one turn.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import cvxpy as cp
import numpy as np

from benchmarks.problems import named
from formulations import SoftMargin
from formulations.language import Everywhere, Function, Machine
from qpkernels import RBF
from qpkernels.arrays import Matrix, Vector

__all__ = ["CASES", "main"]

GAMMAS = (0.02, 0.05, 0.2, 0.5, 1.0)

_MANY = 5000
"""Samples from which on an answer is asked for to 1e-3, and not to 1e-6."""

_MOST = 1000
"""Samples, or pairs, up to which CVXPY is asked."""


@dataclass(frozen=True)
class Setting:
    """What the command line says."""

    samples: tuple[int, ...]
    turns: int
    limit: float
    data: Path | None


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, and run the cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; default: all")
    parser.add_argument("--samples", type=int, nargs="*", default=[], help="other sizes than a case has")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds after which a reference is stopped")
    parser.add_argument("--data", type=Path, help="folder of a9a.xz, for the largest soft margin")
    given = parser.parse_args(arguments)
    for name in given.cases or CASES:
        CASES[name](Setting(tuple(given.samples), given.turns, given.limit, given.data))


def ranking(setting: Setting) -> None:
    """Rank pairs of 2,000 samples, beside CVXPY with Clarabel where that can."""
    for pairs in setting.samples or (100_000, _MOST):
        stated = partial(_ranking, pairs)
        least = _solved(stated, setting, 1e-3)
        if pairs <= _MOST:
            _beside_cones("ranking", f"{pairs} pairs", least, stated, setting, 1e-3)
        else:
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(f"ranking, {pairs} pairs, 0.001: {least:.3f} s; {most:.2f} GiB at most", flush=True)


def _ranking(pairs: int) -> Machine:
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 8))
    worth = np.sin(X[:, 0]) + X[:, 1] + 0.3 * random.normal(size=len(X))
    i, j = random.integers(0, len(X), (2, pairs))
    swapped = worth[i] < worth[j]
    i, j = np.where(swapped, j, i)[i != j], np.where(swapped, i, j)[i != j]
    f = Function(RBF(0.1))
    v = f(X)
    return Machine(cp.Minimize(0.5 * f.squared_norm + 0.1 * cp.sum(cp.pos(1 - v[i] + v[j]))))


def soft_margin(setting: Setting) -> None:
    """Solve a soft margin that was recognised, beside the model of the catalogue."""
    problems = [(f"{samples} samples", *_chequered(samples), 0.2) for samples in setting.samples or (2000,)]
    if setting.data is not None:
        X, y = named(["a9a C=1"])[0].load(setting.data)
        problems.append((f"a9a, {len(y)} samples", X, y, 1.0 / X.shape[1]))
    for size, X, y, gamma in problems:
        tol = 1e-3 if len(y) >= _MANY else 1e-6
        stated, model = partial(_soft_margin, X, y, gamma), partial(SoftMargin, X, y, RBF(gamma), C=1.0)
        least, other = _solved(stated, setting, tol, apart=True), _solved(model, setting, tol, apart=True)
        _show("soft margin", size, tol, least, "SoftMargin", other)
        compiling = min(_seconds(lambda made: made.recognised, stated) for _ in range(setting.turns))
        print(f"  compiling: {1e3 * compiling:.1f} ms", flush=True)


def _soft_margin(X: Matrix, y: Vector, gamma: float) -> Machine:
    f, b = Function(RBF(gamma)), cp.Variable(name="b")
    return Machine(cp.Minimize(0.5 * f.squared_norm + cp.sum(cp.pos(1 - cp.multiply(y, f(X) + b)))))


def quantiles(setting: Setting) -> None:
    """Bracket three quantiles that cross nowhere."""
    for samples in setting.samples or (1000,):
        print(f"quantiles, {samples} samples, 0.001: {_solved(partial(_quantiles, samples), setting, 1e-3):.3f} s")


def _quantiles(samples: int) -> Machine:
    random = np.random.default_rng(0)
    x = np.sort(random.uniform(0, 4, samples))[:, None]
    t = np.log1p(x[:, 0]) + 0.1 * (1 + x[:, 0]) * random.normal(size=samples)
    levels, b = (0.1, 0.5, 0.9), cp.Variable(3, name="b")
    q = [Function(RBF(2.0), f"q{level}") for level in levels]
    cost, apart = 0.5 * sum(f.squared_norm for f in q), []
    for k, level in enumerate(levels):
        r = t - q[k](x) - b[k]
        cost += cp.sum(cp.maximum(level * r, (level - 1) * r))

        def above(x: Any, k: int = k) -> Any:
            return q[k](x) + b[k] >= q[k - 1](x) + b[k - 1]

        apart += [Everywhere(above, [(0, 4)])] if k else []
    return Machine(cp.Minimize(cost), apart)


def shared_variables(setting: Setting) -> None:
    """Add linear trends to a soft margin, which nothing penalises, beside the soft margin without them."""
    for samples in setting.samples or (1000, 2000, 10000):
        X, y = _chequered(samples)
        tol, without = 1e-3 if samples >= _MANY else 1e-6, partial(_soft_margin, X, y, 0.2)
        other = _solved(without, setting, tol, apart=True)
        for count in (1, 3):
            least = _solved(partial(_with_trends, X, y, count), setting, tol, apart=True)
            _show("shared variables", f"{samples} samples, {count} beside b", tol, least, "without", other)


def _with_trends(X: Matrix, y: Vector, count: int) -> Machine:
    f, b, w = Function(RBF(0.2)), cp.Variable(name="b"), cp.Variable(count, name="w")
    margins = cp.multiply(y, f(X) + X[:, :count] @ w + b)
    return Machine(cp.Minimize(0.5 * f.squared_norm + cp.sum(cp.pos(1 - margins))))


def five_kernels(setting: Setting) -> None:
    """Penalise five norms together, beside a soft margin of one kernel, and beside CVXPY with Clarabel."""
    for samples in setting.samples or (1000, 2000, 20000):
        X, y = _chequered(samples)
        tol, size, stated = 1e-3 if samples >= _MANY else 1e-6, f"{samples} samples", partial(_five_kernels, X, y)
        least, other = _solved(stated, setting, tol), _solved(partial(SoftMargin, X, y, RBF(0.2)), setting, tol)
        _show("five kernels", size, tol, least, "one soft margin", other)
        if samples <= _MOST:
            _beside_cones("five kernels", size, least, stated, setting, tol)


def _five_kernels(X: Matrix, y: Vector) -> Machine:
    functions, b = [Function(RBF(gamma), f"f{gamma:g}") for gamma in GAMMAS], cp.Variable(name="b")
    hinge = cp.sum(cp.pos(1 - cp.multiply(y, sum(f(X) for f in functions) + b)))
    return Machine(cp.Minimize(0.5 * cp.square(sum(f.norm for f in functions)) + hinge))


CASES: dict[str, Callable[[Setting], None]] = {
    "ranking": ranking,
    "soft-margin": soft_margin,
    "quantiles": quantiles,
    "shared-variables": shared_variables,
    "five-kernels": five_kernels,
}


def _chequered(samples: int) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    X = random.normal(size=(samples, 5))
    noise = 0.3 * random.normal(size=samples)
    return X, np.sign(X[:, 0] * X[:, 1] + 0.5 * np.sin(3 * X[:, 2]) + noise)


def _solved(stated: Callable[[], Any], setting: Setting, tol: float, *, apart: bool = False) -> float:
    """Return the least seconds to a proved answer, with those of stating and compiling it unless these are apart.

    A turn before the first is for what is compiled once.
    """

    def recognised() -> Any:
        made = stated()
        return made, getattr(made, "recognised", None)

    def run(made: Any = None) -> None:
        status = (stated() if made is None else made[0]).solve(tol=tol).status
        assert status == "optimal", status

    return min([_seconds(run, recognised if apart else None) for _ in range(setting.turns + 1)][1:])


def _seconds(run: Callable[..., Any], prepared: Callable[[], Any] | None = None) -> float:
    """Return the seconds that processors worked in a run, without what prepares it."""
    given = () if prepared is None else (prepared(),)
    begin = process_time()
    run(*given)
    return process_time() - begin


def _beside_cones(
    case: str, size: str, ours: float, stated: Callable[[], Machine], setting: Setting, tol: float
) -> None:
    """Solve the same statement in coordinates, by Clarabel, and show what that took."""
    found = list[str]()
    seconds = _seconds(lambda: found.append(stated().solve("clarabel", tol=tol, time_limit=setting.limit).status))
    _show(case, size, tol, ours, f"CVXPY with Clarabel, {found[0]} after", seconds)


def _show(case: str, size: str, tol: float, ours: float, reference: str, other: float) -> None:
    ratio = f"{other / ours:.3g} times as long" if other >= ours else f"we {ours / other:.3g} times as long"
    print(f"{case}, {size}, {tol:g}: {ours:.3f} s; {reference} {other:.3f} s: {ratio}", flush=True)


if __name__ == "__main__":
    main()
