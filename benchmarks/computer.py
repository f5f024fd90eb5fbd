# SPDX-License-Identifier: BSD-3-Clause
"""Where and when times were measured, and whether the computer had other things to do."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import qpkernels

__all__ = ["Computer", "Setting", "Watch", "this_computer"]


@dataclass(frozen=True)
class Computer:
    """A processor, and the versions of what ran on it; ``intelex`` is None where oneDAL did not."""

    processor: str
    cores: int
    python: str
    numpy: str
    scikit_learn: str
    intelex: str | None
    qpkernels: str

    def __str__(self) -> str:
        """Name all in one line."""
        accelerated = "" if self.intelex is None else f", scikit-learn-intelex {self.intelex}"
        return (
            f"{self.processor}, {self.cores} cores; Python {self.python}, NumPy {self.numpy}, "
            f"scikit-learn {self.scikit_learn}{accelerated}, qpkernels {self.qpkernels}"
        )


@dataclass(frozen=True)
class Setting:
    """Computer and day, and how many processors other programs kept busy meanwhile; None: the system does not tell."""

    computer: Computer
    day: str
    others: float | None


class Watch:
    """Looks at the computer from when it is made to when :meth:`setting` is asked for."""

    def __init__(self, computer: Computer) -> None:
        self._computer = computer
        self._begin, self._busy, self._own = perf_counter(), _busy_seconds(), _own_seconds()

    def setting(self) -> Setting:
        """Return where and when."""
        others, busy = None, _busy_seconds()
        if busy is not None and self._busy is not None:
            foreign = busy - self._busy - (_own_seconds() - self._own)
            others = round(max(0.0, foreign) / (perf_counter() - self._begin), 2)
        return Setting(self._computer, date.today().isoformat(), others)


def this_computer(intelex: str | None = None) -> Computer:
    """Describe this one."""
    return Computer(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        numpy=version("numpy"),
        scikit_learn=version("scikit-learn"),
        intelex=intelex,
        qpkernels=qpkernels.__version__,
    )


def _processor() -> str:
    """Return the model; Linux tells it in a file only."""
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text().splitlines():
            name, _, model = line.partition(":")
            if name.strip() == "model name":
                return model.strip()
    return platform.processor() or platform.machine()


def _busy_seconds() -> float | None:
    """Return the seconds that all processors have worked for anyone: as user, with low priority, and as system."""
    path = Path("/proc/stat")
    if not path.exists():
        return None
    return sum(map(int, path.read_text().split()[1:4])) / os.sysconf("SC_CLK_TCK")


def _own_seconds() -> float:
    """Return those for this process and the ones it started."""
    return sum(os.times()[:4])
