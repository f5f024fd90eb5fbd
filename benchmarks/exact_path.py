# SPDX-License-Identifier: BSD-3-Clause
"""The exact path in C beside separate fits by scikit-learn: ``python -m benchmarks.exact_path FILE [options]``.

FILE is LIBSVM text, as it is or in xz. Both cover the same range of C, one after the other, in one process; the fits
are at 50 values of C, a constant factor apart, at scikit-learn's usual tolerance. The path has every value between, and
its time includes the certificate of each breakpoint. Medians are printed.
"""

from __future__ import annotations

import argparse
import lzma
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC

from formulations import SoftMargin, exact_path
from qpkernels import RBF


def main() -> None:
    """Read the options, measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exact_path", description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--low", type=float, default=0.01)
    parser.add_argument("--high", type=float, default=1000.0)
    parser.add_argument("--gamma", type=float, help="of exp(-gamma |x - z|^2); default: 1 / features")
    parser.add_argument("--fits", type=int, default=50)
    parser.add_argument("--samples", type=int, help="the first so many; default: all")
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    with lzma.open(asked.file) if asked.file.endswith(".xz") else open(asked.file, "rb") as file:
        X, y = load_svmlight_file(file)
    X, y = np.ascontiguousarray(X[: asked.samples].toarray()), y[: asked.samples]
    gamma = asked.gamma or 1.0 / X.shape[1]

    def fits() -> None:
        for C in np.geomspace(asked.low, asked.high, asked.fits):
            SVC(C=C, gamma=gamma).fit(X, y)

    def followed() -> Any:
        return exact_path(SoftMargin(X, y, RBF(gamma)), C=(asked.low, asked.high))

    found = followed()
    times = [(_seconds(fits), _seconds(followed)) for _ in range(asked.repeats)]
    theirs, ours = np.median(times, axis=0)
    worst = max(each.error for each in found.certificates)
    print(f"{len(X)} samples, gamma {gamma:g}, C from {asked.low:g} to {asked.high:g}")
    print(f"scikit-learn: {asked.fits} fits in {theirs:.3f} s")
    print(f"exact path: {len(found)} breakpoints in {ours:.3f} s, each proved to {worst:.1e} or better; {found.status}")
    print(f"of it start {found.seconds.gram:.3f} s, path {found.seconds.solve:.3f} s (in the first run)")


def _seconds(call: Callable[[], Any]) -> float:
    begin = perf_counter()
    call()
    return perf_counter() - begin


if __name__ == "__main__":
    main()
