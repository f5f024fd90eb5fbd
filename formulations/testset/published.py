# SPDX-License-Identifier: BSD-3-Clause
r"""The support vector machines of two published benchmarks, so that their comparisons can be repeated.

The soft margin without intercept, in x and t, on the rows a_i of a sparse matrix with labels -b_i::

    min  1/2 ||x||^2 + c 1't     s.t.  t >= diag(b) A x + 1,  t >= 0

OSQP's benchmarks (Stellato et al., 2020) take c = 1/2, n features and 100 n samples, with a density of 0.15; seeds and
draws are theirs, so that with the same SciPy the numbers are, too. Clarabel's (Goulart and Chen, 2024) take c = 1, 50 n
samples and a density of 0.2; theirs are drawn by Julia's generator, which NumPy does not have, so that ours agree in
shape and distribution only. So does the linear program of Clarabel's: a sparse classifier by its 1-norm.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csc_array, csr_array, diags_array, eye_array, hstack, vstack

from formulations.testset.entry import Entry
from qpkernels.arrays import Vector
from qpkernels.problems import Block, ConeProgram, Nonnegative

__all__ = ["OSQP_FEATURES", "clarabel_linear", "clarabel_svm", "osqp_svm", "published"]

OSQP_FEATURES = (10, 11, 12, 13, 14, 16, 17, 20, 23, 26, 31, 37, 45, 55, 68, 84, 105, 132, 166, 209)
"""The numbers of features in OSQP's benchmarks."""

_CLARABEL_SEED = 271324


def published() -> Iterator[Entry]:
    """Yield the problems of both benchmarks."""
    for n in OSQP_FEATURES:
        about = f"SVM of OSQP's benchmarks, n = {n}, instance 0"
        yield Entry(f"osqp_svm_{n}", "published", 101 * n, about, partial(osqp_svm, n, 0))
    for n in (10, 100, 500):
        about = f"svm_L2 of Clarabel's benchmarks, n = {n}, numbers of NumPy"
        yield Entry(f"clarabel_svm_{n}", "published", 51 * n, about, partial(clarabel_svm, n))
    about = "svm_classifier of Clarabel's benchmarks, a linear program, numbers of NumPy"
    yield Entry("clarabel_lp_svm", "published", 621, about, clarabel_linear)


def osqp_svm(n: int, instance: int) -> ConeProgram:
    """State the problem of OSQP's benchmarks with n features; ``instance`` is the seed, 0 to 9 there."""
    state = np.random.RandomState(instance)
    half = [sparse.random(50 * n, n, density=0.15, random_state=state, data_rvs=state.randn).tocsr() for _ in range(2)]
    return _soft_margin(csr_array(half[0]), csr_array(half[1]), 0.5)


def clarabel_svm(n: int) -> ConeProgram:
    """State the problem of Clarabel's benchmarks with n features."""
    rng = np.random.RandomState(_CLARABEL_SEED + n)
    half = [csr_array(rng.randn(25 * n, n) * (rng.rand(25 * n, n) < 0.2)) for _ in range(2)]
    return _soft_margin(half[0], half[1], 1.0)


def clarabel_linear() -> ConeProgram:
    """State min 1't / m + 0.1 ||beta||_1 s.t. t >= 1 - y_i (<x_i, beta> - v), t >= 0: 10 features, 600 samples."""
    rng, m, n = np.random.RandomState(_CLARABEL_SEED), 600, 10
    truth = rng.randn(n)
    truth[rng.permutation(n)[:8]] = 0.0
    X = 5.0 * rng.randn(m, n)
    y = np.sign(X @ truth + 45.0 * rng.randn(m))
    beta, v, a, t = n, 1, n, m
    # Columns: beta, v, a >= |beta|, t.
    margin: Any = hstack([csr_array(-y[:, None] * X), csr_array(y[:, None]), csr_array((m, a)), -eye_array(m)])
    above = hstack([eye_array(n), csr_array((n, v)), -eye_array(n), csr_array((n, t))])
    below = hstack([-eye_array(n), csr_array((n, v)), -eye_array(n), csr_array((n, t))])
    slack = hstack([csr_array((m, beta + v + a)), -eye_array(m)])
    return ConeProgram(
        P=csc_array((621, 621)),
        q=np.concatenate([np.zeros(beta + v), np.full(a, 0.1), np.full(t, 1.0 / m)]),
        A=csc_array(vstack([margin, above, below, slack])),
        b=np.concatenate([np.full(m, -1.0), np.zeros(2 * n + m)]),
        cones=(Nonnegative(2 * m + 2 * n),),
        variables=_blocks(beta=beta, v=v, a=a, t=t),
        rows=_blocks(margin=m, above=n, below=n, slack=m),
    )


def _soft_margin(upper: csr_array, lower: csr_array, cost: float) -> ConeProgram:
    """Return the program with b_i = 1 for the upper rows and -1 for the lower; entries are shifted by b_i / n."""
    n, m = upper.shape[1], upper.shape[0] + lower.shape[0]
    b: Vector = np.repeat([1.0, -1.0], [upper.shape[0], lower.shape[0]])
    A = csr_array(vstack([upper, lower]))
    A.eliminate_zeros()
    A.data = A.data / np.sqrt(n) + np.repeat(b, np.diff(A.indptr)) / n
    margin = hstack([diags_array(b) @ A, -eye_array(m)])
    slack = hstack([csr_array((m, n)), -eye_array(m)])
    return ConeProgram(
        P=csc_array(diags_array(np.repeat([1.0, 0.0], [n, m]))),
        q=np.repeat([0.0, cost], [n, m]),
        A=csc_array(vstack([margin, slack])),
        b=np.repeat([-1.0, 0.0], [m, m]),
        cones=(Nonnegative(2 * m),),
        variables=_blocks(x=n, t=m),
        rows=_blocks(margin=m, slack=m),
    )


def _blocks(**sizes: int) -> tuple[Block, ...]:
    stops = np.cumsum(list(sizes.values())).tolist()
    return tuple(Block(name, stop - size, stop) for (name, size), stop in zip(sizes.items(), stops, strict=True))
