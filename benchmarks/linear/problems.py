# SPDX-License-Identifier: BSD-3-Clause
"""The samples, and the machines that are asked of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from qpkernels.arrays import Samples, Vector
from qpkernels.files import load_dataset

__all__ = ["MACHINES", "SAMPLES", "Machine", "Sampled", "kept"]


@dataclass(frozen=True, eq=False)
class Sampled:
    """Samples with labels of -1 and 1, and with real targets."""

    X: Samples
    y: Vector
    targets: Vector


@dataclass(frozen=True)
class Machine:
    """A loss of LIBLINEAR on samples of a name, at a cost."""

    samples: str
    loss: str
    C: float

    def __str__(self) -> str:
        """Name it as a row of a table does."""
        return f"{self.samples}, {self.loss.replace('_', ' ')}, C = {self.C:g}"

    @property
    def is_regression(self) -> bool:
        """Whether it fits targets."""
        return "insensitive" in self.loss


def _a9a(folder: Path) -> Sampled:
    data = load_dataset(folder / "a9a.xz", sparse=True)
    y = np.where(np.asarray(data.y) > 0, 1.0, -1.0)
    return Sampled(_narrow(csr_array(data.X)), y, y)


def _text(folder: Path, m: int = 100_000, d: int = 50_000, words: int = 50) -> Sampled:
    """Return documents of so many words, which are as frequent as Zipf has it, by their weights tf-idf, in length 1."""
    del folder
    rng = np.random.default_rng(0)
    chance = 1.0 / np.arange(1, d + 1) ** 0.9
    chosen = rng.choice(d, size=m * words, p=chance / chance.sum())
    X = csr_array((np.ones(m * words), (np.repeat(np.arange(m), words), chosen)), shape=(m, d))
    X.sum_duplicates()
    rarity = np.log(m / np.maximum(np.bincount(X.indices, minlength=d), 1))
    X.data = (1.0 + np.log(X.data)) * rarity[X.indices]
    X.data /= np.repeat(np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel()), np.diff(X.indptr))
    values = np.asarray(X @ (rng.normal(size=d) * (rng.random(d) < 0.1)))
    values = values / values.std() + 0.3 * rng.normal(size=m)
    return Sampled(_narrow(X), np.where(values > 0.2, 1.0, -1.0), values)


def _dense(folder: Path, m: int, d: int, orders: float) -> Sampled:
    """Return normal features, in units that differ by so many orders of magnitude both ways."""
    del folder
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, d))
    values = X @ rng.normal(size=d) / np.sqrt(d) + 0.5 * rng.normal(size=m)
    return Sampled(X * 10.0 ** rng.uniform(-orders, orders, d), np.where(values > 0, 1.0, -1.0), values)


def _narrow(X: csr_array) -> csr_array:
    """Return it with the indices that scikit-learn takes."""
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


SAMPLES: dict[str, Callable[[Path], Sampled]] = {
    "a9a": _a9a,
    "text": _text,
    "dense": partial(_dense, m=200_000, d=50, orders=0.0),
    "badly scaled": partial(_dense, m=20_000, d=100, orders=2.0),
}

_ALL = ("hinge", "squared_hinge", "logistic", "epsilon_insensitive", "squared_epsilon_insensitive")

MACHINES: tuple[Machine, ...] = (
    *(Machine("a9a", loss, 1.0) for loss in _ALL[:3]),
    Machine("a9a", "hinge", 1000.0),
    *(Machine("text", loss, 1.0) for loss in _ALL),
    Machine("text", "hinge", 100.0),
    Machine("dense", "hinge", 1.0),
    Machine("dense", "squared_hinge", 1.0),
    Machine("dense", "epsilon_insensitive", 1.0),
    Machine("badly scaled", "hinge", 1000.0),
    Machine("badly scaled", "squared_hinge", 1000.0),
)


def kept(X: Any) -> str:
    """Return in words how large samples are."""
    entries = "" if isinstance(X, np.ndarray) else f", {X.nnz / X.shape[0]:.0f} nonzeros a row"
    return f"{X.shape[0]} x {X.shape[1]}{entries}"
