# SPDX-License-Identifier: BSD-3-Clause
"""What is said of compilation, and when; and what becomes of machine code that is out of date."""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core import event
from numba.core.caching import IndexDataCacheFile

from qpkernels.arrays import machine_code
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


def test_compilation_of_ours_is_logged_once(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, *ours = map(compilation, ("somebody.else", "qpkernels.example", "formulations.example"))
    caplog.set_level(logging.INFO, "qpkernels")
    caplog.clear()
    monkeypatch.setattr(machine_code, "_told", set())
    notice = Notice()
    notice.on_start(theirs)
    assert caplog.messages == []
    for each in ours:
        notice.on_start(each)
    assert caplog.messages == ["qpkernels: compiling loops for this kind of problem, once on this computer ..."]


@pytest.mark.parametrize("decorator", ["compiled", "vectorised"])
def test_machine_code_outlives_types_that_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decorator: str) -> None:
    """numba unpickles the types it was called with before it sees that they are out of date."""
    monkeypatch.syspath_prepend(str(tmp_path))
    pair = "from typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    a: float\n    b: float\n"
    names = [f"{name}_{decorator}" for name in ("first_home", "second_home", "caller_of_pairs")]
    first, second, caller = names
    (tmp_path / f"{first}.py").write_text(pair)
    loop = f"@{decorator}\ndef total(pair):\n    return pair.a + pair.b\n"
    (tmp_path / f"{caller}.py").write_text(f"from qpkernels.arrays.compiled import {decorator}\n\n\n{loop}")
    for name in names:
        # They leave when the test ends.
        monkeypatch.delitem(sys.modules, name, raising=False)

    assert importlib.import_module(caller).total(importlib.import_module(first).Pair(1.0, 2.0)) == 3.0
    (tmp_path / f"{first}.py").rename(tmp_path / f"{second}.py")
    for name in (first, caller):
        del sys.modules[name]
    importlib.invalidate_caches()
    moved = importlib.import_module(second).Pair(1.0, 2.0)
    assert importlib.import_module(caller).total(moved) == 3.0
    del sys.modules[caller]
    again = importlib.import_module(caller).total
    assert again(moved) == 3.0
    # The third time its machine code is loaded.
    assert sum(again.stats.cache_hits.values()) == 1


@pytest.fixture
def stated_anew(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Callable[[Any], float]]:
    """What a new process makes of a module with one compiled function of x, which returns a formula."""
    monkeypatch.syspath_prepend(str(tmp_path))
    module = f"home_of_{request.node.name}"

    def state(formula: str) -> Callable[[Any], float]:
        text = f"from qpkernels.arrays.compiled import compiled\n\n\n@compiled\ndef f(x):\n    return {formula}\n"
        path = tmp_path / f"{module}.py"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        # It leaves when the test ends.
        monkeypatch.delitem(sys.modules, module, raising=False)
        importlib.invalidate_caches()
        function: Callable[[Any], float] = importlib.import_module(module).f
        return function

    return state


def test_machine_code_of_the_source_before_is_not_used(
    stated_anew: Callable[[str], Callable[[Any], float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index names a file that is not written yet: one of the same name is there, of the source before."""
    x = np.ones(3)
    assert stated_anew("x[0]")(x) == 1.0
    with monkeypatch.context() as ended_early:
        ended_early.setattr(IndexDataCacheFile, "_save_data", lambda *_: None)
        assert stated_anew("x[0] + 1.0")(x) == 2.0
    assert stated_anew("x[0] + 1.0")(x) == 2.0


def test_machine_code_for_other_types_is_not_used(
    stated_anew: Callable[[str], Callable[[Any], float]], tmp_path: Path
) -> None:
    """Two processes that compile for different types at once may give both the same file."""
    whole, real = np.ones(3, np.int64), np.ones(3)
    function = stated_anew("x[0]")
    assert function(whole) == function(real) == 1
    one, other = sorted(tmp_path.rglob("*.nbc"))
    other.write_bytes(one.read_bytes())
    for x in (whole, real):
        assert stated_anew("x[0]")(x) == 1
