# SPDX-License-Identifier: BSD-3-Clause
"""The passes of a step over the samples: each changes the gradient, if it does, and finds the best sample.

They are for compiled code, and stated in vectors that fill registers: the compiler of loops would find the best value
in these too, but not where it is, and what is left over at the end of a few hundred samples would take as long as they.
The arrays are contiguous, and they and the numbers beside them of one precision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

__all__ = ["FLAT", "find_partner", "find_single", "find_up", "pair_gain"]

_WIDTH = 16
"""Samples that are looked at together: in float32 one register of AVX-512, in float64 two."""

FLAT = 1e-14
"""Curvature below this part of K_ii + K_jj is rounding: the two samples are the same point for the kernel."""

_TINY = 1e-30
"""Added to a curvature of 0, so that the gain is huge and not infinite."""

Spread: TypeAlias = Callable[[Any], Any]

_FLAGS = ("nnan", "nsz", "contract")


@intrinsic  # type: ignore[untyped-decorator]
def find_up(context: Any, gradient: Any, up: Any, row_i: Any, row_j: Any, step: Any) -> Any:
    """Add step (K_i - K_j) to g, and return the sample that can go up at the least cost g + ``up``, or -1."""
    del context

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        def moved(parts: Sequence[Any], spread: Spread) -> Any:
            g, _, left, right = parts
            change = builder.fmul(spread(values[4]), builder.fsub(left, right, flags=_FLAGS), flags=_FLAGS)
            return builder.fadd(g, change, flags=_FLAGS)

        def cost(parts: Sequence[Any], spread: Spread) -> Any:
            del spread
            return builder.fadd(parts[0], parts[1], flags=_FLAGS)

        return _find(context, builder, signature.args[:4], values[:4], moved, cost, "<", float("inf"))

    return types.intp(gradient, up, row_i, row_j, step), write


@intrinsic  # type: ignore[untyped-decorator]
def find_partner(
    context: Any, gradient: Any, down: Any, square: Any, row: Any, own: Any, cost: Any, tolerance: Any
) -> Any:
    """Return the j whose step down, with a step up of i that costs ``cost``, gains most to second order, or -1.

    K_ii is ``own``, and ``row`` is that of i. None is returned where optimality is violated by at most ``tolerance``.
    """
    del context

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        def gain(parts: Sequence[Any], spread: Spread) -> Any:
            g, down, square, cross = parts
            fall = builder.fsub(builder.fadd(g, down, flags=_FLAGS), spread(values[5]), flags=_FLAGS)
            both = builder.fadd(spread(values[4]), square, flags=_FLAGS)
            return _gain(builder, fall, both, cross, spread(values[6]))

        return _find(context, builder, signature.args[:4], values[:4], None, gain, ">", 0.0)

    return types.intp(gradient, down, square, row, own, cost, tolerance), write


@intrinsic  # type: ignore[untyped-decorator]
def pair_gain(context: Any, fall: Any, both: Any, cross: Any, tolerance: Any) -> Any:
    """Return twice what a pair gains, as :func:`find_partner` has it: ``both`` is the sum of its squares."""
    del context

    return fall(fall, both, cross, tolerance), lambda _, builder, __, values: _gain(builder, *values)


def _gain(builder: Any, fall: Any, both: Any, cross: Any, tolerance: Any) -> Any:
    """Return fall^2 / curvature, or 0 where the fall is at most ``tolerance``."""
    kind = fall.type
    flat = builder.fadd(builder.fmul(_number(kind, FLAT), both, flags=_FLAGS), _number(kind, _TINY), flags=_FLAGS)
    curvature = builder.fsub(both, builder.fadd(cross, cross, flags=_FLAGS), flags=_FLAGS)
    curvature = _better(builder, ">", curvature, flat)
    return _squared_over(builder, fall, tolerance, curvature)


@intrinsic  # type: ignore[untyped-decorator]
def find_single(
    context: Any, gradient: Any, up: Any, down: Any, square: Any, row: Any, step: Any, tolerance: Any
) -> Any:
    """Add step K_i to g, and return the coefficient whose own step gains most to second order, or -1."""
    del context

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        def moved(parts: Sequence[Any], spread: Spread) -> Any:
            return builder.fadd(parts[0], builder.fmul(spread(values[5]), parts[4], flags=_FLAGS), flags=_FLAGS)

        def gain(parts: Sequence[Any], spread: Spread) -> Any:
            g, up, down, square, _ = parts
            zero = _number(g.type, 0.0)
            rise = builder.fsub(zero, builder.fadd(g, up, flags=_FLAGS), flags=_FLAGS)
            fall = _better(builder, ">", rise, builder.fadd(g, down, flags=_FLAGS))
            curvature = builder.fadd(square, _number(g.type, _TINY), flags=_FLAGS)
            return _squared_over(builder, fall, spread(values[6]), curvature)

        return _find(context, builder, signature.args[:5], values[:5], moved, gain, ">", 0.0)

    return types.intp(gradient, up, down, square, row, step, tolerance), write


def _squared_over(builder: Any, fall: Any, tolerance: Any, curvature: Any) -> Any:
    enough = builder.fcmp_ordered(">", fall, tolerance, flags=_FLAGS)
    fall = builder.select(enough, fall, _number(fall.type, 0.0))
    return builder.fdiv(builder.fmul(fall, fall, flags=_FLAGS), curvature, flags=_FLAGS)


def _better(builder: Any, order: str, one: Any, other: Any) -> Any:
    return builder.select(builder.fcmp_ordered(order, one, other, flags=_FLAGS), one, other)


def _number(kind: Any, value: float) -> Any:
    """Return a constant, in every place of a vector."""
    return ir.Constant(kind, [value] * kind.count if isinstance(kind, ir.VectorType) else value)


def _find(
    context: Any,
    builder: Any,
    kinds: Sequence[Any],
    values: Sequence[Any],
    moved: Callable[..., Any] | None,
    value: Callable[..., Any],
    order: str,
    bound: float,
) -> Any:
    """Return the first index whose value is the best of those better than ``bound``, or -1.

    ``value`` makes values of equal parts of all arrays; the first of these is what ``moved``, if there is such,
    makes of it.
    """
    arrays = [context.make_array(kind)(context, builder, each) for kind, each in zip(kinds, values, strict=True)]
    number, n = context.get_data_type(kinds[0].dtype), builder.extract_value(arrays[0].shape, 0)
    size = context.get_abi_sizeof(number)
    place, nowhere = ir.IntType(8 * size), 2 ** (8 * size - 2)

    def over(begin: Any, end: Any, width: int, best: Any, at: Any) -> None:
        kind = ir.VectorType(number, width) if width > 1 else number
        with cgutils.for_range_slice(builder, begin, end, ir.Constant(n.type, width), n.type) as (k, _):
            spots = [builder.bitcast(builder.gep(each.data, [k]), kind.as_pointer()) for each in arrays]
            parts = [builder.load(spot, align=size) for spot in spots]
            if moved is not None:
                parts[0] = moved(parts, partial(_spread, builder, width))
                builder.store(parts[0], spots[0], align=size)
            here, known = value(parts, partial(_spread, builder, width)), builder.load(best)
            better = builder.fcmp_ordered(order, here, known, flags=_FLAGS)
            builder.store(builder.select(better, here, known), best)
            index = _spread(builder, width, k if k.type == place else builder.trunc(k, place))
            builder.store(builder.select(better, index, builder.load(at)), at)

    lanes, places = ir.VectorType(number, _WIDTH), ir.VectorType(place, _WIDTH)
    best = cgutils.alloca_once_value(builder, _number(lanes, bound))
    at = cgutils.alloca_once_value(builder, _number(places, nowhere))
    whole = builder.sub(n, builder.urem(n, ir.Constant(n.type, _WIDTH)))
    over(ir.Constant(n.type, 0), whole, _WIDTH, best, at)
    tops = builder.load(best)
    top = _over_lanes(builder, tops, partial(_better, builder, order))
    is_top = builder.fcmp_ordered("==", tops, _spread(builder, _WIDTH, top), flags=_FLAGS)
    found = builder.add(builder.load(at), ir.Constant(places, [*range(_WIDTH)]))
    found = builder.select(is_top, found, _number(places, nowhere))

    def lesser(one: Any, other: Any) -> Any:
        return builder.select(builder.icmp_signed("<", one, other), one, other)

    best, at = (cgutils.alloca_once_value(builder, each) for each in (top, _over_lanes(builder, found, lesser)))
    over(whole, n, 1, best, at)
    index = builder.load(at)
    index = builder.select(builder.icmp_signed("<", index, _number(place, nowhere)), index, _number(place, -1))
    return index if place == n.type else builder.sext(index, n.type)


def _spread(builder: Any, width: int, each: Any) -> Any:
    """Return a number in every place of a vector, if that has more than one."""
    if width == 1:
        return each
    places = ir.VectorType(ir.IntType(32), width)
    lane = ir.Constant(ir.VectorType(each.type, width), ir.Undefined)
    lane = builder.insert_element(lane, each, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(lane, lane, ir.Constant(places, None))


def _over_lanes(builder: Any, lanes: Any, join: Callable[[Any, Any], Any]) -> Any:
    """Return what ``join`` makes of all lanes."""
    size = _WIDTH
    while size > 1:
        size //= 2
        low, high = (ir.Constant(ir.VectorType(ir.IntType(32), size), [*range(k, k + size)]) for k in (0, size))
        lanes = join(builder.shuffle_vector(lanes, lanes, low), builder.shuffle_vector(lanes, lanes, high))
    return builder.extract_element(lanes, ir.Constant(ir.IntType(32), 0))
