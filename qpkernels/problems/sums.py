# SPDX-License-Identifier: BSD-3-Clause
"""Sums over all samples of an answer at once, for one machine or for several in a row.

At the residual r_i = target_i - b - f(x_i) of a KernelQP, with L_i(r) the largest of r s - epsilon_i |s| -
ridge_i/2 s^2 over the bounds of s, a sample adds L_i(r_i) to P, and (target_i - middle) beta_i - epsilon_i |beta_i| -
ridge_i/2 beta_i^2 to D.

Machine p has the entries from ``starts[p]`` to ``starts[p + 1]`` of every array, at least one. Compiled code, where it
is available, takes a tenth of the time of NumPy for these sums.
"""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.machine_code import in_use

__all__ = ["EPS", "ExpansionSums", "GapSums", "expansion_sums", "gap_sums"]

EPS = float(np.finfo(float).eps)
"""The distance from 1 to the next number, twice the largest relative rounding error."""


Each = TypeVar("Each")
"""A number, of one machine, or an array with an entry for each."""


class ExpansionSums(NamedTuple, Generic[Each]):
    """Sums over the samples of f = sum_j beta_j k(x_j, .), whose values are f_i.

    Attributes
    ----------
    used
        How many beta_i are not 0.
    reach, square
        The sum of |beta_i| s_i for sizes s_i, and that of (beta_i s_i)^2.
    products, products_size
        The sum of beta_i f_i, and that of the absolute values.
    """

    used: Each
    reach: Each
    square: Each
    products: Each
    products_size: Each


class GapSums(NamedTuple, Generic[Each]):
    """Sums over the samples of a KernelQP.

    Attributes
    ----------
    losses, linear, costs
        The sums of L_i(r_i), of (target_i - middle) beta_i, and of what epsilon and ridge cost.
    linear_sizes
        The sum of the absolute values of the second.
    squared_errors, errors
        How far losses may be off: the sum of the squares, and the sum where f(x_i) is inexact.
    inexact
        The sum of |beta_i| times the inexactness of f(x_i).
    imbalance, size
        The sum of beta_i, and that of the absolute values.
    reach
        The largest |r_i|, with the inexactness of f(x_i).
    vanishing
        1 where all terms are 0, those of the losses up to their rounding; else 0.
    worst
        The number of the sample, among those of its machine, that adds most to the gap.
    """

    losses: Each
    linear: Each
    costs: Each
    linear_sizes: Each
    squared_errors: Each
    errors: Each
    inexact: Each
    imbalance: Each
    size: Each
    reach: Each
    vanishing: Each
    worst: Each


class ProgramTerms(NamedTuple):
    """The samples' part in the program of their machine, as KernelQP has it, shape (m,)."""

    target: Vector
    epsilon: Vector
    ridge: Vector
    lower: Vector
    upper: Vector


def expansion_sums(
    beta: Vector, values: Vector, sizes: Vector, starts: Indices, balanced: NDArray[np.bool_]
) -> ExpansionSums[Vector]:
    """Return the sums of each machine; one that is ``balanced`` takes the values around their mean."""
    beta, values, sizes = map(np.ascontiguousarray, (beta, values, sizes))
    if in_use():
        from qpkernels.problems.loops import add_expansion_sums

        sums = np.empty((len(ExpansionSums._fields), starts.size - 1))
        add_expansion_sums(beta, values, sizes, starts, balanced, sums)
        return ExpansionSums(*sums)
    counts, begin = np.diff(starts), starts[:-1]
    means = np.where(balanced, np.add.reduceat(values, begin) / counts, 0.0)
    used = beta != 0.0
    terms = np.where(used, np.abs(beta) * sizes, 0.0)
    products = np.where(used, beta * (values - np.repeat(means, counts)), 0.0)
    return ExpansionSums(*np.add.reduceat((used, terms, terms**2, products, np.abs(products)), begin, axis=1))


def gap_sums(
    terms: ProgramTerms,
    beta: Vector,
    values: Vector,
    error: Vector,
    inexact: Vector,
    starts: Indices,
    levels: Vector,
    middles: Vector,
) -> tuple[GapSums[Vector], Vector]:
    """Return the sums of each machine, and L_i(r_i) - r_i beta_i and the costs: what each sample adds to the gap.

    Parameters
    ----------
    values, error, inexact
        f(x_i), up to rounding of ``error``, and how far they are off beside that; either empty: not at all.
    levels, middles
        b and the middle of each machine.
    """
    if in_use():
        from qpkernels.problems.loops import add_gap_sums

        parts, sums = np.empty(beta.size), np.empty((len(GapSums._fields), levels.size))
        arrays: list[Any] = [np.ascontiguousarray(each) for each in (*terms, beta, values, error, inexact)]
        arrays += [starts, levels, middles, parts, sums]
        add_gap_sums(*arrays)
        return GapSums(*sums), parts
    counts, begin = np.diff(starts), starts[:-1]
    target, epsilon, ridge, lower, upper = terms
    off = inexact if inexact.size else np.zeros(beta.size)
    around = target - np.repeat(levels, counts)
    residuals = around - values
    width = (error if error.size else 0.0) + off + EPS * (np.abs(around) + np.abs(residuals) + epsilon)
    # A convex function changes most at an end of an interval.
    points = np.array((residuals, residuals - width, residuals + width))
    losses, below, above = _losses(points, epsilon, ridge, lower, upper)
    changes = np.maximum(np.abs(below - losses), np.abs(above - losses))
    linear, sizes = (target - np.repeat(middles, counts)) * beta, np.abs(beta)
    costs = epsilon * sizes + 0.5 * ridge * beta**2
    parts, exact = losses - residuals * beta + costs, off == 0.0
    added = (
        *(losses, linear, costs, np.abs(linear)),
        *(np.where(exact, changes, 0.0) ** 2, np.where(exact, 0.0, changes), sizes * off, beta, sizes),
    )
    ends: list[Any] = list(np.add.reduceat(added, begin, axis=1))
    reach = np.maximum.reduceat(np.abs(residuals) + off, begin)
    vanishing = np.logical_and.reduceat((losses <= changes) & (linear == 0.0) & (costs == 0.0), begin)
    most = np.repeat(np.maximum.reduceat(parts, begin), counts)
    # The first of a machine that adds as much as any.
    places = np.where(parts == most, np.arange(parts.size), parts.size)
    worst = np.minimum.reduceat(places, begin) - begin
    ends += [reach, vanishing.astype(float), worst.clip(max=counts - 1).astype(float)]
    return GapSums(*ends), parts


def _losses(residuals: Matrix, epsilon: Vector, ridge: Vector, lower: Vector, upper: Vector) -> Any:
    """Return L_i for several rows of residuals; a hard constraint contributes 0, told apart."""
    excess = np.maximum(np.abs(residuals) - epsilon, 0.0)
    reach = np.where(residuals > 0.0, upper, -lower)
    if ridge.any():
        bent = np.divide(excess, ridge, out=np.full(excess.shape, np.inf), where=ridge > 0.0)
        reach = np.minimum(reach, bent)
    reach[~np.isfinite(reach)] = 0.0
    return excess * reach - 0.5 * ridge * reach**2
