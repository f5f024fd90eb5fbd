# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of some columns, and what they make of tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from qpkernels import RBF, Columns, Expansion, Gram, Laplacian, Linear, Matching, Spectrum
from qpkernels.display import to_text
from qpkernels.errors import FeatureNamesError, QPKernelsError
from together import together

RNG = np.random.default_rng(4)
FRAME = pd.DataFrame(
    {
        "age": RNG.normal(size=14),
        "sex": RNG.choice(["f", "m"], 14),
        "bmi": RNG.normal(size=14),
        "rank": RNG.integers(0, 3, 14),
        "text": ["".join(RNG.choice(list("ab"), 6)) for _ in range(14)],
        "when": pd.date_range("2020", periods=14),
    }
)
NAMES = tuple(FRAME.columns)
MIXED = Columns(RBF(0.1), ["age", "bmi"]) + Columns(Spectrum(2), "text") * Columns(Matching(), ["sex", "rank"])


def test_each_kernel_has_its_columns() -> None:
    numbers, texts = FRAME[["age", "bmi"]].to_numpy(), FRAME["text"].tolist()
    categories = np.array([f"{sex}" for sex in FRAME["sex"]]), FRAME["rank"].to_numpy()
    alike = 0.5 * sum(np.equal.outer(each, each).astype(float) for each in categories)
    expected = RBF(0.1)(numbers) + Spectrum(2)(texts) * alike
    np.testing.assert_allclose(MIXED(FRAME), expected, rtol=1e-14)
    np.testing.assert_allclose(MIXED(FRAME[:5], FRAME[5:]), expected[:5, 5:], rtol=1e-14)
    assert MIXED.positive_semidefinite
    assert not (Columns(Laplacian(1.0), "age") + Columns(Matching(), "sex")).takes_sparse


def test_positions_are_counted_from_0() -> None:
    X = FRAME[["age", "bmi", "rank"]].to_numpy()
    kernel = Columns(RBF(0.1), [0, 1]) * Columns(Matching(), 2)
    expected = RBF(0.1)(X[:, :2]) * Matching()(X[:, 2:])
    np.testing.assert_allclose(kernel(X), expected)
    np.testing.assert_allclose(Columns(RBF(0.1), (0, 2))(FRAME), RBF(0.1)(FRAME[["age", "bmi"]]))
    np.testing.assert_allclose(Columns(Linear(), [2, 0])(csr_array(X)), X[:, [2, 0]] @ X[:, [2, 0]].T)
    assert Columns(RBF(0.1), np.array([0, 1])) == Columns(RBF(0.1), (0, 1))


def test_a_function_over_a_table_and_its_file(tmp_path: Path) -> None:
    f = Expansion(MIXED, FRAME[:6], RNG.normal(size=6), 0.3)
    again = Expansion.load(f.save(tmp_path / "mixed"))
    assert again.kernel == MIXED
    np.testing.assert_array_equal(again(FRAME), f(FRAME))
    np.testing.assert_allclose(f(FRAME), MIXED(FRAME, FRAME[:6]) @ f.coefficients + 0.3)
    # Columns that no kernel asks for may be missing later.
    np.testing.assert_array_equal(again(FRAME.drop(columns="when")), f(FRAME))


def test_a_gram_of_a_table() -> None:
    gram = Gram(MIXED, FRAME)
    gram.require_psd()
    np.testing.assert_allclose(gram.part(np.array([3, 1])).dense, MIXED(FRAME)[np.ix_([3, 1], [3, 1])])
    assert (MIXED.enclosed(gram.X, gram.X)(slice(0, 3)).errors < 1e-13).all()


def test_columns_by_name_may_stand_anywhere(tmp_path: Path) -> None:
    f = Expansion.load(Expansion(MIXED, FRAME, np.ones(14), 0.3, feature_names=NAMES).save(tmp_path / "named"))
    other = FRAME[["text", "rank", "bmi", "sex", "age"]].assign(more="x")
    np.testing.assert_array_equal(f(other), f(FRAME))
    assert MIXED.names == (2.0 * MIXED).names == {"age", "sex", "bmi", "rank", "text"}
    with pytest.raises(FeatureNamesError, match=r"takes the columns age, sex, bmi, .* has no sex, text; its columns"):
        f(other.drop(columns=["sex", "text"]))
    # A position is one in the table of the fit.
    for kernel in (Columns(RBF(0.1), [0, 2]), Columns(RBF(0.1), "age") * Columns(RBF(0.1), 2)):
        assert kernel.names is None
        with pytest.raises(FeatureNamesError, match="in the order of the fit"):
            Expansion(kernel, FRAME, np.ones(14), feature_names=NAMES)(FRAME[FRAME.columns[::-1]])


def test_a_formula_names_its_columns() -> None:
    assert to_text(Columns(RBF(0.1), ["age", "bmi"]).formula()) == "exp(−0.1 ‖(x_(age, bmi)) − (z_(age, bmi))‖²)"
    assert to_text(Columns(Linear(), 2).formula()) == "(x₂)ᵀ(z₂)"
    assert "(x_(0, 1, 2, 3, 4, 5, ...))" in to_text(Columns(Linear(), range(9)).formula())


@together(
    "action, words",
    [
        (lambda: Columns("rbf", "age"), "takes a Kernel first"),
        (lambda: Columns(RBF(1.0), []), "at least one"),
        (lambda: Columns(RBF(1.0), ["age", "age"]), "all different"),
        (lambda: Columns(RBF(1.0), -1), "position of at least 0"),
        (lambda: Columns(RBF(1.0), True), "position of at least 0"),
        (lambda: Columns(RBF(1.0), "text")(FRAME), r"'text' do not suit RBF.*but text came"),
        (lambda: Columns(RBF(1.0), "height")(FRAME), "column 'height' of numbers or text.*age, sex, bmi, rank, text"),
        (lambda: Columns(RBF(1.0), "when")(FRAME), "column 'when' of numbers or text"),
        (lambda: Columns(RBF(1.0), 5)(FRAME), "column 5 of numbers or text"),
        (lambda: Columns(RBF(1.0), 3)(np.eye(3)), "column 3, counted from 0, but they have 3"),
        (lambda: Columns(RBF(1.0), "age")(np.eye(3)), "the samples have no names"),
        (lambda: Columns(RBF(1.0), "age")(FRAME.assign(age=np.nan)), r"'age' do not suit RBF.*is nan"),
        (lambda: Columns(Spectrum(2), "age")(FRAME), "'age' do not suit Spectrum"),
    ],
)
def test_what_is_refused(action: Callable[[], Any], words: str) -> None:
    with pytest.raises(QPKernelsError, match=words):
        action()
