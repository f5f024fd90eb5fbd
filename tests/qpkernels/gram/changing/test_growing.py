# SPDX-License-Identifier: BSD-3-Clause
"""A matrix whose rows come and go."""

from __future__ import annotations

import numpy as np

from qpkernels.gram.changing.growing import GrowingMatrix


def symmetric(m: int, seed: int = 0) -> np.ndarray:
    A = np.random.default_rng(seed).normal(size=(m, m))
    return A + A.T


def test_rows_come_and_go_as_in_a_matrix_that_is_copied() -> None:
    rng, every = np.random.default_rng(1), symmetric(60)
    memory, here, slots = GrowingMatrix(every[:5, :5]), np.arange(5), np.arange(5)
    absent = list(range(5, 60))
    for _ in range(80):
        if absent and (rng.random() < 0.6 or here.size == 1):
            count = min(len(absent), int(rng.integers(1, 4)))
            new = np.array([absent.pop(int(rng.integers(len(absent)))) for _ in range(count)])
            claimed = memory.claim(count)
            here, slots = np.append(here, new), np.append(slots, claimed)
            memory.write(claimed, slots, every[np.ix_(new, here)])
        else:
            k = int(rng.integers(here.size))
            memory.give_back(slots[k : k + 1])
            absent.append(int(here[k]))
            here, slots = np.delete(here, k), np.delete(slots, k)
        assert np.unique(slots).size == slots.size
        np.testing.assert_array_equal(memory.part(slots), every[np.ix_(here, here)])
        v = rng.normal(size=here.size) * (rng.random(here.size) < 0.7)
        np.testing.assert_allclose(memory.product(slots, v), every[np.ix_(here, here)] @ v, atol=1e-12)


def test_it_grows_to_what_is_claimed_at_once() -> None:
    memory = GrowingMatrix(symmetric(3))
    slots = memory.claim(200)
    assert np.unique(slots).size == 200
    assert slots.min() >= 3
    np.testing.assert_array_equal(memory.part(np.arange(3)), symmetric(3))
