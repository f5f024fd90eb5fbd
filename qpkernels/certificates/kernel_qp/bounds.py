# SPDX-License-Identifier: BSD-3-Clause
"""The duality gap of any candidate (beta, b) of a KernelQP, wherever it came from.

The function f that is judged need not be the expansion in beta: a primal form returns its own f, while beta comes from
its multipliers. Both are judged together, since P(f, b) bounds the optimum from above for every f, and D(beta) bounds
it from below for every feasible beta.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.arrays.threads import without_blas_threads
from qpkernels.certificates.certificate import Certificate, certify_values, relative, undefined
from qpkernels.certificates.enclosures import Enclosure, enclose_kernel_qp
from qpkernels.certificates.kernel_qp.function import FunctionAtSamples
from qpkernels.certificates.kernel_qp.gap import duality_gap
from qpkernels.certificates.kernel_qp.hard import HardRows, Move, feasible_move
from qpkernels.certificates.kernel_qp.precision import gap_product
from qpkernels.certificates.support import Support, intercept_interval, split_support
from qpkernels.certificates.vanishing import vanishing_point
from qpkernels.gram import BoundedProduct, Expansion, Gram
from qpkernels.programs.kernel_qp import KernelQP

__all__ = ["KernelQPBounds", "certify_kernel_qp", "expand_at_samples"]

_SPREAD = 10_000
"""Terms from which BLAS spreads a sum over its threads."""


def expand_at_samples(gram: Gram, beta: Vector, feasible: Vector, expansion: Vector) -> FunctionAtSamples:
    """Return the expansion in beta, given K times the feasible point near it: mostly beta itself."""
    values = expansion if feasible is beta or np.array_equal(feasible, beta) else gram.product(beta)
    return FunctionAtSamples(values, float(beta @ values))


@dataclass(frozen=True, eq=False)
class KernelQPBounds:
    """The bounds of a KernelQP: its duality gap, see :func:`certify_kernel_qp`.

    Attributes
    ----------
    program
        The problem, whose losses and conjugates are read off its bounds, targets, epsilon and ridge.

    Notes
    -----
    Arguments of the methods:

    beta, intercept, function, is_expansion, values, decision, support
        As in :class:`~qpkernels.certificates.bounds.Bounds`.
    product
        K beta with bounds of its error, where it is known from :meth:`product`; None: it is computed.
    squared_norm
        ||f||^2 in the space of the kernel, at least 0.
    """

    program: KernelQP

    def certify(
        self,
        beta: Vector,
        intercept: float,
        function: FunctionAtSamples | None = None,
        product: BoundedProduct | None = None,
    ) -> Certificate:
        """Bound the error by the duality gap."""
        return certify_kernel_qp(self.program, beta, intercept, function, product)

    def product(self, beta: Vector, intercept: float) -> BoundedProduct:
        """Return K beta as exactly as the certificate of (beta, b) needs it, which takes it from here."""
        return gap_product(self.program, beta, intercept)

    def enclose(self, beta: Vector, intercept: float, function: Expansion | None = None) -> Enclosure:
        """Enclose the optimum; see :func:`~qpkernels.certificates.enclosures.enclose_kernel_qp`."""
        return enclose_kernel_qp(self.program, beta, intercept, function)

    def feasible(self, beta: Vector) -> Vector:
        """Project beta to the bounds and the sum."""
        return self.program.project(beta)

    def best_multiple(self, beta: Vector, squared_norm: float | None = None) -> Vector:
        """Return the t beta, t >= 0, of the largest dual value within the bounds; beta itself where its sum is not 0.

        Parameters
        ----------
        beta
            A feasible point.
        squared_norm
            What stands for beta'K beta in it; left out, that is computed.
        """
        program = self.program
        if program.total:
            return beta
        squared = float(beta @ program.gram.product(beta)) if squared_norm is None else squared_norm
        rise = float(program.target @ beta - program.epsilon @ np.abs(beta))
        curvature = squared + float(program.ridge @ beta**2)
        ends = np.where(beta > 0, program.upper, program.lower)
        room = float(np.divide(ends, beta, out=np.full_like(beta, np.inf), where=beta != 0).min())
        best = min(max(rise, 0.0) / curvature, room) if curvature > 0 else 1.0
        return best * beta

    def moved(
        self, beta: Vector, intercept: float, function: FunctionAtSamples, *, is_expansion: bool
    ) -> tuple[Move, FunctionAtSamples] | None:
        """Return where f and b go for P to bound the optimum, and f there; None: they stay, or there is no way.

        See :mod:`qpkernels.certificates.kernel_qp.hard`.
        """
        f = _with_rounding(self.program, beta, function) if is_expansion else function
        move = feasible_move(self.program, f, intercept)
        return None if move is None else (move, move.of_function(self.program.gram, f))

    def support(self, beta: Vector, decision: Vector) -> Support:
        """Read the support vectors off strict complementarity."""
        return split_support(self.program, beta, decision)

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return the ends of the interval of optimal intercepts; b twice in a model without a free b."""
        if self.program.total is None:
            return intercept, intercept
        return intercept_interval(self.program, beta, values, intercept, support)

    def vanishing(self) -> tuple[Vector, float] | None:
        """Return no coefficients and the b within every epsilon; or coefficients with the sum asked for and f = 0."""
        return vanishing_point(self.program)


def certify_kernel_qp(
    program: KernelQP,
    beta: Vector,
    intercept: float,
    function: FunctionAtSamples | None = None,
    product: BoundedProduct | None = None,
) -> Certificate:
    """Certify the candidate (beta, b), and with it the function f, from the data alone.

    beta is first projected to the bounds and the sum; what that moved is the dual residual. The primal residual is the
    largest violation of a hard constraint (an infinite bound of beta) by (f, b) as they came, beyond rounding, each as
    a share of its own terms |target_i - b| + |f(x_i)| + epsilon_i: in a soft model the slacks are completed, so it is
    0. Where it is not 0, (f, b) is moved to where every hard constraint holds, and P is its value there: see
    :class:`Move`. Where no such point was found, P bounds nothing, and the certificate holds at no tolerance:
    ``uncounted`` is infinite.

    Parameters
    ----------
    program
        The problem.
    beta
        Coefficients, shape (m,), of any sign and size.
    intercept
        b.
    function
        f at the samples. Left out: the expansion of beta as it came, before the projection.
    product
        K times the projected beta, where the Gram matrix made it for this certificate already.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import SoftMargin
    >>> from qpkernels.certificates import certify_kernel_qp
    >>> program = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=1.0).qp()
    >>> certificate = certify_kernel_qp(program, np.array([0.0, -0.5, 0.5, 0.0]), intercept=-2.0)
    >>> print(f"{certificate.primal_value:.3f}, {certificate.dual_value:.3f}", certificate.holds(1e-9))
    0.500, 0.500 True
    """
    if not (np.isfinite(beta).all() and np.isfinite(intercept)):
        return undefined("the answer holds NaN or infinity")
    feasible = program.project(beta)
    if feasible is not beta and (feasible == beta).all():
        feasible = beta
    if product is None or not (product.coefficients is feasible or np.array_equal(product.coefficients, feasible)):
        product = gap_product(program, feasible, intercept)
    program.gram.require_psd()
    with _sums_in_one_thread(len(program)):
        program.gram.require_nonnegative(feasible, product.values)
        f = expand_at_samples(program.gram, beta, feasible, product.values) if function is None else function
        f = _with_rounding(program, beta, f) if function is None else f
        inexact = product.error if product.error.any() else 0.0
        came = duality_gap(program, feasible, product.values, intercept, f, inexact)
        move = feasible_move(program, f, intercept)
        gap, level = came, intercept
        if move is not None:
            f, level = move.of_function(program.gram, f), move.intercept
            gap = duality_gap(program, feasible, product.values, level, f, inexact)
    largest = gap.worst
    holds = not program.is_hard or HardRows.of(program).hold(f, level)
    return certify_values(
        gap.primal_value,
        gap.dual_value,
        primal_residual=came.violation,
        dual_residual=_dual_residual(program, beta, feasible),
        uncounted=0.0 if holds else np.inf,
        rounding=gap.rounding + (gap.hidden if holds else 0.0),
        vanishing=gap.vanishing,
        largest=float(gap.parts[largest]),
        worst=(
            f"sample {largest} (target {program.target[largest]:g}, beta {beta[largest] + 0.0:.6g}) "
            f"adds {gap.parts[largest]:.1e} to the gap"
        ),
    )


def _with_rounding(program: KernelQP, beta: Vector, expansion: FunctionAtSamples) -> FunctionAtSamples:
    """Return the expansion in beta with its rounding, which hard constraints are judged by."""
    if not program.is_hard:
        return expansion
    return FunctionAtSamples.expansion(program.gram, beta, expansion.values, balanced=program.total == 0.0)


def _sums_in_one_thread(samples: int) -> AbstractContextManager[None]:
    """Keep BLAS from spreading sums of so many terms: to wake its threads takes longer, where others use them."""
    return without_blas_threads() if samples >= _SPREAD else nullcontext()


def _dual_residual(program: KernelQP, beta: Vector, feasible: Vector) -> float:
    """Return how far beta is from the feasible point near it, or its sum from the one asked for, as shares of them."""
    imbalance = 0.0 if program.total is None else abs(float(beta.sum()) - program.total)
    sizes = np.abs(beta)
    if feasible is beta:
        return relative(imbalance, float(sizes.sum()))
    own, moved = np.abs(feasible), float(np.abs(beta - feasible).max())
    return max(
        relative(moved, max(float(own.max()), float(sizes.max()))),
        relative(imbalance, max(float(own.sum()), float(sizes.sum()))),
    )
