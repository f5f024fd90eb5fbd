# SPDX-License-Identifier: BSD-3-Clause
"""The base class of displays: computed numbers, and a method that draws them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from formulations.plots.style import explain, require_matplotlib, style
from qpkernels.arrays import shown
from qpkernels.errors import ParameterError, ShapeError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from qpkernels.files.proofs import Bundle, Proof

__all__ = ["Display"]

AxesLike: TypeAlias = Any
"""Axes of matplotlib; of a picture of several panels, a sequence or an array of them."""


@dataclass(kw_only=True, eq=False, repr=False)
class Display(ABC):
    """Numbers that were computed, and how they are drawn: what scikit-learn calls a display.

    Attributes
    ----------
    ax_, figure_
        The axes and the figure where it was drawn last.
    axes_
        The axes of all panels.
    """

    _panel_rows: ClassVar[int] = 1
    _panel_columns: ClassVar[int] = 1
    _panel_size: ClassVar[tuple[float, float]] = (5.2, 4.4)
    """Size of each panel of a new figure, in inches."""

    _legend_columns: ClassVar[int] = 3
    """Entries of a legend that are side by side below a new figure."""

    axes_: Sequence[Axes] = field(init=False)
    _answer: Any = field(default=None, init=False)

    def _drawing(self, answer: Any) -> Self:
        """Remember the solution or the estimator that is drawn."""
        self._answer = answer
        return self

    def prove(self, path: str | Path | None = None, *, digits: int = 9) -> Proof | Bundle:
        """Return the proof of the answer that is drawn, as :meth:`formulations.Solution.prove` does.

        Parameters
        ----------
        path, digits
            As :meth:`formulations.Solution.prove` takes them.

        Raises
        ------
        ParameterError
            If this draws no solution or estimator of this library.
        NoProofError
            If the vocabulary of proofs has no words for the problem.
        """
        if not hasattr(self._answer, "prove"):
            raise ParameterError(
                f"this {type(self).__name__} draws no solution or estimator of this library; prove a solution, or the "
                "fit of another library by audit(estimator, X, y).prove(path)."
            )
        proof: Proof | Bundle = self._answer.prove(path, digits=digits)
        return proof

    def plot(self, ax: AxesLike | None = None, *, legend: bool = True) -> Self:
        """Draw it.

        Parameters
        ----------
        ax
            Axes of matplotlib, as many as there are panels; None: those of a new figure. Its settings are those of the
            user where these differ from matplotlib's own, and ours elsewhere.
        legend
            Explain the marks: below a new figure, inside axes that were given.

        Raises
        ------
        MissingPackageError
            If matplotlib is not installed.
        ShapeError
            If there are fewer or more axes than panels.
        """
        with self._panels(ax) as axes:
            self.axes_ = axes
            self._draw(axes)
            if legend:
                self._explain(axes, own=ax is None)
        return self

    @property
    def ax_(self) -> Axes:
        """The axes of the first panel."""
        return self.axes_[0]

    @property
    def figure_(self) -> Any:
        """The figure."""
        return self.axes_[0].figure

    @abstractmethod
    def _draw(self, axes: Sequence[Axes]) -> None:
        """Draw into as many axes as there are panels."""

    def _explain(self, axes: Sequence[Axes], *, own: bool) -> None:
        """Add the legend."""
        explain(axes, own=own, columns=self._legend_columns)

    @contextmanager
    def _panels(self, ax: AxesLike | None) -> Iterator[Sequence[Axes]]:
        require_matplotlib()
        if ax is not None:
            yield _checked(ax, self._panel_rows * self._panel_columns)
            return
        with style():
            from matplotlib import pyplot

            rows, columns, (width, height) = self._panel_rows, self._panel_columns, self._panel_size
            size = (width * columns, height * rows)
            _, made = pyplot.subplots(rows, columns, squeeze=False, figsize=size, layout="constrained")
            yield list(made.flat)


def _checked(ax: AxesLike, wanted: int) -> Sequence[Axes]:
    from matplotlib.axes import Axes

    given: Any = getattr(ax, "flat", ax)
    found: list[Any] = list(given) if isinstance(given, Iterable) else [given]
    if len(found) != wanted or not all(isinstance(each, Axes) for each in found):
        what = "one Axes of matplotlib" if wanted == 1 else f"a sequence of {wanted} Axes of matplotlib"
        raise ShapeError(f"ax must be {what}, or None for a new figure, but {shown(ax)} came.")
    return found
