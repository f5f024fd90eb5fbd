# SPDX-License-Identifier: BSD-3-Clause
"""Exact paths: each point as solved alone, to the last digits, and each breakpoint proved."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from formulations import HardMargin, NuTube, Quantile, SoftMargin, SoftTube, SquaredHinge
from formulations.selection import exact_path
from model_data import measured, overlapping
from qpkernels import RBF, Linear
from qpkernels.errors import ParameterError
from qpkernels.problems import Status

KERNEL = RBF(0.5)
COSTS = np.linspace(0.0, 2.0, len(overlapping()[1]))


@pytest.mark.parametrize(
    ("model", "name", "ends"),
    [
        (SoftMargin(*overlapping(), KERNEL), "C", (0.01, 100.0)),
        (SoftMargin(*overlapping(), KERNEL), "C", (100.0, 0.01)),
        (SoftMargin(*overlapping(), KERNEL), "C", (0.01 * COSTS, 100.0 * COSTS)),
        (SoftMargin(*overlapping(), KERNEL, fit_intercept=False), "C", (0.01, 100.0)),
        (SoftMargin(*overlapping(), Linear()), "C", (0.01, 10.0)),
        (SoftTube(*measured(), KERNEL), "C", (0.01, 100.0)),
        (SoftTube(*measured(), KERNEL, C=2.0), "epsilon", (2.0, 0.0)),
        (SoftTube(*measured(), KERNEL, C=2.0), "epsilon", (0.01, 0.5)),
        (Quantile(*measured(), KERNEL, tau=0.3), "C", (0.1, 10.0)),
        (Quantile(*measured(), KERNEL, C=3.0), "tau", (0.05, 0.95)),
    ],
    ids=["C", "C-falls", "costs", "no-b", "linear", "tube-C", "epsilon", "epsilon-rises", "quantile", "tau"],
)
def test_every_point_is_the_model_alone(model: Any, name: str, ends: tuple[Any, Any]) -> None:
    found = exact_path(model, **{name: ends})
    assert found.status is Status.OPTIMAL
    assert len(found) == found.breakpoints.size == found.intercepts.size == found.n_free.size + 1
    np.testing.assert_allclose(found.breakpoints[[0, -1]], [np.max(end) for end in ends], rtol=1e-15)
    for part in (0.0, 0.03, 0.3, 1.0):
        first, last = (np.asarray(end) for end in ends)
        value = (1.0 - part) * first + part * last
        alone = model.copy().set_params(**{name: value if value.ndim else float(value)}).solve("smo", tol=1e-10)
        solution = found.at(float(value.max()))
        assert solution.status is Status.OPTIMAL
        assert solution.certificate.asked == 1e-9
        assert solution.certificate.error <= 1e-9
        assert solution.objective == pytest.approx(alone.objective, rel=1e-9, abs=1e-12)
        f, expected = solution.decision - solution.intercept, alone.decision - alone.intercept
        # Half the squared distance of two functions is at most the gap, 1e-10 of the value.
        np.testing.assert_allclose(f, expected, atol=2e-5 * np.sqrt(alone.objective) + 1e-9)
        low, high = alone.intercept_interval
        assert low - 1e-4 <= solution.intercept <= high + 1e-4
        beta, b = found.coefficients(float(value.max()))
        np.testing.assert_allclose(solution.beta, beta, atol=1e-14 * np.abs(beta).max(initial=0.0))
        assert solution.intercept == pytest.approx(b, abs=1e-14)


def test_the_table() -> None:
    found = exact_path(SoftMargin(*overlapping(), KERNEL), C=(0.1, 10.0))
    assert str(found).splitlines()[0].startswith(f"{len(found)} breakpoints; every breakpoint is proved at 1e-09")
    assert f"{len(found) - 12} more breakpoints" in str(found)
    frame = found.to_pandas()
    assert list(frame["C"]) == list(found.breakpoints)
    assert np.all(np.diff(frame["primal_value"]) > 0)
    assert (frame["relative_gap"] <= 1e-9).all()
    assert list(frame["n_free"])[:-1] == list(found.n_free)


def test_what_cannot_be_proved_is_told() -> None:
    found = exact_path(SoftMargin(*overlapping(), KERNEL), C=(0.1, 10.0), tol=1e-15)
    proved = sum(each.holds(1e-15) for each in found.certificates)
    assert proved < len(found)
    assert found.status is Status.UNCERTIFIED
    assert f"{proved} of {len(found)} breakpoints are proved at 1e-15" in str(found)


def test_a_path_goes_to_a_file_and_back() -> None:
    found = exact_path(SoftMargin(*overlapping(), KERNEL), C=(0.1, 10.0))
    again = pickle.loads(pickle.dumps(found))
    assert str(again) == str(found)
    np.testing.assert_array_equal(again.at(1.0).beta, found.at(1.0).beta)


@pytest.mark.parametrize(
    ("model", "arguments", "message"),
    [
        (SoftMargin(*overlapping()), {}, "takes one hyper-parameter with both ends, .* but 0 came"),
        (SoftMargin(*overlapping()), {"C": (1.0, 2.0), "epsilon": (0.1, 1.0)}, "but 2 came"),
        (SoftMargin(*overlapping()), {"gamma": (1.0, 2.0)}, "no hyper-parameter 'gamma'; its hyper-parameters are C"),
        (HardMargin(*overlapping()), {"C": (1.0, 2.0)}, "no hyper-parameter 'C'; it has none"),
        (SoftMargin(*overlapping()), {"C": 3.0}, r"C must be two ends, such as \(0.01, 100\), but 3.0 came"),
        (SoftMargin(*overlapping()), {"C": (1.0, 2.0, 3.0)}, "C must be two ends"),
        (SoftMargin(*overlapping()), {"C": (0.0, 2.0)}, "C must be a number above 0"),
        (SoftMargin(*overlapping()), {"C": (2.0, 2.0)}, "two ends that differ, but both are 2"),
        (SoftMargin(*overlapping()), {"C": (1.0, COSTS)}, "in the same proportion at both ends"),
        (SoftMargin(*overlapping()), {"C": (1.0, 2.0), "tol": 0.0}, "tol must be"),
        (SquaredHinge(*overlapping()), {"C": (1.0, 2.0)}, "must share their kernel matrix, ridge and total"),
        (NuTube(*measured()), {"nu": (0.2, 0.5)}, "a NuTube is no KernelQP"),
    ],
)
def test_bad_input(model: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        exact_path(model, **arguments)


def test_a_value_that_it_does_not_reach() -> None:
    found = exact_path(SoftMargin(*overlapping(), KERNEL), C=(0.1, 10.0))
    with pytest.raises(ParameterError, match=r"this path goes from C=0.1 to 10, but 11.0 is asked for"):
        found.at(11.0)
    with pytest.raises(ParameterError, match="exact_path takes a model first"):
        exact_path(KERNEL, C=(1.0, 2.0))  # type: ignore[arg-type]
