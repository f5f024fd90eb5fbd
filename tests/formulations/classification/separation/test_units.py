# SPDX-License-Identifier: BSD-3-Clause
"""Classes that are told apart by a feature of a small unit."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from formulations import HullIntersection, Separability
from formulations.classification.separation.units import separates_in_units

RANDOM = np.random.default_rng(0)
X, y = RANDOM.standard_normal((60, 4)), np.where(np.arange(60) % 2 == 0, -1.0, 1.0)


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e-7])
def test_the_unit_of_a_feature_does_not_matter(unit: float) -> None:
    apart = X.copy()
    apart[:, 3] = unit * (0.01 * y + 0.001 * X[:, 3])
    found = Separability(apart, y).decide()
    assert not isinstance(found, HullIntersection)
    assert (y * found.decision_function(apart) > 0).all()


@pytest.mark.parametrize("unit", [1.0, 1e-7])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_classes_that_are_not_told_apart(unit: float, fit_intercept: bool) -> None:
    beta = y / 30
    mixed = X * [1.0, 1.0, 1.0, unit]
    assert not separates_in_units(mixed, y, beta, fit_intercept=fit_intercept)
    told = np.column_stack([mixed, unit * y])
    assert separates_in_units(told, y, beta, fit_intercept=fit_intercept)


def test_a_real_set_in_its_own_units() -> None:
    """Of which the hulls are 3e-8 of the radius apart, and far apart in the units of some features."""
    samples, targets = load_breast_cancer(return_X_y=True)
    found = Separability(samples, targets).decide()
    assert not isinstance(found, HullIntersection)
    assert found.predict(samples).tolist() == targets.tolist()
