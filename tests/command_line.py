# SPDX-License-Identifier: BSD-3-Clause
"""The command line as its tests run it: in this process, with what it prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

from formulations import SoftMargin
from formulations.commands.app import app
from model_data import blobs
from qpkernels.kernels import RBF
from qpkernels.kernels.rbf import scale_gamma

runner = CliRunner()


def run(*arguments: object) -> Any:
    result = runner.invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def run_json(*arguments: object) -> Any:
    """Run with ``--json -`` and parse all of standard output."""
    result = run(*arguments, "--json", "-")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def refused(*arguments: object, status: int = 2) -> str:
    """Run what must fail, and return its message in one line."""
    result = run(*arguments)
    assert result.exit_code == status, (result.exit_code, result.stderr)
    assert result.stdout == ""
    return " ".join(result.stderr.split())


def samples() -> tuple[np.ndarray, np.ndarray]:
    return blobs(seed=8, samples=24, features=3, distance=1.5)


def expected(C: float = 1.0, kernel: Any = None) -> float:
    """The optimum of the soft margin on the samples."""
    X, y = samples()
    return float(SoftMargin(X, y, kernel or RBF(scale_gamma(X)), C=C).solve("smo", tol=1e-10).objective)


def write_libsvm(path: Path, X: np.ndarray, y: np.ndarray) -> Path:
    """Write samples as LIBSVM text, without their zeros."""
    lines = (
        f"{label:.17g} " + " ".join(f"{k}:{value!r}" for k, value in enumerate(row, start=1) if value)
        for label, row in zip(y.tolist(), X.tolist(), strict=True)
    )
    path.write_text("\n".join(lines) + "\n")
    return path
