# SPDX-License-Identifier: BSD-3-Clause
"""Whether the claim of a proof is true, from the mathematics alone and with 60 digits: nothing here is the checker's.

A claim of an interval is true if weak duality says so at the points of the answer. Rounding errors of 60 digits are
allowed for, relative to the sum of the absolute values of all terms.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mpmath as mp

__all__ = ["kernel_value", "number", "untruths"]

mp.mp.dps = 60

_SLACK = mp.mpf(10) ** -48

_FORMS = {
    frozenset(form.split())
    for form in (
        "format bundle",
        "format words sha256 statement answer claim",
        "problem kernel samples target lower upper epsilon ridge balances",
        "problem variables constraints P A q h offset lower upper cones",
        "row total sense",
        "file sha256",
        "name",
        "name of",
        "name of degree",
        "name value",
        "name p",
        "name gamma",
        "name gamma nu",
        "name factor",
        "beta free",
        "x y z",
        "x y z factor",
        "y z",
        "y z factor",
        "kind",
        "kind irreducible",
        "kind lower upper",
        "kind lower upper predictions",
        "points offset lower upper",
    )
}
"""All keys that an object of a proof may have."""


def number(text: str) -> Any:
    """Return a number of a proof."""
    if text in ("inf", "-inf"):
        return mp.mpf(text)
    if "/" in text:
        top, bottom = text.split("/")
        return mp.mpf(int(top, 16)) / int(bottom, 16)
    digits, exponent = text.split("p")
    whole, _, rest = digits.partition(".")
    return mp.ldexp(mp.mpf(int(whole + rest, 16)), int(exponent) - 4 * len(rest))


def _numbers(said: Any, size: int) -> list[Any]:
    return [number(text) for text in ([said] * size if isinstance(said, str) else said)]


def kernel_value(said: Any, x: Any, z: Any) -> Any:
    """Return k(x, z) of two samples as a proof has them."""
    name = said["name"]
    if "of" in said:
        return _combined(said, x, z)
    if name == "constant":
        return number(said["value"])
    if name == "spectrum":
        p = said["p"]
        return mp.mpf(sum(x[i : i + p] == z[j : j + p] for i in range(len(x) - p + 1) for j in range(len(z) - p + 1)))
    if name == "matching":
        return mp.mpf([a == b for a, b in zip(x, z, strict=True)].count(True)) / len(x)
    pairs = list(zip(map(number, x), map(number, z), strict=True))
    return mp.fsum(a * b for a, b in pairs) if name == "linear" else _of_distance(said, pairs)


def _combined(said: Any, x: Any, z: Any) -> Any:
    name, values = said["name"], [kernel_value(part, x, z) for part in said["of"]]
    if name == "sum":
        return mp.fsum(values)
    if name == "normalised":
        lengths = mp.fprod(mp.sqrt(kernel_value(said["of"][0], each, each)) for each in (x, z))
        return values[0] / lengths if lengths else mp.mpf(0)
    return mp.fprod(values) ** (said["degree"] if name == "power" else 1)


def _of_distance(said: Any, pairs: list[tuple[Any, Any]]) -> Any:
    weights = _numbers(said["gamma"], len(pairs))
    if said["name"] == "laplacian":
        return mp.exp(-mp.fsum(w * abs(a - b) for w, (a, b) in zip(weights, pairs, strict=True)))
    square = mp.fsum(w * (a - b) ** 2 for w, (a, b) in zip(weights, pairs, strict=True))
    t = mp.sqrt(square)
    factors = {"1/2": mp.mpf(1), "3/2": 1 + t, "5/2": 1 + t + square / 3}
    return mp.exp(-square) if said["name"] == "rbf" else factors[said["nu"]] * mp.exp(-t)


def untruths(raw: bytes, folder: Path) -> list[str]:
    """Return what is not true of all that a file claims."""
    found: list[str] = []

    def form(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) != len(pairs) or frozenset(key for key, _ in pairs) not in _FORMS:
            found.append(f"an object has the keys {[key for key, _ in pairs]}")
        return dict(pairs)

    document = json.loads(raw, object_pairs_hook=form)
    parts = document.get("bundle", [document])
    found += [] if parts else ["nothing is claimed"]
    for part in parts:
        statement, claim = part["statement"], part["claim"]
        text = json.dumps(statement, sort_keys=True, separators=(",", ":"))
        if hashlib.sha256(text.encode()).hexdigest() != part["sha256"]:
            found.append("the digest is not that of the statement")
        if isinstance(statement.get("samples"), dict):
            statement["samples"] = list(_table(statement["samples"], folder))
        check = _of_machine if statement["problem"] == "kernel-qp" else _of_program
        found += check(statement, part["answer"], claim)
    return found


def _table(said: Any, folder: Path) -> Iterator[list[str]]:
    raw = (folder / Path(said["file"]).name).read_bytes()  # in the folder of the proof, whatever the name says
    assert hashlib.sha256(raw).hexdigest() == said["sha256"]
    for line in raw.decode().split():
        yield [float(value).hex() for value in line.split(",")]


def _below(low: Any, value: Any, size: Any) -> bool:
    return bool(low <= value + _SLACK * size)


class _Machine:
    """The statement of a kernel-qp."""

    def __init__(self, said: Any) -> None:
        self.samples, m = said["samples"], len(said["samples"])
        keys = ("lower", "upper", "target", "epsilon", "ridge")
        self.lower, self.upper, self.target, self.width, self.ridge = (_numbers(said[key], m) for key in keys)
        self.rows = [(_numbers(each["row"], m), number(each["total"]), each["sense"]) for each in said["balances"]]
        self.said = said["kernel"]
        is_matrix = self.said["name"] == "matrix"
        self.K = mp.matrix(
            [
                [number(x[j]) if is_matrix else kernel_value(self.said, x, z) for j, z in enumerate(self.samples)]
                for x in self.samples
            ]
        )

    def price(self, i: int, v: Any, s: Any) -> Any:
        """Return (t - v) s - e |s| - r s^2 / 2."""
        return (self.target[i] - v) * s - self.width[i] * abs(s) - self.ridge[i] * s * s / 2

    def loss(self, i: int, v: Any) -> Any:
        """Return the largest price of an s within the bounds: it is at a bound, at a kink, or where the slope is 0."""
        r, places = self.ridge[i], [mp.mpf(0), self.lower[i], self.upper[i]]
        slopes = [self.target[i] - v - self.width[i], self.target[i] - v + self.width[i]]
        if r:
            places += [min(max(slope / r, self.lower[i]), self.upper[i]) for slope in slopes]
        else:
            tiny = _SLACK * (abs(v) + abs(self.target[i]))
            if (mp.isinf(self.upper[i]) and slopes[0] > tiny) or (mp.isinf(self.lower[i]) and slopes[1] < -tiny):
                return mp.inf
        return max(self.price(i, v, s) for s in places if not mp.isinf(s))

    def rise(self, i: int, v: Any, h: Any) -> Any:
        """Return how much the loss grows from v to v + h; where it is infinite, it grows away from the target."""
        loss = self.loss(i, v)
        return h * (v - self.target[i]) * mp.inf / abs(h) if mp.isinf(loss) else self.loss(i, v + h) - loss


def _of_machine(said: Any, answer: Any, claim: Any) -> list[str]:
    machine = _Machine(said)
    m, K = len(machine.samples), machine.K
    b, w = _numbers(answer["beta"], m), _numbers(answer["free"], len(machine.rows))
    found = [f"beta[{i}] is out of bounds" for i in range(m) if not machine.lower[i] <= b[i] <= machine.upper[i]]
    found += [] if claim["kind"] == "interval" else ["no such claim is known"]
    signs = {"=": 0, "<=": 1, ">=": -1}
    for k, (row, total, sense) in enumerate(machine.rows):
        terms = [r * x for r, x in zip(row, b, strict=True)]
        over, size = mp.fsum(terms) - total, mp.fsum(map(abs, [*terms, total]))
        if not (_below(signs[sense] * over, 0, size) if signs[sense] else _below(abs(over), 0, size)):
            found.append(f"balance {k} is violated")
        if signs[sense] * w[k] < 0:
            found.append(f"free variable {k} has the wrong sign")
    f = [mp.fsum(K[i, j] * b[j] for j in range(m)) for i in range(m)]
    sizes = [mp.fsum(abs(K[i, j] * b[j]) for j in range(m)) for i in range(m)]
    square, size = mp.fdot(b, f), mp.fsum(abs(x) * s for x, s in zip(b, sizes, strict=True))
    terms = [machine.price(i, 0, b[i]) for i in range(m)]
    dual, dual_size = mp.fsum(terms) - square / 2, mp.fsum(map(abs, terms)) + size
    move = [mp.fsum(row[i] * x for (row, _, _), x in zip(machine.rows, w, strict=True)) for i in range(m)]
    losses = [machine.loss(i, f[i] + move[i]) for i in range(m)]
    costs = [total * x for (_, total, _), x in zip(machine.rows, w, strict=True)]
    primal, primal_size = square / 2 + mp.fsum(losses) + mp.fsum(costs), mp.fsum(map(abs, [*losses, *costs])) + size
    if machine.said["name"] == "matrix" and (short := -min(mp.eigsy(K, eigvals_only=True))) > _SLACK * mp.norm(K, 1):
        ways = [max(high - x, x - low) ** 2 for low, x, high in zip(machine.lower, b, machine.upper, strict=True)]
        primal += short / 2 * mp.fsum(ways)
    found += [] if _below(number(claim["lower"]), dual, dual_size) else [f"lower > {mp.nstr(dual, 20)}"]
    found += [] if _below(primal, number(claim["upper"]), primal_size) else [f"upper < {mp.nstr(primal, 20)}"]
    if "predictions" in claim and not found:
        found += _of_predictions(machine, b, f, primal - dual, claim["predictions"])
    return found


def _of_predictions(machine: _Machine, b: list[Any], f: list[Any], gap: Any, said: Any) -> Iterator[str]:
    """Yield the intervals that do not hold all values in the ball around f, and ends of b where P may be least."""

    def radius(x: Any) -> Any:
        return mp.sqrt(kernel_value(machine.said, x, x) * max(gap, 0))

    low, high = map(number, said["offset"])
    h, far = mp.mpf(10) ** -20, [radius(x) for x in machine.samples]
    for end, sign in ((high, 1), (low, -1)) if machine.rows else ():
        places = [v - sign * r + end for v, r in zip(f, far, strict=True)]
        rise = sum(machine.rise(i, v, sign * h) for i, v in enumerate(places))
        if not rise / h + sign * machine.rows[0][1] > -(mp.mpf(10) ** -15):
            yield f"the offset may be beyond {mp.nstr(end, 20)}"
    if not machine.rows and (low or high):
        yield "there is no offset"
    for x, lower, upper in zip(
        said["points"],
        _numbers(said["lower"], len(said["points"])),
        _numbers(said["upper"], len(said["points"])),
        strict=True,
    ):
        values = [kernel_value(machine.said, x, z) * c for z, c in zip(machine.samples, b, strict=True)]
        size, away = mp.fsum(map(abs, values)) + abs(low) + abs(high), radius(x)
        if not _below(lower, mp.fsum(values) - away + low, size) or not _below(
            mp.fsum(values) + away + high, upper, size
        ):
            yield f"a prediction may be beyond {mp.nstr(lower, 20)} and {mp.nstr(upper, 20)}"


def _of_program(said: Any, answer: Any, claim: Any) -> list[str]:
    n, m, solvable = said["variables"], said["constraints"], claim["kind"] == "interval"
    P, A = mp.matrix(max(n, 1), max(n, 1)), mp.matrix(max(m, 1), max(n, 1))
    for M, key in ((P, "P"), (A, "A")):
        for i, j, value in said[key]:
            M[i, j] = number(value)
    found = [] if P == P.T else ["P is not symmetric"]
    q, h, lower, upper = (_numbers(said[key], n if key != "h" else m) for key in ("q", "h", "lower", "upper"))
    offset = number(said["offset"])
    if not solvable:
        P, q, offset = 0 * P, [mp.mpf(0)] * n, mp.mpf(0)
        found += [] if claim["kind"] == "infeasible" else ["no such claim is known"]
    y, z = _numbers(answer["y"], n), _numbers(answer["z"], m)
    found += _outside(z, [mp.fsum(map(abs, z))] * m, said["cones"], "z", dual=True)
    Py = [mp.fsum(P[i, j] * y[j] for j in range(n)) for i in range(n)]
    terms = [-x * v / 2 for x, v in zip(Py, y, strict=True)] + [-a * b for a, b in zip(h, z, strict=True)] + [offset]
    for j in range(n):
        slopes = [Py[j], q[j], *(A[i, j] * z[i] for i in range(m))]
        g = mp.fsum(slopes)
        if abs(g) > _SLACK * mp.fsum(map(abs, slopes)):
            terms.append(min(g * lower[j], g * upper[j]))
    curved = [j for j in range(n) if any(P[i, j] for i in range(n))]
    if curved and (short := -min(mp.eigsy(P, eigvals_only=True))) > _SLACK * mp.norm(P, 1):
        terms += [-short / 2 * max(abs(lower[j] - y[j]), abs(upper[j] - y[j])) ** 2 for j in curved]
    dual, size = mp.fsum(terms), mp.fsum(map(abs, terms))
    if not solvable:
        found += [] if dual > -_SLACK * size else ["a point may satisfy all constraints"]
        used = {i for i, v in enumerate(z) if v}
        if "irreducible" in claim and {i for i, _ in claim["irreducible"]} != used:
            found.append("other rows are called irreducible")
        for i, point in claim.get("irreducible", []):
            found += _infeasible(_numbers(point, n), A, h, lower, upper, said["cones"], used - {i})
        return found
    x = _numbers(answer["x"], n)
    found += _infeasible(x, A, h, lower, upper, said["cones"], range(m))
    terms = [P[i, j] * x[i] * x[j] / 2 for i in range(n) for j in range(n)]
    terms += [*(a * b for a, b in zip(q, x, strict=True)), offset]
    found += [] if _below(number(claim["lower"]), dual, size) else [f"lower > {mp.nstr(dual, 20)}"]
    primal, size = mp.fsum(terms), mp.fsum(map(abs, terms))
    return found + ([] if _below(primal, number(claim["upper"]), size) else [f"upper < {mp.nstr(primal, 20)}"])


def _infeasible(x: Any, A: Any, h: Any, lower: Any, upper: Any, cones: Any, rows: Any) -> list[str]:
    good = all(low <= v <= high for low, v, high in zip(lower, x, upper, strict=True))
    terms = [[h[i], *(-A[i, j] * v for j, v in enumerate(x))] if i in rows else [mp.mpf(0)] for i in range(len(h))]
    outside = _outside([mp.fsum(row) for row in terms], [mp.fsum(map(abs, row)) for row in terms], cones, "a point")
    return outside if good else [*outside, "a point is out of bounds"]


def _outside(s: list[Any], sizes: list[Any], cones: Any, name: str, dual: bool = False) -> list[str]:
    found, begin = [], 0
    for kind, size in cones:
        part, tiny = s[begin : begin + size], _SLACK * mp.fsum(sizes[begin : begin + size])
        begin += size
        if kind == "zero":
            good = dual or all(abs(v) <= tiny for v in part)
        elif kind == "nonnegative":
            good = all(v >= -tiny for v in part)
        else:
            good = not part or part[0] + tiny >= mp.sqrt(mp.fsum(v * v for v in part[1:]))
        found += [] if good else [f"{name} is outside of a {kind} cone"]
    return found + ([] if begin == len(s) else ["the cones do not cover the rows"])
