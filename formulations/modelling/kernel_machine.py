# SPDX-License-Identifier: BSD-3-Clause
"""The base class of kernel machines: data, kernel, hyper-parameters, two bounds of the optimum, and answers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar

from numpy.typing import NDArray

from formulations.modelling.candidate import Candidate, checked_coefficients, checked_intercept, expand, vanishing
from formulations.modelling.cards import card_of_model, line_of_model, objective_of, statement_of_model
from formulations.modelling.declaring import Stated
from formulations.modelling.failures import infeasible, no_answer, unbounded
from formulations.modelling.inputs.estimators import Coefficients
from formulations.modelling.inputs.restating import Restatable
from formulations.modelling.inputs.samples import OF_KERNELS, BoundSamples
from formulations.modelling.solution import READ, Run, Scale, Solution
from formulations.modelling.solving import Latest
from qpkernels.arrays import ChecksKeywords, Vector, check_flag, frozen
from qpkernels.display import Card, TextbookProblem
from qpkernels.display.card import carded
from qpkernels.errors import InfeasibleError
from qpkernels.gram import LowRank
from qpkernels.problems import (
    Bounds,
    Certificate,
    Enclosure,
    KernelQP,
    KernelQPBounds,
    LeastSquares,
    LinearSystem,
    Program,
    Support,
)

__all__ = ["Answered", "Conditions", "KernelMachine"]

Conditions: TypeAlias = Mapping[str, Vector]
"""The optimality conditions of each sample, shape (m,), by their formulas; they vanish at an optimum."""

Answered = TypeVar("Answered", bound=Solution, covariant=True)
"""The type that solving a model of a kind returns."""


@carded
class KernelMachine(Restatable, Generic[Answered], metaclass=ChecksKeywords):
    """A kernel machine: its problem, stated on data, and the words in which it is answered.

    The answer is a function f + b in the space of a kernel, with a coefficient beta_i for each sample. It is solved and
    certified by :class:`~formulations.modelling.model.Model`, of which every model is a subclass.

    Attributes
    ----------
    data, gram
        The samples bound to their kernel, and the kernel matrix.
    fit_intercept
        Whether the function has an intercept.

    Notes
    -----
    Arguments of the methods:

    answer
        A point to be judged: beta, b, f, and the values of f at the samples.
    bounds
        The two bounds of the optimum that its method ``bounds`` stated.
    certificate, status, run
        The certificate of the answer, its status, and the run that found it.
    fields
        The fields of the solutions of all models; see :class:`~formulations.Solution`.
    point
        The solution of a system of linear equations, or of a fit in a norm, in its own variables.
    multipliers
        The multipliers of the residuals of a fit in a norm.
    beta, intercept, b
        Coefficients, shape (m,), and b.
    fitted
        The contents of an estimator of scikit-learn.
    message
        The message of a solver that gave no answer.
    """

    _elsewhere: ClassVar[Mapping[str, str]] = OF_KERNELS

    fit_intercept: bool

    classes: NDArray[Any] | None = None
    """The labels of negative and positive values, where the model has classes."""

    def __init__(self, data: BoundSamples, fit_intercept: bool = True, **values: Any) -> None:
        flag = check_flag(fit_intercept, "fit_intercept")
        vars(self).update(data=data, gram=data.gram, fit_intercept=flag)
        self._make_parameters(values)
        self._check_parameters()
        vars(self)["_frozen"] = True

    def __len__(self) -> int:
        """Return the number m of samples."""
        return len(self.gram)

    @cached_property
    def forms(self) -> Mapping[str, Any]:
        """The forms of the model by name, beginning with the usual one: ``model.forms["dual"]`` is ``model.dual``."""
        return {name: getattr(self, name) for name, _ in Stated.of(type(self))}

    def _sound_forms(self) -> Iterator[Any]:
        """Yield the forms, or refuse one if the model is another than it was when that was stated."""
        for form in self.forms.values():
            form._check()
            yield form

    @cached_property
    def _latest(self) -> Latest:
        """The last answer to the textbook's problem, which its forms show in their variables."""
        return Latest()

    @property
    def scale(self) -> Scale:
        """The scale of its value, which certificates have, and solutions where no form is named."""
        forms: tuple[tuple[str, Any], ...] = Stated.of(type(self))
        stated = (form.textbook for _, form in forms if not form.is_dual)
        return Scale(self.entry.counts or objective_of(next(stated, None), type(self), self.fit_intercept))

    def qp(self) -> KernelQP | None:
        """State the model as a KernelQP, from the textbook and not from its forms, or return None."""
        return None

    def bounds(self) -> Bounds:
        """State the model for its certificate: the KernelQP, or else two bounds of its own."""
        program = self.qp()
        if program is None:
            raise NotImplementedError(f"a {self.name} that is no KernelQP must say how its optimum is bounded")
        return KernelQPBounds(program)

    def linear_system(self, bounds: Bounds) -> LinearSystem | LeastSquares | None:
        """State the model, which has these bounds, as a problem of linear algebra, or return None."""
        if not self.entry.linear or not isinstance(bounds, KernelQPBounds):
            return None
        # A coefficient that is held at 0, as that of an absent sample is, is no equation of the others.
        return bounds.program.linear_system() if self.absent.size == 0 else None

    def programs(self, bounds: Bounds) -> tuple[Program, ...]:
        """Return the programs whose answers are the model's, without CVXPY, beginning with the most specific."""
        stated = (self.linear_system(bounds), bounds.program)
        return tuple(program for program in stated if program is not None)

    @property
    def statement(self) -> TextbookProblem | None:
        """The problem of the usual form in maths, or None if its class does not state it."""
        return statement_of_model(self)

    def card(self) -> Card:
        """Return the card that ``print`` and notebooks show: the problem, and its parts."""
        return card_of_model(self)

    def __repr__(self) -> str:
        return line_of_model(self)

    @abstractmethod
    def conditions(self, answer: Candidate) -> Conditions:
        """Return the optimality conditions of each sample."""

    @property
    def total(self) -> float | None:
        """The value of 1'beta that the intercept demands: 0, or None without an intercept."""
        return 0.0 if self.fit_intercept else None

    def _enclose_by(self, answer: Candidate, bounds: Bounds) -> Enclosure:
        """Enclose the optimum by ``bounds``."""
        return bounds.enclose(answer.beta, answer.intercept, answer.own_expansion(self.gram))

    def judge(self, answer: Candidate, bounds: Bounds) -> Certificate:
        """Bound the error of an answer by ``bounds``."""
        return answer.judged_by(bounds)

    def _certified(self, answer: Candidate, bounds: Bounds) -> Candidate:
        """Return the feasible points, near an answer, whose values its certificate has: what is handed out.

        Where f misses a hard constraint, or a costly one by rounding, f and b are moved to where it holds.
        """
        return answer.at_feasible(bounds, self.data)

    def solution(self, answer: Candidate, certificate: Certificate, bounds: Bounds, run: Run) -> Answered:
        """Return the answer in the terms of the model: support, interval and conditions by the same arrays."""
        return self._solution_with(self._read(answer, bounds), answer, certificate, run, self._without_matrix())

    def _solution_unread(self, answer: Candidate, certificate: Certificate, bounds: Bounds, run: Run) -> Answered:
        """Return the same, which keeps this model until somebody asks for what is read with :meth:`solution`."""
        unread = dict.fromkeys(READ) | {"_unread": partial(self._read, answer, bounds)}
        return self._solution_with(unread, answer, certificate, run, self)

    def _without_matrix(self) -> Self:
        """Return the model as it is now, for a proof later on, without keeping the kernel matrix in memory."""
        gram = self.gram
        return self._as_it_is(gram if isinstance(gram, LowRank) else gram.unformed())

    def _solution_with(
        self, read: Mapping[str, Any], answer: Candidate, certificate: Certificate, run: Run, kept: Self
    ) -> Answered:
        ended = dict(vars(run))
        return self._interpret(
            answer,
            certificate=replace(certificate, asked=ended.pop("tol")),
            intercept=answer.intercept,
            beta=frozen(answer.beta),
            multipliers=None if answer.multipliers is None else frozen(answer.multipliers),
            function=answer.function,
            _sparse=self.entry.sparse,
            _coefficient=self.entry.coefficient,
            _correction=self.gram.correction,
            _in_matrices=ended.pop("in_matrices"),
            _stated=(kept, ended.pop("program")),
            **read,
            **ended,
        )

    def _read(self, answer: Candidate, bounds: Bounds) -> Mapping[str, Any]:
        support = self.support(answer, bounds)
        return {
            "support": support,
            "intercept_interval": bounds.interval(answer.beta, answer.at_samples.values, answer.intercept, support),
            "decision": frozen(answer.decision),
            "conditions": self.conditions(answer),
        }

    def support(self, answer: Candidate, bounds: Bounds) -> Support:
        """Return the support vectors, which are all samples if the coefficients are dense."""
        return bounds.support(answer.beta, answer.decision) if self.entry.sparse else Support.of_all(len(self))

    @abstractmethod
    def _interpret(self, answer: Candidate, **fields: Any) -> Answered:
        """Make the solution of this kind of model; ``fields`` are those that all have."""

    def translate(self, fitted: Coefficients) -> tuple[Vector, float]:
        """Return the (beta, b) of an estimator of scikit-learn in the scaling of this model."""
        return fitted.dual, fitted.intercept

    def _from_coefficients(self, beta: Any, intercept: Any) -> Candidate:
        """Return the answer whose function is the expansion in beta."""
        coefficients, b = checked_coefficients(beta, intercept, len(self))
        return expand(self.gram, coefficients, checked_intercept(b, self.fit_intercept, self.name), self.classes)

    def _vanishing(self, answer: Candidate, bounds: Bounds) -> Candidate | None:
        """Return the answer that proves an optimum of 0 if it is 0, near ``answer``; None: it cannot be."""
        del answer
        point = bounds.vanishing()
        return None if point is None else vanishing(self.gram, *point, self.classes)

    def _from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read an answer from the solution of :meth:`formulations.modelling.model.Model.linear_system`."""
        return expand(self.gram, point, intercept, self.classes)

    def _from_fit(self, point: Vector, multipliers: Vector) -> Candidate:
        """Read an answer from the u and v of a ResidualNorm, in models that are one."""
        raise NotImplementedError(f"a {self.name} is no fit in a norm")

    def _contradiction(self, message: str) -> InfeasibleError | None:
        """Return the error if nothing satisfies the textbook's constraints, or None if that cannot be shown.

        Models with hard constraints decide here, in their own terms, what becomes of a solver's claim.
        """
        del message
        return None

    def _explain_failure(self, message: str) -> Exception:
        """Return the error to raise when a solver gives no point, or none that its claim would need."""
        return self._contradiction(message) or no_answer(self.name, message)

    def _explain_divergence(self, beta: Vector, message: str) -> Exception:
        """Return the error to raise when the objective of a KernelQP falls without bound.

        Parameters
        ----------
        beta
            Where the coefficients went, shape (m,).
        """
        del beta
        return self._explain_failure(message)

    def _explain_infeasible(self, certificate: Certificate, multipliers: Vector, message: str) -> Exception:
        """Return the error to raise when no point satisfies the constraints of a textbook form.

        Parameters
        ----------
        certificate
            The proof that none does.
        multipliers
            Shape (rows of A,): what the proof weighs the constraints of the form, in its matrices, by.
        """
        if self.entry.hard:
            unproved = f"{message}, but exact arithmetic does not prove it"
            return self._contradiction(message) or no_answer(self.name, unproved)
        return infeasible(self.name, certificate, multipliers, message)

    def _explain_unbounded(self, certificate: Certificate, message: str) -> Exception:
        """Return the error to raise when the objective of a textbook form is proved to be unbounded below.

        Parameters
        ----------
        certificate
            The proof that it is.
        """
        return self._explain_failure(message) if self.entry.hard else unbounded(self.name, certificate, message)
