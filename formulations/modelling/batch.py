# SPDX-License-Identifier: BSD-3-Clause
"""Several models on samples of one kernel matrix, trained together.

KernelQPs that a batch takes are solved there and share its kernel values. All other models, and those that the batch
leaves unproved, are solved one by one in threads. Either way, solving the model by itself would return the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

from formulations.modelling.model import Model
from formulations.modelling.routes import array_of, memory_of, solution_of, solve_structure
from formulations.modelling.solution import Solution
from formulations.modelling.solving import SolveRequest, status_of
from qpkernels.arrays import Indices, Vector, check_tolerance, is_integer, shown
from qpkernels.arrays.threads import in_this_thread, threads
from qpkernels.errors import ParameterError, QPKernelsError
from qpkernels.gram import Gram
from qpkernels.problems import Bounds, Certificate, KernelQP, KernelQPBounds, LinearSystem, Status
from qpkernels.problems.kernel_qp.bounds import split_support
from qpkernels.solvers import Request, SolverLike, find_solver
from qpkernels.solvers.automatic import AutomaticSystem, first_order, second_order_comes_first
from qpkernels.solvers.interface import time_left

if TYPE_CHECKING:
    from qpkernels.families.batch import Fitted
    from qpkernels.families.batch.arrays import KernelQPs, Solved

__all__ = [
    "Part",
    "Report",
    "Solutions",
    "Trained",
    "as_arrays",
    "check_jobs",
    "coefficients_of",
    "is_plain",
    "solve_arrays",
    "solve_systems",
    "train",
    "train_one",
    "trained_as_array",
]

Answered = TypeVar("Answered", bound=Solution)


def solve_systems(models: Sequence[Model[Answered]], *, tol: float) -> list[Answered]:
    """Solve and certify each model, as its own ``solve`` does without a solver's name."""
    stated: list[tuple[Model[Answered], Bounds, LinearSystem | None]] = []
    for model in models:
        model._check_changes()
        bounds = model.bounds()
        program = model.linear_system(bounds)
        own = program if isinstance(program, LinearSystem) and program.is_expansion else None
        stated.append((model, bounds, own))
    backend = AutomaticSystem([program for _, _, program in stated if program is not None])
    return [_solved(*each, backend, tol) for each in stated]


def _solved(
    model: Model[Answered], bounds: Bounds, program: LinearSystem | None, backend: AutomaticSystem, tol: float
) -> Answered:
    if program is not None:
        request = SolveRequest(None, Request(tol))
        solution = solve_structure(model, program, backend, request, bounds)
        if solution.status is Status.OPTIMAL:
            return solution
    return model.solve(tol=tol)


_MOST_THREADS = 4096

_OF_A_BATCH = frozenset({"max_iter", "time_limit", "cache_size"})
"""Options that have the same meaning in a batch."""

Known = TypeVar("Known")


@dataclass(frozen=True, eq=False)
class Part:
    """One of several models that are stated on samples of a kernel matrix they share.

    Attributes
    ----------
    state
        A callable that makes the model, on ``gram.part(samples)`` or on the shared ``gram`` itself, when it is needed.
    samples
        Numbers of its samples in the shared matrix.
    after
        Number of an earlier part from which it may start.
    held_out
        Numbers of samples at which its decision values are requested.
    """

    state: Callable[[], Model[Any]]
    samples: Indices
    after: int | None = None
    held_out: Indices | None = None

    @classmethod
    def of(cls, model: Model[Any], samples: Indices, after: int | None = None, held_out: Indices | None = None) -> Part:
        """Return the part that a ``model`` is."""
        return cls(lambda: model, samples, after, held_out)

    @cached_property
    def model(self) -> Model[Any]:
        """The model."""
        return self.state()


@dataclass(frozen=True, eq=False)
class Trained(Generic[Answered]):
    """The answer of a part. Its certificate and the Solution are made on request.

    Attributes
    ----------
    status, relative_gap
        The proved status at the requested tolerance, and the gap of the certificate.
    beta, intercept
        The point of the dual, shape (number of its samples,), and b.
    held_out
        f(x) + b at the samples held out, or None.
    iterations, seconds
        The work of its solver. Work that the machines of a batch share is not divided among them.
    expand
        A callable that finds the coefficients of the function if the model was solved by itself; None: they are beta.
    free_margin
        rho of a margin that is found along with f, where it is known without the Solution.
    own_weights
        The weights of the explicit features, if the model was solved in these.
    """

    status: Status
    relative_gap: float
    beta: Vector
    intercept: float
    held_out: Vector | None
    iterations: int | None
    seconds: float
    prove: Callable[[], Certificate]
    count_support: Callable[[], int | None]
    state: Callable[[], Answered]
    expand: Callable[[], Vector | None] | None = None
    free_margin: float | None = None
    own_weights: Vector | None = None

    @classmethod
    def of(cls, model: Model[Answered], solution: Answered, held_out: Vector | None = None) -> Trained[Answered]:
        """Return what the solution of a ``model`` says."""
        return cls(
            solution.status,
            solution.certificate.relative_gap,
            solution.beta,
            solution.intercept,
            held_out,
            solution.iterations,
            solution.seconds.total,
            prove=partial(getattr, solution, "certificate"),
            count_support=partial(getattr, solution, "n_support"),
            state=partial(_itself, solution),
            expand=partial(coefficients_of, model, solution),
        )

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate."""
        return self.prove()

    @cached_property
    def n_support(self) -> int | None:
        """Number of support vectors; None of a model whose coefficients are dense."""
        return self.count_support()

    @cached_property
    def coefficients(self) -> Vector | None:
        """The coefficients of the proved function over its samples, with the kernel as given, or None.

        They are beta, unless the matrix was clipped. Another function, such as one of weights, is not a sum over
        samples, and where rounding is large the expansion in beta may be far from it.
        """
        return self.beta if self.expand is None else self.expand()

    @cached_property
    def weights(self) -> Vector:
        """Those of the features that a linear kernel is of."""
        weights: Vector = self.solution.function.weights if self.own_weights is None else self.own_weights
        return weights

    @cached_property
    def solution(self) -> Answered:
        """The Solution, as solving the model alone returns it."""
        return self.state()


Report = Callable[[int, "Trained[Any] | QPKernelsError"], None]
"""A callable that is given the number of a part and its answer, as soon as there is one."""


class Solutions(Sequence[Answered]):
    """The solutions of several models, each made when it is first asked for."""

    def __init__(self, trained: Sequence[Trained[Answered]]) -> None:
        self.trained = tuple(trained)

    def __len__(self) -> int:
        """Return their number."""
        return len(self.trained)

    @overload
    def __getitem__(self, index: int) -> Answered: ...
    @overload
    def __getitem__(self, index: slice) -> Solutions[Answered]: ...
    def __getitem__(self, index: int | slice) -> Answered | Solutions[Answered]:
        """Return a solution, or several by a slice."""
        return Solutions(self.trained[index]) if isinstance(index, slice) else self.trained[index].solution


def check_jobs(n_jobs: object) -> int:
    """Return a number of threads, where -1 stands for one on each core.

    Raises
    ------
    ParameterError
        If it is not such a number.
    """
    if not is_integer(n_jobs) or n_jobs == 0 or abs(n_jobs) > _MOST_THREADS:
        raise ParameterError(f"n_jobs must be a number of threads, or -1 for all cores, but {shown(n_jobs)} came.")
    return int(n_jobs)


def train(
    gram: Gram,
    parts: Sequence[Part],
    *,
    tol: float,
    solver: SolverLike | None = None,
    options: Mapping[str, Any] | None = None,
    n_jobs: int = -1,
    report: Report | None = None,
    programs: KernelQPs | None = None,
) -> list[Trained[Any] | QPKernelsError]:
    """Solve all parts; a part without an answer gives its error in place of one.

    Parameters
    ----------
    gram
        The kernel matrix that they share.
    parts
        The models, where each comes after the one from which it may start.
    tol, solver, options
        As in :meth:`~formulations.modelling.model.Model.solve`, for each. The ``time_limit`` of a model does not
        include the work that they share. With another solver than smo, or other options than ``max_iter``,
        ``time_limit`` and ``cache_size`` (MiB of kernel values), every model is solved by itself.
    n_jobs
        Number of threads; -1: one for each core.
    report
        A callable that is given every answer as soon as there is one.
    programs
        The parts as arrays, where they are KernelQPs. These are solved first, and proved parts need no model.
    """
    check_jobs(n_jobs)
    tol = check_tolerance(tol)
    if solver is not None:
        find_solver(solver)
    chosen = dict(options or {})
    answers: list[Trained[Any] | QPKernelsError | None] = [None] * len(parts)
    begun: Mapping[int, Trained[Any]] = {}
    spent: dict[int, float] = {}

    def keep(number: int, answer: Trained[Any] | QPKernelsError) -> None:
        answers[number] = answer
        if report is not None:
            report(number, answer)

    request = _request(solver, tol, chosen)
    if programs is not None and request.suits_arrays:
        begun = dict(_train_as_arrays(programs, parts, tol, chosen, n_jobs, keep))
    if solver in (None, "smo") and chosen.keys() <= _OF_A_BATCH and not begun and None in answers:
        spent = _train_together(gram, parts, request, chosen, n_jobs, keep)
    alone = [number for number, answer in enumerate(answers) if answer is None]
    if alone and parts[alone[0]].model.gram is gram:
        # Of models that share all samples, the first makes what all need of the kernel matrix.
        first = alone.pop(0)
        keep(first, _train_alone(gram, parts[first], _left(request, spent.get(first, 0.0)), begun.get(first)))
    if alone:
        from joblib import Parallel, delayed

        task = delayed(_in_its_thread)
        tasks = (task(gram, parts[k], _left(request, spent.get(k, 0.0)), begun.get(k)) for k in alone)
        found = Parallel(n_jobs=threads(n_jobs), prefer="threads", return_as="generator")(tasks)
        for number, answer in zip(alone, found, strict=True):
            keep(number, answer)
    return [answer for answer in answers if answer is not None]


def train_one(
    model: Model[Answered], *, tol: float, solver: SolverLike | None = None, **options: Any
) -> Trained[Answered]:
    """Solve a model. If the answer is proved as an array, the Solution is made on request.

    Parameters
    ----------
    tol, solver, **options
        As in :meth:`~formulations.modelling.model.Model.solve`.
    """
    request = _request(solver, tol, options)
    programs = as_arrays(model) if request.suits_arrays else None
    solved = None if programs is None else solve_arrays(programs, tol, options, 1)
    if solved is None:
        return Trained.of(model, model._solve_by(request))
    # Values of hyper-parameters that are set later are none of this answer.
    answer = trained_as_array(Part.of(model._as_it_is(model.gram), solved.programs.samples), solved, 0, tol)
    if solved.proved(tol)[0]:
        return answer
    return Trained.of(model, model._solve_by(request, replace(answer, status=Status.STOPPED).solution))


def _request(solver: SolverLike | None, tol: float, options: Mapping[str, Any]) -> SolveRequest:
    """Return what is asked of each."""
    limits = {name: options[name] for name in ("max_iter", "time_limit") if name in options}
    others = {name: value for name, value in options.items() if name not in limits}
    of_any = Request(tol, **limits, verbose=others.pop("verbose", False))
    return SolveRequest(solver, of_any, others.pop("warm_start", None), others)


def is_plain(request: Mapping[str, Any]) -> bool:
    """Return whether nobody is named who solves, and nothing but the memory is limited."""
    given = {name for name, value in request.items() if value is not None}
    return request.keys() <= _OF_A_BATCH | {"solver", "tol"} and given <= {"cache_size", "tol"}


def as_arrays(model: Model[Any]) -> KernelQPs | None:
    """Return a model as arrays, if it is a KernelQP of few samples with finite bounds, or has a free margin."""
    bounds = model.bounds()
    return array_of(model, model.programs(bounds), bounds)


def _train_as_arrays(
    programs: KernelQPs, parts: Sequence[Part], tol: float, options: Mapping[str, Any], n_jobs: int, keep: Report
) -> Iterator[tuple[int, Trained[Any]]]:
    """Solve the parts as arrays, if these suit; keep what that proves, and yield where the others stand, by number."""
    if (solved := solve_arrays(programs, tol, options, n_jobs)) is None:
        return
    for number, proved in enumerate(solved.proved(tol).tolist()):
        answer = trained_as_array(parts[number], solved, number, tol)
        if proved:
            keep(number, answer)
        else:
            yield number, replace(answer, status=Status.STOPPED)


def solve_arrays(programs: KernelQPs, tol: float, options: Mapping[str, Any], n_jobs: int) -> Solved | None:
    """Lower the gaps of arrays of machines by few steps; return None if they are not of this kind."""
    from qpkernels.families.batch.arrays import solve_kernel_qps

    most = options.get("max_iter")
    return solve_kernel_qps(programs, tol=tol, memory=memory_of(options), jobs=n_jobs, max_iter=most)


def trained_as_array(part: Part, solved: Solved, number: int, tol: float) -> Trained[Any]:
    """Return the answer of a part that is proved as the machine of the given number in an array."""
    return Trained(
        Status.OPTIMAL,
        float(solved.relative_gaps[number]),
        solved.beta[solved.programs.rows(number)],
        float(solved.intercepts[number]),
        solved.held_out[number] if solved.held_out else None,
        int(solved.steps[number]),
        solved.seconds / len(solved.programs),
        prove=partial(solved.certificate, number, tol),
        count_support=partial(_support_of, solved, number),
        state=partial(_solution_of, part, solved, number, tol),
        free_margin=solved.margin(number),
        own_weights=None if solved.weights is None else solved.weights[number],
    )


def _support_of(solved: Solved, number: int) -> int:
    return len(split_support(solved.programs.program(number), *solved.point(number)))


def _solution_of(part: Part, solved: Solved, number: int, tol: float) -> Solution:
    found: Solution = solution_of(part.model, part.model.bounds(), solved.fitted(number, tol), tol)
    return found


def _left(request: SolveRequest, spent: float) -> SolveRequest:
    """Return the request with the time that is left of its limit after the given seconds."""
    limit = request.of_any.time_limit
    if limit is not None and spent:
        request = replace(request, of_any=request.of_any.having(time_limit=time_left(limit, spent)))
    return request


def _train_together(
    gram: Gram,
    parts: Sequence[Part],
    request: SolveRequest,
    options: Mapping[str, Any],
    n_jobs: int,
    keep: Report,
) -> dict[int, float]:
    """Solve what a batch takes, and keep what it proves, or what the user's limit leaves unproved.

    Return the seconds that were spent on the others, by the number of the part. If no solver was named, a problem of
    all samples that few features make easier for another method is not among them.
    """
    tol = request.of_any.tol
    spent: dict[int, float] = {}
    if gram.indefinite != "refuse" and not gram.by_construction:
        # Each part of such a matrix may be corrected in another way.
        return spent
    # Its compiled loops need numba, which takes its time to import.
    from qpkernels.families.batch import Machine, solve_batch

    numbers: list[int] = []
    stated: list[KernelQPBounds] = []
    for number, part in enumerate(parts):
        bounds = None if part.model.entry.linear or part.model.entry.hard else part.model.bounds()
        apart = request.solver is None and part.model.gram is gram
        if isinstance(bounds, KernelQPBounds) and not (apart and _prefers_features(bounds.program)):
            numbers.append(number)
            stated.append(bounds)
    place = {number: k for k, number in enumerate(numbers)}
    machines = [
        Machine(bounds.program, parts[number].samples, place.get(_after(parts[number])), parts[number].held_out)
        for number, bounds in zip(numbers, stated, strict=True)
    ]

    def receive(k: int, fitted: Fitted | QPKernelsError) -> None:
        if isinstance(fitted, QPKernelsError):
            keep(numbers[k], fitted)
        elif not fitted.certificate.primal_residual and (
            request.ended(fitted.outcome) or fitted.certificate.holds(tol)
        ):
            keep(numbers[k], _of_batch(parts[numbers[k]].model, stated[k], fitted, tol))
        else:
            spent[numbers[k]] = fitted.outcome.seconds

    solve_batch(gram, machines, tol=tol, n_jobs=threads(n_jobs), report=receive, **options)
    return spent


def _prefers_features(program: KernelQP) -> bool:
    second = program.gram.explicit is not None and second_order_comes_first(program)
    return second or first_order(program).solver != "smo"


def _after(part: Part) -> int:
    return -1 if part.after is None else part.after


def _of_batch(model: Model[Any], bounds: KernelQPBounds, fitted: Fitted, tol: float) -> Trained[Any]:
    outcome = fitted.outcome
    return Trained(
        status_of(fitted.certificate, outcome.claim, tol),
        fitted.certificate.relative_gap,
        outcome.point,
        fitted.intercept,
        fitted.held_out,
        outcome.iterations,
        outcome.seconds,
        prove=partial(replace, fitted.certificate, asked=tol),
        count_support=partial(_support, model, bounds, fitted),
        state=partial(solution_of, model, bounds, fitted, tol),
    )


def _support(model: Model[Any], bounds: KernelQPBounds, fitted: Fitted) -> int | None:
    beta, values = fitted.outcome.point, fitted.outcome.values
    known = model.gram.product(beta) if values is None else values
    return len(bounds.support(beta, known + fitted.intercept)) if model.entry.sparse else None


def _in_its_thread(*task: Any) -> Trained[Any] | QPKernelsError:
    with in_this_thread():
        return _train_alone(*task)


def coefficients_of(model: Model[Any], solution: Solution) -> Vector | None:
    """Return :attr:`Trained.coefficients` of a solution."""
    own, proved = solution.beta, solution.function.coefficients
    if model.gram.correction is not None:
        own = model.gram.expansion_coefficients(own)
    return own if np.array_equal(proved[proved != 0], own[own != 0]) else None


def _train_alone(
    gram: Gram, part: Part, request: SolveRequest, begun: Trained[Any] | None
) -> Trained[Any] | QPKernelsError:
    """Solve the model of a part, from where it was ``begun``."""
    try:
        solution = part.model._solve_by(
            replace(request, begun=perf_counter()), None if begun is None else begun.solution
        )
        held_out = None if part.held_out is None else gram.values(solution.function, part.held_out)
    except QPKernelsError as error:
        return error
    return Trained.of(part.model, solution, held_out)


def _itself(known: Known) -> Known:
    return known
