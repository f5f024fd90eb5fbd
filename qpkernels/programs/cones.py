# SPDX-License-Identifier: BSD-3-Clause
r"""The cones a :class:`~qpkernels.programs.cone_program.ConeProgram` is made of.

Each cone bounds how far a vector lies outside of it (``violation``) and outside of its dual cone
:math:`K^* = \{z : z's \ge 0 \text{ for all } s \in K\}` (``dual_violation``). Both are exactly 0 inside, and not less
than the distance to the nearest point of the cone in the largest component. Order of components: Clarabel's.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Vector, check_count, real_number
from qpkernels.errors import ParameterError
from qpkernels.gram.panels.threads import blas_threads_for

__all__ = ["Cone", "Exponential", "Nonnegative", "PSDTriangle", "Power", "SecondOrder", "Zero"]


class Cone(ABC):
    """A closed convex cone in R^size."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of components."""

    @abstractmethod
    def violation(self, s: Vector) -> float:
        """Bound the distance of ``s`` from the cone."""

    @abstractmethod
    def dual_violation(self, z: Vector) -> float:
        """Bound the distance of ``z`` from the dual cone."""


@dataclass(frozen=True)
class _Sized(Cone):
    length: int

    def __post_init__(self) -> None:
        check_count(self.length, "the length of a cone", least=0)

    @property
    def size(self) -> int:
        return self.length


@dataclass(frozen=True)
class Zero(_Sized):
    """{0}: rows of A are equations; the dual cone is the whole space."""

    def violation(self, s: Vector) -> float:
        return float(np.abs(s).max(initial=0.0))

    def dual_violation(self, z: Vector) -> float:
        del z
        return 0.0


@dataclass(frozen=True)
class Nonnegative(_Sized):
    """{s : s_i >= 0}: rows of A are inequalities Ax <= b; its own dual."""

    def violation(self, s: Vector) -> float:
        return float(np.maximum(-s, 0.0).max(initial=0.0))

    def dual_violation(self, z: Vector) -> float:
        return self.violation(z)


@dataclass(frozen=True)
class SecondOrder(_Sized):
    """{(t, v) : ||v|| <= t}; its own dual."""

    def violation(self, s: Vector) -> float:
        return max(0.0, float(np.linalg.norm(s[1:]) - s[0])) if np.isfinite(s).all() else np.inf

    def dual_violation(self, z: Vector) -> float:
        return self.violation(z)


@dataclass(frozen=True)
class PSDTriangle(Cone):
    """Symmetric positive semidefinite n x n matrices; own dual.

    Stored as the upper triangle column by column, off-diagonal entries times sqrt(2).
    """

    order: int

    def __post_init__(self) -> None:
        check_count(self.order, "the order of a matrix", least=0)

    @property
    def size(self) -> int:
        return self.order * (self.order + 1) // 2

    def violation(self, s: Vector) -> float:
        matrix = np.zeros((self.order, self.order))
        columns, rows = np.tril_indices(self.order)
        matrix[rows, columns] = np.where(rows == columns, s, s / np.sqrt(2.0))
        if not np.isfinite(s).all():
            return np.inf
        with blas_threads_for(self.order):
            return max(0.0, -float(np.linalg.eigvalsh(matrix, UPLO="U")[0]))

    def dual_violation(self, z: Vector) -> float:
        return self.violation(z)


@dataclass(frozen=True)
class Exponential(Cone):
    """Closure of {(x, y, w) : y > 0, y exp(x / y) <= w}."""

    @property
    def size(self) -> int:
        return 3

    def violation(self, s: Vector) -> float:
        x, y, w = (float(part) for part in s)
        # The face y = 0 (x <= 0, w >= 0) is always within reach.
        candidates = [max(x, abs(y), -w)]
        if y > 0:
            with np.errstate(over="ignore", invalid="ignore"):
                candidates.append(float(y * np.exp(np.float64(x) / y)) - w)
            if w > 0:
                candidates.append(x - y * float(np.log(w) - np.log(y)))
        return max(0.0, min(candidates)) if np.isfinite(s).all() else np.inf

    def dual_violation(self, z: Vector) -> float:
        # K* = {(u, v, w) : (u - v, -u, w) in K}; the map back at most doubles a distance.
        u, v, w = z
        return 2.0 * self.violation(np.array([u - v, -u, w]))


@dataclass(frozen=True)
class Power(Cone):
    """{(x, y, w) : x^a y^(1-a) >= |w|, x >= 0, y >= 0} with 0 < a < 1."""

    alpha: float

    def __post_init__(self) -> None:
        if not 0.0 < real_number(self.alpha, "the exponent of a power cone") < 1.0:
            raise ParameterError(f"the exponent of a power cone must lie between 0 and 1, but {self.alpha!r} came.")

    @property
    def size(self) -> int:
        return 3

    def violation(self, s: Vector) -> float:
        x, y, w = (float(part) for part in s)
        reach = max(x, 0.0) ** self.alpha * max(y, 0.0) ** (1.0 - self.alpha)
        return max(0.0, -x, -y, abs(w) - reach) if np.isfinite(s).all() else np.inf

    def dual_violation(self, z: Vector) -> float:
        # K* = {(u, v, w) : (u / a, v / (1 - a), w) in K}; the map back only shrinks a distance.
        u, v, w = z
        return self.violation(np.array([u / self.alpha, v / (1.0 - self.alpha), w]))
