# SPDX-License-Identifier: BSD-3-Clause
"""Random statements with points that are feasible: all of the vocabulary, with numbers of many sizes."""

from __future__ import annotations

import random
from fractions import Fraction
from math import isqrt
from typing import Any

from qpkernels.arrays.exact_text import exact_text

__all__ = ["cone_program", "kernel_qp"]


def _number(draw: random.Random) -> Fraction:
    """Return a number of at least 0: now and then 0, a quotient, or a float of another size."""
    shape = draw.random()
    if shape < 0.15:
        return Fraction(0)
    if shape < 0.5:
        return Fraction(draw.randint(1, 20), draw.randint(1, 9))
    return Fraction(abs(draw.gauss(0, 1)) * 2.0 ** (draw.randint(-60, 40) if shape < 0.7 else 0))


def _signed(draw: random.Random) -> Fraction:
    return draw.choice([-1, 1]) * _number(draw)


def _kernel(draw: random.Random, depth: int, width: int) -> dict[str, Any]:
    if depth and draw.random() < 0.5:
        name = draw.choice(["sum", "product", "power", "normalised"])
        count = draw.randint(1, 3) if name in ("sum", "product") else 1
        found: dict[str, Any] = {"name": name, "of": [_kernel(draw, depth - 1, width) for _ in range(count)]}
        return found | ({"degree": draw.randint(1, 5)} if name == "power" else {})
    name = draw.choice(["linear", "constant", "rbf", "laplacian", "matern"])
    if name == "constant":
        return {"name": name, "value": exact_text(_number(draw))}
    if name == "linear":
        return {"name": name}
    gamma = [exact_text(_number(draw) + (name != "rbf")) for _ in range(width)]
    return {"name": name, "gamma": gamma} | ({"nu": draw.choice(["1/2", "3/2", "5/2"])} if name == "matern" else {})


def _triangle(draw: random.Random, size: int) -> list[list[Fraction]]:
    return [[_signed(draw) for _ in range(i + 1)] for i in range(size)]


def _symmetric(draw: random.Random, size: int) -> list[list[Fraction]]:
    """Return a matrix, which is positive semidefinite as often as not."""
    G = _triangle(draw, size)
    if draw.random() < 0.5:
        return [[G[max(i, j)][min(i, j)] for j in range(size)] for i in range(size)]
    return [[sum(map(Fraction.__mul__, G[i], G[j]), Fraction(0)) for j in range(size)] for i in range(size)]


def _texts(values: Any) -> list[str]:
    return [exact_text(value) for value in values]


def kernel_qp(draw: random.Random) -> tuple[Any, list[Any]]:
    """Return a statement, and two answers that differ in their multipliers."""
    m, width = draw.randint(1, 5), draw.randint(1, 3)
    reach = [(_number(draw), _number(draw)) for _ in range(m)]
    beta = [draw.choice([-low, high, Fraction(0), (high - low) / 2]) for low, high in reach]
    is_matrix = draw.random() < 0.25
    statement = {
        "problem": "kernel-qp",
        "kernel": {"name": "matrix"} if is_matrix else _kernel(draw, 2, width),
        "samples": [_texts(row) for row in _symmetric(draw, m)]
        if is_matrix
        else [_texts(_signed(draw) for _ in range(width)) for _ in range(m)],
        "target": _texts(_signed(draw) for _ in range(m)),
        "lower": ["-inf" if not is_matrix and draw.random() < 0.2 else exact_text(-low) for low, _ in reach],
        "upper": ["inf" if not is_matrix and draw.random() < 0.2 else exact_text(high) for _, high in reach],
        "epsilon": _texts(_number(draw) for _ in range(m)),
        "ridge": _texts(_number(draw) for _ in range(m)),
        "balances": [],
    }
    if is_matrix and draw.random() < 0.5:
        statement["kernel"]["factor"] = [_texts(row) for row in _triangle(draw, m)]
    senses = [draw.choice(["=", "<=", ">="]) for _ in range(draw.randint(0, 2))]
    for sense in senses:
        row = [_signed(draw) for _ in range(m)]
        room = {"=": 0, "<=": 1, ">=": -1}[sense] * _number(draw)
        total = sum(map(Fraction.__mul__, row, beta), room)
        statement["balances"].append({"row": _texts(row), "total": exact_text(total), "sense": sense})
    signs = {"=": _signed, "<=": _number, ">=": lambda draw: -_number(draw)}
    free = [_texts(signs[sense](draw) for sense in senses) for _ in range(2)]
    return statement, [{"beta": _texts(beta), "free": each} for each in free]


def _in_cone(draw: random.Random, kind: str, size: int, dual: bool) -> list[Fraction]:
    if kind == "zero":
        return [_signed(draw) if dual else Fraction(0) for _ in range(size)]
    if kind == "nonnegative" or not size:
        return [_number(draw) for _ in range(size)]
    rest = [_signed(draw) for _ in range(size - 1)]
    length = Fraction(isqrt(int(sum(v * v for v in rest) * 10**40)) + 1, 10**20)
    return [length + _number(draw), *rest]


def cone_program(draw: random.Random) -> tuple[Any, list[Any]]:
    """Return a statement, and two answers that differ in their multipliers."""
    n = draw.randint(0, 4)
    cones = [
        (draw.choice(["zero", "nonnegative", "second-order"]), draw.randint(0, 3)) for _ in range(draw.randint(0, 3))
    ]
    m, x = sum(size for _, size in cones), [_signed(draw) for _ in range(n)]
    A = [[draw.choice([_signed(draw), Fraction(0)]) for _ in range(n)] for _ in range(m)]
    left = [v for kind, size in cones for v in _in_cone(draw, kind, size, dual=False)]
    h = [sum(map(Fraction.__mul__, row, x), v) for row, v in zip(A, left, strict=True)]
    P = _symmetric(draw, n) if draw.random() < 0.7 else [[Fraction(0)] * n for _ in range(n)]
    statement = {
        "problem": "cone-program",
        "variables": n,
        "constraints": m,
        "P": [[i, j, exact_text(v)] for i, row in enumerate(P) for j, v in enumerate(row) if v],
        "A": [[i, j, exact_text(v)] for i, row in enumerate(A) for j, v in enumerate(row) if v],
        "q": _texts(_signed(draw) for _ in range(n)),
        "h": _texts(h),
        "offset": exact_text(_signed(draw)),
        "lower": ["-inf" if draw.random() < 0.1 else exact_text(v - _number(draw)) for v in x],
        "upper": ["inf" if draw.random() < 0.1 else exact_text(v + _number(draw)) for v in x],
        "cones": [list(cone) for cone in cones],
    }
    factor = {"factor": [_texts(row) for row in _triangle(draw, n)]} if draw.random() < 0.5 else {}
    answers = []
    for _ in range(2):
        z = [v for kind, size in cones for v in _in_cone(draw, kind, size, dual=True)]
        answers.append({"x": _texts(x), "y": _texts(_signed(draw) for _ in range(n)), "z": _texts(z)} | factor)
    return statement, answers
