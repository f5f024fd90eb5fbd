# SPDX-License-Identifier: BSD-3-Clause
"""Models of a kernel matrix of low rank: the same with the exact kernel, and what an answer is worth there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from formulations.inputs.restating import Restatable
from formulations.modelling.primal import require_expansion
from qpkernels.arrays import Vector, check_choice
from qpkernels.certificates import (
    ExactKernelCertificate,
    Pass,
    PenalisedBounds,
    certify_with_exact_kernel,
)
from qpkernels.errors import ParameterError
from qpkernels.gram import Approximation, Expansion
from qpkernels.kernels import Kernel
from qpkernels.programs import ExpansionProgram, KernelQP

if TYPE_CHECKING:
    from formulations.modelling.candidate import Candidate
    from formulations.modelling.model import Model
    from formulations.modelling.solution import Solution

__all__ = ["Approximate"]

_METHODS = ("product", "trace")

_SAMPLED = 300
"""Samples that tell whether an answer is worth to start from."""


class Approximate(Restatable):
    """The part of a model that is about the exact kernel, where its matrix is a :class:`~qpkernels.LowRank`."""

    def with_exact_kernel(self) -> Self:
        """Return the same model of the same samples with the exact kernel, of which nothing is computed yet.

        Raises
        ------
        ParameterError
            If the kernel matrix is no LowRank, or its samples came as a stream.
        """
        return self.bound_to(_approximation(self).exact)

    def certify_exact(self, answer: Any, method: Pass = "product") -> ExactKernelCertificate:
        r"""Certify an answer to this model, of low rank, as one to the problem with the exact kernel, K never stored.

        A function f over the landmarks has the same norm in the space of the exact kernel, so that P(f, b) is what it
        was, and at least the optimum there. That is at least the largest dual value of the multiples t beta, which
        takes beta'K beta::

            D(beta) = target'beta - epsilon'|beta| - 1/2 beta'(K + diag(ridge)) beta.

        Parameters
        ----------
        answer
            As :meth:`certify` takes it: a solution, (beta, b), or an Expansion in the space of this kernel.
        method
            "product": the rows of K between the n samples with a coefficient are made, block by block, at the cost of
            n^2 / 2 values of the kernel; a stream is visited once. "trace": none are, and beta'K beta is bounded by
            beta'K~ beta + (sum_i \|beta_i\| sqrt(K_ii - K~_ii))^2, which tells something only where next to nothing is
            left of the trace.

        Returns
        -------
        ExactKernelCertificate
            Its ``suboptimality`` bounds (P(f, b) - optimum) / \|optimum\|. Of random Fourier features, whose functions
            are none in the space of the exact kernel, it is that of sum_j beta_j k(x_j, .) instead, by "product" only.

        Raises
        ------
        ParameterError
            If the kernel matrix is no LowRank, the model does not penalise f, or the answer is a PrimalFunction.
        """
        return _certified(cast("Model[Any]", self), answer, method)

    def refine(self, answer: Any, *, tol: float = 1e-6, **options: Any) -> Any:
        """Solve the model with the exact kernel from an answer to this one, of low rank, on.

        Parameters
        ----------
        answer
            As :meth:`certify` takes it. It is where a solver that takes a start begins, unless beta = 0 is better: few
            landmarks, which leave much of K out, make beta too large.
        tol, **options
            As :meth:`solve` takes them: a solver, ``max_iter``, ``time_limit``, ``cache_size`` ...

        Returns
        -------
        Solution
            That of :meth:`with_exact_kernel`, at ``tol`` or the best within the limits.

        Raises
        ------
        ParameterError
            If the kernel matrix is no LowRank, or its samples came as a stream.
        """
        return _refined(cast("Model[Any]", self), answer, tol, options)


def _certified(model: Model[Any], answer: Any, method: Pass) -> ExactKernelCertificate:
    check_choice(method, "method", _METHODS)
    require_expansion(answer)
    model.check_parameters()
    approximation, bounds = _approximation(model), model.bounds()
    if not isinstance(bounds, PenalisedBounds):
        raise ParameterError(
            f"a {model.name} is bounded with the exact kernel only by solving it: model.with_exact_kernel().solve()."
        )
    found = model.candidate(answer)
    if not approximation.is_projection:
        return _of_expansion(model, found, approximation.kernel, method)
    if not found.is_squarable:
        return ExactKernelCertificate.of(model.judge(found, bounds), approximation.kernel)
    function = found.function.with_exact_kernel()
    return certify_with_exact_kernel(
        bounds, approximation, found.beta, found.intercept, function, found.at_samples, method
    )


def _of_expansion(model: Model[Any], answer: Candidate, kernel: Kernel, method: Pass) -> ExactKernelCertificate:
    """Judge the expansion of beta in the exact kernel."""
    if method == "trace":
        raise ParameterError(
            "random Fourier features leave no positive semidefinite residual, whose trace would bound anything; take "
            "method='product'."
        )
    exact = model.with_exact_kernel()
    made = exact.certify((answer.beta, answer.intercept), weights=False)
    return ExactKernelCertificate.of(made, kernel, is_expansion=True)


def _refined(model: Model[Any], answer: Any, tol: float, options: Mapping[str, Any]) -> Solution:
    exact = model.with_exact_kernel()
    programs = exact.programs(exact.bounds())
    start = None
    if programs and isinstance(programs[0], ExpansionProgram):
        found = model.candidate(answer).beta
        start = found if np.isfinite(found).all() and _is_worth_a_start(programs[0], found) else None
    solution: Solution = exact.solve(tol=tol, warm_start=start, **options)
    return solution


@np.errstate(over="ignore", invalid="ignore")
def _is_worth_a_start(program: ExpansionProgram, beta: Vector) -> bool:
    """Return whether the dual value of beta is above that of 0, as a sample of the terms of beta'K beta tells."""
    used = np.flatnonzero(beta)
    if not isinstance(program, KernelQP) or program.total or used.size == 0:
        return True
    gram = program.gram
    some = np.random.default_rng(0).choice(used, min(_SAMPLED, used.size), replace=False)
    values = Expansion(gram.kernel, gram.X[used], beta[used])(gram.X[some])
    squared = used.size / some.size * float(beta[some] @ values) + float(program.ridge @ beta**2)
    return float(program.target @ beta - program.epsilon @ np.abs(beta)) > 0.5 * squared


def _approximation(model: Restatable) -> Approximation:
    found = Approximation.of(model.gram)
    if found is None:
        raise ParameterError(
            f"the kernel matrix of this {model.name} is exact already: model.certify says what is proved of an answer; "
            "approximate it by LowRank(kernel, X, rank)."
        )
    return found
