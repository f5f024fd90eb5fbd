# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the tests of panels."""

import pytest

import qpkernels.gram.panels.sums as sums


@pytest.fixture(autouse=True)
def however_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "FEW", 0)
