# SPDX-License-Identifier: BSD-3-Clause
"""The lines of Python that a page offers: run as they are, they find the answer that it shows."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from formulations.lab.answers import Answers
from formulations.lab.exports.script import script
from formulations.lab.settings import KERNELS, MACHINES, Setting, Task, read_setting
from formulations.lab.settings.presets import PRESETS
from formulations.lab.views import VIEWS
from formulations.relevance.solution import RelevanceSolution
from qpkernels.errors import InfeasibleError, ParameterError

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

GAUSSIAN = [{"name": "gaussian", "values": {"gamma": 1 / 3}}]
SUM = [{"name": "linear"}, {"name": "laplacian", "values": {"gamma": 0.7}}, {"name": "gaussian"}]
CASES = [
    *[(machine, kernel) for machine in MACHINES for kernel in (GAUSSIAN, SUM)],
    *[
        (machine, [{"name": kernel}])
        for machine in ("soft-margin", "tube")
        for kernel in KERNELS
        if kernel != "gaussian"
    ],
]


def setting_of(machine: str, kernel: list[Any]) -> Setting:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 2))
    if MACHINES[machine].task is Task.CLASSIFICATION:
        points = np.column_stack([X, np.where(X.sum(axis=1) > 0, 1.0, -1.0)])
        points[:, :2] += 0.3 * points[:, 2:]
    else:
        points = np.column_stack([X[:, 0], np.sin(X[:, 0]) + 0.1 * X[:, 1]])
    return read_setting({"machine": {"name": machine}, "kernel": kernel, "points": points.tolist()}, VIEWS)


def run(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Any]:
    monkeypatch.chdir(folder)
    namespace: dict[str, Any] = {"__name__": "lab"}
    exec(compile(text, "lab.py", "exec"), namespace)
    matplotlib.pyplot.close("all")
    return namespace


@pytest.mark.parametrize(
    ("machine", "kernel"), CASES, ids=[f"{name}-{'-'.join(term['name'] for term in terms)}" for name, terms in CASES]
)
def test_they_find_the_same_answer(
    machine: str, kernel: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    setting = setting_of(machine, kernel)
    shown = Answers().answer(setting).solution
    found = run(script(setting).content, tmp_path, monkeypatch)
    solution, printed = found["solution"], capsys.readouterr().out
    assert np.array_equal(found["points"], setting.points)
    assert found["model"].gram.kernel == setting.kernel_function()
    if isinstance(shown, RelevanceSolution):
        assert solution.converged
        assert solution.log_evidence == pytest.approx(shown.log_evidence, rel=1e-6)
        assert f"converged: True, ln evidence {solution.log_evidence!r}" in printed
    else:
        assert shown is not None
        assert solution.status == "optimal" == shown.status
        # Each value is within its own gap of one optimum.
        ours, theirs = solution.certificate, shown.certificate
        gap = max(ours.primal_value - ours.dual_value, theirs.primal_value - theirs.dual_value, 0.0)
        assert ours.primal_value == pytest.approx(theirs.primal_value, abs=gap, rel=1e-9)
        assert ours.primal_value == pytest.approx(theirs.primal_value, rel=1e-5)
        assert f"optimal: objective {solution.objective!r}" in printed
    assert (tmp_path / "lab.png").stat().st_size > 1000


@pytest.mark.parametrize("name", PRESETS)
def test_every_number_is_read_back(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setting = PRESETS[name].setting
    text = re.sub(r"\nsolution = .*", "", script(setting).content, flags=re.DOTALL)
    found = run(text, tmp_path, monkeypatch)
    assert np.array_equal(found["points"], setting.points)
    assert found["model"].gram.kernel == setting.kernel_function()
    assert type(found["model"]) is setting.machine.choice.kind


def test_where_the_page_shows_no_answer_they_say_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = [[0, 0, 1], [1, 0, -1], [2, 0, 1]]
    setting = read_setting(
        {"machine": {"name": "hard-margin"}, "kernel": [{"name": "linear"}], "points": points}, VIEWS
    )
    shown = Answers().answer(setting).error
    assert isinstance(shown, InfeasibleError)
    with pytest.raises(InfeasibleError):
        run(script(setting).content, tmp_path, monkeypatch)


def test_without_points_there_are_none() -> None:
    with pytest.raises(ParameterError, match="add some"):
        script(read_setting({}, VIEWS))
