# SPDX-License-Identifier: BSD-3-Clause
"""The function over the window is the expansion at the points of the grid, whatever the kernel."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from formulations.lab.drawing import Frame, grid_of, values_on
from formulations.lab.session import Session
from formulations.lab.settings import KERNELS, MACHINES, LabTask, Window, read_setting
from formulations.lab.views import VIEWS
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import RBF, Kernel, Matern, Sum
from together import together

WINDOW = Window(-2.0, 3.0, -1.5, 1.0)
_DEFAULTS = {name: kind.make({each.name: each.default for each in kind.sliders}) for name, kind in KERNELS.items()}
_RBF, _LAPLACIAN = _DEFAULTS["rbf"], _DEFAULTS["laplacian"]
CASES: dict[str, Kernel] = {
    **_DEFAULTS,
    "rough": Matern(0.3, nu=0.5),
    "smooth": Matern(2.0, nu=2.5),
    "smoothest": Matern(2.0, nu=np.inf),
    "a width for each feature": RBF((0.5, 2.0)),
    "sum": Sum(_RBF, _LAPLACIAN),
    "sum of all": Sum(Sum(_RBF, _DEFAULTS["linear"]), Sum(_DEFAULTS["matern"], _DEFAULTS["polynomial"])),
    "scaled": 2.0 * _RBF,
}


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_the_expansion(name: str) -> None:
    rng = np.random.default_rng(0)
    function = Expansion(CASES[name], rng.normal(size=(23, 2)), rng.normal(size=23), intercept=0.7)
    grid = grid_of(WINDOW, (9, 13))
    values = values_on(grid, function)
    assert values.shape == (9, 13)
    np.testing.assert_allclose(values.ravel(), function(grid.points()), atol=1e-11)


def test_the_corners_are_those_of_the_window() -> None:
    grid = grid_of(WINDOW)
    points = grid.points()
    assert points.shape == (120 * 160, 2)
    np.testing.assert_array_equal(points[[0, 159, -1]], [[-2.0, -1.5], [3.0, -1.5], [3.0, 1.0]])


def test_many_centers_are_shared_by_threads_without_a_difference() -> None:
    rng = np.random.default_rng(1)
    function = Expansion(Matern(1.0, nu=1.5), rng.normal(size=(400, 2)), rng.normal(size=400))
    grid = grid_of(WINDOW, (60, 80))
    np.testing.assert_allclose(values_on(grid, function).ravel(), function(grid.points()), atol=1e-10)


PLANE: dict[str, list[list[float]]] = {
    "no points": [],
    "one": [[0, 0, 1]],
    "two of a class": [[0, 0, 1], [1, 1, 1]],
    "one of each": [[0, 0, 1], [1, 1, -1]],
    "one place, both classes": [[1, 1, 1], [1, 1, 1], [1, 1, -1]],
    "twins": [[0, 0, 1], [0, 0, 1], [1, 0, -1], [1, 0, -1], [2, 1, 1]],
    "far apart": [[1e6, 1e6, 1], [-1e6, 1e6, -1], [0, -1e6, 1]],
    "near each other": [[0, 0, 1], [1e-9, 0, -1], [2e-9, 0, 1], [3e-9, 0, -1]],
}
CURVE: dict[str, list[list[float]]] = {
    "no points": [],
    "one": [[0, 1]],
    "two": [[0, 1], [1, 2]],
    "one place": [[0, 1], [0, 2], [0, 3]],
    "equal targets": [[0, 2], [1, 2], [2, 2], [3, 2]],
    "targets of 0": [[0, 0], [1, 0], [2, 0]],
    "far apart": [[1e6, 1e6], [-1e6, -1e6], [0, 1e6]],
}
CASES_OF_DRAWING = [
    (name, case)
    for name, machine in MACHINES.items()
    for case in (PLANE if machine.task is LabTask.CLASSIFICATION else CURVE)
]


def framed(machine: str, points: list[list[float]], **rest: Any) -> Frame:
    return Session().frame(read_setting({"machine": {"name": machine}, "points": points, **rest}, VIEWS))


@together("name, case", CASES_OF_DRAWING, by=lambda name, _: name)
def test_every_machine_answers_or_says_why_not(name: str, case: str) -> None:
    machine = MACHINES[name]
    plane = machine.task is LabTask.CLASSIFICATION
    points = (PLANE if plane else CURVE)[case]
    frame = framed(name, points)
    assert frame.encode()
    for array in frame.arrays.values():
        assert np.isfinite(array).all()
    one_class = plane and machine.takes_labels and len({point[-1] for point in points}) == 1
    if not points:
        assert frame.facts["error"] == "there are no points yet; add some."
    elif one_class:
        assert frame.facts["error"].startswith("all points are of one class")
    elif name == "hard-margin" and case == "near each other":
        # They are separable, by less than float64 tells.
        assert frame.facts["proof"]["status"] == "uncertified"
    elif name == "hard-margin" and case == "one place, both classes":
        assert frame.facts["error"].startswith("the classes cannot be separated: no hyperplane does it")
        assert "solver" not in frame.facts["error"]
    else:
        assert frame.facts["proof"]["status"] in ("optimal", "stationary", "not stationary")
        assert ("field" if plane else "curve") in frame.arrays
        assert len(frame.arrays["roles"]) == len(frame.arrays["decision"]) == len(points)


def test_levels_and_widths() -> None:
    points = [[0.0, 0, 1], [1, 0.2, -1], [0.4, 1, 1], [2, 1, -1], [0.5, 0.2, -1]]
    assert framed("soft-margin", points).facts["level"] == 1.0
    found = framed("nu-margin", points).facts["level"]
    assert 0.0 < found < 1.0
    curve = [[x / 4, float(np.sin(x))] for x in range(12)]
    assert framed("soft-tube", curve).facts["epsilon"] == 0.25
    assert 0.0 < framed("nu-tube", curve).facts["epsilon"] < 1.0


@pytest.mark.parametrize("name", ["logistic", "relevance-classification"])
def test_probabilities_are_those_of_the_machine(name: str) -> None:
    rng = np.random.default_rng(0)
    labels = np.where(np.arange(20) % 2, 1, -1)
    points = np.column_stack([rng.normal(size=(20, 2)) + labels[:, None], labels]).tolist()
    frame = framed(name, points, window=[-1, 2, -1, 2])
    probability, field = frame.arrays["probability"], frame.arrays["field"]
    assert probability.shape == field.shape
    assert ((probability > 0.5) == (field > 0)).all()
    assert 0.0 < probability.min() < 0.5 < probability.max() < 1.0
    odds = 1.0 / (1.0 + np.exp(-field))
    if name == "logistic":
        np.testing.assert_allclose(probability, odds, rtol=1e-12)
    else:
        # What is not known for sure is nearer to 1/2.
        assert (np.abs(probability - 0.5) <= np.abs(odds - 0.5) + 1e-12).all()
    assert "level" not in frame.facts
    assert "slacks" not in frame.arrays


def test_the_deviation_of_a_new_target_grows_away_from_the_points() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=30)
    frame = framed("relevance-regression", np.column_stack([x, np.sin(3 * x) + 0.1 * rng.normal(size=30)]).tolist())
    deviation = frame.arrays["deviation"]
    assert deviation.shape == frame.arrays["curve"].shape == (401,)
    assert 0.05 < deviation.min() < 0.2
    assert deviation.max() > deviation[200]


CROSSED = [[0.0, 0, 1], [1, 1, 1], [0, 1, -1], [1, 0, -1]]
AROUND = [[1.0, 0, 1], [-1, 0.5, 1], [0, -1, 1], [0.2, 0.8, 1]]


def test_samples_that_an_error_names_are_marked() -> None:
    linear = [{"name": "linear"}]
    frame = framed("hard-margin", [[9, 9, 1], *CROSSED, [0, 9, -1]], kernel=linear)
    marked = frame.facts["view"]["marked"]
    assert 2 <= len(marked) <= 4
    assert f"of the samples {', '.join(map(str, marked))};" in frame.facts["error"]
    assert framed("hard-margin", [[0, 0, 1], [1, 1, -1]], kernel=linear).facts["view"]["marked"] == []
    # A view that names samples of its own shows those.
    steps = framed("hard-margin", CROSSED, kernel=linear, view={"name": "perceptron", "step": 1})
    assert len(steps.facts["view"]["marked"]) == 1


def test_a_function_that_is_0_says_why_there_is_no_line() -> None:
    linear = [{"name": "linear"}]
    around = framed("one-class", AROUND, kernel=linear)
    assert not around.arrays["field"].any()
    assert "the origin of the feature space lies among the samples" in around.facts["vanishing"]
    for kernel, moved in (("linear", 3.0), ("rbf", 0.0)):
        points = [[u + moved, v, label] for u, v, label in AROUND]
        frame = framed("one-class", points, kernel=[{"name": kernel}])
        assert "vanishing" not in frame.facts
        assert frame.arrays["field"].any()
    crossed = framed("soft-margin", CROSSED, kernel=linear)
    assert np.ptp(crossed.arrays["field"]) < 1e-6
    assert crossed.facts["vanishing"].startswith("f = 0, so that f(x) + b = 0 everywhere")
    assert "vanishing" not in framed("soft-margin", CROSSED).facts


def test_a_line_that_is_too_fine_for_the_picture_is_said() -> None:
    narrow = [{"name": "rbf", "values": {"gamma": 1e4}}]
    points = [[0.02, 0.01, 1], [1.03, 1.01, 1], [-1.02, 0.03, -1]]
    far = framed("soft-margin", points, kernel=narrow)
    assert "runs closer around some samples than the picture can show" in far.facts["unseen"]
    # One sample lies at a place of the grid, others do not.
    many = framed("soft-margin", [*points, [2.03, 2.01, 1], [-4, -3, -1]], kernel=narrow)
    assert many.arrays["field"].min() < 0 < many.arrays["field"].max()
    assert "unseen" in many.facts
    near = framed("soft-margin", points, kernel=narrow, window=[-1.07, -0.97, 0, 0.06])
    assert "unseen" not in near.facts
    assert near.arrays["field"].min() < 0 < near.arrays["field"].max()
    # The samples of one class alone lie in the window.
    beside = framed("soft-margin", points, kernel=narrow, window=[-0.5, 1.5, -0.5, 1.5])
    assert "unseen" not in beside.facts
    for kernel in ("linear", "rbf"):
        assert "unseen" not in framed("soft-margin", CROSSED, kernel=[{"name": kernel}]).facts


def test_a_step_of_an_algorithm_is_not_said_to_vanish() -> None:
    frame = framed("soft-margin", CROSSED, kernel=[{"name": "linear"}], view={"name": "smo", "step": 1})
    assert "vanishing" not in frame.facts


def decoded(message: bytes) -> tuple[dict[str, Any], dict[str, NDArray[np.float32]]]:
    """Read a message as page/wire/conversation.js does."""
    length = int.from_bytes(message[:4], "little")
    head: dict[str, Any] = json.loads(message[4 : 4 + length])
    numbers = np.frombuffer(message, "<f4", offset=4 + length)
    listed = head.pop("arrays")
    arrays = {name: numbers[at : at + int(np.prod(shape))].reshape(shape) for name, (at, shape) in listed.items()}
    return head, arrays


def test_facts_and_arrays_arrive() -> None:
    arrays = {"field": np.arange(6.0).reshape(2, 3), "roles": np.array([1, 0, 2]), "none": np.empty(0)}
    facts, found = decoded(Frame({"proof": {"gap": 1e-7}, "words": "möglich"}, arrays).encode())
    assert facts == {"proof": {"gap": 1e-7}, "words": "möglich"}
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("words", ["", "a", "ab", "abc"])
def test_numbers_begin_at_a_multiple_of_four(words: str) -> None:
    message = Frame({"words": words}, {"one": np.array([1.5])}).encode()
    assert int.from_bytes(message[:4], "little") % 4 == 0
    assert len(message) % 4 == 0
    assert decoded(message)[1]["one"] == 1.5


def test_arrays_of_any_layout() -> None:
    array = np.arange(12.0).reshape(3, 4).T[::2]
    np.testing.assert_array_equal(decoded(Frame({}, {"part": array}).encode())[1]["part"], array)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        Frame({"gap": value}).encode()
