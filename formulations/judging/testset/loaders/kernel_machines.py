# SPDX-License-Identifier: BSD-3-Clause
"""The kernel-machine QP set as a test set of qpbenchmark: ``qpbenchmark kernel_machines.py run``.

It reads index.json and the .mat files beside it. Infeasible and unbounded problems are left out: qpbenchmark measures
solutions.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import qpbenchmark
from scipy.io import loadmat
from scipy.sparse import csc_matrix, vstack

FOLDER = Path(__file__).parent
INFINITY = 1e20


class KernelMachines(qpbenchmark.TestSet):  # type: ignore[misc]
    """Primal and dual problems of kernel machines, with proved optimal values in index.json."""

    @property
    def description(self) -> str:
        """Say what the set is."""
        return "Quadratic programs of kernel machines, each with a proved interval for its optimal value."

    @property
    def title(self) -> str:
        """Return the title of reports."""
        return "Kernel-machine QP set"

    @property
    def sparse_only(self) -> bool:
        """Return whether dense solvers are left out: the primal problems have thousands of sparse rows."""
        return True

    def __iter__(self) -> Iterator[qpbenchmark.Problem]:
        """Yield the problems that have an optimum."""
        for entry in json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))["problems"]:
            if entry["status"] == "optimal":
                yield read_problem(FOLDER / entry["files"][".mat"], entry["name"])


def read_problem(path: Path, name: str) -> qpbenchmark.Problem:
    """Return the problem of a .mat file: rows with l = u as equations, the finite sides of the others as Gx <= h."""
    file = loadmat(path)
    q, lower, upper = (file[key].ravel().astype(float) for key in ("q", "l", "u"))
    rows = csc_matrix(file["A"], shape=(upper.size, q.size)).tocsr()
    equal = lower == upper
    above, below = ~equal & (upper < INFINITY), ~equal & (lower > -INFINITY)
    G, h = vstack([rows[above], -rows[below]], format="csc"), np.append(upper[above], -lower[below])
    return qpbenchmark.Problem(
        csc_matrix(file["P"], shape=(q.size, q.size)),
        q,
        csc_matrix(G) if h.size else None,
        h if h.size else None,
        csc_matrix(rows[equal]) if equal.any() else None,
        upper[equal] if equal.any() else None,
        None,
        None,
        name=name,
    )
