# SPDX-License-Identifier: BSD-3-Clause
"""What a view is given, and what it returns; the view of the machine alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from numpy.typing import NDArray

from formulations.lab.answers import LabAnswer
from formulations.lab.background import Recorder
from formulations.lab.settings import Setting
from qpkernels.gram.functions import Expansion

__all__ = ["PICTURE", "Drawn", "Scene", "ViewKind", "still"]

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a view adds to a frame.

    Attributes
    ----------
    facts, arrays
        Of the diagram.
    function
        What the picture shows in place of the answer: an iterate, for example.
    multipliers, roles
        Of the points, in place of those of the answer, shape (m,).
    has_margin
        Whether the function shown has the margin of the machine.
    """

    facts: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    function: Expansion | None = None
    multipliers: NDArray[Any] | None = None
    roles: NDArray[Any] | None = None
    has_margin: bool = True


class Scene:
    """An answer, and what views have worked out of it: a step of an algorithm does not run it again.

    Recordings are made by the recorder, and their view is pending meanwhile; without one at once.
    """

    def __init__(self, answer: LabAnswer, recorder: Recorder | None = None) -> None:
        self.answer = answer
        self._recorder = recorder
        self._kept: dict[str, Any] = {}
        self._recordings: dict[str, Future[Any]] = {}

    def once(self, name: str, make: Callable[[LabAnswer], Made]) -> Made:
        """Return what ``make`` makes of the answer, made once for each name."""
        if name not in self._kept:
            self._kept[name] = make(self.answer)
        made: Made = self._kept[name]
        return made

    def recorded(self, name: str, record: Callable[[Setting], Made]) -> Made | None:
        """Return what ``record`` records of the setting, once for each name; None while that is under way.

        It runs in another thread than the answers, and so must have a model of its own.
        """
        setting = self.answer.setting
        if self._recorder is None:
            return self.once(name, lambda _: record(setting))
        recording = self._recordings.get(name)
        if recording is None or recording.cancelled():
            recording = self._recordings[name] = self._recorder.begin(lambda: record(setting))
        return recording.result() if recording.done() else None


@dataclass(frozen=True)
class ViewKind:
    """A view: its name, its title, and what it draws of a scene at a step."""

    name: str
    title: str
    draw: Callable[[Scene, int], Drawn]


def still(name: str, title: str, draw: Callable[[LabAnswer], Drawn]) -> ViewKind:
    """Return a view without steps, drawn once for each answer."""
    return ViewKind(name, title, lambda scene, _: scene.once(name, draw))


PICTURE = ViewKind("picture", "Picture", lambda *_: Drawn())
