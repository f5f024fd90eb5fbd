# SPDX-License-Identifier: BSD-3-Clause
"""A solver with the program that it is given of a model, and how its iterates are read and judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from formulations.lab.views.recording import TOL
from formulations.modelling.candidate import Candidate
from formulations.modelling.form import Form
from formulations.modelling.form_solving import judged_point, read_point
from formulations.modelling.model import Model
from formulations.modelling.routes import judged, read_structure
from qpkernels.problems import Bounds, Certificate, ConeProgram, Program
from qpkernels.solvers import Answer, Claim, ConePoint, Solver

__all__ = ["FormRoute", "JudgedIterate", "Route", "form_route", "structure_route"]


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
    """What a solver is given of a model.

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
