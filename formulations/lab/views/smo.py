# SPDX-License-Identifier: BSD-3-Clause
"""Sequential minimal optimisation, pair by pair, with the duality gap after each step."""

from __future__ import annotations

from typing import Any

from formulations.lab.algorithms.limits import TOL
from formulations.lab.algorithms.smo import PairSteps, record_smo
from formulations.lab.views.base import Drawn, Scene, ViewKind
from formulations.lab.views.steps import finite, percent, recorded, roles
from qpkernels.solvers.smo.stepping import Change

__all__ = ["SMO"]


def _draw(scene: Scene, step: int) -> Drawn:
    return recorded(scene, "smo", record_smo, _drawn, step)


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
        facts,
        arrays,
        function=run.function(k),
        multipliers=run.betas[k],
        roles=roles(run.betas[k], run.program),
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


SMO = ViewKind("smo", "SMO", _draw)
