# SPDX-License-Identifier: BSD-3-Clause
"""Models of a kernel matrix of low rank: the same with the exact kernel, and what an answer is worth there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from formulations.modelling.primal import require_expansion
from qpkernels.arrays import Vector, check_choice
from qpkernels.errors import ParameterError
from qpkernels.functions import Expansion
from qpkernels.gram import Approximation
from qpkernels.kernels import Kernel
from qpkernels.problems import (
    ExactKernelCertificate,
    ExpansionProgram,
    KernelQP,
    Pass,
    PenalisedBounds,
    certify_with_exact_kernel,
)

if TYPE_CHECKING:
    from formulations.modelling.candidate import Candidate
    from formulations.modelling.model import Model
    from formulations.modelling.solution import Solution

__all__ = ["approximation_of", "certify_exact", "refine"]

_METHODS = ("product", "trace")

_SAMPLED = 300
"""Samples that tell whether an answer is worth to start from."""


def certify_exact(model: Model[Any], answer: Any, method: Pass) -> ExactKernelCertificate:
    """Return what :meth:`formulations.modelling.model.Model.certify_exact` does."""
    check_choice(method, "method", _METHODS)
    require_expansion(answer)
    model.check_parameters()
    approximation, bounds = approximation_of(model), model.bounds()
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


def refine(model: Model[Any], answer: Any, tol: float, options: Mapping[str, Any]) -> Solution:
    """Return what :meth:`formulations.modelling.model.Model.refine` does."""
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


def approximation_of(model: Model[Any]) -> Approximation:
    """Return the kernel matrix of low rank that a model has, or refuse a model that has none."""
    found = Approximation.of(model.gram)
    if found is None:
        raise ParameterError(
            f"the kernel matrix of this {model.name} is exact already: model.certify says what is proved of an answer; "
            "approximate it by LowRank(kernel, X, rank)."
        )
    return found
