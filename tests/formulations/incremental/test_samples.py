# SPDX-License-Identifier: BSD-3-Clause
"""How samples, their numbers and labels are read; what is refused stands in test_machine.py."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from formulations import OneClass, SoftMargin, SoftTube
from formulations.incremental.samples import numbers_of, read_samples, read_targets, require_classes
from model_data import overlapping
from qpkernels import RBF, Gram, Precomputed, Spectrum
from qpkernels.errors import OneClassError

X, Y = overlapping()


@pytest.mark.parametrize("given", [3, np.int64(3), [3], np.array([3])])
def test_a_number_may_be_alone_or_in_a_list(given: object) -> None:
    np.testing.assert_array_equal(numbers_of(given, 4), [3])  # type: ignore[arg-type]


def test_a_sample_may_be_alone_or_one_of_several() -> None:
    gram = Gram(RBF(0.5), X)
    assert read_samples(X[0], gram).shape == (1, 3)
    assert read_samples(X[:4], gram).shape == (4, 3)
    assert read_samples(csr_array(X[:1]), gram).shape == (1, 3)
    words = Gram(Spectrum(2), ["abab", "bcbc"])
    assert read_samples("abba", words).shape == (1,)
    assert read_samples(["abba", "cccc"], words).shape == (2,)
    assert read_samples(1, Gram(Precomputed(np.eye(3)), [0, 2])).tolist() == [1]


def test_labels_become_signs_and_targets_stay() -> None:
    model = SoftMargin(X, np.where(Y > 0, "yes", "no"), RBF(0.5))
    np.testing.assert_array_equal(read_targets(model, "no", 1), [-1.0])
    np.testing.assert_array_equal(read_targets(model, ["yes", "no"], 2), [1.0, -1.0])
    np.testing.assert_array_equal(read_targets(SoftTube(X, X[:, 0], RBF(0.5)), 2.5, 1), [2.5])
    assert read_targets(OneClass(X, RBF(0.5)), None, 1) is None


def test_the_class_that_would_be_empty_is_named() -> None:
    model = SoftMargin(X, np.where(Y > 0, "yes", "no"), RBF(0.5))
    require_classes(model, model.y)
    with pytest.raises(OneClassError, match="class 'no'"):
        require_classes(model, np.ones(4))
