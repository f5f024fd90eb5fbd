# SPDX-License-Identifier: BSD-3-Clause
"""The samples for testing that belong to a problem."""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from benchmarks.problems import Problem, mnist_test_images
from qpkernels.arrays import Matrix, Vector

__all__ = ["held_out"]


def held_out(problem: Problem, folder: Path) -> tuple[Matrix, Vector]:
    """Read the samples for testing of an a9a or mnist problem."""
    if problem.name.startswith("mnist"):
        labels = np.load(folder / "mnist.npz")["y_test"]
        return mnist_test_images(folder), np.where(labels % 2 == 0, 1.0, -1.0)
    with lzma.open(folder / "a9a.t.xz") as file:
        X, y = load_svmlight_file(file, n_features=123)
    return X.toarray(), np.where(y > 0, 1.0, -1.0)
