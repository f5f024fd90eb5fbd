# SPDX-License-Identifier: BSD-3-Clause
r"""The reduced convex hull of points, whose weights are bounded.

.. math:: R_D = \{\sum_i \mu_i z_i : 0 \le \mu_i \le D, \ \sum_i \mu_i = 1\}

For D = 1 it is the convex hull, for D = 1/m the mean of the points; for less it is empty. A linear function d'z is
largest over it where the weights fill up in descending order of d'z_i: D for the first floor(1/D) points, and the rest
for the next. Such points are the vertices. Sources: Crisp and Burges, A geometric interpretation of nu-SVM classifiers
(2000); Bennett and Bredensteiner, Duality and geometry in SVM classifiers (2000).
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Matrix, Vector

__all__ = ["largest_value", "reduced_hull"]

_ALIKE = 1e-9
"""Share of the size of the points within which a vertex lies on the edge between its neighbours."""

_MOST = 400
"""Vertices after which no more are searched for: the polygon is then within the hull, and no longer all of it."""


def largest_value(values: Vector, bound: float) -> float:
    """Return the largest sum of mu_i values_i over the weights: the support function of the reduced hull.

    Parameters
    ----------
    values
        d'z_i of each point, shape (m,).
    bound
        D, at least 1/m.
    """
    weights = _weights(values.size, bound)
    return float(weights @ -np.sort(-values)[: weights.size])


def reduced_hull(points: Matrix, bound: float) -> Matrix:
    """Return the vertices of the reduced hull of points of the plane, counterclockwise, shape (n, 2).

    An edge between two vertices is one of the hull if nothing lies beyond it, and else gives a vertex between them.

    Parameters
    ----------
    points
        Shape (m, 2).
    bound
        D, at least 1/m.
    """
    weights = _weights(len(points), bound)
    found = list(_extremes(points, np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), weights))
    least = _ALIKE * float(np.ptp(points, axis=0).max())
    settled = np.zeros(len(found), dtype=bool)
    while not settled.all() and len(found) < _MOST:
        begin = np.array(found)
        along = np.roll(begin, -1, axis=0) - begin
        outward = np.column_stack([along[:, 1], -along[:, 0]])
        beyond = begin.copy()
        beyond[~settled] = _extremes(points, outward[~settled], weights)
        length = np.linalg.norm(along, axis=1)
        settled |= (length <= least) | (np.einsum("ij,ij->i", outward, beyond - begin) <= least * length)
        found = [each for k, edge in enumerate(settled) for each in ([begin[k]] if edge else [begin[k], beyond[k]])]
        settled = np.repeat(settled, np.where(settled, 1, 2))
    apart = [each for k, each in enumerate(found) if np.abs(each - found[k - 1]).max() > least]
    return np.array(apart or found[:1])


def _weights(samples: int, bound: float) -> Vector:
    """Return the weights of the points in descending order of their value, as far as they are not 0."""
    full = min(int(np.floor(1.0 / bound * (1.0 + 1e-12))), samples)
    rest = 1.0 - full * bound
    weights = np.full(full, bound) if rest <= 1e-12 or full == samples else np.append(np.full(full, bound), rest)
    return np.asarray(weights / weights.sum())


def _extremes(points: Matrix, directions: Matrix, weights: Vector) -> Matrix:
    """Return the vertex of each direction, shape (n, 2)."""
    order = np.argsort(-(directions @ points.T), axis=1, kind="stable")[:, : weights.size]
    return np.asarray(np.einsum("j,ijk->ik", weights, points[order]))
