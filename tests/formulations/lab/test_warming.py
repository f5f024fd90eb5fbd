# SPDX-License-Identifier: BSD-3-Clause
"""After the server has warmed up, a first answer loads nothing more; before, a page is told so."""

from __future__ import annotations

import subprocess
import sys
from threading import Event

import pytest

from formulations.lab import warming
from formulations.lab.background import Background
from lab_client import opened, setting

CODE = """
import sys
from formulations.lab.warming import warm_up
from formulations.lab.session import Session
from formulations.lab.settings import read_setting
from formulations.lab.views import VIEWS

warm_up()
loaded = set(sys.modules)
for points in ([[0, 0, 1], [1, 1, -1], [2, 0, 1]], [[0, 0.5, 1], [1, 1, -1], [2, 0, 1]]):
    assert Session().frame(read_setting({"points": points}, VIEWS)).facts["proof"]["status"] == "optimal"
print(*(set(sys.modules) - loaded))
"""


def test_the_first_answer_loads_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_page_is_told_why_the_first_picture_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = Event()
    monkeypatch.setattr(warming, "_WARMING", Background(may_end.wait))
    monkeypatch.setattr(warming, "_USUALLY", 0.0)
    assert warming.notice() is None
    warming.begin_to_warm_up()
    with opened() as page:
        assert "first start on this computer" in page.receive()["notice"]
        assert page.shown(1, **setting())["proof"]["status"] == "optimal"
    may_end.set()
    assert warming._WARMING.is_done(10.0)
    with opened() as page:
        page.send(seq=1, setting=setting())
        assert page.receive()["seq"] == 1
