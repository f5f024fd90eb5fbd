# SPDX-License-Identifier: BSD-3-Clause
"""Paths: each value as solved alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from formulations import HardTube, Huber, Logistic, NuTube, SoftMargin, SoftTube
from formulations.selection import path
from model_data import measured, overlapping
from qpkernels import RBF
from qpkernels.errors import InfeasibleError, ParameterError
from qpkernels.problems import Status

KERNEL = RBF(0.5)


@pytest.mark.parametrize(
    ("model", "name", "values"),
    [
        (SoftMargin(*overlapping(), KERNEL), "C", [0.1, 1.0, 10.0, 3.0]),
        (SoftTube(*measured(), KERNEL, C=2.0), "epsilon", [0.5, 0.1, 0.0]),
        (NuTube(*measured(), KERNEL, C=2.0), "nu", [0.2, 0.5]),
        (Logistic(*overlapping(), KERNEL), "C", [0.1, 1.0]),
        (Huber(*measured(), KERNEL), "delta", [0.1, 1.0]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_every_step_is_the_model_alone(model: Any, name: str, values: list[float]) -> None:
    found = path(model, **{name: values}, tol=1e-7)
    assert found.status is Status.OPTIMAL
    assert len(found) == len(values)
    for value, fit, solution in zip(values, found.fits, found, strict=True):
        alone = model.copy().set_params(**{name: value}).solve(tol=1e-8)
        assert solution.objective == pytest.approx(alone.objective, rel=1e-6)
        assert fit is not None
        assert fit.certificate == solution.certificate
        assert fit.n_support == solution.n_support
    assert [solution.status for solution in found[1:]] == [Status.OPTIMAL] * (len(values) - 1)


def test_the_table() -> None:
    found = path(SoftMargin(*overlapping(), KERNEL), C=[0.1, 1.0, 10.0])
    text = str(found)
    assert text.splitlines()[0] == "every fit is proved at 0.001"
    assert "primal value" in text
    frame = found.to_pandas()
    assert list(frame["C"]) == [0.1, 1.0, 10.0]
    assert list(frame["n_support"]) == [solution.n_support for solution in found]
    assert np.all(np.diff(frame["primal_value"]) > 0)


def test_a_value_without_an_answer() -> None:
    X, y = measured()
    found = path(HardTube(X, y), epsilon=[5.0, 1e-3])
    assert found.status is Status.FAILED
    assert found[0].status is Status.OPTIMAL
    with pytest.raises(InfeasibleError):
        found[1]
    assert list(found.errors) == [1]
    assert "epsilon=0.001: no function of this space" in str(found)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "takes one hyper-parameter with its values, .* but 0 came"),
        ({"C": [1.0], "epsilon": [0.1]}, "but 2 came; several make a grid"),
        ({"gamma": [1.0]}, r"no hyper-parameter 'gamma'; its hyper-parameters are C\. Parameters of a kernel"),
        ({"C": 3.0}, "C must be a list"),
        ({"C": [1.0, 0.0]}, "C must be a number above 0"),
        ({"C": [1.0], "tol": 0.0}, "tol must be"),
    ],
)
def test_bad_input(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        path(SoftMargin(*overlapping(), KERNEL), **arguments)
    with pytest.raises(ParameterError, match="path takes a model first"):
        path(KERNEL, C=[1.0])  # type: ignore[arg-type]
