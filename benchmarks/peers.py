# SPDX-License-Identifier: BSD-3-Clause
"""Other solvers, each in a process of its own: they cannot be stopped in any other way, and may need another Python."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.answers import Point, Solved
from benchmarks.problems import Problem
from qpkernels.arrays import Indices, Matrix, Vector

__all__ = ["ROOT", "Peer", "libsvm", "onedal", "read_points"]

ROOT = Path(__file__).parent.parent
"""Where a Python finds this package, whatever else it has."""


@dataclass(frozen=True)
class Peer:
    """A solver behind scikit-learn's SVC and SVR.

    Attributes
    ----------
    name
        What it is called.
    python
        The Python that has it.
    accelerated
        Whether scikit-learn-intelex takes the place of LIBSVM; it is given the data in float32.
    """

    name: str
    python: str
    accelerated: bool

    def solve(self, problem: Problem, X: Matrix, y: Vector, tol: float, limit_seconds: float) -> Solved | None:
        """Return its answer at its own tolerance ``tol``, or None where it was ended after ``limit_seconds``.

        Raises
        ------
        RuntimeError
            If its process fails.
        """
        tube = np.nan if problem.tube is None else problem.tube
        with tempfile.TemporaryDirectory() as folder:
            question, answer = Path(folder) / "question.npz", Path(folder) / "answer.npz"
            samples = X.astype(np.float32) if self.accelerated else X
            np.savez(question, X=samples, y=y, numbers=[problem.C, problem.gamma, tol, tube, float(self.accelerated)])
            command = [self.python, "-m", "benchmarks.fit_peer", str(question), str(answer)]
            with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                # It writes a line when it has read the data: importing and reading are not to be timed.
                process.stdout.readline()
                try:
                    code = process.wait(limit_seconds)
                except subprocess.TimeoutExpired:
                    process.kill()
                    return None
            if code:
                raise RuntimeError(
                    f"{self.name} was to solve {problem.name}, but its process ended with code {code}; "
                    f"what it wrote above says why. {self.python} must have numpy and scikit-learn"
                    f"{', and scikit-learn-intelex' if self.accelerated else ''}."
                )
            with np.load(answer) as file:
                points = read_points(problem, y, file["support"], file["coefficients"], file["intercepts"])
                return Solved(tuple(file["seconds"].tolist()), points)

    def version(self, package: str) -> str:
        """Return the version of a package that its Python has."""
        program = f"from importlib.metadata import version; print(version({package!r}))"
        return subprocess.run([self.python, "-c", program], check=True, capture_output=True, text=True).stdout.strip()


def libsvm() -> Peer:
    """Return LIBSVM, as this Python's scikit-learn has it."""
    return Peer("LIBSVM", sys.executable, accelerated=False)


def onedal(python: str) -> Peer:
    """Return oneDAL in float32, as the scikit-learn-intelex of ``python`` has it."""
    return Peer("oneDAL", python, accelerated=True)


def read_points(
    problem: Problem, y: Vector, support: Indices, coefficients: Matrix, intercepts: Vector
) -> tuple[Point, ...]:
    """Read the machines from scikit-learn's ``support_``, ``dual_coef_`` and ``intercept_``.

    With one machine the coefficients are beta. With K classes each sample has K - 1 of them, one for each other class
    in order: in the machine of the classes j < k a sample of j has its coefficient in row k - 1, one of k has it in
    row j. There positive values speak for j, so all signs are opposite to ours.
    """
    every = np.zeros((len(coefficients), len(y)))
    every[:, support] = coefficients
    if not problem.several:
        return (Point(every[0], float(intercepts[0])),)
    classes = np.unique(y).tolist()
    points = []
    for (negative, positive), intercept in zip(problem.pairs(y), intercepts.tolist(), strict=True):
        j, k = classes.index(negative), classes.index(positive)
        rows = np.flatnonzero((y == negative) | (y == positive))
        beta = -np.where(y[rows] == negative, every[k - 1, rows], every[j, rows])
        points.append(Point(beta, -intercept))
    return tuple(points)
