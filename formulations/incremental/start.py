# SPDX-License-Identifier: BSD-3-Clause
"""Where the descent starts after a change: the answer before it, as near as may be, with its values K beta.

With the samples that stay as they are, those that leave their place by the set G, and those that arrive at a new one by
the set N, the coefficients and values are

    beta' = s beta,   K'beta' = s (K beta - sum over g in G of beta_g K_g + sum over n in N of beta_n K'_n),

for one number s, by which the bounds have changed: a sample at its bound is at its bound again. A sample that is moved
leaves and arrives with its coefficient, which a small step changes little; one that is new arrives with 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.modelling import Solution
from qpkernels.arrays import Indices, Vector
from qpkernels.gram import Gram
from qpkernels.problems import KernelQP

__all__ = ["Start", "start_after"]


@dataclass(frozen=True, eq=False)
class Start:
    """A point to start from: beta, and K beta."""

    beta: Vector
    values: Vector


def start_after(solution: Solution, gram: Gram, rows: Indices, moved: Indices, program: KernelQP) -> Start:
    """Return where to start on ``program``, whose samples are ``rows`` of those of ``solution``, and of new ones.

    Parameters
    ----------
    solution
        The answer before the change.
    gram
        The kernel matrix before the change.
    rows
        The samples after it: numbers beyond those of ``gram`` are new.
    moved
        The samples before it that became the new ones, in the order of these; none where these are further ones.
    """
    stay = rows < len(gram)
    kept = rows[stay]
    beta, values = np.zeros(rows.size), np.zeros(rows.size)
    # The function that is handed out may have been moved to where every constraint holds, away from K beta.
    moves = program.is_hard or solution.certificate.primal_residual > 0.0
    before = gram.product(solution.beta) if moves else solution.decision - solution.intercept
    leaving = np.ones(len(gram), bool)
    leaving[kept] = False
    leaving &= solution.beta != 0
    if leaving.any():
        before = before - gram.product(np.where(leaving, solution.beta, 0.0))
    beta[stay], values[stay] = solution.beta[kept], before[kept]
    arriving = np.flatnonzero(~stay)
    if moved.size:
        beta[arriving] = solution.beta[moved[rows[arriving] - len(gram)]]
    if beta[arriving].any():
        values[stay] += program.gram.product(np.where(stay, 0.0, beta))[stay]
    room = np.where(beta > 0, program.upper, -program.lower)[stay]
    scale = _scale(solution, kept, room)
    beta *= scale
    values *= scale
    if arriving.size:
        values[arriving] = _values_at(program.gram, beta, arriving)
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
