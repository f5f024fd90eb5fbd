# SPDX-License-Identifier: BSD-3-Clause
"""A sample with a cost, or a weight, k times as large counts as k copies of it, in every model that has one of each."""

from __future__ import annotations

import numpy as np
import pytest

from model_data import MODEL_CASES, Case
from qpkernels.certificates import Status


def per_sample(case: Case) -> str | None:
    return next((each.name for each in case.model.hyperparameters if each.per_sample), None)


WEIGHTED = [case for case in MODEL_CASES if per_sample(case) is not None]


def test_those_that_scikit_learn_weighs_are_among_them() -> None:
    names = {case.model.__name__ for case in WEIGHTED}
    assert names >= {"SoftMargin", "SquaredHinge", "Logistic", "NuMargin", "OneClass", "SoftTube", "NuTube", "Huber"}


@pytest.mark.parametrize("case", WEIGHTED, ids=str)
def test_a_weight_of_k_is_that_of_k_copies(case: Case) -> None:
    name = per_sample(case)
    assert name is not None
    model = case.state_model()
    copies = np.random.default_rng(0).integers(1, 4, len(model))
    base = model.value_of(name)
    weighted = model.copy().set_params(**{name: copies * base})
    data = [np.asarray(model.gram.X), *([model.y] if hasattr(model, "y") else [])]
    repeated = case.state_model(*(np.repeat(each, copies, axis=0) for each in data), **{name: np.repeat(base, copies)})
    one, other = weighted.solve(tol=1e-9), repeated.solve(tol=1e-9)
    assert one.status is other.status is Status.OPTIMAL
    assert one.certificate.primal_value == pytest.approx(other.certificate.primal_value, rel=1e-8)
    np.testing.assert_allclose(
        one.function(data[0]), other.function(data[0]), atol=1e-3 * float(np.ptp(other.decision) + 1e-9)
    )
