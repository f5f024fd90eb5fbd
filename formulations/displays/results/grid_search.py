# SPDX-License-Identifier: BSD-3-Clause
"""The scores of a grid search, over one hyper-parameter or over two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from formulations.displays.base import Display
from formulations.displays.results.path import is_logarithmic, numbers_of
from formulations.displays.style import BLUE, VERMILLION, ink_of
from formulations.selection import GridSearch
from qpkernels.arrays import Matrix, shown
from qpkernels.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GridSearchDisplay"]

_WRITTEN = 150
"""Cells of a map up to which the scores are written into them."""


@dataclass(kw_only=True, eq=False, repr=False)
class GridSearchDisplay(Display):
    """The mean scores of a grid, with the best point marked: a curve over one hyper-parameter, a map over two.

    :meth:`from_search` makes one. Bars of the curve are one standard deviation over the folds, each way. In the map the
    best point has a frame, scores are written into the cells, and points without a score are empty.

    Attributes
    ----------
    parameters
        Names of the hyper-parameters, one or two; of a map the first one runs down.
    values
        Their values.
    mean, std
        Of the scores, shape (values of the first, values of the second); one column over one hyper-parameter.
    best
        Where the best score is, as (row, column).
    scoring
        Name of the score.

    Examples
    --------
    >>> from formulations import SoftMargin, grid
    >>> from formulations.displays import GridSearchDisplay
    >>> X, y = [[0.0], [3.0], [1.0], [4.0], [2.0], [5.0]], [-1, 1, -1, 1, -1, 1]
    >>> search = grid(SoftMargin(X, y), 3, C=[0.1, 1.0], progress=False)
    >>> display = GridSearchDisplay.from_search(search).plot()
    >>> print(display.parameters, display.mean[:, 0].round(2))
    ('C',) [0.83 0.83]
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
            One or two of its hyper-parameters, the others being at their best values; None: all of them.

        Raises
        ------
        ParameterError
            If this is no grid, or the names are not one or two of its own.
        """
        if not isinstance(search, GridSearch):
            raise ParameterError(f"what formulations.grid returns was expected, but {shown(search)} came.")
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
            places = numbers_of(self.parameters[0], self.values[0])
        except ParameterError:
            places = np.arange(len(self.values[0]), dtype=np.float64)
            ax.set_xticks(places, [_text(value) for value in self.values[0]])
        if is_logarithmic(places):
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
