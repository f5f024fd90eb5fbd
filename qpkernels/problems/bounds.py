# SPDX-License-Identifier: BSD-3-Clause
"""The numbers that a model reads off its certificate: two bounds, the support vectors and the intercepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.gram import Gram
from qpkernels.gram.functions import Expansion
from qpkernels.problems.certificate import Certificate
from qpkernels.problems.enclosing import Enclosure
from qpkernels.problems.program import Program
from qpkernels.problems.rounding import EPS, FunctionAtSamples, expansion_error, together

__all__ = [
    "Bounds",
    "Move",
    "Support",
]


@dataclass(frozen=True, eq=False)
class Support:
    """The support vectors: the numbers of the samples whose coefficient is not 0.

    Attributes
    ----------
    free
        Samples whose coefficient is strictly between 0 and the bound; they lie on the margin (or the edge of the tube).
    bounded
        Samples whose coefficient is at the bound; they pay a loss.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> support = SoftMargin([[0.0], [1.0], [1.2], [3.0]], [-1, -1, 1, 1], C=1.0).solve().support
    >>> print(support.free, support.bounded)
    [0 3] [1 2]
    """

    free: Indices
    bounded: Indices

    @property
    def indices(self) -> Indices:
        """All support vectors in ascending order."""
        return np.sort(np.concatenate([self.free, self.bounded]))

    @classmethod
    def of_all(cls, samples: int) -> Support:
        """Return the support of dense coefficients, which holds all samples as free ones.

        Parameters
        ----------
        samples
            Their number m.
        """
        return cls(free=np.arange(samples), bounded=np.arange(0))

    def __len__(self) -> int:
        """Return the number of support vectors."""
        return self.free.size + self.bounded.size


@dataclass(frozen=True, eq=False)
class Move:
    """A move of f to factor f + sum_j coefficients_j k(x_j, .), and of b to ``intercept``.

    Attributes
    ----------
    factor
        Above 0.
    intercept
        The new b.
    coefficients
        The coefficients of the function that is added, shape (m,); None if none is added.
    """

    factor: float
    intercept: float
    coefficients: Vector | None = None

    def of_function(self, gram: Gram, f: FunctionAtSamples) -> FunctionAtSamples:
        """Return the moved function at the samples, with the rounding of a new expansion, or else that of both parts.

        Parameters
        ----------
        gram
            The kernel matrix of the samples.
        f
            The function before the move, at the samples.
        """
        factor, c = self.factor, self.coefficients
        multiple = FunctionAtSamples(
            factor * f.values,
            factor**2 * f.squared_norm,
            factor * f.sizes,
            factor**2 * f.half_size,
            f.terms,
            coefficients=None if f.coefficients is None else factor * f.coefficients,
        )
        if c is None:
            return multiple
        if multiple.coefficients is not None:
            # Where both parts cancel, it has less rounding than they have.
            total = multiple.coefficients + c
            return FunctionAtSamples.expansion(gram, total, gram.product(total), balanced=False)
        values, error, added = multiple.values, multiple.error, gram.product(c)
        own = expansion_error(gram, c, added, balanced=False)
        cross = c * values
        squared_norm = max(multiple.squared_norm + 2.0 * float(cross.sum()) + own.squared_norm, 0.0)
        half = error.half_norm + own.half_norm + together(c * error.values) + EPS * float(np.abs(cross).sum())
        off = error.values + own.values + EPS * np.abs(values)
        return FunctionAtSamples(values + added, squared_norm, off / EPS, half / EPS)


class Bounds(Protocol):
    """A problem whose optimum is bounded from both sides by any candidate, using the data alone.

    A candidate is given by its dual point ``beta``, shape (m,), its ``intercept``, and ``function``: f at the samples
    if it is not the expansion in beta. If ``function`` is None, the bounds compute that expansion themselves.

    Notes
    -----
    Every method takes parts of a candidate:

    beta
        Its dual point, shape (m,), signed, of any size. A point that is not feasible is moved to a feasible point
        nearby, and the certificate says how far.
    intercept
        b of the decision values f(x_i) + b; 0 in a problem without an intercept.
    function
        The values of f at the samples, without b, if f is not the expansion in beta; for an enclosure, f as a function.
        None stands for that expansion.
    is_expansion
        Whether f is the expansion in beta: :meth:`moved` is given its values in either case.
    values
        f(x_i) without b, shape (m,).
    decision
        f(x_i) + b, shape (m,).
    support
        The support vectors, as :meth:`support` returns them.
    """

    @property
    def program(self) -> Program | None:
        """The problem as a program, without CVXPY, or None if no solver takes it directly."""

    def certify(self, beta: Vector, intercept: float, function: FunctionAtSamples | None = None) -> Certificate:
        """Bound the error of the candidate by the values of both problems."""

    def enclose(self, beta: Vector, intercept: float, function: Expansion | None = None) -> Enclosure:
        """Return an interval that holds the optimum in exact arithmetic; ``function`` is f itself without its own b.

        Raises
        ------
        NoEnclosureError
            If the rounding errors of this problem or of its kernel are not known.
        """

    def feasible(self, beta: Vector) -> Vector:
        """Return the dual feasible point near ``beta`` whose value the certificate states."""

    def moved(
        self, beta: Vector, intercept: float, function: FunctionAtSamples, *, is_expansion: bool
    ) -> tuple[Move, FunctionAtSamples] | None:
        """Return the move of f and b before the primal value is taken, and f after it, or None if they stay."""

    def support(self, beta: Vector, decision: Vector) -> Support:
        """Return the support vectors, given also f(x_i) + b."""

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return the ends of the interval of every b that is optimal with this f, given as f(x_i) without b."""

    def vanishing(self) -> tuple[Vector, float] | None:
        """Return the (beta, b) that, with f = 0, proves that the optimum is 0 if it is; None if it cannot be 0."""
