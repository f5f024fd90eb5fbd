# SPDX-License-Identifier: BSD-3-Clause
"""The widget without a browser: messages in, frames out, and the same answer in Python."""

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from queue import Queue
from typing import Any

import numpy as np
import pytest

from formulations import LeastSquares, OneClass, SoftMargin
from formulations.lab.notebook import Lab
from formulations.lab.presets import PRESETS
from qpkernels.errors import MissingPackageError, OneClassError, ParameterError, ShapeError

PATIENCE = 20.0
"""Seconds until a message must have come."""


class Cell:
    """The page at the other end of a widget."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *arguments: Any, **settings: Any) -> None:
        self.lab = Lab(*arguments, **settings)
        self.told: Queue[Any] = Queue()
        monkeypatch.setattr(self.lab, "send", lambda content, buffers=None: self.told.put((content, buffers)))

    def open(self, page: str = "first") -> Any:
        """Open a page, which is answered from now on, and return its menu."""
        self.page = page
        self.lab._handle_custom_msg({"page": page, "open": True}, [])
        while self.told.get(timeout=PATIENCE) != ({"opened": page}, None):
            pass
        return self.text()["menu"]

    def say(self, text: str) -> None:
        self.lab._handle_custom_msg({"page": self.page, "text": text}, [])

    def send(self, **message: Any) -> None:
        self.say(json.dumps(message))

    def text(self) -> Any:
        content, buffers = self.told.get(timeout=PATIENCE)
        assert buffers is None
        assert content["page"] == self.page
        return json.loads(content["text"])

    def frame(self) -> dict[str, Any]:
        content, (buffer,) = self.told.get(timeout=PATIENCE)
        assert content == {"page": self.page}
        length = int.from_bytes(buffer[:4], "little")
        return json.loads(buffer[4 : 4 + length])

    def last_frame(self, seq: int) -> dict[str, Any]:
        while (frame := self.frame())["seq"] != seq:
            pass
        return frame


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cell]:
    cell = Cell(monkeypatch)
    cell.open()
    yield cell
    cell.lab.close()


def setting(machine: str, name: str = "two-clouds") -> dict[str, Any]:
    return {
        "machine": {"name": machine},
        "kernel": [{"name": "linear"}],
        "points": PRESETS[name].setting.points.tolist(),
    }


def test_a_page_that_begins_is_sent_the_menu_and_what_to_show(cell: Cell) -> None:
    menu = cell.open()
    assert menu["start"] == cell.lab.setting
    assert [each["name"] for each in menu["presets"]] == list(PRESETS)


def test_a_setting_is_answered_by_a_frame_with_its_proof(cell: Cell) -> None:
    cell.send(seq=5, setting=setting("soft-margin"))
    frame = cell.frame()
    assert frame["seq"] == 5
    assert frame["proof"]["status"] == "optimal"
    assert frame["arrays"]["field"][1] == [120, 160]
    assert frame["proof"]["primal"] == cell.lab.solution.certificate.primal_value


def test_the_answer_in_python_is_that_of_the_newest_setting(cell: Cell) -> None:
    before = cell.lab.setting
    assert isinstance(cell.lab.model, SoftMargin)
    cell.send(seq=1, setting=setting("least-squares", "line-outlier"))
    cell.last_frame(1)
    assert cell.lab.setting != before
    assert isinstance(cell.lab.model, LeastSquares)
    assert cell.lab.solution.status == "optimal"
    # A change of one point is a change of the setting as well.
    cell.send(seq=2, points=[[0, -3.0, -3.0]])
    cell.last_frame(2)
    assert cell.lab.setting["points"][0] == [-3.0, -3.0]
    assert cell.lab.model.y[0] == -3.0
    assert cell.lab.solution.residuals.size == 21


def test_of_settings_that_come_at_once_the_newest_is_answered_and_few_others(cell: Cell) -> None:
    cell.send(seq=1, setting=setting("logistic"))
    for seq in range(2, 201):
        cell.send(seq=seq, points=[[0, seq / 100, 1.0, 1]])
    seen = []
    while not seen or seen[-1] != 200:
        seen.append(cell.frame()["seq"])
    assert seen == sorted(seen)
    assert cell.lab.setting["points"][0] == [2.0, 1.0, 1]
    # What was taken before the first answer is not solved.
    assert len(seen) < 200


def test_a_question_is_answered_after_the_setting_that_it_is_about(cell: Cell) -> None:
    cell.send(seq=1, setting=setting("soft-margin"))
    cell.send(seq=2, ask="python")
    cell.send(seq=3, ask="explain", sample=0)
    cell.last_frame(1)
    assert "SoftMargin(X, y, Linear(), C=1.0)" in cell.text()["answer"]["text"]
    assert cell.text()["answer"].startswith("sample 0: ")


@pytest.mark.parametrize("text", ["no JSON", '{"seq": 1}', '{"seq": 1, "setting": {"machine": {"name": "none"}}}'])
def test_what_is_not_understood_is_refused_and_changes_nothing(cell: Cell, text: str) -> None:
    before = cell.lab.setting
    cell.say(text)
    assert cell.text().keys() == {"refused"}
    assert cell.lab.setting == before


def test_a_page_that_is_opened_has_the_setting_and_is_answered_alone(cell: Cell) -> None:
    cell.send(seq=1, setting=setting("least-squares-classifier"))
    cell.last_frame(1)
    before = cell.lab.setting
    assert cell.open("second")["start"] == before
    cell.lab._handle_custom_msg({"page": "first", "text": json.dumps({"seq": 2, "points": [[0, 9.0, 9.0, 1]]})}, [])
    assert cell.lab.setting == before
    cell.send(seq=1, setting=setting("soft-margin"))
    assert cell.last_frame(1)["proof"]["primal"] == cell.lab.solution.certificate.primal_value
    assert cell.lab.setting != before


@pytest.mark.parametrize("content", [{"open": True}, {"text": "{}"}, {"page": 1, "text": "{}"}, [], None])
def test_a_message_of_no_page_is_refused(cell: Cell, content: Any) -> None:
    with pytest.raises(ParameterError, match="must have a page and a text"):
        cell.lab._hear(cell.lab, content, [])


def test_points_without_an_answer_raise_why(cell: Cell) -> None:
    cell.send(seq=1, setting={"points": [[0, 0, 1], [1, 1, 1]]})
    assert "of one class" in cell.last_frame(1)["error"]
    for name in ("model", "solution"):
        with pytest.raises(OneClassError):
            getattr(cell.lab, name)


def test_samples_are_the_points_and_the_greater_label_is_1() -> None:
    X = np.random.default_rng(0).normal(size=(9, 2))
    lab = Lab(X, np.where(X[:, 0] > 0, "right", "left"))
    assert np.array_equal(lab.model.gram.X, X)
    assert np.array_equal(lab.model.y, np.sign(X[:, 0]))
    assert isinstance(Lab(X).model, OneClass)
    curve = Lab(X[:, :1], X[:, 1])
    assert np.array_equal(curve.model.y, X[:, 1])


def test_a_setting_of_one_is_where_another_begins() -> None:
    first = Lab(setting={"machine": {"name": "hard-margin"}, "points": [[0, 0, 1], [1, 1, -1]]})
    second = Lab(setting=json.loads(json.dumps(first.setting)))
    assert second.setting == first.setting
    assert second.solution.certificate.primal_value == first.solution.certificate.primal_value


def test_a_setting_that_is_assigned_is_answered_at_once_and_told_to_the_page(cell: Cell) -> None:
    cell.lab.setting = setting("least-squares", "line-outlier")
    assert cell.text() == {"setting": cell.lab.setting}
    assert cell.lab.setting["machine"] == {"name": "least-squares", "values": {"C": 1.0}}
    assert isinstance(cell.lab.model, LeastSquares)
    before = cell.lab.setting
    with pytest.raises(ParameterError, match="a machine is one of"):
        cell.lab.setting = {"machine": {"name": "none"}}
    assert cell.lab.setting == before
    assert cell.told.empty()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"X": np.ones((4, 3)), "y": [1, 2, 1, 2]}, ShapeError, r"choose columns, such as X\[:, \[0, 1\]\]"),
        ({"X": np.ones((4, 1))}, ShapeError, "without y"),
        ({"X": np.ones((4, 2)), "y": [1, 1, 1, 1]}, OneClassError, "two classes"),
        ({"y": [1, -1]}, ParameterError, "without X"),
        ({"X": np.ones((4, 2)), "setting": {}}, ParameterError, "exclude a setting"),
        ({"setting": {"machines": 1}}, ParameterError, 'has no "machines"'),
        ({"setting": "two-clouds"}, ParameterError, "must be an object"),
    ],
    ids=["three-features", "no-targets", "one-label", "no-samples", "both", "unknown-part", "no-mapping"],
)
def test_what_is_no_beginning_is_refused(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Lab(**arguments)


def test_without_anywidget_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "formulations.lab.notebook")
    with pytest.raises(MissingPackageError, match=r"^the lab in a notebook needs anywidget: pip install anywidget\.$"):
        import_module("formulations.lab.notebook")
