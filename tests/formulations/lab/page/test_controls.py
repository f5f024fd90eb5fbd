# SPDX-License-Identifier: BSD-3-Clause
"""What the menu offers: every machine and kernel by its controls."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from formulations.lab.session import Session
from formulations.lab.settings import KERNELS, MACHINES, ShownView, read_setting
from formulations.lab.views import VIEWS

from .conftest import CLASSES, WAVE


def points(machine):
    return CLASSES if MACHINES[machine].task == "classification" else WAVE


def says_the_same(lab):
    """Hold the page against what the session says of its setting: an answer or an error."""
    expected = Session().frame(read_setting(lab.setting, VIEWS)).facts
    if "error" in expected:
        lab.says(f"No answer: {expected['error']}", ".lab-why")
    else:
        lab.says({"optimal": "Proved optimal", "stationary": "Evidence: stationary"}[expected["proof"]["status"]])


def pictured(lab):
    """Whether the frame has a function, and the picture more than one colour."""
    drawn = lab.page.evaluate("() => !!(window.lab.frame.arrays.field || window.lab.frame.arrays.curve)")
    return drawn and lab.colours(".lab-plane canvas") > 20


def test_every_machine_gives_a_picture(window):
    lab = window.open({"points": CLASSES, "window": [-3, 3, -2, 2]})
    lab.page.evaluate("(points) => (window.lab.controls.kept.regression = { points, window: [-4, 4, -3, 3] })", WAVE)
    for name, machine in MACHINES.items():
        lab.choose("Machine", name)
        assert lab.facts["machine"] == name
        says_the_same(lab)
        assert pictured(lab), name
        for slider in machine.sliders:
            lab.page.get_by_label(f"{slider.name} as a number", exact=True).fill(str(slider.high / 2))
            lab.press("Enter")
            assert lab.setting["machine"]["values"][slider.name] == slider.high / 2


def test_every_kernel_gives_a_picture(window):
    lab = window.open({"points": CLASSES})
    for name, kernel in KERNELS.items():
        lab.choose("Kernel", name)
        assert lab.setting["kernel"][0]["name"] == name
        assert set(lab.setting["kernel"][0]["values"]) == {slider.name for slider in kernel.sliders}
        says_the_same(lab)
        assert pictured(lab), name


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_is_drawn(window, name):
    lab = window.open({"points": CLASSES, "view": {"name": name}})
    assert lab.facts["view"]["name"] == name
    assert lab.setting["view"] == {"name": name, "step": ShownView().step}


def test_points_without_an_answer_say_why(window):
    lab = window.open({"points": [[0, 0, 1], [1, 1, 1]]})
    says_the_same(lab)
    lab.click(-2, 1, button="right")
    lab.says("Proved optimal")


def test_each_task_keeps_its_points(window):
    lab = window.open({"points": CLASSES, "machine": {"name": "soft-margin", "values": {"C": 7}}})
    lab.choose("Machine", "soft-tube")
    wave = lab.points
    assert len(wave[0]) == 2
    assert lab.setting["machine"]["values"]["C"] == 7
    lab.click(-3.5, -2)
    lab.choose("Machine", "logistic")
    assert lab.points == CLASSES
    lab.choose("Machine", "huber")
    assert lab.points[:-1] == wave


def test_a_value_that_another_machine_or_kernel_has_not_becomes_its_default(window):
    machine = {"name": "soft-margin", "values": {"C": 1e6}}
    kernel = [{"name": "rbf", "values": {"gamma": 1e4}}]
    lab = window.open({"points": CLASSES, "machine": machine, "kernel": kernel})
    lab.choose("Kernel", "laplacian")
    assert lab.setting["kernel"][0]["values"]["gamma"] == 1e4
    lab.choose("Kernel", "polynomial")
    assert lab.setting["kernel"][0]["values"]["gamma"] == KERNELS["polynomial"].sliders[1].default
    lab.choose("Machine", "squared-hinge")
    assert lab.setting["machine"]["values"]["C"] == 1e6
    lab.choose("Machine", "soft-tube")
    assert lab.setting["machine"]["values"]["C"] == MACHINES["soft-tube"].sliders[0].default
    says_the_same(lab)


def test_a_slider_is_logarithmic_and_undone_as_one(window):
    lab = window.open({"points": CLASSES})
    slider = lab.page.get_by_role("slider", name="C: cost of an error")
    slider.focus()
    lab.press("ArrowRight", "ArrowRight")
    costs = lab.setting["machine"]["values"]["C"]
    assert 1 < costs < 1.1
    assert lab.page.get_by_label("C as a number", exact=True).input_value() == str(costs)
    lab.press("End")
    assert lab.setting["machine"]["values"]["C"] == 1e6
    box = slider.bounding_box()
    lab.page.mouse.move(box["x"] + box["width"] - 9, box["y"] + box["height"] / 2)
    lab.page.mouse.down()
    lab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=6)
    lab.page.mouse.up()
    lab.settled()
    assert lab.setting["machine"]["values"]["C"] == pytest.approx(10**1.5, rel=0.2)
    lab.press("Control+z")
    assert lab.setting["machine"]["values"]["C"] == 1e6


@pytest.mark.parametrize(
    ("name", "typed", "words"),
    [
        ("C", "1e9", "C must be a number from 0.001 to 1000000; it stays 7."),
        ("C", "1e-9", "C must be a number from 0.001 to 1000000; it stays 7."),
        ("C", "", "C must be a number from 0.001 to 1000000; it stays 7."),
        ("degree", "2.5", "degree must be a whole number from 1 to 8; it stays 3."),
    ],
)
def test_a_number_out_of_range_is_said_until_it_is_right_and_the_present_one_stays(window, name, typed, words):
    kernel = [{"name": "polynomial", "values": {"degree": 3}}]
    lab = window.open({"points": CLASSES, "kernel": kernel, "machine": {"name": "soft-margin", "values": {"C": 7}}})
    before = lab.setting
    number = lab.page.get_by_label(f"{name} as a number", exact=True)
    said = lab.page.locator(f"#{number.get_attribute('aria-describedby')}")
    assert said.get_attribute("aria-live") == "polite"
    number.fill(typed)
    lab.press("Enter" if typed else "Tab")
    assert said.inner_text() == words
    assert number.input_value() == typed
    assert number.get_attribute("aria-invalid") == "true"
    assert lab.setting == before
    number.fill("2")
    assert said.inner_text() == ""
    assert number.get_attribute("aria-invalid") == "false"
    lab.press("Enter")
    assert lab.setting != before


def test_a_link_with_a_number_out_of_range_is_said_beside_it(fresh_window):
    link = '{"machine":{"name":"soft-margin","values":{"C":1e9}},"points":[[0,0,1],[1,1,-1]]}'
    fresh_window.page.goto(f"{fresh_window.address}/?token=token-of-the-tests#{quote(link)}")
    fresh_window.says("Not understood: C of soft-margin must be a number from 0.001 to 1e+06")
    fresh_window.says("C must be a number from 0.001 to 1000000.", ".lab-slider p")


def test_the_example_is_shown_until_the_setting_differs_from_it(window):
    lab = window.open()
    example = lab.page.get_by_label("Example", exact=True)
    lab.choose("Example", "rings")
    assert example.input_value() == "rings"
    lab.page.locator("[data-view=hulls]").click()
    assert example.input_value() == "rings"
    lab.click(-3, 2)
    assert example.input_value() == ""
    lab.press("Control+z")
    assert example.input_value() == "rings"
    lab.page.get_by_role("button", name="Zoom out").click()
    assert example.input_value() == ""
    lab.choose("Example", "rings")
    assert lab.setting["window"] == [-4, 4, -3, 3]


@pytest.mark.parametrize(
    "window", [{}, {"viewport": {"width": 390, "height": 844}}], ids=["wide", "phone"], indirect=True
)
def test_classes_that_cannot_be_separated_are_said_once_without_the_words_of_solvers(window):
    points = [[0, 0, 1], [2, 2, 1], [0, 2, -1], [2, 0, -1]]
    machine, kernel = {"name": "hard-margin"}, [{"name": "linear"}]
    lab = window.open({"points": points, "machine": machine, "kernel": kernel, "view": {"name": "hulls"}})
    status = lab.page.locator(".lab-status")
    assert status.inner_text() == "No answer: the classes cannot be separated"
    assert status.evaluate("node => node.scrollWidth <= node.clientWidth && node.scrollHeight <= node.clientHeight")
    lab.says("use a soft margin", ".lab-proof [role=status]")
    words = " ".join(lab.page.locator("main p:not(.lab-hidden)").all_inner_texts())
    assert words.count("use a soft margin") == 1
    assert "solver" not in words


@pytest.mark.parametrize(("name", "value", "gamma"), [("sigma", 0.5, 2), ("c", 0.5, 4), ("theta", 3, 1.5)])
def test_the_width_of_a_gaussian_has_four_names(window, name, value, gamma):
    lab = window.open({"points": CLASSES})
    lab.choose("How the width of the Gaussian is given", name)
    lab.page.get_by_label(f"{name} as a number", exact=True).fill(str(value))
    lab.press("Enter")
    assert lab.setting["kernel"][0]["values"]["gamma"] == pytest.approx(gamma)
    assert lab.page.get_by_label(f"{name} as a number", exact=True).input_value() == str(value)


def test_kernels_are_added_up_to_four_and_removed(window):
    lab = window.open({"points": CLASSES})
    add = lab.page.get_by_role("button", name="Add a kernel to the sum")
    for count in (2, 3, 4):
        add.click()
        assert len(lab.settled().setting["kernel"]) == count
    assert add.is_hidden()
    lab.choose("Kernel 2", "matern")
    says_the_same(lab)
    lab.page.get_by_role("button", name="Remove kernel 1").click()
    lab.settled()
    assert [term["name"] for term in lab.setting["kernel"]] == ["matern", "linear", "linear"]


def test_what_is_not_proved_in_the_end_is_not_called_not_yet_proved(window):
    far = [[9 * u, 9 * v, label] for u, v, label in [*CLASSES, [1, 0.1, -1]]]
    power = [{"name": "polynomial", "values": {"degree": 8}}]
    lab = window.open({"machine": {"name": "soft-margin", "values": {"C": 1e6}}, "kernel": power, "points": far})
    lab.says("Not proved (")
    lab.says("No better answer is sought.", ".lab-why")


def test_the_proof_is_beside_the_picture(window):
    lab = window.open({"points": CLASSES})
    lab.says("Proved optimal")
    proof = lab.facts["proof"]
    for side in ("primal", "dual"):
        shown = lab.page.get_by_label(f"{side} value").inner_text().replace("−", "-")
        assert float(shown) == pytest.approx(proof[side], rel=1e-8)
    roles = lab.page.evaluate("() => Array.from(window.lab.frame.arrays.roles.data)")
    words = lab.page.locator(".lab-counts").inner_text()
    assert f"support vectors\n{sum(role > 0 for role in roles)} of {len(CLASSES)}" in words
    assert lab.page.locator(".lab-formula").first.inner_html().startswith("½ ‖<i>f</i>‖")


def test_an_address_without_a_setting_is_said(window):
    lab = window.open({"machine": {"name": "no-such-machine"}})
    assert "there is no no-such-machine" in lab.page.locator(".lab-sentence").inner_text()
    assert len(lab.points) > 10


def test_an_address_with_a_value_that_is_no_number_leaves_the_page_whole(fresh_window):
    lab = fresh_window.open({"machine": {"name": "soft-margin", "values": {"C": "much"}}})
    assert 'C of soft-margin must be a number, but "much" came.' in lab.page.locator(".lab-sentence").inner_text()
    assert lab.page.get_by_label("C as a number").input_value() == "1"


def test_a_setting_that_the_server_refuses_is_said(fresh_window):
    fresh_window.page.goto(f"{fresh_window.address}/?token=token-of-the-tests#%7B%22points%22:[[0,0,5]]%7D")
    fresh_window.says("the label of a point must be")


def test_the_token_of_another_run_says_how_to_go_on(fresh_window):
    fresh_window.page.goto(f"{fresh_window.address}/?token=of-another-run")
    fresh_window.says("open the address that qpkernels lab printed last")
    fresh_window.says("to go on with these points")
    fresh_window.page.goto("about:blank")
    fresh_window.complaints.clear()


def test_without_a_token_the_page_says_what_to_do(fresh_window):
    fresh_window.page.goto(fresh_window.address)
    assert (
        "Open the address that the command qpkernels lab printed" in fresh_window.page.get_by_role("alert").inner_text()
    )
