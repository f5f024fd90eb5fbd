# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of what was measured: how the seconds grow with samples, and where conjugate gradients pay."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeAlias

from matplotlib.figure import Figure

from formulations.plots.style import BLUE, GREEN, GREY, PURPLE, VERMILLION, style

__all__ = ["draw_exact", "draw_least_squares", "draw_low_rank"]

Records: TypeAlias = Sequence[Mapping[str, Any]]


class _Line(NamedTuple):
    """A line of a picture: the solver, its words, colour and mark."""

    solver: str
    words: str
    colour: str
    mark: str


def draw_low_rank(records: Records, path: Path) -> None:
    """Draw the seconds of each solver over the number of samples, at the same rank and cost."""
    lines = (
        _Line("semismooth-newton", "semismooth Newton", BLUE, "o"),
        _Line("interior-point", "interior point", PURPLE, "D"),
        _Line("liblinear", "LIBLINEAR", VERMILLION, "s"),
    )
    grown = [record for record in records if record["measure"] == "growth"]
    _draw(path, lines, grown, lambda record: (record["samples"], record["seconds"]), "samples")


def draw_exact(records: Records, path: Path) -> None:
    """Draw the seconds of the exact machine, of the clock and of processors, over the number of samples."""
    with style():
        figure, axes = _axes("samples")
        for key, words, colour, mark in (
            ("seconds", "of the clock", BLUE, "o"),
            ("processor", "of two processors together", GREY, "s"),
        ):
            points = sorted((record["samples"], record[key]) for record in records)
            axes.plot(*zip(*points, strict=True), color=colour, marker=mark, label=words)
        sizes = [record["samples"] for record in records]
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.set_xticks([], minor=True)
        axes.axhline(720.0, color=GREEN, lw=1.2, label="12 minutes")
        _write(figure, path)


def draw_least_squares(records: Records, path: Path) -> None:
    """Draw the seconds of each solver over the ridge; an empty mark is no proof."""
    lines = (
        _Line("linear", "Cholesky", GREY, "s"),
        _Line("conjugate-gradient", "conjugate gradients", VERMILLION, "D"),
        _Line("default", "the default", BLUE, "o"),
    )
    most = max(record["samples"] for record in records if record["solver"] == "linear")
    shown = [record for record in records if record["samples"] == most]
    _draw(path, lines, shown, lambda record: (record["ridge"], median(record["seconds"])), "ridge")


def _draw(
    path: Path,
    lines: Sequence[_Line],
    records: Records,
    place: Callable[[Mapping[str, Any]], tuple[float, float]],
    across: str,
) -> None:
    with style():
        figure, axes = _axes(across)
        for line in lines:
            own = sorted((record for record in records if record["solver"] == line.solver), key=place)
            if not own:
                continue
            places = [place(record) for record in own]
            axes.plot(*zip(*places, strict=True), color=line.colour, marker=line.mark, label=line.words)
            unproved = [
                where for where, record in zip(places, own, strict=True) if record.get("status", "optimal") != "optimal"
            ]
            if unproved:
                axes.plot(
                    *zip(*unproved, strict=True),
                    linestyle="none",
                    marker=line.mark,
                    color=line.colour,
                    markerfacecolor="white",
                )
        _write(figure, path)


def _axes(across: str) -> tuple[Figure, Any]:
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlabel=across, ylabel="seconds")
    axes.grid(color=GREY, alpha=0.25, lw=0.6)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    return figure, axes


def _write(figure: Figure, path: Path) -> None:
    figure.axes[0].legend()
    # Without the day and the version, equal records make equal files.
    figure.savefig(path, dpi=150, metadata={"Software": None})
