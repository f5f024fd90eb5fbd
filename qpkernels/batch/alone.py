# SPDX-License-Identifier: BSD-3-Clause
"""One machine of a batch by the solver of single machines."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.batch.machine import Fitted, Machine
from qpkernels.certificates import KernelQPBounds
from qpkernels.gram import Expansion, Gram
from qpkernels.solvers.smo import SMO

__all__ = ["function_at", "solve_alone"]


def solve_alone(
    whole: Gram,
    machine: Machine,
    start: Vector | None,
    *,
    tol: float,
    max_iter: int | None,
    time_limit: float | None,
    cache_size: float,
) -> Fitted:
    """Return the answer from ``start``, with rows of the kernel matrix made for this machine only."""
    program = machine.program
    program.gram.require_psd()
    outcome = SMO().solve(
        program, tol=tol, max_iter=max_iter, time_limit=time_limit, warm_start=start, cache_size=cache_size
    )
    intercept = float(outcome.multipliers.sum())
    certificate = KernelQPBounds(program).certify(outcome.point, intercept)
    values = None if machine.held_out is None else function_at(whole, machine, outcome.point) + intercept
    return Fitted(outcome, certificate, values)


def function_at(whole: Gram, machine: Machine, beta: Vector) -> Vector:
    """Return f without b at the samples held out."""
    if machine.held_out is None or machine.held_out.size == 0:
        return np.empty(0)
    gram = machine.program.gram
    coefficients = gram.expansion_coefficients(beta)
    (used,) = np.nonzero(coefficients)
    if used.size == 0:
        return np.zeros(machine.held_out.size)
    return Expansion(gram.kernel, gram.X[used], coefficients[used])(whole.X[machine.held_out])
