# SPDX-License-Identifier: BSD-3-Clause
r"""The points that prove an optimum of 0, which no solver meets to the last digit: answers are repaired by them.

With f = 0 the primal value is 0 where a b costs nothing at any sample. The dual value is 0 at coefficients whose
function is 0: none of them, or, where their sums are prescribed, a combination that meets the equations

    sum_i s_i alpha_i phi(x_i) = 0,   0 <= alpha_i <= c,   the sum of alpha over each group as prescribed

that is, two means in one point, or one in the origin. Least squares with bounds, by active sets, meets them up to
rounding or not at all; what it finds is then judged as any other answer.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.gram import Gram
from qpkernels.programs.kernel_qp import KernelQP

__all__ = ["null_combination", "vanishing_point"]

_LARGEST = 2000
"""Samples up to which such a combination is looked for."""

_MET = 1e-10
"""Part of their terms to which least squares meets equations that can be met; refinement does the rest."""


def vanishing_point(program: KernelQP) -> tuple[Vector, float] | None:
    """Return the (beta, b) that, with f = 0, may prove that the optimum of ``program`` is 0."""
    if program.total:
        if program.target.any() or program.epsilon.any() or program.ridge.any() or program.lower.any():
            return None
        everyone = np.ones((1, len(program)))
        found = null_combination(program.gram, everyone[0], program.upper, everyone, np.array([program.total]))
        return None if found is None else (found, 0.0)
    none = np.zeros(len(program))
    if program.total is None:
        return none, 0.0
    above = (program.target - program.epsilon)[program.upper > 0]
    below = (program.target + program.epsilon)[program.lower < 0]
    ends = [float(end) for end in (above.max(initial=-np.inf), below.min(initial=np.inf)) if np.isfinite(end)]
    return none, (0.5 * ends[0] + 0.5 * ends[-1] if ends else 0.0)


def null_combination(
    gram: Gram, signs: Vector, upper: Vector, groups: Matrix, sums: Vector, *, balanced: bool = False
) -> Vector | None:
    """Return alpha within [0, ``upper``] with sum_i s_i alpha_i phi(x_i) = 0 and ``groups`` alpha = ``sums``, if any.

    ``balanced`` says that s'alpha = 0 as well, so that phi may be taken around the mean of the samples.
    """
    if len(gram) > _LARGEST:
        return None
    if not (upper > 0).all():
        some = np.flatnonzero(upper > 0)
        found = null_combination(gram.part(some), signs[some], upper[some], groups[:, some], sums, balanced=balanced)
        return None if found is None else _spread(found, some, len(gram))
    explicit = None if gram.correction is not None else gram.features
    if explicit is None and gram.correction is None:
        explicit = gram.kernel.features(gram.X)
    features = gram.factor if explicit is None else explicit
    if balanced:
        features = features - features.mean(axis=0)
    sizes = np.abs(features).max(axis=0)
    if explicit is None:
        # What a coordinate of a factor lacks against the largest is rounding of K, not another unit.
        sizes = np.full_like(sizes, sizes.max(initial=0.0))
    rows = np.vstack([(signs[:, None] * features)[:, sizes > 0].T / sizes[sizes > 0, None], groups])
    sides = np.concatenate([np.zeros(len(rows) - len(groups)), sums])
    unit = float(np.abs(sums).max())
    share = scipy.optimize.lsq_linear(rows, sides / unit, (0.0, upper / unit), method="bvls", tol=1e-15).x
    alpha = np.clip(unit * share, 0.0, upper)
    for _ in range(2):
        inside = (alpha > 0) & (alpha < upper)
        alpha[inside] += np.linalg.lstsq(rows[:, inside], sides - rows @ alpha)[0]
    outside = _outside(alpha, upper)
    return None if outside.any() or np.abs(rows @ alpha - sides).max() > _MET * unit else alpha


def _spread(found: Vector, some: Indices, m: int) -> Vector:
    alpha = np.zeros(m)
    alpha[some] = found
    return alpha


def _outside(alpha: Vector, upper: Vector) -> NDArray[np.bool_]:
    return (alpha < 0) | (alpha > upper)
