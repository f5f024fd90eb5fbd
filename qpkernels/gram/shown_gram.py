# SPDX-License-Identifier: BSD-3-Clause
"""How a kernel matrix shows itself, without a value of it being computed."""

from __future__ import annotations

from typing import Literal

from qpkernels.arrays import Samples
from qpkernels.display import Card, Carded, Fact, Line, count
from qpkernels.kernels.base import Kernel

__all__ = ["ShownGram"]


class ShownGram(Carded):
    """What a kernel matrix shows: its samples, its kernel, and whether it is in memory."""

    kernel: Kernel
    X: Samples
    indefinite: Literal["refuse", "clip", "shift"]

    def __len__(self) -> int:
        """Return the number m of samples."""
        raise NotImplementedError

    @property
    def is_formed(self) -> bool:
        """Whether the whole matrix is there."""
        raise NotImplementedError

    @property
    def extent(self) -> str:
        """In words how many samples there are, and how many features they have if these are numbers."""
        shape: tuple[int, ...] = getattr(self.X, "shape", ())
        samples = count(len(self), "sample")
        return f"{samples}, {count(shape[1], 'feature')}" if len(shape) == 2 else samples

    def card(self) -> Card:
        """Return the samples, the kernel, and how much of the matrix there is."""
        m = len(self)
        size = f"{m} x {m}, {8 * m**2 / 2**20:.3g} MiB in float64"
        facts = [
            Fact("data", self.extent),
            Fact("kernel", " ".join(repr(self.kernel).split())),
            Fact("matrix", f"{size}, {'in memory' if self.is_formed else 'not formed yet'}"),
        ]
        if not self.kernel.positive_semidefinite:
            facts.append(Fact("indefinite", self.indefinite))
        formulas = (Line("", "K_(ij) = k(x_i, x_j)"), Line("with", f"k(x, z) = {self.kernel.formula()}"))
        return Card(type(self).__name__, formulas, tuple(facts))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.extent}, {' '.join(repr(self.kernel).split())}>"
