# SPDX-License-Identifier: BSD-3-Clause
"""A kernel matrix with its eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from formulations.plots.display import Display
from formulations.plots.style import BLUE, GREY, VERMILLION
from qpkernels.arrays import Indices, Matrix, Vector, read_array, shown
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram import Gram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GramDisplay"]


@dataclass(kw_only=True, eq=False, repr=False)
class GramDisplay(Display):
    """The kernel matrix as an image, with samples ordered by class or target, and its spectrum beside it.

    Make one with :meth:`from_gram` or :meth:`from_model`. A kernel that suits the classes shows blocks along the
    diagonal. Eigenvalues are in descending order of size; a negative one, which makes a kernel indefinite, is a square.
    Those lost in rounding, below m eps times the largest, lie on or below the dotted line.

    Attributes
    ----------
    matrix
        K in that order, shape (m, m).
    order
        The number of the sample of each row.
    starts
        The rows at which a class begins, except the first, ascending; empty without classes.
    eigenvalues
        The eigenvalues of K, in descending order of size, shape (m,).

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from formulations.plots import GramDisplay
    >>> from qpkernels import RBF
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], RBF(gamma=0.5), C=1.0)
    >>> display = GramDisplay.from_model(model).plot()
    >>> print(display.matrix.shape, display.eigenvalues.round(3))
    (4, 4) [2.108 1.249 0.509 0.134]
    """

    _panel_columns: ClassVar[int] = 2
    _panel_size: ClassVar[tuple[float, float]] = (4.6, 4.0)

    matrix: Matrix
    order: Indices
    starts: Indices
    eigenvalues: Vector

    @classmethod
    def from_gram(cls, gram: Gram, y: ArrayLike | None = None) -> Self:
        """Compute the order and the spectrum, from all m^2 values.

        Parameters
        ----------
        gram
            The kernel bound to the samples.
        y
            Labels or targets, shape (m,), by which the samples are ordered; where they repeat, lines separate them.

        Raises
        ------
        ParameterError, ShapeError
            If this is not a Gram, or y does not fit it.
        GramTooLargeError
            If the matrix exceeds the memory limit.
        """
        if not isinstance(gram, Gram):
            raise ParameterError(f"gram must be a Gram, such as Gram(RBF(0.1), X), but {shown(gram)} came.")
        order, starts = np.arange(len(gram)), np.arange(0)
        if y is not None:
            labels = read_array(y, "y")
            if labels.shape != order.shape:
                raise ShapeError(f"y must hold a value for each of the {len(gram)} samples, but {labels.shape} came.")
            order = np.argsort(labels, kind="stable")
            classes, first = np.unique(labels[order], return_index=True)
            starts = first[1:] if 2 * classes.size <= labels.size else starts
        eigenvalues = np.asarray(np.linalg.eigvalsh(gram.dense), dtype=np.float64)
        descending = eigenvalues[np.argsort(-np.abs(eigenvalues), kind="stable")]
        return cls(matrix=gram.dense[np.ix_(order, order)], order=order, starts=starts, eigenvalues=descending)

    @classmethod
    def from_model(cls, model: Any) -> Self:
        """Compute order and spectrum of a model, by its labels or targets.

        Parameters
        ----------
        model
            Any model or relevance machine, for two or several classes or for regression.

        Raises
        ------
        ParameterError
            If the model has no kernel matrix.
        """
        gram = model.data.gram if hasattr(model, "data") else getattr(model, "gram", None)
        if not isinstance(gram, Gram):
            raise ParameterError(f"a model with a kernel matrix was expected, but {shown(model)} came.")
        return cls.from_gram(gram, getattr(model, "y", None))

    def _draw(self, axes: Sequence[Axes]) -> None:
        left, right = axes
        image = left.imshow(self.matrix, cmap="cividis", interpolation="nearest")
        figure: Any = left.figure
        figure.colorbar(image, ax=left, label="$k(x_i, x_j)$", shrink=0.85)
        for start in self.starts:
            for line in (left.axhline, left.axvline):
                line(start - 0.5, color="black", linewidth=2.4)
                line(start - 0.5, color="white", linewidth=1.0)
        left.set(xlabel="sample", ylabel="sample")
        size = np.abs(self.eigenvalues)
        largest = float(size.max())
        lost = largest * self.eigenvalues.size * np.finfo(float).eps
        number = np.arange(1, size.size + 1)
        size = np.maximum(size, 1e-2 * lost)
        negative = self.eigenvalues < -lost
        right.semilogy(number[~negative], size[~negative], "o", color=BLUE, markersize=3.5, label="eigenvalue")
        if negative.any():
            right.semilogy(number[negative], size[negative], "s", color=VERMILLION, label="negative, by its size")
        right.axhline(lost, color=GREY, linestyle="dotted", linewidth=1.0, label="rounding")
        right.set(xlabel="number", ylabel="size of the eigenvalue")

    def _explain(self, axes: Sequence[Axes], *, own: bool) -> None:
        del own
        axes[1].legend()
