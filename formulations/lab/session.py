# SPDX-License-Identifier: BSD-3-Clause
"""One page: its settings come, its frames go."""

from __future__ import annotations

from formulations.lab.answers import Answers
from formulations.lab.frames import Frame
from formulations.lab.frames.drawing import draw
from formulations.lab.settings import Setting
from formulations.lab.views import Scene

__all__ = ["Session"]


class Session:
    """The answers of one page; it is used by one thread at a time."""

    def __init__(self, tol: float = 1e-6) -> None:
        self._answers = Answers(tol)
        self._scene: Scene | None = None

    def frame(self, setting: Setting) -> Frame:
        """Solve a setting, and draw its answer."""
        return draw(self.scene(setting), setting)

    def scene(self, setting: Setting) -> Scene:
        """Return the answer to a setting with what its views have worked out."""
        if self._scene is None or not self._scene.answer.setting.same_problem(setting):
            self._scene = Scene(self._answers.answer(setting))
        return self._scene
