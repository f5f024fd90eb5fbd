# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of comparisons and cross-examinations: seconds against the certified gap."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from formulations.comparison.examination import CrossExamination, Trial
from formulations.comparison.table import Comparison
from qpkernels.certificates import Status
from qpkernels.errors import MissingPackageError

__all__ = ["draw", "draw_trials"]

_MARKERS = "osD^vP*X"
_EXACT = 1e-16
"""Where a gap of 0 is drawn."""


def draw(comparison: Comparison, path: str | Path, title: str = "") -> Path:
    """Draw every answer by its seconds and its certified relative gap, and write the picture to ``path``.

    What lies within the tolerance is proved optimal. Colours are solvers, markers are forms; an answer that is not
    proved is hollow.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    """
    figure, axes = _axes(title, "seconds, certificate included", "certified relative gap")
    from matplotlib.lines import Line2D

    rows = [row for row in comparison if np.isfinite(row.relative_gap)]
    colour, marker = _colours(row.solver for row in rows), _markers(row.formulation for row in rows)
    for row in rows:
        axes.plot(
            row.seconds,
            max(row.relative_gap, _EXACT),
            marker[row.formulation],
            color=colour[row.solver],
            markersize=9,
            markerfacecolor=colour[row.solver] if row.status == Status.OPTIMAL else "none",
        )
    axes.axhspan(_EXACT / 3, comparison.tol, color="tab:green", alpha=0.08, zorder=0)
    axes.axhline(comparison.tol, color="tab:green", linewidth=1)
    axes.text(0.01, comparison.tol, " proved optimal below", va="bottom", transform=axes.get_yaxis_transform())
    keys = [Line2D([], [], color=colour[each], marker="o", linestyle="", label=each) for each in colour]
    keys += [Line2D([], [], color="black", marker=marker[each], linestyle="", label=each) for each in marker]
    return _written(figure, keys, path)


def draw_trials(examination: CrossExamination, path: str | Path, title: str = "") -> Path:
    """Draw a line for each solver through its answers, by their seconds and by the accuracy to which they are proved.

    The accuracy is the largest of the certified gap and residuals. A marker is hollow where the answer is not proved to
    the tolerance that was asked for; the tolerances are the grey lines.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    """
    figure, axes = _axes(title, "seconds of solver and certificate", "certified gap and residuals")
    from matplotlib.lines import Line2D

    lines = {solver: [t for t in examination.of(solver) if _is_drawn(t)] for solver in examination.solvers}
    lines = {solver: trials for solver, trials in lines.items() if trials}
    colour, marker = _colours(lines), _markers(lines)
    for solver, trials in lines.items():
        places = [(trial.seconds, max(trial.row.accuracy, _EXACT)) for trial in trials]
        axes.plot(*zip(*places, strict=True), color=colour[solver], linewidth=1.2, alpha=0.7)
        for (seconds, accuracy), trial in zip(places, trials, strict=True):
            face = colour[solver] if trial.row.status == Status.OPTIMAL else "white"
            axes.plot(seconds, accuracy, marker[solver], color=colour[solver], markersize=8, markerfacecolor=face)
    for tol in examination.tolerances:
        axes.axhline(tol, color="grey", linewidth=1, linestyle=":", zorder=0)
        axes.text(1.0, tol, f"{tol:.0e} ", va="bottom", ha="right", color="grey", transform=axes.get_yaxis_transform())
    keys = [Line2D([], [], color=colour[each], marker=marker[each], label=each) for each in lines]
    return _written(figure, keys, path)


def _is_drawn(trial: Trial) -> bool:
    return bool(np.isfinite(trial.row.accuracy)) and trial.seconds > 0


def _axes(title: str, horizontal: str, vertical: str) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPackageError(
            'pictures need matplotlib, which is not installed; run: pip install "qpkernels[plot]"'
        ) from error
    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    axes = figure.add_subplot(xscale="log", yscale="log", xlabel=horizontal, ylabel=vertical)
    axes.set_title(title, fontsize="medium")
    return figure, axes


def _colours(solvers: Iterable[str]) -> dict[str, str]:
    return {solver: f"C{k % 10}" for k, solver in enumerate(dict.fromkeys(solvers))}


def _markers(names: Iterable[str]) -> dict[str, str]:
    return {name: _MARKERS[k % len(_MARKERS)] for k, name in enumerate(dict.fromkeys(names))}


def _written(figure: Any, keys: list[Any], path: str | Path) -> Path:
    figure.axes[0].set_ylim(bottom=_EXACT / 3)
    figure.legend(handles=keys, loc="outside right upper", fontsize="small")
    target = Path(path)
    figure.savefig(target, dpi=150)
    return target
