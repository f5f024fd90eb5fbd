# SPDX-License-Identifier: BSD-3-Clause
"""Loops over rows of a kernel matrix, from dense or sparse samples alike: the rows are made, kept and summed.

Sums of rows are taken in float64: a sum of thousands of rows in float32 would err a hundred times more than the rows.
The form of the entries is that of :class:`~qpkernels.kernels.ProductForm`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, log
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic, overload

from qpkernels.arrays import Floats, Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled, vectorised

__all__ = [
    "LANES",
    "STRIP",
    "add_products",
    "add_scaled",
    "add_stored_rows",
    "copy",
    "entries",
    "exp2",
    "gather_block",
    "inner_product",
    "mirror",
    "sum_multiples",
    "write_both",
    "write_symmetric",
]


def exp2(x: Any) -> Any:
    """Return 2^x for a float32 or float64 x <= 0, to its rounding; below the least normal number, that.

    With n the integer nearest to x, 2^x = 2^n 2^t for t = x - n in [-1/2, 1/2]. A float32 adds 127 to its binary
    exponent and keeps it in its bits from 23 on, so 2^n is made by a shift; a float64 adds 1023 and keeps it from bit
    52 on.

    In compiled code one of the two functions below takes its place.
    """
    return np.exp2(x)


@overload(exp2, inline="always")  # type: ignore[untyped-decorator]
def _of_type(x: Any) -> Callable[[Any], Any] | None:
    return {types.float32: _single, types.float64: _double}.get(x)


# Sum of this and x has no bits left for a fraction: adding it rounds to an integer, and taking it away gives n.
_ROUNDING, _LEAST = np.float32(3 * 2**22), np.float32(-126)
_BIAS, _SHIFT = np.int32(127), np.int32(23)
# A polynomial of degree 5, of least largest relative error on [-1/2, 1/2]: 7.5e-8, about half a unit in the last place
# (Lawson's iteration on 2000 Chebyshev nodes).
_C5, _C4, _C3 = np.float32(1.3276472e-3), np.float32(9.6755413e-3), np.float32(5.5507133e-2)
_C2, _C1, _C0 = np.float32(2.4022120e-1), np.float32(6.9314697e-1), np.float32(1.0000001)


def _single(x: Any) -> Any:
    x = x if x > _LEAST else _LEAST
    n = (x + _ROUNDING) - _ROUNDING
    t = x - n
    power = ((((_C5 * t + _C4) * t + _C3) * t + _C2) * t + _C1) * t + _C0
    return power * np.int32((np.int32(n) + _BIAS) << _SHIFT).view(np.float32)


_ROUNDING_64, _LEAST_64 = 1.5 * 2.0**52, -1022.0
_BIAS_64, _SHIFT_64 = np.int64(1023), np.int64(52)
# The series of exp(t log 2): the first term left out is below 4e-18.
_T1, _T2, _T3, _T4, _T5, _T6, _T7, _T8, _T9, _T10, _T11, _T12, _T13 = (log(2) ** k / factorial(k) for k in range(1, 14))


def _double(x: Any) -> Any:
    x = x if x > _LEAST_64 else _LEAST_64
    n = (x + _ROUNDING_64) - _ROUNDING_64
    t = x - n
    high = (((((_T13 * t + _T12) * t + _T11) * t + _T10) * t + _T9) * t + _T8) * t + _T7
    power = ((((((high * t + _T6) * t + _T5) * t + _T4) * t + _T3) * t + _T2) * t + _T1) * t + 1.0
    return power * np.int64((np.int64(n) + _BIAS_64) << _SHIFT_64).view(np.float64)


STRIP = 64
"""Columns that are summed at once: in float32 four registers of AVX-512, or eight of AVX2."""

LANES = 8
"""Parts of a sum of products that are added side by side: in float64 one register of AVX-512, or two of AVX2."""


@intrinsic  # type: ignore[untyped-decorator]
def sum_multiples(context: Any, target: Any, W: Any, column: Any, rows: Any, factors: Any, begin: Any, end: Any) -> Any:
    """Write sum over p, begin <= p < end, of factors_p W[rows_p, k] to target_k, for ``STRIP`` columns k from one on.

    It is for compiled code. The arrays are contiguous, W of shape (features, columns), target and factors of its type.
    The compiler of loops writes such a sum back to memory after every few rows. Stated in vectors as long as some
    registers together, the loop reads a row and writes nothing: a third less time for sparse samples.
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


_WIDE = 8192
"""Columns that are summed at once: their sums stay in a processor's cache, whatever the rows."""

_LINE = 8
"""Numbers of float64 in a line of a processor's cache, and half of those of float32."""

_LANES = 64
"""Parts of a sum of products."""

_TOGETHER = 4
"""Rows that are added in one pass: the sums are read and written once for all of them."""


@compiled
def add_stored_rows(store: Floats, slots: Indices, first: int, delta: Vector, values: Vector) -> None:
    """Add delta'K to ``values``, where row c of K was written to ``store[slots[c], first:]``."""
    part = np.empty(_WIDE)
    for start in range(0, values.size, _WIDE):
        stop = min(start + _WIDE, values.size)
        sums = part[: stop - start]
        sums[:] = 0
        whole = slots.size - slots.size % _TOGETHER
        for c in range(0, whole, _TOGETHER):
            _add_four(sums, delta[c : c + _TOGETHER], store, slots[c : c + _TOGETHER], first + start)
        for c in range(whole, slots.size):
            add_scaled(sums, delta[c], store[slots[c], first + start : first + stop])
        for k in range(stop - start):
            values[start + k] += sums[k]


@compiled
def gather_block(
    store: Floats, slots: Indices, columns: Indices, rows: Indices, places: Indices, block: Floats
) -> None:
    """Write ``store[slots[c], columns[k]]`` to ``block[rows[c], places[k]]``.

    With ascending ``columns`` a row is read from its beginning to its end: a third less time where it is long.
    """
    for c in range(rows.size):
        source, target = store[slots[c]], block[rows[c]]
        for k in range(columns.size):
            target[places[k]] = source[columns[k]]


@compiled
def write_both(panel: Floats, rows: Indices, columns: Indices, block: Floats) -> None:
    """Write ``panel[b, a]`` to ``block[rows[b], columns[a]]`` and to the place mirrored at the diagonal."""
    for start in range(0, rows.size, 2 * _LINE):
        stop = min(start + 2 * _LINE, rows.size)
        for b in range(start, stop):
            target = block[rows[b]]
            for a in range(columns.size):
                target[columns[a]] = panel[b, a]
        for a in range(columns.size):
            target = block[columns[a]]
            for b in range(start, stop):
                target[rows[b]] = panel[b, a]


@compiled
def mirror(block: Floats, rows: Indices, columns: Indices) -> None:
    """Write ``block[columns[a], rows[b]]`` to the place mirrored at the diagonal."""
    for start in range(0, rows.size, 2 * _LINE):
        for a in range(columns.size):
            source = block[columns[a]]
            for b in range(start, min(start + 2 * _LINE, rows.size)):
                block[rows[b], columns[a]] = source[rows[b]]


@compiled
def write_symmetric(products: Matrix, start: int, offsets: Vector, degree: int, K: Matrix) -> None:
    """Write what is left of the diagonal in the rows from ``start`` on, of these ``products``, and its mirror image.

    ``start`` is a multiple of 8: so many numbers are read at once, and written to as many rows.
    """
    for c in range(len(products)):
        i, made = start + c, products[c, : start + c]
        entries(made, offsets[i], offsets[:i], degree)
        copy(made, K[i])
    for first in range(0, start, _LINE):
        for c in range(len(products)):
            line = products[c, first : first + _LINE]
            for k in range(_LINE):
                K[first + k, start + c] = line[k]
    for c in range(len(products)):
        row = K[start + c]
        for j in range(c + 1, len(products)):
            row[start + j] = products[j, start + c]


@vectorised
def entries(row: Floats, offset: Any, offsets: Floats, degree: int) -> None:
    """Make of the products a_c'a_j in ``row`` the entries k_cj, in place."""
    zero = row.dtype.type(0)
    if degree == 0:
        for k in range(row.size):
            exponent = row[k] - offset - offsets[k]
            # Rounding may leave equal samples a little more than equal.
            row[k] = exp2(exponent if exponent < zero else zero)
        return
    for k in range(row.size):
        base = row[k] - offset - offsets[k]
        power = base
        for _ in range(degree - 1):
            power *= base
        row[k] = power


@vectorised
def inner_product(weights: Vector, row: Floats) -> float:
    """Return sum over k of weights_k row_k in float64, so many parts of it side by side as fill the registers."""
    lanes, whole = np.zeros(_LANES), row.size - row.size % _LANES
    for start in range(0, whole, _LANES):
        factors, part = weights[start : start + _LANES], row[start : start + _LANES]
        for k in range(_LANES):
            lanes[k] += factors[k] * part[k]
    total = 0.0
    for k in range(_LANES):
        total += lanes[k]
    for k in range(whole, row.size):
        total += weights[k] * row[k]
    return total


@vectorised
def _add_four(sums: Floats, factors: Vector, store: Floats, slots: Indices, first: int) -> None:
    """Add the rows in four ``slots`` times their factors, from the column ``first`` on."""
    a, b, c, d = factors[0], factors[1], factors[2], factors[3]
    stop = first + sums.size
    one, two, three, four = (
        store[slots[0], first:stop],
        store[slots[1], first:stop],
        store[slots[2], first:stop],
        store[slots[3], first:stop],
    )
    for k in range(sums.size):
        sums[k] += (a * one[k] + b * two[k]) + (c * three[k] + d * four[k])


@vectorised
def add_scaled(sums: Floats, factor: Any, row: Floats) -> None:
    """Add factor times ``row`` to ``sums``, in the precision of these."""
    for k in range(row.size):
        sums[k] += factor * row[k]


@compiled
def copy(row: Floats, target: Floats) -> None:
    """Copy a row; numba compiles ``target[:] = row`` with the words of an error, which takes it seconds."""
    for k in range(row.size):
        target[k] = row[k]
