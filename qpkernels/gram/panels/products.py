# SPDX-License-Identifier: BSD-3-Clause
"""Samples as panels take them: features a_i and offsets o_i of a kernel's product form, in float32 or float64."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from qpkernels.arrays import Floats, Indices, Samples, Vector, is_sparse

__all__ = ["EXP2_ERROR", "EXPONENT_ERROR", "PANEL", "PanelProduct", "mostly_zero"]

PANEL = 512
"""Columns of a panel of which a buffer holds all rows that are made at once."""

EXPONENT_ERROR = 1e-11
"""Largest error of an exponent that is left to rounding; beyond, the kernel's own matrix is asked for."""

EXP2_ERROR = 3e-7
"""Bound of the relative error of :func:`~qpkernels.gram.panels.loops.exp2` in float32 for -126 <= x <= 0.

It is that of the polynomial, 7.5e-8, and of its last sums and products, each of which rounds by 6e-8 at most.
"""

_DENSITY = 0.25
"""Part of entries that are not zero up to which sparse panels are faster.

With 64 to 1024 features they take 0.35 of the time at a density of 0.1, 0.7 at 0.25 and 1 at 0.4, in both precisions.
"""

_FEATURES = 32
"""Features below which the function of a product is most of the work, so that the density hardly matters."""

_SEEN = 256
"""Samples that tell the density."""


class PanelProduct(ABC):
    """Features a_i and offsets o_i of some samples, in float32 or float64.

    Attributes
    ----------
    size
        Number of samples.
    width
        Multiplications that one kernel value takes.
    dtype
        Of the features, and of the kernel values made of them.
    """

    size: int
    width: int
    dtype: np.dtype[Any]

    _data: Any

    @property
    def largest(self) -> float:
        """The largest |a_i|^2 of an exponential, whose rounding is that of the exponents; else 0."""
        return 0.0 if self._data.degree else 2.0 * float(self._data.offsets.max())

    @property
    def lengths(self) -> Vector:
        """The lengths |a_i| of an exponential's features, shape (n,)."""
        return np.asarray(np.sqrt(2.0 * self._data.offsets.astype(np.float64)))

    @property
    @abstractmethod
    def terms(self) -> int:
        """The largest number of products that an inner product of features adds up."""

    @abstractmethod
    def part(self, samples: Indices | slice) -> PanelProduct:
        """Return those of some of the samples."""

    @abstractmethod
    def centers(self) -> Any:
        """Return these samples as the other methods take those whose rows are wanted."""

    @abstractmethod
    def add_rows(
        self, left: Any, delta: Vector, values: Vector, buffer: Floats, store: Floats, slots: Indices, first: int
    ) -> None:
        """Add sum over c of delta_c k_cj to ``values[j]``; write k_cj to ``store[slots[c], first + j]``.

        It is not written where slots[c] < 0. ``left`` are :meth:`centers`; ``buffer``, to be written over, has
        ``PANEL`` entries for each of them.
        """

    @abstractmethod
    def add_both(self, left: Any, weights: tuple[Vector, Vector], sums: tuple[Vector, Vector], buffer: Floats) -> None:
        """Add sum over c of v_c k_cj to ``sums[1][j]`` and sum over j of w_j k_cj to ``sums[0][c]``, in float64.

        (v, w) are the ``weights``; ``left`` and ``buffer`` are as in :meth:`add_rows`.
        """

    @abstractmethod
    def make_block(self, left: Any, rows: Indices, block: Floats) -> None:
        """Write k_jc to ``block[rows[j], c]``, for the centers c in ``left`` and these samples j."""


def mostly_zero(X: Samples) -> bool:
    """Return whether a dense ``X`` has so many zeros that sparse panels are faster.

    Some in every feature: where there are none, the samples may lie far from the origin, and their distances need one
    among them, which leaves no zeros.
    """
    if is_sparse(X) or X.ndim != 2 or X.shape[1] < _FEATURES:
        return False
    stored = X[:: max(1, len(X) // _SEEN)] != 0
    return bool(stored.mean() <= _DENSITY and not stored.all(axis=0).any())
