# SPDX-License-Identifier: BSD-3-Clause
"""A page writes its values in the letters of the problem that it states."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from formulations.lab.desk import Desk
from formulations.lab.notation import place_name
from formulations.lab.session import Session
from formulations.lab.settings import MACHINES, LabTask, Setting, read_setting
from formulations.lab.views import VIEWS
from formulations.modelling.model import Model

COEFFICIENTS = {
    **dict.fromkeys(("soft-margin", "hard-margin", "nu-margin", "squared-hinge", "linear-program-machine"), "β = y a"),
    **dict.fromkeys(("logistic", "least-squares-classifier"), "β = y a"),
    "one-class": "β = a",
    **dict.fromkeys(("soft-tube", "nu-tube"), "β = a⁺ − a⁻"),
    **dict.fromkeys(("quantile", "huber", "least-squares", "kernel-ridge"), "β = c"),
}
DECISIONS = {"one-class": "f(x) − ρ", "kernel-ridge": "f(x)"}


def asked(name: str, view: str = "picture") -> Setting:
    rng, machine = np.random.default_rng(0), MACHINES[name]
    if machine.task is LabTask.CLASSIFICATION:
        y = np.repeat([1.0, -1.0], 6)
        points = np.column_stack([rng.normal(size=(12, 2)) + 3 * y[:, None], y])
    else:
        points = rng.normal(size=(12, 2))
    stated = {"machine": {"name": name}, "points": points.tolist(), "view": {"name": view}}
    return read_setting(stated, VIEWS)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_facts_and_sentences_have_the_same_letters(name: str) -> None:
    setting = asked(name)
    facts: Any = Session().frame(setting).facts
    decision = DECISIONS.get(name, "f(x) + b")
    assert (facts["decision"], facts["coefficient"]) == (decision, COEFFICIENTS[name])
    assert facts["formulas"][-1][0] == "with"
    desk = Desk(setting)
    assert desk.take('{"seq": 1, "ask": "explain", "sample": 3}') is None
    said = json.loads(desk.reply())["answer"]
    assert f"coefficient {COEFFICIENTS[name]} = " in said
    written = "y − f(x) − b" if MACHINES[name].task is LabTask.REGRESSION else decision
    assert written in said
    assert not re.search(r"g\(x\)|class [+-]?1\.0|\b(alpha|beta|xi|rho|epsilon)\b", said)


@pytest.mark.parametrize("name", sorted(COEFFICIENTS.keys() - {"linear-program-machine"}))
def test_the_axes_of_the_views_have_the_same_letters(name: str) -> None:
    setting, session = asked(name, "kkt"), Session()
    facts: Any = session.frame(setting).facts
    regression = MACHINES[name].task is LabTask.REGRESSION
    assert facts["view"]["multiplier"].split(",")[0] == (
        f"coefficient {COEFFICIENTS[name]}" if regression else "multiplier a"
    )
    decision = DECISIONS.get(name, "f(x) + b")
    places = {"one-class": decision, "kernel-ridge": "residual r = y − f(x)"}
    usual = "residual r = y − f(x) − b" if regression else f"margin y ({decision})"
    assert facts["view"]["place"] == places.get(name, usual)
    model = session.scene(setting).answer.model
    assert isinstance(model, Model)
    assert place_name(model) == facts["view"]["place"]
    assert facts["view"]["marked"] == [facts["view"]["worst"]]
