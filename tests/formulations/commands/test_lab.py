# SPDX-License-Identifier: BSD-3-Clause
"""The command lab: what it starts with, and what it refuses; tests/formulations/lab/test_app.py runs it."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import refused, run, samples
from formulations.lab import app
from formulations.lab.session import Session
from formulations.lab.settings import MOST_POINTS, Setting, read_setting
from formulations.lab.views import VIEWS
from lab_client import setting
from qpkernels.files import load_dataset

DOCS = Path(__file__).parents[3] / "docs" / "lab.md"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the server was started with: port, browser, setting, fragment."""
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(app, "serve", lambda *values: calls.append(values[:4]))
    # It would end the tests, with status 0, where a thread of another test still solves.
    monkeypatch.setattr(app, "end_process", lambda: None)
    return calls


def start_of(started: list[tuple[Any, ...]], *options: object) -> Setting:
    result = run("lab", *options)
    assert result.exit_code == 0, result.stderr
    found = started.pop()[2]
    assert isinstance(found, Setting)
    return found


def proof(setting: Setting) -> Any:
    return Session().frame(setting).facts["proof"]


def test_it_starts_with_what_the_page_likes(started: list[tuple[Any, ...]]) -> None:
    assert run("lab").exit_code == 0
    assert run("lab", "--port", 8000, "--no-browser").exit_code == 0
    assert started == [(0, True, None, ""), (8000, False, None, "")]


def test_classes_of_a_file(started: list[tuple[Any, ...]], csv: Path) -> None:
    X, y = samples()
    found = start_of(started, "--data", csv, "--target", "kind", "--features", "depth,width")
    assert found.points[:, :2].tolist() == X[:, [2, 0]].tolist()
    assert found.y.tolist() == y.tolist()
    gamma = 1.0 / (2.0 * X[:, [2, 0]].var())
    assert found.kernel[0].values["gamma"] == pytest.approx(gamma, rel=1e-3)
    window = found.window
    assert window.left < X[:, 2].min() < X[:, 2].max() < window.right
    assert window.bottom < X[:, 0].min() < X[:, 0].max() < window.top
    assert proof(found)["status"] == "optimal"
    said = run("lab", "--data", csv, "--target", "kind", "--features", "3,1").stdout
    assert said == "class -1: healthy; class 1: ill\n"
    # The class that is named is 1, whatever the order of the names.
    run("lab", "--data", csv, "--target", "kind", "--features", "3,1", "--positive", "healthy")
    assert started.pop()[2].y.tolist() == (-y).tolist()


def test_a_file_is_read_once(started: list[tuple[Any, ...]], csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def counted(data: str, **options: Any) -> Any:
        read.append(data)
        return load_dataset(data, **options)

    monkeypatch.setattr("formulations.commands.samples.load_dataset", counted)
    start_of(started, "--data", csv, "--target", "kind", "--features", "3,1")
    assert read == [str(csv)]


def test_bundled_sets_and_libsvm(started: list[tuple[Any, ...]], libsvm: Path) -> None:
    found = start_of(started, "--data", "iris", "--positive", "setosa", "--features", "3,4")
    assert (len(found.points), found.y.sum()) == (150, -50.0)
    assert len(start_of(started, "--data", libsvm, "--features", "1,2").points) == 24


def test_a_regression_is_told_by_its_targets_or_by_an_option(
    started: list[tuple[Any, ...]], tmp_path: Path, csv: Path
) -> None:
    found = start_of(started, "--data", "diabetes", "--features", "3", "--standardise")
    assert found.machine.choice.name == "soft-tube"
    assert found.points.mean(axis=0) == pytest.approx(np.zeros(2), abs=1e-9)
    assert found.points.std(axis=0) == pytest.approx(np.ones(2))
    assert proof(found)["status"] == "optimal"
    path = tmp_path / "counts.csv"
    path.write_text("x,y\n" + "".join(f"{k},{k % 2}\n" for k in range(10)))
    assert start_of(started, "--data", path, "--regression").machine.choice.name == "soft-tube"
    said = refused("lab", "--data", path)
    assert "has 1 feature, and classes are drawn along 2;" in said
    assert said.endswith("or let its targets be values: --regression.")
    assert "predicts numbers" in refused("lab", "--data", csv, "--target", "kind", "--regression", "--features", "1")
    assert "as for regression" in refused("lab", "--data", "diabetes", "--classification")


def test_extents_of_nothing_have_a_window_and_a_kernel(started: list[tuple[Any, ...]], tmp_path: Path) -> None:
    path = tmp_path / "same.csv"
    path.write_text("u,v,kind\n5,5,a\n5,5,b\n")
    for options in ((), ("--standardise",)):
        found = start_of(started, "--data", path, *options)
        assert found.window.right - found.window.left == 2.0
        assert found.kernel[0].values["gamma"] == 1.0
        assert proof(found)["status"] == "optimal"


def test_data_that_do_not_fit(started: list[tuple[Any, ...]], tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_text("u,v,kind\n" + f"{1e7},0,a\n0,0,b\n")
    assert (
        "within 1e+06 of 0, but 10000000.0 came. (with mean 0 and variance 1 they do, which --standardise"
        in refused("lab", "--data", path)
    )
    path.write_text("u,v,kind\n" + f"{1e6},{-1e6},a\n0,0,b\n")
    assert start_of(started, "--data", path).window.right == 1e6
    path.write_text("u,v,kind\n" + "0,1,a\n1,0,b\n" * (MOST_POINTS // 2 + 1))
    assert f"has {MOST_POINTS + 2} samples, and a page has at most {MOST_POINTS}" in refused("lab", "--data", path)
    path.write_text("u,v,kind\n0,1,a\n1,0,a\n")
    assert "two classes" in refused("lab", "--data", path)
    # As many lines are not read first: the cell without a number is not seen.
    path.write_text("u,v,kind\n0,none,a\n" + "0,1,a\n" * (10 * MOST_POINTS))
    assert f"has {10 * MOST_POINTS + 2} lines, and a page has at most {MOST_POINTS}" in refused("lab", "--data", path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "a,b,kind\n1,2,x\n3,oops,y\n",
            "line 3, column 2 ('b'): expected a finite number, but 'oops' came; replace it",
        ),
        ("a,b,kind\n1,2,x\n3,nan,y\n", "line 3, column 2 ('b'): expected a finite number, but 'nan' came; drop"),
        ("a,b,kind\n1,2,x\n3,,y\n", "expected a finite number, but an empty field came; fill it"),
        ("a\n1\n2\n", "expected at least two fields separated by commas, a feature and the target, but one field came"),
        ("a,b,kind\n", "expected at least one sample, but a file without any came; check"),
        ("a,b,kind\n1,2,x\n3,y\n", "expected 3 fields as on the first line, but 2 came; add"),
        ("a,kind\n1,x\n2,y\n", "has 1 feature, and classes are drawn along 2; take"),
        ("a,b,value\n1,2,0.5\n3,4,0.7\n5,6,0.9\n", "has 2 features, and 1 is drawn: --features 1."),
    ],
    ids=["text", "nan", "empty", "one-column", "no-rows", "ragged", "one-feature", "two-of-a-regression"],
)
def test_a_malformed_file_says_where_and_what_to_do(
    started: list[tuple[Any, ...]], tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "given.csv"
    path.write_text(text)
    assert words in refused("lab", "--data", path)
    assert started == []


def test_a_link_is_checked_and_kept(started: list[tuple[Any, ...]]) -> None:
    stated = setting(4, kernel=[{"name": "linear"}])
    fragment = read_setting(stated, VIEWS).fragment()[1:]
    for link in (f"http://127.0.0.1:5/?token=x#{fragment}", f"#{fragment}", fragment, json.dumps(stated)):
        assert run("lab", "--link", link).exit_code == 0
        assert started.pop() == (0, True, None, fragment)
    for link, words in (
        ("http://127.0.0.1:5/?token=x", "--link must be the address of a setting"),
        ("", "--link must be"),
        ("#%ff", "--link must be"),
        ("#" + "[" * 100_000, "--link must be"),
        ('#{"machine":{"name":"svm"}}', "a machine is one of soft-margin"),
        ('#{"points":[[NaN,0,1]]}', "within 1e+06"),
    ):
        assert words in refused("lab", "--link", link)
    assert started == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--data", "iris", "--link", "#{}"], "--data and --link exclude each other"),
        (["--features", "1,2"], "--features says how --data is read, which is missing"),
        (["--classification"], "--regression says how --data is read"),
        (["--standardise"], "--standardise is for --data"),
        (["--data", "iris", "--positive", "setosa", "--regression"], "--positive names a class"),
        (["--data", "iris"], "3 different targets"),
        (["--data", "iris", "--positive", "setosa"], "iris has 4 features, and 2 are drawn: --features 1,2"),
        (["--data", "nowhere"], "nowhere"),
        (["--port", "70000"], "--port must be from 0 to 65535, but 70000 came"),
    ],
)
def test_refusals(options: list[str], words: str) -> None:
    assert words in refused("lab", *options)


def test_without_the_packages_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    message = refused("lab")
    assert message == "MissingPackageError: the lab needs uvicorn: pip install uvicorn."


@pytest.mark.parametrize("line", re.findall(r"^\$ (qpkernels lab.*)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE))
def test_the_commands_of_the_page(
    line: str, started: list[tuple[Any, ...]], csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(csv.parent)
    result = run(*shlex.split(line)[1:])
    assert result.exit_code == 0, result.output
    assert len(started) == 1
