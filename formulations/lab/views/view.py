# SPDX-License-Identifier: BSD-3-Clause
"""The input and the output of a view; one with steps has a recording, made once, and the step in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from formulations.lab.answers import LabAnswer
from formulations.lab.background import Recorder
from formulations.lab.settings import MachineChoice, Setting, Stated
from formulations.modelling.candidate import Candidate
from formulations.modelling.form import Form, judged_point, read_point
from formulations.modelling.model import Model
from formulations.modelling.routes import judged, read_structure
from qpkernels.arrays import Vector
from qpkernels.errors import ParameterError, QPKernelsError, UnsupportedProgramError
from qpkernels.gram.functions import Expansion
from qpkernels.problems import Bounds, Certificate, ConeProgram, KernelQP, Program
from qpkernels.solvers import Answer, Claim, ConePoint, Solver

__all__ = [
    "MOST_STEPS",
    "PICTURE",
    "TOL",
    "Drawn",
    "FormRoute",
    "JudgedIterate",
    "Refusal",
    "Route",
    "Scene",
    "ViewKind",
    "few_points",
    "finite",
    "form_route",
    "model_to_record",
    "only_convex",
    "percent",
    "recorded",
    "roles",
    "sentence",
    "stepped",
    "still",
    "structure_route",
]

Made = TypeVar("Made")

Refusal: TypeAlias = Callable[[MachineChoice, Stated], str | None]


@dataclass(frozen=True, eq=False)
class Drawn:
    """The part of a frame that a view adds.

    Attributes
    ----------
    facts, arrays
        Of the diagram.
    function
        What the picture shows in place of the answer: an iterate, for example.
    multipliers, roles
        Of the points, in place of those of the answer, shape (m,).
    has_margin
        Whether the function shown has the margin of the machine.
    """

    facts: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    function: Expansion | None = None
    multipliers: NDArray[Any] | None = None
    roles: NDArray[Any] | None = None
    has_margin: bool = True


class Scene:
    """An answer, and what views have worked out of it: a step of an algorithm does not run it again.

    Recordings are made by the recorder, and their view is pending meanwhile; without one at once.
    """

    def __init__(self, answer: LabAnswer, recorder: Recorder | None = None) -> None:
        self.answer = answer
        self._recorder = recorder
        self._kept: dict[str, Any] = {}
        self._recordings: dict[str, Future[Any]] = {}

    def once(self, name: str, make: Callable[[LabAnswer], Made]) -> Made:
        """Return what ``make`` makes of the answer, made once for each name."""
        if name not in self._kept:
            self._kept[name] = make(self.answer)
        made: Made = self._kept[name]
        return made

    def recorded(self, name: str, record: Callable[[Setting], Made]) -> Made | None:
        """Return what ``record`` records of the setting, once for each name; None while that is under way.

        It runs in another thread than the answers, and so must have a model of its own.
        """
        setting = self.answer.setting
        if self._recorder is None:
            return self.once(name, lambda _: record(setting))
        recording = self._recordings.get(name)
        if recording is None or recording.cancelled():
            recording = self._recordings[name] = self._recorder.begin(lambda: record(setting))
        return recording.result() if recording.done() else None


def shows_something(*_: object) -> None:
    """Return no reason: the view shows something of every machine."""


@dataclass(frozen=True)
class ViewKind:
    """A view.

    Attributes
    ----------
    name, title
        As a page lists it.
    draw
        What it draws of a scene at a step.
    refusal
        Why it shows nothing of a machine, whatever the points; None where it shows something.
    """

    name: str
    title: str
    draw: Callable[[Scene, int], Drawn]
    refusal: Refusal = shows_something


def still(name: str, title: str, draw: Callable[[LabAnswer], Drawn], refusal: Refusal = shows_something) -> ViewKind:
    """Return a view without steps, drawn once for each answer."""
    return ViewKind(name, title, lambda scene, _: scene.once(name, draw), refusal)


PICTURE = ViewKind("picture", "Picture", lambda *_: Drawn())


MOST_POINTS = 200
"""Points of an algorithm shown step by step: its solvers run again and again on them."""

MOST_STEPS = 2000
"""Steps of a recording."""

TOL = 1e-6
"""The tolerance within which an answer counts as proved."""


def few_points(setting: Setting) -> None:
    """Refuse more points than are recorded."""
    if len(setting.points) > MOST_POINTS:
        raise ParameterError(
            f"algorithms are shown step by step on at most {MOST_POINTS} points, but there are {len(setting.points)}; "
            "remove some."
        )


def model_to_record(setting: Setting) -> Model[Any]:
    """Return the model of a setting, one of its own for the recording."""
    few_points(setting)
    model = setting.state()
    if not isinstance(model, Model):
        raise UnsupportedProgramError(_NOT_CONVEX)
    return model


def only_convex(_: MachineChoice, model: Stated) -> str | None:
    """Refuse relevance machines."""
    return None if isinstance(model, Model) else sentence(_NOT_CONVEX)


_NOT_CONVEX = (
    "a relevance machine maximises its evidence, which is not convex: it has no certificate, and no solver of convex "
    "problems takes it. Choose another machine."
)


Recording = TypeVar("Recording")

_WORKING = Drawn(
    {"words": "Working … The steps are being recorded; the picture shows the answer meanwhile.", "pending": True}
)
"""While a recording is under way."""

_ZERO = 1e-8
"""Share of the largest coefficient below which one counts as 0, or as at its bound."""


def stepped(
    name: str,
    title: str,
    record: Callable[[Setting], Recording],
    draw: Callable[[Recording, int], Drawn],
    refusal: Refusal = only_convex,
) -> ViewKind:
    """Return the view of an algorithm: what ``draw`` draws of what ``record`` recorded, at a step."""
    return ViewKind(name, title, lambda scene, step: recorded(scene, name, record, draw, step), refusal)


def recorded(
    scene: Scene, name: str, record: Callable[[Setting], Recording], draw: Callable[[Recording, int], Drawn], step: int
) -> Drawn:
    """Return what ``draw`` draws of a recording that is made once; where there is none, why, in its facts' words."""

    def attempt(setting: Setting) -> Recording | QPKernelsError:
        try:
            return record(setting)
        except QPKernelsError as error:
            return error

    made = scene.recorded(name, attempt)
    if made is None:
        return _WORKING
    if isinstance(made, QPKernelsError):
        return Drawn({"words": sentence(str(made)), "steps": 0, "step": 0})
    return draw(made, step)


def sentence(words: str) -> str:
    """Return words with a capital letter, unless they begin with a symbol such as X."""
    first, _, _ = words.partition(" ")
    return words if len(first) == 1 and first != "a" else words[:1].upper() + words[1:]


def finite(value: float) -> float | None:
    """Return a number as JSON can say it: None where it is not finite."""
    return float(value) if np.isfinite(value) else None


def percent(value: float) -> str:
    """Return a relative gap in words: in percent while it is more than a thousandth."""
    if not np.isfinite(value):
        return "everything"
    if value >= 1e-3:
        return f"{100 * value:.3g} %" if value < 10.0 else f"{100 * value:,.0f} %"
    return f"{value:.1e}" if value else "nothing"


def roles(beta: Vector, program: KernelQP | None = None) -> Vector:
    """Return what samples are at coefficients: 0 without one, 1 with one, 2 at a bound of ``program``, shape (m,)."""
    size = _ZERO * float(np.abs(beta).max())
    found = (np.abs(beta) > size).astype(float)
    if program is not None:
        found[(found > 0) & ((beta >= program.upper - size) | (beta <= program.lower + size))] = 2.0
    return found


@dataclass(frozen=True, eq=False)
class JudgedIterate:
    """An iterate in the terms of the model, with what the certificate proves of it."""

    answer: Candidate
    certificate: Certificate

    @property
    def error(self) -> float:
        """The largest of gap, residuals and complementarity, which all have to fall; NaN where nothing is known."""
        return self.certificate.largest

    @property
    def proved(self) -> bool:
        """Whether the certificate holds."""
        return self.certificate.holds(TOL)


@dataclass(frozen=True, eq=False)
class Route:
    """The program that a solver is given for a model.

    Attributes
    ----------
    model, bounds
        The model, and what judges its answers.
    solver, program
        Who solves what.
    read
        An iterate in the terms of the model.
    certified
        An answer that the solver calls optimal, with its certificate, as :meth:`Model.solve` finds it: repaired, where
        that is needed.
    """

    model: Model[Any]
    bounds: Bounds
    solver: Solver
    program: Program
    read: Callable[[Answer], Candidate]
    certified: Callable[[Answer], tuple[Candidate, Certificate]]

    def judge(self, iterate: Answer) -> JudgedIterate | None:
        """Return an iterate with its certificate; None where it has no numbers."""
        if not (np.isfinite(iterate.point).all() and np.isfinite(iterate.multipliers).all()):
            return None
        if iterate.claim is Claim.OPTIMAL:
            return JudgedIterate(*self.certified(iterate))
        answer = self.read(iterate)
        return JudgedIterate(answer, self.model.judge(answer, self.bounds))


@dataclass(frozen=True, eq=False)
class FormRoute(Route):
    """One by a form of the model, lowered to a cone program."""

    program: ConeProgram


def structure_route(model: Model[Any], bounds: Bounds, solver: Solver, program: Program) -> Route:
    """Return the route of a solver that takes the model as it is."""

    def read(iterate: Answer) -> Candidate:
        return read_structure(model, program, iterate, bounds)

    def certified(iterate: Answer) -> tuple[Candidate, Certificate]:
        return judged(model, read(iterate), bounds, TOL)

    return Route(model, bounds, solver, program, read, certified)


def form_route(model: Model[Any], bounds: Bounds, solver: Solver) -> FormRoute:
    """Return the route of a solver of cone programs: by the dual, where the model has a form of that name."""
    form: Form = model.forms.get("dual") or next(iter(model.forms.values()))
    lowered = form.lower()

    def read(iterate: Answer) -> Candidate:
        return read_point(form, lowered, ConePoint(iterate.point, iterate.multipliers), bounds)

    def certified(iterate: Answer) -> tuple[Candidate, Certificate]:
        answer, certificate, _ = judged_point(form, lowered, iterate, bounds, TOL)
        return answer, certificate

    return FormRoute(model, bounds, solver, lowered.program, read, certified)
