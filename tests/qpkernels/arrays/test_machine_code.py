# SPDX-License-Identifier: BSD-3-Clause
"""When compiled loops are used, who compiles them meanwhile, and what becomes of a cache that is of no use."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from qpkernels.arrays import machine_code
from qpkernels.arrays.machine_code import MODE, at_hand, in_use, mark
from qpkernels.errors import ParameterError


class Process:
    """Takes the place of the process that compiles."""

    started: list[dict[str, Any]]

    def __init__(self, arguments: list[str], **options: Any) -> None:
        self.started.append({"arguments": arguments, **options})


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """What is started by a process that finds an empty cache."""
    Process.started = []
    monkeypatch.delenv(MODE)
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(subprocess, "Popen", Process)
    anew(monkeypatch)
    return Process.started


def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what this process knows of the cache, as the next one does."""
    for name in ("_marked", "_told"):
        monkeypatch.setattr(machine_code, name, set())
    monkeypatch.setattr(machine_code, "_begun", False)


def test_one_process_compiles_until_there_is_a_mark(
    started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert not at_hand("arrays")
    assert not at_hand("descent")
    assert not in_use()
    (process,) = started
    assert process["env"][MODE] == "first"
    assert process["start_new_session"]
    source = tmp_path / "source.py"
    source.write_text("1")
    mark("arrays", [str(source)])
    assert at_hand("arrays")
    assert not at_hand("descent")
    anew(monkeypatch)
    source.write_text("1 + 1")
    assert not at_hand("arrays")


def test_nothing_is_started_while_another_compiles(
    started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at_hand("arrays")
    (lock,) = (tmp_path / "cache").glob("*.lock")
    with lock.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        anew(monkeypatch)
        assert not at_hand("arrays")
    assert len(started) == 1
    for _ in range(5):
        anew(monkeypatch)
        at_hand("arrays")
    # Those that never end as they should are not started again and again.
    assert len(started) == 3


@pytest.mark.parametrize("mode", ["first", "never"])
def test_the_mode_decides(started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setenv(MODE, mode)
    assert at_hand("arrays", seconds=1e9) is in_use() is (mode == "first")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert not at_hand("arrays", seconds=1e9)
    assert started == []


def test_another_mode_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODE, "later")
    with pytest.raises(ParameterError, match="must be 'background', 'first' or 'never', but 'later' came"):
        at_hand("arrays")


def test_what_would_take_longer_than_the_compiler_is_compiled(started: list[dict[str, Any]]) -> None:
    assert at_hand("descent", seconds=1e3)
    assert started == []


@pytest.mark.parametrize("text", ["", "{}", "[]", "3", "null", '{"/nowhere.py": [1, 2]}', '{"\\u0000": 1}', "\x80"])
def test_a_damaged_mark_is_none(started: list[dict[str, Any]], tmp_path: Path, text: str) -> None:
    mark("arrays", [__file__])
    (written,) = (tmp_path / "cache").glob("*.json")
    assert json.loads(written.read_text()).keys() == {__file__}
    written.write_text(text, encoding="latin-1")
    assert not at_hand("arrays")
    assert len(started) == 1


def test_where_nothing_can_be_written_it_is_said_once(
    started: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    caplog.set_level(logging.INFO, "qpkernels")
    for _ in range(2):
        assert not at_hand("arrays")
        mark("arrays", [__file__])
    assert started == []
    (message,) = caplog.messages
    assert "set the environment variable NUMBA_CACHE_DIR to a folder that can be written to" in message


@pytest.fixture
def fit() -> Callable[..., list[str]]:
    """Fits in a process with a cache of its own, and returns what it prints: the status, and what it imported."""

    def run(mode: str, cache: Path) -> list[str]:
        script = (
            "import sys, numpy as np; from formulations.estimators import SVC\n"
            "X = np.random.default_rng(0).normal(size=(60, 2))\n"
            "fitted = SVC().fit(X, X[:, 0] > 0); fitted.predict(X); fitted.solution_.support\n"
            "print(fitted.solution_.status, 'numba' in sys.modules, fitted.solution_.beta.sum().round(9))"
        )
        environment = os.environ | {MODE: mode, "NUMBA_CACHE_DIR": str(cache)}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    return run


def test_few_samples_are_fitted_without_the_compiler(fit: Callable[..., list[str]], tmp_path: Path) -> None:
    assert fit("never", tmp_path / "cache")[:2] == ["optimal", "False"]
    assert not (tmp_path / "cache").exists()


def test_a_cache_that_cannot_be_written_changes_no_answer(fit: Callable[..., list[str]], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert fit("background", tmp_path / "file" / "cache")[:2] == ["optimal", "False"]
