# SPDX-License-Identifier: BSD-3-Clause
"""Where the descent starts after a change: the answer before it, as near as may be, with its values K beta.

With the samples that stay numbered as they are now, and those that go by the set G, the coefficients and values are

    beta' = s beta,   K'beta' = s (K beta - sum over g in G of beta_g K_g),

for one number s, by which the bounds have changed: a sample at its bound is at its bound again. New samples start at 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.modelling import Solution
from qpkernels.arrays import Indices, Vector
from qpkernels.gram import Gram
from qpkernels.programs import KernelQP

__all__ = ["Start", "start_after"]


@dataclass(frozen=True, eq=False)
class Start:
    """A point to start from: beta, and K beta."""

    beta: Vector
    values: Vector


def start_after(solution: Solution, gram: Gram, rows: Indices, program: KernelQP) -> Start:
    """Return where to start on ``program``, whose samples are ``rows`` of those of ``solution``, and of new ones.

    Parameters
    ----------
    solution
        The answer before the change.
    gram
        The kernel matrix before the change.
    rows
        The samples after it: numbers beyond those of ``gram`` are new.
    """
    m = len(gram)
    stay = rows < m
    kept = rows[stay]
    beta, values = np.zeros(rows.size), np.zeros(rows.size)
    before = solution.decision - solution.intercept
    gone = np.ones(m, bool)
    gone[kept] = False
    gone &= solution.beta != 0
    if gone.any():
        before = before - gram.product(np.where(gone, solution.beta, 0.0))
    beta[stay], values[stay] = solution.beta[kept], before[kept]
    room = np.where(beta > 0, program.upper, -program.lower)[stay]
    scale = _scale(solution, kept, room)
    beta *= scale
    values *= scale
    if not stay.all():
        values[~stay] = _values_at(program.gram, beta, np.flatnonzero(~stay))
    return Start(beta, values)


def _values_at(gram: Gram, beta: Vector, samples: Indices) -> Vector:
    """Return K beta at some samples, by their rows of K."""
    unit, values = np.zeros(len(gram)), np.empty(samples.size)
    for k, sample in enumerate(samples):
        unit[sample] = 1.0
        values[k] = gram.product(unit) @ beta
        unit[sample] = 0.0
    return values


def _scale(solution: Solution, kept: Indices, room: Vector) -> float:
    """Return the factor by which the ``room`` of the coefficients that stay has changed, as those at a bound tell."""
    bounded = np.zeros(solution.beta.size, bool)
    bounded[solution.support.bounded] = True
    told = bounded[kept] & (room > 0)
    if not told.any():
        return 1.0
    factor = float(np.median(room[told] / np.abs(solution.beta[kept][told])))
    return factor if factor < np.inf else 1.0
