# SPDX-License-Identifier: BSD-3-Clause
"""Answers to what a page asks of the present setting, as messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from formulations.lab.exports import EXPORTS
from formulations.lab.server.messages import Ask
from formulations.lab.session import Session
from formulations.lab.settings import Setting
from formulations.modelling.solution import Solution
from qpkernels.display.maths import to_text
from qpkernels.errors import ParameterError, QPKernelsError

__all__ = ["answer_to"]


def answer_to(ask: Ask, session: Session, setting: Setting) -> str:
    """Return the message that answers a question, or says why there is no answer."""
    try:
        said: Any = {"answer": _answer(ask, session, setting)}
    except QPKernelsError as error:
        said = {"refused": str(error)}
    return json.dumps({"seq": ask.seq, **said})


def _answer(ask: Ask, session: Session, setting: Setting) -> str | Mapping[str, Any]:
    if ask.what in EXPORTS:
        return EXPORTS[ask.what](setting).message()
    if ask.what == "explain":
        solution = session.scene(setting).answer.solution
        if not isinstance(solution, Solution) or ask.sample is None:
            raise ParameterError("there is no sample to explain.")
        return to_text(solution.explain(ask.sample))
    if ask.what == "check":
        if ask.challenge is None:
            raise ParameterError("there is no challenge to check; name one.")
        # The answer is that to the problem; what is looked at besides is said by the setting alone.
        return asdict(ask.challenge.check(replace(session.scene(setting).answer, setting=setting)))
    raise ParameterError(f"a page asks explain, check, {', '.join(EXPORTS)}, but {ask.what!r} came.")
