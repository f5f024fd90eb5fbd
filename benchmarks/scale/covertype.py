# SPDX-License-Identifier: BSD-3-Clause
"""A set of any size that is like covtype.binary, from 20,000 of its rows: made, and not measured in any forest.

Each sample is a row of its class, drawn at random, whose ten numeric features are moved by a normal error of a tenth of
their standard deviation in the class; the 44 indicators stay. The classes are as frequent as in the 581,012 rows of the
UCI set, and class 2 is told from all others. Rows that the samples for testing come from are no others' origin.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.datasets import load_svmlight_file

from qpkernels.arrays import Indices, Matrix, Vector

__all__ = ["FULL", "Covertype"]

FULL = 581_012
"""Rows of the whole set."""

_FREQUENCIES = {1: 211840, 2: 283301, 3: 35754, 4: 2747, 5: 9493, 6: 17367, 7: 20510}
"""Rows of each class in it."""

_FEATURES = 54

_NUMERIC, _MOVED = 10, 0.1
"""Features that are moved, and the standard deviation of that, as a share of theirs."""

_HELD_OUT = 0.1
"""Share of the rows that samples for testing come from."""

_BLOCK = 50_000


@dataclass(frozen=True, eq=False)
class Covertype:
    """The rows that samples come from, features scaled to [0, 1], and their classes."""

    rows: Matrix
    classes: Vector

    @classmethod
    def read(cls, folder: Path) -> Covertype:
        """Read covtype20k.xz."""
        with lzma.open(folder / "covtype20k.xz") as file:
            X, classes = load_svmlight_file(file, n_features=_FEATURES)
        rows = X.toarray()
        low, high = rows.min(axis=0), rows.max(axis=0)
        return cls((rows - low) / np.where(high > low, high - low, 1.0), classes)

    def write(self, path: Path, samples: int, *, testing: bool, seed: int = 0) -> Vector:
        """Write so many samples to a file of float64, block by block, and return their labels, -1 or 1."""
        generator = np.random.default_rng([seed, int(testing)])
        names = np.array(list(_FREQUENCIES))
        shares = np.array(list(_FREQUENCIES.values())) / FULL
        drawn = names[generator.choice(names.size, samples, p=shares)]
        file = np.lib.format.open_memmap(path, "w+", np.float64, (samples, self.rows.shape[1]))
        origins = {name: self._origins(name, testing=testing) for name in names.tolist()}
        for start in range(0, samples, _BLOCK):
            block = slice(start, min(start + _BLOCK, samples))
            file[block] = self._samples(drawn[block], origins, generator)
        file.flush()
        return np.where(drawn == 2, 1.0, -1.0)

    def make(self, samples: int, *, testing: bool, seed: int = 0) -> tuple[Matrix, Vector]:
        """Return so many samples in memory, with their labels."""
        with TemporaryDirectory() as place:
            path = Path(place) / "samples.npy"
            y = self.write(path, samples, testing=testing, seed=seed)
            return np.load(path), y

    def _origins(self, name: int, *, testing: bool) -> Indices:
        held_out = np.random.default_rng(0).random(len(self.rows)) < _HELD_OUT
        return np.flatnonzero((self.classes == name) & (held_out == testing))

    def _samples(self, drawn: Indices, origins: dict[int, Indices], generator: np.random.Generator) -> Matrix:
        made = np.empty((drawn.size, self.rows.shape[1]))
        for name, rows in origins.items():
            own = np.flatnonzero(drawn == name)
            part = self.rows[generator.choice(rows, own.size)]
            spread = self.rows[rows, :_NUMERIC].std(axis=0)
            part[:, :_NUMERIC] += _MOVED * spread * generator.normal(size=(own.size, _NUMERIC))
            made[own] = part
        return made
