# SPDX-License-Identifier: BSD-3-Clause
"""What a page can take along: lines of Python that find its answer, and its program as matrices."""

import json
import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proofcheck
from formulations.lab.answers import Answers
from formulations.lab.desk import Desk, menu
from formulations.lab.exports import EXPORTS, MOST_SAMPLES
from formulations.lab.presets import PRESETS
from formulations.lab.settings import KERNELS, MACHINES, LabTask, Setting, read_setting
from formulations.lab.views import VIEWS
from formulations.models.relevance.machine import RelevanceSolution
from qpkernels.errors import InfeasibleError, ParameterError
from qpkernels.files import read
from qpkernels.problems import certify_cone_program
from qpkernels.solvers import find_solver

plt = pytest.importorskip("matplotlib.pyplot")
plt.switch_backend("Agg")

SETTING = PRESETS["three-points"].setting


def asked(setting: Setting, what: str) -> Any:
    desk = Desk(setting)
    assert desk.take(json.dumps({"seq": 3, "ask": what})) is None
    return json.loads(desk.reply() or "")


@pytest.mark.parametrize("what", EXPORTS)
def test_a_page_that_asks_is_sent_the_file(what: str) -> None:
    made = EXPORTS[what](SETTING)
    said = asked(SETTING, what)
    assert said["seq"] == 3
    assert said["answer"]["file"] == made.file
    if isinstance(made.content, str):
        assert said["answer"]["text"] == made.content
    else:
        # The bytes of a zip archive hold the time; it begins and is as long as the other.
        assert b64decode(said["answer"]["base64"], validate=True)[:4] == made.content[:4] == b"PK\x03\x04"


def test_what_cannot_be_made_is_refused_in_words() -> None:
    said = asked(read_setting({}, VIEWS), "python")
    assert said == {"seq": 3, "refused": "there are no points to take along; add some first."}


def test_the_menu_offers_the_presets_as_settings() -> None:
    offered = json.loads(json.dumps(menu()))["presets"]
    assert [each["name"] for each in offered] == list(PRESETS)
    for each in offered:
        assert read_setting(each["setting"], VIEWS).same_problem(PRESETS[each["name"]].setting)
        assert each["title"] == PRESETS[each["name"]].title


GAUSSIAN = [{"name": "rbf", "values": {"gamma": 1 / 3}}]
SUM = [{"name": "linear"}, {"name": "laplacian", "values": {"gamma": 0.7}}, {"name": "rbf"}]
CASES = [
    *[(machine, GAUSSIAN) for machine in MACHINES],
    # How a kernel is written is the same for all machines.
    ("soft-margin", SUM),
    *[("soft-tube", [{"name": kernel}]) for kernel in KERNELS if kernel != "rbf"],
]


def setting_of(machine: str, kernel: list[Any]) -> Setting:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 2))
    if MACHINES[machine].task is LabTask.CLASSIFICATION:
        points = np.column_stack([X, np.where(X.sum(axis=1) > 0, 1.0, -1.0)])
        points[:, :2] += 0.3 * points[:, 2:]
    else:
        points = np.column_stack([X[:, 0], np.sin(X[:, 0]) + 0.1 * X[:, 1]])
    return read_setting({"machine": {"name": machine}, "kernel": kernel, "points": points.tolist()}, VIEWS)


def executed(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Any]:
    monkeypatch.chdir(folder)
    namespace: dict[str, Any] = {"__name__": "lab"}
    exec(compile(text, "lab.py", "exec"), namespace)
    plt.close("all")
    return namespace


@pytest.mark.parametrize(
    ("machine", "kernel"), CASES, ids=[f"{name}-{'-'.join(term['name'] for term in terms)}" for name, terms in CASES]
)
def test_they_find_the_same_answer(
    machine: str, kernel: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    setting = setting_of(machine, kernel)
    shown = Answers().answer(setting).solution
    found = executed(EXPORTS["python"](setting).content, tmp_path, monkeypatch)
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
    text = re.sub(r"\nsolution = .*", "", EXPORTS["python"](setting).content, flags=re.DOTALL)
    found = executed(text, tmp_path, monkeypatch)
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
        executed(EXPORTS["python"](setting).content, tmp_path, monkeypatch)


def test_without_points_there_are_none() -> None:
    with pytest.raises(ParameterError, match="add some"):
        EXPORTS["python"](read_setting({}, VIEWS))


@pytest.mark.parametrize("name", [name for name, each in PRESETS.items() if "relevance" not in name])
def test_its_optimum_is_that_of_the_page(name: str, tmp_path: Path) -> None:
    setting = PRESETS[name].setting
    export = EXPORTS["npz"](setting)
    path = tmp_path / export.file
    path.write_bytes(export.content)
    stated = read(path)
    outcome = find_solver("clarabel").solve(stated, tol=1e-8)
    proved = certify_cone_program(stated, outcome.point, outcome.multipliers)
    shown = Answers().answer(setting).solution.certificate
    assert proved.primal_value == pytest.approx(shown.primal_value, rel=1e-5, abs=1e-6)


def test_the_proof_is_one_of_the_optimum_that_the_page_shows() -> None:
    setting = next(iter(PRESETS.values())).setting
    said = json.loads(EXPORTS["proof"](setting).content)
    proofcheck.check(said, Path(), [])
    shown = Answers().answer(setting).solution.certificate
    assert float.fromhex(said["claim"]["lower"]) == pytest.approx(shown.primal_value, rel=1e-5)


@pytest.mark.parametrize("machine", ["relevance-classification", "relevance-regression"])
def test_a_relevance_machine_has_none(machine: str) -> None:
    setting = next(each.setting for each in PRESETS.values() if each.setting.machine.choice is MACHINES[machine])
    with pytest.raises(ParameterError, match="Python lines"):
        EXPORTS["npz"](setting)


def test_a_large_one_is_left_to_the_python_lines() -> None:
    setting = read_setting({}, VIEWS)
    with pytest.raises(ParameterError, match=f"{MOST_SAMPLES + 1}; take the Python lines"):
        EXPORTS["npz"](replace(setting, points=np.ones((MOST_SAMPLES + 1, 3))))
