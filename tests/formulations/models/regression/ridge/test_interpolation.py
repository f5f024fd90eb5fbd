# SPDX-License-Identifier: BSD-3-Clause
"""Interpolation names the samples whose targets contradict each other."""

from typing import Any

import numpy as np
import pytest

from formulations import Interpolation
from model_data import few
from qpkernels.errors import InfeasibleError
from qpkernels.kernels import RBF


@pytest.mark.parametrize("kernel", [None, RBF(0.5)], ids=["explicit", "rbf"])
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_a_sample_that_comes_twice_with_two_targets(form: str, kernel: Any) -> None:
    X, y = few()
    model = Interpolation(np.vstack([X, X[:1]]), np.append(y, y[0] + 1.0), kernel)
    conflict = model.conflict()
    assert conflict is not None
    assert (conflict.samples.tolist(), conflict.is_irreducible) == ([0, 6], True)
    with pytest.raises(InfeasibleError, match=r"the samples 0, 6 alone need epsilon = 0\.5") as caught:
        getattr(model, form).solve("clarabel")
    assert caught.value.conflict.samples.tolist() == [0, 6]


def test_targets_that_a_function_meets() -> None:
    assert Interpolation(*few()).conflict() is None
    assert Interpolation(*few(), RBF(0.5)).conflict() is None
