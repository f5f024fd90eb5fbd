# SPDX-License-Identifier: BSD-3-Clause
"""The regions in which a classifier decides for each class, in the plane of two features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formulations.modelling import Classification, Novelty
from formulations.models.classification.meta.multiclass import MulticlassSolution, OneVersusOne, OneVersusRest
from formulations.models.classification.one_class import OneClass
from formulations.models.classification.two_class_model import TwoClassModel
from formulations.models.relevance import RelevanceClassification, RelevanceSolution
from formulations.plots.display import Display
from formulations.plots.sections import Feature, Section
from formulations.plots.style import GREEN, VERMILLION, class_mark, draw_samples, ink_of, ring, tinted
from qpkernels.arrays import Indices, Matrix, Vector, check_choice, finite_vector, read_array
from qpkernels.errors import LabelError, ParameterError, ShapeError
from qpkernels.gram import Gram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DecisionRegionDisplay"]

_ClassModel: TypeAlias = TwoClassModel | OneClass | OneVersusOne | OneVersusRest | RelevanceClassification
_ClassSolution: TypeAlias = Classification | Novelty | MulticlassSolution | RelevanceSolution

_ResponseMethod: TypeAlias = Literal["decision_function", "predict_proba"]
"""The quantity to draw: decision values, or probabilities."""

_METHODS = ("decision_function", "predict_proba")

_HINGES = ("hinge", "squared_hinge")
"""Losses of linear machines whose margin is where the decision values are -1 and +1."""

_BOUNDARY = 1e-3
"""Share of the largest decision value of one class within which a sample lies on the boundary of the picture."""

_DEEP, _PALE = 0.22, 0.10
"""How much of its colour a region has, beyond the margin and within."""


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionRegionDisplay(Display):
    """The regions of a classifier in a plane of two features, its margin, its samples and its support vectors.

    Make one with :meth:`from_solution` or :meth:`from_estimator`. The boundary is a solid line, and the margin is
    dashed. Regions have the colours of their classes, each class has its own marker, and support vectors are ringed.
    With one class, the region that is not novel is tinted.

    With more than two features the plane is a section through their space, where all others are fixed, and the samples
    are projected onto it. They may lie on another side of the boundary than they do in all features.

    Attributes
    ----------
    xx0, xx1
        The grid, two arrays of shape (n, n), as made by ``numpy.meshgrid``.
    response
        The scores on the grid: shape (n, n) for one or two classes, else (n, n, classes), where the largest decides.
    classes
        The labels; None for one class.
    X, codes
        The samples in the plane, shape (m, 2), and the number of the class of each.
    marked, mark
        The support vectors in the plane, shape (k, 2), and their name.
    boundary, margins, score
        The score between two classes, further level lines, and the name of the score in TeX.
    xlabel, ylabel
        The names of the axes.
    held
        Where the other features are fixed, in words below the axes; empty where there are none.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from formulations.plots import DecisionRegionDisplay
    >>> model = SoftMargin([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [2.0, 2.0]], [-1, -1, -1, 1], C=10.0)
    >>> display = DecisionRegionDisplay.from_solution(model.solve(), model).plot()
    >>> print(f"{len(display.marked)} support vectors are marked")
    3 support vectors are marked
    """

    xx0: Matrix
    xx1: Matrix
    response: NDArray[np.float64]
    classes: NDArray[Any] | None
    X: Matrix
    codes: Indices
    marked: Matrix
    mark: str
    boundary: float
    margins: tuple[float, ...]
    score: str
    xlabel: str
    ylabel: str
    held: str

    @classmethod
    def from_solution(
        cls,
        solution: _ClassSolution,
        model: _ClassModel,
        *,
        features: tuple[Feature, Feature] | None = None,
        fixed: ArrayLike | None = None,
        response_method: _ResponseMethod = "decision_function",
        margins: ArrayLike | None = None,
        extent: tuple[float, float, float, float] | None = None,
        grid_resolution: int = 200,
    ) -> Self:
        """Compute the regions of an answer.

        Parameters
        ----------
        solution
            The answer to a model of one, two or several classes, or to a relevance machine that classifies.
        model
            The model that it answers, whose samples are drawn.
        features
            The numbers of the two features, which may be left out if there are only two.
        fixed
            A point through which the section goes, shape (features,); None: the median of each feature.
        response_method
            ``"predict_proba"`` draws the probabilities of a machine that has them.
        margins
            Scores whose lines are dashed, for one or two classes; None: the margin, or 0.1 and 0.9 for probabilities.
        extent
            (left, right, bottom, top) of the plane; None: a little beyond the samples.
        grid_resolution
            Points along each axis, at least 2.

        Raises
        ------
        ParameterError, ShapeError
            If solution and model do not belong together, or a feature, the point or the extent is not valid.
        """
        gram = _gram_of(model)
        section = Section.of(gram.X, features, fixed, 2, gram.feature_names)
        decision = _decision_of_solution(solution, model, section.X, response_method)
        return cls._of(decision, section, margins, extent, grid_resolution)._drawing(solution)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike | None = None,
        *,
        features: tuple[Feature, Feature] | None = None,
        fixed: ArrayLike | None = None,
        response_method: _ResponseMethod = "decision_function",
        margins: ArrayLike | None = None,
        extent: tuple[float, float, float, float] | None = None,
        grid_resolution: int = 200,
    ) -> Self:
        """Compute the regions of a fitted estimator, from this project or any other.

        Parameters
        ----------
        estimator
            An estimator with ``decision_function`` or ``predict_proba``, and with several classes also ``predict``. If
            it has ``support_vectors_``, these are ringed, and the margin is where the decision values are -1 and +1, as
            for a linear machine with a hinge loss. Pipelines and searches are drawn as their last step, but samples
            that a pipeline changes are not ringed.
        X, y
            The samples to be drawn, from the training or others, and their labels, none for one class. Features of a
            table can be chosen by name.
        features, fixed, response_method, margins, extent, grid_resolution
            As in :meth:`from_solution`.

        Raises
        ------
        ParameterError, ShapeError, LabelError
            If the estimator has no such method, or the other arguments do not fit it.
        """
        section = Section.of(X, features, fixed, 2)
        decision = _decision_of_estimator(estimator, section.table(section.X), y, response_method)
        return cls._of(decision, section, margins, extent, grid_resolution)._drawing(estimator)

    @classmethod
    def _of(
        cls,
        decision: _Scores,
        section: Section,
        margins: ArrayLike | None,
        extent: tuple[float, float, float, float] | None,
        resolution: int,
    ) -> Self:
        if margins is not None and decision.classes is not None and decision.classes.size > 2:
            raise ParameterError(f"margins are lines between two classes, but there are {decision.classes.size}.")
        xx0, xx1 = np.meshgrid(*section.grids(extent, resolution))
        values = decision.function(section.samples(np.column_stack([xx0.ravel(), xx1.ravel()])))
        marked = np.zeros((0, 2)) if decision.marked is None else decision.marked[:, section.features]
        lines = decision.margins if margins is None else tuple(np.unique(finite_vector(margins, "margins")).tolist())
        return cls(
            xx0=xx0,
            xx1=xx1,
            response=np.asarray(values).reshape(*xx0.shape, *np.shape(values)[1:]),
            classes=decision.classes,
            X=section.seen,
            codes=decision.codes,
            marked=marked,
            mark=decision.mark,
            boundary=decision.boundary,
            margins=lines,
            score=decision.score,
            xlabel=section.labels[0],
            ylabel=section.labels[1],
            held=section.held,
        )

    def _draw(self, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        if self.response.ndim == 3:
            self._draw_several(ax)
        else:
            self._draw_levels(ax)
        self._draw_samples(ax)
        if len(self.marked):
            ring(ax, self.marked[:, 0], self.marked[:, 1], self.mark)
        ax.set(xlabel=f"{self.xlabel}\n{self.held}".rstrip(), ylabel=self.ylabel)
        ax.set(xlim=(self.xx0[0, 0], self.xx0[0, -1]), ylim=(self.xx1[0, 0], self.xx1[-1, 0]))

    def _draw_levels(self, ax: Axes) -> None:
        """Tint both sides of the boundary, paler within the margin, and draw the lines."""
        low, high = float(self.response.min()), float(self.response.max())
        lines = sorted({*self.margins, self.boundary})
        edges = [min(low, lines[0]) - 1.0, *lines, max(high, lines[-1]) + 1.0]
        tints = [self._tint(0.5 * (left + right)) for left, right in pairwise(edges)]
        ax.contourf(self.xx0, self.xx1, self.response, edges, colors=tints, zorder=0)
        # Matplotlib warns of a level that the function does not take, and nobody looks for it.
        taken = [level for level in lines if low < level < high]
        for level in taken:
            dashes, width = ("solid", 1.6) if level == self.boundary else ("dashed", 1.1)
            grid = (self.xx0, self.xx1, self.response, [level])
            ax.contour(*grid, colors=[ink_of(ax)], linestyles=dashes, linewidths=width, zorder=2)
        dashed = tuple(level for level in taken if level != self.boundary)
        names = [(f"${self.score} = {self.boundary:g}$", "solid", 1.6)] if self.boundary in taken else []
        if dashed:
            names.append((f"${self.score} = {_listed(dashed)}$", "dashed", 1.1))
        for name, dashes, width in names:
            ax.plot([], [], color=ink_of(ax), linestyle=dashes, linewidth=width, label=name)

    def _tint(self, value: float) -> Any:
        """Return the colour of a region with such scores."""
        if self.classes is None:
            return tinted(GREEN, _DEEP if value > self.boundary else 0.0)
        beyond = not self.margins or not min(self.margins) < value < max(self.margins)
        return tinted(class_mark(int(value > self.boundary), 2)[0], _DEEP if beyond else _PALE)

    def _draw_several(self, ax: Axes) -> None:
        """Tint the region of each class, and draw where it ends."""
        classes = self.response.shape[2]
        for code in range(classes):
            others = np.delete(self.response, code, axis=2).max(axis=2)
            lead = self.response[:, :, code] - others
            if lead.max() <= 0.0:
                continue
            tint = tinted(class_mark(code, classes)[0], _DEEP)
            ax.contourf(self.xx0, self.xx1, lead, [0.0, float(lead.max()) + 1.0], colors=[tint], zorder=0)
            if lead.min() < 0.0:
                ax.contour(self.xx0, self.xx1, lead, [0.0], colors=[ink_of(ax)], linewidths=1.2, zorder=2)

    def _draw_samples(self, ax: Axes) -> None:
        labels = [] if self.classes is None else self.classes.tolist()
        names = [f"class {_shown(label)}" for label in labels] or ["sample", "outlier"]
        for code, name in enumerate(names):
            own = self.codes == code
            colour, marker = class_mark(code, len(names)) if labels else ((GREEN, "o"), (VERMILLION, "s"))[code]
            draw_samples(ax, self.X[own, 0], self.X[own, 1], colour, marker, name)


def _shown(label: Any) -> str:
    return f"{label:g}" if isinstance(label, float) else str(label)


def _listed(levels: tuple[float, ...]) -> str:
    """Return the levels in TeX, a pair around 0 with one sign."""
    if len(levels) == 2 and levels[0] == -levels[1]:
        return rf"\pm {levels[1]:.3g}"
    return r",\ ".join(f"{level:.3g}" for level in levels)


# How samples are told apart -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Scores:
    """How samples are told apart.

    Attributes
    ----------
    function
        Samples to a score, shape (n,), above ``boundary`` for the second of two classes or for what is not novel; or to
        a score of each of several classes, shape (n, classes), where the largest decides.
    classes
        The labels; None for one class.
    codes
        Number of the class of each sample, shape (m,); of one class 1 for the outliers, else 0.
    marked
        Training samples, as rows, that carry the function; None where all of them do, or nobody knows.
    mark
        What these are called.
    boundary
        The score that decides between two classes.
    margins
        Further scores whose level lines say how sure the decision is.
    score
        What the score is called, in TeX.
    """

    function: Callable[[Any], NDArray[np.float64]]
    classes: NDArray[Any] | None
    codes: Indices
    marked: Matrix | None = None
    mark: str = "support vector"
    boundary: float = 0.0
    margins: tuple[float, ...] = ()
    score: str = "g"


def _gram_of(model: _ClassModel) -> Gram:
    """Return the kernel matrix of a model, with its samples."""
    if isinstance(model, OneVersusOne | OneVersusRest):
        return model.data.gram
    if isinstance(model, TwoClassModel | OneClass | RelevanceClassification):
        return model.gram
    raise ParameterError(f"regions are drawn of a model of classes, but {type(model).__name__} came.")


def _decision_of_solution(solution: _ClassSolution, model: _ClassModel, X: Matrix, method: _ResponseMethod) -> _Scores:
    """Read the answer to a model of one class, of two or of several, whose samples are X."""
    if isinstance(solution, RelevanceSolution) and isinstance(model, RelevanceClassification):
        return _decision(
            solution, model.classes, _signs(model.y), X[solution.relevance], (), method, "relevance vector"
        )
    if isinstance(solution, Classification) and isinstance(model, TwoClassModel):
        margins = (-solution.margin_level, solution.margin_level) if solution.n_support is not None else ()
        carrying = X[solution.support.indices] if solution.n_support is not None else None
        return _decision(solution, model.classes, _signs(model.y), carrying, margins, method)
    if isinstance(solution, Novelty) and isinstance(model, OneClass):
        outside = np.isin(np.arange(len(model)), solution.outliers).astype(np.intp)
        return _decision(solution, None, outside, X[solution.support.indices], (), method)
    if isinstance(solution, MulticlassSolution) and isinstance(model, OneVersusOne | OneVersusRest):
        codes = np.searchsorted(model.classes, model.y)
        return _decision(solution, model.classes, codes, X[_support_of_all(solution, model)], (), method)
    raise ParameterError(
        "regions are drawn of the answer to a model of classes, given with that model, but "
        f"{type(solution).__name__} and {type(model).__name__} came."
    )


def _decision_of_estimator(estimator: Any, X: Any, y: ArrayLike | None, method: _ResponseMethod) -> _Scores:
    """Read a fitted estimator: of one class where no labels of the samples X come, else of those it knows, or in y."""
    if not hasattr(estimator, check_choice(method, "response_method", _METHODS)):
        raise ParameterError(
            f"the estimator must have {method}, but a {type(estimator).__name__} does not have it; fit it, or choose "
            "another response_method."
        )
    machine, as_given = _unwrapped(estimator)
    carrying = _support_vectors(machine)
    # Those within a pipeline are samples that its other steps have changed.
    marked = carrying if as_given else None
    if y is None:
        values = np.asarray(estimator.decision_function(X))
        outside = (values < -_BOUNDARY * np.abs(values).max()).astype(np.intp)
        return _decision(estimator, None, outside, marked, (), method)
    classes, codes = _codes(estimator, y, len(X))
    has_margin = carrying is not None or getattr(machine, "loss", None) in _HINGES
    return _decision(estimator, classes, codes, marked, (-1.0, 1.0) if has_margin else (), method)


def _decision(
    machine: Any,
    classes: NDArray[Any] | None,
    codes: Indices,
    marked: Matrix | None,
    margins: tuple[float, ...],
    method: _ResponseMethod,
    mark: str = "support vector",
) -> _Scores:
    """Return the decision of a machine, with the methods of scikit-learn's estimators."""
    own = (classes, codes, marked, mark)
    probable = check_choice(method, "response_method", _METHODS) == "predict_proba"
    if classes is None and probable:
        raise ParameterError("a machine of one class has no probabilities; draw its decision_function.")
    if classes is not None and classes.size > 2:
        return _Scores(_scores(machine, method, classes), *own)
    if probable:
        return _Scores(lambda X: machine.predict_proba(X)[:, 1], *own, boundary=0.5, margins=(0.1, 0.9), score="P")
    return _Scores(lambda X: _single(machine.decision_function(X)), *own, margins=margins)


def _single(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values for the second of two classes, where each has a machine of its own their difference."""
    return values if values.ndim == 1 else values[:, 1] - values[:, 0]


def _signs(y: Vector) -> Indices:
    return (y > 0).astype(np.intp)


def _support_of_all(solution: MulticlassSolution, model: OneVersusOne | OneVersusRest) -> Indices:
    """Return the numbers of the samples that are support vectors of some machine."""
    rows = [
        model.rows(pair)[each.support.indices] for pair, each in zip(solution.pairs, solution.solutions, strict=True)
    ]
    return np.unique(np.concatenate(rows))


def _codes(estimator: Any, y: ArrayLike, count: int) -> tuple[NDArray[Any], Indices]:
    labels = read_array(y, "y")
    if labels.shape != (count,):
        raise ShapeError(f"y must hold a label for each of the {count} samples, but an array {labels.shape} came.")
    known = getattr(estimator, "classes_", None)
    classes = np.unique(labels) if known is None else np.asarray(known)
    if not np.isin(labels, classes).all():
        raise LabelError(f"the estimator knows the classes {classes.tolist()}, but y holds others.")
    return classes, np.searchsorted(classes, labels)


def _unwrapped(estimator: Any) -> tuple[Any, bool]:
    """Return the machine within searches and pipelines, and whether it takes the samples as they come."""
    if hasattr(estimator, "best_estimator_"):
        return _unwrapped(estimator.best_estimator_)
    if hasattr(estimator, "steps"):
        return _unwrapped(estimator.steps[-1][1])[0], False
    return estimator, True


def _support_vectors(estimator: Any) -> Matrix | None:
    """Return the support vectors that an estimator shows; None where every sample is one."""
    found = getattr(estimator, "support_vectors_", None)
    dense = not getattr(getattr(estimator, "solution_", None), "sparse", True)
    if found is None or dense:
        return None
    vectors = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    return vectors if vectors.ndim == 2 and vectors.size else None


def _scores(machine: Any, method: _ResponseMethod, classes: NDArray[Any]) -> Callable[[Any], Matrix]:
    """Return the scores of several classes, where their largest is what the machine decides for, else its votes."""

    def scores(X: Any) -> Matrix:
        values = np.asarray(getattr(machine, method)(X))
        votes = np.equal.outer(np.asarray(machine.predict(X)), classes).astype(np.float64)
        agree = values.shape == votes.shape and np.array_equal(values.argmax(axis=1), votes.argmax(axis=1))
        return values if agree else votes

    return scores
