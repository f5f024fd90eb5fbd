# SPDX-License-Identifier: BSD-3-Clause
r"""The perceptron's corrections, and how many there can be.

It looks at one sample after another; one on the wrong side, y_i (f(x_i) + b) <= 0, is added: f <- f + y_i k(x_i, .),
b <- b + y_i. Where some function separates the classes, corrections end after at most (R / rho)^2 of them
(Novikoff, 1962): R is the largest length of a sample (1, phi(x)), and rho the margin in that space, here that of the
hard margin machine. Where none does, they never end.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from formulations.lab.settings import LabTask, MachineChoice, Setting, Stated
from formulations.lab.views.view import MOST_STEPS, Drawn, few_points, finite, roles, sentence, stepped
from formulations.models.classification.margins.hard_margin import HardMargin
from formulations.models.classification.separation.perceptron import Perceptron, PerceptronCorrection
from qpkernels.arrays import Indices, Vector
from qpkernels.errors import InfeasibleError, QPKernelsError, UnsupportedProgramError
from qpkernels.gram.functions import Expansion

__all__ = ["PERCEPTRON", "record_perceptron"]

_PASSES = 20
"""Passes over classes that are not separable: as many more as one likes would be no different."""

_MANY = 100_000
"""Passes over others: the number of corrections is what ends these."""


@dataclass(frozen=True, eq=False)
class PerceptronRun:
    """The record of a perceptron.

    Attributes
    ----------
    rule
        The perceptron.
    steps
        Its corrections.
    wrong
        Samples on the wrong side after k of them, shape (len(steps) + 1,); one on the surface counts as wrong.
    separable
        Whether the classes are separable; None where that is not known.
    bound
        What the number of corrections never exceeds; None where there is no such number, or none is known.
    """

    rule: Perceptron
    steps: tuple[PerceptronCorrection, ...]
    wrong: Indices
    separable: bool | None
    bound: float | None

    @property
    def ended(self) -> bool:
        """Whether every sample is on its right side at last."""
        return not self.wrong[-1]

    @property
    def looked(self) -> Indices:
        """Samples looked at until each correction, shape (len(steps) + 1,)."""
        return np.array([0, *((step.epoch - 1) * len(self.rule) + step.looked for step in self.steps)])

    def beta(self, k: int) -> Vector:
        """Return the coefficients after k corrections."""
        return self.rule.y * self.steps[k - 1].alpha if k else np.zeros(len(self.rule))

    def function(self, k: int) -> Expansion:
        """Return the function after k corrections: 0 at first."""
        if not k:
            return self.rule.data.gram.expansion(self.beta(0), 0.0, self.rule.classes)
        return self.rule.function_of(self.steps[k - 1].alpha)[0]


_NO_CLASSES = (
    "a perceptron separates two classes, and the points of this machine have none; choose a machine of two classes."
)


def _has_classes(choice: MachineChoice) -> bool:
    return choice.task is LabTask.CLASSIFICATION and choice.takes_labels


def _refusal(choice: MachineChoice, _: Stated) -> str | None:
    return None if _has_classes(choice) else sentence(_NO_CLASSES)


def record_perceptron(setting: Setting) -> PerceptronRun:
    """Run a perceptron with the kernel of a setting on its points."""
    if not _has_classes(setting.machine.choice):
        raise UnsupportedProgramError(_NO_CLASSES)
    few_points(setting)
    kernel = setting.kernel_function()
    rule = Perceptron(setting.X, setting.y, kernel)
    separable, bound = None, None
    try:
        bound = rule.mistake_bound(HardMargin(setting.X, setting.y, kernel).solve().function)
        separable = True
    except InfeasibleError:
        separable = False
    except QPKernelsError:
        pass
    passes = _PASSES if separable is False else _MANY
    steps = tuple(islice(rule.corrections(max_epochs=passes), MOST_STEPS))
    wrong = [len(rule), *(int((rule.y * rule.decision(rule.y * step.alpha) <= 0).sum()) for step in steps)]
    return PerceptronRun(rule, steps, np.array(wrong), separable, bound)


def _drawn(run: PerceptronRun, step: int) -> Drawn:
    k = min(step, len(run.steps))
    beta = run.beta(k)
    return Drawn(
        {
            "words": _words(run, k),
            "steps": len(run.steps),
            "step": k,
            "marked": [run.steps[k - 1].sample] if k else [],
            "bound": None if run.bound is None else finite(run.bound),
            "ended": run.ended,
        },
        {"looked": run.looked, "wrong": run.wrong},
        function=run.function(k),
        multipliers=beta,
        roles=roles(beta),
        has_margin=False,
    )


def _words(run: PerceptronRun, k: int) -> str:
    if not k:
        return (
            "The perceptron begins with f = 0 and looks at one sample after another; each that is on the wrong side, "
            f"or on the surface, is added with its label. {_limit(run)}"
        )
    step, wrong = run.steps[k - 1], int(run.wrong[k])
    left = (
        "no point is on the wrong side any more" if not wrong else f"{wrong} of {len(run.rule)} are on the wrong side"
    )
    said = f"Mistake {k}: sample {step.sample} was on the wrong side in pass {step.epoch} and was added; now {left}."
    if k < len(run.steps):
        return said
    if run.ended:
        return f"{said} The next pass finds no mistake, and the perceptron ends. {_limit(run)}"
    return f"{said} The recording ends here, the perceptron does not. {_limit(run)}"


def _limit(run: PerceptronRun) -> str:
    if run.separable is False:
        return "As far as float64 can tell no function of this kernel separates these classes, and it goes on for ever."
    if run.bound is None:
        return "Whether it ends is not known here: the hard margin machine has no proved answer."
    return f"It makes at most (R / margin)² = {run.bound:,.0f} mistakes, in whatever order the samples come."


PERCEPTRON = stepped("perceptron", "Perceptron", record_perceptron, _drawn, _refusal)
