# SPDX-License-Identifier: BSD-3-Clause
"""The optimality conditions of every sample on their graph, and losses with their conjugates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from formulations.judging import Audit, MachineAudit, audit
from formulations.losses import Loss, MarginLoss, ResidualLoss
from formulations.modelling import Model
from formulations.models.classification.one_class import OneClass
from formulations.models.regression.regression_model import RegressionModel
from formulations.plots.display import Display
from formulations.plots.graph import OptimalityGraph
from formulations.plots.style import BLUE, COLOURS, DASHES, GREEN, GREY, VERMILLION, draw_samples, ink_of
from qpkernels.arrays import Indices, Matrix, Vector, check_count, check_positive, finite_vector, shown
from qpkernels.errors import ParameterError, UnsupportedProgramError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["KKTDisplay", "LossDisplay"]


@dataclass(kw_only=True, eq=False, repr=False)
class KKTDisplay(Display):
    """The multiplier of each sample against its margin or residual, with the graph where both are optimal.

    Make one with :meth:`from_solution`, or with :meth:`from_audit` for any machine. The graph is that of the
    subdifferential of the loss, -beta in dL(f(x) + b). For the hinge it is a step at margin 1, from 0 beyond it to C
    within. The conditions of a sample hold if it lies on the graph. Samples off it are crosses, coloured by their
    distance, in which a multiplier counts in the unit of its bound, a margin in that of the largest one, and a residual
    in half the spread of the targets.

    Attributes
    ----------
    place, multiplier
        Margin, residual, or decision value for one class, and the multiplier of each sample, shape (m,).
    curve
        The graph, shape (n, 2).
    violation
        The distance of each sample from it, shape (m,).
    free, bounded
        Numbers of the support vectors; both are empty for a model whose coefficients are dense.
    tolerance
        The violation from which a sample counts as off the graph.
    xlabel, ylabel
        The names of the axes.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from formulations.plots import KKTDisplay
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1.0)
    >>> display = KKTDisplay.from_solution(model.solve(tol=1e-6), model).plot()
    >>> print(display.violation.max() < 1e-3, display.free, display.bounded)
    True [0 3] [1 2]
    """

    place: Vector
    multiplier: Vector
    curve: Matrix
    violation: Vector
    free: Indices
    bounded: Indices
    tolerance: float
    xlabel: str
    ylabel: str

    @classmethod
    def from_solution(cls, solution: Any, model: Model[Any], *, tolerance: float = 1e-3) -> Self:
        """Compute where the samples of an answer lie.

        Parameters
        ----------
        solution
            An answer as :meth:`Model.certify() <formulations.modelling.model.Model.certify>` takes it: a Solution, a
            pair (beta, b), or a fitted estimator of scikit-learn, which may be far from optimal.
        model
            A model of one or two classes or of regression that charges a loss of each decision value: a margin, a tube,
            or any with a loss of :mod:`formulations.losses`.
        tolerance
            Above 0: the violation from which a sample counts as off the graph.

        Raises
        ------
        ParameterError, ShapeError
            If the model has no such losses, or the answer does not belong to it.
        """
        limit = check_positive(tolerance, "tolerance")
        graph = OptimalityGraph.of(model, solution)
        name = r"\beta" if isinstance(model, RegressionModel) else r"\alpha"
        unit = 1.0 if graph.scale is None else graph.scale
        support = graph.support
        nothing = np.arange(0)
        return cls(
            place=graph.place,
            multiplier=unit * graph.multiplier,
            curve=graph.curve * [1.0, unit],
            violation=graph.violation,
            free=nothing if support is None else support.free,
            bounded=nothing if support is None else support.bounded,
            tolerance=limit,
            xlabel=_place_of(model),
            ylabel=f"multiplier ${name}$" if graph.scale is not None else f"multiplier by its cost, ${name} / C$",
        )._drawing(solution)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: ArrayLike | None = None, *, tolerance: float = 1e-3
    ) -> Self:
        """Compute where the training samples of an estimator lie.

        Parameters
        ----------
        estimator
            A fitted estimator with one machine: one from this project, or, with its data, any that an audit takes.
        X, y
            The samples that it was fitted to, and their labels or targets, which an estimator from this project knows.
        tolerance
            As in :meth:`from_solution`.

        Raises
        ------
        ParameterError
            If it is not such an estimator, has several machines, or its model has no such losses.
        """
        if X is not None:
            return cls.from_audit(audit(estimator, X, y), tolerance=tolerance)
        model = getattr(estimator, "model_", None)
        if not isinstance(model, Model):
            raise ParameterError(
                f"a fitted estimator of this project with one machine was expected, but {shown(estimator)} came; of "
                "another pass its data, as in KKTDisplay.from_estimator(estimator, X, y)."
            )
        return cls.from_solution(estimator.solution_, model, tolerance=tolerance)

    @classmethod
    def from_audit(cls, audited: Audit | MachineAudit, *, tolerance: float = 1e-3) -> Self:
        """Compute where the samples of an audited machine from any library lie.

        Parameters
        ----------
        audited
            An :class:`~formulations.Audit` of one machine, or one of its machines:
            ``audit(estimator, X, y)[0]``.
        tolerance
            As in :meth:`from_solution`.

        Raises
        ------
        ParameterError
            If it is not such an audit, or its model has no such losses.
        """
        machine = audited[0] if isinstance(audited, Audit) and len(audited) == 1 else audited
        if not isinstance(machine, MachineAudit):
            raise ParameterError(
                f"one machine of an audit was expected, such as audit(estimator, X, y)[0], but {shown(audited)} came."
            )
        return cls.from_solution(machine.machine.answer, machine.machine.model, tolerance=tolerance)

    @property
    def off(self) -> Indices:
        """Numbers of the samples off the graph, with the worst last."""
        found = np.flatnonzero(self.violation > self.tolerance)
        return found[np.argsort(self.violation[found], kind="stable")]

    def _draw(self, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        ax.plot(self.curve[:, 0], self.curve[:, 1], color=GREY, linewidth=4.0, alpha=0.45, label="optimal", zorder=1)
        ax.axhline(0.0, color=ink_of(ax), linewidth=0.6, zorder=0.5)
        kinds = np.zeros(self.place.size, dtype=np.intp)
        kinds[self.free], kinds[self.bounded] = 1, 2
        kinds[self.off] = 3
        sparse = self.free.size + self.bounded.size > 0
        marks = (
            (BLUE, "o", "no support vector" if sparse else "sample"),
            (GREEN, "D", "free"),
            (VERMILLION, "s", "at its bound"),
        )
        for kind, (colour, marker, label) in enumerate(marks):
            own = kinds == kind
            if own.any():
                draw_samples(ax, self.place[own], self.multiplier[own], colour, marker, label)
        if self.off.size:
            self._draw_off(ax)
        ax.set(xlabel=self.xlabel, ylabel=self.ylabel)

    def _draw_off(self, ax: Axes) -> None:
        from matplotlib.colors import LogNorm

        size = np.array(self.violation[self.off])
        norm = LogNorm(self.tolerance, max(float(size.max()), 2.0 * self.tolerance))
        options: Any = {"c": size, "cmap": "plasma_r", "norm": norm, "marker": "X", "zorder": 5}
        drawn = ax.scatter(
            self.place[self.off], self.multiplier[self.off], 60, edgecolors=ink_of(ax), linewidths=0.6, **options
        )
        drawn.set_label("not optimal")
        figure: Any = ax.figure
        figure.colorbar(drawn, ax=ax, label="distance from the graph")


def _place_of(model: Model[Any]) -> str:
    if isinstance(model, RegressionModel):
        return "residual $r = y - g(x)$"
    return r"$g(x) = f(x) - \rho$" if isinstance(model, OneClass) else "margin $z = y\\,g(x)$"


_JUMP = 0.25
"""Change of a loss from one point of the grid to the next that is a jump, where it is not convex."""


@dataclass(frozen=True, eq=False)
class LossCurve:
    """A loss on a grid, and its conjugate on one of slopes.

    Attributes
    ----------
    name
        What it is called.
    value
        The loss at each t; NaN where it jumps.
    slopes, conjugate
        Slopes, and the conjugate there; None of a loss that is not convex.
    ends
        The ends of the domain of the conjugate that are finite, with its values, shape (k, 2).
    """

    name: str
    value: Vector
    slopes: Vector | None
    conjugate: Vector | None
    ends: Any


@dataclass(kw_only=True, eq=False, repr=False)
class LossDisplay(Display):
    r"""Losses phi(t), and beside them their conjugates :math:`\phi^*(s) = \sup_t s t - \phi(t)`.

    Make one with :meth:`from_losses`. A conjugate is infinite beyond its domain, the slopes that the loss takes or
    approaches, and its curve ends in a dot there. A loss that is not convex has no conjugate.

    Attributes
    ----------
    t
        Where the losses are computed, shape (n,).
    curves
        Each loss at t, and its conjugate.
    xlabel
        The name of t.

    Examples
    --------
    >>> from formulations.plots import LossDisplay
    >>> from formulations.losses import Hinge, LogisticLoss
    >>> display = LossDisplay.from_losses([Hinge(), LogisticLoss()]).plot()
    >>> print([curve.name for curve in display.curves])
    ['hinge', 'logistic']
    """

    _panel_columns: ClassVar[int] = 2
    _panel_size: ClassVar[tuple[float, float]] = (4.6, 3.9)
    _legend_columns: ClassVar[int] = 4

    t: Vector
    curves: tuple[LossCurve, ...]
    xlabel: str

    @classmethod
    def from_losses(
        cls,
        losses: Loss | Iterable[Loss] | Mapping[str, Loss],
        *,
        costs: ArrayLike = 1.0,
        extent: tuple[float, float] = (-2.0, 2.0),
        grid_resolution: int = 801,
    ) -> Self:
        """Compute losses and conjugates.

        Parameters
        ----------
        losses
            One loss, several losses, or several losses by the names that they should have.
        costs
            Above 0, one number or one for each loss: C phi(t) is drawn, whose conjugate is C phi*(s / C).
        extent
            (left, right) of t.
        grid_resolution
            Points of each curve, at least 2.

        Raises
        ------
        ParameterError, ShapeError
            If the arguments are not of this kind.
        """
        named = _named(losses)
        weights = finite_vector(costs, "costs", len(named))
        if weights.min() <= 0:
            raise ParameterError(f"costs must be above 0, but {shown(costs)} came.")
        left, right = finite_vector(extent, "extent", 2)
        if not left < right:
            raise ParameterError(f"extent must be (left, right), lower end first, but {shown(extent)} came.")
        t = np.linspace(left, right, check_count(grid_resolution, "grid_resolution", least=2))
        curves = [_curve(name, loss, float(C), t) for (name, loss), C in zip(named, weights, strict=True)]
        kinds = {_kind(loss) for _, loss in named}
        return cls(t=t, curves=tuple(curves), xlabel=kinds.pop() if len(kinds) == 1 else "$t$")

    def _draw(self, axes: Sequence[Axes]) -> None:
        left, right = axes
        for number, curve in enumerate(self.curves):
            colour, dashes = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
            left.plot(self.t, curve.value, color=colour, linestyle=dashes, label=curve.name)
            if curve.slopes is not None and curve.conjugate is not None:
                right.plot(curve.slopes, curve.conjugate, color=colour, linestyle=dashes, label=curve.name)
                right.plot(curve.ends[:, 0], curve.ends[:, 1], "o", color=colour)
        left.set(xlabel=self.xlabel, ylabel=r"loss $\varphi$")
        right.set(xlabel="slope $s$", ylabel=r"conjugate $\varphi^*$")


def _named(losses: Any) -> list[tuple[str, Loss]]:
    """Return the losses with their names."""
    if isinstance(losses, Mapping):
        found = list(losses.items())
    else:
        several = [losses] if isinstance(losses, Loss) else list(losses) if isinstance(losses, Iterable) else []
        found = [(_name(loss), loss) for loss in several if isinstance(loss, Loss)] if several else []
        found = found if len(found) == len(several) else []
    if not found or not all(isinstance(loss, Loss) for _, loss in found):
        raise ParameterError(f"losses must be losses of formulations.losses, as Hinge(), but {shown(losses)} came.")
    return found


def _name(loss: Loss) -> str:
    """Return what a loss is called, with its parameters."""
    numbers: list[str] = (
        [f"{each.name} = {getattr(loss, each.name):g}" for each in fields(loss)] if is_dataclass(loss) else []
    )
    return ", ".join([loss.name, *numbers])


def _kind(loss: Loss) -> str:
    if isinstance(loss, MarginLoss):
        return "margin $z = y\\,g(x)$"
    return "residual $r = y - g(x)$" if isinstance(loss, ResidualLoss) else "$t$"


def _curve(name: str, loss: Loss, C: float, t: Vector) -> LossCurve:
    value = C * loss.value(t)
    try:
        low, high = (C * end for end in loss.domain)
        steepest = C * loss.slope(t)
    except UnsupportedProgramError:
        jumps = np.flatnonzero(np.abs(np.diff(value)) > _JUMP)
        value[jumps] = np.nan
        return LossCurve(name, value, None, None, np.zeros((0, 2)))

    def conjugate(s: Vector) -> Vector:
        # Division by C may round beyond the domain.
        return C * loss.conjugate(np.clip(s / C, *loss.domain))

    ends = np.array([end for end in (low, high) if np.isfinite(end)])
    first, last = (low if np.isfinite(low) else steepest.min()), (high if np.isfinite(high) else steepest.max())
    slopes = np.linspace(first, last, t.size)
    return LossCurve(name, value, slopes, conjugate(slopes), np.column_stack([ends, conjugate(ends)]))
