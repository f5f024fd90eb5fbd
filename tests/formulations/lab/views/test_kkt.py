# SPDX-License-Identifier: BSD-3-Clause
"""The optimality conditions as they are drawn, against those of the textbook."""

from itertools import pairwise

import numpy as np
import pytest

from formulations.lab.settings import MACHINES, Task
from lab_scenes import curve, drawn, setting_of, two_classes
from qpkernels.arrays import Matrix, Vector

WITHOUT = {"linear-program", "relevance-classification", "relevance-regression"}


def held(place: Vector, multiplier: Vector, name: str) -> Vector:
    """Return by how much each sample breaks the conditions at the default hyper-parameters."""
    if name in ("soft-margin", "hard-margin"):
        above = np.inf if name == "hard-margin" else 1.0
        lower, upper = np.minimum(multiplier, np.maximum(place - 1, 0)), np.maximum(1 - place, 0)
        return np.asarray(np.maximum(lower, np.minimum(above - multiplier, upper)))
    if name == "tube":
        expected = np.where(np.abs(place) < 0.25, 0.0, np.sign(place))
        return np.asarray(np.minimum(np.abs(multiplier - expected), np.abs(np.abs(place) - 0.25)))
    if name == "quantile":
        return np.asarray(np.minimum(np.abs(multiplier - 0.5 * np.sign(place)), np.abs(place)))
    slopes = {
        "squared-hinge": 2.0 * np.maximum(1.0 - place, 0.0),
        "logistic": 1.0 / (1.0 + np.exp(place)),
        "least-squares-classifier": 1.0 - place,
        "huber": np.clip(place, -0.5, 0.5),
        "least-squares": place,
        "kernel-ridge": place / 0.1,
    }
    return np.asarray(np.abs(multiplier - slopes[name]))


STATED = sorted(MACHINES.keys() - WITHOUT - {"nu-margin", "nu-tube", "one-class"})


def points_for(name: str) -> list[list[float]]:
    return two_classes() if MACHINES[name].task is Task.CLASSIFICATION else curve()


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
