# SPDX-License-Identifier: BSD-3-Clause
"""Model files of LIBSVM with any number of classes, as its program svm-train writes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qpkernels.errors import DataFormatError, FileFormatError, ParameterError
from qpkernels.files import read_libsvm_machines, read_libsvm_model, write_libsvm_model
from qpkernels.functions import Expansion
from qpkernels.kernels import RBF, Precomputed

HEAD = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 4\nrho 0.5 -0.25 2\nlabel 2 0 1\n"
THREE = HEAD + "nr_sv 2 1 1\nSV\n1 0.5 1:0.25 2:-1 \n0 1 2:3 \n-1 0.75 1:1 2:1 \n-1.5 -0.75 1:4 \n"


def written(folder: Path, text: str) -> Path:
    path = folder / "a.model"
    path.write_text(text)
    return path


def test_three_classes(tmp_path: Path) -> None:
    found = read_libsvm_machines(written(tmp_path, THREE))
    assert (found.svm_type, found.kernel) == ("c_svc", RBF(0.5))
    assert found.coefficients.tolist() == [[1, 0, -1, -1.5], [0.5, 1, 0.75, -0.75]]
    assert found.intercepts.tolist() == [-0.5, 0.25, -2]
    assert found.labels is not None
    assert found.counts is not None
    assert (found.labels.tolist(), found.counts.tolist()) == ([2, 0, 1], [2, 1, 1])
    assert np.asarray(found.centers).tolist() == [[0.25, -1], [0, 3], [1, 1], [4, 0]]
    assert read_libsvm_machines(written(tmp_path, THREE), features=4).centers.shape == (4, 4)


def test_sigmoids_are_left_out(tmp_path: Path) -> None:
    text = THREE.replace("nr_sv", "probA 1 2 3\nprobB 1 2 3\nnr_sv")
    assert read_libsvm_machines(written(tmp_path, text)).coefficients.shape == (2, 4)


def test_a_precomputed_kernel(tmp_path: Path) -> None:
    head = HEAD.replace("kernel_type rbf\ngamma 0.5", "kernel_type precomputed")
    text = head + "nr_sv 2 1 1\nSV\n1 0.5 0:3 \n0 1 0:1 \n-1 0.75 0:2 \n-1.5 -0.75 0:5 \n"
    K = Precomputed(np.eye(5))
    found = read_libsvm_machines(written(tmp_path, text), K)
    assert np.asarray(found.centers).tolist() == [2, 0, 1, 4]
    assert found.coefficients.tolist() == [[1, 0, -1, -1.5], [0.5, 1, 0.75, -0.75]]
    with pytest.raises(DataFormatError, match="expected 2 coefficients and '0:number', but '-1 0:2"):
        read_libsvm_machines(written(tmp_path, text.replace("-1 0.75 0:2", "-1 0:2")), K)


def test_an_argument_that_the_file_does_not_need_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"kernel must be None .* has its own of type rbf"):
        read_libsvm_machines(written(tmp_path, THREE), Precomputed(np.eye(5)))
    precomputed = THREE.replace("kernel_type rbf\ngamma 0.5", "kernel_type precomputed")
    with pytest.raises(ParameterError, match=r"features must be None .* but 4 came"):
        read_libsvm_machines(written(tmp_path, precomputed), Precomputed(np.eye(5)), features=4)


def test_two_classes_are_those_of_the_function(tmp_path: Path) -> None:
    X = np.arange(6.0).reshape(3, 2)
    f = Expansion(RBF(0.5), X, np.array([1.0, -2.0, 1.0]), 0.25, np.array([3, 7]))
    path = write_libsvm_model(f, tmp_path / "two.model")
    found, function = read_libsvm_machines(path), read_libsvm_model(path).function
    assert found.labels is not None
    assert found.labels.tolist() == [7, 3]
    assert found.coefficients[0].tolist() == function.coefficients.tolist()
    assert found.intercepts.tolist() == [function.intercept]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("\nSV\n", "\n", "it has no line SV"),
        ("total_sv 4", "total_sv 5", "but holds 4"),
        ("rho 0.5 -0.25 2", "rho 0.5 -0.25", "has 3 classes, but 2 numbers rho"),
        ("label 2 0 1", "label 2 0", "3 classes, but 2 labels and 3 numbers nr_sv"),
        ("nr_sv 2 1 1", "nr_sv 2 2", "3 classes, but 3 labels and 2 numbers nr_sv"),
        ("0 1 2:3", "0", "line 11, column 1: expected 2 coefficients, one for each other class"),
        ("0 1 2:3", "x 1 2:3", "line 11, column 1: expected 2 coefficients"),
        ("0 1 2:3", "0 1 2:x", "line 11"),
        ("gamma 0.5", "width 0.5", "line 3, column 1: expected one line for each of"),
        ("svm_type c_svc", "svm_type other", "cannot be read as that"),
    ],
)
def test_damaged_files(old: str, new: str, words: str, tmp_path: Path) -> None:
    with pytest.raises((FileFormatError, DataFormatError), match=words):
        read_libsvm_machines(written(tmp_path, THREE.replace(old, new)))
