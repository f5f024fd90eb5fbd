# SPDX-License-Identifier: BSD-3-Clause
"""What coefficients say of the data and hyper-parameters that they were found with, where these are not those given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from formulations.auditing.faults import faults_of
from formulations.modelling import Candidate
from qpkernels.arrays import Indices
from qpkernels.problems import Bounds, KernelQPBounds, MarginLevelBounds, TubeLevelBounds

__all__ = ["remarks_on"]

_BELOW = 1e-6
"""Share of its bound by which a coefficient that is at it may be below."""

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
    found, faults = [], faults_of(beta, bounds.program)
    if faults.is_unbalanced:
        found.append(
            f"the coefficients add up to {float(beta.sum()):.6g}, not to {bounds.program.total:g}: some were changed "
            "or left out"
        )
    if faults.other_sign.any():
        first = rows[np.argmax(faults.other_sign)]
        found.append(
            f"the sign of the other class: {_counted(faults.other_sign)}, the first that of sample {first}; y is not "
            "what the machine was fitted to, or they were changed"
        )
    shares = faults.shares
    if faults.beyond.any():
        found.append(
            f"beyond the bound: {_counted(faults.beyond)}, that of sample {rows[np.argmax(shares)]} by a factor of "
            f"{float(shares.max()):.4g}; the machine was fitted with another C, class_weight or sample_weight, or they "
            "were changed"
        )
    elif not isinstance(bounds, MarginLevelBounds) and 0 < (most := float(shares.max(initial=0.0))) < 1 - _BELOW:
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
