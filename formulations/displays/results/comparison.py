# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons and cross-examinations: seconds against what is proved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from formulations.displays.base import Display
from formulations.displays.style import COLOURS, DASHES, GREEN, GREY, MARKERS, ink_of, tinted
from formulations.judging import Comparison, CrossExamination, Row, Trial
from qpkernels.arrays import shown
from qpkernels.errors import ParameterError
from qpkernels.problems import Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ComparisonDisplay", "CrossExaminationDisplay"]

_EXACT = 1e-16
"""Where a gap of 0 is drawn."""


class _Answers(Display):
    """What both have: logarithmic axes, and a legend to the right."""

    _panel_size: ClassVar[tuple[float, float]] = (9.0, 5.0)

    def _explain(self, axes: Sequence[Axes], *, own: bool) -> None:
        ax = axes[0]
        handles, labels = ax.get_legend_handles_labels()
        if own and handles:
            figure: Any = ax.figure
            figure.legend(handles, labels, loc="outside right upper", fontsize="small")
        elif handles:
            ax.legend(handles, labels, fontsize="small")


@dataclass(kw_only=True, eq=False, repr=False)
class ComparisonDisplay(_Answers):
    """Every answer of a comparison by its seconds and its certified relative gap.

    :meth:`from_comparison` makes one. What lies in the green band is proved optimal. Colours are solvers, markers are
    forms; an answer that is not proved is hollow.

    Attributes
    ----------
    rows
        The answers with a gap.
    tol
        The tolerance asked for.

    Examples
    --------
    >>> from formulations import SoftMargin, compare
    >>> from formulations.displays import ComparisonDisplay
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1.0)
    >>> comparison = compare(model, ["smo", "clarabel"], progress=False, isolate=False)
    >>> display = ComparisonDisplay.from_comparison(comparison).plot()
    >>> print([f"{row.formulation} by {row.solver}" for row in display.rows][:2])
    ['SoftMargin by smo', 'SoftMarginPrimal by clarabel']
    """

    rows: tuple[Row, ...]
    tol: float

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> Self:
        """Read what :func:`formulations.compare` found.

        Parameters
        ----------
        comparison
            What :func:`formulations.compare` returned.

        Raises
        ------
        ParameterError
            If this is something else.
        """
        if not isinstance(comparison, Comparison):
            raise ParameterError(f"what formulations.compare returns was expected, but {shown(comparison)} came.")
        return cls(rows=tuple(row for row in comparison if np.isfinite(row.relative_gap)), tol=comparison.tol)

    def _draw(self, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        ax.set(xscale="log", yscale="log", xlabel="seconds, certificate included", ylabel="certified relative gap")
        solvers, forms = _numbered(row.solver for row in self.rows), _numbered(row.formulation for row in self.rows)
        ax.axhspan(_EXACT / 3, self.tol, color=tinted(GREEN, 0.12), linewidth=0, zorder=0)
        ax.axhline(self.tol, color=GREEN, linewidth=1.0, zorder=1)
        _write_at(ax, 0.0, self.tol, "proved optimal below", ink_of(ax))
        for row in self.rows:
            colour = COLOURS[solvers[row.solver] % len(COLOURS)]
            mark = MARKERS[forms[row.formulation] % len(MARKERS)]
            face = colour if row.status == Status.OPTIMAL else "none"
            gap = max(row.relative_gap, _EXACT)
            ax.plot(row.seconds, gap, mark, color=colour, markersize=8, markerfacecolor=face, zorder=3)
        for solver, number in solvers.items():
            _key(ax, solver, COLOURS[number % len(COLOURS)], "o" if number < len(COLOURS) else "P")
        for form, number in forms.items():
            _key(ax, form, ink_of(ax), MARKERS[number % len(MARKERS)])
        ax.set_ylim(bottom=_floor([self.tol, *(row.relative_gap for row in self.rows)]))


@dataclass(kw_only=True, eq=False, repr=False)
class CrossExaminationDisplay(_Answers):
    """A line for each solver through its answers, by their seconds and by the accuracy to which they are proved.

    :meth:`from_examination` makes one. The accuracy is the largest of the certified gap and residuals. A marker is
    hollow where the answer is not proved to the tolerance that was asked for; the tolerances are the grey lines.

    Attributes
    ----------
    trials
        The answers with an accuracy, by solver.
    tolerances
        Those asked for.

    Examples
    --------
    >>> from formulations import SoftMargin, cross_examine
    >>> from formulations.displays import CrossExaminationDisplay
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1.0)
    >>> examination = cross_examine(model, "smo", [1e-3, 1e-6], progress=False)
    >>> display = CrossExaminationDisplay.from_examination(examination).plot()
    >>> print(display.tolerances)
    (0.001, 1e-06)
    """

    trials: dict[str, tuple[Trial, ...]]
    tolerances: tuple[float, ...]

    @classmethod
    def from_examination(cls, examination: CrossExamination) -> Self:
        """Read what :func:`formulations.cross_examine` found.

        Parameters
        ----------
        examination
            What :func:`formulations.cross_examine` returned.

        Raises
        ------
        ParameterError
            If this is something else.
        """
        if not isinstance(examination, CrossExamination):
            raise ParameterError(
                f"what formulations.cross_examine returns was expected, but {shown(examination)} came."
            )
        drawn = {solver: tuple(t for t in examination.of(solver) if _is_drawn(t)) for solver in examination.solvers}
        return cls(
            trials={solver: trials for solver, trials in drawn.items() if trials}, tolerances=examination.tolerances
        )

    def _draw(self, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        ax.set(xscale="log", yscale="log", xlabel="seconds of solver and certificate")
        ax.set_ylabel("certified gap and residuals")
        for number, (solver, trials) in enumerate(self.trials.items()):
            colour, mark = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            seconds, accuracy = zip(*((t.seconds, max(t.row.accuracy, _EXACT)) for t in trials), strict=True)
            dashes = DASHES[number % len(DASHES)]
            ax.plot(seconds, accuracy, color=colour, linestyle=dashes, linewidth=1.1, alpha=0.8, zorder=2)
            for trial, x, y in zip(trials, seconds, accuracy, strict=True):
                face = colour if trial.row.status == Status.OPTIMAL else ax.get_facecolor()
                ax.plot(x, y, mark, color=colour, markersize=8, markerfacecolor=face, zorder=3)
            ax.plot([], [], marker=mark, color=colour, linestyle=dashes, linewidth=1.1, markersize=8, label=solver)
        for tol in self.tolerances:
            ax.axhline(tol, color=GREY, linewidth=1.0, linestyle="dotted", zorder=1)
            _write_at(ax, 1.0, tol, f"{tol:.0e}", GREY)
        drawn = [trial.row.accuracy for trials in self.trials.values() for trial in trials]
        ax.set_ylim(bottom=_floor([*self.tolerances, *drawn]))


def _floor(values: list[float]) -> float:
    """Return where an axis begins that shows all these values."""
    return max(0.1 * min(values), _EXACT / 3)


def _is_drawn(trial: Trial) -> bool:
    return bool(np.isfinite(trial.row.accuracy)) and trial.seconds > 0


def _write_at(ax: Axes, side: float, level: float, text: str, colour: Any) -> None:
    """Write a little above a level, inside the left end of the axes (0) or the right one (1)."""
    shift, align = ((4, 2), "left") if side == 0.0 else ((-4, 2), "right")
    frame: Any = ax.get_yaxis_transform()
    ax.annotate(
        text, (side, level), shift, frame, "offset points", ha=align, va="bottom", color=colour, annotation_clip=False
    )


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _key(ax: Axes, name: str, colour: Any, mark: str) -> None:
    ax.plot([], [], marker=mark, color=colour, linestyle="none", markersize=8, label=name)
