# SPDX-License-Identifier: BSD-3-Clause
"""The command plot: which display it draws, along which features, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matplotlib.image import imread

from command_line import refused, run_json


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["iris", "--features", "3,4"], "regions.png"),
        (["iris", "--show", "gram"], "gram.png"),
        (["iris", "--positive", "setosa", "--show", "kkt"], "kkt.png"),
        (["iris", "--positive", "setosa", "--show", "certificate"], "certificate.png"),
        (["diabetes", "--scale", "--model", "soft-tube", "--features", "3"], "tube.png"),
        (["wine", "--scale", "--model", "one-class", "--features", "1,2"], "novelty.png"),
    ],
)
def test_pictures(arguments: list[str], name: str, tmp_path: Path) -> None:
    record = run_json("plot", arguments[0], tmp_path / name, *arguments[1:])
    assert record["status"] == "optimal"
    assert record["picture"] == str(tmp_path / name)
    assert imread(tmp_path / name)[..., :3].std() > 0.02


def test_columns_are_called_by_their_names(csv: Path, tmp_path: Path) -> None:
    arguments = ("plot", csv, tmp_path / "regions.svg", "--target", "kind")
    run_json(*arguments, "--features", "depth,width")
    by_name = (tmp_path / "regions.svg").read_text()
    assert "<!-- depth -->" in by_name
    assert "<!-- width -->" in by_name
    run_json(*arguments, "--features", "3,1")
    again = (tmp_path / "regions.svg").read_text()
    assert re.findall(r"<!-- .*? -->", again) == re.findall(r"<!-- .*? -->", by_name)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["iris", "x.png"], "iris has 4 features, and 2 are drawn: --features 1,2"),
        (["iris", "x.png", "--features", "1,5"], "--features takes numbers from 1 to 4, but '5' came"),
        (["iris", "x.png", "--features", "1"], "this picture is along 2 features"),
        (["iris", "x.png", "--show", "neat"], "--show must be one of regions, tube, kkt, certificate, gram"),
        (["iris", "x.png", "--show", "tube"], "--show tube is not for this model; take regions"),
        (["iris", "x.png", "--show", "kkt"], "--positive setosa"),
        (["iris", "x.xyz", "--features", "1,2"], "a picture is written as .png, .pdf, .svg, .jpg, but x.xyz came"),
    ],
)
def test_refusals(arguments: list[str], words: str) -> None:
    assert words in refused("plot", *arguments)
