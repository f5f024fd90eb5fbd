# SPDX-License-Identifier: BSD-3-Clause
"""Importing the package, looking for a solver and what needs no compiler load no back-end, no library of others."""

import json
import subprocess
import sys

import pytest

BACK_ENDS = ("cvxpy", "clarabel", "osqp", "scs", "qpsolvers", "piqp", "daqp", "proxsuite", "highspy", "numba")

STEPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "the package": ("import qpkernels", BACK_ENDS),
    "files": ("import qpkernels.files", ("sklearn", "pandas", *BACK_ENDS)),
    "a solver of this package": ("from qpkernels.solvers import find_solver; find_solver('smo')", BACK_ENDS),
    "programs and functions": ("import qpkernels.problems, qpkernels.gram.functions", BACK_ENDS),
    "a kernel of texts without a text": ("qpkernels.Subsequence(2, 0.5)", ("numba",)),
    "one back-end": ("find_solver('clarabel')", ("cvxpy", "osqp", "scs", "piqp", "daqp", "proxsuite")),
    "a matrix of low rank": (
        "import numpy; qpkernels.LowRank(qpkernels.RBF(1.0), numpy.eye(20), 5)",
        ("dask", "distributed"),
    ),
}
"""What a process does, one after the other, and what it has not imported after each step."""


@pytest.fixture(scope="module")
def imported() -> dict[str, list[str]]:
    """Return which of those modules a fresh process has all the same."""
    script = (
        "import json, sys; found, here = {}, {}\n"
        f"for step, (code, names) in {STEPS!r}.items():\n"
        "    exec(code, here); found[step] = [name for name in names if name in sys.modules]\n"
        "print(json.dumps(found))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("step", STEPS)
def test_no_more_is_imported_than_is_used(step: str, imported: dict[str, list[str]]) -> None:
    assert imported[step] == []
