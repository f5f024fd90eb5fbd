# SPDX-License-Identifier: BSD-3-Clause
"""Proofs of infeasibility and of unboundedness that a solver returns, made exact before they are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array, eye_array, vstack

from qpkernels.arrays import Vector
from qpkernels.problems import Certificate, ConeProgram, certify_infeasibility, certify_unboundedness
from qpkernels.problems.cone_program.residuals import VariableBounds, kinds
from qpkernels.solvers.repair.polishing import factorise

__all__ = ["repair_direction", "repair_multipliers"]

_SHARES = (0.0, 1e-9, 1e-6, 1e-4)
"""Shares of the largest entry below which entries are tried as 0."""

_REFINEMENTS = 10

_ACTIVE = 1e-5
"""Share of its terms below which a direction is taken to go along an inequality."""


def repair_multipliers(program: ConeProgram, z: Vector) -> tuple[Vector, Certificate]:
    """Return the best proof near z that no x is feasible, with A'z = 0 to the last digits if one was found.

    Parameters
    ----------
    program, z
        As in :func:`qpkernels.problems.certify_infeasibility`.
    """
    return _best(z, _multipliers(program, z), lambda each: certify_infeasibility(program, each))


def repair_direction(program: ConeProgram, x: Vector) -> tuple[Vector, Certificate]:
    """Return the best proof near x that the objective is unbounded, with Px = 0 and -Ax in K if one was found.

    Parameters
    ----------
    program, x
        As in :func:`qpkernels.problems.certify_unboundedness`.
    """
    return _best(x, _directions(program, x), lambda each: certify_unboundedness(program, each))


def _best(
    given: Vector, repairs: Iterator[Vector], certify: Callable[[Vector], Certificate]
) -> tuple[Vector, Certificate]:
    best = given, certify(given)
    for repaired in repairs:
        proof = certify(repaired)
        # NaN, of what proves nothing, is not less than anything.
        if not _error(best[1]) <= _error(proof):
            best = repaired, proof
    return best


def _error(proof: Certificate) -> float:
    return max(proof.primal_residual, proof.dual_residual)


def _multipliers(program: ConeProgram, z: Vector) -> Iterator[Vector]:
    if not np.isfinite(z).all() or not z.any():
        return
    _, one_sided = kinds(program)
    bounds = VariableBounds.of(program)
    for share in _SHARES:
        kept = np.where(one_sided, np.maximum(z, 0.0), z)
        kept = np.where(np.abs(kept) > share * np.abs(kept).max(), kept, 0.0)
        projected = _into_null_space(csr_array(program.A.T), kept)
        for each in (kept, projected):
            each = np.where(one_sided, np.maximum(each, 0.0), each)
            yield bounds.take_over(each, program.A.T @ each)[0]
            yield each


def _directions(program: ConeProgram, x: Vector) -> Iterator[Vector]:
    if not np.isfinite(x).all() or not x.any():
        return
    equal, one_sided = kinds(program)
    for share in _SHARES:
        kept = np.where(np.abs(x) > share * np.abs(x).max(), x, 0.0)
        rise = program.A @ kept
        along = equal | (one_sided & (rise > -_ACTIVE * (abs(program.A) @ np.abs(kept))))
        yield kept
        yield _into_null_space(csr_array(vstack([csr_array(program.P), csr_array(program.A)[along]])), kept)


def _into_null_space(matrix: csr_array, v: Vector) -> Vector:
    """Return v (1 + e) with the least ||e|| for which matrix times it is 0; entries that are 0 stay so."""
    (support,) = np.nonzero(v)
    terms = abs(matrix) @ np.abs(v)
    (rows,) = np.nonzero(terms)
    if not rows.size:
        return v
    # In units of their own terms, all rows count alike.
    scaled = csc_array(diags_array(1.0 / terms[rows]) @ csc_array(matrix[rows])[:, support])
    relative = csc_array(scaled @ diags_array(v[support]))
    factors = factorise(csc_array(eye_array(support.size)), relative, 1e-10)
    if factors is None:
        return v
    best = v
    for _ in range(_REFINEMENTS):
        residual = scaled @ best[support]
        step = factors.solve(np.concatenate([np.zeros(support.size), -residual]))[: support.size]
        trial = v.copy()
        trial[support] = best[support] + v[support] * step
        if not np.abs(scaled @ trial[support]).max() < np.abs(residual).max():
            break
        best = trial
    return best
