# SPDX-License-Identifier: BSD-3-Clause
r"""Pictures of the space of a kernel: a plane onto which the samples are projected, and reduced hulls.

The first axis of the plane is the direction u = f / ||f|| of a function, along which a sample lies at

.. math:: t_i = \langle \varphi(x_i), u \rangle = f(x_i) / \|f\|.

The second axis w is the leading principal direction of what is orthogonal to u, whose Gram matrix is K - t t': with v
the leading eigenvector of the centred matrix, and its eigenvalue lambda, a sample lies at (K - t t') v / sqrt(lambda).
Where the samples are many, those of a part of them say which direction that is; any w orthogonal to u will do.

A projection is linear: that of a convex combination is the combination of the projections, so that hulls and reduced
hulls of the samples are seen as those of the projected ones. Distances along u are those of the space.

The reduced convex hull of points z_i bounds their weights:

.. math:: R_D = \{\sum_i \mu_i z_i : 0 \le \mu_i \le D, \ \sum_i \mu_i = 1\}

For D = 1 it is the convex hull, for D = 1/m the mean of the points; for less it is empty. A linear function d'z is
largest over it where the weights fill up in descending order of d'z_i: D for the first floor(1/D) points, and the rest
for the next. Such points are the vertices. Sources: Crisp and Burges, A geometric interpretation of nu-SVM classifiers
(2000); Bennett and Bredensteiner, Duality and geometry in SVM classifiers (2000).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from qpkernels.arrays import Matrix, Vector
from qpkernels.kernels import Kernel

__all__ = ["FeaturePlane", "largest_value", "plane_along", "plane_of_features", "reduced_hull"]

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


_PART = 300
"""Samples that say which direction is the second axis."""

_FLAT = 1e-12
"""Share of the trace below which nothing of the samples is orthogonal to f."""


@dataclass(frozen=True, eq=False)
class FeaturePlane:
    """Samples in a plane.

    Attributes
    ----------
    points
        Shape (m, 2).
    normal
        The direction of f in the plane, of length 1.
    is_whole
        Whether the plane is all of the space: nothing is projected.
    """

    points: Matrix
    normal: Vector
    is_whole: bool = False

    @property
    def along(self) -> Vector:
        """f(x_i) / ||f||, shape (m,)."""
        return np.asarray(self.points @ self.normal)


def plane_of_features(X: Matrix, w: Vector) -> FeaturePlane:
    """Return the plane of two features itself, the space of the linear kernel, with the direction of f = w'x."""
    return FeaturePlane(X, w / (float(np.linalg.norm(w)) or 1.0), is_whole=True)


def plane_along(kernel: Kernel, X: Matrix, along: Vector, ridge: Vector | float = 0.0) -> FeaturePlane:
    """Return the plane of a function and of the leading principal direction orthogonal to it.

    Parameters
    ----------
    along
        f(x_i) / ||f||, shape (m,).
    ridge
        What is added to the diagonal of the kernel matrix: the square of a coordinate of its own of each sample.
    """
    m = len(X)
    part = np.unique(np.linspace(0, m - 1, min(m, _PART)).astype(int))
    K = kernel.matrix(X, X[part])
    K[part, np.arange(part.size)] += np.broadcast_to(ridge, m)[part]
    G = K - along[:, None] * along[part]
    across = _turned(X, along, G @ _leading(G[part]))
    return FeaturePlane(np.column_stack([along, across]), np.array([1.0, 0.0]))


def _leading(G: Matrix) -> Vector:
    """Return v / sqrt(lambda) of the centred matrix, or zeros where it is 0."""
    H = G - G.mean(axis=0)
    H = H - H.mean(axis=1)[:, None]
    n = len(H)
    (eigenvalue,), vectors = scipy.linalg.eigh(0.5 * (H + H.T), subset_by_index=(n - 1, n - 1))
    if not eigenvalue > _FLAT * max(float(np.abs(H.diagonal()).sum()), np.finfo(float).tiny):
        return np.zeros(n)
    return np.asarray(vectors[:, 0] / np.sqrt(eigenvalue))


def _turned(X: Matrix, along: Vector, across: Vector) -> Vector:
    """Return the second coordinate with the sign by which the plane is seen from the side from which the samples are.

    Of the linear kernel in two features the picture is then a rotation, never a reflection, of the samples.
    """
    if X.shape[1] < 2:
        return across if float((X[:, 0] - X[:, 0].mean()) @ across) >= 0 else -across
    centred = (X - X.mean(axis=0))[:, :2]
    sides = np.linalg.det(np.column_stack([centred.T @ along, centred.T @ across]))
    return across if sides >= 0 else -across
