# SPDX-License-Identifier: BSD-3-Clause
"""What changes along a hyper-parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from formulations.displays.base import Display
from formulations.displays.style import BLUE, VERMILLION
from formulations.selection import SolutionPath
from qpkernels.arrays import Vector, shown
from qpkernels.errors import ParameterError
from qpkernels.problems import Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PathDisplay", "is_logarithmic", "numbers_of"]

_DECADES = 10.0
"""Ratio of the largest to the smallest of positive values from which their axis is logarithmic."""


@dataclass(kw_only=True, eq=False, repr=False)
class PathDisplay(Display):
    """The optimal value along a hyper-parameter, and below it the number of support vectors.

    :meth:`from_path` makes one. A value that is not proved is hollow; one without an answer is missing. A model whose
    coefficients are dense has no support vectors, and its second panel shows the intercept.

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
        Numbers of support vectors, or intercepts, and what they are called.

    Examples
    --------
    >>> from formulations import SoftMargin, path
    >>> from formulations.displays import PathDisplay
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
            What :func:`formulations.path` returned.

        Raises
        ------
        ParameterError
            If this is no path, or one along values that are no numbers.
        """
        if not isinstance(path, SolutionPath):
            raise ParameterError(f"what formulations.path returns was expected, but {shown(path)} came.")
        fits = path.fits
        dense = all(fit is None or fit.n_support is None for fit in fits)
        counts = [None if fit is None else fit.intercept if dense else fit.n_support for fit in fits]
        return cls(
            parameter=path.parameter,
            values=numbers_of(path.parameter, path.values),
            optimum=np.array([np.nan if fit is None else fit.certificate.primal_value for fit in fits]),
            proved=np.array([fit is not None and fit.status is Status.OPTIMAL for fit in fits]),
            second=np.array([np.nan if count is None else count for count in counts], dtype=np.float64),
            second_label="intercept $b$" if dense else "support vectors",
        )

    def _draw(self, axes: Sequence[Axes]) -> None:
        upper, lower = axes
        for ax, numbers, colour, marker in ((upper, self.optimum, BLUE, "o"), (lower, self.second, VERMILLION, "s")):
            if is_logarithmic(self.values):
                ax.set_xscale("log")
            ax.plot(self.values, numbers, color=colour, linewidth=1.2, zorder=2)
            for proved, face, label in ((True, colour, "proved optimal"), (False, ax.get_facecolor(), "not proved")):
                own = (self.proved == proved) & np.isfinite(numbers)
                if own.any():
                    options: Any = {"markerfacecolor": face, "label": label if ax is upper else None}
                    ax.plot(self.values[own], numbers[own], marker, color=colour, zorder=3, **options)
        if is_logarithmic(self.optimum):
            upper.set_yscale("log")
        upper.set(ylabel="optimal value")
        upper.tick_params(labelbottom=False)
        lower.set(xlabel=self.parameter, ylabel=self.second_label)


def numbers_of(name: str, values: Sequence[Any]) -> Vector:
    """Return the values of a hyper-parameter as numbers.

    Raises
    ------
    ParameterError
        If they are none.
    """
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros((0, 0))
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise ParameterError(f"the values of {name} must be numbers to be drawn along an axis, but they are {values}.")
    return numbers


def is_logarithmic(values: Vector) -> bool:
    """Return whether numbers are positive and spread over more than a decade."""
    known = values[np.isfinite(values)]
    return bool(known.size and known.min() > 0 and known.max() > _DECADES * known.min())
