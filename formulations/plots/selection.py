# SPDX-License-Identifier: BSD-3-Clause
"""Displays along a hyper-parameter: answers, exact coefficients, and the scores of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formulations.plots.display import Display
from formulations.plots.style import BLUE, GREEN, VERMILLION, ink_of
from formulations.selection import ExactPath, GridSearch, SolutionPath
from qpkernels.arrays import Indices, Matrix, Vector, shown
from qpkernels.errors import ParameterError
from qpkernels.problems import Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ExactPathDisplay", "GridSearchDisplay", "PathDisplay"]

_DECADES = 10.0
"""Ratio of the largest to the smallest of positive values from which their axis is logarithmic."""


@dataclass(kw_only=True, eq=False, repr=False)
class PathDisplay(Display):
    """The optimal value along a hyper-parameter, and below it the number of support vectors.

    Make one with :meth:`from_path`. A value that is not proved is hollow, and one without an answer is missing. A model
    whose coefficients are dense has no support vectors, and its second panel shows the intercept.

    Attributes
    ----------
    parameter
        Name of the hyper-parameter.
    values
        Its values, shape (n,).
    optimum
        The primal value at each, shape (n,); NaN where there is no answer.
    proved
        Whether the answer at each is proved, shape (n,).
    second, second_label
        Numbers of support vectors, or intercepts, and their name.

    Examples
    --------
    >>> from formulations import SoftMargin, path
    >>> from formulations.plots import PathDisplay
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> display = PathDisplay.from_path(path(model, C=[0.1, 1.0, 10.0], progress=False)).plot()
    >>> print(display.parameter, display.values, display.proved)
    C [ 0.1  1.  10. ] [ True  True  True]
    """

    _panel_rows: ClassVar[int] = 2
    _panel_size: ClassVar[tuple[float, float]] = (5.6, 2.5)

    parameter: str
    values: Vector
    optimum: Vector
    proved: NDArray[np.bool_]
    second: Vector
    second_label: str

    @classmethod
    def from_path(cls, path: SolutionPath) -> Self:
        """Read what :func:`formulations.path` found.

        Parameters
        ----------
        path
            The path that :func:`formulations.path` returned.

        Raises
        ------
        ParameterError
            If this is not a path, or is one along values that are not numbers, or one of several classes.
        """
        if not isinstance(path, SolutionPath):
            raise ParameterError(f"the result of formulations.path was expected, but {shown(path)} came.")
        if path.of_several:
            raise ParameterError(
                "the machines of several classes have an optimum each; draw the path of one: "
                "path(model.model(pair), ...), with one of model.pairs()."
            )
        fits = path.fits
        dense = all(fit is None or fit.n_support is None for fit in fits)
        counts = [None if fit is None else fit.intercept if dense else fit.n_support for fit in fits]
        return cls(
            parameter=path.parameter,
            values=_numbers_of(path.parameter, path.values),
            optimum=np.array([np.nan if fit is None else fit.certificate.primal_value for fit in fits]),
            proved=np.array([fit is not None and fit.status is Status.OPTIMAL for fit in fits]),
            second=np.array([np.nan if count is None else count for count in counts], dtype=np.float64),
            second_label="intercept $b$" if dense else "support vectors",
        )

    def _draw(self, axes: Sequence[Axes]) -> None:
        upper, lower = axes
        for ax, numbers, colour, marker in ((upper, self.optimum, BLUE, "o"), (lower, self.second, VERMILLION, "s")):
            if _is_logarithmic(self.values):
                ax.set_xscale("log")
            ax.plot(self.values, numbers, color=colour, linewidth=1.2, zorder=2)
            for proved, face, label in ((True, colour, "proved optimal"), (False, ax.get_facecolor(), "not proved")):
                own = (self.proved == proved) & np.isfinite(numbers)
                if own.any():
                    options: Any = {"markerfacecolor": face, "label": label if ax is upper else None}
                    ax.plot(self.values[own], numbers[own], marker, color=colour, zorder=3, **options)
        if _is_logarithmic(self.optimum):
            upper.set_yscale("log")
        upper.set(ylabel="optimal value")
        upper.tick_params(labelbottom=False)
        lower.set(xlabel=self.parameter, ylabel=self.second_label)


def _numbers_of(name: str, values: Sequence[Any]) -> Vector:
    """Return the values of a hyper-parameter as numbers."""
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros((0, 0))
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise ParameterError(f"the values of {name} must be numbers to be drawn along an axis, but they are {values}.")
    return numbers


def _is_logarithmic(values: Vector) -> bool:
    """Return whether numbers are positive and spread over more than a decade."""
    known = values[np.isfinite(values)]
    return bool(known.size and known.min() > 0 and known.max() > _DECADES * known.min())


_MOST = 100
"""Samples whose coefficients are drawn, where none are chosen."""

_BETWEEN = 8
"""Points of a curve between two breakpoints: shares of a bound that moves are no straight lines."""


@dataclass(kw_only=True, eq=False, repr=False)
class ExactPathDisplay(Display):
    """Coefficients along an exact path as shares of their bounds, and the number of free samples below them.

    Make one with :meth:`from_path`. A coefficient at its bound is at 1 or -1, one at 0 belongs to no support vector,
    and those between are free: on the margin, or on an edge of the tube.

    Attributes
    ----------
    parameter
        Name of the hyper-parameter.
    values
        Its values at the breakpoints and between, shape (n,).
    samples
        The numbers of the samples drawn.
    shares
        beta_i / upper_i, or beta_i / |lower_i| where it is negative, of these samples, shape (n, samples).
    breakpoints
        The values where a set of free samples begins, and the last value.
    n_free
        The number of free samples between each breakpoint and the next.

    Examples
    --------
    >>> from formulations import SoftMargin, exact_path
    >>> from formulations.plots import ExactPathDisplay
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> display = ExactPathDisplay.from_path(exact_path(model, C=(0.01, 10.0))).plot()
    >>> print(display.parameter, display.breakpoints.round(3))
    C [ 0.01   0.333 10.   ]
    """

    _panel_rows: ClassVar[int] = 2
    _panel_size: ClassVar[tuple[float, float]] = (5.6, 2.5)

    parameter: str
    values: Vector
    samples: Indices
    shares: Matrix
    breakpoints: Vector
    n_free: Indices

    @classmethod
    def from_path(cls, path: ExactPath, samples: ArrayLike | None = None) -> Self:
        """Read what :func:`formulations.exact_path` found.

        Parameters
        ----------
        path
            The path.
        samples
            The numbers of the samples to draw; None: a hundred, evenly spread.

        Raises
        ------
        ParameterError
            If this is not an exact path, or it has no such samples.
        """
        if not isinstance(path, ExactPath):
            raise ParameterError(f"the result of formulations.exact_path was expected, but {shown(path)} came.")
        m = len(path.model)
        chosen = np.unique(np.linspace(0, m - 1, min(m, _MOST)).astype(int)) if samples is None else np.asarray(samples)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or not ((chosen >= 0) & (chosen < m)).all():
            raise ParameterError(f"samples must be numbers from 0 to {m - 1}, but {shown(samples)} came.")
        values = _refined(path.breakpoints)
        shares = np.array([_shares(path, float(value))[chosen] for value in values])
        return cls(
            parameter=path.parameter,
            values=values,
            samples=chosen,
            shares=shares,
            breakpoints=path.breakpoints,
            n_free=path.n_free,
        )

    def _draw(self, axes: Sequence[Axes]) -> None:
        upper, lower = axes
        for ax in axes:
            if _is_logarithmic(self.values):
                ax.set_xscale("log")
        positive = self.shares.sum(axis=0) >= 0
        for own, colour, label in ((positive, BLUE, "positive"), (~positive, VERMILLION, "negative")):
            lines = upper.plot(self.values, self.shares[:, own], color=colour, linewidth=0.7, alpha=0.6)
            if lines:
                lines[0].set_label(f"mostly {label}")
        upper.set(ylabel=r"$\beta_i$ / bound", ylim=(-1.05, 1.05))
        upper.tick_params(labelbottom=False)
        lower.stairs(self.n_free, self.breakpoints, baseline=None, color=GREEN, linewidth=1.2)
        lower.set(xlabel=self.parameter, ylabel="free samples", ylim=(0, None))


def _shares(path: ExactPath, value: float) -> Vector:
    program, (beta, _) = path.pieces.path.at(value), path.coefficients(value)
    bound = np.where(beta >= 0, program.upper, -program.lower)
    return np.divide(beta, bound, out=np.zeros(beta.size), where=bound > 0)


def _refined(breakpoints: Vector) -> Vector:
    """Return the breakpoints with some values between, evenly spread as their axis will be."""
    scale = np.log(breakpoints) if _is_logarithmic(breakpoints) else breakpoints
    steps = np.arange(len(breakpoints) * _BETWEEN - _BETWEEN + 1) / _BETWEEN
    between = np.interp(steps, np.arange(len(breakpoints)), scale)
    found = np.exp(between) if _is_logarithmic(breakpoints) else between
    found[::_BETWEEN] = breakpoints
    return found


_WRITTEN = 150
"""Cells of a map up to which the scores are written into them."""


@dataclass(kw_only=True, eq=False, repr=False)
class GridSearchDisplay(Display):
    """The mean scores of a grid with the best point marked: a curve over one hyper-parameter, or a map over two.

    Make one with :meth:`from_search`. Bars of the curve are one standard deviation over the folds in each direction. In
    the map the best point has a frame, scores are written into the cells, and points without a score are empty.

    Attributes
    ----------
    parameters
        Names of the hyper-parameters, one or two; in a map the first one runs down.
    values
        Their values.
    mean, std
        Mean and deviation of the scores, shape (values of the first, of the second), (values, 1) for one parameter.
    best
        The place of the best score, as (row, column).
    scoring
        Name of the score.

    Examples
    --------
    >>> from formulations import SoftMargin, grid
    >>> from formulations.plots import GridSearchDisplay
    >>> X, y = [[0.0], [2.5], [1.0], [6.0], [2.0], [5.0]], [-1, 1, -1, 1, -1, 1]
    >>> search = grid(SoftMargin(X, y), 3, C=[0.1, 1.0], progress=False)
    >>> display = GridSearchDisplay.from_search(search).plot()
    >>> print(display.parameters, display.mean[:, 0].round(2))
    ('C',) [0.83 0.67]
    """

    parameters: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    mean: Matrix
    std: Matrix
    best: tuple[int, int]
    scoring: str

    @classmethod
    def from_search(cls, search: GridSearch, parameters: Sequence[str] | None = None) -> Self:
        """Read what :func:`formulations.grid` found.

        Parameters
        ----------
        search
            The grid.
        parameters
            One or two of its hyper-parameters, where the others have their best values; None: all of them.

        Raises
        ------
        ParameterError
            If this is not a grid, or the names are not one or two of its own.
        """
        if not isinstance(search, GridSearch):
            raise ParameterError(f"the result of formulations.grid was expected, but {shown(search)} came.")
        own = tuple(search.points[0])
        chosen = own if parameters is None else tuple([parameters] if isinstance(parameters, str) else parameters)
        if not 1 <= len(chosen) <= 2 or not set(chosen) <= set(own) or len(set(chosen)) != len(chosen):
            raise ParameterError(
                f"a grid is drawn over one or two of its hyper-parameters, which are {', '.join(own)}, but "
                f"{', '.join(map(str, chosen)) or 'none'} came; choose by parameters=..."
            )
        values = tuple(_values(search, name) for name in chosen)
        shape = (len(values[0]), len(values[1]) if len(values) == 2 else 1)
        mean, std = np.full(shape, np.nan), np.full(shape, np.nan)
        place = (0, 0)
        for number, point in enumerate(search.points):
            if any(not _same(point[name], search.best_params[name]) for name in own if name not in chosen):
                continue
            at = [_place(values[k], point[name]) for k, name in enumerate(chosen)]
            row, column = at[0], at[1] if len(at) == 2 else 0
            mean[row, column], std[row, column] = search.mean[number], search.std[number]
            place = (row, column) if number == search.best_index else place
        return cls(parameters=chosen, values=values, mean=mean, std=std, best=place, scoring=search.scoring)

    def _draw(self, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        if len(self.parameters) == 1:
            self._draw_curve(ax)
        else:
            self._draw_map(ax)

    def _draw_curve(self, ax: Axes) -> None:
        try:
            places = _numbers_of(self.parameters[0], self.values[0])
        except ParameterError:
            places = np.arange(len(self.values[0]), dtype=np.float64)
            ax.set_xticks(places, [_text(value) for value in self.values[0]])
        if _is_logarithmic(places):
            ax.set_xscale("log")
        mean, std = self.mean[:, 0], self.std[:, 0]
        ax.errorbar(places, mean, std, color=BLUE, marker="o", capsize=3, linewidth=1.4, label="mean, std of the folds")
        best = self.best[0]
        ax.plot(places[best], mean[best], "D", color=VERMILLION, markersize=9, label="best", zorder=4)
        ax.set(xlabel=self.parameters[0], ylabel=self.scoring)

    def _draw_map(self, ax: Axes) -> None:
        from matplotlib.patches import Rectangle

        image = ax.imshow(self.mean, cmap="cividis", aspect="auto", origin="lower")
        figure: Any = ax.figure
        figure.colorbar(image, ax=ax, label=f"mean {self.scoring}")
        row, column = self.best
        for colour, width in (("white", 4.5), (VERMILLION, 2.5)):
            frame = Rectangle(
                (column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=colour, linewidth=width, clip_on=False, zorder=4
            )
            ax.add_patch(frame)
        ax.plot([], [], "s", color="none", markeredgecolor=VERMILLION, markeredgewidth=2.5, markersize=9, label="best")
        if self.mean.size <= _WRITTEN:
            self._write_scores(ax, image)
        ax.set_xticks(range(len(self.values[1])), [_text(value) for value in self.values[1]])
        ax.set_yticks(range(len(self.values[0])), [_text(value) for value in self.values[0]])
        ax.set(xlabel=self.parameters[1], ylabel=self.parameters[0])

    def _write_scores(self, ax: Axes, image: Any) -> None:
        """Write each score, light on dark cells and dark on light ones."""
        for (row, column), score in np.ndenumerate(self.mean):
            if np.isfinite(score):
                red, green, blue, _ = image.cmap(image.norm(score))
                dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
                text, colour = f"{score:.3g}", "white" if dark else "black"
            else:
                text, colour = "-", ink_of(ax)
            ax.text(column, row, text, ha="center", va="center", color=colour, fontsize="small")


def _values(search: GridSearch, name: str) -> tuple[Any, ...]:
    """Return the different values of a hyper-parameter, in the order asked for."""
    found: list[Any] = []
    for point in search.points:
        if not any(_same(point[name], known) for known in found):
            found.append(point[name])
    return tuple(found)


def _place(values: tuple[Any, ...], value: Any) -> int:
    return next(k for k, known in enumerate(values) if _same(known, value))


def _same(one: Any, other: Any) -> bool:
    return one is other or bool(np.all(one == other))


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else shown(value)
