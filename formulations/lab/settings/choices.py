# SPDX-License-Identifier: BSD-3-Clause
"""What can be chosen by name, and the numbers that go with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from qpkernels.arrays import shown
from qpkernels.errors import ParameterError

__all__ = ["Chosen", "MenuChoice", "Slider", "quoted"]

_LONGEST = 80


def quoted(value: object) -> str:
    """Return what JSON said, shortened: null and true, not None and True."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        # Not of JSON, or an integer of so many digits that Python refuses to write it.
        return shown(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"


@dataclass(frozen=True)
class Slider:
    """A number with a range.

    Attributes
    ----------
    name, words
        Of the parameter, and what it does.
    low, high, default
        Its range, ends included, and where it stands at first.
    scale
        ``log`` and ``linear`` are moved by equal ratios and differences, ``integer`` from one to the next.
    """

    name: str
    words: str
    low: float
    high: float
    default: float
    scale: Literal["log", "linear", "integer"] = "log"

    def read(self, value: Any, owner: str) -> float:
        """Return a value within the range.

        Raises
        ------
        ParameterError
            If it is no such number.
        """
        # Compared as it came: an integer of many digits is no float.
        if type(value) not in (int, float) or not self.low <= value <= self.high or self._misses_integer(value):
            what = "an integer" if self.scale == "integer" else "a number"
            raise ParameterError(
                f"{self.name} of {owner} must be {what} from {self.low:g} to {self.high:g}, but {quoted(value)} came."
            )
        return float(value)

    def _misses_integer(self, value: float) -> bool:
        return self.scale == "integer" and value != int(value)


@dataclass(frozen=True)
class MenuChoice:
    """Something with a name, a title, and sliders."""

    name: str
    title: str
    sliders: tuple[Slider, ...] = ()
    others: tuple[str, ...] = field(default=(), kw_only=True)
    """Further names, of settings that were kept."""


Chooses = TypeVar("Chooses", bound=MenuChoice, covariant=True)


@dataclass(frozen=True)
class Chosen(Generic[Chooses]):
    """A choice with a value for each of its sliders, by name."""

    choice: Chooses
    values: Mapping[str, float]

    @classmethod
    def read(cls, entry: Any, choices: Mapping[str, Chooses], what: str) -> Chosen[Chooses]:
        """Return the choice that ``{"name": ..., "values": {...}}`` states; values left out are the defaults.

        Raises
        ------
        ParameterError
            If there is no such choice, or a value is none of its own or outside its range.
        """
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            raise ParameterError(f"a {what} must be an object with a name, but {quoted(entry)} came.")
        name = entry["name"]
        choice = choices.get(name) or next((each for each in choices.values() if name in each.others), None)
        if choice is None:
            raise ParameterError(f"a {what} is one of {', '.join(choices)}, but {quoted(entry['name'])} came.")
        given = entry.get("values", {})
        names = {slider.name for slider in choice.sliders}
        if not isinstance(given, dict) or not names >= given.keys():
            raise ParameterError(
                f"the values of {choice.name} are {', '.join(sorted(names)) or 'none'}, but {quoted(given)} came."
            )
        return cls(
            choice, {each.name: each.read(given.get(each.name, each.default), choice.name) for each in choice.sliders}
        )
