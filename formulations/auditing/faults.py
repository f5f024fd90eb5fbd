# SPDX-License-Identifier: BSD-3-Clause
"""Which constraints of a KernelQP coefficients violate, whoever found them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Vector
from qpkernels.problems import KernelQP, LevelQP

__all__ = ["Faults", "faults_of"]

_BEYOND = 1e-6
"""Share of its bound by which a coefficient may exceed it unnoticed."""

_UNBALANCED = 1e-4
"""Share of their sizes by which coefficients may add up to another sum unnoticed: single precision leaves less."""


@dataclass(frozen=True, eq=False)
class Faults:
    """What no feasible point has.

    Attributes
    ----------
    is_unbalanced
        Whether the coefficients add up to another sum than the one that the intercept demands.
    other_sign
        Which of them have a sign that their bounds do not allow, shape (m,).
    shares
        All of them as shares of their bounds, shape (m,); 0 where there is none, or the sign is wrong.
    beyond
        Which of them exceed their bound, shape (m,).
    """

    is_unbalanced: bool
    other_sign: NDArray[np.bool_]
    shares: Vector
    beyond: NDArray[np.bool_]

    @property
    def any(self) -> bool:
        """Whether there is one at all."""
        return self.is_unbalanced or bool(self.other_sign.any() or self.beyond.any())


def faults_of(beta: Vector, program: KernelQP | LevelQP) -> Faults:
    """Return the constraints that finite coefficients violate by more than single precision does."""
    lower, upper, total = program.lower, program.upper, program.total
    size = float(np.abs(beta).max(initial=0.0))
    other_sign = ((upper == 0) & (beta > _BEYOND * size)) | ((lower == 0) & (beta < -_BEYOND * size))
    ends = np.where(beta > 0, upper, -lower)
    shares = np.divide(np.abs(beta), ends, out=np.zeros_like(beta), where=ends > 0)
    return Faults(
        is_unbalanced=total is not None and abs(float(beta.sum()) - total) > _UNBALANCED * float(np.abs(beta).sum()),
        other_sign=other_sign,
        shares=shares,
        beyond=~other_sign & (shares > 1 + _BEYOND),
    )
