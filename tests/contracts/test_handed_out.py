# SPDX-License-Identifier: BSD-3-Clause
"""The contract of every answer: its values are those of the function and the coefficients that it hands out."""

from __future__ import annotations

from typing import Any

import pytest

from handed_out import DUAL, PRIMAL, HandedOut
from model_data import CASES, MODELS, ROUTES, Case, form_of, loosely_solved, solved
from together import together


def test_every_model_has_its_values_in_the_tables() -> None:
    assert {model.__name__ for model in MODELS} == set(PRIMAL) == set(DUAL)


def assert_values_of(model: Any, solution: Any) -> None:
    certificate = solution.certificate
    handed = HandedOut(model, solution)
    size = max(abs(certificate.primal_value), abs(certificate.dual_value), 1.0)
    assert solution.function.intercept == solution.intercept
    assert certificate.uncounted == 0.0
    assert handed.primal_value == pytest.approx(certificate.primal_value, rel=0, abs=1e-11 * size)
    assert handed.dual_value == pytest.approx(certificate.dual_value, rel=0, abs=1e-11 * size)


@together("case, solver", ROUTES, by=form_of)
def test_the_values_are_those_of_what_is_handed_out(case: Case, solver: str) -> None:
    form, solution = solved(case, solver)
    assert_values_of(form.model, solution)


@together("case", CASES, by=form_of)
def test_the_values_of_a_loose_answer_are_those_of_what_is_handed_out(case: Case) -> None:
    form, solution = loosely_solved(case)
    if solution.certificate.uncounted == 0.0:
        assert_values_of(form.model, solution)
