# SPDX-License-Identifier: BSD-3-Clause
"""The kernel matrix as it is drawn."""

import numpy as np
import pytest

from formulations.lab.views.gram import effective_rank
from lab_scenes import curve, drawn, setting_of, two_classes


@pytest.mark.parametrize(
    ("eigenvalues", "expected"),
    [([2.0] * 5, 5.0), ([3.0, 0.0, 0.0], 1.0), ([0.5, 0.25, 0.25], 2.0**1.5), ([1.0, -1.0], 2.0)],
)
def test_the_effective_rank_is_the_exponential_of_the_entropy(eigenvalues: list[float], expected: float) -> None:
    assert effective_rank(np.array(eigenvalues)) == pytest.approx(expected)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial"])
def test_spectrum_and_trace_are_those_of_the_matrix(kernel: str) -> None:
    setting = setting_of("soft-margin", two_classes(), kernel, "gram")
    found = drawn(setting)
    K = setting.kernel_function().matrix(setting.X, setting.X)
    assert found.arrays["eigenvalues"].sum() == pytest.approx(np.trace(K))
    assert np.sort(found.arrays["eigenvalues"]) == pytest.approx(np.linalg.eigvalsh(K), abs=1e-9 * np.trace(K))
    assert found.facts["rank"] == np.linalg.matrix_rank(K, hermitian=True)
    assert found.facts["smallest"] == found.arrays["eigenvalues"].min()
    assert np.sort(found.arrays["matrix"], axis=None) == pytest.approx(np.sort(K, axis=None))


def test_samples_are_ordered_by_class_and_decision_value() -> None:
    setting = setting_of("soft-margin", two_classes(), "linear", "gram")
    found = drawn(setting)
    # Of the linear kernel, the row of a sample far out on one side has its largest value on the same side.
    assert found.facts["classes"] == 12
    blocks = found.arrays["matrix"][:12, :12].mean(), found.arrays["matrix"][:12, 12:].mean()
    assert blocks[0] > blocks[1]


def test_those_of_a_regression_are_ordered_by_their_feature() -> None:
    points = curve(20)
    found = drawn(setting_of("soft-tube", points[::-1], "linear", "gram"))
    x = np.array(points)[:, 0]
    assert found.arrays["matrix"] == pytest.approx(np.outer(x, x))


def test_of_many_samples_some_are_shown_and_the_page_says_so() -> None:
    found = drawn(setting_of("soft-margin", two_classes(700), "linear", "gram"))
    assert found.arrays["matrix"].shape == (150, 150)
    assert found.arrays["eigenvalues"].shape == (600,)
    assert "150 of 700" in found.facts["note"]
    assert "600" in found.facts["note"]


def test_of_few_samples_all_are_shown() -> None:
    assert drawn(setting_of("soft-margin", two_classes(), "linear", "gram")).facts["note"] == ""


def test_without_samples_there_is_none() -> None:
    found = drawn(setting_of("soft-margin", [], "linear", "gram"))
    assert found.facts["words"]
    assert not found.arrays
