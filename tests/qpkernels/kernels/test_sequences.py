# SPDX-License-Identifier: BSD-3-Clause
"""What kernels over sequences share: samples, normalisation, matrices and files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import random_texts
from qpkernels import RBF, Expansion, Gram, Kernel, Mercer, Spectrum, Subsequence
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels.sequences import as_sequences
from together import together

KERNELS = [Spectrum(2), Spectrum(3, normalise=True), Subsequence(2, 0.5), Subsequence(3, 0.8, normalise=True)]


every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


@pytest.mark.parametrize("plain", [Spectrum(2), Subsequence(2, 0.6)], ids=repr)
def test_normalised_values_are_cosines(plain: Any) -> None:
    X, Z = random_texts(6, "ab", 2, 9, seed=1), random_texts(4, "ab", 2, 9, seed=2)
    kernel = type(plain)(**{**vars(plain), "normalise": True})
    norms, others = np.sqrt(plain(X).diagonal()), np.sqrt(plain(Z).diagonal())
    np.testing.assert_allclose(kernel(X, Z), plain(X, Z) / np.outer(norms, others), rtol=1e-13)
    np.testing.assert_allclose(kernel(X).diagonal(), 1.0, rtol=1e-14)
    np.testing.assert_array_equal(kernel.diagonal(kernel.samples(X)), 1.0)


@every_kernel
def test_what_is_too_short_for_a_word_is_like_nothing(kernel: Kernel) -> None:
    K = kernel(["a", "abca", "abca"])
    assert K[0].tolist() == [0.0, 0.0, 0.0]
    assert K[1, 1] > 0
    assert K[1, 2] == pytest.approx(K[1, 1], rel=1e-14)
    np.testing.assert_allclose(kernel.diagonal(kernel.samples(["a", "abca"])), K.diagonal()[:2], rtol=1e-14)
    np.testing.assert_array_equal(kernel(["a", "b"]), np.zeros((2, 2)))


@every_kernel
@given(X=st.lists(st.text("ab", min_size=1, max_size=8), min_size=2, max_size=8))
def test_matrices_are_positive_semidefinite(kernel: Kernel, X: list[str]) -> None:
    assert Mercer(kernel, X).is_psd
    assert kernel.positive_semidefinite


@every_kernel
def test_text_bytes_and_integers_are_the_same_letters(kernel: Kernel) -> None:
    X = ["abcab", "bca", "é\x01aab"]
    expected = kernel(X)
    assert expected.any()
    for same in (
        tuple(X),
        np.array(X),
        np.array(X, dtype=object),
        [text.encode("latin-1") for text in X],
        [bytearray(text.encode("latin-1")) for text in X],
        [[ord(letter) for letter in text] for text in X],
        [np.array([ord(letter) for letter in text], dtype=np.uint8) for text in X],
    ):
        np.testing.assert_array_equal(kernel(same), expected)
        np.testing.assert_array_equal(kernel(same, X), expected)


def test_integers_in_a_matrix_are_a_sequence_a_row() -> None:
    X = np.array([[0, 1, 2, 0], [1, 2, 0, 0]])
    np.testing.assert_array_equal(Spectrum(2)(X), [[3, 2], [2, 3]])
    np.testing.assert_array_equal(Spectrum(2)(X.tolist()), Spectrum(2)(X))


@pytest.mark.parametrize("X", [["a\0", "a"], [b"a\0", b"a"], [[97, 0], [97]]], ids=["text", "bytes", "integers"])
def test_the_code_0_is_a_letter(X: Any) -> None:
    np.testing.assert_array_equal(Spectrum(1)(X), [[2, 1], [1, 1]])
    np.testing.assert_array_equal(Spectrum(1)(["\0a\0\0"], X), [[4, 1]])


@every_kernel
def test_the_container_is_taken_back_and_sliced(kernel: Kernel) -> None:
    X = kernel.samples(["abcab", "b\0", "cccccc", "\U0010fffeab"])
    assert X.dtype.kind == "U"
    assert X.shape == (4,)
    np.testing.assert_array_equal(kernel.samples(X), X)
    np.testing.assert_array_equal(kernel.matrix(X[::-2], X[1:]), kernel(X)[::-2, 1:])


@together(
    "bad, words",
    [
        ("abc", r"a single one came, 'abc'; write \['abc'\]"),
        (b"abc", r"a single one came, b'abc'"),
        ([], "at least one sequence"),
        (np.array([], dtype=str), "at least one sequence"),
        (["ab", "", "c"], r"X\[1\] is empty; drop"),
        ([b"ab", b""], r"X\[1\] is empty"),
        ([[1], []], r"X\[1\] is empty"),
        (["ab", b"ab"], r"one kind, but X\[0\] is text and X\[1\] is bytes"),
        (["ab", [1, 2]], r"X\[0\] is text and X\[1\] is integers"),
        ([1, 2], r"X\[0\] is 1; convert"),
        (["ab", None], r"X\[1\] is None"),
        ([["a", "b"]], r"X\[0\] is \['a', 'b'\]"),
        ([[0.5, 1.0]], r"X\[0\] is \[0.5, 1.0\]"),
        ([[[1, 2]]], r"X\[0\] is \[\[1, 2\]\]"),
        ([[3, -1]], r"from 0 to 1114110, but X\[0\] holds -1"),
        ([[3], [1114111]], r"X\[1\] holds 1114111"),
        (np.arange(3), r"type int64 and shape \(3,\) came; list text"),
        (np.eye(2), r"type float64 and shape \(2, 2\) came"),
        (np.array([True]), r"X\[0\] is True"),
        (np.array([["ab", "c"]]), r"shape \(1, 2\)"),
        (3.5, r"shape \(\)"),
        (None, r"shape \(\)"),
    ],
)
def test_what_is_no_list_of_sequences_is_refused(bad: Any, words: str) -> None:
    with pytest.raises(ShapeError, match=words):
        as_sequences(bad)
    for kernel in KERNELS:
        with pytest.raises(ShapeError, match=words):
            Gram(kernel, bad)


def test_a_sum_with_a_kernel_of_numbers_is_refused() -> None:
    with pytest.raises(ShapeError, match="real numbers"):
        (Spectrum(2) + RBF(1.0))(["ab", "ba"])


@pytest.mark.parametrize("bad", [1, None, "yes"])
def test_normalise_is_true_or_false(bad: Any) -> None:
    with pytest.raises(ParameterError, match="normalise must be True or False"):
        Spectrum(2, bad)
    with pytest.raises(ParameterError, match="normalise must be True or False"):
        Subsequence(2, 0.5, bad)


@every_kernel
def test_combined_kernels_and_their_files(kernel: Kernel, tmp_path: Path) -> None:
    combined = 2 * kernel + (kernel * Spectrum(1)).polynomial([0.5, 1.0])
    X = ["abcab", "bca", "c\0", "aab"]
    K = kernel(X)
    np.testing.assert_allclose(combined(X), 2 * K + 0.5 + K * Spectrum(1)(X), rtol=1e-14)
    f = Expansion(combined, X, np.array([1.0, -2.0, 0.5, 3.0]), 0.25, np.array(["coil", "helix"]))
    again = Expansion.load(f.save(tmp_path / "f"))
    assert again.kernel == combined
    np.testing.assert_array_equal(again.centers, f.centers)
    new = ["ab", "a much longer text: ab", "c\0\0"]
    np.testing.assert_array_equal(again(new), f(new))
    assert again.predict(new).tolist() == f.predict(new).tolist()


def test_a_gram_matrix_of_text() -> None:
    X = random_texts(30, "acgt", 20, 40)
    gram = Gram(Spectrum(2), X)
    gram.require_psd()
    v = np.random.default_rng(0).normal(size=30) * (np.arange(30) % 2)
    np.testing.assert_allclose(gram.product(v), gram.dense @ v, rtol=1e-12, atol=1e-10)
    # At most 16 words of two letters.
    assert gram.factor.shape == (30, 16)
    np.testing.assert_allclose(gram.factor @ gram.factor.T, gram.dense, rtol=1e-10)
