# SPDX-License-Identifier: BSD-3-Clause
r"""The linear system that a quadratic program with equations alone is.

::

    min 1/2 x'Px + q'x  s.t.  Ax = b        is        [P, A'; A, 0] [x; z] = [-q; b]
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.sparse import csc_array, csr_array, hstack, vstack

from qpkernels.errors import UnsupportedProgramError
from qpkernels.programs.cone_program import Block, ConeProgram
from qpkernels.programs.cones import Zero

__all__ = ["optimality_system"]


def optimality_system(program: ConeProgram, names: Mapping[str, str]) -> ConeProgram:
    """Return Px + A'z = -q, Ax = b as equations in x and z, with the objective 0.

    Parameters
    ----------
    program
        A program whose rows are equations.
    names
        What the multipliers of a block of rows are called, by the name of the block; "multiplier of ..." where it is
        not there.

    Raises
    ------
    UnsupportedProgramError
        If it has other rows.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import LeastSquares
    >>> from qpkernels.programs import eliminate, optimality_system
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
