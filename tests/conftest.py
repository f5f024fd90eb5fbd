# SPDX-License-Identifier: BSD-3-Clause
"""How tests are chosen: examples are the same in every run, slow tests are named, and oracles need data of yours."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# Who solves, and to which last digit, does not depend on what is compiled already; what tests start takes it on.
os.environ["QPKERNELS_COMPILE"] = "first"

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=25)
settings.load_profile("repeatable")

SLOW = Path(__file__).with_name("slow_tests.txt")
"""Names of test functions, one in a line and without their files, so that the list survives when tests move."""

LIMIT = 0.15
"""Seconds of all cases of a test function together, above which it is slow."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--data", metavar="FOLDER", help="run tests/oracles on heart_scale of LIBSVM in this folder")
    parser.addoption("--jupyter", metavar="PROGRAM", help="run tests/jupyter in this jupyter-lab")
    parser.addoption("--measure-slow", action="store_true", help=f"write {SLOW.name} anew from the seconds of this run")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--measure-slow"):
        config.pluginmanager.register(Measurement())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests without a walk for garbage through those there are: they stay, a million objects."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # It imports both packages, which a process that only hands out tests has no use for.
    from house import LIMITS

    promised = LIMITS["cases of the tests"]
    if len(items) > promised:
        raise pytest.UsageError(
            f"there are {len(items)} cases, and tests/house.py promises at most {promised}: "
            "check what is cheap for several items in one case, by tests/together.py."
        )
    slow = set(SLOW.read_text(encoding="utf-8").split())
    for item in items:
        if function(item.name) in slow:
            item.add_marker(pytest.mark.slow)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out tests of what a run does not name, data or JupyterLab: it then has collected none of them."""
    needed = {"oracles": "--data", "jupyter": "--jupyter"}.get(collection_path.name)
    return True if needed is not None and not config.getoption(needed) else None


@pytest.fixture(scope="session")
def heart_scale(request: pytest.FixtureRequest) -> Path:
    folder = request.config.getoption("--data")
    if folder is None:
        raise pytest.UsageError("these tests need a folder with heart_scale: pytest tests/oracles --data FOLDER.")
    for path in (Path(folder) / "heart_scale", Path(folder) / "heart_scale.xz"):
        if path.is_file():
            return path
    raise pytest.UsageError(
        f"{folder!r} holds neither heart_scale nor heart_scale.xz; it comes with LIBSVM, "
        "https://www.csie.ntu.edu.tw/~cjlin/libsvm/."
    )


def function(name: str) -> str:
    """Return the name of the test function without its file and its case."""
    return name.partition("[")[0].rpartition("::")[2]


class Measurement:
    """Adds up seconds, and writes the list after a run in which everything passed."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[function(report.nodeid)] += report.duration

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if exitstatus == pytest.ExitCode.OK:
            slow = sorted(name for name, seconds in self.seconds.items() if seconds > LIMIT)
            SLOW.write_text("\n".join(slow) + "\n", encoding="utf-8")
