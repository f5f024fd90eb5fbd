# SPDX-License-Identifier: BSD-3-Clause
"""What a kernel matrix shows of itself; test_cards.py of modelling counts the values that this takes."""

import numpy as np

from qpkernels import RBF, Gram, Sigmoid, Spectrum
from showing import check_bundle, check_repr


def test_a_matrix_shows_its_samples_and_kernel() -> None:
    gram = Gram(RBF(0.5), np.eye(128, 3))
    check_repr(gram)
    assert repr(gram) == "<Gram: 128 samples, 3 features, RBF(gamma=0.5)>"
    text = check_bundle(gram, maths=True)
    assert "128 x 128, 0.125 MiB in float64, not formed yet" in text
    assert "k(x, z) = exp(−0.5 ‖x − z‖²)" in str(gram)
    gram.dense  # noqa: B018  forms it
    assert "in memory" in str(gram)
    assert "in memory" in str(gram.part(np.arange(5)))
    assert "indefinite" not in text


def test_what_becomes_of_an_indefinite_matrix_is_said() -> None:
    assert "indefinite  clip" in str(Gram(Sigmoid(1.0, 1.0), np.eye(4), indefinite="clip"))


def test_sequences_have_no_features() -> None:
    assert repr(Gram(Spectrum(2), ["abc", "bcd"])) == "<Gram: 2 samples, Spectrum(p=2, normalise=False)>"
