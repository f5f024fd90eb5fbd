# SPDX-License-Identifier: BSD-3-Clause
"""A kernel machine as people use it: solved by any solver, and every answer certified."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

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

if TYPE_CHECKING:
    from qpkernels.files.proofs import Proof

__all__ = ["Model"]

_METHODS = ("product", "trace")

_SAMPLED = 300
"""Number of samples that tell whether an answer is worth starting from."""


class Model(KernelMachine[Answered]):
    """A kernel machine: the question itself, however it is stated and whichever solver answers it.

    The answer is a function f + b in the space of a kernel, with a coefficient beta_i for each sample. The model knows
    its data, its hyper-parameters, two bounds of its optimum, and its optimality conditions. Its :attr:`forms` state it
    as CVXPY problems. They share all of this, because they belong to one model.

    A model is frozen. Only its hyper-parameters can change, because they are CVXPY parameters.

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
        A point to be judged: beta, b, f, and the values of f at the samples.
    weights
        As in :meth:`formulations.modelling.model.Model.certify`.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> print(list(model.forms), model.solve().status, model.certify(([0, 0, 0, 0], 0.0)).holds(1e-6))
    ['primal', 'hinge', 'dual'] optimal False
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
            Name of a registered solver (``qpkernels solvers`` lists them), or a Solver object. A solver of cone
            programs is given the first of :attr:`forms`. With None, solvers are asked one after the other until an
            answer is proved, and each starts from the best point so far. A KernelQP with few explicit features goes to
            semismooth-newton or interior-point, a KernelQP of many samples in sparse features to coordinate-descent,
            and any other to smo, which hands over to interior-point once that is predicted to finish with less work. Up
            to 2,000 samples without a limit, or more samples with few features or with the sparse features of a linear
            kernel, are solved by the steps of a batch of one first, and only problems that these leave unproved go
            further. A LevelQP goes to interior-point, but to smo first if it has many samples; a penalised risk with
            smooth losses goes to newton; a linear system goes to conjugate-gradient or linear, whichever is expected to
            need less work; a fit in a norm goes to frisch-newton, the linear program machine to highs, and any other
            model to clarabel. If none of these answers is proved, clarabel is asked on all forms, and then other
            solvers. The attributes ``solver`` and ``attempts`` of the solution say which solvers were asked, and what
            each of them said.
        tol
            Above 0 and below 1: the relative duality gap and residuals that the certificate must show for ``optimal``.
        max_iter, time_limit
            Limits on the iterations and the seconds of all solvers together. When a limit is reached, the best point so
            far is returned. The seconds count from the call on, so that stating the problem uses some of them. A
            solver's set-up, its current iteration and the certificate are finished all the same. A solver without a
            time limit of its own runs in a process of its own then, and gives no point if it is ended.
        warm_start
            A solution, or beta, for the solvers of this package that start from a beta, as ``smo`` does. A solution is
            rescaled, so that a coefficient at its old bound is at the new bound where C has changed. Any beta is
            projected onto the feasible set. For ``osqp``, ``proxqp`` or ``scs``, a solution of the same form by a
            solver that takes matrices: they continue from its variables and multipliers.
        verbose
            Whether the solver reports its progress, in lines of the logger ``qpkernels``, which are printed where no
            handler takes them. Back-ends from other packages print lines of their own.
        **options
            Options for the back-end. If no solver is named, they are handed only to linear, smo or clarabel. The
            options cache_size, memory_budget, shrinking and report are handed to smo whenever it is asked; with
            ``checkpoint="run.npz"`` only smo is asked. ``isolate=True`` runs any solver in a process of its own, which
            ``memory_limit`` bounds.

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
        """Solve the model, and continue from the answer ``first`` if it was left unproved."""
        self._check_changes()
        bounds = self.bounds()
        found: Answered = solve_by_request(self, request, bounds, self.programs(bounds), self._sound_forms, first=first)
        return found

    def certify(self, answer: Any, *, weights: bool | None = None) -> Certificate:
        """Certify an answer from anywhere.

        Parameters
        ----------
        answer
            A Solution, a pair (beta, b), or an estimator of scikit-learn fitted to the same problem. It may also be a
            function alone, whose best multipliers are then found: (w, b) without a kernel or with Linear(), an
            Expansion, or a PrimalFunction.
        weights
            Whether a pair is (w, b) and not (beta, b). With None its length decides, unless there are m features.

        Raises
        ------
        NotFittedError, ParameterError, ShapeError
            If the answer is of another kind, does not fit the data, or is known to answer another problem.
        """
        self._check_changes()
        return self.judge(self.candidate(answer, weights), self.bounds())

    def enclose(self, answer: Any, *, weights: bool | None = None) -> Enclosure:
        """Return an interval that holds the optimum in exact arithmetic, given an answer as :meth:`certify` takes it.

        The problem has the samples, targets and parameters as stored in float64, and their exact kernel matrix.

        Raises
        ------
        NoEnclosureError
            If nothing is known about the rounding errors of this kernel, loss or model.
        """
        self._check_changes()
        require_expansion(answer)
        return self._enclose_by(self.candidate(answer, weights), self.bounds())

    def prove(
        self, answer: Any, path: str | Path | None = None, *, digits: int = 9, points: ArrayLike | None = None
    ) -> Proof:
        """Return a proof of an answer that a stranger can check, as a solution's own ``prove`` does.

        Parameters
        ----------
        answer
            As :meth:`certify` takes it.
        path, digits, points
            As :meth:`formulations.Solution.prove` takes them.

        Raises
        ------
        NoProofError
            If the vocabulary of proofs has no words for the kernel or the loss.
        """
        from formulations.modelling.proving import (  # it takes longer to import than a small fit
            ProofRequest,
            prove_answer,
        )

        self._check_changes()
        return prove_answer(self, self.candidate(answer), ProofRequest.of(path, digits, points))

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
        """Return an answer that is a function alone with the best multipliers that its values determine."""
        return replace(answer, beta=multipliers_at(self.bounds(), answer, self.name))

    def with_exact_kernel(self) -> Self:
        """Return the model of the same samples with the exact kernel, whose values are not computed yet.

        Raises
        ------
        ParameterError
            If the kernel matrix is not a LowRank, or its samples came as a stream.
        """
        return self.bound_to(_approximation_of(self).exact)

    def certify_exact(self, answer: Any, method: Pass = "product") -> ExactKernelCertificate:
        r"""Certify an answer to this model of low rank for the problem with the exact kernel, without storing K.

        A function f over the landmarks has the same norm in the space of the exact kernel. P(f, b) is therefore
        unchanged, and at least the optimum there. The optimum is at least the largest dual value of the multiples t
        beta, which needs beta'K beta::

            D(beta) = target'beta - epsilon'|beta| - 1/2 beta'(K + diag(ridge)) beta.

        Parameters
        ----------
        answer
            As :meth:`certify` takes it: a solution, (beta, b), or an Expansion in the space of this kernel.
        method
            "product": the rows of K between the n samples with a coefficient are computed, block by block, at the cost
            of n^2 / 2 values of the kernel; a stream is read once. "trace": no rows are computed, and beta'K beta is
            bounded by beta'K~ beta + (sum_i \|beta_i\| sqrt(K_ii - K~_ii))^2, which is useful only if the low rank
            leaves next to nothing of the trace.

        Returns
        -------
        ExactKernelCertificate
            Its ``suboptimality`` bounds (P(f, b) - optimum) / \|optimum\|. For random Fourier features, whose functions
            are not in the space of the exact kernel, it is that of sum_j beta_j k(x_j, .), by "product" only.

        Raises
        ------
        ParameterError
            If the kernel matrix is not a LowRank, the model does not penalise f, or the answer is a PrimalFunction.
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
        """Solve the model with the exact kernel, starting from an answer to this model of low rank.

        Parameters
        ----------
        answer
            As :meth:`certify` takes it. A solver that takes a starting point begins there, unless beta = 0 is better:
            few landmarks leave out much of K, and make beta too large.
        tol, **options
            As :meth:`solve` takes them: a solver, ``max_iter``, ``time_limit``, ``cache_size`` ...

        Returns
        -------
        Solution
            The solution of :meth:`with_exact_kernel`, at ``tol`` or the best within the limits.

        Raises
        ------
        ParameterError
            If the kernel matrix is not a LowRank, or its samples came as a stream.
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
