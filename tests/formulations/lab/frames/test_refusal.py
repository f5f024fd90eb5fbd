# SPDX-License-Identifier: BSD-3-Clause
"""Why there is no answer: what is proved of it, without what solvers said."""

from __future__ import annotations

from typing import Any

import numpy as np

from formulations.classification.separation.hulls import HullIntersection
from formulations.lab.answers import Answers
from formulations.lab.frames.refusal import refusal
from formulations.lab.settings import read_setting
from formulations.lab.views import VIEWS
from qpkernels.errors import InseparableError, ParameterError, QPKernelsError


def error_of(points: list[list[float]], kernel: dict[str, Any]) -> QPKernelsError | None:
    setting = read_setting({"machine": {"name": "hard-margin"}, "kernel": [kernel], "points": points}, VIEWS)
    return Answers().answer(setting).error


def test_classes_that_meet_are_named_by_their_samples() -> None:
    error = error_of([[0, 0, 1], [2, 2, 1], [0, 2, -1], [2, 0, -1], [9, 9, 1]], {"name": "linear"})
    assert isinstance(error, InseparableError)
    assert isinstance(error.proof, HullIntersection)
    assert "solver" in str(error)
    words = refusal(error)
    assert words.startswith("the classes cannot be separated:")
    assert f"of the samples {', '.join(map(str, error.proof.support))};" in words
    assert "solver" not in words


def test_many_samples_are_not_all_named() -> None:
    labels = np.where(np.arange(200) % 2, 1, -1)
    mixed = np.column_stack([np.random.default_rng(0).normal(size=(200, 2)), labels]).round(2).tolist()
    error = error_of(mixed, {"name": "polynomial", "values": {"degree": 4}})
    assert isinstance(error, InseparableError)
    assert isinstance(error.proof, HullIntersection)
    assert error.proof.support.size > 8
    assert ", ...; use a soft margin" in refusal(error)


def test_other_errors_speak_for_themselves() -> None:
    assert refusal(ParameterError("there are no points yet; add some.")) == "there are no points yet; add some."
