# SPDX-License-Identifier: BSD-3-Clause
"""The checker as others run it: its status in this process, and in a process of its own for each of many files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import proofcheck

__all__ = ["Outcome", "runs", "status"]

_RUNNER = """
import os, resource, sys
sys.path.insert(0, sys.argv[1])
import proofcheck
for path in iter(sys.stdin.readline, ""):
    child = os.fork()
    if not child:
        status = 1
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1), os.dup2(nowhere, 2)
            resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
            sys.argv = ["proofcheck", "--seconds", "0", path.rstrip("\\n")]
            status = proofcheck.main()
        finally:
            sys.stdout.flush()
            os._exit(status)
    _, code, usage = os.wait4(child, 0)
    print(os.waitstatus_to_exitcode(code), usage.ru_utime + usage.ru_stime, usage.ru_maxrss, flush=True)
"""
"""A process that has loaded the checker, and nothing else, and divides for each file."""


class Outcome(NamedTuple):
    """What a run of the checker came to: its status, the seconds of the processor, and the most MiB of memory."""

    status: int
    seconds: float
    memory: float


def status(path: Path) -> int:
    """Return the status of the checker, run in this process, whose memory is not to be limited."""
    with patch("sys.argv", ["proofcheck", "--seconds", "0", str(path)]), patch("resource.setrlimit"):
        return proofcheck.main()


@contextmanager
def runs() -> Iterator[Runs]:
    """Give a function that runs the checker on a file in a process of its own."""
    folder = str(Path(proofcheck.__file__).parent)
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _RUNNER, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Runs(process)


class Runs:
    """Runs of the checker."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def __call__(self, path: Path) -> Outcome:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        code, seconds, memory = self.process.stdout.readline().split()
        return Outcome(int(code), float(seconds), int(memory) / 1024)
