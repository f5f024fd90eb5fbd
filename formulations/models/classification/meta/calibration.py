# SPDX-License-Identifier: BSD-3-Clause
r"""Probabilities from scores: the sigmoid of Platt, fitted to the decision values of a two-class machine.

With scores s_i, targets t_i and z_i = A s_i + B, the problem and its dual, where H(p) = -p log p - (1-p) log(1-p)::

    min  1/N sum [ log(1 + exp(z_i)) - t_i z_i ]     over A, B
    max  1/N sum H(p_i)                              s.t.  1/N sum (t_i - p_i) = 0,  1/N sum (t_i - p_i) s_i = 0

    p_i = 1 / (1 + exp(-z_i)),   the estimate of the probability that y_i = +1

Plain targets are t_i = 1 for y_i = +1 and 0 for y_i = -1; the problem is then 1/N sum log(1 + exp(-y_i z_i)). Platt's
targets are (N+ + 1) / (N+ + 2) and 1 / (N- + 2): they keep the probabilities away from 0 and 1, so that an optimum
exists for all scores. B and A are the multipliers of the two equations. Source: Platt (2000), whose A and B have the
opposite signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

import formulations.modelling.cvx as cp
from formulations.modelling import labelled
from formulations.modelling.cards import Explained, classes_of
from formulations.modelling.failures import no_answer
from formulations.modelling.inputs.samples import two_classes
from formulations.modelling.lowering import lower
from formulations.modelling.prediction.decisions import Sigmoids
from formulations.modelling.solving import quote, status_of
from qpkernels.arrays import ChecksKeywords, Vector, check_choice, finite_vector, frozen, real_number
from qpkernels.display import Card, Carded, Fact, TextbookProblem, count
from qpkernels.display.problem import TextbookLine
from qpkernels.errors import SeparableScoresError
from qpkernels.problems import Certificate, SigmoidFit, Status
from qpkernels.problems.sigmoid_fit import SigmoidBounds
from qpkernels.solvers import Claim, Outcome, Request, SolverLike, find_solver
from qpkernels.solvers.sigmoid import fit_sigmoids

__all__ = ["Calibration", "Calibrations", "PlattCalibration", "Targets"]

Targets: TypeAlias = Literal["plain", "platt"]
"""Which t_i stand for the two classes."""


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Carded):
    """The sigmoid s -> 1 / (1 + exp(-(A s + B))), with a proof of how good A and B are.

    Attributes
    ----------
    A, B
        Slope and offset of the log-odds. A is above 0 where higher scores mean the greater label.
    classes
        The labels that low and high probabilities stand for.
    objective
        The mean loss at the answer.
    status
        ``optimal`` only if the certificate holds at ``tol``.
    certificate
        Values of both problems, gap and residuals, recomputed from the scores.
    tol
        The tolerance asked for.
    solver, message
        The solver, and its own message.
    A_error, B_error
        Proved bounds of the distances of A and B from the optimal ones. In a flat problem the gap says little about
        these; see :meth:`qpkernels.problems.sigmoid_fit.SigmoidBounds.errors`. Infinity where nothing is proved, for
        instance for equal scores, which do not determine A.

    Examples
    --------
    >>> from formulations import PlattCalibration
    >>> found = PlattCalibration([-2.0, -1.0, 1.0, 2.0], ["no", "yes", "no", "yes"]).solve()
    >>> print(found.status, found.probability([-2.0, 0.0, 2.0]).round(2))
    optimal [0.3 0.5 0.7]
    """

    A: float
    B: float
    classes: NDArray[Any]
    objective: float
    status: Status
    certificate: Certificate
    tol: float
    solver: str
    message: str
    A_error: float
    B_error: float

    def probability(self, scores: ArrayLike) -> Vector:
        """Return the probability of the greater label for each score.

        Parameters
        ----------
        scores
            Decision values, shape (n,).
        """
        return self.sigmoids(finite_vector(scores, "scores")[:, None])[:, 0]

    @property
    def sigmoids(self) -> Sigmoids:
        """The sigmoid, as a machine with a single function holds it."""
        return Sigmoids(np.array([self.A]), np.array([self.B]))

    def card(self) -> Card:
        """Return the sigmoid, and its certificate."""
        proof = self.certificate.card()
        facts = (
            Fact("status", f"{self.status} (asked for {self.tol:g})"),
            Fact("A, B", f"{self.A:.8g}, {self.B:.8g}"),
            Fact("their errors", f"at most {self.A_error:.1e}, {self.B_error:.1e}"),
            *proof.facts,
            Fact("solver", f"{self.solver}; it says: {self.message}"),
        )
        return Card(type(self).__name__, (TextbookLine("", "s -> 1 / (1 + exp(-(A s + B)))"),), facts, proof.figure)

    def __repr__(self) -> str:
        return f"<Calibration by {self.solver}: {self.status}, A = {self.A:.8g}, B = {self.B:.8g}>"

    def __str__(self) -> str:
        return (
            f"sigmoid(A s + B) by {self.solver}: {self.status}, A = {self.A:.8g}, B = {self.B:.8g}, "
            f"objective {self.objective:.12g}; {self.certificate}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class PlattCalibration(Explained, metaclass=ChecksKeywords):
    """min 1/N sum [ log(1 + exp(A s_i + B)) - t_i (A s_i + B) ].

    Parameters
    ----------
    scores
        s_i, shape (N,): decision values f(x_i) + b, preferably of machines that were not trained on x_i.
    y
        Two different labels, shape (N,); the greater one is +1.
    targets
        "plain": t_i is 1 or 0. "platt": Platt's targets, which fit overlapping and separated scores alike.

    Raises
    ------
    SeparableScoresError
        If the targets are plain and a threshold separates the classes, so that no finite A is optimal.

    Examples
    --------
    >>> from formulations import PlattCalibration
    >>> scores, y = [-2.0, -1.0, -0.5, 0.5, 1.0, 2.0], [-1, -1, 1, -1, 1, 1]
    >>> calibration = PlattCalibration(scores, y).solve()
    >>> print(calibration.status, f"A = {calibration.A:.3f}", calibration.probability([-2.0, 2.0]).round(3))
    optimal A = 1.351 [0.063 0.937]
    """

    textbook = TextbookProblem("min  1/N sum [ log(1 + exp(z_i)) - t_i z_i ]", ("z_i = A s_i + B",))

    scores: Vector
    y: Vector
    targets: Targets = field(default="plain", kw_only=True)
    classes: NDArray[Any] = field(init=False)
    _latest: list[Calibration] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        scores = finite_vector(self.scores, "scores")
        signs, classes = two_classes(self.y, scores.size)
        check_choice(self.targets, "targets", ("plain", "platt"))
        if self.targets == "plain":
            _refuse_separable(scores, signs, classes)
        object.__setattr__(self, "scores", frozen(scores))
        object.__setattr__(self, "y", signs)
        object.__setattr__(self, "classes", classes)

    def facts(self) -> Iterator[Fact]:
        """Yield the scores, the classes and the targets."""
        yield Fact("data", f"{count(self.scores.size, 'score')}{classes_of(self.classes, self.y)}")
        yield Fact("with", f"targets = {self.targets!r}")

    @property
    def A(self) -> cp.Variable:
        """The slope, a scalar CVXPY variable."""
        return self._stated[0]

    @property
    def B(self) -> cp.Variable:
        """The offset, a scalar CVXPY variable."""
        return self._stated[1]

    @cached_property
    def t(self) -> Vector:
        """The targets t_i, shape (N,)."""
        positive = self.y > 0
        if self.targets == "plain":
            return frozen(positive.astype(np.float64))
        high, low = int(positive.sum()), int((~positive).sum())
        return frozen(np.where(positive, (high + 1) / (high + 2), 1 / (low + 2)))

    @property
    def problem(self) -> cp.Problem:
        """The CVXPY problem; after a solve its variables hold the answer."""
        return self._stated[2]

    def declare(self, A: cp.Variable, B: cp.Variable) -> cp.Problem:
        """State the problem in CVXPY.

        Parameters
        ----------
        A, B
            Scalar variables.
        """
        z = A * self.scores + B
        return cp.Problem(cp.Minimize(cp.sum(cp.logistic(z) - cp.multiply(self.t, z)) / self.scores.size))

    @cached_property
    def _stated(self) -> tuple[cp.Variable, cp.Variable, cp.Problem]:
        A, B = cp.Variable(name="A"), cp.Variable(name="B")
        stated = A, B, self.declare(A, B)
        if self._latest:
            _write(self._latest[-1], *stated)
        return stated

    @cached_property
    def dual(self) -> cp.Problem:
        """The dual in CVXPY, in the variable p; B and A are the multipliers of ``offset`` and ``slope``."""
        p, size = cp.Variable(self.scores.size, name="p"), self.scores.size
        offset, slope = cp.sum(self.t - p) / size == 0, self.scores @ (self.t - p) / size == 0
        return cp.Problem(cp.Maximize(cp.sum(cp.entr(p) + cp.entr(1 - p)) / size), labelled(offset=offset, slope=slope))

    def solve(self, solver: SolverLike | None = None, *, tol: float = 1e-6, **options: Any) -> Calibration:
        """Solve the problem and certify the answer.

        Parameters
        ----------
        solver
            None: ``newton``, which continues to the last digit of A and B whatever ``tol`` is. Any registered solver
            with exponential cones can be named as well.
        tol
            Above 0 and below 1: the relative gap and residuals that the certificate must show for ``optimal``.
        **options
            ``max_iter``, ``time_limit``, ``verbose``, for ``newton`` also ``warm_start``, a pair (A, B), and the
            options of the back-end itself.

        Raises
        ------
        UnknownSolverError, SolverNotInstalledError, UnsupportedProgramError, UnsupportedOptionError
            If the solver cannot be asked.
        SolverFailedError
            If the solver gives no point, although this problem always has an optimum.
        """
        backend = find_solver("newton" if solver is None else solver)
        if isinstance(self._fit, backend.programs):
            outcome = backend.solve(self._fit, tol=tol, **options)
            places = _AB
        else:
            lowered = lower(self.problem, type(self).__name__)
            outcome = backend.solve(lowered.program, tol=tol, **options)
            places = [lowered.columns[variable.id] for variable in (self.A, self.B)]
        answer = self._answered(self._checked(outcome), places, tol)
        self._latest[:] = [answer]
        if "_stated" in vars(self):
            _write(answer, *self._stated)
        return answer

    def _checked(self, outcome: Outcome) -> Outcome:
        if outcome.claim in (Claim.INFEASIBLE, Claim.UNBOUNDED) or not np.isfinite(outcome.point).all():
            raise no_answer(type(self).__name__, quote(outcome))
        return outcome

    def _answered(self, outcome: Outcome, places: Sequence[int], tol: float) -> Calibration:
        """Judge an answer that has A and B at these places of its point."""
        A, B = outcome.point[places].tolist()
        certificate = self.certify(A, B)
        status = status_of(certificate, outcome.claim, tol)
        errors = self._bounds.errors(A, B)
        value = certificate.primal_value
        return Calibration(
            A, B, self.classes, value, status, certificate, tol, outcome.solver, outcome.message, *errors
        )

    @cached_property
    def _fit(self) -> SigmoidFit:
        return SigmoidFit(self.scores, self.t, type(self).__name__)

    @property
    def _bounds(self) -> SigmoidBounds:
        return SigmoidBounds(self._fit)

    def certify(self, A: float, B: float) -> Certificate:
        """Bound the error of any A and B, using only the scores.

        Parameters
        ----------
        A, B
            Slope and offset of A s + B, the log-odds of a score s.

        Raises
        ------
        ParameterError
            If they are not numbers.
        """
        return self._bounds.certify(real_number(A, "A"), real_number(B, "B"))


_AB = [0, 1]
"""Places of A and B in the point of a SigmoidFit."""


class Calibrations(Sequence[Calibration]):
    """The sigmoids of several machines, which are fitted together, and proved when somebody first asks for one.

    A pickle holds what is proved, and no scores.

    Parameters
    ----------
    models
        The problems.
    tol
        As in :meth:`PlattCalibration.solve`.

    Attributes
    ----------
    sigmoids
        Those of all, in the order of the problems.

    Raises
    ------
    SolverFailedError
        If a slope is beyond float64.
    """

    def __init__(self, models: Sequence[PlattCalibration], *, tol: float = 1e-6) -> None:
        answers = fit_sigmoids([model._fit for model in models], Request(tol))
        found = [
            model._checked(Outcome(**vars(each), solver="newton")) for model, each in zip(models, answers, strict=True)
        ]
        self._stated, self._tol = list(zip(models, found, strict=True)), tol
        self.sigmoids = Sigmoids(*np.array([each.point for each in found]).T)

    @cached_property
    def _proved(self) -> list[Calibration]:
        return [model._answered(outcome, _AB, self._tol) for model, outcome in self._stated]

    def __len__(self) -> int:
        """Return their number."""
        return self.sigmoids.A.size

    @overload
    def __getitem__(self, index: int) -> Calibration: ...
    @overload
    def __getitem__(self, index: slice) -> list[Calibration]: ...
    def __getitem__(self, index: int | slice) -> Calibration | list[Calibration]:
        """Return a sigmoid with its proof, or several by a slice."""
        return self._proved[index]

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds."""
        return {"sigmoids": self.sigmoids, "_proved": self._proved}


def _write(answer: Calibration, A: cp.Variable, B: cp.Variable, problem: cp.Problem) -> None:
    """Write an answer to the problem and its variables."""
    status = cp.OPTIMAL if answer.status is Status.OPTIMAL else cp.OPTIMAL_INACCURATE
    values = {A.id: np.array(answer.A), B.id: np.array(answer.B)}
    problem.unpack(cp.reductions.solution.Solution(status, answer.objective, values, {}, {}))


def _refuse_separable(scores: Vector, y: Vector, classes: NDArray[Any]) -> None:
    """Refuse scores with a direction (A, B) along which no loss grows and some fall: they have no optimum."""
    negative, positive = scores[y < 0], scores[y > 0]
    rising, falling = negative.max() <= positive.min(), positive.max() <= negative.min()
    if scores.min() == scores.max() or not (rising or falling):
        return
    threshold = 0.5 * float(negative.max() + positive.min() if rising else positive.max() + negative.min())
    low, high = classes.tolist() if rising else classes.tolist()[::-1]
    raise SeparableScoresError(
        f"plain targets need scores of both classes that overlap, but none of {low!r} is above {threshold:.6g} and "
        f"none of {high!r} below it, so that no finite A is optimal; use targets='platt'.",
        threshold,
    )
