# SPDX-License-Identifier: BSD-3-Clause
"""Kernel matrices in LIBSVM's files: scikit-learn reads them, and LIBSVM finds what the model here finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC

from builders import two_classes
from formulations import SoftMargin
from qpkernels import RBF, Precomputed
from qpkernels.errors import DataFormatError, FileFormatError, NonFiniteError, ShapeError
from qpkernels.files import read_libsvm_kernel, write_libsvm_kernel


def kernel_matrix() -> tuple[np.ndarray, np.ndarray]:
    X, y = two_classes(16)
    K = RBF(0.7)(X, X)
    K[0, 5] = K[5, 0] = 0.0
    return K, y


def test_a_matrix_is_read_back(tmp_path: Path) -> None:
    K, y = kernel_matrix()
    for targets in (y, y / 3):
        again, labels = read_libsvm_kernel(write_libsvm_kernel(K, targets, tmp_path / "k"))
        np.testing.assert_array_equal(again, K)
        np.testing.assert_array_equal(labels, targets)


def test_a_matrix_for_other_samples_is_read_back(tmp_path: Path) -> None:
    K = np.random.default_rng(0).normal(size=(3, 5))
    again, _ = read_libsvm_kernel(write_libsvm_kernel(K, np.zeros(3), tmp_path / "k"))
    np.testing.assert_array_equal(again, K)


def test_libsvm_reads_the_file_and_finds_the_same_machine(tmp_path: Path) -> None:
    K, y = kernel_matrix()
    path = write_libsvm_kernel(K, y, tmp_path / "k")
    columns, labels = load_svmlight_file(str(path), zero_based=True)
    assert columns.toarray()[:, 0].tolist() == list(range(1, 17))
    theirs = SVC(kernel="precomputed", C=2.0, tol=1e-8).fit(columns.toarray()[:, 1:], labels)
    again, targets = read_libsvm_kernel(path)
    ours = SoftMargin(np.arange(16), targets, Precomputed(again), C=2.0)
    solution = ours.solve(tol=1e-9)
    assert solution.status == "optimal"
    assert ours.certify(theirs).primal_value == pytest.approx(solution.objective, rel=1e-6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no sample"),
        ("1 0:1 1:1 2:0\n1 0:2 1:0\n", "line 2"),
        ("1 0:1 2:1\n", "line 1"),
        ("a 0:1 1:1\n", "line 1"),
        ("1 0:1 1:x\n", "line 1"),
        ("1 0:1\n", "line 1"),
        ("1\n", "ValueError"),
        ("1 0:2 1:1\n", "numbered 1 to 1 in order"),
        ("1 0:1 1:nan\n", "K must hold finite numbers"),
        ("1 0:1 1:1 \N{SNOWMAN}", "UnicodeDecodeError"),
    ],
)
def test_what_is_no_such_file_is_refused(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "k").write_text(text, encoding="utf-8")
    with pytest.raises(DataFormatError if words.startswith("line") else FileFormatError, match=words):
        read_libsvm_kernel(tmp_path / "k")


def test_what_is_no_matrix_with_targets_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(NonFiniteError, match="K must hold"):
        write_libsvm_kernel([[np.nan]], [1], tmp_path / "k")
    with pytest.raises(ShapeError, match="y must have 2 entries"):
        write_libsvm_kernel(np.eye(2), [1, 2, 3], tmp_path / "k")
    assert not list(tmp_path.iterdir())


@given(edits=st.lists(st.tuples(st.floats(0, 1), st.sampled_from(b"0987:. -e\n\xff")), max_size=8))
def test_damage_is_survived(tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[float, int]]) -> None:
    path = write_libsvm_kernel(*kernel_matrix(), tmp_path_factory.mktemp("damage") / "k")
    content = bytearray(path.read_bytes())
    for place, value in edits:
        content[int(place * (len(content) - 1))] = value
    path.write_bytes(content)
    try:
        K, _ = read_libsvm_kernel(path)
    except FileFormatError:
        return
    assert np.isfinite(K).all()
