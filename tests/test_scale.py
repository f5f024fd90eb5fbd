# SPDX-License-Identifier: BSD-3-Clause
"""The measurements of scale run, on little data. No time is asserted."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from benchmarks.computer import Computer, Setting
from benchmarks.scale import __main__ as scale
from benchmarks.scale import exact, least_squares
from benchmarks.scale.covertype import FULL, Covertype

HERE = Setting(Computer("a processor", 2, "3", "2", "1", None, "0"), "2000-01-01", None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write 700 rows of seven classes as covtype20k.xz."""
    rng = np.random.default_rng(0)
    classes = np.arange(700) % 7 + 1
    X = np.zeros((700, 54))
    X[:, :10] = 100 * rng.normal(size=(700, 10)) + 50.0 * classes[:, None]
    X[np.arange(700), 10 + classes] = 1.0
    text = BytesIO()
    dump_svmlight_file(X, classes, text, zero_based=False)
    with lzma.open(tmp_path / "covtype20k.xz", "wb") as file:
        file.write(text.getvalue())
    return tmp_path


def test_samples_are_rows_of_their_class_that_were_moved(folder: Path) -> None:
    rows = Covertype.read(folder)
    assert rows.rows.min() == 0.0
    assert rows.rows.max() == 1.0
    y = rows.write(folder / "X.npy", 3000, testing=False)
    X = np.load(folder / "X.npy", mmap_mode="r")
    assert X.shape == (3000, 54)
    # Class 2 has 0.49 of the rows of the UCI set.
    assert (y > 0).mean() == pytest.approx(0.4876, abs=0.03)
    np.testing.assert_array_equal(X[:, 12] == 1.0, y > 0)
    origins = rows.rows[rows.classes == 2]
    nearest = np.array([np.abs(origins[:, :10] - x[:10]).max(axis=1).min() for x in X[y > 0][:50]])
    assert (nearest > 0).all()
    assert nearest.max() < 0.15


def test_testing_and_training_share_no_origin(folder: Path) -> None:
    rows = Covertype.read(folder)
    marked = replace(rows, rows=np.zeros_like(rows.rows))
    marked.rows[:, 53] = np.arange(700)
    origins = []
    for testing in (False, True):
        marked.write(folder / "X.npy", 2000, testing=testing)
        origins.append(set(np.load(folder / "X.npy")[:, 53].tolist()))
    assert not origins[0] & origins[1]


def test_equal_seeds_give_equal_samples(folder: Path) -> None:
    rows = Covertype.read(folder)
    for name in ("one.npy", "two.npy"):
        rows.write(folder / name, 300, testing=False, seed=3)
    np.testing.assert_array_equal(np.load(folder / "one.npy"), np.load(folder / "two.npy"))


def test_the_measurement_writes_its_runs_and_an_estimate(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "_TESTING", 500)
    exact.main(["--data", str(folder), "--sizes", "400", "200", "--out", str(folder / "out")])
    record = json.loads((folder / "out" / "exact.json").read_text())
    assert [run["samples"] for run in record["runs"]] == [200, 400]
    for run in record["runs"]:
        assert run["status"] == "optimal"
        assert run["relative_gap"] <= 1e-3
        assert run["accuracy"] > 0.95
        assert 0 < run["support"] <= run["samples"]
    assert record["estimate"]["samples"] == FULL


def test_the_estimate_is_by_the_power_of_the_proved_runs() -> None:
    run = exact.Measured(HERE, 1000, 10, 5, "optimal", 1e-4, 100, 10.0, 10.0, 0.9, 100.0)
    runs = [
        run,
        replace(run, samples=2000, processor=40.0),
        replace(run, samples=4000, status="stopped", processor=1.0),
    ]
    whole = exact.estimate(runs, 20_000)
    assert whole is not None
    assert whole.power == pytest.approx(2.0)
    assert whole.processor == pytest.approx(4000.0 / 3600, abs=0.01)
    assert exact.estimate(runs[1:], 20_000) is None
    assert exact.estimate([*runs, replace(run, samples=20_000, processor=1.0)], 20_000) == whole


def test_least_squares_by_all_solvers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "least_squares.json"
    least_squares.main(["--samples", "400", "--ridge", "1", "0.01", "--repetitions", "2", "--out", str(out)])
    record = json.loads(out.read_text())
    assert record["data"] == "generated"
    rows = record["results"]
    assert [row["solver"] for row in rows] == ["linear", "conjugate-gradient", "default"] * 2
    assert [row["ridge"] for row in rows] == [1.0] * 3 + [0.01] * 3
    assert all(row["status"] == "optimal" and row["relative_gap"] <= row["tol"] for row in rows)
    assert all(len(row["seconds"]) == 2 and row["residual"] < 1e-3 for row in rows)
    assert len(capsys.readouterr().out.splitlines()) == len(rows)


def test_the_page_shows_each_record_and_its_pictures(tmp_path: Path) -> None:
    grown = {"measure": "growth", "rank": 5, "C": 1.0, "tol": 1e-6, "gap": 1e-8, "memory": 2**30}
    records = [
        {**grown, "solver": name, "samples": m, "seconds": m / 1e4}
        for name in ("liblinear", "interior-point")
        for m in (100, 1000)
    ]
    (tmp_path / "low_rank.json").write_text(json.dumps(records))
    ridge = {"samples": 50, "features": 2, "tol": 1e-6, "seconds": [1.0, 3.0, 2.0], "relative_gap": 1e-7}
    solved = [
        {**ridge, "solver": "linear", "ridge": r, "status": status}
        for r, status in ((0.1, "optimal"), (1e-8, "uncertified"))
    ]
    (tmp_path / "least_squares.json").write_text(json.dumps(solved))
    scale.main(["--out", str(tmp_path)])
    page = (tmp_path / "README.md").read_text()
    assert "| liblinear | 1000 x 5 | 1 | 1e-06 | 100 ms | 1e-08 | 1.00 GiB |" in page
    assert "| linear | 50 x 2 | 1e-08 | 1e-06 | 2 s | uncertified | 1e-07 |" in page
    for name in ("low_rank.png", "least_squares.png"):
        assert f"({name})" in page
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    assert "exact.png" not in page
