# SPDX-License-Identifier: BSD-3-Clause
r"""A statement about functions, solved as the most specific program that it is an instance of, with its proof.

Let v be the values of finitely many functionals of the functions, z ordinary variables, and h convex by CVXPY's rules
and nondecreasing in the norms. A statement is

    min  h(v, z, ||f_1||, ..., ||f_p||)

By the representer theorem an optimum is in the span of the functionals' representers, so that with G = <l_r, l_s> the
problem is finite: v = G beta. Where ||f||^2 is penalised, its dual is max -1/2 beta'G beta - h*(-beta), and both values
are bounds in the whole space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.language.compiled import (
    Compiled,
    Found,
    InCoordinates,
    found_by,
    in_coordinates,
    recognised,
    require_penalties,
)
from formulations.language.everywhere import Everywhere, bracketed
from formulations.language.function import Combination, FittedFunction, Function, Norm, Values, refuse_tables
from formulations.language.predicting import predictor_of
from formulations.language.recognition import NotSeparable
from formulations.language.words import culprit, dual_in_words, in_words
from formulations.modelling.failures import infeasible, no_answer, unbounded
from formulations.modelling.lowering import lower
from formulations.modelling.prediction import Predictor
from formulations.modelling.reasons import Contradiction, proof_of
from formulations.modelling.routes import FEW, memory_of
from formulations.modelling.solution import Seconds
from formulations.modelling.solving import SolveRequest, first_taken, is_finite, quote, status_of
from formulations.modelling.statement import constraint_of
from qpkernels.arrays import Vector, is_sparse, shown
from qpkernels.diagnosis import Conflict, Ray, find_conflict
from qpkernels.display import Card, Carded, Fact
from qpkernels.errors import (
    InfeasibleError,
    NoEnclosureError,
    NonFiniteError,
    NoProofError,
    ParameterError,
    ShapeError,
    SolverFailedError,
    UnboundedError,
    UnsupportedProgramError,
)
from qpkernels.files import write
from qpkernels.problems import Certificate, ConeProgram, Enclosure, KernelQP, MultipleKernelQP, Program, Status
from qpkernels.problems.certificate import shortfall
from qpkernels.solvers import Claim, Outcome, Request, Solver, SolverLike, find_solver
from qpkernels.solvers.interface import Method

if TYPE_CHECKING:
    from qpkernels.files.proofs import Proof

__all__ = ["Machine", "MachineSolution"]

_CLOSER = 1e-3
"""Share of the tolerance that a solver of cones is asked for again, where its answer is not proved."""


_ROUNDING = 1e-10
"""Share of the largest factor of functions under norms within which a combination of these is rounding."""

_PROVING = (1e-9, 1e-11, 1e-13)
"""Tolerances of the answers that are proved."""


@dataclass(frozen=True, eq=False, repr=False)
class MachineSolution(Carded):
    """The answer to a statement, with a proof of how good it is.

    Attributes
    ----------
    objective
        The value of the statement at the functions and variables that were found.
    status, certificate, tol
        The status, its proof, and the requested tolerance. The values of the certificate are those of the statement as
        a minimisation. Its gap is relative to the value of the program that was solved, which may lack a constant.
    factor
        The objective divided by the value of the statement as a minimisation: -1 for a maximisation, and 1 otherwise.
    program
        The name of that program.
    functions
        The functions that were found, by their unknowns.
    variables
        The numbers that were found for variables, and the values of the parameters at that time, by their ids.
    solver, claim, message, iterations, seconds
        The solver, and its report.
    bracket
        For a statement with constraints everywhere, the values between which its optimum lies, as the certificate
        proves. The lower value is proved by a relaxation; the functions attain the upper one.

    Examples
    --------
    >>> import cvxpy as cp
    >>> from formulations.language import Function, Machine
    >>> from qpkernels import RBF
    >>> f = Function(RBF(1.0))
    >>> misfit = cp.sum_squares(f([[0.0], [1.0]]) - [1.0, 2.0])
    >>> solution = Machine(cp.Minimize(f.squared_norm + misfit)).solve()
    >>> print(solution.status, f"{solution.objective:.4f}")
    optimal 2.2068
    """

    objective: float
    status: Status
    certificate: Certificate
    tol: float
    factor: float
    program: str
    functions: dict[Function, FittedFunction] = field(repr=False)
    variables: dict[int, Any] = field(repr=False)
    solver: str
    claim: Claim
    message: str
    iterations: int | None
    seconds: Seconds
    _made: Compiled = field(repr=False)
    _found: Found = field(repr=False)
    bracket: tuple[float, float] | None = None

    def function(self, f: Combination) -> FittedFunction:
        """Return the function that was found for ``f``, or for a sum of functions of one kernel.

        Parameters
        ----------
        f
            A Function of the statement, or a combination of such functions.

        Raises
        ------
        ParameterError
            If it is not in the statement, or is a sum of functions in several spaces.
        """
        if not isinstance(f, Combination):
            raise ParameterError(
                f"the function of a statement is a Function, a sum of such, or an output of a VectorFunction, as in "
                f"solution.function(f[0]), but {shown(f)} came."
            )
        missing = [each.name for _, each in f.terms if each not in self.functions]
        if missing:
            raise ParameterError(f"{missing[0]} is not part of this statement, so that no function was found for it.")
        f.require_one_space()
        return found_by(f, self.functions)

    def predictor(
        self, decides: Callable[[Any], Any], *, classes: ArrayLike | None = None, thresholds: Any = None
    ) -> Predictor:
        """Return a machine for new samples, x -> g(x) or a class by it, which predicts and is saved by itself.

        g is affine in values and derivatives of functions and in x; variables have the values that were found here.

        Parameters
        ----------
        decides
            X -> g(X): a callable that returns one expression, such as ``lambda X: f(X) + X @ w + b``, or a list with
            one for each class or target. A function of the statement, such as ``f`` or ``f + g``, will do.
        classes
            Labels: for one g, the label of values below 0 and that of values above; for K, the label of each, and the
            largest value decides. None: the values themselves are predicted.
        thresholds
            For one g and K classes in ascending order, the K - 1 numbers between them, which may be variables.

        Raises
        ------
        ParameterError, ShapeError, LabelError
            If g is not affine, or has a function or variable that is not in the statement, or if the numbers of classes
            and thresholds do not fit.

        Examples
        --------
        >>> import cvxpy as cp
        >>> from formulations import Function, Machine
        >>> from qpkernels import RBF
        >>> f, b = Function(RBF(1.0)), cp.Variable()
        >>> loss = cp.sum_squares(f([[0.0], [1.0], [2.0]]) + b - [-1.0, 1.0, 1.0])
        >>> solution = Machine(cp.Minimize(0.1 * f.squared_norm + loss)).solve()
        >>> print(solution.predictor(lambda X: f(X) + b, classes=["low", "high"]).predict([[0.1], [1.2]]))
        ['low' 'high']
        """
        return predictor_of(decides, self.functions, self.variables, classes, thresholds)

    @property
    def kind(self) -> str:
        """The name of the class of the program."""
        return type(self._made.program).__name__

    def enclose(self) -> Enclosure:
        """Return an interval that holds the optimum of the statement in exact arithmetic, where it is a KernelQP.

        The kernel matrix is the exact one of the samples.

        Raises
        ------
        NoEnclosureError
            If it is another program, the rounding errors of its kernel are not known, or constraints hold everywhere.
        """
        if self.bracket is not None:
            raise NoEnclosureError(
                "the optimum of a statement with constraints everywhere is not enclosed in exact arithmetic; its "
                "bracket is proved up to rounding."
            )
        enclosed, offset = self._made.enclose(self._found), self._found.offset
        lower, upper = _outwards(enclosed.lower, enclosed.upper, offset)
        return Enclosure(lower, upper) if self.factor > 0 else Enclosure(-upper, -lower)

    def prove(self, path: str | Path | None = None) -> Proof:
        """Return the proof in exact arithmetic of an interval that holds the optimum, for any reader to check.

        It is a proof of the program as a minimisation: of the kernel machine with the kernel's exact values, or of the
        matrices with coordinates of functions as they were rounded. The words in the proof say so, and which constant
        of the statement is not in it.

        Parameters
        ----------
        path
            Where to write it as well.

        Raises
        ------
        NoProofError
            If a portable proof has no words for the program or its kernel, if no point near the answer proves anything,
            or if constraints hold everywhere.
        """
        if self.bracket is not None:
            raise NoProofError(
                "a portable proof has no words for constraints everywhere; the bracket is proved instead."
            )
        proof = self._made.prove(self._found)
        if path is not None:
            proof.write(path)
        return proof

    def explain(self) -> str:
        """Return in words what is proved, and what is missing where that is not enough for ``tol``."""
        proof = self.certificate
        if self.factor < 0:
            proof = replace(proof, primal_value=-proof.dual_value, dual_value=-proof.primal_value)
        return proof.explain(self.tol)

    def card(self) -> Card:
        """Return the status, the objective, the proof, and the solver."""
        low, high = self.bracket or (None, None)
        lacking = shortfall(self.certificate, self.tol)
        facts = (
            Fact("status", str(self.status)),
            Fact("objective", f"{self.objective:.10g}"),
            *([] if low is None else [Fact("optimum", f"between {low:.10g} and {high:.10g}")]),
            Fact("relative gap", f"{self.certificate.relative_gap:.1e}"),
            *([Fact("lacking", lacking)] if lacking else []),
            Fact("program", self.program),
            Fact("solver", f"{self.solver}, {self.seconds.total:.3g} s"),
        )
        return Card(type(self).__name__, (), facts)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.status}, objective {self.objective:.6g}, by {self.solver}>"


def _outwards(lower: float, upper: float, offset: float) -> tuple[float, float]:
    """Return bounds of an optimum with a constant that it lacked, rounded outwards."""
    if not offset:
        return lower, upper
    return float(np.nextafter(lower + offset, -np.inf)), float(np.nextafter(upper + offset, np.inf))


class Machine(Carded):
    """A convex program about functions in reproducing kernel Hilbert spaces.

    Parameters
    ----------
    objective
        ``cp.Minimize`` or ``cp.Maximize`` of an expression in functionals of :class:`Function`, norms of functions, and
        variables of CVXPY; convex, or concave, by CVXPY's rules.
    constraints
        CVXPY constraints on the same, and constraints at every point of a box; see :class:`Everywhere`.
    name
        Its name in messages.

    Raises
    ------
    ParameterError
        If they are not of this kind, or the norm of a function is nowhere penalised or bounded: the program would not
        see how large the function is away from the points, and might not have a solution.
    UnsupportedProgramError
        If the statement is not convex by CVXPY's rules.

    Examples
    --------
    >>> import cvxpy as cp
    >>> import numpy as np
    >>> from formulations import Function, Machine
    >>> from qpkernels import RBF
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, 1.0, -1.0, 1.0])
    >>> f, b = Function(RBF(1.0)), cp.Variable(name="b")
    >>> hinge = cp.sum(cp.pos(1 - cp.multiply(y, f(X) + b)))
    >>> machine = Machine(cp.Minimize(0.5 * f.squared_norm + hinge))
    >>> solution = machine.solve()
    >>> print(solution.status, f"{solution.objective:.4f}", machine.recognised)
    optimal 3.0671 a KernelQP of 4 functionals with an intercept
    """

    def __init__(self, objective: Any, constraints: Iterable[Any] = (), name: str = "statement") -> None:
        if not isinstance(objective, cp.Minimize | cp.Maximize):
            raise ParameterError(
                f"a Machine takes cp.Minimize(...) or cp.Maximize(...) first, but {shown(objective)} came."
            )
        if not isinstance(constraints, Iterable):
            raise ParameterError(f"a Machine takes a list of constraints, but {shown(constraints)} came; write [...].")
        every = list(constraints)
        self.everywhere = tuple(each for each in every if isinstance(each, Everywhere))
        self._finite = [each for each in every if not isinstance(each, Everywhere)]
        # With constraints everywhere it is the relaxation that is looked at first.
        rows = [each.rows(each.corners()) for each in self.everywhere]
        self.problem, self.name = cp.Problem(objective, [*self._finite, *rows]), str(name)
        for part in (objective.args[0], *self._finite):
            refuse_tables(part)
        variables = self.problem.variables()
        self._compiled: tuple[Compiled | None, str] | None = None
        self._at: list[Any] = []
        self._spanned: InCoordinates | None = None
        self._found: tuple[Compiled, Vector] | None = None
        self.values = tuple(each for each in variables if isinstance(each, Values))
        self.norms = tuple(each for each in variables if isinstance(each, Norm))
        penalised = {function for norm in self.norms for function in norm.functions}
        self.functions = tuple(dict.fromkeys([*(each.function for each in self.values), *penalised]))
        _name_apart(self.functions)
        if not self.problem.is_dcp():
            raise UnsupportedProgramError(
                f"this {self.name} is not convex by CVXPY's rules (DCP): {culprit(self.problem)}."
            )
        if not self.functions:
            raise ParameterError(
                "the statement has no Function; a program of ordinary variables alone is one for CVXPY."
            )
        self._require_norms()
        for function in self.functions:
            shapes = {each.points.X.shape[1:] for each in self.values if each.function is function}
            if len(shapes) > 1:
                widths = " and ".join(str(shape) for shape in sorted(shapes))
                raise ShapeError(
                    f"all points of {function.name} must have the same features, but samples of shapes {widths} came."
                )
        self._require_finite()

    def _require_norms(self) -> None:
        """Refuse functions that can change, alone or together, without a change of any norm."""
        place = {function: number for number, function in enumerate(self.functions)}
        seen = np.zeros((max(len(self.norms), len(place)), len(place)))
        for number, norm in enumerate(self.norms):
            for a, function in norm.combination.terms:
                seen[number, place[function]] += a
        _, sizes, ways = np.linalg.svd(seen)
        if sizes[-1] > _ROUNDING * sizes[0]:
            return
        unseen = np.flatnonzero(~seen.any(axis=0))
        way = ways[-1] if not unseen.size else np.eye(len(place))[unseen[0]]
        way = np.where(np.abs(way) > _ROUNDING, way / way[np.abs(way).argmax()], 0.0)
        free = [self.functions[number].name for number in np.flatnonzero(way)]
        added = [
            f"h to {name}" if a == 1 else f"{a:g} h to {name}" for a, name in zip(way[way != 0], free, strict=True)
        ]
        together = (
            f" (no norm changes where one adds {' and '.join(added)}, for any function h)" if len(free) > 1 else ""
        )
        raise ParameterError(
            f"the norm of {free[0]} is neither penalised nor bounded{together}, so that nothing determines {free[0]} "
            f"away from its points; add a multiple of {free[0]}.squared_norm to the objective."
        )

    def _require_finite(self) -> None:
        """Refuse numbers that are not finite."""
        for constant in self.problem.constants():
            numbers = constant.value
            if not np.isfinite(numbers.data if is_sparse(numbers) else numbers).all():
                array = np.atleast_1d(numbers.toarray() if is_sparse(numbers) else numbers)
                first = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
                raise NonFiniteError(
                    f"the numbers of this {self.name} must be finite, but {array[first]} is at "
                    f"[{', '.join(map(str, first))}] of an array of shape {array.shape}; leave out samples without a "
                    "target, and bounds that are infinite."
                )

    def constraint(self, label: str) -> Any:
        """Return the constraint with that label, which holds the ``dual_value`` of the last solve.

        Constraints everywhere also hold the ``points`` of their multipliers.

        Parameters
        ----------
        label
            The name that CVXPY's ``set_label`` gave it, or else "constraint k", numbered from 1, as in messages.

        Raises
        ------
        ParameterError
            If there is no such constraint.
        """
        known = [each for each in self.everywhere if each.label == label]
        return known[0] if known else constraint_of(self.problem, label)

    @property
    def recognised(self) -> str:
        """The program that the statement is, or in words why it is only a program over cones."""
        made, said = self._latest_compiled()
        return said if made is not None else f"a ConeProgram in coordinates, since {said}"

    @property
    def program(self) -> Program:
        """The program that the statement is: a QP of functionals where it decomposes so, otherwise a ConeProgram."""
        made, _ = self._latest_compiled()
        return (made or self._in_coordinates()).program

    def _latest_compiled(self) -> tuple[Compiled | None, str]:
        """Return the KernelQP for the parameters as they are, or why it is none; what is the same is kept."""
        values = [each.value for each in self.problem.parameters()]
        parameters = [each.toarray() if is_sparse(each) else np.copy(each) for each in values]
        if self._compiled is None or not all(map(np.array_equal, self._at, parameters)):
            lowered, known = lower(self.problem, self.name), None if self._compiled is None else self._compiled[0]
            try:
                made = recognised(lowered, self.values, self.norms, known)
                self._compiled = made, made.description
            except NotSeparable as reason:
                require_penalties(lowered, self.norms)
                self._compiled = None, str(reason)
            self._at = parameters
        return self._compiled

    def solve(
        self,
        solver: SolverLike | None = None,
        *,
        tol: float = 1e-6,
        max_iter: int | None = None,
        time_limit: float | None = None,
        verbose: bool = False,
        **options: Any,
    ) -> MachineSolution:
        """Solve the statement and certify the answer, which variables, values and multipliers of CVXPY then hold.

        Parameters
        ----------
        solver
            Name of a solver, or a Solver. None: the solver that suits the recognised program, or else clarabel.
        tol, max_iter, time_limit, verbose, **options
            As in :meth:`formulations.modelling.model.Model.solve`. With constraints everywhere, ``tol`` is the relative
            width of the bracket, and the others apply to each program that is solved for it.

        Raises
        ------
        InfeasibleError, UnboundedError
            If the statement has no solution; the error holds the proof.
        SolverFailedError, UnsupportedProgramError, UnsupportedOptionError
            If the solver cannot be asked, or gives no answer.
        """
        request = SolveRequest(solver, Request(tol, max_iter, time_limit, verbose=verbose), None, options)
        given = {"max_iter": max_iter, "time_limit": time_limit, "verbose": verbose, **options}
        try:
            if self.everywhere:
                return self._between(tol, lambda machine: machine.solve(solver, tol=0.1 * tol, **given))
            return self._solved(request, None if solver is None else find_solver(solver))
        except (InfeasibleError, UnboundedError, SolverFailedError):
            self._forget()
            raise

    def prove(self, path: str | Path | None = None, *, digits: int = 9, solver: SolverLike | None = None) -> Proof:
        """Return a proof of the optimum, from answers closer and closer to it; see :meth:`MachineSolution.prove`.

        A statement for whose program or kernel a proof has no words is proved in coordinates.

        Parameters
        ----------
        path
            Where to write it as well.
        digits
            How many digits of the optimum the proof is to determine. It has fewer where doubles allow no more.
        solver
            As in :meth:`solve`, whose errors are raised too.

        Examples
        --------
        >>> import cvxpy as cp
        >>> from formulations import Function, Machine
        >>> from qpkernels import RBF
        >>> f = Function(RBF(1.0))
        >>> misfit = cp.sum_squares(f([[0.0], [1.0]]) - [1.0, 2.0])
        >>> proof = Machine(cp.Minimize(f.squared_norm + misfit)).prove()
        >>> print(proof.digits >= 9, f"{proof.lower:.4f}")
        True 2.2068
        """
        from qpkernels.files.proofs.document import (
            best_proof,  # few answers are proved, and it takes its time to import
        )

        def proofs(backend: SolverLike | None) -> Proof:
            return best_proof((partial(self._proof, backend, tol) for tol in _PROVING), digits)

        try:
            proof = proofs(solver)
        except NoProofError:
            proof = proofs("clarabel")
        if path is not None:
            proof.write(path)
        return proof

    def _proof(self, backend: SolverLike | None, tol: float) -> Proof:
        return self.solve(backend, tol=tol).prove()

    def _forget(self) -> None:
        """Leave no values of an answer before, as CVXPY does where it finds none."""
        self.problem._clear_solution()
        for function in self.functions:
            function.fitted = None
        for each in self.everywhere:
            each.points = each.dual_value = None

    def _solved(self, request: SolveRequest, backend: Solver | None) -> MachineSolution:
        """Return what a solver, or the usual one, finds, or what clarabel finds in coordinates where that fails."""
        begin, tol = perf_counter(), request.of_any.tol
        made, method, program = self._asked_of(backend)
        lowering = perf_counter() - begin
        # Options are those of a solver that is named, or of whoever is asked, but for smo's.
        of_cones = request.without_those_of_smo()
        start = None if self._found is None else made.begin(*self._found)
        quick = made.at_once(tol, memory_of(request.options), start) if request.limits_nothing else None
        if start is not None and isinstance(program, KernelQP | MultipleKernelQP) and "warm_start" in method.options:
            request = replace(request, warm_start=start)
        proof = quick.certificate if quick is not None and quick.certificate.holds(tol) else None
        if backend is None and isinstance(made, InCoordinates):
            request = of_cones
        kept = of_cones.options if backend is None else {k: v for k, v in of_cones.options.items() if k == "isolate"}
        of_clarabel = replace(of_cones, solver="clarabel", options=kept)
        in_coordinates_then = partial(self._solved, of_clarabel, find_solver("clarabel"))
        try:
            outcome = None if quick is None or proof is None else quick.outcome
            outcome = outcome or request.solve_with(method, program, self.name)
        except SolverFailedError:
            if backend is not None or isinstance(made, InCoordinates):
                raise
            # Of equations that contradict each other, the matrices tell that.
            return in_coordinates_then()
        if outcome.claim in (Claim.INFEASIBLE, Claim.UNBOUNDED) or not is_finite(outcome):
            if not isinstance(made, InCoordinates):
                # The matrices tell which constraints contradict each other.
                return in_coordinates_then()
            raise self._no_solution(outcome, made, method)
        certify = perf_counter()
        outcome, found = self._judged(made, outcome, request, method, program, proof)
        certificate = found.certificate
        few = not isinstance(made, InCoordinates) and sum(each.size for each in self.values) <= FEW
        if few and request.limits_nothing and not certificate.holds(tol):
            # Where all but the constant of the statement is lost in rounding, its value in coordinates still has that.
            return in_coordinates_then()
        self._found = made, outcome.point
        for function, fitted in found.functions.items():
            function.fitted = fitted
        sign = -1.0 if isinstance(self.problem.objective, cp.Maximize) else 1.0
        seconds = Seconds(lower=lowering, solve=outcome.seconds, certify=perf_counter() - certify)
        dual, primal = _outwards(certificate.dual_value, certificate.primal_value, found.offset)
        return MachineSolution(
            objective=sign * (certificate.primal_value + found.offset) + 0.0,
            status=status_of(certificate, outcome.claim, tol),
            certificate=replace(certificate, primal_value=primal, dual_value=dual, asked=tol),
            tol=tol,
            factor=sign,
            program=made.description,
            functions=found.functions,
            variables={each.id: each.value for each in (*self.variables, *self.problem.parameters())},
            solver=outcome.solver,
            claim=outcome.claim,
            message=outcome.message,
            iterations=outcome.iterations,
            seconds=seconds,
            _made=made,
            _found=found,
        )

    def _judged(
        self,
        made: Compiled,
        outcome: Outcome,
        request: SolveRequest,
        method: Method,
        program: Program,
        proof: Certificate | None,
    ) -> tuple[Outcome, Found]:
        """Return an answer with what it means; over cones, a closer one where too little is proved of it."""
        tol = request.of_any.tol
        found = made.answer(outcome, tol, proof)
        status = status_of(found.certificate, outcome.claim, tol)
        if not isinstance(made, InCoordinates) or status is not Status.UNCERTIFIED:
            return outcome, found
        # What no value counts must be within 1e-9 at any tolerance, which is less than was asked for.
        closer = replace(request, of_any=request.of_any.having(tol=_CLOSER * tol))
        again = closer.solve_with(method, program, self.name)
        if again.claim in (Claim.OPTIMAL, Claim.STOPPED) and is_finite(again):
            better = made.answer(again, tol)
            if better.certificate.holds(tol):
                return again, better
            made.write(found, tol)
        return outcome, found

    def _asked_of(self, backend: Solver | None) -> tuple[Compiled, Method, Program]:
        """Return what the statement is for a solver, or the usual one, who that is, and the program that it takes."""
        made, _ = self._latest_compiled()
        if made is None or (backend is not None and first_taken(made.programs, backend) is None):
            made = self._in_coordinates()
        if backend is not None:
            taken = first_taken(made.programs, backend)
            if taken is None:
                raise UnsupportedProgramError(
                    f"{backend.name} does not take this {self.name}, which is {self.recognised}; "
                    f"{backend.refusal(made.program)}"
                )
            return made, backend, taken
        return made, made.usual_method, made.programs[0]

    @property
    def variables(self) -> tuple[Any, ...]:
        """The CVXPY variables in it, apart from its functions."""
        return tuple(each for each in self.problem.variables() if not isinstance(each, Values | Norm))

    def matrices(self) -> ConeProgram:
        """Return the statement as a ConeProgram, with functions as coordinates in the functionals' span.

        Its blocks have the names of variables and the labels of constraints, and its optimum is that of the statement;
        a maximisation becomes the minimisation of its negative. Where :attr:`program` is a KernelQP, the dual in
        matrices is ``machine.program.to_cone_program()``.
        """
        return self._in_coordinates().program

    def export(self, path: str | Path) -> Path:
        """Write :meth:`matrices` to a file, in the format of its suffix, by :func:`qpkernels.files.write`.

        Parameters
        ----------
        path
            The path of the file.
        """
        return write(self.matrices(), path)

    def _between(self, tol: float, solve: Callable[[Machine], MachineSolution]) -> MachineSolution:
        """Return the solution of a statement with constraints everywhere."""
        begin, objective = perf_counter(), self.problem.objective
        sign = -1.0 if isinstance(objective, cp.Maximize) else 1.0

        def with_rows(rows: list[Any]) -> tuple[MachineSolution, Any]:
            machine = Machine(objective, [*self._finite, *rows], self.name)
            return solve(machine), machine.problem

        found = bracketed(self.everywhere, with_rows, tol, sign)
        certificate, answer = found.certificate, found.answer
        ends = sorted((sign * certificate.dual_value, sign * certificate.primal_value))
        said = f"{found.points} points were not enough" if found.exhausted else f"{found.points} points"
        made: MachineSolution = replace(
            answer,
            status=status_of(certificate, Claim.STOPPED if found.exhausted else answer.claim, tol),
            certificate=replace(certificate, asked=tol),
            tol=tol,
            message=f"{answer.message}; {said}",
            seconds=replace(answer.seconds, solve=perf_counter() - begin),
            bracket=(ends[0], ends[1]),
        )
        return made

    def conflict(self, solver: SolverLike = "clarabel", *, tol: float = 1e-6) -> Conflict | None:
        """Return an irreducible subset of the constraints that no functions and variables satisfy, or None.

        Parameters
        ----------
        solver, tol
            As in :func:`qpkernels.diagnosis.find_conflict`.
        """
        made = self._in_coordinates()
        return find_conflict(made.program, made.groups(), solver=solver, tol=tol)

    def _in_coordinates(self) -> InCoordinates:
        """Return the statement in coordinates, which are the same whatever the parameters are."""
        known = self._spanned
        if known is None:
            self._spanned = in_coordinates(self.problem, self.values, self.norms, self.name)
        else:
            self._spanned = replace(known, lowered=lower(known.lowered.problem, self.name))
        return self._spanned

    def _no_solution(self, outcome: Any, made: InCoordinates, backend: Any) -> Exception:
        message, proof = quote(outcome), proof_of(outcome, made.lowered, backend)
        match proof:
            case Contradiction():
                links = {repr(each.name()) for each in self.values}
                stated = made.stated_names
                names = tuple(stated.get(name, name) for name in proof.names if name not in links)
                return infeasible(self.name, proof.certificate, proof.multipliers, message, names)
            case Ray():
                return unbounded(self.name, proof.certificate, message, proof)
        lacking = f"{message}, but its answer does not prove it; conflict() looks for constraints that contradict"
        return no_answer(self.name, f"{lacking} each other")

    @property
    def _unset(self) -> list[str]:
        """The names of parameters without a value, until when the program is not known."""
        return [each.name() for each in self.problem.parameters() if each.value is None]

    def card(self) -> Card:
        """Return the statement, the program that it is, and the dual of this program."""
        verb = "minimise" if isinstance(self.problem.objective, cp.Minimize) else "maximise"
        facts = [Fact(verb, in_words(self.problem.objective.args[0]))]
        facts += [Fact("subject to", in_words(each)) for each in self.problem.constraints]
        facts += [Fact(f.name, f"a function in the space of {f.kernel!r}") for f in self.functions]
        if self._unset:
            return Card(self.name, (), (*facts, Fact("parameters", f"{', '.join(self._unset)}, without a value")))
        made, _ = self._latest_compiled()
        dual = () if made is None else dual_in_words(made.program)
        return Card(self.name, (), (*facts, Fact("recognised", self.recognised), *dual))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {'parameters without a value' if self._unset else self.recognised}>"


def _name_apart(functions: Iterable[Function]) -> None:
    """Give functions of one name numbers, after the first of them, for messages and what is printed.

    Parameters
    ----------
    functions
        Those of one statement.
    """
    names, seen = {each.name for each in functions}, set[str]()
    for function in functions:
        base, number = function.name, 1
        while function.name in seen or (number > 1 and function.name in names):
            number += 1
            function.name = f"{base}{'_' if base[-1:].isdigit() else ''}{number}"
        seen.add(function.name)
