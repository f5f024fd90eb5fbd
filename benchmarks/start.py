# SPDX-License-Identifier: BSD-3-Clause
"""What the first solve of a process takes, where the inner loops must be compiled and where they are found compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks.computer import Computer, Watch
from benchmarks.peers import ROOT
from benchmarks.records import Start

__all__ = ["begin_afresh"]


def begin_afresh(samples: int, computer: Computer) -> Iterator[Start]:
    """Yield a record of a process that finds no machine code, and of the next, which finds what that one left."""
    with tempfile.TemporaryDirectory() as cache:
        for compiled_before in (False, True):
            watch = Watch(computer)
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.first_solve", str(samples)],
                cwd=ROOT,
                env=os.environ | {"NUMBA_CACHE_DIR": cache},
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            )
            yield Start(watch.setting(), compiled_before, samples, **json.loads(done.stdout))
