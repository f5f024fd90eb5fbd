# SPDX-License-Identifier: BSD-3-Clause
"""Through how many files one solve goes: a call trace of a soft margin on 120 samples, from the arrays to the proof.

python -m benchmarks.walk
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from formulations import SoftMargin
from formulations.estimators import SVC
from qpkernels import RBF

__all__ = ["trace", "walks"]

ROOT = Path(__file__).parent.parent
SAMPLES = 120


def trace(action: Callable[[], Any]) -> list[str]:
    """Return the file of every call of a function of this project, in order."""
    files: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and not frame.f_code.co_name.startswith("<") and path.is_relative_to(ROOT):
            place = path.relative_to(ROOT).as_posix()
            if place.startswith(("qpkernels/", "formulations/")):
                files.append(place)

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return files


def walks() -> dict[str, dict[str, int]]:
    """Return calls, files and changes of file: of a model by its solver, of a form by Clarabel, of an estimator."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(SAMPLES, 5))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=SAMPLES) > 0, 1, -1)
    actions: dict[str, Callable[[], object]] = {
        "SoftMargin(X, y, k).solve()": lambda: SoftMargin(X, y, RBF(gamma=0.1), C=1.0).solve(),
        'SoftMargin(X, y, k).dual.solve("clarabel")': lambda: SoftMargin(X, y, RBF(gamma=0.1), C=1.0).dual.solve(
            "clarabel"
        ),
        "SVC().fit(X, y)": lambda: SVC(gamma=0.1).fit(X, y),
    }
    found = {}
    for name, action in actions.items():
        action()  # What is compiled or imported once is no part of the walk.
        files = trace(action)
        changes = sum(a != b for a, b in pairwise(files))
        found[name] = {"calls": len(files), "files": len(set(files)), "changes of file": changes}
    return found


def main() -> None:
    """Print them."""
    for name, found in walks().items():
        print(f"{name}: {', '.join(f'{count} {unit}' for unit, count in found.items())}")


if __name__ == "__main__":
    main()
