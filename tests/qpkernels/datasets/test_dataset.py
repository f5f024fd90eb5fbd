# SPDX-License-Identifier: BSD-3-Clause
"""Data sets by name or path, in the container asked for, and what is no data set."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_array

from data_files import written
from qpkernels.datasets import BUNDLED_NAMES, Dataset, load_dataset
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError, UnknownDatasetError


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("breast-cancer", (569, 30), 2),
        ("digits", (1797, 64), 10),
        ("wine", (178, 13), 3),
        ("iris", (150, 4), 3),
    ],
)
def test_bundled_classes(name: str, shape: tuple[int, int], classes: int) -> None:
    data = load_dataset(name)
    assert data.name == name
    assert data.X.shape == shape
    assert data.X.dtype == np.float64
    assert data.y.dtype == np.int64
    np.testing.assert_array_equal(np.unique(data.y), np.arange(classes))


def test_bundled_regression() -> None:
    data = load_dataset("diabetes")
    assert data.X.shape == (442, 10)
    assert data.y.dtype == np.float64


def test_bundled_classes_have_names() -> None:
    assert load_dataset("iris").class_names == ("setosa", "versicolor", "virginica")
    assert load_dataset("breast-cancer").class_names == ("malignant", "benign")
    assert load_dataset("digits").class_names is None
    assert load_dataset("diabetes").class_names is None


def test_bundled_names_are_sorted_and_complete() -> None:
    assert BUNDLED_NAMES == ("breast-cancer", "diabetes", "digits", "iris", "wine")


@pytest.mark.parametrize(
    ("source", "hint"),
    [("iriss", "Did you mean 'iris'?"), ("Breast_Cancer", "Did you mean 'breast-cancer'?")],
)
def test_unknown_name_suggests_the_nearest(source: str, hint: str) -> None:
    with pytest.raises(UnknownDatasetError) as caught:
        load_dataset(source)
    assert hint in str(caught.value)
    assert "breast-cancer, diabetes, digits, iris, wine" in str(caught.value)


@pytest.mark.parametrize("source", ["no/such/file.csv", "x" * 5000, "with\0nul"])
def test_unknown_path_suggests_nothing(source: str) -> None:
    with pytest.raises(UnknownDatasetError, match="is neither") as caught:
        load_dataset(source)
    assert "Did you mean" not in str(caught.value)


def test_folder_is_no_dataset(tmp_path: Path) -> None:
    with pytest.raises(UnknownDatasetError, match="is a folder"):
        load_dataset(tmp_path)


def test_a_path_is_always_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "iris", "1 1:7\n")
    monkeypatch.chdir(tmp_path)
    assert load_dataset("iris").X.shape == (150, 4)
    assert load_dataset(Path("iris")).X.shape == (1, 1)
    assert load_dataset("./iris").X.shape == (1, 1)


@pytest.mark.parametrize("name", ["data.txt", "data.npz"])
def test_target_is_refused_outside_csv(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, "1 1:2\n")
    with pytest.raises(ParameterError, match="target must be left out unless a CSV file is read"):
        load_dataset(path, target=1)


def test_target_is_refused_for_bundled_sets() -> None:
    with pytest.raises(ParameterError, match="iris is a bundled data set; leave it out"):
        load_dataset("iris", target="species")


def test_dataset_is_frozen_and_converts() -> None:
    data = Dataset("d", np.array([[1, 2]]), np.array(["a"]))
    assert data.X.dtype == np.float64
    with pytest.raises(AttributeError):
        data.name = "e"  # type: ignore[misc]


def test_dataset_takes_sparse_samples_in_any_format() -> None:
    data = Dataset("d", csc_matrix(np.array([[1, 0], [0, 2]])), np.array([1, -1]))
    assert isinstance(data.X, csr_array)
    assert data.X.dtype == np.float64
    np.testing.assert_array_equal(data.X.toarray(), [[1.0, 0.0], [0.0, 2.0]])
    with pytest.raises(NonFiniteError, match=r"X\[1, 1\] is nan"):
        Dataset("d", csr_array(np.array([[1.0, 0.0], [0.0, np.nan]])), np.array([1, -1]))
    with pytest.raises(ShapeError, match=r"y must have shape \(2,\)"):
        Dataset("d", csr_array(np.eye(2)), np.ones(3))


@pytest.mark.parametrize("name", ["iris", "set.csv", "set.npz", "set.txt"])
def test_the_container_asked_for(tmp_path: Path, name: str) -> None:
    X, y = np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([1.0, -1.0])
    np.savez(tmp_path / "set.npz", X=X, y=y)
    written(tmp_path / "set.csv", "0,1,1\n2,0,-1\n")
    written(tmp_path / "set.txt", "1 2:1\n-1 1:2\n")
    source = name if name == "iris" else tmp_path / name
    dense, sparse = load_dataset(source, sparse=False), load_dataset(source, sparse=True)
    assert isinstance(dense.X, np.ndarray)
    assert isinstance(sparse.X, csr_array)
    assert (sparse.name, dense.name) == (load_dataset(source).name,) * 2
    np.testing.assert_array_equal(sparse.X.toarray(), dense.X)
    np.testing.assert_array_equal(sparse.y, dense.y)
    assert isinstance(load_dataset(source).X, np.ndarray)


def test_import_stays_light() -> None:
    code = "import sys, qpkernels.datasets; print(sorted({'sklearn', 'pandas', 'cvxpy'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
