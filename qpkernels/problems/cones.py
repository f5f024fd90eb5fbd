# SPDX-License-Identifier: BSD-3-Clause
r"""The cones a :class:`~qpkernels.problems.cone_program.program.ConeProgram` is made of.

Each cone finds a point of itself near any vector (``into``) and a point of its dual cone
:math:`K^* = \{z : z's \ge 0 \text{ for all } s \in K\}` (``into_dual``); a vector inside stays unchanged. The largest
component of the step to that point (``violation`` and ``dual_violation``) is 0 inside, and never less than the distance
to the nearest point. ``share_outside`` measures each component in its own unit. The order of components is Clarabel's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Matrix, Vector, check_count, real_number
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.errors import ParameterError

__all__ = [
    "Cone",
    "Exponential",
    "Nonnegative",
    "PSDTriangle",
    "Power",
    "SecondOrder",
    "Zero",
]

_SHARES = (1e-17, 2.0)
"""How far outside a vector is, in units that are no smaller than its entries."""


def towards_zero(values: Vector, slack: Vector) -> Vector:
    """Return the values nearest to 0 within the slack of each."""
    return np.sign(values) * np.maximum(np.abs(values) - slack, 0.0)


def least_share(within: Callable[[Vector, Vector], bool], s: Vector, sizes: Vector) -> float:
    """Bound, to a part in a hundred, the least d at which ``within(s, d * sizes)``, with sizes_i no less than |s_i|."""
    if not (np.isfinite(s).all() and np.isfinite(sizes).all()):
        return np.inf
    with np.errstate(all="ignore"):
        if within(s, np.zeros_like(s)):
            return 0.0
        low, high = _SHARES
        if not within(s, high * sizes):
            return np.inf
        while high > 1.01 * low:
            middle = float(np.sqrt(low * high))
            low, high = (low, middle) if within(s, middle * sizes) else (middle, high)
    return high


class Cone(ABC):
    """A closed convex cone in R^size.

    Notes
    -----
    Arguments of the methods:

    s
        A slack of the rows of this cone, shape (length,).
    z
        Their multipliers, shape (length,).
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of components."""

    @abstractmethod
    def into(self, s: Vector) -> Vector:
        """Return a point of the cone near the finite vector ``s``."""

    @abstractmethod
    def into_dual(self, z: Vector) -> Vector:
        """Return a point of the dual cone near the finite vector ``z``."""

    @abstractmethod
    def within(self, s: Vector, slack: Vector) -> bool:
        """Return whether a point p of the cone with |p_i - s_i| <= slack_i for every i was found.

        Parameters
        ----------
        s
            A finite vector, shape (size,).
        slack
            How far each component may be moved, at least 0: shape (size,).
        """

    def share_outside(self, s: Vector, sizes: Vector) -> float:
        """Bound, to a part in a hundred, the least d such that some p of the cone has |p_i - s_i| <= d sizes_i.

        Parameters
        ----------
        s
            A vector, shape (size,).
        sizes
            The unit of each component, at least |s_i|: shape (size,). If an automorphism of the cone scales both
            arguments, d stays the same, so that no component hides another.
        """
        return least_share(self.within, s, sizes)

    def violation(self, s: Vector) -> float:
        """Bound the distance of ``s`` from the cone."""
        return _apart(self.into, s)

    def dual_violation(self, z: Vector) -> float:
        """Bound the distance of ``z`` from the dual cone."""
        return _apart(self.into_dual, z)


def _apart(into: Callable[[Vector], Vector], vector: Vector) -> float:
    if not np.isfinite(vector).all():
        return np.inf
    return float(np.abs(into(vector) - vector).max(initial=0.0))


@dataclass(frozen=True)
class _Sized(Cone):
    length: int

    def __post_init__(self) -> None:
        if type(self.length) is not int or self.length < 0:
            check_count(self.length, "the length of a cone", least=0)

    @property
    def size(self) -> int:
        return self.length


@dataclass(frozen=True)
class Zero(_Sized):
    """{0}: the rows of A are equations, and the dual cone is the whole space.

    Attributes
    ----------
    length
        The number of equations.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.problems import Zero
    >>> print(Zero(2).violation(np.array([0.0, -2.0])), Zero(2).dual_violation(np.array([1.0, -2.0])))
    2.0 0.0
    """

    def into(self, s: Vector) -> Vector:
        return np.zeros_like(s)

    def within(self, s: Vector, slack: Vector) -> bool:
        return bool((np.abs(s) <= slack).all())

    def into_dual(self, z: Vector) -> Vector:
        return z


@dataclass(frozen=True)
class Nonnegative(_Sized):
    """{s : s_i >= 0}: the rows of A are inequalities Ax <= b; the cone is its own dual.

    Attributes
    ----------
    length
        The number of inequalities.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.problems import Nonnegative
    >>> print(Nonnegative(2).into(np.array([1.0, -2.0])), Nonnegative(2).violation(np.array([1.0, -2.0])))
    [1. 0.] 2.0
    """

    def into(self, s: Vector) -> Vector:
        return np.maximum(s, 0.0)

    def within(self, s: Vector, slack: Vector) -> bool:
        return bool((s >= -slack).all())

    def into_dual(self, z: Vector) -> Vector:
        return self.into(z)


@dataclass(frozen=True)
class SecondOrder(_Sized):
    """{(t, v) : ||v|| <= t}; the cone is its own dual.

    Attributes
    ----------
    length
        The number of entries, t included: at least 1.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.problems import SecondOrder
    >>> cone = SecondOrder(3)
    >>> print(cone.violation(np.array([5.0, 3.0, 4.0])), cone.into(np.array([4.0, 3.0, 4.0])).round(3))
    0.0 [5. 3. 4.]
    """

    def into(self, s: Vector) -> Vector:
        return np.array([max(float(s[0]), float(np.linalg.norm(s[1:]))), *s[1:]])

    def within(self, s: Vector, slack: Vector) -> bool:
        return bool(np.linalg.norm(towards_zero(s[1:], slack[1:])) <= s[0] + slack[0])

    def into_dual(self, z: Vector) -> Vector:
        return self.into(z)


@dataclass(frozen=True)
class PSDTriangle(Cone):
    """The symmetric positive semidefinite n x n matrices; the cone is its own dual.

    A matrix is stored as its upper triangle, column by column, with off-diagonal entries times sqrt(2).

    Attributes
    ----------
    order
        n: the cone takes n (n + 1) / 2 rows.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.problems import PSDTriangle
    >>> print(PSDTriangle(2).matrix(np.array([1.0, np.sqrt(2), 2.0])).round(3).tolist())
    [[1.0, 1.0], [1.0, 2.0]]
    """

    order: int

    def __post_init__(self) -> None:
        check_count(self.order, "the order of a matrix", least=0)

    @property
    def size(self) -> int:
        return self.order * (self.order + 1) // 2

    def matrix(self, s: Vector) -> Matrix:
        """Return the symmetric matrix that ``s`` stores."""
        columns, rows = np.tril_indices(self.order)
        matrix = np.zeros((self.order, self.order))
        matrix[rows, columns] = matrix[columns, rows] = np.where(rows == columns, s, s / np.sqrt(2.0))
        return matrix

    def into(self, s: Vector) -> Vector:
        with blas_threads_for(self.order):
            least = float(np.linalg.eigvalsh(self.matrix(s), UPLO="U").min(initial=0.0))
        columns, rows = np.tril_indices(self.order)
        return np.where(rows == columns, s - least, s)

    def within(self, s: Vector, slack: Vector) -> bool:
        # D M D has the signs of M: with 1 on the diagonal, no entry is lost beside a larger one.
        columns, rows = np.tril_indices(self.order)
        raised = np.where(rows == columns, s + slack, s)
        moved = np.where(rows == columns, raised, towards_zero(s, slack))
        return self._is_semidefinite(raised, slack) or self._is_semidefinite(moved, np.zeros_like(slack))

    def _is_semidefinite(self, s: Vector, slack: Vector) -> bool:
        matrix, allowed = self.matrix(s), self.matrix(slack)
        diagonal = matrix.diagonal()
        if diagonal.min(initial=0.0) < 0:
            return False
        positive = diagonal > 0
        if (np.abs(matrix) > allowed)[~positive].any():
            return False
        roots = np.sqrt(diagonal[positive])
        scaled = matrix[positive][:, positive] / roots / roots[:, None]
        with blas_threads_for(self.order):
            try:
                np.linalg.cholesky(scaled)
            except np.linalg.LinAlgError:
                return False
        return True

    def into_dual(self, z: Vector) -> Vector:
        return self.into(z)


@dataclass(frozen=True)
class Exponential(Cone):
    """Closure of {(x, y, w) : y > 0, y exp(x / y) <= w}.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.problems import Exponential
    >>> cone = Exponential()
    >>> print(cone.violation(np.array([0.0, 1.0, 1.0])), cone.violation(np.array([1.0, 1.0, 1.0])) > 0)
    0.0 True
    """

    @property
    def size(self) -> int:
        return 3

    def into(self, s: Vector) -> Vector:
        x, y, w = (float(part) for part in s)
        # The face y = 0 (x <= 0, w >= 0) is always within reach.
        points = [(min(x, 0.0), 0.0, max(w, 0.0))]
        if y > 0:
            with np.errstate(over="ignore", invalid="ignore"):
                points.append((x, y, max(w, float(y * np.exp(np.float64(x) / y)))))
            if w > 0:
                points.append((min(x, y * float(np.log(w) - np.log(y))), y, w))
        far = [np.abs(np.subtract(point, s)).max() for point in points]
        return np.array(points[int(np.nanargmin(far))])

    def within(self, s: Vector, slack: Vector) -> bool:
        # Less x and more w help; y exp(x / y) is least at y = x where x > 0, else at the least y.
        x, w = float(s[0] - slack[0]), float(s[2] + slack[2])
        least, most = max(float(s[1] - slack[1]), 0.0), float(s[1] + slack[1])
        if most < 0 or w < 0:
            return False
        y = min(max(x, least), most)
        return x <= 0 if y == 0 else bool(y * np.exp(np.float64(x) / y) <= w)

    def into_dual(self, z: Vector) -> Vector:
        # K* = {(u, v, w) : (u - v, -u, w) in K}; the map back at most doubles a distance.
        u, v, w = z
        turned = np.array([u - v, -u, w])
        dx, dy, dw = self.into(turned) - turned
        return np.asarray(z + np.array([-dy, -dx - dy, dw]))


@dataclass(frozen=True)
class Power(Cone):
    """{(x, y, w) : x^a y^(1-a) >= |w|, x >= 0, y >= 0} with 0 < a < 1.

    Attributes
    ----------
    alpha
        a, strictly between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.problems import Power
    >>> print(Power(0.5).violation(np.array([4.0, 9.0, 6.0])), Power(0.5).violation(np.array([4.0, 9.0, 7.0])) > 0)
    0.0 True
    """

    alpha: float

    def __post_init__(self) -> None:
        if not 0.0 < real_number(self.alpha, "the exponent of a power cone") < 1.0:
            raise ParameterError(f"the exponent of a power cone must lie between 0 and 1, but {self.alpha!r} came.")

    @property
    def size(self) -> int:
        return 3

    def into(self, s: Vector) -> Vector:
        x, y, w = (float(part) for part in s)
        x, y = max(x, 0.0), max(y, 0.0)
        reach = x**self.alpha * y ** (1.0 - self.alpha)
        return np.array([x, y, min(max(w, -reach), reach)])

    def within(self, s: Vector, slack: Vector) -> bool:
        x, y, w = float(s[0] + slack[0]), float(s[1] + slack[1]), float(abs(s[2]) - slack[2])
        return x >= 0 and y >= 0 and x**self.alpha * y ** (1.0 - self.alpha) >= w

    def into_dual(self, z: Vector) -> Vector:
        # K* = {(u, v, w) : (u / a, v / (1 - a), w) in K}; the map back only shrinks a distance.
        units = np.array([self.alpha, 1.0 - self.alpha, 1.0])
        turned = z / units
        return np.asarray(z + units * (self.into(turned) - turned))
