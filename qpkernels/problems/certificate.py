# SPDX-License-Identifier: BSD-3-Clause
"""The certificate of an answer and the status that follows from it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from math import isfinite

import numpy as np

from qpkernels.arrays import Vector, check_tolerance, real_number
from qpkernels.display import Card, Carded, Fact
from qpkernels.display.card import bars
from qpkernels.errors import ParameterError

__all__ = [
    "PROVED",
    "Certificate",
    "Status",
    "certify_values",
    "explain_certificate",
    "relative",
    "share_moved",
    "shortfall",
    "undefined",
    "with_rounding",
    "with_values",
]


@dataclass(frozen=True)
class _Part:
    """One of the numbers that a proof needs to be small."""

    name: str
    size: float
    advice: str


def explain_certificate(certificate: Certificate, tol: float) -> str:
    """Return what is proved and, if that is not enough for ``tol``, the part that fails most and what may help."""
    primal, dual = certificate.primal_value, certificate.dual_value
    if np.isnan(primal) or np.isnan(dual):
        return f"Nothing is proved: {certificate.worst}. Try another solver, or scale the features."
    if primal == dual == np.inf:
        proved = f"No point satisfies the constraints, as multipliers prove: {certificate.worst}"
    elif primal == dual == -np.inf:
        proved = f"The objective is unbounded below, as a direction proves: {certificate.worst}"
    else:
        gap = f"relative gap {certificate.relative_gap:.1e}"
        values = (
            f"The optimum lies between {dual:.12g} and {primal:.12g}"
            if certificate.is_counted
            else f"The dual value is {dual:.12g} and the primal value {primal:.12g}, which bound no optimum yet"
        )
        proved = "; ".join(filter(None, (f"{values}, {gap}", certificate.worst)))
    if certificate.primal_only:
        proved += "; a function alone was given, and the multipliers of the lower bound were read off it"
    if lacking := shortfall(certificate, tol):
        return f"{proved}. {lacking}"
    weakest = _weakest(certificate)
    return f"{proved}. This holds to {tol:g}; the weakest part is the {weakest.name}, {weakest.size:.1e}."


def shortfall(certificate: Certificate, tol: float) -> str:
    """Return in words how a proof falls short of ``tol`` and what may help; empty if it holds.

    Parameters
    ----------
    certificate, tol
        The proof, and the tolerance that it should meet.
    """
    if certificate.holds(tol):
        return ""
    weakest = _weakest(certificate)
    if weakest.size <= tol:
        weakest = _weakest(replace(certificate, relative_gap=0.0, complementarity=0.0))
        return (
            f"This is no proof yet: a {weakest.name} of {certificate.uncounted:.1e} is in neither value, and nothing "
            f"bounds what it does to the optimum, so that it must be within {PROVED:g} for every tol. {weakest.advice}"
        )
    return f"This does not hold to {tol:g}: the {weakest.name} is {weakest.size:.1e}. {weakest.advice}"


def _weakest(certificate: Certificate) -> _Part:
    return max(_parts(certificate), key=lambda part: np.inf if np.isnan(part.size) else part.size)


def _parts(certificate: Certificate) -> tuple[_Part, ...]:
    smaller = "Solve with a smaller tol, or by another solver"
    closer = (
        "Where a limit came first, such as max_iter, raise it; where features differ much in size, scale them. "
        f"Otherwise {smaller[0].lower()}{smaller[1:]}."
    )
    if certificate.rounding > abs(certificate.primal_value - certificate.dual_value):
        # No solver comes closer than float64 can tell.
        closer = f"Most of it, {certificate.rounding:.1e}, is rounding of the values; centre and scale the data."
    return (
        _Part("relative gap", certificate.relative_gap, closer),
        _Part(
            "primal residual",
            certificate.primal_residual,
            f"The answer violates a constraint by that share of its terms. {smaller}; scale the features where their "
            "sizes differ much.",
        ),
        _Part(
            "dual residual",
            certificate.dual_residual,
            f"The multipliers violate the constraints of the dual by that share of their terms. {smaller}; "
            "scale the features where their sizes differ much.",
        ),
        _Part(
            "complementarity",
            certificate.complementarity,
            f"One sample or row adds that share to the gap, and others make up for it. {smaller}.",
        ),
    )


PROVED = 1e-9
"""The largest residual that a proof may leave at any tolerance where no value counts it. A proof by
multipliers or a ray to this accuracy excludes every solution that is not 1e9 times as large as the data."""


class Status(StrEnum):
    """The outcome of a solve. Only the certificate makes an answer ``optimal``, never the claim of the solver.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.problems import Status
    >>> print([status.value for status in Status], SoftMargin([[0.0], [1.0]], [-1, 1]).solve().status)
    ['optimal', 'uncertified', 'stopped', 'infeasible', 'unbounded', 'failed'] optimal
    """

    OPTIMAL = "optimal"
    """The certificate holds at the requested tolerance."""

    UNCERTIFIED = "uncertified"
    """The solver calls its answer optimal, but the certificate does not hold. Try a smaller solver tolerance."""

    STOPPED = "stopped"
    """A limit of iterations or time was reached. The answer is the best so far; its certificate says how good it is."""

    INFEASIBLE = "infeasible"
    """No point satisfies the constraints, and multipliers prove it."""

    UNBOUNDED = "unbounded"
    """The objective is unbounded below along a direction, and the direction proves it."""

    FAILED = "failed"
    """The solver reports that it failed; if it left a point, the certificate says how good that is."""


@dataclass(frozen=True, repr=False)
class Certificate(Carded):
    """Bounds on the error of an answer, recomputed in float64 from the data and the answer alone.

    Attributes
    ----------
    primal_value, dual_value
        Values of the primal problem and of its dual at the feasible points nearest to the answer. By weak duality the
        optimum lies between them, up to the residuals and the rounding: primal_value >= optimum >= dual_value.
    relative_gap
        (|primal_value - dual_value| + rounding) / max(|primal_value|, |dual_value|). If the optimum is proved to be 0,
        :func:`certify_values` says what it is.
    primal_residual, dual_residual
        How far the answer itself violates the constraints of the primal and of the dual, relative to their size. The
        signs of multipliers are dual constraints.
    complementarity
        The largest contribution of a single constraint (or sample) to the gap, relative in the same way as the gap.
    worst
        The place of that largest contribution, in words.
    rounding
        A bound on the combined rounding error of the two values, given the program or the kernel matrix as computed.
        See :mod:`qpkernels.problems.rounding`.
    uncounted
        The part of the residuals that neither value counts. The values are then bounds for a program whose coefficients
        differ by that share, and nothing here bounds how much the optimum changes with the coefficients. It is infinite
        if a hard constraint of a kernel machine is violated and no nearby point meets them all, so that the primal
        value belongs to no feasible point.
    primal_only
        Whether only a function was given. The primal value then belongs to that function, and the dual value to
        multipliers read off it. The gap bounds how far the function is from optimal, and may exceed that.
    asked
        The tolerance that was asked for, which :meth:`explain` uses by default.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1.0)
    >>> certificate = model.certify(model.solve(tol=1e-6))
    >>> print(certificate.holds(1e-6), f"{certificate.dual_value:.3f}, {certificate.primal_value:.3f}")
    True 2.889, 2.889
    >>> certificate = model.certify(([-1.0, 1.0, -1.0, 1.0], 0.0))
    >>> print(certificate.holds(1e-6), f"{certificate.dual_value:.3f}, {certificate.primal_value:.3f}")
    False 2.000, 8.000
    """

    primal_value: float
    dual_value: float
    relative_gap: float
    primal_residual: float
    dual_residual: float
    complementarity: float
    worst: str
    rounding: float = 0.0
    uncounted: float = 0.0
    primal_only: bool = False
    asked: float = field(default=1e-6, compare=False)

    def holds(self, tol: float) -> bool:
        """Return whether gap, residuals and complementarity are all within ``tol``; NaN never is.

        A residual that no value counts must be within 1e-9 (:data:`PROVED`) at any ``tol``, because it has no price.
        The gap is relative to the values and counts their rounding, so values that are small or lost in rounding prove
        nothing. Only an optimum of 0 has no size. It follows the rule of :func:`certify_values`: every term of both
        values is 0 up to the rounding of the sums that made that term.

        Parameters
        ----------
        tol
            Above 0: the largest relative gap, residual or complementarity that counts as proved.

        Raises
        ------
        ParameterError
            If ``tol`` is not a number of at least 0.
        """
        limit = tol if type(tol) is float else real_number(tol, "tol", "a number of at least 0")
        if not limit >= 0.0:
            raise ParameterError(f"tol must be a number of at least 0, but {limit:g} came.")
        return self.uncounted <= PROVED and self.largest <= limit

    @property
    def is_counted(self) -> bool:
        """Whether the part that the values do not count is within :data:`PROVED`."""
        return self.uncounted <= PROVED

    @property
    def error(self) -> float:
        """The smallest tolerance at which the certificate holds; infinity if there is none."""
        return self.largest if self.is_counted and self.largest <= np.inf else np.inf

    @cached_property
    def largest(self) -> float:
        """The largest of gap, residuals and complementarity; NaN if one of them is NaN."""
        measures = abs(self.relative_gap), abs(self.primal_residual), abs(self.dual_residual), abs(self.complementarity)
        return np.nan if any(measure != measure for measure in measures) else max(measures)

    def is_lost_in_rounding(self, tol: float) -> bool:
        """Return whether rounding alone exceeds ``tol``, so that no proof near this answer could be tighter.

        Parameters
        ----------
        tol
            As in :meth:`holds`.
        """
        return self.rounding > tol * max(abs(self.primal_value), abs(self.dual_value))

    def explain(self, tol: float | None = None) -> str:
        """Explain what is proved, which part of the proof is weakest and where, and what may help.

        Parameters
        ----------
        tol
            Above 0 and below 1; None stands for the tolerance that was asked for.
        """
        return explain_certificate(self, check_tolerance(self.asked if tol is None else tol))

    def card(self) -> Card:
        """Return the primal value above, the dual value below, and the gap between them."""
        primal, dual = f"{self.primal_value:.12g}", f"{self.dual_value:.12g}"
        size = max(abs(self.primal_value), abs(self.dual_value))
        rounded = (
            f", of which {self.rounding / size:.1e} is rounding" if self.rounding > 0 and 0 < size < np.inf else ""
        )
        facts = (
            Fact("primal value", f"{primal}, at least the optimum"),
            Fact("relative gap", f"{self.relative_gap:.1e}{rounded}"),
            Fact("dual value", f"{dual}, at most the optimum"),
            Fact("residuals", f"{self.primal_residual:.1e} primal, {self.dual_residual:.1e} dual"),
            Fact("worst", self.worst),
        )
        measures = (
            ("relative gap", self.relative_gap),
            ("primal residual", self.primal_residual),
            ("dual residual", self.dual_residual),
            ("complementarity", self.complementarity),
        )
        return Card(type(self).__name__, facts=facts, figure=bars(measures))

    def __repr__(self) -> str:
        return (
            f"<Certificate: primal {self.primal_value:.10g}, dual {self.dual_value:.10g}, relative gap "
            f"{self.relative_gap:.1e}, residuals {self.primal_residual:.1e} primal, {self.dual_residual:.1e} dual>"
        )

    def __str__(self) -> str:
        proved = "optimal" if self.holds(self.asked) else "not proved"
        given = ", of a function alone, with multipliers read off it" if self.primal_only else ""
        dual, primal = f"{self.dual_value:.12g}", f"{self.primal_value:.12g}"
        between = (
            f"the optimum lies between {dual} and {primal}"
            if self.is_counted
            else f"dual value {dual}, primal value {primal}, and residuals of {self.uncounted:.1e} that neither counts"
        )
        return f"{proved} to {self.asked:g}{given}: {between}, a relative gap of {self.relative_gap:.1e}"


def with_values(made: Certificate, primal: float, dual: float, rounding: float, dual_residual: float) -> Certificate:
    """Return a proof for a problem with more terms than that of ``made``, at the same points.

    Parameters
    ----------
    made
        The proof for the terms that both problems have.
    primal, dual, rounding
        The values with the further terms, and the change that rounding may have made to both.
    dual_residual
        How far the answer was moved to meet the constraints of the dual, in addition to the move that ``made`` states.
    """
    scale = max(abs(primal), abs(dual))
    largest = made.complementarity * max(abs(made.primal_value), abs(made.dual_value))
    return replace(
        made,
        primal_value=primal,
        dual_value=dual,
        relative_gap=relative(abs(primal - dual) + rounding, scale),
        dual_residual=max(made.dual_residual, dual_residual),
        complementarity=relative(largest, scale),
        rounding=rounding,
    )


def with_rounding(made: Certificate, rounding: float) -> Certificate:
    """Return a proof of the same values with more rounding.

    Parameters
    ----------
    made, rounding
        The proof, and the rounding to count in addition to that which it counts already.
    """
    if not rounding:
        return made
    scale = max(abs(made.primal_value), abs(made.dual_value))
    gap = made.relative_gap + relative(rounding, scale)
    return replace(made, relative_gap=gap, rounding=made.rounding + rounding)


def share_moved(beta: Vector, feasible: Vector) -> float:
    """Return how far a point is from the feasible one, as a share of the larger of them.

    Parameters
    ----------
    beta, feasible
        Both points, of the same shape.
    """
    return relative(float(np.abs(beta - feasible).max()), float(np.maximum(np.abs(beta), np.abs(feasible)).max()))


def relative(amount: float, scale: float) -> float:
    """Return amount / scale, and 0 for 0 / 0.

    Parameters
    ----------
    amount
        The measured amount, at least 0.
    scale
        The size of which it is a share, at least 0.
    """
    if scale == 0:
        return 0.0 if amount == 0 else float("inf")
    return amount / scale


def undefined(reason: str) -> Certificate:
    """Return a certificate that never holds, for an answer that has no value.

    Parameters
    ----------
    reason
        The reason, as a clause; it becomes ``worst`` of the certificate.

    Examples
    --------
    >>> from qpkernels.problems.certificate import undefined
    >>> certificate = undefined("the solver returned NaN")
    >>> print(certificate.holds(0.5), certificate.worst)
    False the solver returned NaN
    """
    nan = float("nan")
    return Certificate(nan, nan, nan, nan, nan, nan, worst=reason)


def certify_values(
    primal: float,
    dual: float,
    *,
    primal_residual: float = 0.0,
    dual_residual: float = 0.0,
    uncounted: float = 0.0,
    rounding: float = 0.0,
    vanishing: bool = False,
    unit: float = np.inf,
    largest: float | None = None,
    worst: str = "",
    asked: float = 1e-6,
) -> Certificate:
    """Return the certificate of feasible points of both problems, given their values.

    Parameters
    ----------
    primal, dual
        The upper and the lower bound on the optimum.
    primal_residual, dual_residual
        How far the answer itself was moved to become feasible, relative to its size.
    uncounted
        The part of that distance that neither value counts; infinite if a value belongs to no feasible point.
    rounding
        The amount that rounding, or an imperfect kernel matrix, may have added to the values. It counts in the gap.
    vanishing
        Whether every term of both values is 0 up to the rounding of the sums that made it, so that float64 cannot tell
        the optimum from 0. There is then nothing that a gap could be relative to, and the gap is ``rounding / unit``.
    unit
        The cost of a trivial answer if an answer could be so large that all of it is rounding; otherwise infinity.
    largest
        The largest contribution of one sample to primal - dual; the default is the whole gap.
    worst
        The place of that contribution, in words.
    asked
        The tolerance that was asked for.
    """
    if not all(map(isfinite, (primal, dual, primal_residual, dual_residual, rounding))):
        return undefined("the answer, or its value, holds NaN or infinity")
    scale = max(abs(primal), abs(dual))
    gap = abs(primal - dual)
    # Where all terms are rounding, so is their sum.
    rounding = max(rounding, gap) if vanishing else rounding
    return Certificate(
        primal_value=primal,
        dual_value=dual,
        relative_gap=relative(rounding, unit) if vanishing else relative(gap + rounding, scale),
        primal_residual=primal_residual,
        dual_residual=dual_residual,
        complementarity=0.0 if vanishing else relative(gap if largest is None else abs(largest), scale),
        worst=worst,
        rounding=rounding,
        uncounted=uncounted,
        asked=asked,
    )
