# SPDX-License-Identifier: BSD-3-Clause
"""One machine of a batch by the solver of single machines."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.batch.machine import Fitted, Machine
from qpkernels.functions import Expansion
from qpkernels.gram import Gram
from qpkernels.problems import KernelQPBounds
from qpkernels.solvers.smo import SMO

__all__ = ["Start", "function_at", "solve_alone"]

_LEAST = 1e-3
"""Seconds that a machine is given when its time is over: it answers with where it stands."""


class Start(NamedTuple):
    """Where a machine begins: any beta, and the steps and seconds that were spent on the way there."""

    point: Vector | None = None
    steps: int = 0
    seconds: float = 0.0


def solve_alone(
    whole: Gram,
    machine: Machine,
    start: Start,
    *,
    tol: float,
    max_iter: int | None,
    time_limit: float | None,
    cache_size: float,
) -> Fitted:
    """Return the answer from ``start``, with rows of the kernel matrix made for this machine only.

    The limits hold for what was spent before and is spent now, together.
    """
    program = machine.program
    program.gram.require_psd()
    found = SMO().solve(
        program,
        tol=tol,
        max_iter=None if max_iter is None else max(1, max_iter - start.steps),
        time_limit=None if time_limit is None else max(_LEAST, time_limit - start.seconds),
        warm_start=start.point,
        cache_size=cache_size,
    )
    steps = start.steps + (found.iterations or 0)
    outcome = replace(found, iterations=steps, seconds=start.seconds + found.seconds)
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
