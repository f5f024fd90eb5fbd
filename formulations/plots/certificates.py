# SPDX-License-Identifier: BSD-3-Clause
"""Certificates, with the primal above and the dual below, and the proofs of many answers against their seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from formulations.judging import Comparison, CrossExamination, Row, Trial
from formulations.modelling import Solution
from formulations.plots.display import Display
from formulations.plots.style import BLUE, COLOURS, DASHES, GREEN, GREY, MARKERS, VERMILLION, ink_of, tinted
from qpkernels.arrays import Vector, check_positive, shown
from qpkernels.errors import ParameterError
from qpkernels.problems import Certificate, Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CertificateDisplay", "ComparisonDisplay", "CrossExaminationDisplay"]

_ROUNDING = 1e-13
"""Share of the optimum below which a distance from it is mostly rounding, and not worth a decade of the axis."""

_LABELS = 5.0
"""Labels on each side of zero, at most."""


@dataclass(kw_only=True, eq=False, repr=False)
class CertificateDisplay(Display):
    """The primal and dual values of answers to one problem, above and below the optimum, as shares of it.

    Make one with :meth:`from_solution` or :meth:`from_certificates`. The optimum lies between every dual value and
    every primal value; zero is the middle of the best two. The axis is logarithmic on both sides, and linear around
    zero. An answer whose ends lie within the green band has at most the gap of the tolerance.

    Attributes
    ----------
    names
        The names of the answers.
    primal, dual
        (value - optimum) / |optimum| of each answer, shape (n,).
    tol
        The gap, as a share of the optimum, up to which an answer counts as optimal.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from formulations.plots import CertificateDisplay
    >>> solution = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1.0).solve(tol=1e-6)
    >>> display = CertificateDisplay.from_solution(solution).plot()
    >>> print((display.primal - display.dual).max() <= 1e-6)
    True
    """

    _panel_size: ClassVar[tuple[float, float]] = (5.6, 4.0)

    names: tuple[str, ...]
    primal: Vector
    dual: Vector
    tol: float

    @classmethod
    def from_solution(cls, solution: Solution) -> Self:
        """Read the certificate of an answer, at its requested tolerance.

        Parameters
        ----------
        solution
            The solution that ``solve`` returned.

        Raises
        ------
        ParameterError
            If this is not a solution, or its values are not numbers.
        """
        if not isinstance(solution, Solution):
            raise ParameterError(f"a Solution was expected, but {shown(solution)} came.")
        made = cls.from_certificates({solution.solver: solution.certificate}, tol=solution.certificate.asked)
        return made._drawing(solution)

    @classmethod
    def from_certificates(cls, certificates: Mapping[str, Certificate], *, tol: float = 1e-6) -> Self:
        """Show the certificates of answers to one problem beside each other.

        Parameters
        ----------
        certificates
            Certificates by the names of the answers.
        tol
            Above 0: the relative gap that the band shows.

        Raises
        ------
        ParameterError
            If there is no certificate, or its values are not numbers.
        """
        several = dict(certificates) if isinstance(certificates, Mapping) else {}
        if not several or not all(isinstance(each, Certificate) for each in several.values()):
            raise ParameterError(
                f"certificates by their names were expected, as in {{'smo': solution.certificate}}, but "
                f"{shown(certificates)} came."
            )
        primal = np.array([each.primal_value for each in several.values()])
        dual = np.array([each.dual_value for each in several.values()])
        if not (np.isfinite(primal).all() and np.isfinite(dual).all()):
            raise ParameterError("a certificate without finite values of primal and dual is not drawn; leave it out.")
        optimum = 0.5 * (float(primal.min()) + float(dual.max()))
        scale = abs(optimum) or 1.0
        return cls(
            names=tuple(several),
            primal=(primal - optimum) / scale,
            dual=(dual - optimum) / scale,
            tol=check_positive(tol, "tol"),
        )

    def _draw(self, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        places = np.arange(len(self.names))
        half = 0.5 * self.tol
        ax.axhspan(-half, half, color=tinted(GREEN, 0.16), linewidth=0, label=f"gap of {self.tol:g}", zorder=0)
        ax.axhline(0.0, color=GREY, linewidth=0.8, zorder=1)
        ax.vlines(places, self.dual, self.primal, color=ink_of(ax), linewidth=1.4, label="gap", zorder=2)
        ax.plot(places, self.primal, "v", color=VERMILLION, markersize=9, label="primal value", zorder=3)
        ax.plot(places, self.dual, "^", color=BLUE, markersize=9, label="dual value", zorder=3)
        reach = 4.0 * max(float(np.abs(self.primal).max()), float(np.abs(self.dual).max()), self.tol)
        ax.set_yscale("symlog", linthresh=self._linear(), linscale=1.0)
        ax.set(ylim=(-reach, reach), xlim=(-0.6, len(places) - 0.4), ylabel="(value - optimum) / |optimum|")
        ax.set_yticks(_ticks(self._linear(), reach))
        ax.set_xticks(places, self.names)

    def _linear(self) -> float:
        """Return the size within which the axis is linear: that of the least distance from the optimum."""
        sizes = np.abs(np.concatenate([self.primal, self.dual]))
        return min(0.1 * self.tol, max(float(sizes[sizes > 0].min(initial=self.tol)), _ROUNDING))


def _ticks(linear: float, reach: float) -> Vector:
    """Return zero and powers of ten on both sides of it, so far from each other that their labels have room."""
    length = 1.0 + float(np.log10(reach / linear))  # of a side of the axis, in decades: the linear part takes one
    step = int(np.ceil(length / _LABELS))
    least = np.log10(linear) + step - 1.0
    powers = 10.0 ** np.arange(np.floor(np.log10(reach)), least - 1e-9, -step)
    return np.concatenate([-powers, [0.0], powers[::-1]])


_EXACT = 1e-16
"""Where a gap of 0 is drawn."""


class _Answers(Display):
    """The common part of both: logarithmic axes, and a legend to the right."""

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
    """Every answer of a comparison, by its seconds and its certified relative gap.

    Make one with :meth:`from_comparison`. An answer in the green band is proved optimal. Colours stand for solvers, and
    markers for forms; an answer that is not proved is hollow.

    Attributes
    ----------
    rows
        The answers with a gap.
    tol
        The requested tolerance.

    Examples
    --------
    >>> from formulations import SoftMargin, compare
    >>> from formulations.plots import ComparisonDisplay
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
            The comparison that :func:`formulations.compare` returned.

        Raises
        ------
        ParameterError
            If this is something else.
        """
        if not isinstance(comparison, Comparison):
            raise ParameterError(f"the result of formulations.compare was expected, but {shown(comparison)} came.")
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
    """A line for each solver through its answers, by their seconds and the accuracy to which they are proved.

    Make one with :meth:`from_examination`. The accuracy is the largest of the certified gap and residuals. A marker is
    hollow where the answer is not proved to the requested tolerance; the grey lines are the tolerances.

    Attributes
    ----------
    trials
        The answers that have an accuracy, by solver.
    tolerances
        The requested tolerances.

    Examples
    --------
    >>> from formulations import SoftMargin, cross_examine
    >>> from formulations.plots import CrossExaminationDisplay
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
            The result that :func:`formulations.cross_examine` returned.

        Raises
        ------
        ParameterError
            If this is something else.
        """
        if not isinstance(examination, CrossExamination):
            raise ParameterError(
                f"the result of formulations.cross_examine was expected, but {shown(examination)} came."
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
