# SPDX-License-Identifier: BSD-3-Clause
"""The state of one page, whatever carries its messages, and the menu that it is made of.

A page says a setting, a change of some points, or a question::

    {"seq": 7, "setting": {...}}            all of it; formulations.lab.settings says of what
    {"seq": 8, "points": [[3, 0.5, -1.2, 1]]}   the number of a point, and what it is now
    {"seq": 9, "ask": "explain", "sample": 3}
    {"seq": 10, "ask": "npz"}               a file: python, npz or proof; formulations.lab.exports says what is in it

An answer has the number of its question, and what was asked or why it is refused. A file comes as text, or as bytes.
Before the first frame there may be a sentence on why that takes long::

    {"seq": 9, "answer": "sample 3: ..."}
    {"seq": 10, "answer": {"file": "SoftMarginPrimal.npz", "base64": "UEsDB..."}}
    {"seq": 11, "refused": "..."}
    {"notice": "..."}

A message that says nothing of the kind is refused in words, and nothing else comes of it.

A setting that came while another is solved replaces what waits: no queue of settings is ever longer than one. Questions
wait their turn. While nothing waits, an answer that is not proved yet is improved, and a frame with the same ``seq``
follows each time.
"""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from threading import Lock
from typing import Any

from formulations.lab.answers import LabAnswer
from formulations.lab.drawing import Frame
from formulations.lab.exports import EXPORTS
from formulations.lab.presets import PRESETS
from formulations.lab.session import FIRST, Session
from formulations.lab.settings import (
    IN_BROWSER,
    KERNELS,
    MACHINES,
    MOST_IN_BROWSER,
    MOST_POINTS,
    LabTask,
    MenuChoice,
    Setting,
    quoted,
    read_points,
    read_setting,
)
from formulations.lab.views import VIEWS
from formulations.modelling.solution import Solution
from qpkernels.arrays import is_integer
from qpkernels.display.maths import to_text
from qpkernels.errors import ParameterError, QPKernelsError
from qpkernels.kernels import RBF

__all__ = ["Ask", "Desk", "Show", "menu", "read_message", "setting_of_two"]


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


def read_message(text: str, present: Setting | None) -> Show | Ask:
    """Return what a message says; changes of points are those of the ``present`` setting."""
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
        case {"ask": str(what), "seq": _, **rest} if rest.keys() <= {"sample"}:
            return Ask(seq, what, _sample(rest.get("sample")))
    raise ParameterError("a message must have a setting, points, or ask, and nothing else.")


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _sample(entry: Any) -> int | None:
    if entry is not None and not (is_integer(entry) and 0 <= entry < MOST_POINTS):
        raise ParameterError(f"the sample of a question must be the number of a point, but {quoted(entry)} came.")
    return entry


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
    """Return machines, kernels, views, presets, files, limits, and the setting that a page starts with."""
    machines = [
        {
            **_choice(each),
            "task": each.task,
            "labels": each.takes_labels,
            "most_points": each.most_points,
            "refusals": _refusals(each.name),
        }
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
        "files": list(EXPORTS),
        "most_points": MOST_POINTS,
        "in_browser": sorted(IN_BROWSER),
        "most_in_browser": MOST_IN_BROWSER,
        "site": _site(),
        "start": None if start is None else start.stated(),
    }


def setting_of_two(name: str) -> Setting:
    """Return a setting of a machine on two points, for what is true of it whatever the points."""
    points = [[0, 0, 1], [1, 1, -1]] if MACHINES[name].task is LabTask.CLASSIFICATION else [[0, 0], [1, 1]]
    return read_setting({"machine": {"name": name}, "points": points}, VIEWS)


@cache
def _refusals(name: str) -> Mapping[str, str]:
    """Return the views that show nothing of a machine, with the reason."""
    model = setting_of_two(name).state()
    listed = {each.name: each.refusal(MACHINES[name], model) for each in VIEWS.values()}
    return {view: words for view, words in listed.items() if words is not None}


def _site() -> str | None:
    """Return the address of the lab of the site, which needs no server; None where the package does not tell."""
    try:
        listed = metadata("qpkernels").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    pages = dict(each.split(", ", 1) for each in listed)
    return f"{pages['Documentation']}lab/index.html" if "Documentation" in pages else None


def _choice(choice: MenuChoice) -> dict[str, Any]:
    sliders = [asdict(each) for each in choice.sliders]
    return {"name": choice.name, "others": choice.others, "title": choice.title, "sliders": sliders}


_MOST_QUESTIONS = 16
"""Questions that wait; of more, the oldest are dropped."""

_log = logging.getLogger(__name__)


class Desk:
    """Takes the messages of one page in one thread, and solves what they ask for in another.

    At first the page shows ``start``, where that is known.
    """

    def __init__(self, start: Setting | None = None) -> None:
        self._session = Session(first=FIRST)
        self._newest = None if start is None else Show(0, start)
        self._waiting: Show | None = None
        self._questions: deque[Ask] = deque(maxlen=_MOST_QUESTIONS)
        self._changing, self._solving = Lock(), Lock()

    @property
    def setting(self) -> Setting | None:
        """The newest setting."""
        newest = self._newest
        return None if newest is None else newest.setting

    def put(self, setting: Setting) -> None:
        """Let a setting that no message brought be the newest."""
        with self._changing:
            self._newest = Show(0, setting)

    def answer(self, setting: Setting) -> LabAnswer:
        """Return the answer to a setting: the one that is shown, where it is the newest."""
        with self._solving:
            return self._session.scene(setting).answer

    def take(self, text: str | None) -> str | None:
        """Take a message, and return the one that refuses it; None where it is understood."""
        try:
            self._take(text)
        except QPKernelsError as error:
            return json.dumps({"refused": str(error)})
        except Exception as error:
            return json.dumps({"refused": _fault("reading a message", error)})
        return None

    def reply(self) -> bytes | str | None:
        """Show the newest setting, else answer a question, else improve what is shown: a message; None if all is done.

        A frame is bytes, and an answer text.
        """
        with self._changing:
            show, self._waiting = self._waiting, None
            ask = self._questions.popleft() if show is None and self._questions else None
            newest = self._newest
        with self._solving:
            if show is not None:
                return self._drawn(show, self._session.frame)
            if newest is not None and ask is not None:
                return self._said(ask, newest.setting)
            if newest is not None and self._session.is_unfinished:
                return self._drawn(newest, self._session.improve)
        return None

    def _take(self, text: str | None) -> None:
        if text is None:
            raise ParameterError("a message must be text, but bytes came.")
        message = read_message(text, self.setting)
        with self._changing:
            if isinstance(message, Show):
                self._newest = self._waiting = message
            elif self._newest is None:
                raise ParameterError("a question came before there was a setting; send one first.")
            else:
                self._questions.append(message)

    def _drawn(self, show: Show, frame_of: Callable[[Setting], Frame]) -> bytes:
        """Return the frame of a setting as it is sent; where the lab itself fails, one that says so."""
        try:
            return _numbered(frame_of(show.setting), show.seq)
        except Exception as error:
            # What the session has kept may be half of something.
            self._session = Session(first=FIRST)
            return _numbered(Frame({"error": _fault("showing this setting", error), "unfinished": False}), show.seq)

    def _said(self, ask: Ask, setting: Setting) -> str:
        """Return the message that answers a question, or says why there is no answer."""
        try:
            said: Any = {"answer": self._answer_to(ask, setting)}
        except QPKernelsError as error:
            said = {"refused": str(error)}
        except Exception as error:
            said = {"refused": _fault("answering a question", error)}
        return json.dumps({"seq": ask.seq, **said})

    def _answer_to(self, ask: Ask, setting: Setting) -> str | Mapping[str, Any]:
        if ask.what in EXPORTS:
            return EXPORTS[ask.what](setting).message()
        if ask.what == "explain":
            solution = self._session.scene(setting).answer.solution
            if not isinstance(solution, Solution) or ask.sample is None:
                raise ParameterError("there is no sample to explain.")
            return to_text(solution.explain(ask.sample))
        raise ParameterError(f"a page asks explain, {', '.join(EXPORTS)}, but {ask.what!r} came.")


def _numbered(frame: Frame, seq: int) -> bytes:
    return replace(frame, facts={**frame.facts, "seq": seq}).encode()


def _fault(what: str, error: Exception) -> str:
    """Log an exception that is a fault of the program, and return what the page says of it."""
    _log.error("the lab failed at %s", what, exc_info=error)
    return (
        f"The lab failed at {what}, which is a fault of the program: {type(error).__name__}: {error}. The log "
        "shows where. Change the setting to go on."
    )
