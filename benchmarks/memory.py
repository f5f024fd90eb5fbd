# SPDX-License-Identifier: BSD-3-Clause
"""What memory solving takes, for several sizes of the cache, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.computer import Computer, Watch
from benchmarks.peers import ROOT
from benchmarks.problems import Problem
from benchmarks.records import Memory

__all__ = ["CACHES", "occupy"]

CACHES = (100, 500, 2048)
"""MiB; the last is what it takes when not told."""


def occupy(problem: Problem, folder: Path, caches: Sequence[int], tol: float, computer: Computer) -> Iterator[Memory]:
    """Yield a record for each size of the cache, in MiB."""
    X, y = problem.load(folder)
    tube = np.nan if problem.tube is None else problem.tube
    with tempfile.TemporaryDirectory() as place:
        question = Path(place) / "question.npz"
        np.savez(question, X=X, y=y, numbers=[problem.C, problem.gamma, tol, tube])
        for cache in caches:
            watch = Watch(computer)
            command = [sys.executable, "-m", "benchmarks.fit_within", str(question), str(cache)]
            done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
            yield Memory(
                where=watch.setting(),
                problem=problem.name,
                tol=tol,
                samples=len(y),
                features=X.shape[1],
                cache=cache,
                **json.loads(done.stdout),
            )
