# SPDX-License-Identifier: BSD-3-Clause
"""The proof in exact arithmetic that a function separates two classes."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.enclosures.enclosure import Enclosure, quiet
from qpkernels.certificates.enclosures.functions import judged
from qpkernels.gram import Expansion, Gram
from qpkernels.gram.enclosed import enclose_on_samples

__all__ = ["enclose_separation"]


@quiet
def enclose_separation(
    gram: Gram, y: Vector, beta: Vector, intercept: float, function: Expansion | None = None
) -> Enclosure:
    """Return [0, 0] where every y_i (f(x_i) + b) is above 0, so that a multiple meets all margins; else [0, inf]."""
    values = enclose_on_samples(gram, beta).values if function is None else judged(function, gram, intercept).values
    v = values + intercept
    separates = bool((np.where(y > 0, v.lower, -v.upper) > 0).all())
    return Enclosure(0.0, 0.0 if separates else np.inf)
