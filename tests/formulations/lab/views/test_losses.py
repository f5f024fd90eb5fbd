# SPDX-License-Identifier: BSD-3-Clause
"""Losses as they are drawn, against their formulas, and against the primal value that is certified."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from formulations.lab.settings import MACHINES, Task
from formulations.lab.views.losses import LOSSES
from formulations.modelling.solution import Solution
from lab_scenes import curve, drawn, scene_of, setting_of, two_classes
from qpkernels.arrays import Vector

FORMULAS: Mapping[str, Callable[[Vector], Vector]] = {
    "soft-margin": lambda z: np.maximum(1.0 - z, 0.0),
    "linear-program": lambda z: np.maximum(1.0 - z, 0.0),
    "squared-hinge": lambda z: np.maximum(1.0 - z, 0.0) ** 2,
    "logistic": lambda z: np.log1p(np.exp(-z)),
    "least-squares-classifier": lambda z: 0.5 * (1.0 - z) ** 2,
    "tube": lambda r: np.maximum(np.abs(r) - 0.25, 0.0),
    "quantile": lambda r: 0.5 * np.abs(r),
    "huber": lambda r: np.where(np.abs(r) <= 0.5, 0.5 * r**2, 0.5 * np.abs(r) - 0.125),
    "least-squares": lambda r: 0.5 * r**2,
    "kernel-ridge": lambda r: 5.0 * r**2,
}
"""At the default hyper-parameters, C = 1 among them."""

SOLVED = sorted(name for name in MACHINES if "relevance" not in name)


def points_for(name: str) -> list[list[float]]:
    return two_classes() if MACHINES[name].task is Task.CLASSIFICATION else curve()


@pytest.mark.parametrize("name", FORMULAS)
def test_curve_and_samples_have_the_loss_of_the_textbook(name: str) -> None:
    arrays = drawn(setting_of(name, points_for(name), view="losses")).arrays
    places, values = arrays["curve"].T
    assert values == pytest.approx(FORMULAS[name](places), abs=1e-12)
    assert arrays["loss"] == pytest.approx(FORMULAS[name](arrays["place"]), abs=1e-12)


@pytest.mark.parametrize("name", SOLVED)
def test_penalty_and_losses_are_the_certified_objective(name: str) -> None:
    scene = scene_of(setting_of(name, points_for(name)))
    solution = scene.answer.solution
    assert isinstance(solution, Solution)
    facts = LOSSES.draw(scene, 0).facts
    terms = [number for _, number in facts["terms"]]
    size = sum(map(abs, terms))
    assert sum(terms) == pytest.approx(solution.certificate.primal_value, abs=1e-6 * size)


def test_the_loss_of_a_hard_margin_is_infinite_below_it() -> None:
    places, values = drawn(setting_of("hard-margin", two_classes(), view="losses")).arrays["curve"].T
    assert np.isnan(values[places < 1.0]).all()
    assert (values[places >= 1.0] == 0.0).all()
    assert 1.0 in places


@pytest.mark.parametrize("name", ["relevance-classification", "relevance-regression"])
def test_a_relevance_machine_has_none(name: str) -> None:
    found = drawn(setting_of(name, points_for(name), view="losses"))
    assert "evidence" in found.facts["words"]
    assert not found.arrays
