# SPDX-License-Identifier: BSD-3-Clause
"""The result of solving a model, and the questions that can be asked of it in the terms of the model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from numpy.typing import ArrayLike

from formulations.modelling.prediction import Decision, Predictor
from formulations.modelling.prediction.decisions import Targets
from formulations.modelling.prediction.predictor import Answering
from qpkernels.arrays import Vector, is_integer, shown
from qpkernels.display import Card, Carded, Fact, count, to_text
from qpkernels.errors import NoProofError, ParameterError, PartialFunctionError
from qpkernels.gram.definiteness import Correction
from qpkernels.gram.functions import Expansion, Expansions
from qpkernels.problems import Certificate, ConeProgram, Status, Support
from qpkernels.solvers import Claim, ConePoint, Outcome

if TYPE_CHECKING:
    from qpkernels.files.proofs import Proof

__all__ = [
    "READ",
    "Run",
    "Scale",
    "Seconds",
    "Solution",
]


@dataclass(frozen=True)
class Scale:
    """The function whose value the objective is, and the factor between that value and the value of the model.

    Attributes
    ----------
    objective
        The function, in the notation of :mod:`qpkernels.display.maths`; empty where it is not stated.
    factor
        The objective divided by the model's value, which a certificate bounds: 1, or -1 for a dual that is minimised,
        or the number that :attr:`formula` gives; NaN where the objective is not a multiple of that value.
    formula
        The factor in the symbols of the model; empty where it does not depend on them.

    Examples
    --------
    >>> from formulations import KernelRidge
    >>> model = KernelRidge([[0.0], [1.0], [2.0], [3.0]], [0.0, 0.8, 0.9, 0.1], regularisation=0.1)
    >>> print(model.scale.words)
    ½ ‖f‖² + C Σᵢ (yᵢ − f(xᵢ))², C = 1/(2 λ)
    >>> print(model.primal.scale.words, "is", model.primal.scale.times, "times that")
    λ/m ‖f‖² + 1/m Σᵢ (yᵢ − f(xᵢ))² is 2 λ/m = 0.05 times that
    """

    objective: str
    factor: float = 1.0
    formula: str = ""

    @property
    def words(self) -> str:
        """The function as text."""
        return to_text(self.objective)

    @property
    def times(self) -> str:
        """The factor as text, with its formula; empty where the objective is not a multiple of the model's value."""
        if math.isnan(self.factor):
            return ""
        return f"{to_text(self.formula)} = {self.factor:.4g}" if self.formula else f"{self.factor:g}"


_OF_THE_FUNCTION = ("function", "decision")
"""Fields that are wrong where more than f + b decides; the properties are computed from these."""

READ = ("support", "intercept_interval", "decision", "conditions")
"""Fields that may be left to be read off the answer when somebody asks for one of them."""


@dataclass(frozen=True)
class Seconds:
    """Where the time went: the kernel matrix, the matrices of the program, the solver, the certificate."""

    gram: float = 0.0
    lower: float = 0.0
    solve: float = 0.0
    certify: float = 0.0

    @property
    def total(self) -> float:
        """The sum of all phases."""
        return self.gram + self.lower + self.solve + self.certify


class Counted(Protocol):
    """A form, or a model as it is: what has a name, and an objective in some scale."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def scale(self) -> Scale:
        """In which scale its objective counts."""


@dataclass(frozen=True)
class Run:
    """Who solved what, and how it ended; the fields are those of :class:`Solution`."""

    formulation: str
    objective: float
    scale: Scale
    status: Status
    tol: float
    seconds: Seconds
    solver: str
    claim: Claim
    message: str
    iterations: int | None
    in_matrices: ConePoint | None = None
    program: ConeProgram | None = None
    attempts: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, outcome: Outcome, statement: Counted, objective: float, status: Status, tol: float, seconds: Seconds
    ) -> Run:
        """Return what became of a solver's outcome, which answers a form, or a model as it is."""
        said = (outcome.solver, outcome.claim, outcome.message, outcome.iterations)
        return cls(statement.name, objective, statement.scale, status, tol, seconds, *said)


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Answering, Carded):
    """The answer of a kernel machine, with a proof of how good it is.

    Attributes
    ----------
    formulation
        Name of the form that was solved, or of the model where a solver took the model itself.
    objective
        Value of the solved form at the answer, which is minus the value of the primal for a dual that is minimised. If
        the model itself was solved, it is the value of its primal.
    scale
        The function whose value that is, and its factor to the model's value, as a :class:`~formulations.Scale`.
    intercept
        b of the decision value g(x) = f(x) + b.
    intercept_interval
        The ends between which every b is optimal with this f. They are equal where b is unique.
    beta
        Signed coefficients, shape (m,). In a textbook model they are the coefficients of f. An extended model has other
        coefficients, which ``function`` holds.
    multipliers
        The dual point, shape (m,), if the answer has one, in a model whose beta are only coefficients of f.
    support
        Which samples are support vectors, free or at the bound. Where coefficients are dense, all count as free.
    function
        x -> f(x) + b. Where more than this function decides in an extended form, there is no ``function``, no
        ``decision`` and nothing that is computed from them: asking for these raises PartialFunctionError, which names
        what else decides.
    decision
        g(x_i) of the training samples, shape (m,). Where there are many samples, values of samples without a
        coefficient are computed in float32, if that is enough to settle that these have no loss.
    conditions
        The optimality conditions of each sample by their formulas. They vanish at an optimum.
    status
        ``optimal`` only if the certificate holds at the requested tolerance.
    certificate
        The values of both problems, gap and residuals, recomputed from the data; its ``asked`` is the tolerance.
    seconds
        Time by phase.
    solver, claim, message, iterations
        The solver, its claim as one of ours and in its own words, and its own count of iterations (or None).
    attempts
        What each solver said, in order, where several were asked one after the other. ``message`` is that of the best.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> solution = SoftMargin(X, y, C=1.0).solve(tol=1e-6)
    >>> print(solution.status, f"{solution.objective:.3f}", solution.n_support, solution.decision.round(3))
    optimal 2.889 4 [-1.    -0.333  0.333  1.   ]
    >>> print(solution.explain(1).split(";")[0])
    sample 1: class +1, y (f(x) + b) = -0.333333 is on the wrong side, slack xi = 1.33
    """

    formulation: str
    objective: float
    scale: Scale
    intercept: float
    intercept_interval: tuple[float, float]
    beta: Vector
    multipliers: Vector | None
    support: Support
    function: Expansion
    decision: Vector
    conditions: Mapping[str, Vector]
    status: Status
    certificate: Certificate
    seconds: Seconds
    solver: str
    claim: Claim
    message: str
    iterations: int | None
    attempts: tuple[str, ...] = field(default=(), kw_only=True)
    _sparse: bool = field(kw_only=True)
    _coefficient: str = field(kw_only=True)
    """beta in the letters of the dual of the model."""
    _correction: Correction | None = field(kw_only=True)
    _in_matrices: ConePoint | None = field(default=None, kw_only=True)
    """For a form that was solved in matrices, x and z as certified: another solve or an enclosure starts from them."""
    _stated: tuple[Any, ConeProgram | None] | None = field(default=None, kw_only=True)
    """The model as it was solved, and the matrices of an extended form: what a proof states. Copies lack it."""
    _unread: Callable[[], Mapping[str, Any]] | None = field(default=None, kw_only=True)
    """Reads the fields that are left to be read, which came as None."""
    _left_out: tuple[str, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        if self._unread is not None:
            for name in READ:
                object.__delattr__(self, name)

    def __getstate__(self) -> dict[str, Any]:
        """Return what copies and pickles hold: all fields, and not what some of them are read from."""
        if self._unread is not None:
            self._read(self._unread)
        return {**vars(self), "_stated": None}

    def _read(self, unread: Callable[[], Mapping[str, Any]]) -> None:
        # A frozen dataclass sets nothing, but its dictionary takes it.
        vars(self).update(unread(), _unread=None)

    def _withhold(self, names: tuple[str, ...]) -> None:
        """Give up the function and its values, since what ``names`` says decides beside f + b.

        Parameters
        ----------
        names
            The errors have them from now on.
        """
        object.__setattr__(self, "_left_out", names)
        for name in _OF_THE_FUNCTION:
            object.__delattr__(self, name)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Read what was left to be read, or say why there is no such attribute: Python asks here where none is."""
            if name in READ and (unread := vars(self).get("_unread")) is not None:
                self._read(unread)
                return vars(self)[name]
            if (names := vars(self).get("_left_out")) and (name in _OF_THE_FUNCTION or hasattr(type(self), name)):
                raise PartialFunctionError(
                    f"this Solution of an extended {self.formulation} has no {name}: its problem lets more decide than "
                    f"the model's own f + b, namely {', '.join(names)}. Evaluate the CVXPY expression of your "
                    "statement, which the solve gave its value: expression.value, variable.value of the variables in "
                    "form.problem.variables(), constraint.dual_value of the constraints of a dual.",
                    name=name,
                    obj=self,
                )
            return super().__getattribute__(name)

    @cached_property
    def predictor(self) -> Predictor:
        """The machine without its training samples: what :meth:`save` writes."""
        return Predictor(Expansions.of([self.function]), self._decision)

    @property
    def _decision(self) -> Decision:
        """How values become answers."""
        return Targets()

    @property
    def n_support(self) -> int | None:
        """Number of support vectors; None for a model whose coefficients are dense."""
        return len(self.support) if self._sparse else None

    @property
    def sparsity(self) -> float:
        """Share of the samples that are not support vectors: 0 for a model whose coefficients are dense."""
        return 1.0 - len(self.support) / self.beta.size if self._sparse else 0.0

    def prove(self, path: str | Path | None = None, *, digits: int = 9, points: ArrayLike | None = None) -> Proof:
        """Return a proof that a stranger can check, with the problem and the answer in it, and write it to a file.

        ``python -I proofcheck.py machine.proof`` checks it in exact arithmetic, with Python's standard library alone.

        Parameters
        ----------
        path
            Where to write the proof, a name that ends with ``.gz`` to compress; None: it is only returned.
        digits
            The digits of the optimal value that the interval shall determine, from 1 to 15. The answer in the proof is
            refined until it has them, or until float64 gives no more: :attr:`~qpkernels.files.proofs.Proof.digits`.
        points
            Samples at which the proof shall bound the decision values of the optimal machine.

        Raises
        ------
        NoProofError
            If the vocabulary of proofs has no words for the kernel or the loss, or if this is a copy or was unpickled:
            pass it to ``model.prove``.
        ParameterError
            If ``digits`` is out of its range.
        """
        from formulations.modelling.proving import (  # it takes longer to import than a small fit
            ProofRequest,
            prove_answer,
        )

        if self._stated is None:
            raise NoProofError(
                f"this {type(self).__name__} is a copy or came from a file, without the problem that it answers; state "
                "the model again and call model.prove(solution)."
            )
        model, program = self._stated
        asked = ProofRequest.of(path, digits, points)
        return prove_answer(model, self if program is None else self._in_matrices, asked, program)

    def explain(self, sample: int) -> str:
        """Describe in words where a training sample lies, and how well its optimality conditions hold.

        Parameters
        ----------
        sample
            Its number, from 0.

        Raises
        ------
        ParameterError
            If there is no sample with that number.
        """
        if not is_integer(sample) or not 0 <= sample < self.beta.size:
            raise ParameterError(
                f"a sample has a number from 0 to {self.beta.size - 1}, but {shown(sample)} came; see solution.support."
            )
        # Adding 0 takes the sign off a zero.
        lines = "; ".join(f"{formula} = {values[sample] + 0.0:.1e}" for formula, values in self.conditions.items())
        return f"sample {sample}: {self._position(int(sample))}; {self._role(int(sample))}. Optimality: {lines}."

    def _position(self, sample: int) -> str:
        return f"f(x) + b = {self.decision[sample]:.6g}"

    def _role(self, sample: int) -> str:
        weight = f"coefficient {self._coefficient} = {self.beta[sample] + 0.0:.6g}"
        if not self._sparse:
            return weight
        if sample in self.support.bounded:
            return f"{weight}, a support vector at its bound"
        return f"{weight}, a free support vector" if sample in self.support.free else f"{weight}, no support vector"

    def card(self) -> Card:
        """Return what was solved, by which solver and with what result, the answer, and its certificate."""
        proof = self.certificate.card()
        facts = (
            Fact("status", f"{self.status} (asked for {self.certificate.asked:g})"),
            *self._facts_of_objective(),
            *proof.facts,
            *self._facts(),
            Fact("solver", f"{self.solver}, {self._work()}"),
        )
        return Card(f"{self.formulation} by {self.solver}", facts=facts, figure=proof.figure)

    def _facts_of_objective(self) -> Iterator[Fact]:
        equal = f" = {self.scale.words}" if self.scale.objective else ""
        yield Fact("objective", f"{self.objective:.12g}{equal}")
        if self.scale.times not in ("", "1"):
            yield Fact(
                "scale", f"{self.scale.times} times the value of the model, as the primal and dual values have it"
            )

    def _facts(self) -> Iterator[Fact]:
        vectors = f"{count(len(self.support), 'support vector')} ({self.support.bounded.size} at the bound)"
        yield Fact(
            "coefficients",
            f"{vectors} of {count(self.beta.size, 'sample')}" if self._sparse else "dense coefficients",
        )
        low, high = (f"{end + 0.0:.8g}" for end in self.intercept_interval)
        interval = "" if low == high else f", optimal from {low} to {high}"
        yield Fact("intercept", f"b = {self.intercept + 0.0:.8g}{interval}")
        if self._correction:
            yield Fact("kernel matrix", str(self._correction))

    def _work(self) -> str:
        steps = "" if self.iterations is None else f"{count(self.iterations, 'iteration')}, "
        return f"{steps}{self.seconds.total:.3g} s; it says: {self.message}"

    def __repr__(self) -> str:
        vectors = count(len(self.support), "support vector") if self._sparse else "dense coefficients"
        return (
            f"<{self.formulation} by {self.solver}: {self.status}, objective {self.objective:.10g}, "
            f"b = {self.intercept + 0.0:.6g}, {vectors}, relative gap {self.certificate.relative_gap:.1e}>"
        )
