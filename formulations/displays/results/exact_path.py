# SPDX-License-Identifier: BSD-3-Clause
"""How coefficients move along an exact path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from formulations.displays.base import Display
from formulations.displays.results.path import is_logarithmic
from formulations.displays.style import BLUE, GREEN, VERMILLION
from formulations.selection import ExactPath
from qpkernels.arrays import Indices, Matrix, Vector, shown
from qpkernels.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ExactPathDisplay"]

_MOST = 100
"""Samples whose coefficients are drawn, where none are chosen."""

_BETWEEN = 8
"""Points of a curve between two breakpoints: shares of a bound that moves are no straight lines."""


@dataclass(kw_only=True, eq=False, repr=False)
class ExactPathDisplay(Display):
    """Coefficients along an exact path as shares of their bounds, and below them the number of free samples.

    :meth:`from_path` makes one. A coefficient at its bound is at 1 or -1, one of no support vector at 0, and those
    between are free: on the margin, or on an edge of the tube.

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
        The number of free samples between each two.

    Examples
    --------
    >>> from formulations import SoftMargin, exact_path
    >>> from formulations.displays import ExactPathDisplay
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
            If this is no exact path, or it has no such samples.
        """
        if not isinstance(path, ExactPath):
            raise ParameterError(f"what formulations.exact_path returns was expected, but {shown(path)} came.")
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
            if is_logarithmic(self.values):
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
    scale = np.log(breakpoints) if is_logarithmic(breakpoints) else breakpoints
    steps = np.arange(len(breakpoints) * _BETWEEN - _BETWEEN + 1) / _BETWEEN
    between = np.interp(steps, np.arange(len(breakpoints)), scale)
    found = np.exp(between) if is_logarithmic(breakpoints) else between
    found[::_BETWEEN] = breakpoints
    return found
