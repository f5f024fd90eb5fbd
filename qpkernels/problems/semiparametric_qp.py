# SPDX-License-Identifier: BSD-3-Clause
r"""A KernelQP with several free directions: a function plus a few coefficients that nothing penalises.

With a matrix B of k functions at the m samples, any combination of which is free, and their coefficients z, primal and
dual are

    min  1/2 ||f||^2 + sum_i L_i(f(x_i) + (B z)_i) + totals'z
    min  1/2 beta'(K + diag(ridge)) beta - target'beta + epsilon'|beta|   s.t.  lower <= beta <= upper, B'beta = totals

with the losses L_i of a KernelQP, which is the case B = 1. Source: A. J. Smola, T. Friess and B. Schoelkopf, NIPS 11
(1999), "Semiparametric support vector and linear programming machines".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram import Gram
from qpkernels.problems.certificate import Certificate, share_moved, undefined, with_values
from qpkernels.problems.kernel_qp.bounds import certify_kernel_qp
from qpkernels.problems.kernel_qp.program import KernelQP
from qpkernels.problems.program import Program
from qpkernels.problems.rounding import EPS

__all__ = ["SemiparametricBounds", "SemiparametricQP"]

_STEPS, _HALVINGS = 50, 30
"""Newton steps of a projection, and how often one of them is halved."""


@dataclass(frozen=True, eq=False)
class SemiparametricQP(Program):
    """min 1/2 beta'(K + diag(ridge)) beta - target'beta + epsilon'|beta|  s.t.  bounds of beta, B'beta = totals.

    Its multipliers are z, the coefficients of the free directions.

    Attributes
    ----------
    gram
        The kernel matrix K of m samples; positive semidefinite.
    target, lower, upper, epsilon, ridge
        Shape (m,), as in a :class:`~qpkernels.problems.KernelQP`.
    directions
        B, shape (m, k), of full column rank.
    totals
        Shape (k,).
    name
        What the program states.

    Raises
    ------
    ShapeError, ParameterError
        If the directions do not fit or depend on each other.
    """

    usual_solver: ClassVar[str] = "free-directions"

    gram: Gram
    target: Vector
    lower: Vector
    upper: Vector
    directions: Matrix
    totals: Vector
    epsilon: Vector
    ridge: Vector
    name: str = "kernel quadratic program with free directions"

    total = None

    def __post_init__(self) -> None:
        """Refuse directions whose coefficients are not determined."""
        rows, columns = self.directions.shape
        if rows != self.size or self.totals.shape != (columns,) or columns == 0:
            raise ShapeError(
                f"there must be a row of directions for each of {self.size} samples, and a total for each column, but "
                f"arrays of shapes {self.directions.shape} and {self.totals.shape} came."
            )
        if np.linalg.matrix_rank(self.directions) < columns:
            raise ParameterError("the free directions depend on each other at the samples; leave out some of them.")

    @property
    def size(self) -> int:
        """The number m of samples."""
        return self.target.size

    def __len__(self) -> int:
        """Return the number m of samples."""
        return self.size

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of samples and of directions."""
        return self.size, self.totals.size

    @property
    def is_expansion(self) -> bool:
        """True."""
        return True

    @property
    def has_epsilon(self) -> bool:
        """Whether there is an epsilon anywhere."""
        return bool(self.epsilon.any())

    def part(self, rows: Indices) -> SemiparametricQP:
        """Return the problem of some of the samples, in which the others have the coefficient 0.

        Parameters
        ----------
        rows
            Their numbers.
        """
        names = ("target", "lower", "upper", "directions", "epsilon", "ridge")
        return replace(self, gram=self.gram.part(rows), **{name: getattr(self, name)[rows] for name in names})

    def given(self, z: Vector) -> KernelQP:
        """Return the KernelQP that remains with these coefficients of the directions, without totals'z.

        Parameters
        ----------
        z
            Shape (k,).
        """
        target = self.target - self.directions @ z
        return KernelQP(self.gram, target, self.lower, self.upper, None, self.epsilon, self.ridge, self.name)

    def project(self, beta: Vector) -> Vector:
        """Return the nearest point within the bounds with B'beta = totals, if float64 and the bounds allow it.

        It is clip(beta + B u), with the u that maximises the dual of the projection, by Newton's method.

        Parameters
        ----------
        beta
            Shape (m,), of any sign and size.
        """
        B, u = self.directions, np.zeros(self.totals.size)

        def moved(u: Vector) -> Vector:
            return np.clip(beta + B @ u, self.lower, self.upper)

        best, lack = moved(u), np.empty(0)
        for _ in range(_STEPS):
            lack = self.totals - best @ B
            if (np.abs(lack) <= self.rounding(best)).all():
                break
            inside = (best > self.lower) & (best < self.upper)
            step = np.linalg.lstsq(B[inside].T @ B[inside], lack)[0] if inside.any() else lack
            length, size = 1.0, float(np.abs(lack).max())
            for _ in range(_HALVINGS):
                tried = moved(u + length * step)
                if float(np.abs(self.totals - tried @ B).max()) < size:
                    break
                length *= 0.5
            else:
                break
            u, best = u + length * step, tried
        return best

    def rounding(self, beta: Vector) -> Vector:
        """Return a bound on the rounding error of B'beta, shape (k,).

        Parameters
        ----------
        beta
            Shape (m,).
        """
        return np.asarray(4 * EPS * (np.abs(beta) @ np.abs(self.directions) + np.abs(self.totals)))


@dataclass(frozen=True, eq=False)
class SemiparametricBounds:
    """The bounds of a SemiparametricQP: those of the KernelQP that remains at any z, with totals'z in both values.

    Attributes
    ----------
    program
        The problem.
    """

    program: SemiparametricQP

    def feasible(self, beta: Vector) -> Vector:
        """Project to the bounds and the totals.

        Parameters
        ----------
        beta
            Shape (m,).
        """
        return self.program.project(beta)

    def certify(self, beta: Vector, z: Vector) -> Certificate:
        """Certify coefficients, and the function that they expand to plus the free part with coefficients z.

        Parameters
        ----------
        beta
            Shape (m,), of any sign and size; the distance that the projection moves it is the dual residual.
        z
            Shape (k,).
        """
        program = self.program
        if not (np.isfinite(beta).all() and np.isfinite(z).all()):
            return undefined("the answer holds NaN or infinity")
        feasible = program.project(beta)
        made = certify_kernel_qp(program.given(z), feasible, 0.0)
        lack, added = program.totals - feasible @ program.directions, float(program.totals @ z)
        # (target - Bz)'beta + totals'z is target'beta but for what the totals are missed by.
        missed = float(np.abs(lack) @ np.abs(z)) + EPS * float(np.abs(program.totals) @ np.abs(z))
        # The targets less B z are rounded as their terms are, in each loss by its slope, which is beta at an optimum.
        terms = np.abs(program.target) + np.abs(program.directions) @ np.abs(z)
        rounding = made.rounding + missed + 2.0 * EPS * float(np.abs(feasible) @ terms)
        primal, dual = made.primal_value + added, made.dual_value + added
        beyond = np.maximum(np.abs(lack) - program.rounding(feasible), 0.0)
        own = np.abs(feasible) @ np.abs(program.directions) + np.abs(program.totals)
        worst = float(np.divide(beyond, own, out=np.zeros_like(own), where=own > 0).max())
        proved = with_values(made, primal, dual, rounding, max(share_moved(beta, feasible), worst))
        return replace(proved, uncounted=max(made.uncounted, worst))
