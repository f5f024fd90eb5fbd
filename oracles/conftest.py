# SPDX-License-Identifier: BSD-3-Clause
"""The option that says where the data are."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--data", metavar="FOLDER", help="the folder with heart_scale or heart_scale.xz of LIBSVM")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to start, rather than skip, where the data are missing."""
    if not config.option.help:
        find(config)


@pytest.fixture(scope="session")
def heart_scale(request: pytest.FixtureRequest) -> Path:
    return find(request.config)


def find(config: pytest.Config) -> Path:
    folder = config.getoption("--data", default=None)
    if not folder:
        raise pytest.UsageError("these tests need LIBSVM's heart_scale: pytest oracles --data FOLDER")
    for path in (Path(folder) / "heart_scale", Path(folder) / "heart_scale.xz"):
        if path.is_file():
            return path
    raise pytest.UsageError(
        f"{folder!r} holds neither heart_scale nor heart_scale.xz; it comes with LIBSVM, "
        "https://www.csie.ntu.edu.tw/~cjlin/libsvm/."
    )
