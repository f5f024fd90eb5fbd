# SPDX-License-Identifier: BSD-3-Clause
"""What a page says, which is a setting, a change of some points, or a question; and the menu that it is made of.

::

    {"seq": 7, "setting": {...}}            all of it; formulations.lab.settings.setting says of what
    {"seq": 8, "points": [[3, 0.5, -1.2, 1]]}   the number of a point, and what it is now
    {"seq": 9, "ask": "explain", "sample": 3}
    {"seq": 9, "ask": "check", "challenge": "degree-two"}
    {"seq": 10, "ask": "npz"}               a file: python, csv or npz; formulations.lab.exports says what is in it

An answer has the number of its question, and what was asked or why it is refused. A file comes as text, or as bytes::

    {"seq": 9, "answer": "sample 3: ..."}
    {"seq": 9, "answer": {"solved": false, "words": "..."}}
    {"seq": 10, "answer": {"file": "SoftMarginPrimal.npz", "base64": "UEsDB..."}}
    {"seq": 11, "refused": "..."}

Before the first frame there may be a sentence on why that takes long::

    {"notice": "..."}

A message that says nothing of the kind is refused in words, and nothing else comes of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from formulations.lab.challenges import CHALLENGES, Challenge
from formulations.lab.settings import KERNELS, MACHINES, MOST_POINTS, Setting, read_setting
from formulations.lab.settings.choices import MenuChoice, quoted
from formulations.lab.settings.presets import PRESETS
from formulations.lab.settings.setting import read_points
from formulations.lab.views import VIEWS
from qpkernels.arrays import is_integer
from qpkernels.errors import ParameterError
from qpkernels.kernels import RBF

__all__ = ["Ask", "Show", "menu", "read_message"]


@dataclass(frozen=True)
class Show:
    """Show this setting."""

    seq: int
    setting: Setting


@dataclass(frozen=True)
class Ask:
    """Answer a question about the present setting."""

    seq: int
    what: str
    sample: int | None = None
    challenge: Challenge | None = None


def read_message(text: str, present: Setting | None) -> Show | Ask:
    """Return what a message says.

    Parameters
    ----------
    present
        The setting that the page showed last, which changes of points refer to.

    Raises
    ------
    QPKernelsError
        If it says nothing of the kind.
    """
    try:
        message = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise ParameterError("a message must be JSON, which this is not.") from None
    if not isinstance(message, dict):
        raise ParameterError(f"a message must be an object, but {quoted(message)} came.")
    seq = message.get("seq")
    if not is_integer(seq) or not 0 <= seq < 2**53:
        raise ParameterError(f"a message must have a number seq, but {quoted(seq)} came.")
    match message:
        case {"setting": setting, "seq": _, **rest} if not rest:
            return Show(seq, read_setting(setting, VIEWS))
        case {"points": changes, "seq": _, **rest} if not rest:
            return Show(seq, _changed(present, changes))
        case {"ask": str(what), "seq": _, **rest} if rest.keys() <= {"sample", "challenge"}:
            return Ask(seq, what, _sample(rest.get("sample")), _challenge(rest.get("challenge")))
    raise ParameterError("a message must have a setting, points, or ask, and nothing else.")


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _sample(entry: Any) -> int | None:
    if entry is not None and not (is_integer(entry) and 0 <= entry < MOST_POINTS):
        raise ParameterError(f"the sample of a question must be the number of a point, but {quoted(entry)} came.")
    return entry


def _challenge(entry: Any) -> Challenge | None:
    if entry is None:
        return None
    if not isinstance(entry, str) or entry not in CHALLENGES:
        raise ParameterError(f"a challenge is one of {', '.join(CHALLENGES)}, but {quoted(entry)} came.")
    return CHALLENGES[entry]


def _changed(present: Setting | None, changes: Any) -> Setting:
    """Return the setting with some points changed."""
    if present is None:
        raise ParameterError("points were changed before there was a setting; send one first.")
    if not isinstance(changes, list) or not all(isinstance(change, list) and change for change in changes):
        raise ParameterError(f"points must be a list of [number, ...], but {quoted(changes)} came.")
    points = present.points.copy()
    numbers = [change[0] for change in changes]
    for number in numbers:
        if not is_integer(number) or not 0 <= number < len(points):
            raise ParameterError(f"there are points 0 to {len(points) - 1}, but {quoted(number)} came.")
    points[numbers] = read_points([change[1:] for change in changes], present.task)
    points.flags.writeable = False
    return replace(present, points=points)


def menu(start: Setting | None = None) -> Mapping[str, Any]:
    """Return machines, kernels, views, presets, challenges and limits, and the setting that a page starts with."""
    machines = [
        {**_choice(each), "task": each.task, "labels": each.takes_labels, "most_points": each.most_points}
        for each in MACHINES.values()
    ]
    return {
        "machines": machines,
        "kernels": [_choice(each) for each in KERNELS.values()],
        "parametrisations": dict(RBF.widths),
        "views": [{"name": each.name, "title": each.title} for each in VIEWS.values()],
        "presets": [
            {"name": each.name, "title": each.title, "setting": each.setting.stated()} for each in PRESETS.values()
        ],
        "challenges": [
            {"name": each.name, "title": each.title, "words": each.words, "setting": each.start.stated()}
            for each in CHALLENGES.values()
        ],
        "most_points": MOST_POINTS,
        "start": None if start is None else start.stated(),
    }


def _choice(choice: MenuChoice) -> dict[str, Any]:
    sliders = [asdict(each) for each in choice.sliders]
    return {"name": choice.name, "others": choice.others, "title": choice.title, "sliders": sliders}
