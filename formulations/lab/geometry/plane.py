# SPDX-License-Identifier: BSD-3-Clause
r"""A plane of the space of a kernel, onto which the samples are projected.

Its first axis is the direction u = f / ||f|| of a function, along which a sample lies at

.. math:: t_i = \langle \varphi(x_i), u \rangle = f(x_i) / \|f\|.

Its second axis w is the leading principal direction of what is orthogonal to u, whose Gram matrix is K - t t': with v
the leading eigenvector of the centred matrix, and its eigenvalue lambda, a sample lies at (K - t t') v / sqrt(lambda).
Where the samples are many, those of a part of them say which direction that is; any w orthogonal to u will do.

A projection is linear: that of a convex combination is the combination of the projections, so that hulls and reduced
hulls of the samples are seen as those of the projected ones. Distances along u are those of the space.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from qpkernels.arrays import Matrix, Vector
from qpkernels.kernels import Kernel

__all__ = ["FeaturePlane", "plane_along", "plane_of_features"]

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
