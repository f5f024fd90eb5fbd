# SPDX-License-Identifier: BSD-3-Clause
"""Directions along which an objective falls without bound, in the variables of the problem."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.problems import Block, Certificate, ConeProgram
from qpkernels.solvers.repair.proofs import repair_direction

__all__ = ["Ray"]

_TRIFLES = (1e-4, 1e-6, 0.0)
"""Entries of a direction, against the largest, that it may do without; the first that leaves the best proof."""

_EXACT = 1e-12
"""Residual of a proof below which none is better."""

_SHOWN = 8
"""Entries that are listed in words."""


@dataclass(frozen=True, eq=False)
class Ray:
    """x + t d stays feasible for all t >= 0, and the objective falls by t |slope|: it is unbounded below.

    Attributes
    ----------
    direction
        d, shape (n,), with a largest entry of size 1 and Pd = 0, -Ad in K and q'd < 0.
    slope
        q'd, below 0.
    point
        A feasible point x, shape (n,), if one is known; without any, there is no objective to be unbounded.
    certificate
        The certificate of the direction.
    variables
        Names of the entries.

    Examples
    --------
    >>> import cvxpy as cp
    >>> from formulations import SoftMargin
    >>> from qpkernels.errors import UnboundedError
    >>> drift = cp.Variable(2, name="drift")
    >>> form = SoftMargin([[0.0], [1.0]], [-1, 1]).primal
    >>> try:
    ...     form.extend(drift[0] - drift[1] == 1, objective=-3 * drift[0]).solve("clarabel")
    ... except UnboundedError as error:
    ...     print(f"{error.ray.slope:.1f}", error.ray.values("drift").round(3))
    -3.0 [1. 1.]
    """

    direction: Vector = field(repr=False)
    slope: float
    point: Vector | None = field(repr=False)
    certificate: Certificate
    variables: tuple[Block, ...] = field(repr=False)

    @classmethod
    def of(cls, program: ConeProgram, direction: Vector, point: Vector | None = None) -> Ray:
        """Return the direction at unit size with its certificate.

        Parameters
        ----------
        program
            The program along whose feasible set the objective may fall.
        direction
            Shape (variables,), of any size above 0.
        point
            A feasible point from which the ray starts, if one is known.
        """
        largest = float(np.abs(direction).max(initial=0.0))
        unit = direction / largest if 0.0 < largest < np.inf else direction
        cleaned = [np.where(np.abs(unit) > trifle, unit, 0.0) for trifle in _TRIFLES]
        rays = [repair_direction(program, each) for each in cleaned]
        best, certificate = min(rays, key=lambda ray: (ray[1].error == np.inf, max(ray[1].primal_residual, _EXACT)))
        return cls(best, float(program.q @ best), point, certificate, program.variables)

    def values(self, name: str) -> Vector:
        """Return the direction in the first variable of that name; empty if there is none.

        Parameters
        ----------
        name
            The name of a block of variables.
        """
        found = (self.direction[block.range] for block in self.variables if block.name == name)
        return next(found, np.zeros(0))

    def __str__(self) -> str:
        entries = [
            (abs(value), f"{block.name}{'' if block.stop - block.start == 1 else f'[{k}]'} by {value:.6g}")
            for block in self.variables
            for k, value in enumerate(self.direction[block.range])
            if value
        ]
        entries.sort(key=lambda entry: -entry[0])
        listed = ", ".join(text for _, text in entries[:_SHOWN]) + (", ..." if len(entries) > _SHOWN else "")
        return (
            f"the objective falls by {abs(self.slope):.6g} with every step along {listed} "
            f"(a ray to {self.certificate.primal_residual:.1e})"
        )
