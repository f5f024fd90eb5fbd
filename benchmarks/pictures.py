# SPDX-License-Identifier: BSD-3-Clause
"""The picture of how far each solver is from the limit, in the style of our displays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from benchmarks.records import ANSWERED, MATCHED, PROVED, Comparison
from benchmarks.repetition import typical
from formulations.plots.style import BLUE, GREEN, GREY, PURPLE, VERMILLION, style

__all__ = ["draw_ratios", "ratios_name"]

_MARKS: dict[str, dict[str, Any]] = {
    "LIBSVM": {"color": VERMILLION, "marker": "s", "markersize": 7},
    "oneDAL": {"color": PURPLE, "marker": "D", "markersize": 6.5},
    ANSWERED: {"color": BLUE, "marker": "|", "markersize": 9, "markeredgewidth": 1.5},
    PROVED: {"color": BLUE, "marker": "o", "markersize": 10, "markerfacecolor": "none", "markeredgewidth": 1.5},
    MATCHED: {"color": BLUE, "marker": "o", "markersize": 6.5},
}


def ratios_name(tol: float) -> str:
    """Return the name of the file of the picture at ``tol``."""
    return f"ratios-{tol:.0e}.png"


def draw_ratios(rows: Sequence[Comparison], path: Path) -> None:
    """Draw the seconds of each solver over those of the limit, a line for each problem, the first one on top."""
    with style():
        figure = Figure(figsize=(8.6, 1.3 + 0.34 * len(rows)), layout="constrained")
        axes = figure.subplots()
        _prepare(axes, rows)
        for height, row in enumerate(rows):
            least = typical(row.limit)
            ratios = {name: run.seconds / least for name, run in row.runs.items()}
            axes.plot([min(ratios.values()), max(ratios.values())], [height, height], color=GREY, lw=0.8, zorder=1)
            for name, ratio in ratios.items():
                axes.plot(ratio, height, linestyle="none", zorder=3, **_MARKS[name])
                if row.runs[name].limit is not None:
                    axes.annotate(
                        "",
                        (ratio, height),
                        (26, 0),
                        textcoords="offset points",
                        arrowprops={"arrowstyle": "<-", "color": _MARKS[name]["color"], "lw": 1.4},
                    )
        shown = [name for name in _MARKS if any(name in row.runs for row in rows)]
        handles = [Line2D([], [], linestyle="none", label=name, **_MARKS[name]) for name in shown]
        handles.insert(0, Line2D([], [], color=GREEN, lw=1.6, label="limit"))
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), columnspacing=1.6)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path)


def _prepare(axes: Axes, rows: Sequence[Comparison]) -> None:
    axes.set_xscale("log")
    axes.axvline(1.0, color=GREEN, lw=1.6, zorder=2)
    axes.grid(axis="x", color=GREY, alpha=0.25, lw=0.6)
    axes.set_axisbelow(True)
    axes.margins(x=0.09)
    axes.set_yticks(range(len(rows)), [str(row.samples) for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    for height, text in ((-1, "samples"), *((height, row.problem) for height, row in enumerate(rows))):
        shift = (-3, 0) if height < 0 else (-50, 0)
        place = (0, height)
        frame = axes.get_yaxis_transform()
        axes.annotate(text, place, shift, frame, "offset points", ha="right", va="center", annotation_clip=False)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel("seconds over those of the limit; an arrow: ended before it had an answer")
