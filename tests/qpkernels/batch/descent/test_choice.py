# SPDX-License-Identifier: BSD-3-Clause
"""The block holds the most violating samples by either slope, and those of before."""

import numpy as np

from qpkernels.batch.descent.choice import most_violating
from together import together


@together("ties", [False, True])
@together("seed", range(5))
def test_the_most_violating_are_chosen(seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    up, down = rng.normal(size=(2, 50))
    if ties:
        up, down = np.round(up), np.round(down)
    recent = rng.permutation(50)[:6]
    lowest, highest = -0.2, 0.2
    chosen = most_violating(up.copy(), down.copy(), recent, 20, lowest, highest)
    assert np.unique(chosen).size == chosen.size
    np.testing.assert_array_equal(chosen[-6:], recent)
    new = chosen[:-6]
    rising, others = new[:7], np.setdiff1d(np.arange(50), recent)
    assert (up[rising] < highest).all()
    np.testing.assert_array_equal(np.sort(up[rising]), np.sort(up[others])[:7])
    falling, left = new[7:], np.setdiff1d(others, rising)
    assert (down[falling] > lowest).all()
    np.testing.assert_array_equal(np.sort(down[falling]), np.sort(down[left])[-falling.size :])
    assert falling.size == min(7, (down[left] > lowest).sum())


def test_no_sample_that_violates_nothing_is_chosen() -> None:
    slopes = np.array([0.5, -3.0, 0.1, -1.0])
    chosen = most_violating(slopes.copy(), slopes.copy(), np.empty(0, np.intp), 4, 10.0, -0.5)
    assert sorted(chosen.tolist()) == [1, 3]
    none = most_violating(slopes.copy(), slopes.copy(), np.empty(0, np.intp), 0, -10.0, 10.0)
    assert none.size == 0
