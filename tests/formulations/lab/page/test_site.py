# SPDX-License-Identifier: BSD-3-Clause
"""The lab as files of a site: small, and solved in the browser as by the library."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Browser

from benchmarks.lab.server import serving
from formulations.lab.settings import IN_BROWSER, KERNELS, MACHINES, LabTask, MenuChoice, read_setting
from formulations.lab.site import VIEWS_IN_BROWSER, write_site
from formulations.lab.views import VIEWS
from formulations.modelling.model import Model
from qpkernels.errors import InseparableError
from tests.formulations.lab.page.conftest import CLASSES, Lab, opened

LARGEST = 250_000
"""Bytes of the page with its scripts."""

PROBLEMS = 500
TOL = 1e-6

SOLVE = """async (settings) => {
    const [{ programOf }, { Descent }] = await Promise.all(
        ["/solver/program.js", "/solver/descent.js"].map((name) => import(name)));
    return settings.map((setting) => {
        const labels = setting.machine.name !== "one-class";
        const descent = new Descent(programOf(setting, { title: "the machine", labels }));
        try {
            descent.run(TOL, 2000);
        } catch (error) {
            return [error.message];
        }
        const { primal, dual, gap, rounding } = descent.proof;
        return [primal, dual, gap, rounding];
    });
}""".replace("TOL", repr(TOL))

VIEWS_DRAWN = """async () => Object.keys((await import("/solver/views.js")).VIEWS)"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    write_site(folder)
    return folder


@pytest.fixture
def page_of_site(browser: Browser, site: Path) -> Iterator[Lab]:
    """Serve the files, and return a window that has not opened them yet; its page must not complain."""
    with serving(site) as address, opened(browser, address, {}) as lab:
        yield lab
    assert not lab.complaints


def test_the_files_are_small(site: Path) -> None:
    assert sum(file.stat().st_size for file in site.iterdir()) <= LARGEST


def test_it_proves_what_it_shows_and_a_link_is_proved_again(page_of_site: Lab) -> None:
    lab = page_of_site.open()
    lab.says("Proved optimal to 1e")
    lab.click(0.5, -1.0)
    lab.says("Proved optimal to 1e")
    before = lab.facts
    link = lab.page.evaluate("() => new URL('#' + encodeURIComponent(JSON.stringify(lab.setting)), location).href")
    again = lab.page.context.new_page()
    again.goto(link)
    again.wait_for_function("window.lab?.frame?.facts.proof?.status === 'optimal'")
    assert again.evaluate("lab.frame.facts.proof.primal") == pytest.approx(before["proof"]["primal"], rel=TOL)


def test_its_views_and_words_are_of_the_answer(page_of_site: Lab) -> None:
    lab = page_of_site.open()
    for view, says in (("kkt", "multiplier is minus the slope"), ("losses", "sum of the losses")):
        lab.page.locator(f"[data-view={view}]").click()
        lab.says(says, ".lab-caption")
    lab.page.mouse.move(*lab.pixel(*lab.points[0][:2]))
    lab.says("sample 0: class", ".lab-sentence")


@pytest.mark.parametrize(
    ("stated", "where", "words"),
    [
        ({"machine": {"name": "soft-margin", "values": {"C": -5}}, "points": CLASSES}, ".lab-status", "from 0.001 to"),
        ({"points": [[0, 0, 1], [1, 1, 5]]}, ".lab-status", "x1, x2 and the label -1 or 1, within"),
        ({"machine": {"name": "nu-margin"}, "points": CLASSES}, ".lab-sentence", "do not solve the machine Nu margin"),
        ({"points": []}, ".lab-status", "No points yet"),
    ],
)
def test_what_it_does_not_show_is_said(page_of_site: Lab, stated: dict[str, Any], where: str, words: str) -> None:
    page_of_site.page.goto(f"{page_of_site.address}/#{quote(json.dumps(stated))}")
    page_of_site.says(words, where)


def value(random: np.random.Generator, slider: Any) -> float:
    """Draw a value of a slider within three decades of where it stands at first."""
    if slider.scale == "log":
        low, high = max(slider.low, slider.default / 30), min(slider.high, slider.default * 30)
        return float(np.exp(random.uniform(np.log(low), np.log(high))))
    if slider.scale == "integer":
        return float(random.integers(slider.low, min(slider.high, 3) + 1))
    return float(random.uniform(slider.low, slider.high))


def drawn(random: np.random.Generator, machine: str, kernel: str) -> dict[str, Any]:
    """Draw a setting of a machine and a kernel."""
    m = int(random.integers(2, 60))

    def chosen(choice: MenuChoice) -> dict[str, Any]:
        return {"name": choice.name, "values": {each.name: value(random, each) for each in choice.sliders}}

    if MACHINES[machine].task is LabTask.CLASSIFICATION:
        y = np.where(np.arange(m) < 2, [1, -1] * (m // 2) + [1] * (m % 2), random.choice([-1, 1], m))
        points = np.column_stack([random.normal(size=(m, 2)) + 0.7 * y[:, None], y])
    else:
        x = random.uniform(-3, 3, m)
        points = np.column_stack([x, np.sin(x) + 0.3 * random.normal(size=m)])
    setting = {"machine": chosen(MACHINES[machine]), "kernel": [chosen(KERNELS[kernel])]}
    return {**setting, "points": points.round(3).tolist()}


def test_random_problems_agree_with_the_library(window: Lab) -> None:
    """Either interval holds the optimum, so that they meet; and nearly all of the browser's are as narrow as asked."""
    window.open()
    assert window.page.evaluate(VIEWS_DRAWN) == [*VIEWS_IN_BROWSER]
    machines, kernels = sorted(IN_BROWSER), [*KERNELS]
    random = np.random.default_rng(0)
    settings = [
        drawn(random, machines[k % len(machines)], kernels[k // len(machines) % len(kernels)]) for k in range(PROBLEMS)
    ]
    proved = 0
    for setting, said in zip(settings, window.page.evaluate(SOLVE, settings), strict=True):
        model = read_setting(setting, VIEWS).state()
        assert isinstance(model, Model)
        if len(said) == 1:
            assert "sixteen digits" in said[0]
            with pytest.raises(InseparableError):
                model.solve(tol=TOL)
            proved += 1
            continue
        primal, dual, gap, rounding = said
        ours = model.solve(tol=TOL).certificate
        slack = rounding * max(abs(primal), abs(dual)) + 1e-12 * abs(ours.primal_value) + 1e-15
        assert dual - slack <= ours.primal_value, setting
        assert ours.dual_value <= primal + slack, setting
        proved += gap <= TOL
    assert proved >= 0.98 * PROBLEMS
