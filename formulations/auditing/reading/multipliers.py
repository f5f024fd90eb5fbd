# SPDX-License-Identifier: BSD-3-Clause
r"""The multipliers of an answer that has weights w and b only, from which a lower bound of the optimum is read.

At an optimum beta_i is a slope of the loss of sample i at its decision value. A smooth loss has one slope, and a good w
gives a good bound. A loss with a kink, the hinge, has many there, and it is just the samples at their kinks whose
multipliers make up w. These are found as the best ones with all others held: a problem of the same kind in few samples.
Of all multiples of what is found the best one is taken: a w far from the optimum has slopes that are too many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from formulations.modelling import Candidate, Model
from formulations.modelling.candidate import Sampling, linear_values, sampled
from qpkernels.arrays import Indices, Vector, is_sparse
from qpkernels.certificates import FenchelBounds, KernelQPBounds
from qpkernels.errors import QPKernelsError
from qpkernels.gram import Expansion
from qpkernels.programs import KernelQP
from qpkernels.solvers import Automatic

__all__ = ["linear_answer"]

_MOST = 2000
"""Samples near their kinks whose multipliers are looked for."""

_NEAR = 0.1
"""How far from its kink, in units of the targets, a sample may be to count as near."""

_TOL = 1e-6


def linear_answer(model: Model[Any], w: Vector, intercept: float) -> Candidate:
    """Return the answer <w, x> + b to a model with inner products as its kernel, with the multipliers found for it."""
    X, b = model.gram.X, model.checked_intercept(intercept)
    function = Expansion(model.gram.kernel, w[None, :], np.ones(1), b, model.classes)
    values = np.asarray(X @ w) if is_sparse(X) else linear_values(X, w)
    at_samples = sampled(function, X, values, float(w @ w))
    beta = _multipliers(model, values, b)
    return Candidate(beta, b, function, Sampling.of(at_samples), is_expansion=False, coordinates=w)


def _multipliers(model: Model[Any], values: Vector, b: float) -> Vector:
    bounds = model.bounds()
    if not np.isfinite(values).all() or not np.isfinite(b):
        return np.zeros(values.size)
    if isinstance(bounds, FenchelBounds):
        assert bounds.losses.slope is not None
        return bounds.best_multiple(bounds.feasible(-bounds.losses.slope(values + (b - bounds.losses.level))))
    assert isinstance(bounds, KernelQPBounds)
    program = bounds.program
    slopes = program.slopes(values, b)
    near = _near_kinks(program, values + b)
    return _best_multiple(program, program.project(slopes if near.size == 0 else _with_best(program, slopes, near)))


def _near_kinks(program: KernelQP, decision: Vector) -> Indices:
    """Return the samples whose losses are steep on one side of a point near by, and flat on the other."""
    unit = 0.5 * float(np.ptp(program.target)) + float(program.epsilon.max())
    away = np.abs(np.abs(program.target - decision) - program.epsilon)
    kinked = np.flatnonzero((program.ridge == 0) & (away <= _NEAR * (unit or 1.0)))
    return np.sort(kinked[np.argsort(away[kinked], kind="stable")[:_MOST]])


def _with_best(program: KernelQP, slopes: Vector, near: Indices) -> Vector:
    """Return the slopes, for the samples that are near a kink the multipliers of the largest dual value."""
    held = slopes.copy()
    held[near] = 0.0
    rest = program.gram.product(held)[near]
    total = None if program.total is None else program.total - float(held.sum())
    part = (program.target[near] - rest, program.lower[near], program.upper[near])
    try:
        few = KernelQP(program.gram.part(near), *part, total, program.epsilon[near], program.ridge[near], program.name)
        found = Automatic().solve(few, tol=_TOL).point
    except QPKernelsError:
        # The sum that is asked of them may be none of theirs; the slopes will do.
        return slopes
    held[near] = found
    return held if np.isfinite(found).all() else slopes


def _best_multiple(program: KernelQP, beta: Vector) -> Vector:
    """Return the t beta, t >= 0, of the largest dual value within the bounds."""
    if program.total:
        return beta
    rise = float(program.target @ beta - program.epsilon @ np.abs(beta))
    curvature = float(beta @ program.gram.product(beta) + program.ridge @ beta**2)
    ends = np.where(beta > 0, program.upper, program.lower)
    room = float(np.divide(ends, beta, out=np.full_like(beta, np.inf), where=beta != 0).min())
    best = min(max(rise, 0.0) / curvature, room) if curvature > 0 else 1.0
    return best * beta
