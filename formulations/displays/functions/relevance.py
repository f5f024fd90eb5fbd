# SPDX-License-Identifier: BSD-3-Clause
"""A relevance machine for regression along one feature, with how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from formulations.displays.base import Display
from formulations.displays.functions.sections import Feature, Section, only
from formulations.displays.style import BLUE, GREEN, draw_band, draw_samples, ring
from formulations.relevance import RelevanceSolution
from formulations.relevance.regression import RegressionMachine
from qpkernels.arrays import Indices, Vector
from qpkernels.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RelevanceDisplay"]


@dataclass(kw_only=True, eq=False, repr=False)
class RelevanceDisplay(Display):
    """The predictive mean of a relevance machine, a band of two standard deviations, and the relevance vectors.

    :meth:`from_solution` makes one; of a classifier, :class:`~formulations.displays.DecisionRegionDisplay` draws the
    probabilities. A new target lies within the band with a probability of 95 %, if the model is right. Where there are
    several features, samples are drawn at their partial residuals, as in :class:`~formulations.displays.TubeDisplay`.

    Attributes
    ----------
    grid, mean, deviation
        Values of the feature, and the predictive mean and standard deviation there, shape (n,).
    x, partial
        The feature and the partial residual of each sample, shape (m,); of one feature this is its target.
    relevance
        Numbers of the relevance vectors.
    xlabel, ylabel
        What the axes are called.
    held
        Where the other features are fixed, in words below the axes; empty where there are none.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import RelevanceRegression
    >>> from formulations.displays import RelevanceDisplay
    >>> from qpkernels import RBF
    >>> X = np.linspace(-3.0, 3.0, 13)[:, None]
    >>> model = RelevanceRegression(X, np.sinc(X[:, 0]), RBF(gamma=2.0), noise=0.01)
    >>> display = RelevanceDisplay.from_solution(model.solve(), model).plot()
    >>> print(display.relevance)
    [ 1  3  6  9 11]
    """

    _panel_size: ClassVar[tuple[float, float]] = (6.4, 4.4)

    grid: Vector
    mean: Vector
    deviation: Vector
    x: Vector
    partial: Vector
    relevance: Indices
    xlabel: str
    ylabel: str
    held: str

    @classmethod
    def from_solution(
        cls,
        solution: RelevanceSolution,
        model: RegressionMachine,
        *,
        feature: Feature | None = None,
        fixed: ArrayLike | None = None,
        extent: tuple[float, float] | None = None,
        grid_resolution: int = 400,
    ) -> Self:
        """Compute mean and band of an answer.

        Parameters
        ----------
        solution
            The answer of a relevance machine for regression.
        model
            That machine, whose samples are drawn.
        feature, fixed, extent, grid_resolution
            As in :meth:`TubeDisplay.from_solution() <formulations.displays.TubeDisplay.from_solution>`.

        Raises
        ------
        ParameterError, ShapeError
            If this is no such machine, or the feature or the point is none.
        """
        if not isinstance(solution, RelevanceSolution) or not isinstance(model, RegressionMachine):
            raise ParameterError(
                "a band is drawn of the answer of a relevance machine for regression, given with that machine, but "
                f"{type(solution).__name__} and {type(model).__name__} came."
            )
        section = Section.of(model.gram.X, only(feature), fixed, 1, model.gram.feature_names)
        (grid,) = section.grids(extent, grid_resolution)
        line = section.samples(grid[:, None])
        return cls(
            grid=grid,
            mean=solution.mean(line),
            deviation=np.sqrt(solution.variance(line)),
            x=section.seen[:, 0],
            partial=section.partial(solution.mean, model.y - solution.mean(section.X)),
            relevance=solution.relevance,
            xlabel=section.labels[0],
            ylabel=section.target,
            held=section.held,
        )

    def _draw(self, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        low, high = self.mean - 2.0 * self.deviation, self.mean + 2.0 * self.deviation
        draw_band(ax, self.grid, low, high, GREEN, "mean $\\pm$ 2 standard deviations")
        ax.plot(self.grid, self.mean, color=GREEN, label="mean", zorder=2)
        draw_samples(ax, self.x, self.partial, BLUE, "o", "sample")
        ring(ax, self.x[self.relevance], self.partial[self.relevance], "relevance vector")
        ax.set(xlabel=f"{self.xlabel}\n{self.held}".rstrip(), ylabel=self.ylabel, xlim=(self.grid[0], self.grid[-1]))
