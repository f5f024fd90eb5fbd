# SPDX-License-Identifier: BSD-3-Clause
"""What one page has said and is to be told, whatever carries its messages.

A setting that came while another is solved replaces what waits: no queue of settings is ever longer than one. Questions
wait their turn. While nothing waits, an answer that is not proved yet is improved, and a frame with the same ``seq``
follows each time.
"""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from threading import Lock
from typing import Any

from formulations.lab.answers import LabAnswer
from formulations.lab.drawing import Frame
from formulations.lab.exports import EXPORTS
from formulations.lab.messages import Ask, Show, read_message
from formulations.lab.session import FIRST, Session
from formulations.lab.settings import Setting
from formulations.modelling.solution import Solution
from qpkernels.display.maths import to_text
from qpkernels.errors import ParameterError, QPKernelsError

__all__ = ["Desk"]


_MOST_QUESTIONS = 16
"""Questions that wait; of more, the oldest are dropped."""

_log = logging.getLogger(__name__)


class Desk:
    """Takes the messages of one page in one thread, and solves what they ask for in another.

    Parameters
    ----------
    start
        What the page shows at first, where that is known.
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
        if ask.what == "check":
            if ask.challenge is None:
                raise ParameterError("there is no challenge to check; name one.")
            # The answer is that to the problem; what is looked at besides is said by the setting alone.
            return asdict(ask.challenge.check(replace(self._session.scene(setting).answer, setting=setting)))
        raise ParameterError(f"a page asks explain, check, {', '.join(EXPORTS)}, but {ask.what!r} came.")


def _numbered(frame: Frame, seq: int) -> bytes:
    return replace(frame, facts={**frame.facts, "seq": seq}).encode()


def _fault(what: str, error: Exception) -> str:
    """Log an exception that is a fault of the program, and return what the page says of it."""
    _log.error("the lab failed at %s", what, exc_info=error)
    return (
        f"The lab failed at {what}, which is a fault of the program: {type(error).__name__}: {error}. The log "
        "shows where. Change the setting to go on."
    )
