# SPDX-License-Identifier: BSD-3-Clause
"""The problems: data a user obtains from the LIBSVM page (or as .npz), with hyper-parameters that are in use."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from qpkernels import RBF, Gram
from qpkernels.arrays import Matrix, Vector
from qpkernels.programs import KernelQP

__all__ = ["PROBLEMS", "Problem"]


@dataclass(frozen=True)
class Problem:
    """A classification (tube None) or regression with the kernel exp(-gamma |x - z|^2)."""

    name: str
    load: Callable[[Path], tuple[Matrix, Vector]]
    C: float
    gamma: float
    tube: float | None = None

    def program(self, X: Matrix, y: Vector) -> KernelQP:
        """State it as a KernelQP."""
        gram = Gram(RBF(self.gamma), X)
        if self.tube is not None:
            return KernelQP(gram, y, -self.C, self.C, 0.0, self.tube)
        return KernelQP(gram, y, np.where(y > 0, 0.0, -self.C), np.where(y > 0, self.C, 0.0), 0.0)


def _text(
    name: str, positive: Callable[[Vector], Vector] | None = None, low: float | None = None
) -> Callable[[Path], tuple[Matrix, Vector]]:
    """Read LIBSVM text: labels to -1 and 1 by ``positive``, features scaled to [low, 1] if ``low`` is given."""

    def load(folder: Path) -> tuple[Matrix, Vector]:
        with lzma.open(folder / name) as file:
            X, y = load_svmlight_file(file)
        X = X.toarray()
        if low is not None:
            least, most = X.min(axis=0), X.max(axis=0)
            X = low + (1.0 - low) * (X - least) / np.where(most > least, most - least, 1.0)
        return X, y if positive is None else np.where(positive(y), 1.0, -1.0)

    return load


def _mnist(rows: int) -> Callable[[Path], tuple[Matrix, Vector]]:
    def load(folder: Path) -> tuple[Matrix, Vector]:
        file = np.load(folder / "mnist.npz")
        X = file["X_train"][:rows].reshape(rows, -1) / 255.0
        return X, np.where(file["y_train"][:rows] % 2 == 0, 1.0, -1.0)

    return load


def _usps(folder: Path) -> tuple[Matrix, Vector]:
    file = np.load(folder / "usps.npz")
    return file["X_train_milli"] / 1000.0, np.where(file["y_train"] == 8, 1.0, -1.0)


def _cadata(folder: Path) -> tuple[Matrix, Vector]:
    X, y = _text("cadata.xz", low=-1.0)(folder)
    return X, y / 1e5


PROBLEMS = (
    Problem("australian", _text("australian_scale.xz", lambda y: y > 0), 1.0, 0.1),
    Problem("german", _text("german.numer_scale.xz", lambda y: y > 0), 1.0, 0.05),
    Problem("svmguide1", _text("svmguide1.xz", lambda y: y > 0, -1.0), 2.0, 2.0),
    Problem("abalone", _text("abalone_scale.xz"), 10.0, 1.0, 0.5),
    Problem("usps", _usps, 10.0, 1 / 128),
    Problem("cpusmall", _text("cpusmall.xz", low=-1.0), 10.0, 0.5, 1.0),
    Problem("covtype20k", _text("covtype20k.xz", lambda y: y == 2, 0.0), 10.0, 1.0),
    Problem("mnist20k", _mnist(20000), 10.0, 0.02),
    Problem("cadata", _cadata, 10.0, 1.0, 0.1),
    Problem("a9a C=1", _text("a9a.xz", lambda y: y > 0), 1.0, 0.05),
    Problem("a9a C=100", _text("a9a.xz", lambda y: y > 0), 100.0, 0.5),
    Problem("mnist60k", _mnist(60000), 10.0, 0.02),
)
