# SPDX-License-Identifier: BSD-3-Clause
r"""Prune columns that others replace exactly, by the theorem of Caratheodory.

The evidence sees alpha only through the prior covariance of the values, Phi A^-1 Phi' = sum_i phi_i phi_i' / alpha_i.
Where the matrices phi_i phi_i' are linearly dependent (samples that occur twice, a kernel of few features), infinitely
many alphas share one evidence, and a basic solution of

    sum_i g_i phi_i phi_i' / alpha_i = sum_i phi_i phi_i' / alpha_i,   g >= 0

has the fewest weights: alpha_i / g_i, pruned where g_i = 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy
from scipy.linalg import eigh

from formulations.relevance.posterior.evidence import Posterior
from qpkernels.arrays import Vector

__all__ = ["caratheodory_reductions"]

_DEPENDENT = 1e-13
"""Eigenvalue of the matrices' inner products, against the largest, that counts as 0."""


def caratheodory_reductions(here: Posterior) -> Iterator[Vector]:
    """Yield alphas with fewer kept weights and the same Phi A^-1 Phi' up to rounding, if there are such."""
    if here.u.size < 2:
        return
    scaled = here.design.scaled(here.alpha)
    products = (scaled.T @ scaled) ** 2
    values, vectors = eigh(products, check_finite=False)
    independent = values > _DEPENDENT * values[-1]
    if independent.all():
        return
    factor = np.sqrt(values[independent])[:, None] * vectors[:, independent].T
    shares, _ = scipy.optimize.nnls(factor, factor.sum(axis=1))
    if (shares > 0).sum() < here.u.size:
        alpha = here.alpha.copy()
        alpha[here.kept] = np.divide(alpha[here.kept], shares, out=np.full(shares.size, np.inf), where=shares > 0)
        yield alpha
