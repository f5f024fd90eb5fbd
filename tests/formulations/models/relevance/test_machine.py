# SPDX-License-Identifier: BSD-3-Clause
"""What relevance machines share, and refuse."""

from pathlib import Path

import numpy as np
import pytest

from formulations.models.relevance import (
    RelevanceClassification,
    RelevanceRegression,
)
from qpkernels import RBF, Expansion, Gram
from qpkernels.errors import ParameterError, ShapeError
from relevance_data import KERNEL, REGRESSIONS, gaussians, sine


def test_the_function_is_saved_and_loaded(tmp_path: Path) -> None:
    X, y = gaussians(40)
    for solution in (
        RelevanceRegression(*sine(), KERNEL).solve(),
        RelevanceClassification(X, y, RBF(0.5)).solve(),
        RelevanceRegression(sine()[0], np.full(20, 3.0), KERNEL).solve(),
    ):
        path = solution.function.save(tmp_path / "function")
        loaded = Expansion.load(path)
        np.testing.assert_array_equal(loaded.predict(loaded.centers), solution.function.predict(loaded.centers))


def test_a_gram_serves_as_samples() -> None:
    X, y = sine()
    plain = RelevanceRegression(X, y, KERNEL).solve()
    bound = RelevanceRegression(Gram(KERNEL, X), y).solve()
    assert bound.log_evidences == plain.log_evidences
    assert plain.formulation == "RelevanceRegression"


def test_a_machine_is_frozen() -> None:
    machine = RelevanceRegression(*sine(), KERNEL)
    assert len(machine) == 20
    with pytest.raises(AttributeError, match="cannot assign to field 'y'"):
        machine.y = np.zeros(20)
    with pytest.raises(ValueError, match="read-only"):
        machine.y[0] = 1.0


@pytest.mark.parametrize("machine", [*REGRESSIONS, RelevanceClassification])
def test_bad_arguments_are_refused(machine: type[RelevanceRegression]) -> None:
    X, y = sine()
    labels = np.sign(y)
    with pytest.raises(ParameterError, match="needs a Kernel object"):
        machine(X, labels)
    with pytest.raises(ParameterError, match="leave kernel out"):
        machine(Gram(KERNEL, X), labels, KERNEL)
    with pytest.raises(ShapeError, match="20"):
        machine(X, labels[:-1], KERNEL)
    with pytest.raises(ParameterError, match="max_iter must be an integer of at least 1, but 0 came"):
        machine(X, labels, KERNEL).solve(max_iter=0)
    with pytest.raises(ParameterError, match="tol must be above 0 and below 1"):
        machine(X, labels, KERNEL).solve(tol=0.0)
