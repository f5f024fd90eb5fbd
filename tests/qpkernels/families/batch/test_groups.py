# SPDX-License-Identifier: BSD-3-Clause
"""Which machines share a matrix, and which are left to themselves."""

import numpy as np

from qpkernels import RBF, Gram
from qpkernels.arrays import Indices
from qpkernels.families.batch.groups import Reading, grouped
from qpkernels.families.batch.machine import Machine
from qpkernels.problems import KernelQP

GRAM = Gram(RBF(0.5), np.random.default_rng(0).normal(size=(4400, 2)))


def machine(samples: Indices) -> Machine:
    y = np.where(np.arange(samples.size) % 2 == 0, -1.0, 1.0)
    program = KernelQP(GRAM.part(samples), y, np.minimum(y, 0.0), np.maximum(y, 0.0), 0.0)
    return Machine(program, samples)


def test_large_machines_share_a_matrix_only_where_they_use_it_often() -> None:
    halves = [machine(np.arange(start, start + 2200)) for start in (0, 2200)]
    assert grouped(GRAM, halves, 2**30) == ([], [0, 1])
    folds = [machine(np.delete(np.arange(4400), slice(start, start + 440))) for start in range(0, 4400, 440)]
    (group,), alone = grouped(GRAM, folds, 2**30)
    assert (group.reading, group.numbers, alone) == (Reading.SHARED, tuple(range(10)), [])
    # Without the memory for a matrix, and not on the same samples, each is alone.
    assert grouped(GRAM, folds, 2**20) == ([], list(range(10)))


def test_small_machines_with_little_in_common_make_their_own_rows() -> None:
    parts = [machine(np.arange(start, start + 100)) for start in range(0, 4400, 100)]
    (group,), alone = grouped(GRAM, parts, 2**30)
    assert (group.reading, len(group.machines), alone) == (Reading.ARRAYS, 44, [])


def test_machines_on_few_samples_are_arrays() -> None:
    parts = [machine(np.delete(np.arange(500), slice(start, start + 100))) for start in range(0, 500, 100)]
    (group,), alone = grouped(GRAM, parts, 2**30)
    assert (group.reading, len(group.machines), alone) == (Reading.ARRAYS, 5, [])
