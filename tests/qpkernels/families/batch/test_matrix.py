# SPDX-License-Identifier: BSD-3-Clause
"""K beta of many machines in one pass is what each would compute by itself, and tiles are the kernel matrix."""

from collections.abc import Callable

import numpy as np
import pytest

from qpkernels import RBF, Gram, Laplacian, Precomputed
from qpkernels.arrays import Indices
from qpkernels.families.batch.machine import Machine
from qpkernels.families.batch.matrix import Layout, expansions, tiles_of
from qpkernels.families.batch.schedule import Team
from qpkernels.gram.panels.products import mostly_zero
from qpkernels.kernels import Kernel
from qpkernels.problems import KernelQP

SIZE = 1500
RNG = np.random.default_rng(8)
X = RNG.normal(size=(SIZE, 3))
CLASS = RNG.integers(0, 4, SIZE)


def folds() -> list[tuple[Indices, Indices]]:
    return [(np.flatnonzero(k != CLASS), np.flatnonzero(k == CLASS)) for k in range(4)]


def pairs() -> list[tuple[Indices, Indices]]:
    both = [(a, b) for a in range(4) for b in range(a)]
    return [(np.flatnonzero((a == CLASS) | (b == CLASS)), np.empty(0, np.intp)) for a, b in both]


def at_random() -> list[tuple[Indices, Indices]]:
    some = [RNG.permutation(SIZE) for _ in range(5)]
    return [(each[: 100 + 200 * k], each[-50:]) for k, each in enumerate(some)]


def one_left_out() -> list[tuple[Indices, Indices]]:
    return [(np.delete(np.arange(SIZE), k), np.array([k])) for k in range(0, SIZE, 100)]


@pytest.mark.parametrize("split", [folds, pairs, at_random, one_left_out])
@pytest.mark.parametrize("sparse", [False, True], ids=["all used", "few used"])
def test_every_machine_has_its_own_values(split: Callable[[], list[tuple[Indices, Indices]]], sparse: bool) -> None:
    gram = Gram(RBF(0.3), X)
    machines = [Machine(KernelQP(gram.part(own), 0.0, -1.0, 1.0), own, None, out) for own, out in split()]
    layout, tiles = Layout.of(machines, SIZE), tiles_of(gram, Layout.of(machines, SIZE).order, np.float64)
    assert tiles is not None
    betas = [RNG.normal(size=machine.samples.size) for machine in machines]
    if sparse:
        betas = [np.where(RNG.random(beta.size) < 0.1, beta, 0.0) for beta in betas]
    K = gram.kernel(X)
    for jobs in (1, 2):
        with Team(jobs) as team:
            answers = expansions(tiles, layout, range(len(machines)), betas, team.apply)
        for k, (machine, beta, (values, out)) in enumerate(zip(machines, betas, answers, strict=True)):
            samples = machine.samples
            np.testing.assert_array_equal(layout.order[layout.columns[k]], samples[layout.inside[k]])
            np.testing.assert_array_equal(layout.order[layout.places[k]], samples)
            np.testing.assert_allclose(values, K[np.ix_(samples, samples)] @ beta, atol=1e-11)
            assert machine.held_out is not None
            np.testing.assert_allclose(out, K[np.ix_(machine.held_out, samples)] @ beta, atol=1e-11)


@pytest.mark.parametrize("kernel", [RBF(0.3), Laplacian(0.2), Precomputed(RBF(0.3)(X[:50]))])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tiles_are_parts_of_the_matrix(kernel: Kernel, dtype: type) -> None:
    gram = Gram(kernel, np.arange(50) if isinstance(kernel, Precomputed) else X[:50])
    order = RNG.permutation(50)[:40]
    tiles = tiles_of(gram, order, dtype)
    assert tiles is not None
    expected = gram.dense[np.ix_(order[3:20], order[[1, 0, 8]])]
    np.testing.assert_allclose(
        tiles.tile(slice(3, 20), np.array([1, 0, 8])), expected, rtol=1e-5 if dtype == np.float32 else 1e-12
    )


def test_a_gaussian_too_narrow_for_float32_has_no_tiles_in_it() -> None:
    gram = Gram(RBF(1e5), X[:50])
    assert tiles_of(gram, np.arange(50), np.float32) is None
    assert tiles_of(gram, np.arange(50), np.float64) is not None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tiles_of_samples_that_are_mostly_zeros(dtype: type) -> None:
    one_hot = np.eye(40)[RNG.integers(0, 40, (600, 4))].max(axis=1)
    assert mostly_zero(one_hot)
    gram, order = Gram(RBF(0.2), one_hot), RNG.permutation(600)
    tiles = tiles_of(gram, order, dtype)
    assert tiles is not None
    K = gram.kernel.matrix(one_hot[order], one_hot[order])
    for rows, columns in ((slice(0, 300), slice(100, 600)), (np.arange(5), np.array([7, 3]))):
        tolerance = 1e-5 if dtype is np.float32 else 1e-12
        np.testing.assert_allclose(tiles.tile(rows, columns), K[rows][:, columns], rtol=tolerance)
