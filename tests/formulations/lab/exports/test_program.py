# SPDX-License-Identifier: BSD-3-Clause
"""The program of a setting as a file: read back and solved, it has the optimum that the page shows."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from formulations.lab.answers import Answers
from formulations.lab.exports.program import MOST_SAMPLES, program
from formulations.lab.settings import MACHINES, read_setting
from formulations.lab.settings.presets import PRESETS
from formulations.lab.views import VIEWS
from qpkernels.errors import ParameterError
from qpkernels.files import read
from qpkernels.problems import certify_cone_program
from qpkernels.solvers import find_solver


@pytest.mark.parametrize("name", [name for name, each in PRESETS.items() if "relevance" not in name])
def test_its_optimum_is_that_of_the_page(name: str, tmp_path: Path) -> None:
    setting = PRESETS[name].setting
    export = program(setting)
    path = tmp_path / export.file
    path.write_bytes(export.content)
    stated = read(path)
    outcome = find_solver("clarabel").solve(stated, tol=1e-8)
    proved = certify_cone_program(stated, outcome.point, outcome.multipliers)
    shown = Answers().answer(setting).solution.certificate
    assert proved.primal_value == pytest.approx(shown.primal_value, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("machine", ["relevance-classification", "relevance-regression"])
def test_a_relevance_machine_has_none(machine: str) -> None:
    setting = next(each.setting for each in PRESETS.values() if each.setting.machine.choice is MACHINES[machine])
    with pytest.raises(ParameterError, match="Python lines"):
        program(setting)


def test_a_large_one_is_left_to_the_python_lines() -> None:
    setting = read_setting({}, VIEWS)
    with pytest.raises(ParameterError, match=f"{MOST_SAMPLES + 1}; take the Python lines"):
        program(replace(setting, points=np.ones((MOST_SAMPLES + 1, 3))))
