# SPDX-License-Identifier: BSD-3-Clause
"""Where a perceptron stands on its way, and the corrections that it makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Indices, Vector

__all__ = ["Correction", "Course"]


class Course:
    """The passes over ``samples`` samples so far.

    Attributes
    ----------
    alpha
        How often each sample was added, each time weighted by the rate, shape (samples,).
    errors, values
        Corrections in each pass, and the criterion at its beginning.
    order
        The order of the samples in this pass.
    """

    def __init__(self, samples: int) -> None:
        self.alpha = np.zeros(samples)
        self.errors: list[int] = []
        self.values: list[float] = []
        self.order: Indices = np.arange(samples)


@dataclass(frozen=True, eq=False)
class Correction:
    """A sample was on the wrong side, and a <- a + eta(k) z_i.

    Attributes
    ----------
    sample
        i.
    epoch
        The pass over the samples, from 1 on.
    looked
        Samples looked at in this pass, this one included.
    alpha
        After it, shape (m,): a = start + sum_i alpha_i z_i.
    """

    sample: int
    epoch: int
    looked: int
    alpha: Vector
