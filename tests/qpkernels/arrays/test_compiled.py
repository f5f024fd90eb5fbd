# SPDX-License-Identifier: BSD-3-Clause
"""What is said of compilation, and when."""

from __future__ import annotations

import logging

import pytest
from numba import njit
from numba.core import event

from qpkernels.arrays.compiled import Notice


def compilation(module: str) -> event.Event:
    """What numba tells where it compiles a function of a module."""

    def double(x: float) -> float:
        return 2.0 * x

    double.__module__ = module
    heard: list[event.Event] = []

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: event.Event) -> None:
            heard.append(event)

        def on_end(self, event: event.Event) -> None:
            pass

    dispatcher = njit(double)
    with event.install_listener("numba:compile", Listener()):
        assert dispatcher(1.0) == dispatcher(1.5) - 1.0 == 2.0
    (told,) = heard
    return told


def test_compilation_of_ours_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    theirs, *ours = map(compilation, ("somebody.else", "qpkernels.example", "formulations.example"))
    caplog.set_level(logging.INFO, "qpkernels")
    caplog.clear()
    notice = Notice()
    notice.on_start(theirs)
    assert caplog.messages == []
    for each in ours:
        notice.on_start(each)
    assert caplog.messages == ["qpkernels: compiling loops for this kind of problem, once on this computer ..."]
