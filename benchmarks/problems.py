# SPDX-License-Identifier: BSD-3-Clause
"""The problems: data a user obtains from the LIBSVM page (or as .npz), with hyper-parameters that are in use."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from qpkernels import RBF, Gram
from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.problems import KernelQP

__all__ = ["PROBLEMS", "Machine", "Problem", "gaussians", "mnist_parity", "mnist_test_images", "named"]


@dataclass(frozen=True, eq=False)
class Machine:
    """One KernelQP of a problem, and the numbers of the samples it is about."""

    rows: Indices
    program: KernelQP


@dataclass(frozen=True)
class Problem:
    """A task with the kernel exp(-gamma |x - z|^2).

    Attributes
    ----------
    name
        What it is called.
    load
        Reads (X, y) from the folder with the data.
    C, gamma
        Hyper-parameters.
    tube
        Half the width of the tube of a regression; None: a classification.
    several
        Whether y names several classes, which are told apart one against one, rather than -1 and 1.
    """

    name: str
    load: Callable[[Path], tuple[Matrix, Vector]]
    C: float
    gamma: float
    tube: float | None = None
    several: bool = False

    def pairs(self, y: Vector) -> list[tuple[float, float]]:
        """Return the labels of the negative and the positive class of each machine."""
        classes = np.unique(y).tolist() if self.several else [-1.0, 1.0]
        return list(combinations(classes, 2))

    def program(self, X: Matrix, y: Vector) -> KernelQP:
        """State one machine as a KernelQP, with labels -1 and 1 unless it is a regression."""
        gram = Gram(RBF(self.gamma), X)
        if self.tube is not None:
            return KernelQP(gram, y, -self.C, self.C, 0.0, self.tube)
        return KernelQP(gram, y, np.where(y > 0, 0.0, -self.C), np.where(y > 0, self.C, 0.0), 0.0)

    def machines(self, X: Matrix, y: Vector) -> tuple[Machine, ...]:
        """State all machines: one, or with several classes one for each pair."""
        if not self.several:
            return (Machine(np.arange(len(y)), self.program(X, y)),)
        machines = []
        for negative, positive in self.pairs(y):
            rows = np.flatnonzero((y == negative) | (y == positive))
            machines.append(Machine(rows, self.program(X[rows], np.where(y[rows] == positive, 1.0, -1.0))))
        return tuple(machines)


def gaussians(samples: int, features: int = 20, shift: float = 0.35) -> Problem:
    """Return two overlapping normal distributions, their means 2 shift apart in every feature."""

    def load(folder: Path) -> tuple[Matrix, Vector]:
        del folder
        rng = np.random.default_rng(0)
        y = np.where(np.arange(samples) % 2 == 0, -1.0, 1.0)
        return rng.normal(size=(samples, features)) + shift * y[:, None], y

    return Problem(f"gaussians{samples // 1000}k", load, 1.0, 1.0 / features)


def mnist_parity(samples: int) -> Problem:
    """Return even against odd digits on the first images for training."""

    def load(folder: Path) -> tuple[Matrix, Vector]:
        file = np.load(_path(folder, "mnist.npz"))
        X = file["X_train"][:samples].reshape(samples, -1) / 255.0
        return X, np.where(file["y_train"][:samples] % 2 == 0, 1.0, -1.0)

    return Problem(f"mnist{samples // 1000}k", load, 10.0, 0.02)


def mnist_test_images(folder: Path) -> Matrix:
    """Return the 10000 images for testing, scaled as those for training."""
    images = np.load(_path(folder, "mnist.npz"))["X_test"]
    return np.asarray(images.reshape(len(images), -1) / 255.0)


def named(names: list[str] | None) -> tuple[Problem, ...]:
    """Return the problems of these names, or all.

    Raises
    ------
    ValueError
        If there is no problem of such a name.
    """
    known = [problem.name for problem in PROBLEMS]
    if unknown := [name for name in names or [] if name not in known]:
        raise ValueError(f"there is no problem {', '.join(map(repr, unknown))}; choose from {', '.join(known)}.")
    return tuple(problem for problem in PROBLEMS if not names or problem.name in names)


def _path(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.exists():
        raise FileNotFoundError(
            f"{name} was expected in {folder}, but is not there; the LIBSVM data page has it as text, to be packed by "
            "xz, and benchmarks/problems.py shows what a .npz must hold; or choose other problems by --only."
        )
    return path


def _text(
    name: str, positive: Callable[[Vector], Vector] | None = None, low: float | None = None
) -> Callable[[Path], tuple[Matrix, Vector]]:
    """Read LIBSVM text: labels to -1 and 1 by ``positive``, features scaled to [low, 1] if ``low`` is given."""

    def load(folder: Path) -> tuple[Matrix, Vector]:
        with lzma.open(_path(folder, name)) as file:
            X, y = load_svmlight_file(file)
        X = X.toarray()
        if low is not None:
            least, most = X.min(axis=0), X.max(axis=0)
            X = low + (1.0 - low) * (X - least) / np.where(most > least, most - least, 1.0)
        return X, y if positive is None else np.where(positive(y), 1.0, -1.0)

    return load


def _above_zero(y: Vector) -> Vector:
    return np.asarray(y > 0)


def _usps(folder: Path) -> tuple[Matrix, Vector]:
    file = np.load(_path(folder, "usps.npz"))
    return file["X_train_milli"] / 1000.0, np.where(file["y_train"] == 8, 1.0, -1.0)


def _cadata(folder: Path) -> tuple[Matrix, Vector]:
    X, y = _text("cadata.xz", low=-1.0)(folder)
    return X, y / 1e5


PROBLEMS = (
    Problem("heart", _text("heart_scale.xz", _above_zero), 1.0, 0.1),
    Problem("australian", _text("australian_scale.xz", _above_zero), 1.0, 0.1),
    Problem("diabetes", _text("diabetes_scale.xz", _above_zero), 1.0, 0.5),
    Problem("german", _text("german.numer_scale.xz", _above_zero), 1.0, 0.05),
    Problem("splice", _text("splice_scale.xz", _above_zero), 10.0, 1 / 60),
    Problem("svmguide1", _text("svmguide1.xz", _above_zero, -1.0), 2.0, 2.0),
    Problem("abalone", _text("abalone_scale.xz"), 10.0, 1.0, 0.5),
    Problem("usps", _usps, 10.0, 1 / 128),
    Problem("cpusmall", _text("cpusmall.xz", low=-1.0), 10.0, 0.5, 1.0),
    Problem("phishing", _text("phishing.xz", _above_zero), 10.0, 1.0),
    Problem("letter", _text("letter.scale.xz"), 10.0, 2.0, several=True),
    Problem("covtype7", _text("covtype20k.xz", low=0.0), 10.0, 1.0, several=True),
    Problem("covtype20k", _text("covtype20k.xz", lambda y: np.asarray(y == 2), 0.0), 10.0, 1.0),
    mnist_parity(20000),
    Problem("cadata", _cadata, 10.0, 1.0, 0.1),
    Problem("a9a C=1", _text("a9a.xz", _above_zero), 1.0, 0.05),
    Problem("a9a C=5", _text("a9a.xz", _above_zero), 5.0, 0.5),
    Problem("a9a C=100", _text("a9a.xz", _above_zero), 100.0, 0.5),
    mnist_parity(60000),
)
