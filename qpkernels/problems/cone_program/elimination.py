# SPDX-License-Identifier: BSD-3-Clause
"""The elimination of variables that equations define, and the linear system of a program with only equations.

::

    min 1/2 x'Px + q'x  s.t.  Ax = b        is        [P, A'; A, 0] [x; z] = [-q; b]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array, eye_array, hstack, vstack

from qpkernels.arrays import Vector
from qpkernels.errors import ParameterError, UnsupportedProgramError
from qpkernels.problems.cone_program.program import Block, ConeProgram
from qpkernels.problems.cones import Nonnegative, Zero

__all__ = [
    "Elimination",
    "defining_rows",
    "eliminate",
    "optimality_system",
]


@dataclass(frozen=True, eq=False)
class _Substitution:
    """One block t = B x + c of ``program``, at ``columns``, defined by D t + ... = ... at ``rows``."""

    program: ConeProgram
    columns: slice
    rows: slice
    diagonal: Vector
    B: csr_array
    c: Vector

    def invert(self, x: Vector, z: Vector) -> tuple[Vector, Vector]:
        """Return the point and the multipliers of ``program``; those of the equations make Px + q + A'z = 0 at t."""
        program = self.program
        point, multipliers = np.empty(program.q.size), np.zeros(program.b.size)
        point[~_at(self.columns, point.size)] = x
        point[self.columns] = self.B @ x + self.c
        multipliers[~_at(self.rows, multipliers.size)] = z
        slope = program.P @ point + program.q + program.A.T @ multipliers
        multipliers[self.rows] = -slope[self.columns] / self.diagonal
        return point, multipliers


@dataclass(frozen=True, eq=False)
class Elimination:
    """A program from which variables were eliminated, and the way back.

    Attributes
    ----------
    program
        The program that is left; its blocks keep their names.
    """

    program: ConeProgram
    _steps: tuple[_Substitution, ...]

    def expand(self, x: Vector, z: Vector) -> tuple[Vector, Vector]:
        """Return the point and the multipliers of the original program, from those of :attr:`program`.

        If these satisfy the conditions of optimality, so do those returned.

        Parameters
        ----------
        x
            Values of the variables that are left.
        z
            Multipliers of the rows that are left.
        """
        for step in reversed(self._steps):
            x, z = step.invert(x, z)
        return x, z


def defining_rows(program: ConeProgram, variable: str) -> Block | None:
    """Return the first block of equations that defines a block of variables, one for each, or None if there is none.

    Parameters
    ----------
    program
        The program.
    variable
        The name of the block of variables.

    Raises
    ------
    ParameterError
        If no block of variables has that name.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.problems.cone_program.elimination import defining_rows
    >>> program = SoftMargin([[0.0], [1.0], [2.0]], [-1, 1, 1]).dual.lower().program
    >>> for block in program.variables:
    ...     print(block.name, "is defined by", defining_rows(program, block.name))
    auxiliary 1 is defined by Block(name='auxiliary 1', start=0, stop=1)
    alpha is defined by None
    """
    columns = _block(program, variable)
    equations, coefficients = _equations(program), csr_array(csc_array(program.A)[:, columns.range])
    for rows in program.rows:
        if rows.stop - rows.start != columns.stop - columns.start or not equations[rows.range].all():
            continue
        part = csr_array(coefficients[rows.range])
        diagonal = part.diagonal()
        if diagonal.all() and abs(part - diags_array(diagonal)).count_nonzero() == 0:
            return rows
    return None


def eliminate(program: ConeProgram, variables: Iterable[str]) -> Elimination:
    """Return ``program`` without these blocks of variables, each substituted by the equations that define it.

    Parameters
    ----------
    program
        The program.
    variables
        Names of blocks of variables that equations define.

    Raises
    ------
    ParameterError
        If no block of variables has one of the names.
    UnsupportedProgramError
        If no block of equations defines one of them.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.problems.cone_program.elimination import eliminate
    >>> program = SoftMargin([[0.0], [1.0], [2.0]], [-1, 1, 1]).dual.lower().program
    >>> print([block.name for block in program.variables])
    ['auxiliary 1', 'alpha']
    >>> textbook = eliminate(program, ["auxiliary 1"]).program
    >>> print([block.name for block in textbook.variables], textbook.P.toarray().tolist())
    ['alpha'] [[0.0, 0.0, 0.0], [0.0, 1.0, 2.0], [0.0, 2.0, 4.0]]
    """
    steps = []
    for name in variables:
        step = _substitution(program, name)
        steps.append(step)
        program = _substituted(step)
    return Elimination(program, tuple(steps))


def _substitution(program: ConeProgram, name: str) -> _Substitution:
    rows, columns = defining_rows(program, name), _block(program, name).range
    if rows is None:
        raise UnsupportedProgramError(
            f"no block of equations of {program.name} defines the variables {name!r}, one each; "
            f"its blocks of rows are {', '.join(block.name for block in program.rows)}."
        )
    equations = csc_array(csr_array(program.A)[rows.range])
    diagonal = equations[:, columns].diagonal()
    others = equations[:, np.flatnonzero(~_at(columns, program.q.size))]
    B = csr_array(diags_array(-1.0 / diagonal) @ others)
    return _Substitution(program, columns, rows.range, diagonal, B, program.b[rows.range] / diagonal)


def _substituted(step: _Substitution) -> ConeProgram:
    program, n = step.program, step.program.q.size
    kept, left = np.flatnonzero(~_at(step.columns, n)), ~_at(step.rows, program.b.size)
    T = csc_array(csr_array(eye_array(n))[:, kept] + csr_array(eye_array(n))[:, step.columns] @ step.B)
    s = np.zeros(n)
    s[step.columns] = step.c
    P = csc_array(T.T @ program.P @ T)
    A = csc_array(csr_array(program.A)[left] @ T)
    # Rounding may part the triangles of a product.
    P = csc_array(0.5 * (P + P.T))
    for matrix in (P, A):
        matrix.eliminate_zeros()
    return replace(
        program,
        P=P,
        q=T.T @ (program.q + program.P @ s),
        A=A,
        b=(program.b - program.A @ s)[left],
        cones=tuple(
            replace(cone, length=int(left[rows].sum())) if isinstance(cone, Zero | Nonnegative) else cone
            for cone, rows in program.parts()
            if left[rows].any()
        ),
        variables=_without(program.variables, step.columns),
        rows=_without(program.rows, step.rows),
        offset=program.objective(s),
    )


def _block(program: ConeProgram, name: str) -> Block:
    for block in program.variables:
        if block.name == name:
            return block
    raise ParameterError(
        f"{program.name} has no variables {name!r}; it has {', '.join(block.name for block in program.variables)}."
    )


def _equations(program: ConeProgram) -> NDArray[np.bool_]:
    """Return for each row whether it is an equation, whatever cones the other rows have."""
    mask = np.zeros(program.b.size, dtype=np.bool_)
    for cone, rows in program.parts():
        mask[rows] = isinstance(cone, Zero)
    return mask


def _at(part: slice, size: int) -> NDArray[np.bool_]:
    mask = np.zeros(size, dtype=np.bool_)
    mask[part] = True
    return mask


def _without(blocks: tuple[Block, ...], part: slice) -> tuple[Block, ...]:
    left = [block for block in blocks if block.range != part]
    edges = np.cumsum([0, *(block.stop - block.start for block in left)]).tolist()
    return tuple(Block(block.name, start, stop) for block, (start, stop) in zip(left, pairwise(edges), strict=True))


def optimality_system(program: ConeProgram, names: Mapping[str, str]) -> ConeProgram:
    """Return Px + A'z = -q, Ax = b as equations in x and z, with the objective 0.

    Parameters
    ----------
    program
        A program whose rows are equations.
    names
        The names of the multipliers of blocks of rows, by the names of the blocks; the default is "multiplier of ...".

    Raises
    ------
    UnsupportedProgramError
        If the program has other rows.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import LeastSquares
    >>> from qpkernels.problems.cone_program.elimination import eliminate, optimality_system
    >>> dual = LeastSquares([[0.0], [1.0], [2.0]], [0.0, 1.0, 3.0], C=1.0).dual.lower().program
    >>> system = optimality_system(eliminate(dual, ["auxiliary 1"]).program, {"balance": "b"})
    >>> print(system.A.toarray(), system.b, [block.name for block in system.variables])
    [[1. 0. 0. 1.]
     [0. 2. 2. 1.]
     [0. 2. 5. 1.]
     [1. 1. 1. 0.]] [0. 1. 3. 0.] ['c', 'b']
    """
    if not all(isinstance(cone, Zero) for cone in program.cones):
        raise UnsupportedProgramError(
            f"{program.name} is a linear system only where all its rows are equations; write it as the program it is."
        )
    n, rows = program.q.size, program.b.size
    multipliers = (
        Block(names.get(block.name, f"multiplier of {block.name}"), n + block.start, n + block.stop)
        for block in program.rows
    )
    upper, lower = (
        hstack([csr_array(program.P), csr_array(program.A.T)]),
        hstack([csr_array(program.A), csr_array((rows, rows))]),
    )
    return ConeProgram(
        P=csc_array((n + rows, n + rows)),
        q=np.zeros(n + rows),
        A=csc_array(vstack([csr_array(upper), csr_array(lower)])),
        b=np.concatenate([0.0 - program.q, program.b]),
        cones=(Zero(n + rows),),
        variables=(*program.variables, *multipliers),
        rows=(Block("optimality", 0, n), *(Block(each.name, n + each.start, n + each.stop) for each in program.rows)),
        name=program.name,
    )
