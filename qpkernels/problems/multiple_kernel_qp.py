# SPDX-License-Identifier: BSD-3-Clause
r"""Multiple kernel learning: several kernels, each with its own function, whose norms are penalised together.

With functions f_j in the spaces of kernels k_j, and losses L_i as a KernelQP has them, primal and dual are

    min  sum_g phi_g(||f_1||, ..., ||f_p||) + sum_i L_i(sum_j f_j(x_i) + b) + b total
    max  target'beta - epsilon'|beta| - 1/2 beta'diag(ridge) beta - sum_g phi_g*(r_1, ..., r_p),  r_j^2 = beta'K_j beta

over beta within the bounds with 1'beta = total. Each phi_g is the norm of its members, s = || (d_j n_j) ||_p with
weights d_j > 0 and 1 <= p < 2, or half its square; its conjugate is half the square of || (r_j / d_j) ||_p*, with 1/p +
1/p* = 1, or the constraint that this norm is at most 1. For p = 1 the norm is a maximum over the kernels.

With weights eta_j of the kernels, f_j = eta_j sum_i beta_i k_j(x_i, .), the rest is a KernelQP with the matrix sum_j
eta_j K_j. The best weights give the smallest value, where t_j = d_j^2 eta_j is at least 0 and

    ||t||_q <= 1,  q = p / (2 - p),  for a square;   otherwise 1/2 ||t||_q is charged.

Sources: F. Bach, G. Lanckriet and M. Jordan, ICML (2004), "Multiple kernel learning, conic duality, and the SMO
algorithm"; M. Kloft, U. Brefeld, S. Sonnenburg and A. Zien, JMLR 12 (2011), "lp-norm multiple kernel learning".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram import Gram
from qpkernels.gram.gram import BoundedProduct
from qpkernels.problems.certificate import Certificate, share_moved, undefined, with_values
from qpkernels.problems.kernel_qp.bounds import certify_kernel_qp
from qpkernels.problems.kernel_qp.program import KernelQP, nearest_feasible
from qpkernels.problems.program import Program
from qpkernels.problems.rounding import EPS, expansion_error

__all__ = ["MultipleKernelBounds", "MultipleKernelQP", "NormPenalty"]

_NOTHING = 1e-200
"""A weight of a kernel with which a function is 0 to rounding, whatever its coefficients."""


@dataclass(frozen=True, eq=False)
class NormPenalty:
    """|| (d_j n_j) ||_p of the norms n_j of some functions, or 1/2 of its square.

    Attributes
    ----------
    members
        Numbers of the functions.
    weights
        d, above 0, shape (number of members,).
    order
        p, from 1 to below 2.
    squared
        Whether the penalty is half the square.

    Raises
    ------
    ParameterError
        If the weights or the order are out of range.

    Notes
    -----
    Arguments of the methods:

    norms, radii
        The n_j and the r_j of the members.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.problems import NormPenalty
    >>> penalty = NormPenalty(np.array([0, 1]), np.ones(2), order=1.0, squared=True)
    >>> print(penalty.value(np.array([3.0, 4.0])))
    24.5
    """

    members: Indices
    weights: Vector
    order: float = 1.0
    squared: bool = True

    def __post_init__(self) -> None:
        """Refuse weights and orders that do not form a norm, or form one that weights of kernels cannot state."""
        if self.weights.shape != self.members.shape or not (self.weights > 0).all():
            raise ParameterError("a NormPenalty needs a weight above 0 for each of its members.")
        if not 1.0 <= self.order < 2.0:
            raise ParameterError(
                f"the order of a NormPenalty must be at least 1 and below 2, but {self.order:g} came; for order 2, "
                "which adds squares of norms, give each member a penalty of its own."
            )

    @property
    def order_of_weights(self) -> float:
        """The order q of the norm that bounds the weights of the kernels."""
        return self.order / (2.0 - self.order)

    def value(self, norms: Vector) -> float:
        """Return the penalty."""
        size = float(np.linalg.norm(self.weights * norms, self.order))
        return 0.5 * size * size if self.squared else size

    def dual_norm(self, radii: Vector) -> float:
        """Return || (r_j / d_j) ||_p*."""
        return float(np.linalg.norm(radii / self.weights, np.inf if self.order == 1 else self.order / (self.order - 1)))

    def conjugate(self, radii: Vector) -> float:
        """Return phi*(r), where r is feasible."""
        return 0.5 * self.dual_norm(radii) ** 2 if self.squared else 0.0


@dataclass(frozen=True, eq=False)
class MultipleKernelQP(Program):
    """max target'beta - epsilon'|beta| - 1/2 beta'diag(ridge) beta - sum_g phi_g*(r),  r_j = sqrt(beta'K_j beta).

    beta is within the bounds, with 1'beta = total; see :mod:`qpkernels.problems.multiple_kernel_qp`. Its multipliers
    are the weights eta_j of the kernels, and b where 1'beta has a value: f_j = eta_j sum_i beta_i k_j(x_i, .).

    Attributes
    ----------
    grams
        The kernel matrices K_j of the same m samples, each positive semidefinite.
    penalties
        The phi_g; each function occurs in exactly one of them.
    target, lower, upper, total, epsilon, ridge
        As in a :class:`~qpkernels.problems.KernelQP`, shape (m,).
    name
        What the program states.

    Raises
    ------
    ShapeError, ParameterError
        If the kernels do not fit, if a function is in no penalty or in several, or if ``total`` is not 0 and a penalty
        is not a square.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import RBF, Gram
    >>> from qpkernels.problems import MultipleKernelQP, NormPenalty
    >>> from qpkernels.solvers import find_solver
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], np.array([-1.0, -1.0, 1.0, 1.0])
    >>> grams = tuple(Gram(RBF(gamma), X) for gamma in (0.5, 50.0))
    >>> penalty = NormPenalty(np.arange(2), np.ones(2))
    >>> program = MultipleKernelQP(grams, (penalty,), y, np.minimum(y, 0), np.maximum(y, 0), 0.0)
    >>> eta = find_solver("kernel-weights").solve(program).multipliers[:2]
    >>> print(eta.round(3))
    [1. 0.]
    """

    usual_solver: ClassVar[str] = "kernel-weights"

    grams: tuple[Gram, ...]
    penalties: tuple[NormPenalty, ...]
    target: Vector
    lower: Vector
    upper: Vector
    total: float | None
    epsilon: Vector | float = 0.0
    ridge: Vector | float = 0.0
    name: str = "kernel quadratic program of several kernels"

    def __post_init__(self) -> None:
        """Refuse parts that do not form such a program; a KernelQP checks those that concern the losses."""
        members = np.sort(np.concatenate([np.arange(0), *(penalty.members for penalty in self.penalties)]))
        if not np.array_equal(members, np.arange(len(self.grams))):
            raise ParameterError(
                f"each of {len(self.grams)} functions must be a member of one penalty, but the members are {members}."
            )
        if any(len(gram) != len(self.grams[0]) for gram in self.grams):
            raise ShapeError("all kernel matrices must be of the same samples.")
        if self.total and not all(penalty.squared for penalty in self.penalties):
            raise ParameterError(
                "a norm that is not squared bounds beta, so beta may have no multiple with the required sum unless "
                "that is 0; square the norm, or let the total be 0."
            )
        if self.given(np.ones(len(self.grams))).is_hard:
            raise ParameterError(
                "every coefficient needs finite bounds, or a ridge: where a constraint is hard, the norms of several "
                "functions would have to be moved together."
            )

    @property
    def size(self) -> int:
        """The number m of samples."""
        return len(self.grams[0])

    def __len__(self) -> int:
        """Return the number m of samples."""
        return self.size

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of samples, and of kernels and intercepts."""
        return self.size, len(self.grams) + (self.total is not None)

    def given(self, eta: Vector) -> KernelQP:
        """Return the KernelQP that remains with these weights of the kernels, without the cost of the weights.

        Parameters
        ----------
        eta
            At least 0, shape (number of kernels,).
        """
        gram = Gram.weighted_sum(self.grams, eta)
        return KernelQP(
            gram, self.target, self.lower, self.upper, self.total, self.epsilon, self.ridge, self.name
        )  # fmt: skip

    def part(self, rows: Indices) -> MultipleKernelQP:
        """Return the program of some of the samples.

        Parameters
        ----------
        rows
            Their numbers.
        """
        grams = tuple(gram.part(rows) for gram in self.grams)
        parts = (self.target[rows], self.lower[rows], self.upper[rows], self.total)
        epsilon, ridge = (np.broadcast_to(each, self.size)[rows] for each in (self.epsilon, self.ridge))
        return MultipleKernelQP(grams, self.penalties, *parts, epsilon, ridge, self.name)

    def product(self, number: int, beta: Vector, *, everywhere: bool) -> Vector:
        """Return K_j beta; unless ``everywhere``, it may be 0 instead where beta is 0, which saves time.

        Parameters
        ----------
        number
            j.
        beta
            Shape (m,).
        everywhere
            Whether all entries are needed.
        """
        gram, used = self.grams[number], np.flatnonzero(beta)
        if everywhere or gram.is_formed or gram.product_form is None or not used.size:
            return gram.product(beta)
        values = np.zeros(beta.size)
        values[used] = gram.part(used).product(beta[used])
        return values

    def products(self, beta: Vector, eta: Vector) -> Matrix:
        """Return the K_j beta, one per row, with all entries for kernels with a weight; see :meth:`product`.

        Parameters
        ----------
        beta
            Shape (m,).
        eta
            The weights.
        """
        return np.array([self.product(j, beta, everywhere=weight > 0) for j, weight in enumerate(eta.tolist())])

    def radii(self, products: Iterable[Vector], beta: Vector) -> Vector:
        """Return r_j, given the K_j beta.

        Parameters
        ----------
        products
            K_j beta of each kernel.
        beta
            Shape (m,).
        """
        return np.sqrt(np.maximum([float(beta @ product) for product in products], 0.0))

    def excess(self, radii: Vector) -> float:
        """Return the factor of at least 1 by which r is larger than penalties that are no squares allow.

        Parameters
        ----------
        radii
            The r_j of all functions.
        """
        free = (penalty.dual_norm(radii[penalty.members]) for penalty in self.penalties if not penalty.squared)
        return max(1.0, *free, 1.0)

    def project(self, beta: Vector) -> Vector:
        """Return a point near beta within the bounds, with the total, and with an r that the penalties allow.

        Parameters
        ----------
        beta
            Shape (m,), of any sign and size.
        """
        inside = nearest_feasible(beta, self.lower, self.upper, self.total)
        if all(penalty.squared for penalty in self.penalties):
            return inside
        excess = self.excess(self.radii([gram.product(inside) for gram in self.grams], inside))
        return inside if excess <= 1.0 + 4 * EPS else inside / excess


@dataclass(frozen=True, eq=False)
class MultipleKernelBounds:
    """The bounds of a MultipleKernelQP: those of the KernelQP at any weights, with the penalties in place of its norm.

    Attributes
    ----------
    program
        The problem.
    """

    program: MultipleKernelQP

    def products(self, beta: Vector, multipliers: Vector) -> Matrix:
        """Return the K_j beta that a certificate of both arguments needs, one per row.

        For a kernel without a weight, only the entries of samples with a coefficient are computed; the others are 0.

        Parameters
        ----------
        beta, multipliers
            The point and the multipliers that are certified.
        """
        return self.program.products(self.program.project(beta), multipliers[: len(self.program.grams)])

    def certify(self, beta: Vector, multipliers: Vector, products: Matrix | None = None) -> Certificate:
        """Certify coefficients, and the functions that they expand to with these weights of the kernels, and with b.

        Parameters
        ----------
        beta
            Shape (m,), of any sign and size; what the projection moves is the dual residual.
        multipliers
            The weights, where negative ones count as 0, and b if the program has one.
        products
            The result of :meth:`products` for both; None if it is still to be computed.
        """
        program, count = self.program, len(self.program.grams)
        if not (np.isfinite(beta).all() and np.isfinite(multipliers).all()):
            return undefined("the answer holds NaN or infinity")
        for gram in program.grams:
            gram.require_psd()
        # A weight of 0 for all is one so small that nothing is seen of it.
        eta = np.maximum(multipliers[:count], 0.0) if (multipliers[:count] > 0).any() else np.full(count, _NOTHING)
        feasible = program.project(beta)
        products = self.products(beta, multipliers) if products is None else products
        mixed = BoundedProduct(feasible, eta @ products, np.zeros(feasible.size))
        made = certify_kernel_qp(program.given(eta), feasible, float(multipliers[count:].sum()), product=mixed)
        squares, errors = np.empty(count), np.empty(count)
        for j, (gram, product) in enumerate(zip(program.grams, products, strict=True)):
            gram.require_nonnegative(feasible, product)
            squares[j] = max(float(feasible @ product), 0.0)
            error = expansion_error(gram, feasible, product, balanced=False)
            errors[j] = 2.0 * (error.half_norm + gram.indefiniteness(feasible))
        r, largest = np.sqrt(squares), np.sqrt(squares + errors)
        charged, spared = self._values(eta * r, r)
        # Both values rise with every r.
        most = self._values(eta * largest, largest)
        rounding = made.rounding + (most[0] - charged) + (most[1] - spared) + float(eta @ errors)
        half = 0.5 * float(eta @ squares)
        # f may have been scaled by as much, which rounding of its losses is worth.
        rounding += 2.0 * made.primal_residual * (half + charged)
        rounding += EPS * (half + charged + spared)
        primal, dual = made.primal_value - half + charged, made.dual_value + half - spared
        moved = share_moved(beta, feasible)
        if not r.any():
            return replace(made, dual_residual=max(made.dual_residual, moved))
        return with_values(made, primal, dual, rounding, moved)

    def _values(self, norms: Vector, radii: Vector) -> tuple[float, float]:
        """Return what the penalties charge, and what their conjugates do."""
        parts = [
            (penalty.value(norms[penalty.members]), penalty.conjugate(radii[penalty.members]))
            for penalty in self.program.penalties
        ]
        return sum(part[0] for part in parts), sum(part[1] for part in parts)
