# SPDX-License-Identifier: BSD-3-Clause
"""Where the optimality conditions of a sample hold: a curve in the plane of its margin, or residual, and multiplier.

A model that charges a loss L_i of the decision value v_i = f(x_i) + b is optimal where -beta_i is a subgradient of L_i
at v_i. So every sample lies on the graph of the subdifferential, in margins z = y v with multipliers a = y beta, or in
residuals r = y - v with beta.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from formulations.modelling import Model
from formulations.models.classification.one_class import OneClass
from formulations.models.classification.two_class_model import TwoClassModel
from formulations.models.regression.regression_model import RegressionModel
from qpkernels.arrays import Matrix, Vector
from qpkernels.errors import ParameterError
from qpkernels.problems import Bounds, FenchelBounds, KernelQP, KernelQPBounds, SampleLosses, Support
from qpkernels.problems.level_qp.bounds import MarginLevelBounds, TubeLevelBounds

__all__ = ["OptimalityGraph", "Places", "program_of"]

_BEYOND = 0.15
"""Share of the range of the samples by which the curve goes on beyond them."""

_POINTS = 401
"""Places where the slope of a loss that has no pieces is computed."""

_SAME = 1e-9
"""Difference of two graphs within which they are one."""


@dataclass(frozen=True, eq=False)
class Places:
    """Where decision values stand with a model: margins z = y v, residuals r = y - v, or v itself of one class.

    A place rises with its sign times v, but a residual, of a regression with its targets, falls with v.
    """

    signs: Vector
    target: Vector | None

    @classmethod
    def of(cls, model: Model[Any]) -> Places:
        """Read a model.

        Raises
        ------
        ParameterError
            If it charges no losses of single decision values.
        """
        if not isinstance(model, TwoClassModel | OneClass | RegressionModel):
            raise _no_graph(type(model).__name__)
        signs = model.y if isinstance(model, TwoClassModel) else np.ones(len(model))
        return cls(signs, model.y if isinstance(model, RegressionModel) else None)

    def at(self, decision: Vector) -> Vector:
        """Return the places of decision values, shape (m,)."""
        return self.signs * decision if self.target is None else self.target - decision

    def decision(self, place: Vector | float) -> Vector:
        """Return the decision value that each sample has at that place, shape (m,)."""
        return np.asarray(self.signs * place if self.target is None else self.target - place)


@dataclass(frozen=True, eq=False)
class OptimalityGraph:
    """The graph, and where the samples of an answer are.

    Attributes
    ----------
    place
        Margin, residual, or decision value of one class, of each sample, shape (m,).
    multiplier
        Its multiplier, shape (m,), in units of ``scale``.
    curve
        The graph as a polygonal line, shape (n, 2), in the same coordinates.
    scale
        What every multiplier was divided by; None where each was by that of its own sample.
    unit
        What a distance of places is held against: half the spread of the targets, or the largest margin.
    support
        The support vectors; None of a model whose coefficients are dense.
    """

    place: Vector
    multiplier: Vector
    curve: Matrix
    scale: float | None
    unit: float
    support: Support | None

    @classmethod
    def of(cls, model: Model[Any], answer: Any) -> OptimalityGraph:
        """Read an answer, whatever :meth:`Model.certify` takes.

        Raises
        ------
        ParameterError
            If the losses of the model are none of single decision values, or differ in more than their cost.
        """
        places = Places.of(model)
        read, bounds = model.candidate(answer), model.bounds()
        multiplier, place, target = places.signs * read.beta, places.at(read.decision), places.target
        if isinstance(bounds, FenchelBounds):
            scales, curve = _of_losses(bounds.losses, places, place)
        else:
            program = program_of(bounds, read.decision, model.name)
            scales, curve = _of_program(program, places, place, multiplier)
        support = bounds.support(read.beta, read.decision) if model.entry.sparse else None
        shared = float(scales[0]) if np.ptp(scales) <= _SAME * scales.max() else None
        unit = (float(np.abs(place).max()) if target is None else 0.5 * float(np.ptp(target))) or 1.0
        return cls(place, multiplier / scales, curve, shared, unit, support)

    @property
    def violation(self) -> Vector:
        """The distance of each sample from the graph, shape (m,), where places count in ``unit``."""
        unit = np.array([self.unit, 1.0])
        points = np.column_stack([self.place, self.multiplier]) / unit
        begin, end = self.curve[:-1] / unit, self.curve[1:] / unit
        along = end - begin
        length = np.maximum((along**2).sum(axis=1), np.finfo(float).tiny)
        nearest = np.full(len(points), np.inf)
        for start, step, square in zip(begin, along, length, strict=True):
            share = np.clip((points - start) @ step / square, 0.0, 1.0)
            nearest = np.minimum(nearest, np.linalg.norm(points - start - share[:, None] * step, axis=1))
        return nearest


def _no_graph(name: str) -> ParameterError:
    return ParameterError(
        f"a {name} charges no loss of each decision value by itself, so that its multipliers lie on no graph; draw a "
        "soft, hard or nu margin, a tube, one class, or a model with a loss."
    )


def program_of(bounds: Bounds, decision: Vector, name: str) -> KernelQP:
    """Return the KernelQP of a model, at the level of this answer where it is free.

    Raises
    ------
    ParameterError
        If the model of that name is none.
    """
    if isinstance(bounds, KernelQPBounds):
        return bounds.program
    if isinstance(bounds, MarginLevelBounds | TubeLevelBounds):
        return bounds.program.at_level(bounds.level(bounds.losses(bounds.excess(decision, 0.0))))
    raise _no_graph(name)


def _of_program(program: KernelQP, places: Places, place: Vector, multiplier: Vector) -> tuple[Vector, Matrix]:
    """Return the unit of each multiplier, and the graph: pieces of straight lines.

    With the excess e = target - v, the conditions are e in ridge c + epsilon sign(c) + N(c), where N is the normal cone
    of the bounds.
    """
    signs = places.signs
    turn, centres = (-1.0, signs * program.target) if places.target is None else (1.0, np.zeros(program.size))
    low, high = np.where(signs > 0, program.lower, -program.upper), np.where(signs > 0, program.upper, -program.lower)
    ends = np.maximum(np.abs(low), np.abs(high))
    ridge = program.ridge
    usual = np.divide(1.0, ridge, out=np.ones_like(ridge), where=ridge > 0)
    scales = np.where(np.isfinite(ends) & (ends > 0), ends, usual)
    parts = np.column_stack([centres, low / scales, high / scales, program.epsilon, ridge * scales])
    one = parts[0]
    with np.errstate(invalid="ignore"):
        differ = np.abs(parts - one) > _SAME * np.maximum(np.abs(one), 1.0)
    if differ.any():
        raise ParameterError("the losses of the samples differ in more than their cost, so that they share no graph.")
    centre, lower, upper, epsilon, slope = (float(part) for part in one)
    left, right = _reach(turn * (place - centre))
    top = (1.0 + _BEYOND) * float((multiplier / scales).max(initial=1.0))
    bottom = (1.0 + _BEYOND) * float((multiplier / scales).min(initial=-1.0))
    corners = [(left, lower)] if np.isfinite(lower) else []
    for c in (max(lower, bottom), min(0.0, upper)):
        corners.append((slope * c - epsilon * (lower < 0), c))
    for c in (max(0.0, lower), min(upper, top)):
        corners.append((slope * c + epsilon * (upper > 0), c))
    corners += [(right, upper)] if np.isfinite(upper) else []
    curve = np.array(corners)
    # A piece that ends before it begins: the plane is not that wide.
    curve[:, 0] = np.maximum.accumulate(curve[:, 0])
    return scales, np.column_stack([centre + turn * curve[:, 0], curve[:, 1]])


def _of_losses(losses: SampleLosses, places: Places, place: Vector) -> tuple[Vector, Matrix]:
    """Return the unit of each multiplier, and the graph: slopes on a grid."""
    if losses.slope is None:
        raise ParameterError("the losses of the samples state no slopes, so that they have no graph.")
    x = np.linspace(*_reach(place), _POINTS)
    values = [places.decision(each) - losses.level for each in x]
    slopes = np.array([-places.signs * losses.slope(each) for each in values])
    ends = np.maximum(np.abs(losses.lower), np.abs(losses.upper))
    scales = np.where(np.isfinite(ends), ends, np.abs(slopes).max(axis=0))
    shares = slopes / scales
    if np.abs(shares - shares[:, :1]).max() > 1e-6:
        raise ParameterError("the losses of the samples differ in more than their cost, so that they share no graph.")
    return scales, np.column_stack([x, shares[:, 0]])


def _reach(values: Vector) -> tuple[float, float]:
    """Return where the curve ends: beyond all samples, and beyond 0."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    beyond = _BEYOND * (high - low) or 1.0
    return low - beyond, high + beyond
