# SPDX-License-Identifier: BSD-3-Clause
"""The small problem behind almost every kernel machine."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, csr_array, eye_array, hstack, vstack

from qpkernels.arrays import Matrix, Vector, finite_vector, real_number
from qpkernels.arrays.checks import float_vector
from qpkernels.errors import NonFiniteError, ParameterError
from qpkernels.gram import Gram
from qpkernels.problems.cone_program.program import Block, ConeProgram
from qpkernels.problems.cones import Nonnegative, Zero
from qpkernels.problems.linear_system import LinearSystem, RidgedGram
from qpkernels.problems.program import ExpansionProgram

__all__ = [
    "KernelQP",
    "SampleTerms",
    "diverges",
    "nearest_feasible",
]

_EPS, _TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)


def nearest_feasible(beta: Vector, lower: Vector, upper: Vector, total: float | None) -> Vector:
    """Return a point close to ``beta`` within the bounds, clipped and then shifted evenly until the sum is ``total``.

    The shift only moves entries strictly inside the bounds if they suffice, so that an answer keeps its support. The
    point is therefore not always the nearest. A feasible beta is returned unchanged.

    Parameters
    ----------
    beta
        Shape (m,), finite, of any sign and size.
    lower, upper
        The ends of each entry, shape (m,), lower <= upper; either may be infinite.
    total
        The value of 1'beta. If the sums of the ends do not enclose it, beta is only clipped. None allows any sum.
    """
    inside = np.clip(beta, lower, upper)
    if (inside == beta).all() and (total is None or abs(total - beta.sum()) <= _sum_rounding(beta, total)):
        return beta
    if total is None:
        return inside
    free = (inside > lower) & (inside < upper)
    shifted = _shift(inside, lower, upper, free, total)
    if shifted is None:
        shifted = _shift(inside, lower, upper, np.ones_like(free), total)
    return inside if shifted is None else shifted


def _shift(beta: Vector, lower: Vector, upper: Vector, movable: NDArray[np.bool_], total: float) -> Vector | None:
    rounding = _sum_rounding(beta, total)
    while abs(defect := total - float(beta.sum())) > rounding:
        room = movable & ((beta < upper) if defect > 0 else (beta > lower))
        if not room.any():
            return None
        beta = np.clip(beta + room * (defect / room.sum()), lower, upper)
    return beta


def _sum_rounding(beta: Vector, total: float) -> float:
    """Return how far a sum of coefficients may be off; below the least number of full precision none can be shared."""
    return 4 * _EPS * (float(np.abs(beta).sum()) + abs(total)) + _TINY


_FAR = 1e-5
"""Share of what its terms could make of ||f||^2 from which the f of a ray is not 0, known to the digits of float32."""

_SAME_POINT = 1e-6
"""Distance of two weighted means, against the spread of their samples, below which they are taken for one point."""


class SampleTerms(NamedTuple):
    """The parts of a KernelQP that belong to single samples; one number stands for the same value at each.

    Attributes
    ----------
    target, lower, upper, epsilon, ridge
        As in :class:`KernelQP`, shape (m,).

    Examples
    --------
    >>> from qpkernels.problems import SampleTerms
    >>> print(SampleTerms(target=1.0, lower=0.0, upper=5.0))
    SampleTerms(target=1.0, lower=0.0, upper=5.0, epsilon=0.0, ridge=0.0)
    """

    target: Vector
    lower: Vector
    upper: Vector
    epsilon: Vector | float = 0.0
    ridge: Vector | float = 0.0

    def as_rows(self) -> Matrix:
        """Return target, epsilon, ridge, lower and upper, one per row."""
        rows = np.empty((5, self.target.size))
        for row, values in zip(rows, (self.target, self.epsilon, self.ridge, self.lower, self.upper), strict=True):
            row[:] = values
        return rows


@dataclass(frozen=True, init=False, eq=False)
class KernelQP(ExpansionProgram):
    """min 1/2 beta'(K + diag(ridge)) beta - target'beta + epsilon'|beta|  s.t.  lower <= beta <= upper, 1'beta = total.

    Its dual bound needs no other data: with the decision values v_i = f(x_i) + b of f = sum_j beta_j k(x_j, .) and

        L_i(v) = max over lower_i <= s <= upper_i of (target_i - v) s - epsilon_i |s| - ridge_i/2 s^2

    (hinge, epsilon-insensitive, pinball, Huber, squared loss ...), every (f, b) gives
    P(f, b) = 1/2 ||f||^2 + sum_i L_i(v_i) + b total, and P(f, b) >= -(objective at any feasible beta).

    Parameters
    ----------
    gram
        The kernel matrix K of m samples; positive semidefinite.
    target, epsilon, ridge
        Shape (m,) or one number; epsilon and ridge are at least 0.
    lower, upper
        Shape (m,) or one number, with lower <= 0 <= upper; either may be infinite.
    total
        The value of 1'beta. With None, the model has no intercept b, and the equation is absent.
    name
        The problem that the program states.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If the parts do not fit together or are out of range.

    Notes
    -----
    Arguments of the methods:

    beta
        Coefficients, shape (m,), feasible or not.
    values
        f(x_i), shape (m,): K beta if it is known already; None if it is to be computed.
    intercept
        b, which is added to the values; 0 if they include it already.
    gram
        The same kernel matrix, stored elsewhere.
    level
        The number that is subtracted from each target.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import RBF, Gram
    >>> from qpkernels.problems import KernelQP
    >>> from qpkernels.solvers import find_solver
    >>> y = np.array([-1.0, -1.0, 1.0, 1.0])
    >>> gram = Gram(RBF(gamma=0.5), [[0.0], [1.0], [3.0], [4.0]])
    >>> program = KernelQP(gram, y, lower=np.minimum(y, 0.0), upper=np.maximum(y, 0.0))
    >>> beta = find_solver("smo").solve(program, tol=1e-6).point
    >>> print(beta.round(3), f"{program.objective(beta):.3f}")
    [-0.528 -0.793  0.793  0.528] -1.321
    """

    usual_solver = "smo"

    gram: Gram
    target: Vector
    lower: Vector
    upper: Vector
    total: float | None
    epsilon: Vector
    ridge: Vector
    name: str

    def __init__(
        self,
        gram: Gram,
        target: ArrayLike,
        lower: ArrayLike,
        upper: ArrayLike,
        total: float | None = 0.0,
        epsilon: ArrayLike = 0.0,
        ridge: ArrayLike = 0.0,
        name: str = "kernel quadratic program",
    ) -> None:
        if not isinstance(gram, Gram):
            raise ParameterError(f"a KernelQP takes a Gram first, but {type(gram).__name__} came first.")
        m = len(gram)
        # A frozen dataclass sets nothing, but its dictionary takes it.
        vars(self).update(
            gram=gram,
            total=None if total is None else real_number(total, "total", "a finite number, or None"),
            lower=_entries(lower, "lower", m, infinite=True),
            upper=_entries(upper, "upper", m, infinite=True),
            target=_entries(target, "target", m),
            epsilon=_entries(epsilon, "epsilon", m),
            ridge=_entries(ridge, "ridge", m),
            name=name,
        )
        self._validate()

    def _validate(self) -> None:
        if self.epsilon.min() < 0 or self.ridge.min() < 0:
            raise ParameterError("epsilon and ridge must be at least 0 everywhere.")
        if self.lower.max() > 0 or self.upper.min() < 0:
            raise ParameterError("the bounds must enclose 0: lower <= 0 <= upper for every sample.")
        # Where it is 0, beta = 0 will do.
        if not self.total:
            return
        if not np.isfinite(self.total):
            raise ParameterError(
                f"total must be a finite number, or None for a model without b, but {self.total} came."
            )
        rounding = 1e-12 * abs(self.total)
        with np.errstate(over="ignore"):
            least, most = self.lower.sum(), self.upper.sum()
        if not least - rounding <= self.total <= most + rounding:
            raise ParameterError(
                f"no beta within the bounds adds up to {self.total:g}: the sums run from {least:g} to {most:g}."
            )

    @cached_property
    def has_ridge(self) -> bool:
        """Whether there is a ridge anywhere."""
        return bool(self.ridge.any())

    @cached_property
    def is_bounded(self) -> bool:
        """Whether all bounds are finite."""
        return bool(self.lower.min() > -np.inf and self.upper.max() < np.inf)

    @cached_property
    def is_hard(self) -> bool:
        """Whether there is a hard constraint: an infinite bound of a coefficient that has no ridge."""
        if self.is_bounded:
            return False
        unbounded = np.isinf(self.lower) | np.isinf(self.upper)
        return bool((unbounded & (self.ridge == 0)).any())

    @cached_property
    def has_epsilon(self) -> bool:
        """Whether there is an epsilon anywhere."""
        return bool(self.epsilon.any())

    @cached_property
    def middle(self) -> float:
        """The middle of the targets if a shift of them only changes b, as 1'beta = 0; otherwise 0."""
        return 0.5 * float(self.target.min() + self.target.max()) if self.total == 0.0 else 0.0

    def costs(self, beta: Vector) -> Vector:
        """Return the cost of epsilon and ridge for each coefficient: epsilon |beta| + ridge/2 beta^2, shape (m,)."""
        linear = self.epsilon * np.abs(beta) if self.has_epsilon else np.zeros(beta.size)
        return linear + 0.5 * self.ridge * beta**2 if self.has_ridge else linear

    def around(self, level: float) -> KernelQP:
        """Return the problem with ``level`` subtracted from the targets; if 1'beta = 0, only b changes, by as much."""
        if not level:
            return self
        shifted = KernelQP.__new__(KernelQP)
        target = _entries(self.target - level, "target", len(self))
        vars(shifted).update({field.name: getattr(self, field.name) for field in fields(self)}, target=target)
        return shifted

    def upon(self, gram: Gram) -> KernelQP:
        """Return the same problem with another ``gram`` of the same matrix, which may store more than this one."""
        moved = KernelQP.__new__(KernelQP)
        # What was computed is none of the matrix.
        vars(moved).update(vars(self), gram=gram)
        return moved

    def objective(self, beta: Vector, values: Vector | None = None) -> float:
        """Return the objective at ``beta``; ``values`` is K beta, if it is known already."""
        f = self.gram.product(beta) if values is None else values
        return float(0.5 * beta @ (f + self.ridge * beta) - self.target @ beta + self.epsilon @ np.abs(beta))

    @classmethod
    def of_terms(cls, gram: Gram, terms: SampleTerms, total: float | None, name: str) -> KernelQP:
        """Return the problem that these terms of the samples state.

        Parameters
        ----------
        gram, total, name
            As in :class:`KernelQP`.
        terms
            The target, bounds, epsilon and ridge of each sample.
        """
        return cls(gram, terms.target, terms.lower, terms.upper, total, terms.epsilon, terms.ridge, name)

    def as_rows(self) -> Matrix:
        """Return copies of target, epsilon, ridge, lower and upper, one per row."""
        return SampleTerms(self.target, self.lower, self.upper, self.epsilon, self.ridge).as_rows()

    def slopes(self, values: Vector, intercept: float = 0.0) -> Vector:
        """Return -L_i'(v_i) at the decision values v_i = f(x_i) + b: the s in which L_i attains its maximum.

        Where L_i has a kink at v_i (without a ridge, at the edges of the tube), it is the slope nearest to 0. Where a
        hard constraint is violated, so that there is no slope, it is 0.
        """
        excess = (self.target - intercept) - values
        size = np.maximum(np.abs(excess) - self.epsilon, 0.0)
        steep = np.divide(size, self.ridge, out=np.where(size > 0, np.inf, 0.0), where=self.ridge > 0)
        slope = np.clip(np.copysign(steep, excess), self.lower, self.upper)
        return np.where(np.isfinite(slope), slope, 0.0)

    def linear_system(self) -> LinearSystem:
        """Return (K + diag(ridge)) beta + b 1 = target, the optimality condition if nothing else constrains beta.

        Raises
        ------
        ParameterError
            If there are bounds, an epsilon, or a sum other than 0.
        """
        if np.isfinite(self.lower).any() or np.isfinite(self.upper).any() or self.epsilon.any() or self.total:
            raise ParameterError(
                "a KernelQP is a linear system only if it has no bounds and no epsilon, and its total is 0 or None."
            )
        return LinearSystem(RidgedGram(self.gram, self.ridge), self.target, self.total is not None, self.name)

    def project(self, beta: Vector) -> Vector:
        """Return a feasible point close to ``beta``; see :func:`nearest_feasible`."""
        return nearest_feasible(beta, self.lower, self.upper, self.total)

    def to_cone_program(self) -> ConeProgram:
        """Return the same problem in matrices, in x = beta, or in x = (beta+, beta-) if epsilon is not 0.

        Each half has its own bound. One of the two is 0 at an optimum, and both are in a box if beta is.
        """
        m = len(self)
        split = bool(self.epsilon.any())
        signs = (1.0, -1.0) if split else (1.0,)
        beta = csr_array(hstack([sign * eye_array(m) for sign in signs]))
        below, above = np.isfinite(self.upper), np.isfinite(self.lower)
        risen = eye_array(m, beta.shape[1], format="csr")
        fallen = eye_array(m, 2 * m, k=m, format="csr") if split else -risen
        parts: list[tuple[str, csr_array, Vector, type[Zero | Nonnegative]]] = [
            ("upper", risen[below], self.upper[below], Nonnegative),
            ("lower", fallen[above], -self.lower[above], Nonnegative),
        ]
        if split:
            parts.append(("split", -eye_array(2 * m, format="csr"), np.zeros(2 * m), Nonnegative))
        if self.total is not None:
            parts.insert(0, ("balance", csr_array(beta.sum(axis=0)[None, :]), np.array([self.total]), Zero))
        edges = np.cumsum([0] + [part[2].size for part in parts]).tolist()
        return ConeProgram(
            P=csc_array(beta.T @ csr_array(self.gram.dense + np.diag(self.ridge)) @ beta),
            q=np.concatenate([self.epsilon - sign * self.target for sign in signs]),
            A=csc_array(vstack([part[1] for part in parts])) if parts else csc_array((0, beta.shape[1])),
            b=np.concatenate([np.zeros(0), *(part[2] for part in parts)]),
            cones=tuple(part[3](part[2].size) for part in parts),
            variables=tuple(
                Block(name, k * m, (k + 1) * m) for k, name in enumerate(("beta+", "beta-") if split else ("beta",))
            ),
            rows=tuple(Block(part[0], start, stop) for part, (start, stop) in zip(parts, pairwise(edges), strict=True)),
            name=self.name,
        )


def diverges(program: KernelQP, beta: Vector, values: Vector | None = None) -> bool:
    """Return whether beta's unbounded part is a ray of decrease as far as float64 can tell.

    That is, f of this part is 0 compared with the spread of its samples around their weighted mean. Only distances
    enter, so that neither the origin nor a sample without weight matters. ``values``, which is K beta to about the
    digits of float32 if it is known, saves both products if f is far from 0.
    """
    if not program.is_hard:
        return False
    free = (np.isinf(program.lower) & (beta < 0)) | (np.isinf(program.upper) & (beta > 0))
    ray = np.where(free & (program.ridge == 0), beta, 0.0)
    weight = np.abs(ray)
    if not weight.any() or float(program.target @ ray - program.epsilon @ weight) <= 0:
        return False
    if program.total is not None and abs(float(ray.sum())) > _FAR * float(weight.sum()):
        # What grows would leave the sum that is asked for.
        return False
    if values is not None and np.array_equal(ray, beta):
        reach = float(weight @ program.gram.lengths)
        if float(beta @ values) > _FAR * reach**2:
            return False
    ray, weight = ray / weight.sum(), weight / weight.sum()
    mean = program.gram.product(weight)
    squares = program.gram.diagonal - 2.0 * mean + float(weight @ mean)
    spread = float(weight @ np.sqrt(np.maximum(squares, 0.0)))
    rounding = 8 * np.finfo(float).eps * float(weight @ program.gram.diagonal)
    # Where the ray has one sign, its product is that of its weights.
    values = mean if np.array_equal(ray, weight) else program.gram.product(ray)
    return float(ray @ values) <= max((_SAME_POINT * spread) ** 2, rounding)


def _entries(values: ArrayLike, name: str, m: int, *, infinite: bool = False) -> Vector:
    """Return a read-only copy of ``values``, which may be infinite where that means no bound."""
    # Models state arrays and numbers that are right already: they are seen at once, and all else is read with care.
    if isinstance(values, float) and isfinite(values):
        vector = np.full(m, values)
        vector.flags.writeable = False
        return vector
    if type(values) is np.ndarray and values.dtype == np.float64 and values.shape == (m,):
        vector = np.array(values)
    else:
        vector = float_vector(values, name, m)
    if infinite and np.isnan(vector).any():
        raise NonFiniteError(f"{name} must not hold NaN; write an infinity where there is no bound.")
    if not infinite and not np.isfinite(vector).all():
        finite_vector(vector, name)
    vector.flags.writeable = False
    return vector
