# SPDX-License-Identifier: BSD-3-Clause
"""The certificate of an answer to a low-rank problem in the problem of the exact kernel, without storing K.

With the matrix K~ = Z Z' of the projection of the k(x_i, .) to the span of landmarks, a function f over the landmarks
has the same values and the same norm for the exact kernel. So P(f, b) is also an upper bound on the exact optimum, at
no cost. The dual value of any feasible beta, with K in place of K~, is a lower bound::

    D(beta) = D~(beta) + 1/2 beta'K~ beta - 1/2 beta'K beta,    beta'K beta = beta'K~ beta + beta'R beta,    R = K - K~

(with the conjugate of the regulariser where that is not 1/2 ||f||^2). The exact beta'K beta takes the rows of K between
the samples with a coefficient, block by block. Since R is positive semidefinite, there is a bound without any rows::

    beta'R beta  <=  (sum_i |beta_i| sqrt(R_ii))^2

No bound that only knows the diagonal of R is better, since R = v v', v_i = sign(beta_i) sqrt(R_ii), attains it. It is
useful where the landmarks leave next to nothing.

An optimum for K~ takes no account of R, and is too large where R adds much. The dual value is therefore taken at the
best multiple t beta: with the linear terms a of a KernelQP it is the largest t a - 1/2 t^2 beta'(K + diag(ridge)) beta.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import ceil, floor, isfinite, log10
from typing import Literal, TypeAlias

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.display import Card, Fact
from qpkernels.gram import Approximation
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import Kernel
from qpkernels.problems.certificate import Certificate, certify_values
from qpkernels.problems.kernel_qp.bounds import KernelQPBounds
from qpkernels.problems.level_qp.bounds import MarginLevelBounds, TubeLevelBounds
from qpkernels.problems.rounding import EPS, FunctionAtSamples, expansion_error
from qpkernels.problems.smooth_risk import FenchelBounds, HalfSquaredNorm

__all__ = [
    "ExactKernelCertificate",
    "Pass",
    "PenalisedBounds",
    "certify_with_exact_kernel",
]

PenalisedBounds: TypeAlias = KernelQPBounds | MarginLevelBounds | TubeLevelBounds | FenchelBounds
"""Bounds of models that penalise ||f||, whose dual values have beta'K beta in them, and K nowhere else."""

Pass: TypeAlias = Literal["product", "trace"]
"""How beta'K beta is bounded: computed from the rows of K between samples with a coefficient, or by diagonals."""


_VIOLATED = 1e-6
"""Violation of a hard constraint beyond which nothing is said of the distance to the optimum."""


@dataclass(frozen=True, repr=False)
class ExactKernelCertificate(Certificate):
    """Bounds on the error of an answer to an approximate problem, as one to the problem with the exact kernel.

    The values belong to the problem with the exact kernel, whose optimum lies between them.

    Attributes
    ----------
    kernel
        The exact kernel.
    is_expansion
        Whether the function judged is sum_j beta_j k(x_j, .), because that of the answer is not in the space of k.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import SoftMargin
    >>> from qpkernels import RBF, LowRank
    >>> X, y = np.linspace(0, 1, 20)[:, None], np.repeat([-1, 1], 10)
    >>> model = SoftMargin(LowRank(RBF(1.0), X, rank=8), y)
    >>> print(model.certify_exact(model.solve()).holds(1e-6))
    True
    """

    kernel: Kernel | None = None
    is_expansion: bool = False

    @classmethod
    def of(cls, certificate: Certificate, kernel: Kernel, *, is_expansion: bool = False) -> ExactKernelCertificate:
        """Return the certificate that the values of the problem with that kernel give.

        Parameters
        ----------
        certificate
            The certificate computed with the exact kernel in place of its approximation.
        kernel
            The exact kernel.
        is_expansion
            Whether the function judged is an expansion in that kernel, so that its norm is taken in its space.
        """
        own = {each.name: getattr(certificate, each.name) for each in fields(Certificate)}
        return cls(**own, kernel=kernel, is_expansion=is_expansion)

    @property
    def suboptimality(self) -> float:
        """A bound on (P(f, b) - optimum) / |optimum|, including rounding.

        It is infinite if the optimum may be 0, or if the answer violates a hard constraint by more than 1e-6, so that
        P(f, b) belongs to no feasible point.
        """
        ends = self.primal_value, self.dual_value
        if not all(map(isfinite, ends)) or self.primal_residual > _VIOLATED:
            return np.inf
        if min(ends) <= 0.0 <= max(ends):
            return 0.0 if ends == (0.0, 0.0) and self.relative_gap == 0.0 else np.inf
        least = min(map(abs, ends)) - self.rounding
        return (abs(ends[0] - ends[1]) + self.rounding) / least if least > 0.0 else np.inf

    @property
    def verdict(self) -> str:
        """The bound on the suboptimality in words."""
        judged = "the expansion in beta is " if self.is_expansion else ""
        proved = isfinite(self.suboptimality)
        share = f"within {_percent(self.suboptimality)}" if proved else "not proved to be within any share"
        return f"{judged}{share} of the optimum with the exact kernel {self.kernel!r}"

    def explain(self, tol: float | None = None) -> str:
        """Explain what is proved with the exact kernel, and add what any certificate says about its proof."""
        verdict = self.verdict[0].upper() + self.verdict[1:]
        said = f"{verdict}. {super().explain(tol)}"
        return (
            said
            if self.holds(self.asked if tol is None else tol)
            else f"{said} Or take more landmarks, or refine the answer."
        )

    def card(self) -> Card:
        """Return the card of a certificate, beginning with how far the answer may be from the exact optimum."""
        card = super().card()
        return replace(card, facts=(Fact("exact kernel", self.verdict), *card.facts))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.verdict}, relative gap {self.relative_gap:.1e}>"

    def __str__(self) -> str:
        return f"{self.verdict}: it lies between {self.dual_value:.12g} and {self.primal_value:.12g}"


def _percent(share: float) -> str:
    """Return a share in percent with two digits, rounded up."""
    if share == 0.0:
        return "0 %"
    unit = 10.0 ** (floor(log10(100.0 * share)) - 1)
    return f"{ceil(100.0 * share / unit) * unit:.2g} %" if 100.0 * share < 99.0 else f"{ceil(100.0 * share)} %"


def certify_with_exact_kernel(
    bounds: PenalisedBounds,
    approximation: Approximation,
    beta: Vector,
    intercept: float,
    function: Expansion,
    at_samples: FunctionAtSamples,
    method: Pass = "product",
) -> ExactKernelCertificate:
    """Certify (beta, b) and f, found with a projection of a kernel, in the problem with the kernel itself.

    Parameters
    ----------
    bounds
        The bounds of the problem with the projection.
    approximation
        The matrix of that problem: the part of the exact matrix that lies in the span of the landmarks.
    beta, intercept
        The dual point, shape (m,), and b.
    function, at_samples
        f in the space of the exact kernel, and its values at the samples.
    method
        With "product", beta'K beta is computed; with "trace", it is bounded in O(m).
    """
    reach = float(np.abs(function.coefficients) @ np.sqrt(function.kernel.diagonal(function.centers)))
    terms = max(function.coefficients.size, *function.centers.shape[1:])
    # z_i'w is k_i'c up to the rounding of L z_i = k_i, no more than that of a sum over the landmarks.
    f = replace(at_samples, sizes=reach * approximation.exact_lengths, half_size=reach**2, terms=terms, product=None)
    low = bounds.certify(beta, intercept, f)
    kernel = approximation.kernel
    if not (isfinite(low.primal_value) and isfinite(low.dual_value)):
        return ExactKernelCertificate.of(low, kernel)
    feasible = bounds.feasible(beta)
    if not feasible.any():
        return ExactKernelCertificate.of(low, kernel)
    exact, near = _squared_norms(bounds, approximation, feasible, method)
    if not isinstance(bounds, MarginLevelBounds | TubeLevelBounds):
        feasible, share = _best(bounds, feasible, exact.value)
        exact, near = exact.scaled(share), near.scaled(share)
    own = bounds.certify(feasible, intercept, f)
    conjugate = (bounds.regulariser if isinstance(bounds, FenchelBounds) else HalfSquaredNorm()).conjugate
    added = conjugate(exact.value) - conjugate(near.value)
    made = certify_values(
        own.primal_value,
        own.dual_value - added,
        primal_residual=low.primal_residual,
        dual_residual=low.dual_residual,
        rounding=own.rounding + sum(abs(conjugate(q.value + q.error) - conjugate(q.value)) for q in (exact, near)),
        worst=own.worst
        if added < own.primal_value - own.dual_value
        else f"what the landmarks do not span adds {added:.1e} to the gap",
    )
    return ExactKernelCertificate.of(made, kernel)


@dataclass(frozen=True)
class _SquaredNorm:
    """beta'K beta, or an upper bound of it, and a bound of its rounding."""

    value: float
    error: float

    def scaled(self, share: float) -> _SquaredNorm:
        """Return that of ``share`` times beta."""
        return _SquaredNorm(share**2 * self.value, share**2 * self.error)


def _squared_norms(
    bounds: PenalisedBounds, approximation: Approximation, beta: Vector, method: Pass
) -> tuple[_SquaredNorm, _SquaredNorm]:
    """Return beta'K beta and beta'K~ beta."""
    gram = bounds.program.gram if isinstance(bounds, KernelQPBounds) else bounds.gram
    values = gram.product(beta)
    near = _SquaredNorm(float(beta @ values), 2.0 * expansion_error(gram, beta, values, balanced=False).half_norm)
    if method == "trace":
        left = np.square(float(np.abs(beta) @ approximation.distances))
        return _SquaredNorm(near.value + left, near.error + np.sqrt(beta.size) * EPS * left), near
    used = np.flatnonzero(beta)
    part, coefficients = approximation.exact_part(used), beta[used]
    values = part.product(coefficients)
    part.require_nonnegative(coefficients, values)
    error = 2.0 * expansion_error(part, coefficients, values, balanced=False).half_norm
    return _SquaredNorm(float(coefficients @ values), error), near


def _best(bounds: KernelQPBounds | FenchelBounds, beta: Vector, squared_norm: float) -> tuple[Vector, float]:
    """Return the multiple of a feasible beta of the largest dual value, and the factor."""
    scaled = bounds.best_multiple(beta, squared_norm)
    largest = int(np.argmax(np.abs(beta)))
    return scaled, float(scaled[largest] / beta[largest])
