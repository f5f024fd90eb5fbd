# SPDX-License-Identifier: BSD-3-Clause
"""The points as CSV: who reads the file has the same numbers."""

from pathlib import Path

import numpy as np
import pytest

from command_line import run
from formulations.lab.exports.table import table
from formulations.lab.settings import read_setting
from formulations.lab.settings.presets import PRESETS
from formulations.lab.views import VIEWS
from qpkernels.datasets import load_dataset
from qpkernels.errors import ParameterError


@pytest.mark.parametrize("name", PRESETS)
def test_the_same_points_are_read_back(name: str, tmp_path: Path) -> None:
    setting = PRESETS[name].setting
    export = table(setting)
    path = tmp_path / export.file
    path.write_text(export.content)
    data = load_dataset(str(path))
    assert np.array_equal(data.X, setting.X)
    assert np.array_equal(data.y, setting.y)
    assert data.feature_names == (("x1", "x2") if setting.X.shape[1] == 2 else ("x",))


def test_numbers_keep_all_their_digits(tmp_path: Path) -> None:
    points = np.column_stack([np.random.default_rng(0).normal(size=(9, 2)) / 3, np.resize([1.0, -1.0], 9)])
    path = tmp_path / "points.csv"
    path.write_text(table(read_setting({"points": points.tolist()}, VIEWS)).content)
    assert np.array_equal(load_dataset(str(path)).X, points[:, :2])


def test_the_command_fits_them(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text(table(PRESETS["two-clouds"].setting).content)
    ran = run("fit", str(path), "--kernel", "linear", "--C", "1", "-o", str(tmp_path / "fitted.npz"))
    assert ran.exit_code == 0


def test_without_points_there_is_none() -> None:
    with pytest.raises(ParameterError, match="add some"):
        table(read_setting({}, VIEWS))
