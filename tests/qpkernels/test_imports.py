# SPDX-License-Identifier: BSD-3-Clause
"""Importing the package, and looking for a solver, loads no back-end."""

import subprocess
import sys

import pytest

BACK_ENDS = ("cvxpy", "clarabel", "osqp", "scs", "qpsolvers", "piqp", "daqp", "proxsuite", "highspy", "numba")


@pytest.mark.parametrize(
    "statement",
    [
        "import qpkernels",
        "from qpkernels.solvers.registry import find_solver; find_solver('smo')",
        "import qpkernels.problems, qpkernels.files, qpkernels.gram.functions",
    ],
)
def test_importing_the_package_imports_no_back_end(statement: str) -> None:
    script = f"import sys; {statement}; print(*[name for name in {BACK_ENDS} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""
