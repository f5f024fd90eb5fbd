# SPDX-License-Identifier: BSD-3-Clause
"""Answers compute what is asked of them, and once."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import SoftMargin
from qpkernels.gram import Gram
from qpkernels.kernels import RBF


@pytest.fixture
def products(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the products with K."""
    found: list[int] = []
    original = Gram.product

    def counted(self: Gram, coefficients: object) -> object:
        found.append(1)
        return original(self, coefficients)  # type: ignore[arg-type]

    monkeypatch.setattr(Gram, "product", counted)
    return found


def model() -> SoftMargin:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    return SoftMargin(X, np.sign(X[:, 0] + 0.3 * rng.normal(size=30)), RBF(gamma=0.5))


def test_an_enclosure_needs_no_ordinary_product(products: list[int]) -> None:
    solution = model().solve()
    products.clear()
    assert model().enclose(solution).width < np.inf
    assert not products


def test_values_are_computed_once(products: list[int]) -> None:
    stated = model()
    answer = stated.candidate((np.zeros(30), 0.5))
    assert not products
    assert answer.at_samples is answer.at_samples
    assert len(products) == 1


def test_a_function_that_is_the_expansion_in_beta_is_judged_as_such() -> None:
    stated = model()
    solution = stated.solve()
    assert stated.candidate(solution).is_expansion
    other = stated.primal.solve("clarabel")
    assert not stated.candidate(other).is_expansion
