# SPDX-License-Identifier: BSD-3-Clause
"""Solve one problem twice in a fresh process, and print the seconds: ``python -m benchmarks.first_solve SAMPLES``.

It imports what a user would, and nothing else of this package.
"""

from time import perf_counter

_BEGIN = perf_counter()

import json  # noqa: E402  what is timed
import sys  # noqa: E402

import numpy as np  # noqa: E402

from qpkernels import RBF, Gram  # noqa: E402
from qpkernels.problems import KernelQP  # noqa: E402
from qpkernels.solvers import find_solver  # noqa: E402


def main(samples: int) -> None:
    """State a soft margin and solve it, twice."""
    marks = [perf_counter()]
    y = np.where(np.arange(samples) % 2 == 0, -1.0, 1.0)
    X = np.random.default_rng(0).normal(size=(samples, 20)) + 0.35 * y[:, None]
    for _ in range(2):
        program = KernelQP(Gram(RBF(0.05), X), y, np.minimum(y, 0.0), np.maximum(y, 0.0), 0.0)
        find_solver("smo").solve(program, tol=1e-3)
        marks.append(perf_counter())
    print(json.dumps({"imports": marks[0] - _BEGIN, "first": marks[1] - marks[0], "second": marks[2] - marks[1]}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
