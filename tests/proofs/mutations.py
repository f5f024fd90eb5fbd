# SPDX-License-Identifier: BSD-3-Clause
"""Changes of valid proofs, such as accidents and attackers make: each is drawn with a seed, and has a name."""

from __future__ import annotations

import copy
import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofs.documents import TABLE, digest, documents, tables

__all__ = ["Changed", "changed"]

_NUMBER = re.compile(r"-?(0x[01](\.[0-9a-f]+)?p[+-]?\d+|[0-9a-f]+/[0-9a-f]+)")

_STRANGE = (
    "0x1p+1023", "0x1.8p-1074", "-0x1p+1099", "0x1p+9999", "0x1.fffffffffffffp-1022", "-0x0p+0", "0x0p+0", "1/0", "0/0",
    "-0/1", "0/1", "1/-2", "1/3", "-5/7", "f" * 3000 + "/1", "1/" + "f" * 3000, "f" * 60000 + "/1", "1/" + "f" * 70000,
    "inf", "-inf", "nan", "Infinity", "", " ", "1", "0.5", "1e5", "1_0/1", "0x1P+1", "0X1p+1", "+1/2",
    "\u0661/1", "\ud800",
)  # fmt: skip
"""Texts in place of a number."""

_LITERALS = (
    "NaN", "Infinity", "-Infinity", "true", "false", "null", "1.5", "1e999", "-0.0", "0", "1", "-3", "9999999",
    "9" * 5000, "{}", "[]", '""', '"x"', '[["0/1"]]', '{"a":1,"a":2}', '{"0/1":"0/1"}', "[" * 5 + "]" * 5,
    "[" * 900 + "]" * 900, "[" * 100_000 + "]" * 100_000, '{"a":' * 50_000 + "1" + "}" * 50_000,
)  # fmt: skip
"""JSON in place of a value."""

_HERE = "\ue000"
"""Where a literal comes."""


@dataclass
class Changed:
    """A changed file: what was done, its text, whether it is compressed, and the tables of samples beside it."""

    seed: int
    words: list[str] = field(default_factory=list)
    raw: bytes = b""
    file: bytes = b""
    beside: dict[str, bytes] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write the file and its tables, and return its path."""
        for name, content in self.beside.items():
            folder.joinpath(name).write_bytes(content)
        path = folder / f"{self.seed}.proof"
        path.write_bytes(self.file)
        return path


class _Slot:
    """A place in a document."""

    def __init__(self, parent: Any, key: Any) -> None:
        self.parent, self.key = parent, key

    @property
    def value(self) -> Any:
        return self.parent[self.key]

    @value.setter
    def value(self, value: Any) -> None:
        self.parent[self.key] = value


def _slots(node: Any) -> Iterator[_Slot]:
    for key in list(node) if isinstance(node, dict) else range(len(node)):
        yield _Slot(node, key)
        if isinstance(node[key], dict | list):
            yield from _slots(node[key])


def _some(part: Any, draw: random.Random, kind: Callable[[Any], bool] = bool) -> _Slot | None:
    """Return a place in the statement, the answer or the claim, each of which is as likely as the others."""
    whole = [part[name] for name in ("statement", "answer", "claim") if isinstance(part.get(name), dict | list)]
    found = [slot for slot in _slots(draw.choice(whole)) if kind(slot.value)] if whole else []
    return draw.choice(found) if found else None


def _is_number(value: Any) -> bool:
    return isinstance(value, str) and _NUMBER.fullmatch(value) is not None


def _digit(part: Any, draw: random.Random) -> None:
    if slot := _some(part, draw, _is_number):
        places = [place for place, letter in enumerate(slot.value) if letter in "0123456789abcdef"]
        place = draw.choice(places)
        slot.value = slot.value[:place] + draw.choice("0123456789abcdef") + slot.value[place + 1 :]


def _sign(part: Any, draw: random.Random) -> None:
    if slot := _some(part, draw, _is_number):
        slot.value = slot.value[1:] if slot.value[0] == "-" else "-" + slot.value


def _strange(part: Any, draw: random.Random) -> None:
    if slot := _some(part, draw, _is_number):
        slot.value = draw.choice(_STRANGE)


def _literal(part: Any, draw: random.Random) -> None:
    if slot := _some(part, draw):
        slot.value = _HERE


def _swapped(part: Any, draw: random.Random) -> None:
    if slot := _some(part, draw, lambda value: isinstance(value, list) and len(value) > 1):
        i, j = draw.sample(range(len(slot.value)), 2)
        slot.value[i], slot.value[j] = slot.value[j], slot.value[i]


def _swapped_keys(part: Any, draw: random.Random) -> None:
    if slot := _some({"statement": {"": part}}, draw, lambda value: isinstance(value, dict) and len(value) > 1):
        a, b = draw.sample(sorted(slot.value), 2)
        slot.value[a], slot.value[b] = slot.value[b], slot.value[a]


def _dropped(part: Any, draw: random.Random) -> None:
    if slot := _some(part, draw):
        del slot.parent[slot.key]


def _dropped_constraint(part: Any, draw: random.Random) -> None:
    for name in ("balances", "cones", "A"):
        if isinstance(listed := part["statement"].get(name), list) and listed:
            del listed[draw.randrange(len(listed))]


def _repeated(part: Any, draw: random.Random) -> None:
    if slot := _some(part, draw, lambda value: isinstance(value, list) and len(value) > 0):
        slot.value.append(copy.deepcopy(draw.choice(slot.value)))


def _unknown_key(part: Any, draw: random.Random) -> None:
    if slot := _some({"statement": {"": part}}, draw, lambda value: isinstance(value, dict)):
        slot.value[draw.choice(["degree", "factor", "gamma", "irreducible", "predictions", "bundle", "x"])] = "1/1"


def _other_kernel(part: Any, draw: random.Random) -> None:
    kernel = part["statement"].get("kernel")
    if not isinstance(kernel, dict):
        return
    kernels = [kernel, *(slot.value for slot in _slots(kernel) if isinstance(slot.value, dict))]
    one = draw.choice(kernels)
    changes: Sequence[tuple[str, Any]] = [
        (
            "name",
            draw.choice(["rbf", "laplacian", "matern", "linear", "matrix", "sum", "power", "spectrum"]),
        ),
        ("gamma", draw.choice(["1/2", "0/1", "-1/2", ["1/2"], ["1/2", "2/1"]])),
        ("nu", draw.choice(["1/2", "3/2", "5/2", "7/2"])),
        ("degree", draw.choice([0, 1, 2, 3, 64, 65, -1, True])),
        ("value", draw.choice(["0/1", "3/1", "-1/1"])),
        ("p", draw.choice([-1, 0, 1, 2, 3, 100, True])),
    ]
    known = [change for change in changes if change[0] in one]
    key, value = draw.choice(known)
    one[key] = value


def _other_end(part: Any, draw: random.Random) -> None:
    """Move an end of the claim by some units in the last place, outwards as often as inwards."""
    claim = part["claim"]
    ends = [(claim, key) for key in ("lower", "upper") if key in claim]
    if "predictions" in claim:
        told = claim["predictions"]
        ends += [(told[key], i) for key in ("lower", "upper", "offset") for i in range(len(told[key]))]
    if ends:
        place, key = draw.choice(ends)
        value = float.fromhex(place[key])
        place[key] = (value + draw.choice([-1, 1]) * abs(value) * 2.0 ** draw.randint(-53, 2)).hex()


def _other_answer(part: Any, draw: random.Random) -> None:
    """Move the answer a little, so that it stays feasible more often than not."""
    name = draw.choice([key for key in ("beta", "free", "x", "y", "z") if key in part["answer"]])
    if isinstance(given := part["answer"][name], list) and given:
        step = 2.0 ** draw.randint(-60, 0)
        chosen = draw.sample(range(len(given)), min(len(given), 2))
        for i, sign in zip(chosen, (1, -1), strict=False):
            if given[i].startswith(("0x", "-0x")):
                given[i] = (float.fromhex(given[i]) + sign * step).hex()


def _other_claim(part: Any, draw: random.Random) -> None:
    part["claim"]["kind"] = draw.choice(["interval", "infeasible", "unbounded", "irreducible"])


def _other_sense(part: Any, draw: random.Random) -> None:
    for balance in part["statement"].get("balances") or []:
        balance["sense"] = draw.choice(["=", "<=", ">=", "==", "<", ""])
    for cone in part["statement"].get("cones") or []:
        cone[0] = draw.choice(["zero", "nonnegative", "second-order", "exponential"])


def _other_cones(part: Any, draw: random.Random) -> None:
    if cones := part["statement"].get("cones"):
        cone = draw.choice(cones)
        cone[1] += draw.choice([-1, 1])
        if draw.random() < 0.5:
            cones.append(["nonnegative", -1])


def _other_table(part: Any, draw: random.Random) -> None:
    if isinstance(part["statement"].get("samples"), dict):
        part["statement"]["samples"]["file"] = draw.choice(
            ["../" + TABLE, "/dev/zero", "", ".", "..", "none.csv", "\0", "x" * 300]
        )


_OF_DOCUMENTS = (
    _digit, _digit, _digit, _sign, _strange, _strange, _literal, _literal, _swapped, _swapped, _swapped_keys, _dropped,
    _dropped_constraint, _repeated, _unknown_key, _other_kernel, _other_end, _other_end, _other_answer, _other_claim,
    _other_sense, _other_cones, _other_table,
)  # fmt: skip


def _bit(raw: bytearray, draw: random.Random) -> None:
    raw[draw.randrange(len(raw))] ^= 1 << draw.randrange(8)


def _truncated(raw: bytearray, draw: random.Random) -> None:
    del raw[draw.randrange(len(raw)) :]


def _byte_inserted(raw: bytearray, draw: random.Random) -> None:
    raw.insert(draw.randrange(len(raw)), draw.randrange(256))


def _piece_lost(raw: bytearray, draw: random.Random) -> None:
    place = draw.randrange(len(raw))
    del raw[place : place + draw.randint(1, 40)]


def _doubled_key(raw: bytearray, draw: random.Random) -> None:
    found = list(re.finditer(rb'"[a-z]+":', raw))
    one = draw.choice(found)
    raw[one.start() : one.start()] = one[0] + draw.choice([b'"0/1",', b"{},", b"[],"])


def _continued(raw: bytearray, draw: random.Random) -> None:
    raw.extend(draw.choice([b"{}", b"\0", b"   \n", bytes(raw)]))


_OF_BYTES = (_bit, _bit, _truncated, _byte_inserted, _piece_lost, _doubled_key, _continued)


def changed(seed: int) -> Changed:
    """Return the changed file of a seed."""
    draw = random.Random(seed)
    document = copy.deepcopy(draw.choice(documents()))
    result = Changed(seed, beside=dict(tables()))
    part = draw.choice(document.get("bundle", [document]))
    before = digest(part["statement"])
    literal = draw.choice(_LITERALS)
    kinds = draw.choices(_OF_DOCUMENTS, k=draw.choice([0, 1, 1, 1, 1, 2]))
    for change in kinds:
        try:
            change(part, draw)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            continue  # An earlier change has taken away what this one is for.
        result.words.append(change.__name__)
    if isinstance(part.get("statement"), dict) and digest(part["statement"]) != before and draw.random() < 0.6:
        text = _filled(json.dumps(part["statement"]), literal)
        try:
            part["sha256"] = digest(json.loads(text))
            result.words.append("with the new digest")
        except (ValueError, RecursionError):
            pass  # The checker cannot read that either.
    raw = bytearray(_filled(json.dumps(document, separators=(",", ":")), literal).encode())
    if document in documents() or draw.random() < 0.1:
        change_bytes = draw.choice(_OF_BYTES)
        change_bytes(raw, draw)
        result.words.append(change_bytes.__name__)
    if TABLE.encode() in raw and draw.random() < 0.5:
        result.words.append("another table")
        table = bytearray(tables()[TABLE])
        draw.choice(_OF_BYTES[:5])(table, draw)
        result.beside[TABLE] = bytes(table)
    result.raw = result.file = bytes(raw)
    if draw.random() < 0.1:
        packed = bytearray(gzip.compress(result.raw, mtime=0))
        if draw.random() < 0.7:
            draw.choice(_OF_BYTES[:5])(packed, draw)
            result.words.append("gzip damaged")
        result.file = bytes(packed)
    return result


def _filled(text: str, literal: str) -> str:
    return text.replace(json.dumps(_HERE), literal)
