# SPDX-License-Identifier: BSD-3-Clause
"""The global alignment kernel."""

from __future__ import annotations

from dataclasses import dataclass

from qpkernels.arrays import check_count, check_flag, check_positive
from qpkernels.kernels.catalogue import KernelEntry
from qpkernels.kernels.series import ScaledSums, SeriesKernel, SeriesValues

__all__ = [
    "GlobalAlignment",
]


@dataclass(frozen=True)
class GlobalAlignment(SeriesKernel):
    r"""All alignments of two series: :math:`\sum_\pi \prod_{(i, j) \in \pi} \kappa_{ij}`.

    pi runs over the alignments of x and z: lists of pairs from (1, 1) to (\|x\|, \|z\|), in which each pair is followed
    by (i + 1, j), (i, j + 1) or (i + 1, j + 1), as in dynamic time warping. With
    :math:`g_{ij} = \exp(-\gamma \|x_i - z_j\|^2)`, the weight of a pair is :math:`\kappa_{ij} = g_{ij} / (2 - g_{ij})`.
    With a band T, g is multiplied by the triangle max(0, 1 - \|i - j\| / T): pairs that are T places apart or farther
    weigh nothing, and with T = 1 only series of one length are alike, aligned place by place.

    Parameters
    ----------
    gamma
        Above 0: how fast unequal values become unlike. Cuturi's sigma is given by gamma = 1 / (2 sigma^2).
    band
        T, at least 1; None: no triangle.
    normalise
        Whether to divide by sqrt(k(x, x) k(z, z)). Without it the values grow exponentially with the lengths.

    Raises
    ------
    ParameterError
        If a parameter is outside its range.

    Notes
    -----
    Why it is positive semidefinite: repeat each element of x so often that the series has n elements, in all ways.
    With tau = g / 2, which is a kernel below 1, the sum over all such pairs of products tau(x_1, z_1) ... tau(x_n, z_n)
    is the inner product of two vectors phi_n. A pair (i, j) that is repeated r times in a row counts tau^r, and the sum
    over r is tau / (1 - tau) = g / (2 - g). So the sum over n is k. Another weight in place of g / (2 - g) must have
    this form: with the Gaussian g itself, some eight series of one or two numbers have an eigenvalue of -3e-4.

    The time for a pair of series grows with \|x\| \|z\|. Values do not overflow, and errors are enclosed.

    Sources: Cuturi, Vert, Birkenes and Matsui, A kernel for time series based on global alignments (ICASSP, 2007,
    doi:10.1109/ICASSP.2007.366260); Cuturi, Fast global alignment kernels (ICML, 2011), for the triangle and kappa.

    Examples
    --------
    >>> from qpkernels import GlobalAlignment
    >>> X = [[0.0, 1.0, 2.0], [0.0, 0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]
    >>> print(GlobalAlignment(gamma=0.1)(X).round(3))
    [[1.    0.811 0.273]
     [0.811 1.    0.17 ]
     [0.273 0.17  1.   ]]
    """

    gamma: float
    band: int | None = None
    normalise: bool = True
    entry = KernelEntry("global_alignment", "Global alignment", takes="series of numbers")
    embedding = "the sum over all ways to repeat elements of x up to n of them, of their product in the space of g / 2"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", check_positive(self.gamma, "gamma"))
        if self.band is not None:
            object.__setattr__(self, "band", check_count(self.band, "band"))
        object.__setattr__(self, "normalise", check_flag(self.normalise, "normalise"))

    def sums(self, X: SeriesValues, Z: SeriesValues, *, paired: bool = False) -> ScaledSums:
        # numba takes most of a second to import, for a kernel that few programs use.
        from qpkernels.kernels.alignment_sums import alignment_sums

        return alignment_sums(X, Z, self.gamma, False, float(self.band or 0), paired)
