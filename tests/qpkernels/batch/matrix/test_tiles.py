# SPDX-License-Identifier: BSD-3-Clause
"""Tiles are the kernel matrix, of dense samples and of those that are mostly zeros."""

from itertools import combinations

import numpy as np
import pytest

from qpkernels import RBF, Gram
from qpkernels.batch import Fitted, Machine, solve_batch
from qpkernels.batch.groups import Reading, grouped
from qpkernels.batch.matrix.tiles import tiles_of
from qpkernels.gram.panels.products import mostly_zero
from qpkernels.problems import KernelQP

RNG = np.random.default_rng(4)
ONE_HOT = np.eye(40)[RNG.integers(0, 40, (600, 4))].max(axis=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("by_feature", [False, True])
def test_tiles_of_samples_that_are_mostly_zeros(dtype: type, by_feature: bool) -> None:
    assert mostly_zero(ONE_HOT)
    gram, order = Gram(RBF(0.2), ONE_HOT), RNG.permutation(600)
    tiles = tiles_of(gram, order, dtype, by_feature=by_feature)
    assert tiles is not None
    K = gram.kernel.matrix(ONE_HOT[order], ONE_HOT[order])
    for rows, columns in ((slice(0, 300), slice(100, 600)), (np.arange(5), np.array([7, 3]))):
        tolerance = 1e-5 if dtype is np.float32 else 1e-12
        np.testing.assert_allclose(tiles.tile(rows, columns), K[rows][:, columns], rtol=tolerance)
    own = tiles.by_feature(np.arange(9))
    assert (own is not None) == by_feature
    assert own is None or own.features.shape == (40, 9)


def test_pairs_of_classes_of_such_samples_make_their_own_rows() -> None:
    classes, gram = np.arange(600) % 6, Gram(RBF(0.2), ONE_HOT)
    machines = []
    for a, b in combinations(range(6), 2):
        samples = np.flatnonzero((classes == a) | (classes == b))
        y = np.where(classes[samples] == a, 1.0, -1.0)
        program = KernelQP(gram.part(samples), y, np.minimum(0.0, 3.0 * y), np.maximum(0.0, 3.0 * y), 0.0)
        machines.append(Machine(program, samples))
    groups, _ = grouped(gram, machines, 2**30)
    assert [group.reading for group in groups] == [Reading.OWN]
    for answer in solve_batch(gram, machines, tol=1e-6):
        assert isinstance(answer, Fitted)
        assert answer.certificate.holds(1e-6)
