# SPDX-License-Identifier: BSD-3-Clause
r"""The dual of a margin as geometry: the nearest points of the two reduced hulls, or a point common to both hulls.

With alpha of a margin, A = sum alpha_i over either class (the balance makes both equal), and mu_i = alpha_i / A,

.. math:: z_\pm = \sum_{y_i = \pm 1} \mu_i \varphi(x_i), \quad f = A (z_+ - z_-), \quad \|z_+ - z_-\| = \|f\| / A.

The conditions of the margin say that alpha_i is at its bound c where y_i g(x_i) is below the level and 0 where it is
above, so that mu fills the samples of a class in the order of y_i f(x_i): z_+ is lowest along f, and z_- highest, over
the reduced hulls with the bound D = c / A. Hence they are the nearest points of these. c is C of the soft margin, 1/m
of the nu-margin, where A = nu / 2, and infinite of the hard margin, which has the hulls themselves. The squared hinge
is the hard margin of samples with a coordinate of their own, sqrt(1 / (2 C)) long. For one class, z = f is the point of
its reduced hull that is nearest to the origin.

The reduced convex hull of points z_i bounds their weights:

.. math:: R_D = \{\sum_i \mu_i z_i : 0 \le \mu_i \le D, \ \sum_i \mu_i = 1\}

For D = 1 it is the convex hull, for D = 1/m the mean of the points; for less it is empty. A linear function d'z is
largest over it where the weights fill up in descending order of d'z_i: D for the first floor(1/D) points, and the rest
for the next. Such points are the vertices. Sources: Crisp and Burges, A geometric interpretation of nu-SVM classifiers
(2000); Bennett and Bredensteiner, Duality and geometry in SVM classifiers (2000).

The first axis of the picture is the direction u = f / ||f||, along which a sample lies at

.. math:: t_i = \langle \varphi(x_i), u \rangle = f(x_i) / \|f\|.

The second axis w is the leading principal direction of what is orthogonal to u, whose Gram matrix is K - t t': with v
the leading eigenvector of the centred matrix, and its eigenvalue lambda, a sample lies at (K - t t') v / sqrt(lambda).
Where the samples are many, those of a part of them say which direction that is; any w orthogonal to u will do.
A projection is linear: that of a convex combination is the combination of the projections, so that hulls and reduced
hulls of the samples are seen as those of the projected ones. Distances along u are those of the space.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from formulations.lab.answers import LabAnswer
from formulations.lab.settings import MachineChoice, Setting, Stated
from formulations.lab.views.view import Drawn, still
from formulations.modelling.tasks import Classification, Novelty
from formulations.models.classification.margins.hard_margin import HardMargin
from formulations.models.classification.margins.nu_margin import NuMargin
from formulations.models.classification.margins.soft_margin import SoftMargin
from formulations.models.classification.margins.squared_hinge import SquaredHinge
from formulations.models.classification.one_class import OneClass
from formulations.models.classification.separation.separability import HullIntersection
from qpkernels.arrays import Matrix, Vector
from qpkernels.errors import InseparableError
from qpkernels.kernels import Kernel, Linear
from qpkernels.problems import KernelQPBounds, Status
from qpkernels.problems.level_qp.bounds import MarginLevelBounds

__all__ = ["HULLS", "largest_value", "plane_along", "plane_of_features", "reduced_hull"]

_ALIKE = 1e-9
"""Share of the size of the points within which a vertex lies on the edge between its neighbours."""

_MOST = 400
"""Vertices after which no more are searched for: the polygon is then within the hull, and no longer all of it."""


def largest_value(values: Vector, bound: float) -> float:
    """Return the largest sum of mu_i values_i over the weights, which are at most ``bound``: the support function."""
    weights = _weights(values.size, bound)
    return float(weights @ -np.sort(-values)[: weights.size])


def reduced_hull(points: Matrix, bound: float) -> Matrix:
    """Return the vertices of the reduced hull of points of the plane, counterclockwise, shape (n, 2).

    An edge between two vertices is one of the hull if nothing lies beyond it, and else gives a vertex between them.
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
    """Samples in a plane, shape (m, 2), and the direction of f in it, of length 1.

    It is whole where it is all of the space, and nothing is projected.
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

    ``along`` is f(x_i) / ||f||. The ``ridge`` is added to the diagonal of the kernel matrix: the square of a coordinate
    of its own of each sample.
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

    With the linear kernel in two features the picture is then a rotation, never a reflection, of the samples.
    """
    if X.shape[1] < 2:
        return across if float((X[:, 0] - X[:, 0].mean()) @ across) >= 0 else -across
    centred = (X - X.mean(axis=0))[:, :2]
    sides = np.linalg.det(np.column_stack([centred.T @ along, centred.T @ across]))
    return across if sides >= 0 else -across


_NO_DIRECTION = 1e-9
"""Share of the radius of the samples below which ||z+ - z-|| counts as 0."""

_EXACT = (
    "Across the page: position along f, in which distances are those of the feature space. Upwards: the leading "
    "principal direction orthogonal to f. A projection of hulls is the hull of the projections."
)
_WHOLE = "The plane of the samples is the feature space of the linear kernel: every distance is as it is."
_OWN = " Here every sample has an additional coordinate of its own, which makes the soft margin a hard one."


def _drawn(answer: LabAnswer) -> Drawn:
    model, solution = answer.model, answer.solution
    if isinstance(answer.error, InseparableError) and isinstance(answer.error.proof, HullIntersection):
        return _common_point(answer.setting, answer.error.proof)
    if isinstance(model, OneClass) and isinstance(solution, Novelty):
        return _one_hull(answer.setting, model, solution)
    if isinstance(model, SoftMargin | HardMargin | NuMargin | SquaredHinge) and isinstance(solution, Classification):
        return _two_hulls(answer.setting, model, solution)
    if solution is None:
        return Drawn({"words": "There is no answer, and so there are no nearest points."})
    return Drawn({"words": _NO_DISTANCE})


_NO_DISTANCE = (
    "The dual of this machine is no distance between hulls; that of a soft, hard or nu-margin, of the squared hinge "
    "and of one class is."
)


def _refusal(_: MachineChoice, model: Stated) -> str | None:
    shown = SoftMargin | HardMargin | NuMargin | SquaredHinge | OneClass
    return None if isinstance(model, shown) else _NO_DISTANCE


@dataclass(frozen=True, eq=False)
class _Hull:
    """The reduced hull of one class with the weights of its point.

    Attributes
    ----------
    own
        Which samples it is of, shape (m,).
    weights
        mu over all samples, shape (m,); they add up to 1.
    bound
        D, at most 1.
    """

    own: NDArray[np.bool_]
    weights: Vector
    bound: float

    @classmethod
    def of(cls, own: NDArray[np.bool_], alpha: Vector, largest: float) -> _Hull:
        """Return the hull of the samples ``own`` by their multipliers, which are at most ``largest``."""
        total = float(alpha[own].sum())
        return cls(own, np.where(own, alpha, 0.0) / total, max(min(largest / total, 1.0), 1.0 / int(own.sum())))

    def arrays(self, plane: FeaturePlane, name: str) -> Mapping[str, NDArray[Any]]:
        """Return the hull, the reduced hull, and the point in it."""
        points = plane.points[self.own]
        return {
            f"hull {name}": reduced_hull(points, 1.0),
            f"reduced {name}": reduced_hull(points, self.bound),
            f"point {name}": self.weights @ plane.points,
        }


def _two_hulls(
    setting: Setting, model: SoftMargin | HardMargin | NuMargin | SquaredHinge, solution: Classification
) -> Drawn:
    alpha, largest, ridge = np.maximum(solution.alpha, 0.0), _largest(model), _ridge(model)
    totals = [float(alpha[model.y == sign].sum()) for sign in (1.0, -1.0)]
    if not min(totals) > 0.0:
        return Drawn({"words": "No sample has a coefficient: f is 0, and the dual has no nearest points."})
    upper, lower = (_Hull.of(model.y == sign, alpha, largest) for sign in (1.0, -1.0))
    values = solution.decision - solution.intercept + ridge * solution.beta
    total, norm = 0.5 * sum(totals), float(np.sqrt(max(float(solution.beta @ values), 0.0)))
    distance = norm / total
    if not distance > _NO_DIRECTION * float(np.hypot(model.gram.lengths.max(), np.sqrt(ridge))):
        plane = _across_means(setting, ridge)
        words = "The reduced hulls meet: both nearest points are one, and f is 0."
        return Drawn(
            {
                "words": words,
                "note": _note(plane, ridge),
                "whole": plane.is_whole,
                "bound": upper.bound,
                "distance": 0.0,
            },
            {**_points(plane, model.y), **upper.arrays(plane, "+"), **lower.arrays(plane, "-")},
        )
    plane = _plane(setting, values / norm, solution.beta, ridge)
    levels = solution.margin_level * np.array([-1.0, 0.0, 1.0])
    along = values / norm
    gap = -largest_value(-along[upper.own], upper.bound) - largest_value(along[lower.own], lower.bound)
    return Drawn(
        {
            "words": _sentence(upper.bound, distance, solution),
            "note": _note(plane, ridge),
            "whole": plane.is_whole,
            "bound": upper.bound,
            "distance": distance,
            "gap": gap,
            "norm": norm,
            "total": total,
        },
        {
            **_points(plane, model.y),
            **upper.arrays(plane, "+"),
            **lower.arrays(plane, "-"),
            "normal": plane.normal,
            "levels": (levels - solution.intercept) / norm,
        },
    )


def _one_hull(setting: Setting, model: OneClass, solution: Novelty) -> Drawn:
    alpha = np.maximum(solution.beta, 0.0)
    hull = _Hull.of(np.ones(len(model), dtype=bool), alpha, float(model.costs.max()))
    values = solution.decision - solution.intercept
    norm = float(np.sqrt(max(float(alpha @ values), 0.0)))
    if not norm > _NO_DIRECTION * float(model.gram.lengths.max()):
        return Drawn({"words": "The origin lies in the reduced hull of the samples: f is 0, and separates nothing."})
    plane = _plane(setting, values / norm, solution.beta, 0.0)
    return Drawn(
        {
            "words": f"f is the point of the reduced hull of the samples that is nearest to the origin, {norm:.4g} "
            f"away: in it no sample has a weight above {hull.bound:.3g}.",
            "note": _note(plane, 0.0),
            "bound": hull.bound,
            "distance": norm,
            "gap": -largest_value(-values / norm, hull.bound),
            "norm": norm,
            "total": 1.0,
        },
        {
            **_points(plane, np.ones(len(model))),
            **hull.arrays(plane, "+"),
            "point -": np.zeros(2),
            "normal": plane.normal,
            "levels": np.array([-solution.intercept / norm]),
        },
    )


def _common_point(setting: Setting, proof: HullIntersection) -> Drawn:
    """Draw the point that is a convex combination of the samples of either class."""
    y, weights = setting.y, proof.multipliers
    plane = _across_means(setting, 0.0)
    hulls = [_Hull(y == sign, np.where(y == sign, weights, 0.0), 1.0) for sign in (1.0, -1.0)]
    carriers = np.isin(np.arange(y.size), proof.support)
    return Drawn(
        {
            "words": "The hulls meet: a point is a convex combination of "
            f"{int((y[carriers] > 0).sum())} samples of one class and of {int((y[carriers] < 0).sum())} of the other, "
            "so that no hyperplane separates them.",
            "note": _WHOLE
            if plane.is_whole
            else "Across the page: from mean to mean of the classes. Upwards: the "
            "leading principal direction orthogonal to it. A point that all hulls share is shared in every projection.",
            "bound": 1.0,
            "distance": 0.0,
        },
        {**_points(plane, y), **hulls[0].arrays(plane, "+"), **hulls[1].arrays(plane, "-"), "weights": weights},
    )


def _largest(model: SoftMargin | HardMargin | NuMargin | SquaredHinge) -> float:
    """Return the bound c of the multipliers."""
    bounds = model.bounds()
    if isinstance(bounds, MarginLevelBounds):
        return float(bounds.costs.max())
    assert isinstance(bounds, KernelQPBounds)
    return float(bounds.program.upper.max())


def _ridge(model: SoftMargin | HardMargin | NuMargin | SquaredHinge) -> float:
    """Return what a sample's own coordinate adds to its K_ii: 1 / (2 C) of the squared hinge."""
    bounds = model.bounds()
    return float(bounds.program.ridge[0]) if isinstance(bounds, KernelQPBounds) else 0.0


def _plane(setting: Setting, along: Vector, beta: Vector, ridge: float) -> FeaturePlane:
    if not ridge and _is_plain(setting):
        return plane_of_features(setting.X, beta @ setting.X)
    return plane_along(setting.kernel_function(), setting.X, along, ridge)


def _across_means(setting: Setting, ridge: float) -> FeaturePlane:
    """Return the plane whose first axis goes from mean to mean of the classes."""
    y, kernel = setting.y, setting.kernel_function()
    beta = np.where(y > 0, 1.0 / max((y > 0).sum(), 1), -1.0 / max((y < 0).sum(), 1))
    if not ridge and _is_plain(setting):
        return plane_of_features(setting.X, beta @ setting.X)
    values = kernel.matrix(setting.X, setting.X) @ beta + ridge * beta
    return plane_along(kernel, setting.X, values / (float(np.sqrt(max(beta @ values, 0.0))) or 1.0), ridge)


def _is_plain(setting: Setting) -> bool:
    return isinstance(setting.kernel_function(), Linear)


def _points(plane: FeaturePlane, y: Vector) -> Mapping[str, NDArray[Any]]:
    return {"points": plane.points, "labels": y}


def _note(plane: FeaturePlane, ridge: float) -> str:
    return (_WHOLE if plane.is_whole else _EXACT) + (_OWN if ridge else "")


def _sentence(bound: float, distance: float, solution: Classification) -> str:
    if solution.status is not Status.OPTIMAL:
        return "The answer is not proved, so that the two points of the hulls need not be nearest to each other."
    if bound >= 1.0:
        return f"The margin is half the distance between the nearest points of the two hulls, {distance:.4g}."
    return (
        f"f points from the nearest point of one reduced hull to that of the other, {distance:.4g} away: in them no "
        f"sample has a weight above {bound:.3g}."
    )


HULLS = still("hulls", "Hulls", _drawn, _refusal)
