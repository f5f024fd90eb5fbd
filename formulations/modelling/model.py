# SPDX-License-Identifier: BSD-3-Clause
"""What every model is: data, kernel, hyper-parameters, two bounds of its optimum, and how an answer is read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar

from numpy.typing import ArrayLike, NDArray

from formulations.inputs.estimators import Coefficients, is_estimator
from formulations.inputs.fitted import coefficients_for
from formulations.inputs.restating import Restatable
from formulations.inputs.samples import OF_KERNELS, BoundSamples
from formulations.modelling.candidate import Candidate, checked_coefficients, expand, vanishing, with_function_of
from formulations.modelling.cards import Explained, facts_of_model, objective_of, statement_of_model
from formulations.modelling.default import solve_by_request
from formulations.modelling.exact_kernel import approximation_of, certify_exact, refine
from formulations.modelling.failures import infeasible, no_answer, not_an_answer, unbounded
from formulations.modelling.primal import multipliers_at, primal_answer, require_expansion
from formulations.modelling.solution import Run, Scale, Solution
from formulations.modelling.solving import Held, Latest, SolveRequest, structures_of
from formulations.modelling.statement import Stated
from qpkernels.arrays import ChecksKeywords, Vector, check_flag, frozen
from qpkernels.display import Fact, TextbookProblem
from qpkernels.errors import InfeasibleError, ParameterError
from qpkernels.gram import Gram
from qpkernels.problems import (
    Bounds,
    Certificate,
    Enclosure,
    ExactKernelCertificate,
    KernelQP,
    KernelQPBounds,
    LeastSquares,
    LinearSystem,
    Pass,
    Program,
    Status,
    Support,
)
from qpkernels.solvers import SolverLike

__all__ = ["Answered", "Conditions", "Model"]

Conditions: TypeAlias = Mapping[str, Vector]
"""The optimality conditions of each sample, shape (m,), by their formula: what vanishes at an optimum."""

Answered = TypeVar("Answered", bound=Solution, covariant=True)
"""What solving a model of a kind returns."""


class Model(Restatable, Explained, Generic[Answered], metaclass=ChecksKeywords):
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
        Whether there is a b.

    Notes
    -----
    Arguments of the methods of a model:

    answer
        A point to be judged: beta, b and f, and f at the samples.
    weights
        As in :meth:`formulations.modelling.model.Model.certify`.
    bounds
        The two bounds of the optimum that its method ``bounds`` stated.
    certificate, status, run
        What is proved of the answer, what it counts as, and who found it in which time.
    fields
        What the solutions of all models have; see :class:`~formulations.Solution`.
    point
        The solution of a system of linear equations, or of a fit in a norm, in its own variables.
    multipliers
        Those of the residuals of a fit in a norm.
    beta, intercept, b
        Coefficients, shape (m,), and b.
    fitted
        What an estimator of scikit-learn holds.
    message
        What a solver said that gave no answer.
    """

    catalogue: ClassVar[str]
    """Id of the problem in the catalogue of models."""

    linear: ClassVar[bool] = False
    """Whether the optimality conditions of its KernelQP are equations only, which linear algebra solves."""

    sparse: ClassVar[bool] = True
    """Whether an answer may have coefficients that are 0: whether there is such a thing as a support vector."""

    expands: ClassVar[bool] = True
    """Whether the beta of an optimum are coefficients of f; otherwise they are multipliers only."""

    cone_solver: ClassVar[str] = "clarabel"
    """The solver of cone programs that suits its forms."""

    counts: ClassVar[str] = ""
    """The function that its value is of; empty: that of its first primal form."""

    hard: ClassVar[bool] = False
    """Whether there are constraints without slack: the model may have no answer, and says why."""

    coefficient: ClassVar[str] = "beta"
    """beta in the letters of the dual, as ``beta = y a``."""

    estimator: ClassVar[str] = "estimator"
    """What scikit-learn calls it."""

    elsewhere: ClassVar[Mapping[str, str]] = OF_KERNELS

    classes: NDArray[Any] | None = None
    """The labels of negative and positive values, where the model has classes."""

    def __init__(self, data: BoundSamples, fit_intercept: bool = True, **values: Any) -> None:
        self.data = data
        self.gram: Gram = data.gram
        self.fit_intercept = check_flag(fit_intercept, "fit_intercept")
        self.make_parameters(values)
        self.check_parameters()
        self.freeze()

    def __len__(self) -> int:
        """Return the number m of samples."""
        return len(self.gram)

    @cached_property
    def forms(self) -> Mapping[str, Any]:
        """The forms of the model by name, the usual one first: ``model.forms["dual"]`` is ``model.dual``."""
        return {name: getattr(self, name) for name, _ in Stated.of(type(self))}

    @cached_property
    def latest(self) -> Latest:
        """The last answer to the textbook's problem, which its forms show in their variables."""
        return Latest()

    @property
    def scale(self) -> Scale:
        """In which scale its value counts, that of its certificates and of its solutions where no form is named."""
        forms: tuple[tuple[str, Any], ...] = Stated.of(type(self))
        stated = (form.textbook for _, form in forms if not form.is_dual)
        return Scale(self.counts or objective_of(self, next(stated, None)))

    def qp(self) -> KernelQP | None:
        """State the model as a KernelQP, from the textbook and not from its forms; None if it is none."""
        return None

    def bounds(self) -> Bounds:
        """State the model for its certificate: the KernelQP, or else two bounds of its own."""
        program = self.qp()
        if program is None:
            raise NotImplementedError(f"a {self.name} that is no KernelQP must say how its optimum is bounded")
        return KernelQPBounds(program)

    def linear_system(self, bounds: Bounds) -> LinearSystem | LeastSquares | None:
        """State the model, whose bounds are these, as a problem of linear algebra, or None if it is none."""
        return bounds.program.linear_system() if self.is_linear and isinstance(bounds, KernelQPBounds) else None

    @property
    def is_linear(self) -> bool:
        """Whether it is :attr:`linear`, and no coefficient is held at 0, as that of an absent sample is."""
        return self.linear and self.absent.size == 0

    def programs(self, bounds: Bounds) -> tuple[Program, ...]:
        """Return the programs whose answers are the model's, without CVXPY, the most special first."""
        return structures_of(bounds, self.linear_system(bounds))

    @property
    def statement(self) -> TextbookProblem | None:
        """The problem of the usual form in maths; None where its class does not say."""
        return statement_of_model(self)

    def facts(self) -> Iterator[Fact]:
        """Yield data, kernel, hyper-parameters, intercept, forms and solvers."""
        return facts_of_model(self)

    @abstractmethod
    def conditions(self, answer: Candidate) -> Conditions:
        """Return the optimality conditions of each sample."""

    @property
    def total(self) -> float | None:
        """The value of 1'beta that the intercept demands: 0, or None without an intercept."""
        return 0.0 if self.fit_intercept else None

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
            that is predicted to need less than what is missing. A LevelQP goes to interior-point, one of many samples
            first to level-search, a penalised risk with smooth losses to newton, a linear system to conjugate-gradient
            or linear, whichever is expected to be less work, a fit in a norm to frisch-newton, the linear program
            machine to highs, any other model to clarabel.
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
            Let the solver print its progress.
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
        request = SolveRequest(solver, tol, max_iter, time_limit, warm_start, verbose, options)
        self.check_parameters()
        bounds = self.bounds()
        found: Answered = solve_by_request(self, request, bounds, self.programs(bounds), lambda: self.forms.values())
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
        self.check_parameters()
        return self.judge(self.candidate(answer, weights), self.bounds())

    def enclose(self, answer: Any, *, weights: bool | None = None) -> Enclosure:
        """Return an interval that holds the optimum in exact arithmetic, given an answer as :meth:`certify` takes it.

        The problem is that of samples, targets and parameters as they are in float64, and of their exact kernel matrix.

        Raises
        ------
        NoEnclosureError
            If nothing is known of the rounding errors of this kernel, loss or model.
        """
        self.check_parameters()
        require_expansion(answer)
        return self.enclose_by(self.candidate(answer, weights), self.bounds())

    def enclose_by(self, answer: Candidate, bounds: Bounds) -> Enclosure:
        """Enclose the optimum by ``bounds``."""
        return bounds.enclose(answer.beta, answer.intercept, answer.own_expansion(self.gram))

    def judge(self, answer: Candidate, bounds: Bounds) -> Certificate:
        """Bound the error of an answer by ``bounds``."""
        return answer.judged_by(bounds)

    def hold(self, answer: Candidate, certificate: Certificate, status: Status, bounds: Bounds) -> None:
        """Keep the answer for the forms to show, at the points that were certified."""
        self.latest.answer = Held(answer, bounds, certificate, status is Status.OPTIMAL, self.parameter_values())

    def certified(self, answer: Candidate, bounds: Bounds) -> Candidate:
        """Return the feasible points, near an answer, whose values its certificate has: what is handed out.

        Where f misses a hard constraint, or a costly one by rounding, f and b are moved to where it holds.
        """
        return answer.at_feasible(bounds, self.data)

    def solution(self, answer: Candidate, certificate: Certificate, bounds: Bounds, run: Run) -> Answered:
        """Return the answer in the terms of the model: support, interval and conditions by the same arrays."""
        support = self.support(answer, bounds)
        return self.interpret(
            answer,
            certificate=replace(certificate, asked=run.tol),
            intercept=answer.intercept,
            intercept_interval=bounds.interval(answer.beta, answer.at_samples.values, answer.intercept, support),
            beta=frozen(answer.beta),
            multipliers=None if answer.multipliers is None else frozen(answer.multipliers),
            support=support,
            sparse=self.sparse,
            function=answer.function,
            decision=frozen(answer.decision),
            conditions=self.conditions(answer),
            coefficient=self.coefficient,
            correction=self.gram.correction,
            **vars(run),
        )

    def support(self, answer: Candidate, bounds: Bounds) -> Support:
        """Return the support vectors; all samples of a model whose coefficients are dense."""
        return bounds.support(answer.beta, answer.decision) if self.sparse else Support.of_all(len(self))

    @abstractmethod
    def interpret(self, answer: Candidate, **fields: Any) -> Answered:
        """Make the solution of this kind of model; ``fields`` are those that all have."""

    # Answers, read --------------------------------------------------------------------------------------------

    def candidate(self, answer: Any, weights: bool | None = None) -> Candidate:
        """Read an answer as :meth:`formulations.modelling.model.Model.certify` takes it, or refuse it."""
        if isinstance(answer, Candidate):
            return answer
        if (primal := primal_answer(self, answer, weights)) is not None:
            return self.completed(primal) if primal.is_squarable else primal
        if isinstance(answer, Solution):
            return with_function_of(answer, self.from_coefficients(answer.beta, answer.intercept), self.gram)
        if is_estimator(answer):
            return self.from_coefficients(*coefficients_for(self, answer, self.translate))
        if isinstance(answer, tuple) and len(answer) == 2:
            return self.from_coefficients(*answer)
        raise not_an_answer(answer, self.estimator)

    def completed(self, answer: Candidate) -> Candidate:
        """Return an answer that is a function alone with the best multipliers that its values tell."""
        return replace(answer, beta=multipliers_at(self.bounds(), answer, self.name))

    def translate(self, fitted: Coefficients) -> tuple[Vector, float]:
        """Return (beta, b) in the scaling of this model of what an estimator of scikit-learn holds."""
        return fitted.dual, fitted.intercept

    def from_coefficients(self, beta: Any, intercept: Any) -> Candidate:
        """Return the answer whose function is the expansion in beta."""
        coefficients, b = checked_coefficients(beta, intercept, len(self))
        return expand(self.gram, coefficients, self.checked_intercept(b), self.classes)

    def checked_intercept(self, b: float) -> float:
        """Return b, or refuse it where the model has none."""
        if b != 0.0 and not self.fit_intercept:
            raise ParameterError(f"this {self.name} has no intercept, but b = {b:g} came; state it with fit_intercept.")
        return float(b)

    def vanishing(self, answer: Candidate, bounds: Bounds) -> Candidate | None:
        """Return the answer that proves an optimum of 0 if it is 0, near ``answer``; None: it cannot be."""
        del answer
        point = bounds.vanishing()
        return None if point is None else vanishing(self.gram, *point, self.classes)

    def from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read an answer from the solution of :meth:`formulations.modelling.model.Model.linear_system`."""
        return expand(self.gram, point, intercept, self.classes)

    def from_fit(self, point: Vector, multipliers: Vector) -> Candidate:
        """Read an answer from the u and v of a ResidualNorm, in models that are one."""
        raise NotImplementedError(f"a {self.name} is no fit in a norm")

    # No answer, explained -------------------------------------------------------------------------------------

    def contradiction(self, message: str) -> InfeasibleError | None:
        """Return the error if nothing satisfies the textbook's constraints, or None if that cannot be shown.

        Models with hard constraints decide here, in their own terms, what becomes of a solver's claim.
        """
        del message
        return None

    def explain_failure(self, message: str) -> Exception:
        """Return the error to raise when a solver gives no point, or none that its claim would need."""
        return self.contradiction(message) or no_answer(self.name, message)

    def explain_divergence(self, beta: Vector, message: str) -> Exception:
        """Return the error to raise when the objective of a KernelQP falls without bound.

        Parameters
        ----------
        beta
            Where the coefficients went, shape (m,).
        """
        del beta
        return self.explain_failure(message)

    def explain_infeasible(self, certificate: Certificate, multipliers: Vector, message: str) -> Exception:
        """Return the error to raise when no point satisfies the constraints of a textbook form.

        Parameters
        ----------
        certificate
            The proof that none does.
        multipliers
            Shape (rows of A,): what the proof weighs the constraints of the form, in its matrices, by.
        """
        if self.hard:
            unproved = f"{message}, but exact arithmetic does not prove it"
            return self.contradiction(message) or no_answer(self.name, unproved)
        return infeasible(self.name, certificate, multipliers, message)

    def explain_unbounded(self, certificate: Certificate, message: str) -> Exception:
        """Return the error to raise when the objective of a textbook form is proved to be unbounded below.

        Parameters
        ----------
        certificate
            The proof that it is.
        """
        return self.explain_failure(message) if self.hard else unbounded(self.name, certificate, message)

    # The exact kernel, of a matrix of low rank ----------------------------------------------------------------

    def with_exact_kernel(self) -> Self:
        """Return the same model of the same samples with the exact kernel, of which nothing is computed yet.

        Raises
        ------
        ParameterError
            If the kernel matrix is no LowRank, or its samples came as a stream.
        """
        return self.bound_to(approximation_of(self).exact)

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
        return certify_exact(self, answer, method)

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
        return refine(self, answer, tol, options)
