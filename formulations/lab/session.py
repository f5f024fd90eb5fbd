# SPDX-License-Identifier: BSD-3-Clause
"""One page: its settings come, its frames go.

The first frame of a problem comes after a moment, whether that was enough or not: it shows the best point so far with
the gap that is proved of it. Each frame after it has twice as much time, from that point on.
"""

from __future__ import annotations

from dataclasses import replace

from formulations.lab.answers import Answers
from formulations.lab.background import Recorder
from formulations.lab.drawing import Frame, draw
from formulations.lab.settings import Setting
from formulations.lab.views import Scene

__all__ = ["Session"]

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
