# SPDX-License-Identifier: BSD-3-Clause
"""The enclosure of the optimal value of a cone program by any candidate (x, z)."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Vector, finite_vector
from qpkernels.certificates.enclosures.cone_program.lower import lower_bound
from qpkernels.certificates.enclosures.cone_program.upper import upper_bound
from qpkernels.certificates.enclosures.enclosure import Enclosure
from qpkernels.errors import UnsupportedProgramError
from qpkernels.programs.cone_program import ConeProgram
from qpkernels.programs.cones import Nonnegative, SecondOrder, Zero

__all__ = ["enclose_cone_program"]


def enclose_cone_program(program: ConeProgram, x: Vector, z: Vector) -> Enclosure:
    """Return an interval that holds the optimal value in exact arithmetic, for the matrices as they are in float64.

    x and z are moved by rounding errors: x to a point that is proved to satisfy every constraint exactly, z to one that
    is proved to be dual feasible. A side on which no such point is found is infinite: a point that is not nearly
    optimal, equations that depend on each other, a feasible set without interior, free variables that P leaves flat.

    Parameters
    ----------
    program
        With equations, inequalities and second-order cones.
    x, z
        A point and its multipliers, nearly optimal; shapes (n,) and (rows,).

    Raises
    ------
    UnsupportedProgramError
        If the program has other cones.
    ShapeError, NonFiniteError
        If x or z do not fit, or hold NaN or infinity.

    Notes
    -----
    Source: Neumaier and Shcherbina, Safe bounds in linear and mixed-integer linear programming (2004); Jansson,
    Rigorous lower and upper bounds in linear programming (2004); Jansson, Chaykin and Keil, Rigorous error bounds for
    the optimal value in semidefinite programming (2007).

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.certificates import enclose_cone_program
    >>> from qpkernels.solvers import find_solver
    >>> program = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=1.0).primal.lower().program
    >>> answer = find_solver("clarabel").solve(program, tol=1e-9)
    >>> enclosure = enclose_cone_program(program, answer.point, answer.multipliers)
    >>> print(enclosure.lower <= 0.5 <= enclosure.upper, enclosure.width < 1e-6)
    True True
    """
    other = sorted({type(cone).__name__ for cone in program.cones if not isinstance(cone, _ENCLOSED)})
    if other:
        raise UnsupportedProgramError(
            f"{program.name} has cones of kind {', '.join(other)}, for which there is no enclosure: "
            "nothing is known of the rounding of a point that is moved into them. Equations, inequalities and "
            "second-order cones have one; the values of its certificate hold up to the rounding that it states."
        )
    x, z = finite_vector(x, "x", program.q.size), finite_vector(z, "z", program.b.size)
    with np.errstate(over="ignore", invalid="ignore"):
        return Enclosure(lower_bound(program, x, z), upper_bound(program, x))


_ENCLOSED = (Zero, Nonnegative, SecondOrder)
