# SPDX-License-Identifier: BSD-3-Clause
"""Sequential minimal optimisation, pair by pair, with the duality gap after each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from formulations.lab.settings import MachineChoice, Setting, Stated
from formulations.lab.views.view import (
    MOST_STEPS,
    TOL,
    Drawn,
    finite,
    model_to_record,
    only_convex,
    percent,
    roles,
    stepped,
)
from formulations.modelling.candidate import expand
from formulations.modelling.model import Model
from qpkernels.arrays import Matrix, Vector
from qpkernels.errors import UnsupportedProgramError
from qpkernels.gram.functions import Expansion
from qpkernels.problems import Bounds, FenchelBounds, KernelQP, KernelQPBounds
from qpkernels.problems.level_qp.bounds import MarginLevelBounds
from qpkernels.problems.linear_program import LinearProgramBounds
from qpkernels.solvers.smo.stepping import Change, Stepper

__all__ = ["SMO", "record_smo"]

_PROFILE = 81
"""Points of the objective along a step."""


@dataclass(frozen=True, eq=False)
class PairSteps:
    """A descent by steps of one or two coefficients.

    Attributes
    ----------
    model, program
        What is solved: in minimisation form.
    changes
        What each step changed.
    betas, intercepts
        Of the iterates, shapes (len(changes) + 1, m) and (len(changes) + 1,).
    primal, dual, gap
        P(f, b), D(beta) and their relative gap at the iterates.
    proved, diverging
        Whether the gap is within the tolerance at last; whether coefficients grow without end, as where no answer is.
    """

    model: Model[Any]
    program: KernelQP
    changes: tuple[Change, ...]
    betas: Matrix
    intercepts: Vector
    primal: Vector
    dual: Vector
    gap: Vector
    proved: bool
    diverging: bool

    def function(self, k: int) -> Expansion:
        """Return f + b after k steps."""
        return expand(self.model.gram, self.betas[k], float(self.intercepts[k]), self.model.classes).function

    def profile(self, k: int) -> tuple[Vector, Vector]:
        """Return lengths of the step that led to iterate k, from 0 on, and how the objective changes with them."""
        change, beta, program = self.changes[k - 1], self.betas[k - 1], self.program
        reach = 1.3 * max(change.length, min(change.unbounded, 3.0 * change.length))
        lengths = np.linspace(0.0, reach, _PROFILE)
        # The kinks of |.| apart, it falls by the slope of the smooth part.
        smooth, kinks = -change.slope, np.zeros(_PROFILE)
        for sample, sign in ((change.up, 1.0), (change.down, -1.0)):
            if sample is not None:
                epsilon, start = program.epsilon[sample], beta[sample]
                first = 1.0 if sign * start >= 0 else -1.0
                smooth -= epsilon * first
                kinks += epsilon * (np.abs(start + sign * lengths) - abs(start))
        return lengths, smooth * lengths + 0.5 * change.curvature * lengths**2 + kinks


def record_smo(setting: Setting) -> PairSteps:
    """Descend from 0 until the gap is within the tolerance, for at most :data:`MOST_STEPS` steps."""
    model = model_to_record(setting)
    bounds = model.bounds()
    if not isinstance(bounds, KernelQPBounds):
        raise UnsupportedProgramError(_no_pairs(bounds))
    stepper = Stepper(bounds.program)
    changes: list[Change] = []
    iterates, intercepts = [stepper.iterate], [stepper.intercept]
    while len(changes) < MOST_STEPS and not (stepper.iterate.proves(TOL) or stepper.iterate.diverging):
        if (change := stepper.step()) is None:
            break
        changes.append(change)
        iterates.append(stepper.iterate)
        intercepts.append(stepper.intercept)
    return PairSteps(
        model,
        bounds.program,
        tuple(changes),
        betas=np.array([iterate.beta for iterate in iterates]),
        intercepts=np.array(intercepts),
        primal=np.array([iterate.gap.primal_value for iterate in iterates]),
        dual=np.array([iterate.gap.dual_value for iterate in iterates]),
        gap=np.array([iterate.gap.shortfall for iterate in iterates]),
        proved=iterates[-1].proves(TOL),
        diverging=iterates[-1].diverging,
    )


def _refusal(choice: MachineChoice, model: Stated) -> str | None:
    if not isinstance(model, Model):
        return only_convex(choice, model)
    bounds = model.bounds()
    return None if isinstance(bounds, KernelQPBounds) else _no_pairs(bounds)


def _no_pairs(bounds: Bounds) -> str:
    return (
        "SMO moves two coefficients at a time along the one equation of a quadratic dual with bounds, but "
        f"{_why(bounds)}. Choose the soft margin, the squared hinge, one class or the tube, for example."
    )


def _why(bounds: Bounds) -> str:
    """Return in words why the dual of a machine is no such program."""
    match bounds:
        case MarginLevelBounds():
            return "the dual of this machine fixes the sum of the coefficients of each class, by two equations"
        case FenchelBounds():
            return "the dual of this machine has a conjugate of its loss that is not quadratic, such as an entropy"
        case LinearProgramBounds():
            return "this machine is a linear program: no quadratic term gives a step its length"
        case _:
            return "the dual of this machine is another"


def _drawn(run: PairSteps, step: int) -> Drawn:
    k = min(step, len(run.changes))
    facts: dict[str, Any] = {"words": _words(run, k), "steps": len(run.changes), "step": k, "tol": TOL, "marked": []}
    arrays = {"gap": run.gap, "primal": run.primal, "dual": run.dual}
    if k:
        change = run.changes[k - 1]
        facts |= {
            "marked": [sample for sample in (change.up, change.down) if sample is not None],
            "length": change.length,
            "unbounded": finite(change.unbounded),
            "room": finite(change.room),
            "clipped": change.clipped,
        }
        arrays["lengths"], arrays["changes"] = run.profile(k)
    return Drawn(
        facts, arrays, function=run.function(k), multipliers=run.betas[k], roles=roles(run.betas[k], run.program)
    )


def _words(run: PairSteps, k: int) -> str:
    gap = f"The relative gap is {percent(float(run.gap[k]))}" if run.gap[k] else "The relative gap is 0"
    if not k:
        return (
            "SMO begins with coefficients that add up as they must, and moves as few at a time as it can: each step is "
            f"a parabola, and has a closed form. {gap}."
        )
    said = f"Step {k}: {_moved(run.changes[k - 1])} {gap}"
    if k < len(run.changes):
        return f"{said}."
    if run.proved:
        return f"{said}: the answer is proved."
    if run.diverging:
        return f"{said}: the coefficients grow without end, which they do where no answer exists."
    return f"{said}. The recording ends here, the descent does not."


def _moved(change: Change) -> str:
    parts = []
    if change.up is not None:
        parts.append(f"the coefficient of sample {change.up} goes up")
    if change.down is not None:
        parts.append(
            f"that of sample {change.down} down" if parts else f"the coefficient of sample {change.down} goes down"
        )
    by = f"by {change.length:.4g}"
    if change.clipped:
        return f"{' and '.join(parts)} {by}, to the bound of the box, before the minimum of the parabola is reached."
    return f"{' and '.join(parts)} {by}, to the minimum of the objective along that line."


SMO = stepped("smo", "SMO", record_smo, _drawn, _refusal)
