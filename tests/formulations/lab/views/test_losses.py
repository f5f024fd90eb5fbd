# SPDX-License-Identifier: BSD-3-Clause
"""Losses as they are drawn, against their formulas, and against the primal value that is certified."""

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
import pytest

from formulations.lab.settings import MACHINES, LabTask
from formulations.lab.views.losses import LOSSES
from formulations.modelling.solution import Solution
from lab_scenes import curve, drawn, scene_of, setting_of, two_classes
from qpkernels.arrays import Matrix, Vector

FORMULAS: Mapping[str, Callable[[Vector], Vector]] = {
    "soft-margin": lambda z: np.maximum(1.0 - z, 0.0),
    "linear-program-machine": lambda z: np.maximum(1.0 - z, 0.0),
    "squared-hinge": lambda z: np.maximum(1.0 - z, 0.0) ** 2,
    "logistic": lambda z: np.log1p(np.exp(-z)),
    "least-squares-classifier": lambda z: 0.5 * (1.0 - z) ** 2,
    "soft-tube": lambda r: np.maximum(np.abs(r) - 0.25, 0.0),
    "quantile": lambda r: 0.5 * np.abs(r),
    "huber": lambda r: np.where(np.abs(r) <= 0.5, 0.5 * r**2, 0.5 * np.abs(r) - 0.125),
    "least-squares": lambda r: 0.5 * r**2,
    "kernel-ridge": lambda r: 5.0 * r**2,
}
"""At the default hyper-parameters, C = 1 among them."""

SOLVED = sorted(name for name in MACHINES if "relevance" not in name)


def points_for(name: str) -> list[list[float]]:
    return two_classes() if MACHINES[name].task is LabTask.CLASSIFICATION else curve()


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


WITHOUT = {"linear-program-machine", "relevance-classification", "relevance-regression"}


def held(place: Vector, multiplier: Vector, name: str) -> Vector:
    """Return by how much each sample breaks the conditions at the default hyper-parameters."""
    if name in ("soft-margin", "hard-margin"):
        above = np.inf if name == "hard-margin" else 1.0
        lower, upper = np.minimum(multiplier, np.maximum(place - 1, 0)), np.maximum(1 - place, 0)
        return np.asarray(np.maximum(lower, np.minimum(above - multiplier, upper)))
    if name == "soft-tube":
        expected = np.where(np.abs(place) < 0.25, 0.0, np.sign(place))
        return np.asarray(np.minimum(np.abs(multiplier - expected), np.abs(np.abs(place) - 0.25)))
    if name == "quantile":
        return np.asarray(np.minimum(np.abs(multiplier - 0.5 * np.sign(place)), np.abs(place)))
    return np.asarray(np.abs(multiplier - SLOPES[name](place)))


SLOPES: Mapping[str, Callable[[Vector], Vector]] = {
    "squared-hinge": lambda z: 2.0 * np.maximum(1.0 - z, 0.0),
    "logistic": lambda z: 1.0 / (1.0 + np.exp(z)),
    "least-squares-classifier": lambda z: 1.0 - z,
    "huber": lambda r: np.clip(r, -0.5, 0.5),
    "least-squares": lambda r: r,
    "kernel-ridge": lambda r: r / 0.1,
}
STATED = sorted({"soft-margin", "hard-margin", "soft-tube", "quantile", *SLOPES})


def near(polygon: Matrix, place: Vector, multiplier: Vector) -> Vector:
    """Return the distance of points from a polygonal line."""
    points = np.column_stack([place, multiplier])
    found = np.full(len(points), np.inf)
    for begin, end in pairwise(polygon):
        step = end - begin
        share = np.clip((points - begin) @ step / max(float(step @ step), 1e-300), 0.0, 1.0)
        found = np.minimum(found, np.linalg.norm(points - begin - share[:, None] * step, axis=1))
    return found


@pytest.mark.parametrize("name", STATED)
def test_every_sample_meets_the_conditions_of_the_textbook(name: str) -> None:
    arrays = drawn(setting_of(name, points_for(name), view="kkt"), tol=1e-8).arrays
    assert held(arrays["place"], arrays["multiplier"], name).max() < 1e-3


@pytest.mark.parametrize("name", sorted(MACHINES.keys() - WITHOUT))
def test_every_sample_lies_on_the_graph(name: str) -> None:
    arrays = drawn(setting_of(name, points_for(name), view="kkt"), tol=1e-8).arrays
    size = max(1.0, float(np.abs(arrays["multiplier"]).max()))
    assert near(arrays["curve"], arrays["place"], arrays["multiplier"]).max() < 2e-3 * size


def test_the_graph_of_a_soft_margin_is_its_staircase() -> None:
    found = drawn(setting_of("soft-margin", two_classes(), view="kkt", C=3.0)).arrays["curve"]
    assert [1.0, 0.0] in found.tolist()
    assert [1.0, 3.0] in found.tolist()
    assert set(found[:, 1]) == {0.0, 3.0}


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_a_machine_without_a_graph_says_so(name: str) -> None:
    found = drawn(setting_of(name, points_for(name), view="kkt"))
    assert found.facts["words"]
    assert not found.arrays
