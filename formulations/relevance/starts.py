# SPDX-License-Identifier: BSD-3-Clause
"""Where the search for the highest evidence starts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from formulations.relevance.ascent import Point
from formulations.relevance.posterior import Design
from qpkernels.arrays import Vector

__all__ = ["initial_noise", "least_noise", "narrow_and_wide", "starting_points"]

_LEAST_NOISE = 1e-10
"""Smallest learned variance of the noise, against the mean square of the targets."""

_INITIAL_NOISE = 0.1
"""Share of the mean square of the targets that is taken for noise at the start."""

_WIDE = 100.0
"""Prior variance of the values of one column at the wide start, against that of the targets."""

_TENTH = 0.1
"""Share of the columns that a start from few columns has."""


def least_noise(t: Vector) -> float:
    """Return the smallest variance that a learned noise may take: 1e-10 of the mean square of the targets."""
    return _LEAST_NOISE * (float(t @ t) / t.size or 1.0)


def initial_noise(t: Vector) -> float:
    """Return the variance of the noise that the search starts from."""
    return max(_INITIAL_NOISE * float(t @ t) / t.size, least_noise(t))


def narrow_and_wide(design: Design, variance: float) -> tuple[Vector, Vector]:
    """Return the alphas of two priors; inf where there is nothing.

    In the narrow one all columns together have the prior variance ``variance``; in the wide one each has 100 times it.
    From the narrow start alone the search misses functions whose weights cancel each other; from the wide one alone it
    ends lower on data without such functions.
    """
    unit = _unit_alphas(design, variance)
    return unit * unit.size, unit / _WIDE


def starting_points(
    design: Design, variance: float, noise: float | None, *, widths: Sequence[float], sparse: int = 0
) -> list[Point]:
    """Return what the search starts from: priors of several widths, and few columns.

    Parameters
    ----------
    variance
        Prior variance of the values, about that of the targets.
    noise
        Variance of the noise; None where there is none.
    widths
        Prior variances of the values of one column, against ``variance``, beside the narrow and the wide prior.
    sparse
        Number of starts from few columns: none at the first, and a random tenth at the others; always the same ones, so
        that an answer can be repeated.
    """
    unit = _unit_alphas(design, variance)
    narrow, wide = narrow_and_wide(design, variance)
    alphas = [narrow, wide, *(unit / width for width in widths)]
    rng = np.random.default_rng(0)
    if sparse:
        alphas.append(np.full(unit.size, np.inf))
    for _ in range(sparse - 1):
        left_out = rng.random(unit.size) >= _TENTH
        left_out[0] = False
        alphas.append(np.where(left_out, np.inf, unit))
    return [(alpha, noise) for alpha in alphas]


def _unit_alphas(design: Design, variance: float) -> Vector:
    """Return the alphas at which the values of each column alone have the prior variance ``variance``."""
    squares = design.squares.mean(axis=0)
    alphas = np.full(squares.size, np.inf)
    return np.asarray(np.divide(squares, variance, out=alphas, where=squares * variance > 0))
