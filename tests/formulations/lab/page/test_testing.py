# SPDX-License-Identifier: BSD-3-Clause
"""Points that are held out, their errors over the values of the machine, and a second machine on the same points."""

from __future__ import annotations

import numpy as np
import pytest

from formulations.lab.settings import read_setting
from formulations.lab.views import VIEWS

RANDOM = np.random.default_rng(0)
LABELS = np.resize([1, -1], 40)
POINTS = np.column_stack([RANDOM.normal(size=(40, 2)) + 0.7 * LABELS[:, None], LABELS]).round(3).tolist()
GAUSSIAN = [{"name": "rbf", "values": {"gamma": 0.5}}]
HELD = "() => window.lab.setting.points.map((_, i) => i).filter((i) => window.lab.held.has(i))"


def solved(setting, points):
    return read_setting({**setting, "points": points}, VIEWS).state().solve(tol=1e-9)


@pytest.fixture
def held(window):
    lab = window.open({"points": POINTS, "kernel": GAUSSIAN})
    lab.choose("Points that are held out", "0.3")
    return lab


def test_the_machine_is_fitted_to_the_others(held):
    numbers = held.page.evaluate(HELD)
    assert 0.2 * len(POINTS) < len(numbers) < 0.4 * len(POINTS)
    fitted = [point for i, point in enumerate(POINTS) if i not in numbers]
    solution = solved({"kernel": GAUSSIAN}, fitted)
    held.says("Proved optimal")
    assert held.facts["proof"]["primal"] == pytest.approx(solution.certificate.primal_value, rel=1e-5)
    values = solution.decision_function([POINTS[i][:2] for i in numbers])
    wrong = sum(value * POINTS[i][2] <= 0 for value, i in zip(values, numbers, strict=True))
    held.says(f"{wrong} of {len(numbers)} held-out points are on the wrong side.", ".lab-testing p")
    shown = held.page.evaluate("() => Array.from(window.lab.frame.arrays.decision.data)")
    assert [shown[i] for i in numbers] == pytest.approx(values, abs=1e-3)


def test_a_point_that_moves_is_held_out_or_not_as_before(held):
    numbers = held.page.evaluate(HELD)
    u, v, label = POINTS[numbers[0]]
    before = held.facts["proof"]["primal"]
    held.drag((u, v), (u + 0.4, v))
    assert held.points[numbers[0]] == pytest.approx([u + 0.4, v, label], abs=0.03)
    assert held.facts["proof"]["primal"] == before
    assert "is held out" in held.page.locator(".lab-sentence").inner_text()


def test_the_errors_are_drawn_over_the_values(held):
    held.until("window.lab.testing.curves.at(-1)?.points.every(({ test }) => test !== undefined)")
    curves = held.page.evaluate("() => window.lab.testing.curves.map(({ name, points }) => [name, points])")
    assert [name for name, _ in curves] == ["C", "gamma"]
    numbers = held.page.evaluate(HELD)
    fitted = [point for i, point in enumerate(POINTS) if i not in numbers]
    last = curves[0][1][-1]
    solution = solved({"kernel": GAUSSIAN, "machine": {"name": "soft-margin", "values": {"C": last["value"]}}}, fitted)
    values = solution.decision_function([POINTS[i][:2] for i in numbers])
    wrong = sum(value * POINTS[i][2] <= 0 for value, i in zip(values, numbers, strict=True))
    assert last["test"] == pytest.approx(wrong / len(numbers))
    assert last["training"] == pytest.approx(np.mean(solution.margins <= 0))


def test_a_second_machine_has_the_same_points(window):
    lab = window.open({"points": POINTS, "kernel": GAUSSIAN})
    lab.page.get_by_role("button", name="Show a second machine").click()
    second = lab.page.locator(".lab-second")
    second.get_by_label("Kernel", exact=True).select_option("linear")
    lab.says("Proved optimal", ".lab-second .lab-status")
    assert lab.setting["kernel"][0]["name"] == "rbf"
    lab.page.evaluate("() => window.lab.store.change({ points: window.lab.setting.points.slice(1) })")
    lab.settled().until("window.lab.second.plane.frame.setting === window.lab.second.store.setting")
    shown = lab.page.evaluate("() => window.lab.second.plane.frame.facts.proof.primal")
    assert shown == pytest.approx(
        solved({"kernel": [{"name": "linear"}]}, POINTS[1:]).certificate.primal_value, rel=1e-5
    )
    box = second.locator(".lab-over").bounding_box()
    lab.page.mouse.click(box["x"] + 20, box["y"] + 20)
    lab.settled()
    assert len(lab.points) == len(POINTS)
    lab.page.get_by_role("button", name="Show a second machine").click()
    assert second.count() == 0
