# SPDX-License-Identifier: BSD-3-Clause
"""The bounds of a linear fit without regularisation that minimises a norm of the residuals.

With r = y - F w - b, a norm and its dual norm, every (w, b) and every v of the second problem satisfy::

    min  ||r||      >=      max  y'v   s.t.  F'v = 0,  1'v = 0,  ||v||* <= 1

and so do the sum of squares and its dual, y'v - ||v||^2 / 4 without the last constraint.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.exact_algebra import enclose_point
from qpkernels.arrays.intervals import Interval, inner, two_sum
from qpkernels.gram.exact import enclose_expansion
from qpkernels.gram.functions import Expansion
from qpkernels.problems.bounds import Move, Support
from qpkernels.problems.certificate import Certificate, certify_values, relative, undefined
from qpkernels.problems.enclosing import Enclosure, no_enclosure, quiet
from qpkernels.problems.program import Program
from qpkernels.problems.rounding import EPS, FunctionAtSamples, sum_error

__all__ = [
    "NormFitBounds",
    "ResidualNorm",
    "enclose_norm_fit",
]


@dataclass(frozen=True, eq=False)
class ResidualNorm(Program):
    r"""The smallest norm of target - B u over u, either the sum of absolute values or the largest one, and its dual.

    ::

        min  sum |r_i|      max  target'v   s.t.  B'v = 0,  |v_i| <= 1
        min  max |r_i|      max  target'v   s.t.  B'v = 0,  sum |v_i| <= 1

    Attributes
    ----------
    basis
        B, shape (m, n), with orthonormal columns.
    target
        Shape (m,).
    norm
        The norm that is minimised: the "sum" of all |r_i|, or the "largest" of them.
    name
        The name of the problem.

    Examples
    --------
    >>> from formulations import LeastAbsoluteFit
    >>> model = LeastAbsoluteFit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 9.0])
    >>> (program,) = model.programs(model.bounds())
    >>> print(type(program).__name__, program.norm, program.basis.shape)
    ResidualNorm sum (4, 2)
    """

    usual_solver = "frisch-newton"

    basis: Matrix
    target: Vector
    norm: Literal["sum", "largest"]
    name: str = "fit in a norm"

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of entries of its point, and the number of its multipliers."""
        return self.basis.shape[1], self.target.size


_DEPENDENT = 1e-12
"""A column of unit length whose part outside the span of the others is below this depends on them: coordinates in the
space of a kernel come from a Cholesky factor, which is not exact to the last digit."""


@dataclass(frozen=True, eq=False)
class _Span:
    """An orthonormal basis of the span of the columns; basis @ triangle holds the independent columns of F.

    Attributes
    ----------
    basis, triangle
        Shapes (m, rank) and (rank, rank).
    independent, lengths
        Numbers of these columns in F, and the lengths that they are divided by.
    """

    basis: Matrix
    independent: Indices
    lengths: Vector
    triangle: Matrix


@dataclass(frozen=True, eq=False)
class NormFitBounds(ABC):
    """Bounds by a norm of the residuals; see the module.

    Attributes
    ----------
    features
        F, shape (m, d): the features of the samples, or their coordinates in the space of a kernel.
    target
        y, shape (m,).
    has_intercept
        Whether the function has an intercept.
    samples
        The features of the samples as given; None if F is a factor of a kernel matrix, which is rounded.

    Notes
    -----
    Arguments of the methods:

    beta, intercept, function, is_expansion, values, decision, support
        As in :class:`~qpkernels.problems.bounds.Bounds`.
    v
        The multipliers of the residuals, shape (m,), or an interval of them if a bound must hold in exact arithmetic.
    residuals
        r = y - F w - b, shape (m,), or an interval of them.
    product
        An interval that holds r'v.
    start
        The w to stay close to, shape (d,), if columns of F depend on each other; None stands for 0.
    point
        The variables of :attr:`program`, as its solver returns them.
    """

    features: Matrix
    target: Vector
    has_intercept: bool
    samples: Matrix | None = None

    # What a norm says -----------------------------------------------------------------------------------------

    @abstractmethod
    def loss(self, residuals: Vector) -> float:
        """Return the value that is minimised."""

    @abstractmethod
    def dual_norm(self, v: Vector) -> float:
        """Return the norm that the dual bounds by 1, or 0 if it bounds nothing."""

    def lower_bound(self, v: Vector, residuals: Vector) -> float:
        """Return the dual value of the feasible multiple of v, where F'v = 0 and 1'v = 0.

        Then y'v = r'v for the ``residuals`` r of any fit, and those of a good fit lose no digits.
        """
        return float(residuals @ v) / max(1.0, self.dual_norm(v))

    @abstractmethod
    def multipliers(self, residuals: Vector) -> Vector:
        """Return the v that the residuals suggest: a subgradient of the norm."""

    @abstractmethod
    def unit(self, residuals: Vector) -> float:
        """Return the size that entries of v have at an optimum with residuals like these."""

    def mended(self, residuals: Vector) -> Vector:
        """Return the residuals of a feasible fit nearby."""
        return residuals

    def feasible(self, beta: Vector) -> Vector:
        """Return v without its part in the span of F and 1, shrunk to a dual norm of at most 1."""
        v = self.balanced(beta)
        return v / max(1.0, self.dual_norm(v))

    @abstractmethod
    def loss_above(self, residuals: Interval) -> float:
        """Return an upper bound on the value that is minimised, for all residuals in the interval."""

    @abstractmethod
    def bound_below(self, v: Interval, product: Interval) -> float:
        """Return a lower bound on :meth:`lower_bound` for all v in the interval with r'v in ``product``."""

    def enclosed_feasible(self, residuals: Interval) -> Interval:
        """Return an interval that holds the residuals of a feasible fit nearby."""
        return residuals

    def enclose(self, beta: Vector, intercept: float, function: Expansion | None = None) -> Enclosure:
        """Enclose the optimum; see :func:`~qpkernels.problems.norm_fit.enclose_norm_fit`."""
        return enclose_norm_fit(self, beta, intercept, function)

    def moved(
        self, beta: Vector, intercept: float, function: FunctionAtSamples, *, is_expansion: bool
    ) -> tuple[Move, FunctionAtSamples] | None:
        """Return None: any f and b will do."""
        del beta, intercept, function, is_expansion
        return None

    def support(self, beta: Vector, decision: Vector) -> Support:
        """Return all samples."""
        del decision
        return Support(free=np.arange(beta.size), bounded=np.arange(0))

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return b twice."""
        del beta, values, support
        return intercept, intercept

    # The bounds -----------------------------------------------------------------------------------------------

    def certify(self, beta: Vector, intercept: float, function: FunctionAtSamples | None = None) -> Certificate:
        """Bound the error of (f, b) by the loss of its residuals, and the dual value of the multipliers v = beta."""
        if function is None or not (np.isfinite(beta).all() and np.isfinite(intercept)):
            return undefined("the answer holds NaN or infinity, or no function")
        residuals, errors = self.residuals(function, intercept)
        mended, v = self.mended(residuals), self.balanced(beta)
        unit, worst = self.unit(np.abs(residuals) + errors), int(np.argmax(np.abs(residuals)))
        loss, trivial = self.loss(mended), self.loss(self._centred_target)
        off = np.linalg.norm(self._span.basis.T @ v) + EPS * np.linalg.norm(v) if v.any() else 0.0
        vanishing = bool((np.abs(residuals) <= errors).all())
        moved = relative(float(np.abs(mended - residuals).max()), float(np.abs(residuals).max()))
        return certify_values(
            primal=loss,
            dual=self.lower_bound(v, mended),
            rounding=(
                (self.loss(np.abs(mended) + errors) - loss)
                + sum_error(mended * v)
                + 2.0 * float(off * np.linalg.norm(residuals))
            ),
            vanishing=vanishing,
            unit=trivial,
            primal_residual=0.0 if vanishing else moved,
            dual_residual=max(
                relative(float(np.abs(v - beta).max()), max(float(np.abs(beta).max()), unit)),
                self._unbalanced(v) * min(1.0, relative(float(np.abs(v).max()), unit)),
            ),
            worst=f"sample {worst} has the largest residual, {abs(residuals[worst]):.3g}",
        )

    def residuals(self, function: FunctionAtSamples, intercept: float) -> tuple[Vector, Vector]:
        """Return y - f - b, and how far rounding may have taken each of them.

        If all of them are 0 up to the rounding of their terms, including that of b, the bound is that rounding.
        """
        around = self.target - intercept
        residuals = around - function.values
        errors = function.error.values + EPS * (np.abs(around) + np.abs(function.values))
        coarse = errors + EPS * abs(intercept)
        needed = bool((np.abs(residuals) > errors).any()) and bool((np.abs(residuals) <= coarse).all())
        return residuals, coarse if needed else errors

    def vanishing(self) -> tuple[Vector, float] | None:
        """Return None, since :meth:`least_squares` finds the f of an optimum of 0."""
        return None

    def least_squares(self, start: Vector | None = None) -> tuple[Vector, float]:
        """Return the (w, b) of least squares nearest ``start``, whose residuals are rounding where a fit is exact."""
        centre = self.features.mean(axis=0) if self.has_intercept else np.zeros(self.features.shape[1])
        centred, level = self.features - centre, self._mean
        sizes = np.abs(centred).max(axis=0)
        unit = np.where(sizes > 0, sizes, 1.0)
        w = np.zeros(unit.size) if start is None else start
        for _ in range(3):
            w = w + np.linalg.lstsq(centred / unit, (self.target - level) - centred @ w)[0] / unit
        return w, level - float(centre @ w)

    @property
    def _centred_target(self) -> Vector:
        """The residuals of the mean, or of 0 without a b."""
        return self.target - self._mean

    @property
    def _mean(self) -> float:
        """The mean of the targets, without rounding where they are all equal; 0 without a b."""
        first = float(self.target[0])
        return first + float((self.target - first).mean()) if self.has_intercept else 0.0

    # A linear program for linear algebra ------------------------------------------------------------------------

    norm: ClassVar[Literal["sum", "largest"] | None] = None
    """The norm of the residuals, if a linear program has the same optimum."""

    @property
    def program(self) -> ResidualNorm | None:
        """The fit in an orthonormal basis of the span of F, and of 1 if there is a b, or None."""
        if self.norm is None or not self._span.basis.size:
            return None
        return ResidualNorm(self._program_basis, self._centred_target, self.norm)

    @property
    def _program_basis(self) -> Matrix:
        if not self.has_intercept:
            return self._span.basis
        return np.column_stack([self._span.basis, np.full(self.target.size, self.target.size**-0.5)])

    def weights(self, point: Vector) -> tuple[Vector, float]:
        """Return the (w, b) of a point of :attr:`program`."""
        span, w = self._span, np.zeros(self.features.shape[1])
        w[span.independent] = solve_triangular(span.triangle, point[: span.independent.size]) / span.lengths
        if not self.has_intercept:
            return w, 0.0
        level = self._mean + float(point[span.independent.size :].sum()) * self.target.size**-0.5
        return w, level - float(self.features.mean(axis=0) @ w)

    def shifted(self, v: Vector) -> Vector:
        """Return the multipliers of the fit, given those of :attr:`program`."""
        return v

    @cached_property
    def _moving(self) -> tuple[Indices, Vector]:
        """Numbers of the columns of F that are not constant, without a b those that are not 0, and their lengths."""
        F = self.features
        lengths = np.linalg.norm(F - F.mean(axis=0) if self.has_intercept else F, axis=0)
        kept = np.flatnonzero(lengths > 10 * len(F) * np.finfo(float).eps * np.abs(F).max(axis=0))
        return kept, lengths[kept]

    @cached_property
    def columns(self) -> Matrix:
        """The columns of F, less their means where there is a b, at unit length; constant ones are left out."""
        kept, lengths = self._moving
        F = self.features[:, kept]
        return np.asarray((F - F.mean(axis=0) if self.has_intercept else F) / lengths)

    @property
    def spanning(self) -> Matrix:
        """The columns of F, and of ones where there is a b, all at unit length."""
        ones = np.full(self.target.size, self.target.size**-0.5)
        return np.column_stack([self.columns, ones]) if self.has_intercept else self.columns

    @cached_property
    def _span(self) -> _Span:
        kept, lengths = self._moving
        if not self.columns.size:
            return _Span(self.columns, kept, lengths, np.empty((0, 0)))
        Q, R, order = qr(self.columns, mode="economic", pivoting=True)
        rank = int(np.sum(np.abs(np.diag(R)) > _DEPENDENT))
        first = order[:rank]
        return _Span(np.asarray(Q[:, :rank]), kept[first], lengths[first], np.asarray(R[:rank, :rank]))

    def balanced(self, v: Vector) -> Vector:
        """Return v without its part in the span of F and 1."""
        Q = self._span.basis
        for _ in range(2):  # Twice, since the first subtraction leaves rounding of the size of v.
            v = v - v.mean() if self.has_intercept else v
            v = v - Q @ (Q.T @ v)
        return np.asarray(v)

    def _unbalanced(self, v: Vector) -> float:
        """Return the largest |f_j'v| over the columns f_j, relative to the length of v: what a dropped one leaves."""
        length = float(np.linalg.norm(v))
        return float(np.abs(self.columns.T @ v).max(initial=0.0)) / length if length > 0 else 0.0


_LEAST_ROOM = 1e-3
"""Share of the largest |v_i| that entries may move by, however small they are."""


@quiet
def enclose_norm_fit(bounds: NormFitBounds, v: Vector, intercept: float, function: Expansion | None) -> Enclosure:
    """Enclose the optimal value, given multipliers v, b and f; without f, only 0 is a lower bound.

    Raises
    ------
    NoEnclosureError
        If the features are coordinates in the space of a kernel, which are rounded.
    """
    F = bounds.samples
    if F is None:
        raise no_enclosure("a fit of a norm in the space of a kernel other than Linear()")
    if function is None or not (np.isfinite(v).all() and np.isfinite(intercept)):
        return Enclosure(0.0, np.inf)
    f = enclose_expansion(function.kernel, function.centers, function.coefficients, F).values
    residuals = bounds.enclosed_feasible(Interval.of(bounds.target) - intercept - f)
    upper = bounds.loss_above(residuals)
    point = _orthogonal(_equations(F, has_intercept=bounds.has_intercept), bounds.balanced(v))
    if point is None:
        return Enclosure(0.0, upper)
    return Enclosure(max(0.0, bounds.bound_below(point, inner(residuals, point))), upper)


def _equations(F: Matrix, *, has_intercept: bool) -> Matrix:
    """Return rows of the same span as F' and 1', centred and about 1 in size, without those that others imply."""
    rows = np.unique(F.T, axis=0)
    constant = (rows == rows[:, :1]).all(axis=1)
    rows = rows[~constant if has_intercept else rows.any(axis=1)]
    if has_intercept and len(rows):
        centred, lost = two_sum(rows, -np.broadcast_to(rows.mean(axis=1, keepdims=True), rows.shape))
        rows = np.where((lost == 0.0).all(axis=1, keepdims=True), centred, rows)
    # By a power of 2, without rounding, unless an entry is lost.
    exponents = np.frexp(np.abs(rows).max(axis=1, initial=0.0))[1][:, None]
    scaled = np.ldexp(rows, -exponents)
    rows = np.where((np.ldexp(scaled, exponents) == rows).all(axis=1, keepdims=True), scaled, rows)
    return np.vstack([rows, np.ones(len(F))]) if has_intercept else rows


def _orthogonal(rows: Matrix, v: Vector) -> Interval | None:
    """Return an interval about v that holds a v with rows v = 0; None where the rows may depend on each other."""
    if not v.any():
        return Interval.of(v)
    room = np.abs(v) + _LEAST_ROOM * float(np.abs(v).max())
    return enclose_point(csr_array(rows), np.zeros(len(rows)), v, room)
