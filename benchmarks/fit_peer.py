# SPDX-License-Identifier: BSD-3-Clause
"""Fit scikit-learn's SVC or SVR to a question in a file: ``python -m benchmarks.fit_peer QUESTION.npz ANSWER.npz``.

It is run by Pythons that have NumPy and scikit-learn, and perhaps scikit-learn-intelex, but not this project.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.repetition import repeated

_CACHE = 2048
"""Mebibytes for kept rows of the kernel matrix: what ours takes when it is not told."""


def main(question: str, answer: str) -> None:
    """Read, say so, fit, write."""
    with np.load(question) as file:
        X, y = file["X"], file["y"]
        C, gamma, tol, tube, accelerated = file["numbers"].tolist()
    if accelerated:
        # By name, since the Python that checks types need not have it.
        import_module("sklearnex").patch_sklearn(verbose=False)
    from sklearn.svm import SVC, SVR

    def make(tol: float) -> Any:
        if np.isnan(tube):
            return SVC(C=C, gamma=gamma, tol=tol, cache_size=_CACHE)
        return SVR(C=C, gamma=gamma, tol=tol, cache_size=_CACHE, epsilon=tube)

    # Loads the libraries and starts their threads; a loose tolerance, since a tight one may never be met.
    warm = np.argsort(y, kind="stable")[:: max(1, len(y) // 500)]
    model = make(0.1).fit(X[warm], y[warm])
    if accelerated and not hasattr(model, "_onedal_estimator"):
        raise RuntimeError(
            "oneDAL was expected to fit, but scikit-learn-intelex fell back to LIBSVM; run with SKLEARNEX_VERBOSE=INFO."
        )
    print("ready", flush=True)
    seconds, model = repeated(lambda: make(tol).fit(X, y))
    np.savez(
        answer,
        seconds=seconds,
        support=model.support_,
        coefficients=np.atleast_2d(model.dual_coef_),
        intercepts=np.ravel(model.intercept_),
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
