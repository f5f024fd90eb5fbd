# SPDX-License-Identifier: BSD-3-Clause
"""The duality gap of any candidate (beta, b) for any convex loss of the decision values, by Fenchel's duality.

With losses L_i and their conjugates, every (f, b) and every beta with 1'beta = 0 (any beta without a b) satisfy

    P(f, b) = 1/2 ||f||^2 + sum L_i(f(x_i) + b)  >=  D(beta) = -1/2 beta'K beta - sum L_i*(-beta_i)

so P - D bounds the error of both. The losses of a :class:`~qpkernels.programs.KernelQP` are a case of their own, where
everything is a quadratic: :mod:`qpkernels.certificates.kernel_qp`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import Certificate, certify_values, undefined
from qpkernels.certificates.kernel_qp import FunctionAtSamples
from qpkernels.gram import Gram
from qpkernels.programs.kernel_qp import nearest_feasible

__all__ = ["SampleLosses", "certify_fenchel"]


@dataclass(frozen=True, eq=False)
class SampleLosses:
    """The losses L_i of all samples.

    Attributes
    ----------
    value
        Decision values v, shape (m,), to L_i(v_i).
    conjugate
        beta, shape (m,), to L_i*(-beta_i).
    lower, upper
        Where that is finite, shape (m,).
    """

    value: Callable[[Vector], Vector]
    conjugate: Callable[[Vector], Vector]
    lower: Vector
    upper: Vector


def certify_fenchel(
    gram: Gram,
    losses: SampleLosses,
    beta: Vector,
    intercept: float,
    total: float | None,
    function: FunctionAtSamples | None = None,
    zero_tolerance: float = 0.0,
) -> Certificate:
    """Certify the candidate (beta, b), and with it the function f, from the data alone.

    beta is first moved into the domain of the conjugates and to the sum ``total`` (None: no intercept); what that moved
    is the dual residual.

    Parameters
    ----------
    gram, losses, total
        The problem.
    beta, intercept
        The candidate, of any size.
    function
        f at the samples. Left out: the expansion of beta as it came.
    zero_tolerance
        Size of values below which an optimum counts as 0.
    """
    if not (np.isfinite(beta).all() and np.isfinite(intercept)):
        return undefined("the answer holds NaN or infinity")
    feasible = nearest_feasible(beta, losses.lower, losses.upper, total)
    expansion = gram.product(feasible)
    if function is None:
        values = expansion if np.array_equal(feasible, beta) else gram.product(beta)
        function = FunctionAtSamples(values, float(beta @ values))
    decision = function.values + intercept
    charged, conjugates = losses.value(decision), losses.conjugate(feasible)
    # L(v) + L*(-s) + s v >= 0 by Fenchel and Young, with equality where s is the slope.
    parts = charged + conjugates + feasible * decision
    worst = int(np.argmax(parts))
    size = float(np.abs(feasible).max()) or 1.0
    imbalance = 0.0 if total is None else abs(float(beta.sum()) - total) / (float(np.abs(feasible).sum()) or 1.0)
    return certify_values(
        primal=0.5 * function.squared_norm + float(charged.sum()),
        dual=-0.5 * float(feasible @ expansion) - float(conjugates.sum()),
        zero_tolerance=zero_tolerance,
        error_bound=gram.error_bound(feasible),
        dual_residual=max(float(np.abs(beta - feasible).max()) / size, imbalance),
        largest=float(parts[worst]),
        worst=f"sample {worst} (beta {beta[worst]:.6g}) adds {parts[worst]:.1e} to the gap",
    )
