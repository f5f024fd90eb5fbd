# SPDX-License-Identifier: BSD-3-Clause
"""Hyper-parameters as attributes of a model."""

import inspect

import pytest

from formulations import SoftMargin
from formulations.modelling import Model
from model_data import MODELS


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_an_attribute_says_which_number_it_is(model: type[Model]) -> None:
    for parameter in model.entry.parameters:
        text = inspect.getdoc(inspect.getattr_static(model, parameter.name)) or ""
        assert text.startswith(f"{parameter.name}, {parameter.range}, ")


def test_what_the_cost_is() -> None:
    said = inspect.getdoc(inspect.getattr_static(SoftMargin, "C"))
    assert said == "C, above 0, as the parameter of CVXPY that all forms share, shape (m,)."
