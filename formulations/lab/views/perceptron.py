# SPDX-License-Identifier: BSD-3-Clause
"""The perceptron, correction by correction, with the bound on their number."""

from __future__ import annotations

from formulations.lab.algorithms.perceptron import Corrections, record_perceptron
from formulations.lab.views.base import Drawn, Scene, ViewKind
from formulations.lab.views.steps import finite, recorded, roles

__all__ = ["PERCEPTRON"]


def _draw(scene: Scene, step: int) -> Drawn:
    return recorded(scene, "perceptron", record_perceptron, _drawn, step)


def _drawn(run: Corrections, step: int) -> Drawn:
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


def _words(run: Corrections, k: int) -> str:
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


def _limit(run: Corrections) -> str:
    if run.separable is False:
        return "As far as float64 can tell no function of this kernel separates these classes, and it goes on for ever."
    if run.bound is None:
        return "Whether it ends is not known here: the hard margin machine has no proved answer."
    return f"It makes at most (R / margin)² = {run.bound:,.0f} mistakes, in whatever order the samples come."


PERCEPTRON = ViewKind("perceptron", "Perceptron", _draw)
