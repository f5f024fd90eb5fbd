# SPDX-License-Identifier: BSD-3-Clause
"""The picture of the page: how many problems each solver has answered, and seen proved, by when."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from benchmarks.trust.records import Trial
from formulations.plots.style import COLOURS, DASHES, GREY, style

__all__ = ["PROFILE", "draw_profile", "profile"]

PROFILE = "maros_meszaros.png"

_LEAST = 1e-4
"""Seconds below which a time is mostly that of the call."""


def profile(trials: Sequence[Trial], solver: str, tol: float) -> tuple[list[float], list[float]]:
    """Return the seconds after which one more answer of the solver was there that is proved, and the share till then.

    It is the share of all problems, tried by this solver or not.
    """
    problems = {trial.problem for trial in trials}
    seconds = sorted(max(t.seconds, _LEAST) for t in trials if t.solver == solver and t.accepted(tol))
    return seconds, [count / len(problems) for count in range(1, len(seconds) + 1)]


def draw_profile(trials: Sequence[Trial], path: Path, tol: float = 1e-6) -> None:
    """Draw the profiles of all solvers, the one with most proofs first."""
    curves = {solver: profile(trials, solver, tol) for solver in sorted({trial.solver for trial in trials})}
    ranked = sorted(curves.items(), key=lambda curve: -len(curve[1][0]))
    latest = max((max(seconds, default=_LEAST) for seconds, _ in curves.values()), default=_LEAST)
    with style():
        figure = Figure(figsize=(8.6, 4.6), layout="constrained")
        axes = figure.subplots()
        for (solver, (seconds, shares)), colour, dashes in zip(ranked, cycle(COLOURS), cycle(DASHES), strict=False):
            share = shares[-1] if shares else 0.0
            places = [_LEAST, *seconds, 1.5 * latest], np.array([0.0, *shares, share])
            label = f"{solver}, {share:.0%}"
            axes.step(*places, where="post", color=colour, linestyle=dashes, lw=1.8, label=label)
        axes.set_xscale("log")
        axes.set_xlim(_LEAST, 1.5 * latest)
        axes.set_ylim(0.0, 1.02)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.grid(color=GREY, alpha=0.25, lw=0.6)
        axes.set(xlabel="seconds of the solver", ylabel=f"problems whose answer is proved to {tol:g}")
        figure.legend(loc="outside right center")
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path)
