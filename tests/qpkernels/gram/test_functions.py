# SPDX-License-Identifier: BSD-3-Clause
"""The function that a kernel machine finds, its values and its files."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from builders import HOLDS_ARRAYS, INDEFINITE, KERNEL_EXAMPLES, SAVED_KERNELS, example_samples
from qpkernels import RBF, Expansion, Kernel, Linear, Precomputed
from qpkernels.errors import FileFormatError, NonFiniteError, ParameterError, ShapeError
from sparse_samples import assert_close, each_taker, with_zeros
from together import together


@each_taker
def test_a_function_and_its_file(kernel: Kernel, tmp_path: Path) -> None:
    centers, X, beta = with_zeros(6), with_zeros(8, seed=2), np.random.default_rng(3).normal(size=6)
    dense = Expansion(kernel, centers, beta, 1 / 3)
    sparse = Expansion(kernel, csr_array(centers), beta, 1 / 3)
    for f, samples in ((sparse, csr_array(X)), (sparse, X), (dense, csr_array(X))):
        assert_close(f(samples), dense(X))
    assert sparse.squared_norm == pytest.approx(dense.squared_norm, rel=1e-11)
    if type(kernel) not in SAVED_KERNELS:
        return
    path = sparse.save(tmp_path / "model")
    again = Expansion.load(path)
    assert type(again.centers) is csr_array
    np.testing.assert_array_equal(again.centers.toarray(), centers)
    np.testing.assert_array_equal(again(X), sparse(X))
    assert again.intercept == sparse.intercept
    with np.load(path, allow_pickle=False) as file:
        contents = {name: file[name] for name in file.files}
    assert "centers" not in contents
    for name in ("centers_indptr", "kernel"):
        np.savez(tmp_path / "part.npz", **{key: value for key, value in contents.items() if key != name})
        with pytest.raises(FileFormatError, match=r"must be a function written by Expansion\.save, but it holds"):
            Expansion.load(tmp_path / "part.npz")


def test_values_at_sparse_samples_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    f, X = Expansion(RBF(0.5), csr_array(with_zeros(6)), np.arange(6.0)), with_zeros(50, seed=1)
    whole = f(X)
    monkeypatch.setattr("qpkernels.arrays.checks._BLOCK_BYTES", 8 * 6 * 7)
    assert_close(f(csr_array(X)), whole)


def test_the_weights_of_a_linear_function_are_a_dense_vector() -> None:
    X, beta = with_zeros(6, d=5), np.arange(6.0)
    f = Expansion(Linear(), csr_array(X), beta, 0.5)
    assert type(f.weights) is np.ndarray
    assert_close(f.weights, X.T @ beta)
    assert_close(f(X), X @ f.weights + 0.5)


every_kernel = together("kernel", KERNEL_EXAMPLES.values())
saved_kernel = pytest.mark.parametrize("kernel", SAVED_KERNELS.values(), ids=lambda kernel: type(kernel).__name__)


def expansion(kernel: Kernel, classes: Any = None, intercept: float = -0.25) -> Expansion:
    centers = example_samples(kernel, 6)
    return Expansion(kernel, centers, np.random.default_rng(5).normal(size=6), intercept, classes)


@every_kernel
def test_values_are_the_sum_over_the_centers(kernel: Kernel) -> None:
    f, X = expansion(kernel), example_samples(kernel, 5, seed=9)
    by_hand = [
        sum(f.coefficients[j] * kernel(X[i : i + 1], f.centers[j : j + 1])[0, 0] for j in range(6)) for i in range(5)
    ]
    np.testing.assert_allclose(f(X), np.array(by_hand) - 0.25, rtol=1e-11, atol=1e-12)
    np.testing.assert_array_equal(f.predict(X), f(X))


@every_kernel
def test_the_squared_norm_leaves_the_intercept_out(kernel: Kernel) -> None:
    f = expansion(kernel, intercept=3.0)
    K = kernel(f.centers)
    assert f.squared_norm == pytest.approx(f.coefficients @ K @ f.coefficients, rel=1e-11)
    assert f.squared_norm >= 0 or type(kernel) in INDEFINITE


def test_values_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    f = expansion(RBF(0.5))
    X = np.random.default_rng(0).normal(size=(50, 3))
    whole = f(X)
    monkeypatch.setattr("qpkernels.arrays.checks._BLOCK_BYTES", 8 * 6 * 7)
    np.testing.assert_allclose(f(X), whole, rtol=1e-13)


CLASSES = [
    np.array([-1, 1]),
    np.array(["benign", "malignant"]),
    np.array([0.5, 2.5]),
    np.array([False, True]),
    np.array(["é", "日本"]),
]


@pytest.mark.parametrize("classes", CLASSES, ids=str)
def test_the_sign_chooses_the_class(classes: Any) -> None:
    f = Expansion(Linear(), np.array([[1.0]]), np.array([1.0]), 0.0, classes)
    predicted = f.predict([[-2.0], [3.0], [0.0], [1e-300]])
    assert predicted.tolist() == [classes[0], classes[1], classes[0], classes[1]]
    assert predicted.dtype == classes.dtype


@saved_kernel
@pytest.mark.parametrize("suffix", ["", ".npz"])
def test_a_file_keeps_every_number(kernel: Kernel, suffix: str, tmp_path: Path) -> None:
    f, X = expansion(kernel, intercept=1 / 3), example_samples(kernel, 8, seed=4)
    path = f.save(tmp_path / f"model{suffix}")
    assert path == tmp_path / "model.npz"
    again = Expansion.load(path)
    np.testing.assert_array_equal(again(X), f(X))
    np.testing.assert_array_equal(again.coefficients, f.coefficients)
    np.testing.assert_array_equal(again.centers, f.centers)
    assert again.intercept == f.intercept
    assert again.classes is None
    assert type(again.kernel) is type(kernel)
    if not isinstance(kernel, HOLDS_ARRAYS):
        assert again.kernel == kernel


@pytest.mark.parametrize("classes", CLASSES, ids=str)
def test_a_file_keeps_the_classes(classes: Any, tmp_path: Path) -> None:
    f = expansion(RBF(0.5), classes)
    again = Expansion.load(f.save(str(tmp_path / "model")))
    assert again.classes is not None
    assert again.classes.dtype == classes.dtype
    np.testing.assert_array_equal(again.classes, classes)
    X = example_samples(RBF(0.5), 8, seed=4)
    np.testing.assert_array_equal(again.predict(X), f.predict(X))


def test_a_file_keeps_kernels_inside_kernels(tmp_path: Path) -> None:
    K = np.random.default_rng(0).normal(size=(7, 7))
    kernel = (Precomputed(K @ K.T) + 2 * Precomputed(np.eye(7))) ** 2
    f = Expansion(kernel, np.array([1, 4]), np.array([0.5, -2.0]))
    np.testing.assert_array_equal(Expansion.load(f.save(tmp_path / "f"))(np.arange(7)), f(np.arange(7)))


def test_classes_from_pandas_are_kept_without_pickle(tmp_path: Path) -> None:
    f = expansion(RBF(0.5), np.array(["no", "yes"], dtype=object))
    path = f.save(tmp_path / "model")
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name] is not None for name in file.files)
    assert (
        Expansion.load(path).predict(example_samples(RBF(0.5), 3)).tolist()
        == f.predict(example_samples(RBF(0.5), 3)).tolist()
    )


@saved_kernel
def test_a_file_holds_no_pickle(kernel: Kernel, tmp_path: Path) -> None:
    path = expansion(kernel, np.array(["a", "b"])).save(tmp_path / "model")
    with np.load(path, allow_pickle=False) as file:
        contents = {name: file[name] for name in file.files}
    assert {"kernel", "centers", "coefficients", "intercept", "classes"} <= set(contents)
    assert not any(array.dtype == object for array in contents.values())


def test_a_file_with_an_unknown_kernel_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    np.savez(path, kernel='{"kernel": "Quantum"}', centers=np.ones((1, 1)), coefficients=np.ones(1), intercept=0.0)
    with pytest.raises(FileFormatError, match="'Quantum'"):
        Expansion.load(path)


def test_samples_must_have_the_features_of_the_centers() -> None:
    f = expansion(Linear())
    with pytest.raises(ShapeError, match="fitted to samples with 3 features, but those of X have 2 features"):
        f(np.ones((4, 2)))
    with pytest.raises(ShapeError, match="with 3 features, but those of X have 1 feature"):
        f.predict(np.ones((4, 1)))
    with pytest.raises(ShapeError, match="reshape"):
        f(np.ones(3))
    with pytest.raises(NonFiniteError, match=r"X\[0, 2\]"):
        f([[1.0, 2.0, np.nan]])
    with pytest.raises(ShapeError, match="gamma has 3 entries"):
        expansion(RBF((1.0, 2.0, 3.0)))(np.ones((4, 2)))


def test_coefficients_must_fit_the_centers() -> None:
    with pytest.raises(ShapeError, match="coefficients must have 3 entries"):
        Expansion(Linear(), np.ones((3, 2)), np.ones(2))
    with pytest.raises(NonFiniteError, match=r"coefficients\[1\]"):
        Expansion(Linear(), np.ones((2, 2)), np.array([1.0, np.inf]))
    with pytest.raises(ParameterError, match="row numbers"):
        Expansion(Precomputed(np.eye(2)), np.array([2]), np.ones(1))


def test_an_expansion_is_frozen() -> None:
    f = expansion(Linear())
    with pytest.raises(AttributeError):
        f.intercept = 1.0  # type: ignore[misc]
    for array in (f.centers, f.coefficients):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


@pytest.mark.parametrize("kernel", [Linear(), 4 * Linear(), Linear().compose(np.asarray)], ids=str)
def test_what_far_samples_share_does_not_cancel(kernel: Kernel) -> None:
    rng = np.random.default_rng(0)
    # Quarters: their products are exact, however far away.
    near, X = (rng.integers(-8, 8, size=(m, 3)) / 4.0 + 2.0**17 for m in (40, 50))
    beta = 1e3 * rng.normal(size=40)
    beta[-1] = -beta[:-1].sum()
    exact = [sum(Fraction(k) * Fraction(c) for k, c in zip(row, beta, strict=True)) for row in kernel(X, near)]
    assert np.abs(kernel(X, near) @ beta - np.array(exact, float)).max() > 1e-3
    np.testing.assert_allclose(Expansion(kernel, near, beta)(X), np.array(exact, float), rtol=0, atol=1e-5)


# --- damaged files ---


@given(
    edits=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=8),
    cut=st.none() | st.floats(0, 1),
)
def test_a_damaged_file_is_refused_by_name(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[float, int]], cut: float | None
) -> None:
    path = expansion(RBF(0.5), np.array(["a", "b"])).save(tmp_path_factory.mktemp("damage") / "f")
    content = bytearray(path.read_bytes())
    for place, value in edits:
        content[int(place * (len(content) - 1))] = value
    path.write_bytes(content if cut is None else content[: int(cut * len(content))])
    try:
        f = Expansion.load(path)
    except FileFormatError:
        return
    assert np.isfinite(f.coefficients).all()


@pytest.mark.parametrize("content", [b"", b"PK\3\4", b"\x80\x04cos\nsystem\n.", b"\x93NUMPY" + bytes(90)])
def test_a_file_of_another_kind_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "f.npz").write_bytes(content)
    with pytest.raises(FileFormatError, match="must be a function written by"):
        Expansion.load(tmp_path / "f.npz")


@pytest.mark.parametrize(
    "changes",
    [
        {"kernel": "[]"},
        {"kernel": "{}"},
        {"kernel": '{"kernel": "RBF", "gamma": -1}'},
        {"kernel": '{"kernel": "RBF", "delta": 1}'},
        {"kernel": '{"kernel": "Precomputed", "K": {"array": 7}}'},
        {"kernel": '{"kernel":' * 5000},
        {"intercept": np.nan},
        {"intercept": "a"},
        {"intercept": np.ones(2)},
        {"coefficients": np.ones(2)},
        {"coefficients": np.array([1, np.nan, 2])},
        {"centers": np.ones((3, 2, 2))},
        {"classes": np.ones(3)},
    ],
    ids=lambda changes: f"{next(iter(changes))}={str(next(iter(changes.values())))[:30]}",
)
def test_a_part_that_is_wrong_is_refused(changes: dict[str, Any], tmp_path: Path) -> None:
    path = expansion(RBF(0.5), np.array(["a", "b"])).save(tmp_path / "f")
    with np.load(path) as file:
        contents = dict(file)
    np.savez(path, **(contents | changes))
    with pytest.raises(FileFormatError):
        Expansion.load(path)
