# SPDX-License-Identifier: BSD-3-Clause
"""A sum of multiples of rows that stays in vector registers until it is complete.

The compiler of loops writes such a sum back to memory after every few rows. Stated in vectors as long as some registers
together, the loop reads a row and writes nothing: a third less time for sparse samples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

__all__ = ["LANES", "STRIP", "add_products", "sum_multiples"]

STRIP = 64
"""Columns that are summed at once: in float32 four registers of AVX-512, or eight of AVX2."""

LANES = 8
"""Parts of a sum of products that are added side by side: in float64 one register of AVX-512, or two of AVX2."""


@intrinsic  # type: ignore[untyped-decorator]
def sum_multiples(context: Any, target: Any, W: Any, column: Any, rows: Any, factors: Any, begin: Any, end: Any) -> Any:
    """Write sum over p, begin <= p < end, of factors_p W[rows_p, k] to target_k, for ``STRIP`` columns k from one on.

    It is for compiled code. The arrays are contiguous, W of shape (features, columns), target and factors of its type.
    """
    del context
    return types.void(target, W, column, rows, factors, begin, end), _write_code


def _write_code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    arrays = {k: context.make_array(signature.args[k])(context, builder, values[k]) for k in (0, 1, 3, 4)}
    target, W, rows, factors = arrays.values()
    column, begin, end = values[2], values[5], values[6]
    number = context.get_data_type(signature.args[0].dtype)
    vector, width = ir.VectorType(number, STRIP), builder.extract_value(W.shape, 1)
    alignment = context.get_abi_sizeof(number)
    fused = get_or_insert_function(
        builder.module,
        ir.FunctionType(vector, [vector] * 3),
        f"llvm.fmuladd.v{STRIP}f{8 * alignment}",
    )

    def strip(data: Any, first: Any) -> Any:
        return builder.bitcast(builder.gep(data, [first]), vector.as_pointer())

    def term(p: Any, before: Any) -> Any:
        row, factor = builder.load(builder.gep(rows.data, [p])), builder.load(builder.gep(factors.data, [p]))
        first = builder.add(builder.mul(builder.sext(row, width.type), width), column)
        part = builder.load(strip(W.data, first), align=alignment)
        lane = builder.insert_element(ir.Constant(vector, ir.Undefined), factor, ir.Constant(ir.IntType(32), 0))
        all_lanes = ir.Constant(ir.VectorType(ir.IntType(32), STRIP), None)
        return builder.call(fused, [builder.shuffle_vector(lane, lane, all_lanes), part, before])

    total = _loop(builder, begin, end, ir.Constant(vector, None), term)
    builder.store(total, strip(target.data, column), align=alignment)
    return context.get_dummy_value()


@intrinsic  # type: ignore[untyped-decorator]
def add_products(context: Any, lanes: Any, weights: Any, row: Any, column: Any) -> Any:
    """Add weights_k row_k to ``lanes[k % LANES]`` in float64, for ``STRIP`` columns k from ``column`` on.

    It is for compiled code. The arrays are contiguous; lanes and weights are in float64.
    """
    del context
    return types.void(lanes, weights, row, column), _write_products


def _write_products(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    data = [context.make_array(signature.args[k])(context, builder, values[k]).data for k in range(3)]

    def strip(k: int, size: int, first: Any) -> tuple[Any, int]:
        number = context.get_data_type(signature.args[k].dtype)
        place = builder.bitcast(builder.gep(data[k], [first]), ir.VectorType(number, size).as_pointer())
        return place, context.get_abi_sizeof(number)

    def load(k: int, size: int, first: Any) -> Any:
        place, alignment = strip(k, size, first)
        return builder.load(place, align=alignment)

    row, double = load(2, STRIP, values[3]), ir.VectorType(ir.DoubleType(), STRIP)
    terms = builder.fmul(load(1, STRIP, values[3]), row if row.type == double else builder.fpext(row, double))
    size = STRIP
    while size > LANES:
        size //= 2
        low, high = (ir.Constant(ir.VectorType(ir.IntType(32), size), [*range(k, k + size)]) for k in (0, size))
        terms = builder.fadd(builder.shuffle_vector(terms, terms, low), builder.shuffle_vector(terms, terms, high))
    place, alignment = strip(0, LANES, ir.Constant(ir.IntType(64), 0))
    builder.store(builder.fadd(builder.load(place, align=alignment), terms), place, align=alignment)
    return context.get_dummy_value()


def _loop(builder: Any, begin: Any, end: Any, initial: Any, body: Callable[[Any, Any], Any]) -> Any:
    """Return value = body(p, value) for p from ``begin`` to ``end``, begun with ``initial``."""
    before, loop, after = builder.block, builder.append_basic_block("loop"), builder.append_basic_block("after")
    builder.cbranch(builder.icmp_signed("<", begin, end), loop, after)
    builder.position_at_end(loop)
    p, value = builder.phi(begin.type), builder.phi(initial.type)
    new, following = body(p, value), builder.add(p, ir.Constant(begin.type, 1))
    builder.cbranch(builder.icmp_signed("<", following, end), loop, after)
    builder.position_at_end(after)
    total = builder.phi(initial.type)
    for phi, first, later in ((p, begin, following), (value, initial, new)):
        phi.add_incoming(first, before)
        phi.add_incoming(later, loop)
    total.add_incoming(initial, before)
    total.add_incoming(new, loop)
    return total
