# SPDX-License-Identifier: BSD-3-Clause
"""The first fit on a computer, imports included, beside scikit-learn's: python -m benchmarks.first_fit.

Each script runs in a process of its own, ours with an empty cache of machine code, in turns; least seconds of the runs,
on the wall and of the processor. What is compiled in the background goes on after the fit, in another process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory
from time import perf_counter

__all__ = ["CASES", "main", "measure"]

CASES = {"500 samples": (500, 2), "three classes of 600": (600, 3), "3,000 samples": (3000, 2)}
"""Samples and classes."""

_LIBRARIES = {"scikit-learn": "sklearn.svm", "ours": "formulations.estimators"}

_SCRIPT = """
from sklearn.datasets import make_classification
from {module} import SVC
X, y = make_classification({samples}, 10, n_informative=6, n_classes={classes}, random_state=0)
SVC().fit(X, y)
"""


@dataclass(frozen=True)
class Spent:
    """Seconds of a process."""

    wall: float
    processor: float


def measure(module: str, samples: int, classes: int) -> Spent:
    """Return what one run takes, with an empty cache of machine code.

    Parameters
    ----------
    module
        Where SVC comes from.
    samples, classes
        Of the data that are made.
    """
    code = _SCRIPT.format(module=module, samples=samples, classes=classes)
    with TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        # Bytecode is what every installation has.
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONDONTWRITEBYTECODE": ""}
        before, begin = getrusage(RUSAGE_CHILDREN), perf_counter()
        subprocess.run([sys.executable, "-c", code], env=environment, check=True, stderr=subprocess.DEVNULL)
        wall, after = perf_counter() - begin, getrusage(RUSAGE_CHILDREN)
    return Spent(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main(runs: int) -> None:
    """Print a line for each case."""
    for name, (samples, classes) in CASES.items():
        found: dict[str, list[Spent]] = {library: [] for library in _LIBRARIES}
        for _ in range(runs + 1):
            for library, module in _LIBRARIES.items():
                found[library].append(measure(module, samples, classes))
        # The first run may have compiled bytecode.
        least = {
            library: Spent(min(each.wall for each in spent[1:]), min(each.processor for each in spent[1:]))
            for library, spent in found.items()
        }
        theirs, ours = least["scikit-learn"], least["ours"]
        seconds = "; ".join(f"{each.wall:.2f} s, processor {each.processor:.2f} s" for each in (theirs, ours))
        more = f"{ours.wall - theirs.wall:+.2f} s, processor {ours.processor - theirs.processor:+.2f} s"
        print(f"{name}: theirs and ours {seconds}; ours {more}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="how often each script runs, after once unmeasured")
    main(parser.parse_args().runs)
