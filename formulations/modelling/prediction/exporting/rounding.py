# SPDX-License-Identifier: BSD-3-Clause
r"""How far the values of a program, in its own floats, are from those of the machine that it was written from.

Beside each number v of the machine goes a bound e of the distance of the program's number from it. An operation passes
the bounds of its operands on by its derivative, and adds its rounding, with u the unit of the program's floats:

    a + b      e_a + e_b                          a b      |a| e_b + |b| e_a + e_a e_b
    exp(a)     exp(a) (exp(e_a) - 1)              tanh(a)  e_a
    sum_k w_k (x_k - z_k)^2                       r (2 sqrt(s) + r)  where r^2 = sum_k w_k e_k^2

The last one is the triangle inequality of the norm whose square it is. A sum of n products, in whatever order and with
fused operations or without, is exact to gamma_n = n u / (1 - n u) times the sum of their sizes. Numbers of the table
that the program's floats cannot hold, and samples that it is given in them, begin with the error of that rounding.

The v are either numbers, those at a set of samples, or intervals, for all samples of a box. Numbers are computed in
float64, whose own rounding is part of the bounds; intervals are rounded outwards.

Source: Higham, Accuracy and stability of numerical algorithms (2nd edition, 2002), sections 2.2 and 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from formulations.modelling.prediction.exporting.table import MachineTable, Term
from formulations.modelling.prediction.preparation import Affine
from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.intervals import ELEMENTARY, UNDERFLOW, UNIT
from qpkernels.kernels.arithmetic import Arithmetic, Metric, Weights
from qpkernels.kernels.enclosed import (
    EnclosedRows,
    enclosed_distances,
    enclosed_inner_products,
    enclosed_negative_squares,
)

__all__ = ["DOUBLE", "SINGLE", "Floats", "Traced", "traced"]

_OWN = 1.0 + 2.0**-30
"""What the computed sum of bounds may be short of the exact one."""


@dataclass(frozen=True)
class Floats:
    """The floats that a program computes in, and what is assumed of them.

    Attributes
    ----------
    name
        Of the type.
    unit
        The largest relative error of +, -, *, / and sqrt; a thousandth more pays for results that are rounded twice.
    elementary
        The largest relative error of exp: 4 units in the last place, the one assumption that no standard stands behind.
    underflow
        More than a few thousand operations lose where results below the least normal number become 0.
    largest
        Below it nothing overflows.
    """

    name: Literal["float64", "float32"]
    unit: float
    elementary: float
    underflow: float
    largest: float

    def rounded(self, values: Any) -> NDArray[np.float64]:
        """Return numbers as these floats hold them.

        Parameters
        ----------
        values
            Numbers in float64.
        """
        with np.errstate(over="ignore"):
            return np.asarray(values, dtype=np.float64).astype(self.name).astype(np.float64)

    def lost(self, values: Any) -> NDArray[np.float64]:
        """Return by how much these floats change numbers.

        Parameters
        ----------
        values
            Numbers in float64.
        """
        with np.errstate(invalid="ignore"):
            lost = np.abs(self.rounded(values) - values)
        # A number below the least normal one may count as 0.
        return np.asarray(np.where(np.abs(values) < np.finfo(self.name).tiny, np.abs(values), lost))

    def gamma(self, terms: int) -> float:
        """Return the relative error of a sum of products; infinite of more than it can be told of.

        Parameters
        ----------
        terms
            Their number.
        """
        whole = (terms + 1) * self.unit
        return whole / (1.0 - whole) if whole < 0.5 else np.inf


DOUBLE = Floats("float64", 1.001 * UNIT, ELEMENTARY, UNDERFLOW, 2.0**1000)
SINGLE = Floats("float32", 1.001 * 2.0**-24, 8.0 * 2.0**-24, 2.0**-110, 2.0**120)


@dataclass(frozen=True, eq=False)
class Traced:
    """Numbers of the machine, between two ends, and bounds of how far those of the program are from them.

    Attributes
    ----------
    lower, upper
        The ends, which are one array where the numbers are known.
    errors
        The bounds.
    """

    lower: Matrix
    upper: Matrix
    errors: Matrix

    @property
    def known(self) -> bool:
        """Whether the numbers are known, and not only their ends."""
        return self.lower is self.upper

    @property
    def sizes(self) -> Matrix:
        """The largest absolute values."""
        return np.abs(self.lower) if self.known else np.maximum(np.abs(self.lower), np.abs(self.upper))

    def through(self, lower: Matrix, upper: Matrix, errors: Matrix, own: float, floats: Floats) -> Traced:
        """Return the result of an operation: with its rounding, that of float64, and infinite where it overflows.

        Parameters
        ----------
        lower, upper, errors
            Of the result, computed without a thought of rounding.
        own
            The relative error of the operation in float64; that of the program is as much larger as its unit is.
        floats
            Those of the program.
        """
        known, ratio = self.known, own / UNIT
        if not known:
            # Eight roundings are more than any operation here has.
            lower = lower - (own + 8.0 * UNIT) * np.abs(lower) - UNDERFLOW
            upper = upper + (own + 8.0 * UNIT) * np.abs(upper) + UNDERFLOW
        made = Traced(lower, lower if known else upper, errors)
        sizes, relative = made.sizes, ratio * floats.unit
        with np.errstate(invalid="ignore", over="ignore"):
            bounds = errors * (_OWN * (1.0 + relative)) + sizes * (_OWN * (relative + own)) + floats.underflow
            if not float(bounds.max(initial=0.0)) + float(sizes.max(initial=0.0)) < floats.largest:
                bounds = np.where(sizes + bounds < floats.largest, bounds, np.inf)
        return Traced(made.lower, made.upper, bounds)


@dataclass(frozen=True, eq=False)
class _Placed:
    """Samples as the kernels of a program take them, with those that the program has in their place.

    Attributes
    ----------
    x
        Shape (m, d); of a box a single row.
    centers, lost
        The z_j, shape (n, d), and by how much the program's differ.
    floats
        Those of the program.
    """

    x: Traced
    centers: Matrix
    lost: Matrix
    floats: Floats


class _Following(Arithmetic[Traced]):
    """Values of the kernel of each sample with each center, shape (m, n), beside those of the program."""

    def __init__(self, points: _Placed) -> None:
        self._points, self._floats = points, points.floats

    def inner_products(self) -> Traced:
        """Return x'z."""
        x, Z, lost, floats = self._points.x, self._points.centers, self._points.lost, self._floats
        sizes, terms = np.abs(Z), Z.shape[1]
        whole = (x.sizes + x.errors) @ (sizes + lost).T
        moved = x.sizes @ lost.T + x.errors @ (sizes + lost).T
        if x.known:
            values, own = _enclosed(enclosed_inner_products(x.lower, Z))
            lower = upper = values
        else:
            parts = np.stack([x.lower[0] * Z, x.upper[0] * Z])
            own = np.zeros(())
            slack = 2.0 * UNIT * (terms + 2) * np.abs(parts).max(axis=0).sum(axis=1)
            lower, upper = parts.min(axis=0).sum(axis=1) - slack, parts.max(axis=0).sum(axis=1) + slack
            lower, upper = lower[None], upper[None]
        errors = moved + floats.gamma(terms) * whole + own + terms * floats.underflow
        return self._made(lower, upper, errors * _OWN)

    def negative_squares(self, weights: Weights) -> Traced:
        """Return -sum_k w_k (x_k - z_k)^2."""
        w = np.broadcast_to(np.asarray(weights, dtype=np.float64), (self._points.centers.shape[1],))
        x, Z, floats = self._points.x, self._points.centers, self._floats
        if x.known:
            values, own = _enclosed(enclosed_negative_squares(x.lower, Z, w))
            lower = upper = values
            farthest = own - values
        else:
            own = np.zeros(())
            nearest, farthest = self._between(w, square=True)
            lower, upper = -farthest, -nearest
        near, far = self._moved(w, farthest)
        # Those of the difference, which is squared, of two products, and of the sum; and the weight may be rounded.
        relative = floats.gamma(Z.shape[1] + 5) + float(
            np.divide(floats.lost(w), w, np.zeros_like(w), where=w > 0).max()
        )
        errors = near + relative * far + own + Z.shape[1] * (1.0 + w.max()) * floats.underflow
        return self._made(lower, upper, errors * _OWN)

    def distances(self, metric: Metric) -> Traced:
        """Return the distances."""
        x, Z, floats = self._points.x, self._points.centers, self._floats
        ones = np.ones(Z.shape[1])
        if x.known:
            values, own = _enclosed(enclosed_distances(x.lower, Z, metric))
            lower = upper = values
        else:
            own = np.zeros(())
            lower, upper = self._between(ones, square=metric == "euclidean")
            if metric == "euclidean":
                lower, upper = np.sqrt(lower) * (1.0 - 4.0 * UNIT), np.sqrt(upper) * (1.0 + 4.0 * UNIT)
        if metric == "euclidean":
            reach = _norm(x.errors)[:, None] + _norm(self._points.lost)
        else:
            reach = x.errors.sum(axis=1)[:, None] + self._points.lost.sum(axis=1)
        whole = upper + own + reach
        # The root of a sum of squares that underflow is what they lose.
        floor = Z.shape[1] * np.sqrt(floats.underflow) if metric == "euclidean" else Z.shape[1] * floats.underflow
        errors = reach + own + floats.gamma(Z.shape[1] + 8) * whole + floor
        return self._made(lower, upper, errors * _OWN)

    def affine(self, value: Traced, factor: float, constant: float) -> Traced:
        """Return factor v + constant."""
        floats = self._floats
        ends = value.lower * factor, value.upper * factor
        lower = ends[0] + constant if value.known else np.minimum(*ends) + constant
        upper = lower if value.known else np.maximum(*ends) + constant
        sizes = value.sizes + value.errors
        inside = float(floats.lost(factor)) + 3.0 * floats.unit * abs(factor)
        errors = value.errors * abs(factor) + sizes * inside + float(floats.lost(constant))
        # The product is rounded in float64 as well.
        product = 2.0 * UNIT * abs(factor) * value.sizes
        if not value.known:
            lower, upper = lower - product, upper + product
        return value.through(lower, upper, errors + product, UNIT, floats)

    def plus(self, left: Traced, right: Traced) -> Traced:
        """Return the sum."""
        lower = left.lower + right.lower
        upper = lower if left.known else left.upper + right.upper
        return left.through(lower, upper, left.errors + right.errors, UNIT, self._floats)

    def times(self, left: Traced, right: Traced) -> Traced:
        """Return the product."""
        errors = left.sizes * right.errors + (right.sizes + right.errors) * left.errors
        if left.known:
            lower = upper = left.lower * right.lower
        else:
            corners = [a * b for a in (left.lower, left.upper) for b in (right.lower, right.upper)]
            lower, upper = np.min(corners, axis=0), np.max(corners, axis=0)
        return left.through(lower, upper, errors, UNIT, self._floats)

    def power(self, value: Traced, exponent: int) -> Traced:
        """Return v^n, by n - 1 products."""
        made = value
        for _ in range(exponent - 1):
            made = self.times(made, value)
        return made

    def exp(self, value: Traced) -> Traced:
        """Return e^v."""
        upper = np.exp(value.upper)
        lower = upper if value.known else np.exp(value.lower)
        with np.errstate(over="ignore", invalid="ignore"):
            errors = upper * np.expm1(value.errors) * (1.0 + 4.0 * ELEMENTARY)
        return value.through(lower, upper, errors, ELEMENTARY, self._floats)

    def tanh(self, value: Traced) -> Traced:
        """Return the hyperbolic tangent, which a program may have as 1 - 2 / (exp(2 v) + 1)."""
        lower = np.tanh(value.lower)
        upper = lower if value.known else np.tanh(value.upper)
        # The fraction is at most 2, and has the relative error of exp and of two operations.
        inside = 2.0 * self._floats.elementary + 6.0 * self._floats.unit
        return value.through(lower, upper, value.errors + inside, ELEMENTARY, self._floats)

    def _made(self, lower: Matrix, upper: Matrix, errors: Matrix) -> Traced:
        return Traced(lower, upper, np.where(np.isnan(errors), np.inf, errors))

    def _moved(self, weights: Vector, squares: Matrix) -> tuple[Matrix, Matrix]:
        """Return by how much squares change where points move, and the squares of moved points at most."""
        roots = np.sqrt(weights)
        own, other = _norm(self._points.x.errors * roots), _norm(self._points.lost * roots)
        if not (own.any() or other.any()):
            return np.zeros(()), squares
        reach = own[:, None] + other
        near = reach * (2.0 * np.sqrt(squares) + reach)
        return near, squares + near

    def _between(self, weights: Vector, *, square: bool) -> tuple[Matrix, Matrix]:
        """Return the ends of sum_k w_k |x_k - z_k|, or of their squares, for x in a box, shape (1, n)."""
        x, Z = self._points.x, self._points.centers
        below, above = Z - x.upper, x.lower - Z
        nearest, farthest = np.maximum(0.0, np.maximum(below, above)), np.maximum(-below, -above)
        if square:
            nearest, farthest = nearest**2, farthest**2
        slack = 2.0 * UNIT * (Z.shape[1] + 8)
        return ((nearest * weights).sum(axis=1) * (1.0 - slack))[None], (
            (farthest * weights).sum(axis=1) * (1.0 + slack) + UNDERFLOW
        )[None]


def _norm(rows: Matrix) -> Vector:
    """Return upper bounds of the lengths of rows."""
    return np.asarray(np.sqrt(np.square(rows).sum(axis=1)) * (1.0 + 2.0 * UNIT * (rows.shape[1] + 4)))


def _enclosed(rows: EnclosedRows) -> tuple[Matrix, Matrix]:
    found = rows(slice(None))
    return found.values, found.reach


def traced(table: MachineTable, low: Matrix, high: Matrix, floats: Floats, depth: Any) -> Traced:
    """Return the values of the functions, shape (m, number of functions), beside those of the program.

    Parameters
    ----------
    table
        The machine.
    low, high
        One array: the samples, shape (m, features). Two of a single row each: the corners of a box.
    floats
        Those of the program.
    depth
        Takes a number of centers, and returns how many roundings a term of the sum over them goes through.
    """
    known = low is high
    low = low[:, table.columns]
    high = low if known else high[:, table.columns]
    sizes = np.maximum(np.abs(low), np.abs(high))
    given = floats.lost(low) if known else (floats.unit * sizes + floats.underflow) * (floats.name != "float64")
    x = Traced(low, high, np.asarray(given))
    for step in table.steps:
        x = _prepared(x, step, floats)
    b, lost = (np.tile(each, (len(low), 1)) for each in (table.intercepts, floats.lost(table.intercepts)))
    total = Traced(b, b if known else b.copy(), lost)
    for term in table.terms:
        if len(term.centers):
            total = _added(total, term, x, floats, depth(len(term.centers)))
    return total


def _prepared(x: Traced, step: Affine, floats: Floats) -> Traced:
    """Return samples mapped by (x - shift) factor + offset, one feature at a time."""
    lower, upper = x.lower - step.shift, x.upper - step.shift
    x = x.through(lower, upper, x.errors + floats.lost(step.shift), UNIT, floats)
    ends = x.lower * step.factor, x.upper * step.factor
    errors = x.errors * np.abs(step.factor) + (x.sizes + x.errors) * floats.lost(step.factor)
    x = x.through(np.minimum(*ends), np.maximum(*ends), errors, UNIT, floats)
    return x.through(x.lower + step.offset, x.upper + step.offset, x.errors + floats.lost(step.offset), UNIT, floats)


def _added(total: Traced, term: Term, x: Traced, floats: Floats, depth: int) -> Traced:
    """Return the values with a term added to them."""
    c, lost = term.coefficients, floats.lost(term.coefficients)
    k = _Following(_Placed(x, term.centers, floats.lost(term.centers), floats)).of(term.kernel)
    sizes = k.sizes + k.errors
    with np.errstate(invalid="ignore", over="ignore"):
        # The sums of the machine's numbers in float64, and of the program's in its own floats.
        own, theirs = floats.gamma(depth + 2), DOUBLE.gamma(len(c) + 2)
        errors = k.errors @ np.abs(c) + (own + theirs) * (sizes @ (np.abs(c) + lost))
        # A program may begin its sum with what there is.
        errors += own * (total.sizes + total.errors)
        errors += sizes @ lost if lost.any() else 0.0
        if k.known:
            lower = upper = k.lower @ c
        else:
            up, down = np.maximum(c, 0.0), np.minimum(c, 0.0)
            lower, upper = k.lower @ up + k.upper @ down, k.upper @ up + k.lower @ down
            slack = theirs * (sizes @ np.abs(c))
            lower, upper = lower - slack, upper + slack
        errors = total.errors + errors * _OWN
    errors = np.where(np.isnan(errors), np.inf, errors)
    return total.through(total.lower + lower, total.upper + upper, errors, UNIT, floats)
