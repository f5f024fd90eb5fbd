# SPDX-License-Identifier: BSD-3-Clause
"""Losses and their conjugates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from formulations.displays.base import Display
from formulations.displays.style import COLOURS, DASHES
from formulations.losses import Loss, MarginLoss, ResidualLoss
from qpkernels.arrays import Vector, check_count, finite_vector, shown
from qpkernels.errors import ParameterError, UnsupportedProgramError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LossCurve", "LossDisplay"]

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

    :meth:`from_losses` makes one. A conjugate is infinite beyond its domain, the slopes that the loss takes or
    approaches: its curve ends in a dot there. A loss that is not convex has none.

    Attributes
    ----------
    t
        Where the losses are computed, shape (n,).
    curves
        Each loss at t, and its conjugate.
    xlabel
        What t is called.

    Examples
    --------
    >>> from formulations.displays import LossDisplay
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
            One, several, or several by the names that they are to have.
        costs
            Above 0, one number or one for each loss: C phi(t) is drawn, whose conjugate is C phi*(s / C).
        extent
            (left, right) of t.
        grid_resolution
            Points of each curve, at least 2.

        Raises
        ------
        ParameterError, ShapeError
            If something else came.
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
    return LossCurve(
        name,
        value,
        slopes,
        conjugate(slopes),
        np.column_stack([ends, conjugate(ends)]),
    )
