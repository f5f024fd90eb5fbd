# SPDX-License-Identifier: BSD-3-Clause
"""After the server has warmed up, a first answer loads nothing more."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from formulations.lab.server.warming import warm_up
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
