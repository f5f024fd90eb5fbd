# SPDX-License-Identifier: BSD-3-Clause
"""A kernel machine as people use it: solved by any solver, and every answer certified."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from formulations.modelling.candidate import Candidate, with_function_of
from formulations.modelling.failures import not_an_answer
from formulations.modelling.inputs.estimators import is_estimator
from formulations.modelling.inputs.fitted import coefficients_for
from formulations.modelling.kernel_machine import Answered, KernelMachine
from formulations.modelling.primal import multipliers_at, primal_answer, require_expansion
from formulations.modelling.routes import solve_by_request
from formulations.modelling.solution import Solution
from formulations.modelling.solving import SolveRequest
from qpkernels.arrays import Vector, check_choice
from qpkernels.errors import ParameterError
from qpkernels.gram import Approximation
from qpkernels.kernels import Kernel
from qpkernels.problems import Certificate, Enclosure, ExactKernelCertificate, KernelQP, certify_with_exact_kernel
from qpkernels.problems.exact_kernel import Pass, PenalisedBounds
from qpkernels.problems.program import ExpansionProgram
from qpkernels.solvers import Request, SolverLike

__all__ = ["Model"]

_METHODS = ("product", "trace")

_SAMPLED = 300
"""Samples that tell whether an answer is worth to start from."""


class Model(KernelMachine[Answered]):
    """A kernel machine: what is asked, however it is stated and whoever solves it.

    The answer is a function f + b in the space of a kernel, with a coefficient beta_i for each sample. The model knows
    its data, hyper-parameters, two bounds of its optimum, and its optimality conditions. Its :attr:`forms` are its
    statements as CVXPY problems; they share everything by being forms of one model.

    A model is frozen; only its hyper-parameters change, being CVXPY parameters.

    Attributes
    ----------
    data, gram
        The samples bound to their kernel, and the kernel matrix.
    fit_intercept
        Whether the function has an intercept.

    Notes
    -----
    Arguments of the methods of a model:

    answer
        A point to be judged: beta, b and f, and f at the samples.
    weights
        As in :meth:`formulations.modelling.model.Model.certify`.
    """

    def solve(
        self,
        solver: SolverLike | None = None,
        *,
        tol: float = 1e-6,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: Solution | ArrayLike | None = None,
        verbose: bool = False,
        **options: Any,
    ) -> Answered:
        """Solve the model and certify the answer.

        Parameters
        ----------
        solver
            Name of a registered solver (``qpkernels solvers`` lists them), or a Solver object; one of cone programs is
            given the first of :attr:`forms`. None: one after the other until an answer is proved, each from the best
            point so far. A KernelQP with few explicit features goes to semismooth-newton or interior-point, one of many
            samples in sparse features to coordinate-descent, others to smo, which hands over to interior-point once
            that is predicted to need less than what is missing; up to 2,000 samples without a limit, or more in few
            features or sparse ones of a linear kernel, it takes the steps that a batch of one does, and hands over what
            these leave unproved. A LevelQP goes to
            interior-point, one of many samples first to smo, a penalised risk with smooth losses to newton, a linear
            system to conjugate-gradient or linear, whichever is expected to be less work, a fit in a norm to
            frisch-newton, the linear program machine to highs, any other model to clarabel.
            Where none of these is proved, clarabel is asked on all forms, then other solvers; ``solver`` and
            ``attempts`` of the solution say who was asked, and what each said.
        tol
            Above 0 and below 1: the relative duality gap and residuals that the certificate must show for ``optimal``.
        max_iter, time_limit
            Limits, in the solvers' iterations and in seconds, of all together; the best point so far comes back. The
            seconds count from the call on: a solver has what the statement left of them. Its set-up, the iteration that
            it is in, and the certificate are finished all the same. A solver without a time limit runs in a process of
            its own then, which has no point where it is ended.
        warm_start
            A solution, or beta, for those of our own that start from a beta, as ``smo`` does. A solution is
            rescaled so that what was at its bound is at that of this problem, which is another where C is; any beta is
            projected to the feasible set. For ``osqp``, ``proxqp`` or ``scs`` a solution of the same form by a solver
            that is given matrices: they go on from its variables and multipliers.
        verbose
            Let the solver tell its progress: lines of the logger ``qpkernels``, which are printed where no handler
            takes them. Back-ends of others print their own.
        **options
            Handed to the back-end: without its name, to linear, smo or clarabel alone. cache_size, memory_budget,
            shrinking and report are for smo wherever that is asked; ``checkpoint="run.npz"`` asks it alone.
            ``isolate=True`` runs any solver in a process of its own, which ``memory_limit`` bounds.

        Raises
        ------
        UnknownSolverError, SolverNotInstalledError, UnsupportedProgramError, UnsupportedOptionError
            If the solver cannot be asked.
        InfeasibleError
            If no point satisfies the constraints.
        SolverFailedError
            If the solver gives no answer.
        """
        return self._solve_by(
            SolveRequest(solver, Request(tol, max_iter, time_limit, verbose=verbose), warm_start, options)
        )

    def _solve_by(self, request: SolveRequest, first: Answered | None = None) -> Answered:
        """Solve the model, and go on from the answer that was ``first``, if one was left unproved."""
        self._check_changes()
        bounds = self.bounds()
        found: Answered = solve_by_request(self, request, bounds, self.programs(bounds), self._sound_forms, first=first)
        return found

    def certify(self, answer: Any, *, weights: bool | None = None) -> Certificate:
        """Certify an answer from anywhere.

        Parameters
        ----------
        answer
            A Solution, a pair (beta, b), or an estimator of scikit-learn fitted to the same problem. Or a function
            alone, whose best multipliers are read off: (w, b) without a kernel or with Linear(), an Expansion, or a
            PrimalFunction.
        weights
            Whether a pair is (w, b) and not (beta, b); None: its length tells, if there are not m features.

        Raises
        ------
        NotFittedError, ParameterError, ShapeError
            If it is none of these, does not fit the data, or is known to answer another problem.
        """
        self._check_changes()
        return self.judge(self.candidate(answer, weights), self.bounds())

    def enclose(self, answer: Any, *, weights: bool | None = None) -> Enclosure:
        """Return an interval that holds the optimum in exact arithmetic, given an answer as :meth:`certify` takes it.

        The problem is that of samples, targets and parameters as they are in float64, and of their exact kernel matrix.

        Raises
        ------
        NoEnclosureError
            If nothing is known of the rounding errors of this kernel, loss or model.
        """
        self._check_changes()
        require_expansion(answer)
        return self._enclose_by(self.candidate(answer, weights), self.bounds())

    def candidate(self, answer: Any, weights: bool | None = None) -> Candidate:
        """Read an answer as :meth:`formulations.modelling.model.Model.certify` takes it, or refuse it."""
        if isinstance(answer, Candidate):
            return answer
        if (primal := primal_answer(self, answer, weights)) is not None:
            return self._completed(primal) if primal.is_squarable else primal
        if isinstance(answer, Solution):
            return with_function_of(answer, self._from_coefficients(answer.beta, answer.intercept), self.gram)
        if is_estimator(answer):
            return self._from_coefficients(*coefficients_for(self, answer, self.translate))
        if isinstance(answer, tuple) and len(answer) == 2:
            return self._from_coefficients(*answer)
        raise not_an_answer(answer, self.entry.estimator)

    def _completed(self, answer: Candidate) -> Candidate:
        """Return an answer that is a function alone with the best multipliers that its values tell."""
        return replace(answer, beta=multipliers_at(self.bounds(), answer, self.name))

    def with_exact_kernel(self) -> Self:
        """Return the same model of the same samples with the exact kernel, of which nothing is computed yet.

        Raises
        ------
        ParameterError
            If the kernel matrix is no LowRank, or its samples came as a stream.
        """
        return self.bound_to(_approximation_of(self).exact)

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
            Its ``suboptimality`` bounds (P(f, b) - optimum) / \|optimum\|. For random Fourier features, whose functions
            are not in the space of the exact kernel, it is that of sum_j beta_j k(x_j, .) instead, by "product" only.

        Raises
        ------
        ParameterError
            If the kernel matrix is no LowRank, the model does not penalise f, or the answer is a PrimalFunction.
        """
        check_choice(method, "method", _METHODS)
        require_expansion(answer)
        self._check_changes()
        approximation, bounds = _approximation_of(self), self.bounds()
        if not isinstance(bounds, PenalisedBounds):
            raise ParameterError(
                f"a {self.name} is bounded with the exact kernel only by solving it: model.with_exact_kernel().solve()."
            )
        found = self.candidate(answer)
        if not approximation.is_projection:
            return _of_expansion(self, found, approximation.kernel, method)
        if not found.is_squarable:
            return ExactKernelCertificate.of(self.judge(found, bounds), approximation.kernel)
        function = found.function.with_exact_kernel()
        return certify_with_exact_kernel(
            bounds, approximation, found.beta, found.intercept, function, found.at_samples, method
        )

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
        exact = self.with_exact_kernel()
        programs = exact.programs(exact.bounds())
        start = None
        if programs and isinstance(programs[0], ExpansionProgram):
            found = self.candidate(answer).beta
            start = found if np.isfinite(found).all() and _is_worth_a_start(programs[0], found) else None
        solution: Solution = exact.solve(tol=tol, warm_start=start, **options)
        return solution


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


@np.errstate(over="ignore", invalid="ignore")
def _is_worth_a_start(program: ExpansionProgram, beta: Vector) -> bool:
    """Return whether the dual value of beta is above that of 0, as a sample of the terms of beta'K beta tells."""
    used = np.flatnonzero(beta)
    if not isinstance(program, KernelQP) or program.total or used.size == 0:
        return True
    gram = program.gram
    some = np.random.default_rng(0).choice(used, min(_SAMPLED, used.size), replace=False)
    values = gram.values(gram.expansion(beta[used], rows=used), some)
    squared = used.size / some.size * float(beta[some] @ values) + float(program.ridge @ beta**2)
    return float(program.target @ beta - program.epsilon @ np.abs(beta)) > 0.5 * squared


def _approximation_of(model: KernelMachine[Any]) -> Approximation:
    """Return the kernel matrix of low rank that a model has, or refuse a model that has none."""
    found = Approximation.of(model.gram)
    if found is None:
        raise ParameterError(
            f"the kernel matrix of this {model.name} is exact already: model.certify says what is proved of an answer; "
            "approximate it by LowRank(kernel, X, rank)."
        )
    return found
