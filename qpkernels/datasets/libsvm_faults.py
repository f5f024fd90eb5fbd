# SPDX-License-Identifier: BSD-3-Clause
"""A slow second reading of a LIBSVM file, to say where it is malformed."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from qpkernels.datasets.faults import Fault, quoted
from qpkernels.datasets.number_text import read_number

__all__ = ["Token", "first_fault", "largest_index"]

# White space as ``bytes.split`` understands it; a no-break space is part of a token.
_TOKEN = re.compile(r"\S+", re.ASCII)
_INDEX = re.compile(r"\+?0*(\d+)", re.ASCII)
# LIBSVM and scikit-learn both keep an index in a C int.
_LARGEST_INDEX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Token:
    """A run of characters without white space, and where it starts; line and column count from 1."""

    line: int
    column: int
    text: str

    def fault(self, expected: str, remedy: str) -> Fault:
        """Return the fault that this token stands where ``expected`` should."""
        return Fault(self.line, self.column, expected, quoted(self.text), remedy)


def first_fault(content: bytes) -> Fault | None:
    """Return the first malformed token of a LIBSVM file, or None if every token is well formed.

    A file without samples, or with labels only, is a fault at line 1, column 1.
    """
    any_sample = any_feature = False
    for tokens in _samples(content):
        fault = _label_fault(tokens[0]) or _features_fault(tokens[1:])
        if fault:
            return fault
        any_sample = True
        any_feature = any_feature or len(tokens) > 1
    if any_feature:
        return None
    return Fault(
        line=1,
        column=1,
        expected="samples written 'label index:value index:value'",
        came="labels without any feature" if any_sample else "a file without samples",
        remedy="check that this is the right file, and that it was written completely",
    )


def largest_index(content: bytes) -> Token:
    """Return the token with the largest index in a well-formed LIBSVM file that has at least one feature."""
    features = (token for tokens in _samples(content) for token in tokens[1:])
    return max(features, key=lambda token: int(token.text.partition(":")[0]))


def _samples(content: bytes) -> Iterator[list[Token]]:
    for number, raw in enumerate(content.split(b"\n"), start=1):
        # Comments may be in any encoding; outside them every valid character is ASCII.
        line = raw.decode("utf-8", errors="replace").partition("#")[0]
        tokens = [Token(number, match.start() + 1, match.group()) for match in _TOKEN.finditer(line)]
        if tokens:
            yield tokens


def _label_fault(label: Token) -> Fault | None:
    if ":" in label.text:
        return label.fault("the label first", "write the label in front of the features")
    if "," in label.text:
        return label.fault("one label", "keep a single label on each line; several are not supported")
    return _number_fault(label, label.text, "a label that is a number", "replace class names by numbers")


def _features_fault(features: list[Token]) -> Fault | None:
    previous = 0
    for feature in features:
        index_text, colon, value_text = feature.text.partition(":")
        if index_text == "qid":
            return feature.fault("index:value", "delete the qid fields; the groups of ranking data are not supported")
        if not colon:
            return feature.fault("index:value", "join the index and the value by a colon, without spaces")
        fault = _index_fault(feature, index_text, previous) or _number_fault(
            feature, value_text, "index:value with a value that is a number", "correct or delete the value"
        )
        if fault:
            return fault
        previous = int(index_text)
    return None


def _index_fault(feature: Token, index_text: str, previous: int) -> Fault | None:
    match = _INDEX.fullmatch(index_text)
    if match is None:
        return feature.fault("an index that is a whole number from 1", "correct the index")
    digits = match.group(1)
    # The length is looked at first: int() refuses thousands of digits.
    if len(digits) > len(str(_LARGEST_INDEX)) or int(digits) > _LARGEST_INDEX:
        return feature.fault(f"an index of at most {_LARGEST_INDEX}", "correct the index")
    if int(digits) == 0:
        return feature.fault("an index from 1", "add 1 to every index of a file that counts from 0")
    if int(digits) <= previous:
        return feature.fault(f"an index above {previous}", "sort the features of this line by index, each index once")
    return None


def _number_fault(token: Token, text: str, expected: str, remedy: str) -> Fault | None:
    number = read_number(text)
    if number is None:
        return token.fault(expected, remedy)
    if not math.isfinite(number):
        return token.fault("a finite number", "drop this sample, or replace the number")
    return None
