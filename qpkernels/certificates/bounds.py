# SPDX-License-Identifier: BSD-3-Clause
"""What a model needs of its certificate: two bounds of the optimum, the samples with a coefficient, the intercepts."""

from __future__ import annotations

from typing import Protocol

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import Certificate
from qpkernels.certificates.enclosures import Enclosure
from qpkernels.certificates.kernel_qp import FunctionAtSamples, Move
from qpkernels.certificates.support import Support
from qpkernels.gram import Expansion

__all__ = ["Bounds"]


class Bounds(Protocol):
    """A problem whose optimum is bounded from both sides by any candidate, from the data alone.

    Candidates come as their dual point ``beta``, shape (m,), their ``intercept``, and ``function``, f at the samples
    where it is not the expansion in beta (None: the bounds compute that expansion themselves).

    Notes
    -----
    Every method takes parts of a candidate:

    beta
        Its dual point, shape (m,), signed, of any size: what is not feasible is moved to a feasible point near by, and
        the certificate says how far.
    intercept
        b of the decision values f(x_i) + b; 0 in a problem without.
    function
        f at the samples, without b, where it is not the expansion in beta; to enclose it, f as a function. None: that
        expansion.
    is_expansion
        Whether f is the expansion in beta: :meth:`moved` is given its values in either case.
    values
        f(x_i) without b, shape (m,).
    decision
        f(x_i) + b, shape (m,).
    support
        The support vectors, as :meth:`support` returns them.
    """

    def certify(self, beta: Vector, intercept: float, function: FunctionAtSamples | None = None) -> Certificate:
        """Bound the error of the candidate by the values of both problems."""

    def enclose(self, beta: Vector, intercept: float, function: Expansion | None = None) -> Enclosure:
        """Return an interval that holds the optimum in exact arithmetic; ``function`` is f itself, its own b apart.

        Raises
        ------
        NoEnclosureError
            If the rounding errors of this problem, or of its kernel, are not known.
        """

    def feasible(self, beta: Vector) -> Vector:
        """Return the dual feasible point near ``beta``: the one whose value the certificate has."""

    def moved(
        self, beta: Vector, intercept: float, function: FunctionAtSamples, *, is_expansion: bool
    ) -> tuple[Move, FunctionAtSamples] | None:
        """Return where f and b go before the primal value is taken, and f there; None: they stay where they are."""

    def support(self, beta: Vector, decision: Vector) -> Support:
        """Return the support vectors, given also f(x_i) + b."""

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return the ends between which every b is optimal with this f, given as f(x_i) without b."""

    def vanishing(self) -> tuple[Vector, float] | None:
        """Return the (beta, b) that, with f = 0, proves that the optimum is 0 if it is; None: it cannot be 0 there."""
