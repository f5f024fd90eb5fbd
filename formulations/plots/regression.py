# SPDX-License-Identifier: BSD-3-Clause
"""A regression along one feature, with its tube, or with the uncertainty of a relevance machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier, is_outlier_detector

from formulations.modelling import Regression
from formulations.modelling.tasks import Tube
from formulations.models.regression.regression_model import RegressionModel
from formulations.models.relevance import RelevanceSolution
from formulations.models.relevance.regression import RegressionMachine
from formulations.plots.display import Display
from formulations.plots.sections import Feature, Section, only
from formulations.plots.style import BLUE, GREEN, VERMILLION, draw_band, draw_samples, ring
from qpkernels.arrays import Indices, Vector, check_nonnegative, finite_vector
from qpkernels.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RelevanceDisplay", "TubeDisplay"]

_EDGE = 1e-2
"""Share of epsilon within which a residual of an estimator is drawn on the edge of the tube."""


@dataclass(kw_only=True, eq=False, repr=False)
class _CurveDisplay(Display):
    """A function along one feature: a curve over a grid, and samples at their partial residuals."""

    _panel_size: ClassVar[tuple[float, float]] = (6.4, 4.4)

    grid: Vector
    x: Vector
    partial: Vector
    xlabel: str
    ylabel: str
    held: str

    @staticmethod
    def _samples(section: Section, function: Callable[[Any], NDArray[np.float64]], residuals: Vector) -> dict[str, Any]:
        """Return what the samples of a section are drawn by, and what its axes are called."""
        return {
            "x": section.seen[:, 0],
            "partial": section.partial(function, residuals),
            "xlabel": section.labels[0],
            "ylabel": section.target,
            "held": section.held,
        }

    def _name_axes(self, ax: Axes) -> None:
        ax.set(xlabel=f"{self.xlabel}\n{self.held}".rstrip(), ylabel=self.ylabel, xlim=(self.grid[0], self.grid[-1]))


@dataclass(kw_only=True, eq=False, repr=False)
class TubeDisplay(_CurveDisplay):
    """The function of a regression along one feature, its tube g - epsilon to g + epsilon, and the samples.

    Make one with :meth:`from_solution` or :meth:`from_estimator`. Samples inside and on the edge of the tube are discs,
    those outside are squares, and support vectors are ringed. Without a tube (epsilon = 0) all samples are discs.

    With several features, the function is drawn along a line through their space, where all others are fixed. A sample
    is drawn at its partial residual g(line at x_i) + r_i, as far from the curve as it is from g in all features, so
    that it is inside the drawn tube if it is inside the tube. With a single feature, this is its target.

    Attributes
    ----------
    grid, response
        Values of the feature, and of g there, shape (n,).
    x, partial
        The feature and the partial residual of each sample, shape (m,).
    epsilon
        Half the width of the tube; 0 without a tube.
    tube
        The samples inside the tube, on its edge, above and below.
    support
        Numbers of the support vectors; empty where all samples are support vectors.
    xlabel, ylabel
        The names of the axes.
    held
        Where the other features are fixed, in words below the axes; empty where there are none.

    Examples
    --------
    >>> from formulations import SoftTube
    >>> from formulations.plots import TubeDisplay
    >>> model = SoftTube([[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9], C=10.0, epsilon=0.2)
    >>> display = TubeDisplay.from_solution(model.solve(tol=1e-6), model).plot()
    >>> print(display.epsilon, display.support)
    0.2 [0 3]
    """

    response: Vector
    epsilon: float
    tube: Tube
    support: Indices

    @classmethod
    def from_solution(
        cls,
        solution: Regression,
        model: RegressionModel,
        *,
        feature: Feature | None = None,
        fixed: ArrayLike | None = None,
        extent: tuple[float, float] | None = None,
        grid_resolution: int = 400,
    ) -> Self:
        """Compute the curve of an answer.

        Parameters
        ----------
        solution
            The answer to any model of regression.
        model
            The model that it answers, whose samples are drawn.
        feature
            The number of the feature to draw along, which may be left out if there is only one.
        fixed
            A point through which the line goes, shape (features,); None: the median of each feature.
        extent
            (left, right); None: a little beyond the samples.
        grid_resolution
            Points of the curve, at least 2.

        Raises
        ------
        ParameterError, ShapeError
            If this is not a regression, or the feature or the point is not valid.
        """
        if not isinstance(solution, Regression) or not isinstance(model, RegressionModel):
            raise ParameterError(
                "a tube is drawn of the answer to a model of regression, given with that model, but "
                f"{type(solution).__name__} and {type(model).__name__} came."
            )
        section = Section.of(model.gram.X, only(feature), fixed, 1, model.gram.feature_names)
        support = solution.support.indices if solution.n_support is not None else np.arange(0)
        return cls._of(
            section,
            solution.function,
            solution.residuals,
            solution.epsilon,
            solution.tube if solution.epsilon > 0 else _no_tube(solution.residuals),
            support,
            extent,
            grid_resolution,
        )._drawing(solution)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        epsilon: float | None = None,
        feature: Feature | None = None,
        fixed: ArrayLike | None = None,
        extent: tuple[float, float] | None = None,
        grid_resolution: int = 400,
    ) -> Self:
        """Compute the curve of a fitted regressor, from this project or any other.

        Parameters
        ----------
        estimator
            An estimator with ``predict``.
        X, y
            The samples to be drawn and their targets. The support vectors are those among X that are in its
            ``support_vectors_``.
        epsilon
            Half the width of the tube; None: that of its ``solution_``, or else 0.
        feature, fixed, extent, grid_resolution
            As in :meth:`from_solution`; a feature of a table may be named.

        Raises
        ------
        ParameterError, ShapeError
            If epsilon is negative, or the other arguments do not fit together.
        """
        if is_classifier(estimator) or is_outlier_detector(estimator):
            raise ParameterError(
                f"a tube is that of a regression, but {type(estimator).__name__} came; DecisionRegionDisplay draws it."
            )
        section = Section.of(X, only(feature), fixed, 1)
        targets = finite_vector(y, "y", len(section.X))
        residuals = targets - np.asarray(estimator.predict(section.table(section.X)))
        found = epsilon
        if found is None:
            # That of a fit is found along with it where nu is given; scikit-learn's SVR has it as a parameter.
            found = getattr(getattr(estimator, "solution_", None), "epsilon", getattr(estimator, "epsilon", 0.0))
        width = check_nonnegative(found, "epsilon")
        tube = _tube_of(residuals, width) if width > 0 else _no_tube(residuals)
        support = _rows_in(section.X, estimator)
        made = cls._of(section, estimator.predict, residuals, width, tube, support, extent, grid_resolution)
        return made._drawing(estimator)

    @classmethod
    def _of(
        cls,
        section: Section,
        function: Callable[[Any], NDArray[np.float64]],
        residuals: Vector,
        epsilon: float,
        tube: Tube,
        support: Indices,
        extent: tuple[float, float] | None,
        resolution: int,
    ) -> Self:
        (grid,) = section.grids(extent, resolution)
        return cls(
            grid=grid,
            response=np.asarray(function(section.samples(grid[:, None]))),
            epsilon=epsilon,
            tube=tube,
            support=support,
            **cls._samples(section, function, residuals),
        )

    def _draw(self, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        if self.epsilon > 0:
            low, high = self.response - self.epsilon, self.response + self.epsilon
            draw_band(ax, self.grid, low, high, GREEN, rf"tube $g \pm {self.epsilon:.3g}$")
        ax.plot(self.grid, self.response, color=GREEN, label="$g = f + b$", zorder=2)
        outside = np.concatenate([self.tube.above, self.tube.below])
        places = ((self.tube.inside, BLUE, "o", "inside"), (self.tube.edge, BLUE, "D", "on the edge"))
        for rows, colour, marker, name in (*places, (outside, VERMILLION, "s", "outside")):
            if rows.size:
                label = name if self.epsilon > 0 else "sample"
                draw_samples(ax, self.x[rows], self.partial[rows], colour, marker, label)
        if self.support.size:
            ring(ax, self.x[self.support], self.partial[self.support], "support vector")
        self._name_axes(ax)


def _no_tube(residuals: Vector) -> Tube:
    nothing = np.arange(0)
    return Tube(np.arange(residuals.size), nothing, nothing, nothing)


def _tube_of(residuals: Vector, epsilon: float) -> Tube:
    """Return where the residuals lie as far as a picture shows it."""
    beyond = np.abs(residuals) - epsilon
    edge = np.abs(beyond) <= _EDGE * epsilon
    outside = ~edge & (beyond > 0)
    return Tube(
        np.flatnonzero(~edge & ~outside),
        np.flatnonzero(edge),
        np.flatnonzero(outside & (residuals > 0)),
        np.flatnonzero(outside & (residuals <= 0)),
    )


def _rows_in(X: NDArray[np.float64], estimator: Any) -> Indices:
    """Return the numbers of the samples that are support vectors of an estimator; none where all of them are."""
    vectors = getattr(estimator, "support_vectors_", None)
    if vectors is None or not getattr(getattr(estimator, "solution_", None), "sparse", True):
        return np.arange(0)
    known = {row.tobytes() for row in np.ascontiguousarray(vectors, dtype=np.float64)}
    return np.flatnonzero([row.tobytes() in known for row in np.ascontiguousarray(X)])


@dataclass(kw_only=True, eq=False, repr=False)
class RelevanceDisplay(_CurveDisplay):
    """The predictive mean of a relevance machine, a band of two standard deviations, and the relevance vectors.

    Make one with :meth:`from_solution`. For a classifier, :class:`~formulations.plots.DecisionRegionDisplay` draws the
    probabilities. A new target lies within the band with a probability of 95 %, if the model is right. With several
    features, samples are drawn at their partial residuals, as in :class:`~formulations.plots.TubeDisplay`.

    Attributes
    ----------
    grid, mean, deviation
        Values of the feature, and the predictive mean and standard deviation there, shape (n,).
    x, partial
        The feature and the partial residual of each sample, shape (m,), which is its target if there is one feature.
    relevance
        Numbers of the relevance vectors.
    xlabel, ylabel
        The names of the axes.
    held
        Where the other features are fixed, in words below the axes; empty where there are none.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import RelevanceRegression
    >>> from formulations.plots import RelevanceDisplay
    >>> from qpkernels import RBF
    >>> X = np.linspace(-3.0, 3.0, 13)[:, None]
    >>> model = RelevanceRegression(X, np.sinc(X[:, 0]), RBF(gamma=2.0), noise=0.01)
    >>> display = RelevanceDisplay.from_solution(model.solve(), model).plot()
    >>> print(display.relevance)
    [ 1  3  6  9 11]
    """

    mean: Vector
    deviation: Vector
    relevance: Indices

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
            The machine, whose samples are drawn.
        feature, fixed, extent, grid_resolution
            As in :meth:`TubeDisplay.from_solution() <formulations.plots.TubeDisplay.from_solution>`.

        Raises
        ------
        ParameterError, ShapeError
            If this is not such a machine, or the feature or the point is not valid.
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
            relevance=solution.relevance,
            **cls._samples(section, solution.mean, model.y - solution.mean(section.X)),
        )

    def _draw(self, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        low, high = self.mean - 2.0 * self.deviation, self.mean + 2.0 * self.deviation
        draw_band(ax, self.grid, low, high, GREEN, "mean $\\pm$ 2 standard deviations")
        ax.plot(self.grid, self.mean, color=GREEN, label="mean", zorder=2)
        draw_samples(ax, self.x, self.partial, BLUE, "o", "sample")
        ring(ax, self.x[self.relevance], self.partial[self.relevance], "relevance vector")
        self._name_axes(ax)
