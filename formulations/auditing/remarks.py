# SPDX-License-Identifier: BSD-3-Clause
"""What coefficients say of the data and hyper-parameters that they were found with, where these are not those given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from formulations.modelling import Candidate
from qpkernels.arrays import Indices, Vector
from qpkernels.certificates import Bounds, KernelQPBounds, MarginLevelBounds, TubeLevelBounds

__all__ = ["remarks_on"]

_BEYOND = 1e-6
"""Share of its bound by which a coefficient may exceed it unnoticed."""

_UNBALANCED = 1e-4
"""Share of their sizes by which coefficients may add up to another sum unnoticed: single precision leaves less."""

_SAME = 1e-9
"""Share within which coefficients are the same share of their bounds."""

_FEW = 3
"""Coefficients that may share a largest share by chance."""


def remarks_on(answer: Candidate, bounds: Bounds, rows: Indices) -> tuple[str, ...]:
    """Say which coefficients no answer to this problem has, and what they may come from; ``rows`` are their numbers."""
    if not isinstance(bounds, KernelQPBounds | MarginLevelBounds | TubeLevelBounds) or bounds.program is None:
        return ()
    lower, upper, beta = bounds.program.lower, bounds.program.upper, answer.beta
    if not (np.isfinite(lower).all() and np.isfinite(upper).all() and np.isfinite(beta).all()):
        return ()
    found, total, size = [], bounds.program.total, float(np.abs(beta).max(initial=0.0))
    if total is not None and abs(float(beta.sum()) - total) > _UNBALANCED * float(np.abs(beta).sum()):
        found.append(
            f"the coefficients add up to {float(beta.sum()):.6g}, not to {total:g}: some were changed or left out"
        )
    wrong = ((upper == 0) & (beta > _BEYOND * size)) | ((lower == 0) & (beta < -_BEYOND * size))
    if wrong.any():
        found.append(
            f"the sign of the other class: {_counted(wrong)}, the first that of sample {rows[np.argmax(wrong)]}; y is "
            "not what the machine was fitted to, or they were changed"
        )
    shares = _shares(beta, lower, upper)
    beyond = ~wrong & (shares > 1 + _BEYOND)
    if beyond.any():
        found.append(
            f"beyond the bound: {_counted(beyond)}, that of sample {rows[np.argmax(shares)]} by a factor of "
            f"{float(shares.max()):.4g}; the machine was fitted with another C, class_weight or sample_weight, or they "
            "were changed"
        )
    elif not isinstance(bounds, MarginLevelBounds) and 0 < (most := float(shares.max(initial=0.0))) < 1 - _BEYOND:
        together = int(np.count_nonzero(shares >= most * (1 - _SAME)))
        if together > _FEW:
            found.append(
                f"{together} coefficients share the largest value, {most:.4g} of their bound, and none is larger: the "
                "machine was fitted with a smaller C, class_weight or sample_weight"
            )
    return tuple(found)


def _counted(which: NDArray[np.bool_]) -> str:
    number = int(np.count_nonzero(which))
    return "1 coefficient" if number == 1 else f"{number} coefficients"


def _shares(beta: Vector, lower: Vector, upper: Vector) -> Vector:
    """Return the coefficients as shares of their bounds."""
    ends = np.where(beta > 0, upper, -lower)
    return np.divide(np.abs(beta), ends, out=np.zeros_like(beta), where=ends > 0)
