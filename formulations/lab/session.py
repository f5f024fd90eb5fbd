# SPDX-License-Identifier: BSD-3-Clause
"""One page: its settings come, its frames go; and what is loaded and compiled before the first of them.

The first frame of a problem comes after a moment, whether that was enough or not: it shows the best point so far with
the gap that is proved of it. Each frame after it has twice as much time, from that point on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formulations.lab.answers import Answers
from formulations.lab.background import Background, Recorder
from formulations.lab.drawing import Frame, draw
from formulations.lab.settings import LabTask, Setting, read_setting
from formulations.lab.views import VIEWS, Scene

__all__ = ["Session", "begin_to_warm_up", "notice", "warm_up"]

FIRST = 0.25
"""Seconds of a solve before its first frame."""

LONGEST = 2.0
"""Seconds of a solve between two frames, at most: as long may a newer setting wait."""

PATIENCE = 0.2
"""Seconds that a frame waits for what an algorithm did; the frame of a longer recording shows the answer meanwhile."""

ENOUGH = 60.0
"""Seconds after which a problem is left unproved."""


class Session:
    """The answers of one page; it is used by one thread at a time.

    Parameters
    ----------
    tol
        Above 0 and below 1: the relative gap that an optimum is proved to.
    first
        Seconds of a solve before its first frame, above 0; None: every frame is finished, answer and view.
    """

    def __init__(self, tol: float = 1e-6, first: float | None = None) -> None:
        self._answers = Answers(tol)
        self._scene: Scene | None = None
        self._first = first
        self._recorder = None if first is None else Recorder(PATIENCE)
        self._seconds = self._spent = first or 0.0

    @property
    def is_unfinished(self) -> bool:
        """Whether :meth:`improve` may bring the answer shown last nearer to the optimum."""
        return self._scene is not None and self._scene.answer.is_unfinished and self._spent < ENOUGH

    def frame(self, setting: Setting) -> Frame:
        """Solve a setting, for a moment at most, and draw its answer."""
        frame = draw(self.scene(setting), setting)
        return replace(frame, facts={**frame.facts, "unfinished": self.is_unfinished})

    def improve(self, setting: Setting) -> Frame:
        """Go on from the answer to this setting, for longer than before, and draw what came of it."""
        self._seconds = min(2.0 * self._seconds, LONGEST)
        self._spent += self._seconds
        self._scene = Scene(self._answers.improve(self._seconds), self._recorder)
        return self.frame(setting)

    def scene(self, setting: Setting) -> Scene:
        """Return the answer to a setting with what its views have worked out."""
        if self._scene is None or not self._scene.answer.setting.same_problem(setting):
            self._scene = None
            self._seconds = self._spent = self._first or 0.0
            self._scene = Scene(self._answers.answer(setting, self._first), self._recorder)
        return self._scene


_POINTS = 300
"""As many as make every part of a solve do something."""

_USUALLY = 2.0
"""Seconds in which all is loaded that was compiled before."""

_NOTICE = (
    "The solvers are being made ready. At the first start on this computer they are compiled, which takes about 20 to "
    "40 seconds, once."
)

_USUAL = {"soft-margin": LabTask.CLASSIFICATION, "soft-tube": LabTask.REGRESSION}


def begin_to_warm_up() -> None:
    """Warm up in a thread that ends with the process, and wait for it as long as it usually takes.

    A module that is loaded later would hold up the page that comes up meanwhile. Compiling takes longer, and happens
    once.
    """
    _WARMING.is_done(_USUALLY)


def notice() -> str | None:
    """Return what a page is told that comes while this is under way; None where it is not."""
    return _NOTICE if _WARMING.is_under_way else None


def warm_up() -> None:
    """Answer the usual machines for some points, and again with one of them moved."""
    random = np.random.default_rng(0)
    for name, task in _USUAL.items():
        session, points = Session(), random.normal(size=(_POINTS, 2))
        labels = np.where(np.arange(_POINTS) % 2, 1.0, -1.0)[:, None]
        for _ in range(2):
            points[0] += 0.1
            shown = np.hstack([points, labels]) if task is LabTask.CLASSIFICATION else points
            session.frame(read_setting({"machine": {"name": name}, "points": shown.tolist()}, VIEWS)).encode()


_WARMING = Background(warm_up)
