# SPDX-License-Identifier: BSD-3-Clause
"""Paths as they are stepped through, against models solved one by one."""

from threading import Event

import numpy as np
import pytest

import formulations.lab.views.path as path_view
from formulations.lab.background import Background
from formulations.lab.settings import MACHINES, LabTask
from formulations.lab.views.path import PATH
from formulations.modelling import Model
from lab_scenes import curve, drawn, scene_of, setting_of, two_classes

EXACT = ("soft-margin", "soft-tube", "quantile")
BY_VALUES = ("nu-margin", "squared-hinge", "logistic", "one-class", "huber", "least-squares", "kernel-ridge")


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Wait for the compiled loops, which a page is told of instead."""
    assert path_view._COMPILED.is_done(600.0)


def points_for(name: str) -> list[list[float]]:
    return two_classes() if MACHINES[name].task is LabTask.CLASSIFICATION else curve()


@pytest.mark.parametrize("name", EXACT + BY_VALUES)
def test_every_step_is_an_answer(name: str) -> None:
    scene = scene_of(setting_of(name, points_for(name)))
    model, slider = scene.answer.model, MACHINES[name].sliders[0]
    assert isinstance(model, Model)
    for step in (0, 5, 11, 10**6):
        found = PATH.draw(scene, step)
        at = model.copy().set_params(**{slider.name: found.facts["value"]})
        assert found.function is not None
        assert found.multipliers is not None
        # Judged anew by the model at that value, from the coefficients alone.
        assert at.certify((found.multipliers, found.function.intercept)).holds(1e-4)
        decision = found.function(model.gram.X)
        expected = model.gram.product(found.multipliers) + found.function.intercept
        assert decision == pytest.approx(expected, abs=1e-8 * (1.0 + float(np.abs(expected).max())))


@pytest.mark.parametrize("name", EXACT)
def test_between_breakpoints_coefficients_are_linear(name: str) -> None:
    scene = scene_of(setting_of(name, points_for(name)))
    model, steps = scene.answer.model, PATH.draw(scene, 0).facts["steps"]
    assert isinstance(model, Model)
    for step in range(0, steps, max(1, steps // 5)):
        one, other = PATH.draw(scene, step), PATH.draw(scene, step + 1)
        assert one.multipliers is not None
        assert other.multipliers is not None
        assert one.function is not None
        assert other.function is not None
        middle = 0.5 * (one.facts["value"] + other.facts["value"])
        beta = 0.5 * (one.multipliers + other.multipliers)
        b = 0.5 * (one.function.intercept + other.function.intercept)
        assert model.copy().set_params(C=middle).certify((beta, b)).holds(1e-8)


def test_the_steps_go_from_end_to_end_of_the_slider() -> None:
    scene = scene_of(setting_of("soft-margin", two_classes()))
    first = PATH.draw(scene, 0)
    last = PATH.draw(scene, first.facts["steps"])
    assert (first.facts["step"], last.facts["step"]) == (0, first.facts["steps"])
    assert (first.facts["value"], last.facts["value"]) == (1e-3, 1e6)
    assert first.arrays["values"].shape == (first.facts["steps"] + 1,)
    # Shares of the bound.
    assert np.abs(first.arrays["curves"]).max() == pytest.approx(1.0)


def test_the_roles_of_the_samples_are_those_of_the_step() -> None:
    scene = scene_of(setting_of("soft-margin", two_classes()))
    first = PATH.draw(scene, 0)
    last = PATH.draw(scene, first.facts["steps"])
    assert first.roles is not None
    assert last.roles is not None
    # At the least C every multiplier is at its bound, at the largest none is.
    assert (first.roles == 2.0).all()
    assert {0.0, 1.0} == set(last.roles)


def test_the_margin_of_a_nu_margin_is_not_that_of_the_slider() -> None:
    assert not drawn(setting_of("nu-margin", two_classes(), view="path")).has_margin
    assert drawn(setting_of("soft-margin", two_classes(), view="path")).has_margin


def test_one_path_is_followed_for_all_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = scene_of(setting_of("soft-margin", two_classes()))
    PATH.draw(scene, 0)
    monkeypatch.setattr(path_view, "exact_path", None)
    assert PATH.draw(scene, 3).facts["steps"] > 3


def test_of_too_many_samples_it_says_how_many_there_may_be() -> None:
    found = drawn(setting_of("soft-margin", two_classes(302), "linear", "path"))
    assert "300" in found.facts["words"]
    assert "steps" not in found.facts


@pytest.mark.parametrize("name", ["hard-margin", "relevance-regression"])
def test_without_a_hyperparameter_there_is_none(name: str) -> None:
    found = drawn(setting_of(name, points_for(name), view="path"))
    assert "no hyper-parameter" in found.facts["words"]


def test_while_its_loops_are_compiled_the_page_says_so_and_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = Event()
    monkeypatch.setattr(path_view, "_COMPILED", Background(may_end.wait))
    monkeypatch.setattr(path_view, "_PATIENCE", 0.0)
    scene = scene_of(setting_of("soft-margin", two_classes()))
    found = PATH.draw(scene, 0)
    assert found.facts["pending"]
    assert "compiled" in found.facts["words"]
    may_end.set()
    monkeypatch.setattr(path_view, "_PATIENCE", 10.0)
    assert PATH.draw(scene, 0).facts["steps"] > 0
