#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# fmt: off
"""Check the proof of a kernel machine's optimum, in integers and fractions, with outward rounding.

A proof states a problem and an answer, and claims an interval that holds the optimal value, or that no solution exists.
All that the claim needs is computed here from the problem and the answer. No number is believed that can be computed.

A kernel-qp over m samples, with their kernel matrix K, is the maximum of

    D(b) = t'b - e'|b| - 1/2 b'(K + diag r) b    subject to    l <= b <= u,  R'b = c  (or <= c, or >= c).

By weak duality, any function f = sum_j a_j k(x_j, .) and any w, of the sign that R'b <= c asks for, bound it by

    P(f, w) = 1/2 ||f||^2 + c'w + sum_i L_i(f(x_i) + (R w)_i),  L_i(v) = max over l_i <= s <= u_i of
                                                                (t_i - v) s - e_i |s| - 1/2 r_i s^2.

A cone-program is the minimum of 1/2 x'Px + q'x + offset subject to l <= x <= u and h - A x in a product of cones. Any
z in the dual cones and any y bound it by offset - 1/2 y'Py - h'z + the least of (Py + q + A'z)'x over l <= x <= u.

A yes could be wrong for these reasons alone:
 1. Python's integers, fractions, json, zlib or hashlib are wrong.
 2. This file is wrong. It is short so that you can read it.
 3. A kernel is not positive semidefinite, against the theorem that THEOREMS names. (A matrix is checked here.)
 4. The problem in the file is not the one that you mean. Its digest is printed; its words are not checked.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from decimal import Context
from fractions import Fraction
from functools import lru_cache, partial
from math import inf, isqrt, lcm
from operator import mul
from pathlib import Path
from typing import Any

F, ONE, MOST_BYTES, MOST_TEXT, MOST_MEMORY = 128, 1 << 128, 1 << 27, 1 << 16, 1 << 33
Interval = tuple[int, int]  # of integers that stand for n / 2^F
Kernel = Callable[[int, int], Interval]  # of the numbers of two samples
Matrix = list[dict[int, Fraction]]  # rows of their nonzero entries
FLOAT = re.compile(r"(-?)0x([01])(?:\.([0-9a-f]{1,13}))?p([+-]?[0-9]{1,4})")
THEOREMS = {
    "linear": "it is an inner product", "constant": "it is a number of at least 0",
    **dict.fromkeys(("rbf", "laplacian", "matern"), "it is the Fourier transform of a density (Bochner, 1932)"),
    "matching": "it is a mean of inner products of indicators", "spectrum": "it is an inner product of counts of words",
    "sum": "it is a sum of positive semidefinite matrices",
    **dict.fromkeys(("product", "power", "normalised"), "it is an entrywise product of such matrices (Schur, 1911)"),
    "matrix": "the rows of K - GG' were checked, with the factor G of the file (Gershgorin, 1931)",
}
class FailedError(Exception):
    """The claim does not hold, or the file does not prove it. All other errors say that the file cannot be read."""
def require(condition: object, message: str, error: type[Exception] = ValueError) -> None:
    if not condition:
        raise error(message)
prove = partial(require, error=FailedError)
# --- Reading: the file is taken to be hostile -------------------------------------------------------------------------
def content(path: Path) -> bytes:
    require(path.is_file() and path.stat().st_size < MOST_BYTES, f"no file {str(path)!r} of less than 128 MiB is there")
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        packed = zlib.decompressobj(31)  # gzip
        raw = packed.decompress(raw, MOST_BYTES)
        require(packed.eof and not packed.unused_data, f"{str(path)!r} is damaged, or too long when unpacked")
    return raw
def whole(text: str) -> int:
    require(len(text) < 8, f'numbers are text such as "0x1.8p+1", but {text[:40]} came')
    return int(text)
class Object(dict[str, Any]):
    """An object of the file, which remembers the keys that nothing has read: nothing has checked them."""
    def __init__(self, others: list[Any], pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        others.append(self)
        require(len(self) == len(pairs), f"a key comes twice among {[key[:20] for key, _ in pairs[:20]]}")
        self.unread = set(self)
    def __getitem__(self, key: str) -> Any:
        self.unread.discard(key)
        return super().__getitem__(key)
@lru_cache(1 << 16)
def number(said: str, name: str) -> Fraction:
    """Return a hexadecimal float, or a quotient of hexadecimal integers, exactly."""
    require(len(said) < MOST_TEXT, f"{name!r} holds a number of {len(said)} digits")
    if match := FLOAT.fullmatch(said):
        digits, exponent = match[3] or "", int(match[4])
        require(abs(exponent) < 1100, f"{name!r} = {said} is no double")
        return int(match[1] + match[2] + digits, 16) * Fraction(2) ** (exponent - 4 * len(digits))
    require(re.fullmatch(r"-?[0-9a-f]+/[0-9a-f]+", said), f'{name!r} must be like 0x1.8p+1 or -3/a1, not {said[:40]!r}')
    return Fraction(*(int(part, 16) for part in said.split("/")))
def vector(said: Any, name: str, size: int, infinite: bool = False) -> list[Any]:
    """Return so many numbers, equal ones where one stands alone; infinite ones, where they may be, are floats."""
    given, ends = [said] * size if isinstance(said, str) else said, {"inf": inf, "-inf": -inf} if infinite else {}
    require(isinstance(given, list) and len(given) == size, f"{name!r} must hold {size} numbers")
    return [ends[each] if str(each) in ends else number(str(each), name) for each in given]
def integers(rows: Sequence[Sequence[Fraction]]) -> tuple[list[list[int]], int]:
    """Return rows of numbers as integers, and the number by which these are to be divided."""
    unit = lcm(*{v.denominator for row in rows for v in row})
    require(unit.bit_length() < MOST_TEXT, "the numbers have too many digits together")
    return [[v.numerator * (unit // v.denominator) for v in row] for row in rows], unit
# --- Rounded numbers --------------------------------------------------------------------------------------------------
def around(top: int, bottom: int = 1) -> Interval:
    return (top << F) // bottom, -((-top << F) // bottom)
def times(a: Interval, b: Interval) -> Interval:
    ends = a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]
    require(max(map(abs, ends)).bit_length() < MOST_TEXT, "the values of the kernel are too large")
    return min(ends) >> F, -(-max(ends) >> F)
def exp_minus(t: Interval) -> Interval:
    """Return an interval that holds e^-s for all s of an interval of numbers of at least 0.

    e^-s = (e^-x)^(2^n) with x = s / 2^n < 2^-8. The terms of e^-x alternate and fall, so that the rest is smaller than
    the first term left out. Each term is rounded down by less than two units, and x by less than one.
    """
    if t[0] >= 1024 * ONE:
        return 0, 1
    n = max(0, t[0].bit_length() - F + 8)
    x, total, term, k = t[0] >> n, ONE, ONE, 0
    while term:
        k += 1
        term = (term * x >> F) // k
        total += -term if k % 2 else term
    low, high = total - 2 * k - 3, total + 2 * k + 2
    for _ in range(n):
        low, high = low * low >> F, -(-high * high >> F)
    return max(low - (t[1] - t[0]), 0), min(high, ONE)  # the slope of e^-s is at most 1
# --- Kernels ----------------------------------------------------------------------------------------------------------
def kernel(said: Any, points: list[Any], used: set[str]) -> Kernel:
    """Return k by its name and parameters, and add the theorems that it needs to ``used``."""
    name = said["name"]
    require(name in THEOREMS, f"the kernel {name[:40]!r} is not known here")
    used.add(name)
    if name in ("sum", "product", "power", "normalised"):
        return composed(name, [kernel(of, points, used) for of in said["of"]], said["degree"] if name == "power" else 1)
    if name == "constant":
        constant = around(*number(said["value"], "value").as_integer_ratio())
        require(constant[0] >= 0, "'value' must be at least 0")
        return lambda i, j: constant
    if name == "spectrum":  # sum_w n_w(x) n_w(z) over the words w of p letters
        p = said["p"]
        require(p >= 1 and {*map(type, points)} == {str}, "a spectrum takes text, and p >= 1")
        words = [Counter(text[start : start + p] for start in range(len(text) - p + 1)) for text in points]
        return lambda i, j: around(sum(count * words[j][word] for word, count in words[i].items()))
    width = len(points[0])
    alike = all(type(row) is list and len(row) == width and {*map(type, row)} == {str} for row in points)
    require(width and alike, "samples must be lists of as many texts each")
    if name == "matching":  # the share of equal columns
        return lambda i, j: around(sum(a == b for a, b in zip(points[i], points[j], strict=True)), width)
    X, unit = integers([vector(row, "a sample", width) for row in points])
    if name == "matrix":  # sample i is row i of K
        return lambda i, j: around(X[i][j], unit)
    if name == "linear":
        return lambda i, j: around(sum(map(mul, X[i], X[j])), unit * unit)
    (W,), bottom = integers([vector(said["gamma"], "gamma", width)])
    require(min(W) > 0 or (name == "rbf" and min(W) == 0), "'gamma' must be above 0")
    if name == "laplacian":  # exp(-sum_c gamma_c |x_c - z_c|)
        return lambda i, j: exp_minus(around(sum(w * abs(a - b) for w, a, b in zip(W, X[i], X[j])), bottom * unit))
    WX = [list(map(mul, W, row)) for row in X]
    norms, bottom = [sum(map(mul, *rows)) for rows in zip(WX, X)], bottom * unit * unit
    square: Kernel = lambda i, j: around(norms[i] + norms[j] - 2 * sum(map(mul, WX[i], X[j])), bottom)
    if name == "rbf":  # exp(-sum_c gamma_c (x_c - z_c)^2)
        return lambda i, j: exp_minus(square(i, j))
    require((nu := said["nu"]) in ("1/2", "3/2", "5/2"), "'nu' must be 1/2, 3/2 or 5/2")
    def matern(i: int, j: int) -> Interval:  # e^-t, (1 + t) e^-t or (1 + t + t^2/3) e^-t, t^2 = 2 nu ||x - z||^2 / l^2
        s = square(i, j)
        t = isqrt(s[0] << F), isqrt(s[1] << F) + 1
        third = (s[0] // 3, s[1] // 3 + 1) if nu == "5/2" else (0, 0)
        return times((ONE, ONE) if nu == "1/2" else (ONE + t[0] + third[0], ONE + t[1] + third[1]), exp_minus(t))
    return matern
def composed(name: str, parts: list[Kernel], degree: Any) -> Kernel:
    """Return the sum or the product of kernels, a power of one, or k(x, z) / sqrt(k(x, x) k(z, z)), 0 for 0 / 0."""
    require(parts and (len(parts) == 1 or name in ("sum", "product")), f"the {name} of {len(parts)} kernels")
    require(degree in range(1, 65), "'degree' must be an integer from 1 to 64")
    def value(i: int, j: int) -> Interval:
        total = first = parts[0](i, j)
        for other in [part(i, j) for part in parts[1:]] + [first] * (degree - 1):
            total = (total[0] + other[0], total[1] + other[1]) if name == "sum" else times(total, other)
        if name == "normalised":
            l, h = (isqrt(max(end, 0) << F) for end in times(parts[0](i, i), parts[0](j, j)))
            return times(total, (around(ONE, h + 1)[0], around(ONE, l)[1])) if l else (-ONE, ONE) if h else (0, 0)
        return total
    return value
def lacking(P: Matrix, said: Any) -> Fraction:
    """Return t >= 0 with P + t I positive semidefinite: the rows of P - GG' + t I are diagonally dominant."""
    G, unit = integers([vector(row, "G", i) for i, row in enumerate(said["factor"] if "factor" in said else (), 1)])
    require(len(G) in (0, len(P)), f"the factor must have {len(P)} rows")
    worst = Fraction(0)
    for i, row in enumerate(P):
        square = (Fraction(sum(map(mul, G[i], each)), unit * unit) for each in G)
        rest = {j: row.get(j, Fraction(0)) - v for j, v in enumerate(square)} if G else row
        worst = max(worst, sum((abs(v) for j, v in rest.items() if j != i), -rest.get(i, Fraction(0))))
    return worst
# --- A kernel-qp ------------------------------------------------------------------------------------------------------
class Machine:
    """A kernel-qp as the file states it: its numbers, and its kernel at the samples and at further points."""
    def __init__(self, said: Any, points: list[Any]) -> None:
        samples, self.used, self.lacks = said["samples"], set[str](), Fraction(0)
        m = self.size = len(samples)
        require(m and isinstance(samples, list), "'samples' must be a list of samples")
        self.lower, self.upper = (vector(said[key], key, m, True) for key in ("lower", "upper"))
        self.target, self.width, self.ridge = (vector(said[key], key, m) for key in ("target", "epsilon", "ridge"))
        require(max(self.lower) <= 0 <= min(self.upper + self.width + self.ridge), "0 is out of bounds, or a width < 0")
        self.balances = [(vector(each["row"], "row", m), number(each["total"], "total"), each["sense"])
                         for each in said["balances"]]
        require({sense for _, _, sense in self.balances} <= {"=", "<=", ">="}, "the sense of a balance is =, <= or >=")
        self.k = kernel(said["kernel"], samples + points, self.used)
        if "matrix" in self.used:
            require(self.used == {"matrix"} and not points, "a matrix stands alone, and has no further points")
            require(samples == [list(column) for column in zip(*samples)], "the matrix is not symmetric as text")
            self.lacks = lacking([dict(enumerate(vector(row, "a row", m))) for row in samples], said["kernel"])
    def values(self, a: list[Fraction], numbers: Sequence[int]) -> list[Any]:
        """Return intervals of f(x_i), f = sum_j a_j k(x_j, .), at the samples and points of these numbers."""
        (c,), unit = integers([a])
        used, found = [(j, each) for j, each in enumerate(c) if each], []
        for i in numbers:
            k = [(each, self.k(i, j)) for j, each in used]
            ends = (sum(each * value[(each > 0) == top] for each, value in k) for top in (False, True))
            found.append(tuple(Fraction(end, unit << F) for end in ends))
        return found
    def dual(self, b: list[Fraction], square: Fraction) -> Fraction:
        """Return a lower bound of D(b), by an upper bound of b'Kb."""
        for i, v in enumerate(b):
            prove(self.lower[i] <= v <= self.upper[i], f"beta[{i}] is outside of its bounds")
        for k, (row, total, sense) in enumerate(self.balances):
            left = sum(map(mul, row, b)) - total
            prove(left == 0 or sense == ("<=" if left < 0 else ">="), f"beta violates balance {k}")
        return sum((t * v - e * abs(v) - r * v * v / 2 for t, e, r, v in zip(
            self.target, self.width, self.ridge, b)), -square / 2)
    def peak(self, i: int, v: Fraction, largest: bool) -> Any:
        """Return the largest, or the least, s at which L_i(v) is attained; infinite where L_i(v) may be."""
        r, e, away = self.ridge[i], self.width[i], self.target[i] - v
        above, below = away - e, away + e  # the slopes in s right and left of 0
        if above > 0 or (largest and not above and not r):
            return min(self.upper[i], above / r) if r else self.upper[i]
        if below < 0 or (not largest and not below and not r):
            return max(self.lower[i], below / r) if r else self.lower[i]
        return Fraction(0)
    def primal(self, f: list[Any], square: Fraction, w: list[Fraction], b: list[Fraction]) -> Fraction:
        """Return an upper bound of P: L_i is convex, and so the largest at an end of an interval."""
        total = square / 2 + sum(c * each for (_, c, _), each in zip(self.balances, w))
        for each, (_, _, sense) in zip(w, self.balances):
            prove(sense == "=" or each == 0 or (each > 0) == (sense == "<="), "a free variable has the wrong sign")
        for i, ends in enumerate(f):
            move, losses = sum(row[i] * each for (row, _, _), each in zip(self.balances, w)), []
            for away in (self.target[i] - end - move for end in ends):
                s = self.peak(i, self.target[i] - away, True) if abs(away) > self.width[i] else Fraction(0)
                prove(abs(s) < inf, f"sample {i} violates a constraint, which no price allows")
                losses.append(away * s - self.width[i] * abs(s) - self.ridge[i] * s * s / 2)
            total += max(losses)
            if self.lacks:
                prove(self.upper[i] - self.lower[i] < inf, "the matrix may be indefinite, and bounds are infinite")
                total += self.lacks / 2 * max(self.upper[i] - b[i], b[i] - self.lower[i]) ** 2
        return total
    def predictions(self, f: list[Any], b: list[Fraction], gap: Fraction, said: Any) -> str:
        """Check intervals of the optimum's decision values at the points: ||f - f*||^2 <= gap for the f of beta."""
        m, n, (low_w, high_w) = self.size, len(said["points"]), vector(said["offset"], "offset", 2)
        require(not self.lacks and len(self.balances) <= 1, "predictions ask for a definite kernel and one balance")
        far = [Fraction(isqrt(self.k(i, i)[1] * around(*gap.as_integer_ratio())[1]) + 1, ONE) for i in range(m + n)]
        prove(self.balances or low_w == high_w == 0, "there is no offset")
        for row, total, sense in self.balances:  # P is convex in w, falls up to low_w, and grows from high_w on
            require(set(row) == {1} and sense == "=", "predictions ask for the balance 1'b = c")
            for w, largest, sign in ((high_w, True, 1), (low_w, False, -1)):
                steep = sum(self.peak(i, f[i][not largest] - sign * far[i] + w, largest) for i in range(m))
                prove(sign * steep < sign * total, "the offset is not proved")
        lower, upper = (vector(said[key], key, n) for key in ("lower", "upper"))
        for i, ((low, high), away) in enumerate(zip(self.values(b, range(m, m + n)), far[m:])):
            prove(lower[i] <= low - away + low_w and high + away + high_w <= upper[i], f"prediction {i} is not proved")
        certain = sum(a > 0 or z < 0 for a, z in zip(lower, upper))
        return f"the optimal function is in the intervals, and its sign is certain at {certain} of {n} points"
def kernel_qp(said: Any, answer: Any, claim: Any, notes: list[str]) -> tuple[Fraction, Fraction]:
    machine = Machine(said, claim["predictions"]["points"] if "predictions" in claim else [])
    notes += [f"{k} is positive semidefinite: {THEOREMS[k]}" for k in sorted(machine.used) if not machine.lacks]
    b, w = vector(answer["beta"], "beta", machine.size), vector(answer["free"], "free", len(machine.balances))
    f = machine.values(b, range(machine.size))
    square = sum((max(v * end for end in ends) for v, ends in zip(b, f)), Fraction(0))  # ||f||^2 at most
    lower, upper = machine.dual(b, square), machine.primal(f, square, w, b)
    if "predictions" in claim:
        notes.append(machine.predictions(f, b, upper - lower, claim["predictions"]))
    return lower, upper
# --- A cone-program ---------------------------------------------------------------------------------------------------
def entries(said: Any, rows: int, columns: int, name: str) -> tuple[Matrix, Matrix]:
    """Return a matrix and its transpose."""
    found: tuple[Matrix, Matrix] = [{} for _ in range(rows)], [{} for _ in range(columns)]
    for i, j, value in said:
        require(0 <= i < rows and 0 <= j < columns and j not in found[0][i], f"{name} has ({i}, {j}) twice, or outside")
        found[0][i][j] = found[1][j][i] = number(value, name)
    return found
def product(M: Matrix, x: list[Fraction]) -> list[Fraction]:
    return [sum((value * x[j] for j, value in row.items()), Fraction(0)) for row in M]
def inside(s: list[Fraction], cones: list[Any], name: str, dual: bool = False) -> None:
    start = 0
    for kind, size in cones:
        part, start = s[start : start + size], start + size
        prove((dual or not any(part)) if kind == "zero" else all(v >= 0 for v in part) if kind == "nonnegative" else
              not part or (part[0] >= 0 and part[0] ** 2 >= sum(v * v for v in part[1:])),
              f"{name} is outside of the {kind} cone that ends with row {start - 1}")
def cone_program(said: Any, answer: Any, claim: Any, notes: list[str]) -> tuple[Fraction, Fraction]:
    n, m, cones, solvable = said["variables"], said["constraints"], said["cones"], claim["kind"] == "interval"
    known = all(kind in ("zero", "nonnegative", "second-order") and size >= 0 for kind, size in cones)
    require(known and sum(size for _, size in cones) == m, "the cones are not known here, or do not cover the rows")
    (P, Pt), (A, At) = entries(said["P"], n, n, "P"), entries(said["A"], m, n, "A")
    require(P == Pt, "P is not symmetric")
    q, h, offset = vector(said["q"], "q", n), vector(said["h"], "h", m), number(said["offset"], "offset")
    l, u = vector(said["lower"], "lower", n, True), vector(said["upper"], "upper", n, True)
    def feasible(x: list[Fraction], rows: Collection[int]) -> None:
        prove(all(a <= v <= b for a, v, b in zip(l, x, u)), "a point is outside of the bounds")
        left = [a - b if i in rows else Fraction(0) for i, (a, b) in enumerate(zip(h, product(A, x)))]
        inside(left, cones, "a point")
    if not solvable:  # 0 instead of the objective has a lower bound above 0
        P, q, offset = [{} for _ in P], [Fraction(0)] * n, Fraction(0)
    y, z = vector(answer["y"], "y", n), vector(answer["z"], "z", m)
    inside(z, cones, "z", dual=True)
    Py, t = product(P, y), lacking(P, answer)
    lower = offset - Fraction(1, 2) * sum(map(mul, Py, y)) - sum(map(mul, h, z))
    for j, g in enumerate(map(sum, zip(Py, q, product(At, z)))):
        end = l[j] if g > 0 else u[j]
        prove(not g or abs(end) < inf, f"the slope of variable {j} is not 0, and no bound takes it")
        lower += g * end if g else 0
        if t and P[j]:
            prove(u[j] - l[j] < inf, f"P is not proved semidefinite, and variable {j} has no bounds")
            lower -= t / 2 * max(abs(l[j] - y[j]), abs(u[j] - y[j])) ** 2
    if not solvable:
        prove(lower > 0, "z does not prove that there is no solution")
        if "irreducible" in claim:  # without any one of the rows used, the others have a solution
            used = {i for i, v in enumerate(z) if v}
            prove({i for i, _ in claim["irreducible"]} == used, "a row has no point without it")
            for i, point in claim["irreducible"]:
                feasible(vector(point, "a point", n), used - {i})
            notes.append(f"without any one of the {len(used)} rows that z uses, the others of them have a solution")
        return lower, lower
    x = vector(answer["x"], "x", n)
    feasible(x, range(m))
    return lower, Fraction(1, 2) * sum(map(mul, product(P, x), x)) + sum(map(mul, q, x)) + offset
# --- The document -----------------------------------------------------------------------------------------------------
def check(said: Any, folder: Path, notes: list[str]) -> None:
    """Check a proof, and add what is proved to the notes."""
    statement, claim = said["statement"], said["claim"]
    digest: Callable[[bytes], str] = lambda raw: hashlib.sha256(raw).hexdigest()
    found = digest(json.dumps(statement, sort_keys=True, separators=(",", ":")).encode())
    require(found == said["sha256"], f"the digest of the statement is {found}, not that of the file")
    notes.append(f"problem: {ascii(said['words'])[:2000]}\nSHA-256 of its statement: {found}")
    if isinstance(data := statement.get("samples"), dict):
        raw = content(folder / Path(data["file"]).name)
        require(digest(raw) == data["sha256"], f"the digest of {data['file']!r} is {digest(raw)}, not that of the file")
        require(re.fullmatch(rb"[-+.,eE0-9\r\n]*", raw), f"{data['file']!r} holds more than decimal numbers and commas")
        statement["samples"] = [[float(v).hex() for v in line.split(",")] for line in raw.decode().splitlines()]
    problem = {"kernel-qp": kernel_qp, "cone-program": cone_program}[statement["problem"]]
    lower, upper = problem(statement, said["answer"], claim, notes)
    if claim["kind"] == "infeasible" and problem is cone_program:
        notes.append("PROVED: there is no solution")
        return
    require(claim["kind"] == "interval", f"{str(claim['kind'])[:40]!r} cannot be claimed here")
    low, high = (number(claim[key], key) for key in ("lower", "upper"))
    for key, end, more in (("lower", low, low - lower), ("upper", high, upper - high)):
        require(end == Fraction(float(end)), f"the {key} end of the interval must be a double")
        prove(more <= 0, f"the {key} end is beyond what is proved")
    digits = len(str(int(max(abs(low), abs(high)) / (high - low)))) - 1 if high > low else "all"
    ends = (str(Context(17, to).create_decimal(float(v))) for to, v in (("ROUND_FLOOR", low), ("ROUND_CEILING", high)))
    notes.append(f"PROVED to {digits} digits: the optimum is in [{', '.join(ends)}]")
def verify(raw: bytes, folder: Path) -> list[str]:
    """Return what a file proves, whose data files are in a folder."""
    objects, notes = list[Object](), list[str]()
    reading: Any = dict.fromkeys(("parse_float", "parse_constant", "parse_int"), whole)
    said = json.loads(raw, object_pairs_hook=partial(Object, objects), **reading)
    parts = said["bundle"] if "bundle" in said else [said]
    require(parts and isinstance(parts, list), "a bundle must be a list of proofs")
    for part in parts:
        require(said["format"] == part["format"] == "kernel-machine-proof 1", "'format' is not kernel-machine-proof 1")
        check(part, folder, notes)
    require(not (unread := sorted({key for one in objects for key in one.unread})), f"nothing reads the keys {unread}")
    return notes
def main() -> int:
    parser = argparse.ArgumentParser("proofcheck")
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=86400.0, help="time to give up after; 0: without a limit")
    asked = parser.parse_args()
    try:
        if asked.seconds:  # another process can be ended, whatever a hostile file leads it to
            inner = [sys.executable, "-I", "-S", __file__, "--seconds", "0", "--", asked.file]
            status = subprocess.run(inner, timeout=asked.seconds).returncode
            return status if status in (0, 3) else 2
        with suppress(ImportError, ValueError, OSError):  # not every system can limit memory
            import resource
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        print("\n".join(verify(content(asked.file), asked.file.parent)))
    except FailedError as error:
        print(f"NOT PROVED: {error}", file=sys.stderr)
        return 3
    except Exception as error:  # whatever a hostile file leads to
        print(f"{asked.file} cannot be read: {type(error).__name__}: {str(error)[:500]}", file=sys.stderr)
        return 2
    return 0

if __name__ == "__main__":
    sys.exit(main())
