# SPDX-License-Identifier: BSD-3-Clause
"""What is imported when: CVXPY where a problem is stated, numba where compiled loops run, the models when asked for."""

import subprocess
import sys

import pytest

import formulations

HEAVY = ("cvxpy", "numba", "sklearn", "matplotlib", "joblib", "clarabel", "osqp", "scipy.optimize", "scipy.stats")


def imported(script: str, names: tuple[str, ...]) -> list[str]:
    """Which of the modules a fresh interpreter has after a script."""
    shown = f"{script}\nimport sys; print(*[name for name in {names} if name in sys.modules])"
    return subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True).stdout.split()


def test_the_package_imports_nothing_until_it_is_asked() -> None:
    assert imported("import formulations", (*HEAVY, "numpy", "formulations.public")) == []


def test_its_names_import_no_back_end() -> None:
    assert imported("from formulations import *; SoftMargin, compare", HEAVY) == []


def test_displays_import_matplotlib_when_they_draw() -> None:
    assert imported("from formulations.plots import *", ("matplotlib", "PIL")) == []


def test_the_command_imports_no_model_to_show_its_help() -> None:
    script = (
        "import sys; sys.argv = ['qpkernels', '--help']\n"
        "import contextlib, io\n"
        "from formulations.commands.app import app\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): app()"
    )
    assert imported(script, (*HEAVY, "scipy", "formulations.modelling")) == []


@pytest.mark.parametrize(
    "model",
    ["SoftMargin(X, X[:, 0] > 0, RBF(1.0), C=2.0)", "SoftTube(X, X[:, 0], RBF(1.0))", "OneClass(X, RBF(1.0))"],
)
def test_a_kernel_qp_is_solved_and_read_without_cvxpy(model: str) -> None:
    script = (
        "import numpy as np; from formulations import *; from qpkernels import RBF\n"
        "X = np.random.default_rng(0).normal(size=(12, 2))\n"
        f"solution = {model}.set_params().solve()\n"
        "assert solution.status == 'optimal' and solution.conditions and solution.explain(0)"
    )
    assert imported(script, ("cvxpy", "sklearn", "scipy.optimize")) == []


def test_all_names_are_listed_though_none_was_asked_for() -> None:
    assert set(formulations.__all__) <= set(dir(formulations))
    with pytest.raises(AttributeError, match="has no attribute 'SoftMargins'"):
        _ = formulations.SoftMargins
