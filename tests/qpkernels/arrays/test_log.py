# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import io
import logging

import pytest

from qpkernels.arrays import log


@pytest.mark.parametrize("handler", [logging.NullHandler(), logging.StreamHandler(io.StringIO())])
@pytest.mark.parametrize("level", [logging.INFO, logging.WARNING])
def test_a_line_is_printed_where_nobody_listens(
    level: int, handler: logging.Handler, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # That of the library has listeners here: pytest itself, and what other tests have set up.
    alone = logging.Logger("alone", level)
    alone.addHandler(handler)
    monkeypatch.setattr(log, "logger", alone)
    log.report("smo: begun")
    listens = level == logging.INFO and isinstance(handler, logging.StreamHandler)
    assert capsys.readouterr().out == ("" if listens else "smo: begun\n")


def test_a_line_is_a_record_with_the_place_that_it_comes_from(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "qpkernels")
    log.report("smo: begun")
    (record,) = caplog.records
    assert (record.name, record.levelname, record.getMessage()) == ("qpkernels", "INFO", "smo: begun")
    assert record.filename == "test_log.py"
