# SPDX-License-Identifier: BSD-3-Clause
"""Model files of LIBLINEAR as its program train writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from qpkernels.errors import DataFormatError, FileFormatError
from qpkernels.files import read_liblinear_model

TWO = "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias -1\nw\n0.5 \n-1.25 \n0 \n"
THREE = "solver_type L2R_LR\nnr_class 3\nlabel 2 0 1\nnr_feature 2\nbias 1.5\nw\n1 2 3 \n4 5 6 \n7 8 9 \n"
REAL = "solver_type L2R_L1LOSS_SVR_DUAL\nnr_class 2\nnr_feature 2\nbias 1\nw\n0.25 \n-1e-3 \n7 \n"


def written(folder: Path, text: str) -> Path:
    path = folder / "a.model"
    path.write_text(text)
    return path


def test_two_classes(tmp_path: Path) -> None:
    model = read_liblinear_model(written(tmp_path, TWO))
    assert model.solver_type == "L2R_L2LOSS_SVC_DUAL"
    assert model.labels is not None
    assert model.labels.tolist() == [1, -1]
    assert model.weights.tolist() == [[0.5, -1.25, 0.0]]
    assert (model.bias, model.biases.tolist()) == (None, [0.0])


def test_three_classes(tmp_path: Path) -> None:
    model = read_liblinear_model(written(tmp_path, THREE.replace("\n", "\r\n")))
    assert model.weights.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert (model.bias, model.biases.tolist()) == (1.5, [7, 8, 9])


def test_targets(tmp_path: Path) -> None:
    model = read_liblinear_model(written(tmp_path, REAL))
    assert model.labels is None
    assert model.weights.tolist() == [[0.25, -0.001]]
    assert (model.bias, model.biases.tolist()) == (1.0, [7.0])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("\nw\n", "\n", "it has no line w"),
        ("nr_feature 3", "nr_feature 4", "it has 4 features, the bias among them, and 1 machines of 2 classes"),
        ("nr_class 2", "nr_class 3", "3 machines of 3 classes, but its weights are of shape"),
        ("label 1 -1", "label 1", "1 machines of 2 classes"),
        ("bias -1", "bias -1\nbias -1", "line 6, column 1: expected one line for each of bias"),
        ("nr_feature 3", "features 3", "line 4, column 1: expected one line for each of"),
        ("-1.25 ", "-1.25 3", "line 8, column 1: expected one weight for each machine, but '-1.25 3' came"),
        ("-1.25 ", "one ", "line 8, column 1: expected one weight"),
        ("bias -1\n", "", "cannot be read as that .KeyError: 'bias'"),
        ("nr_class 2", "nr_class two", "cannot be read as that .ValueError"),
    ],
)
def test_damaged_files(old: str, new: str, words: str, tmp_path: Path) -> None:
    with pytest.raises((FileFormatError, DataFormatError), match=words):
        read_liblinear_model(written(tmp_path, TWO.replace(old, new)))
