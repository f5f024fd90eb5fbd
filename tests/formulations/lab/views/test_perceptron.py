# SPDX-License-Identifier: BSD-3-Clause
"""The recording of a perceptron: that of the class itself, and never more mistakes than the bound."""

from __future__ import annotations

import numpy as np
import pytest

from formulations.lab.views.perceptron import record_perceptron
from formulations.lab.views.view import MOST_STEPS
from formulations.models.classification.separation.perceptron import Perceptron
from lab_settings import SEPARABLE, classes, lab_setting
from qpkernels.errors import OneClassError, ParameterError, UnsupportedProgramError


def separable(seed: int) -> list[list[float]]:
    return [point for point in classes(seed, 40, 1.5) if abs(point[0] + point[1]) > 0.5 and point[0] * point[2] > 0.0]


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial"])
@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_course_of_the_class_and_within_the_bound(kernel: str, seed: int) -> None:
    setting = lab_setting(points=separable(seed), kernel=kernel)
    run = record_perceptron(setting)
    solution = Perceptron(setting.X, setting.y, setting.kernel_function()).solve()
    assert run.ended
    assert run.separable
    assert len(run.steps) == solution.mistakes
    np.testing.assert_array_equal(run.steps[-1].alpha, solution.alpha)
    np.testing.assert_allclose(run.function(len(run.steps))(setting.X), solution.function(setting.X), atol=1e-12)
    assert run.bound is not None
    assert len(run.steps) <= run.bound


def test_each_correction_adds_a_sample_that_was_on_the_wrong_side() -> None:
    setting = lab_setting(points=SEPARABLE)
    run = record_perceptron(setting)
    for k, step in enumerate(run.steps):
        margin = setting.y[step.sample] * float(run.function(k)(setting.X[[step.sample]])[0])
        assert margin <= 0.0
        np.testing.assert_array_equal(run.beta(k + 1) - run.beta(k), setting.y * (np.arange(6) == step.sample))
        wrong = int((setting.y * run.function(k + 1)(setting.X) <= 0.0).sum())
        assert run.wrong[k + 1] == wrong
    assert (np.diff(run.looked) > 0).all()


def test_classes_that_overlap_are_recorded_for_some_passes_alone() -> None:
    run = record_perceptron(lab_setting(points=classes(apart=0.1), kernel="linear"))
    assert run.separable is False
    assert run.bound is None
    assert not run.ended
    assert 20 <= len(run.steps) <= MOST_STEPS
    assert run.steps[-1].epoch <= 20


def test_what_it_cannot_show_is_said() -> None:
    with pytest.raises(UnsupportedProgramError, match="two classes"):
        record_perceptron(lab_setting("soft-tube"))
    with pytest.raises(UnsupportedProgramError, match="two classes"):
        record_perceptron(lab_setting("one-class"))
    with pytest.raises(OneClassError, match="two classes"):
        record_perceptron(lab_setting(points=[[0.0, 0.0, 1]]))
    with pytest.raises(ParameterError, match="at most 200 points"):
        record_perceptron(lab_setting(points=classes(samples=202)))
