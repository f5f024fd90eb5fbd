# SPDX-License-Identifier: BSD-3-Clause
"""Times of statements about functions, beside models of the catalogue and CVXPY with Clarabel.

python -m benchmarks.functions [CASE ...] [--samples M ...] [--turns N] [--limit SECONDS]

Each case prints what it took us, what the reference took, and the ratio. Seconds are those that processors worked, the
least of the turns, without what is compiled once; a reference that takes long has one turn.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

import cvxpy as cp
import numpy as np

from formulations import SoftMargin
from formulations.language import Function, Machine
from qpkernels import RBF

__all__ = ["CASES", "main"]

GAMMAS = (0.02, 0.05, 0.2, 0.5, 1.0)

_MANY = 5000
"""Samples from which on an answer is asked for to 1e-3, and not to 1e-6."""

_MOST = 1000
"""Samples up to which CVXPY is asked."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, and run the cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; default: all")
    parser.add_argument("--samples", type=int, nargs="*", default=[1000, 2000, 20000])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds after which a reference is stopped")
    options = parser.parse_args(arguments)
    for name in options.cases or CASES:
        for samples in options.samples:
            CASES[name](samples, options.turns, options.limit)


def five_kernels(samples: int, turns: int, limit: float) -> None:
    """Half the square of a sum of five norms, beside a soft margin of one kernel, and beside CVXPY with Clarabel."""
    X, y = _chequered(samples)
    tol = 1e-3 if samples >= _MANY else 1e-6

    def ours() -> Machine:
        functions, b = [Function(RBF(gamma), f"f{gamma:g}") for gamma in GAMMAS], cp.Variable(name="b")
        hinge = cp.sum(cp.pos(1 - cp.multiply(y, sum(f(X) for f in functions) + b)))
        machine = Machine(cp.Minimize(0.5 * cp.square(sum(f.norm for f in functions)) + hinge))
        solution = machine.solve(tol=tol)
        assert solution.status == "optimal"
        return machine

    def soft_margin() -> None:
        assert SoftMargin(X, y, RBF(0.2), C=1.0).solve(tol=tol).status == "optimal"

    least = _seconds(ours, turns)
    _show("five kernels", samples, tol, least, "one soft margin", _seconds(soft_margin, turns))
    if samples <= _MOST:
        machine, found = ours(), []

        def coordinates() -> None:
            found.append(machine.solve("clarabel", tol=tol, time_limit=limit).status)

        other = _seconds(coordinates, 1)
        reference = f"CVXPY with Clarabel, {found[0]} after"
        _show("five kernels", samples, tol, least, reference, other)


CASES: dict[str, Callable[[int, int, float], None]] = {"five-kernels": five_kernels}
"""A case takes the number of samples and of turns, and a limit in seconds for references that take long."""


def _chequered(samples: int) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    X = random.normal(size=(samples, 5))
    noise = 0.3 * random.normal(size=samples)
    return X, np.sign(X[:, 0] * X[:, 1] + 0.5 * np.sin(3 * X[:, 2]) + noise)


def _seconds(run: Callable[[], Any], turns: int) -> float:
    """Return the least seconds that processors worked."""
    least = np.inf
    for _ in range(turns):
        begin = process_time()
        run()
        least = min(least, process_time() - begin)
    return least


def _show(case: str, samples: int, tol: float, ours: float, reference: str, other: float) -> None:
    ratio = f"{other / ours:.3g} times as long" if other >= ours else f"we {ours / other:.3g} times as long"
    print(f"{case}, {samples} samples, {tol:g}: {ours:.3f} s; {reference} {other:.3f} s: {ratio}", flush=True)


if __name__ == "__main__":
    main()
