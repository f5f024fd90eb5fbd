# SPDX-License-Identifier: BSD-3-Clause
"""The elastic edit kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import check_flag, check_positive, real_number
from qpkernels.errors import ParameterError
from qpkernels.kernels.catalogue import KernelEntry
from qpkernels.kernels.series import ScaledSums, SeriesKernel, SeriesValues

__all__ = [
    "ElasticEdit",
]


@dataclass(frozen=True)
class ElasticEdit(SeriesKernel):
    r"""All edits of one series to another: :math:`\sum_e \exp(-\gamma\,\text{cost}(e))`.

    An edit e leaves elements of x out, puts elements of z in, and changes some x_i to some z_j, in the order of both
    series. Its cost is the sum of :math:`\|x_i - z_j\|^2` over changes, and of :math:`\|x_i - h\|^2` and
    :math:`\|z_j - h\|^2` over elements that are left out and put in. The least of these costs is the edit distance with
    real penalty, with squares for its absolute values.

    Parameters
    ----------
    gamma
        Above 0: how fast costs count.
    gap
        h, a number: the value that an element has where it is left out; of vectors, the value of every component. Take
        the one at which nothing happens, such as the mean: 0 for series that are standardised.
    normalise
        Whether to divide by sqrt(k(x, x) k(z, z)). Without it the values grow exponentially with the lengths.

    Raises
    ------
    ParameterError
        If a parameter is outside its range.

    Notes
    -----
    Why it is positive semidefinite: an edit with n changes cuts each series into n elements and the n + 1 stretches
    before, between and after them. Two stretches of p and q elements weigh the product of the weights of their
    elements, times the binomial coefficient of p + q over p, in how many orders they are left out and put in. The
    latter is sum_k (p over k)(q over k), an inner product; so is the Gaussian of a change. The product of all is that
    of one cut of x and one of z, and phi_n(x) is the sum over all cuts of x (Haussler's convolution kernels).

    The time for a pair of series grows with \|x\| \|z\|. Values do not overflow, and errors are enclosed.

    Sources: Marteau and Gibet, On recursive edit distance kernels with application to time series classification (IEEE
    Transactions on Neural Networks and Learning Systems 26, 2015, doi:10.1109/TNNLS.2014.2333876); Chen and Ng, On the
    marriage of Lp-norms and edit distance (VLDB, 2004), for the distance.

    Examples
    --------
    >>> from qpkernels import ElasticEdit
    >>> X = [[0.0, 1.0, 2.0], [0.0, 0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]
    >>> print(ElasticEdit(gamma=0.3)(X).round(3))
    [[1.    0.875 0.438]
     [0.875 1.    0.337]
     [0.438 0.337 1.   ]]
    """

    gamma: float
    gap: float = 0.0
    normalise: bool = True
    entry = KernelEntry("elastic_edit", "Elastic edit", takes="series of numbers")
    embedding = "the sum over all ways to cut x at n of its elements, of the product of the elements and the stretches"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", check_positive(self.gamma, "gamma"))
        object.__setattr__(self, "gap", real_number(self.gap, "gap"))
        if not np.isfinite(self.gap):
            raise ParameterError(f"gap must be a finite number, but {self.gap} came.")
        object.__setattr__(self, "normalise", check_flag(self.normalise, "normalise"))

    def sums(self, X: SeriesValues, Z: SeriesValues, *, paired: bool = False) -> ScaledSums:
        # numba takes most of a second to import, for a kernel that few programs use.
        from qpkernels.kernels.alignment_sums import alignment_sums

        return alignment_sums(X, Z, self.gamma, True, self.gap, paired)

    def _squared_box(self, *series: SeriesValues) -> float:
        """Return the squared diagonal of the box around all numbers of the series, and the gap."""
        size = series[0].values.shape[2]
        beside = SeriesValues(np.full((1, 1, size), self.gap), np.ones(1, np.intp))
        return super()._squared_box(*series, beside)
