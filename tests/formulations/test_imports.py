# SPDX-License-Identifier: BSD-3-Clause
"""What is imported when: CVXPY where a problem is stated, numba where compiled loops run, the models when asked for."""

import json
import subprocess
import sys

import pytest

import formulations

HEAVY = ("cvxpy", "numba", "sklearn", "matplotlib", "joblib", "clarabel", "osqp", "scipy.optimize", "scipy.stats")

SOLVED = """
import numpy as np
from qpkernels import RBF
X = np.random.default_rng(0).normal(size=(12, 2))
for model in (SoftMargin(X, X[:, 0] > 0, RBF(1.0), C=2.0), SoftTube(X, X[:, 0], RBF(1.0)), OneClass(X, RBF(1.0))):
    solution = model.set_params().solve()
    assert solution.status == "optimal" and solution.conditions and solution.explain(0)
"""

STEPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "the package": ("import formulations", (*HEAVY, "numpy", "formulations.public")),
    "the help of the command": (
        "import contextlib, io; sys.argv = ['qpkernels', '--help']\n"
        "from formulations.commands.app import app\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): app()",
        (*HEAVY, "scipy", "formulations.modelling"),
    ),
    "its names": ("from formulations import *; SoftMargin, compare", HEAVY),
    "kernel programs that are solved and read": (SOLVED, ("cvxpy", "sklearn", "scipy.optimize")),
    "displays that do not draw": ("from formulations.plots import *", ("matplotlib", "PIL")),
}
"""What a process does, one after the other, and what it has not imported after each step."""


@pytest.fixture(scope="module")
def imported() -> dict[str, list[str]]:
    """Return which of those modules a fresh process has all the same."""
    script = (
        "import json, sys; found, here = {}, {'sys': sys}\n"
        f"for step, (code, names) in {STEPS!r}.items():\n"
        "    exec(code, here); found[step] = [name for name in names if name in sys.modules]\n"
        "print(json.dumps(found))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("step", STEPS)
def test_no_more_is_imported_than_is_used(step: str, imported: dict[str, list[str]]) -> None:
    assert imported[step] == []


def test_all_names_are_listed_though_none_was_asked_for() -> None:
    assert set(formulations.__all__) <= set(dir(formulations))
    with pytest.raises(AttributeError, match="has no attribute 'SoftMargins'"):
        _ = formulations.SoftMargins
