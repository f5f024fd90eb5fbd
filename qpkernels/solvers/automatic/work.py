# SPDX-License-Identifier: BSD-3-Clause
r"""How much work the methods for a KernelQP are, predicted from its structure, in multiplications.

With m samples, an iteration of the second-order method takes m r^2 + r^3/3 multiplications in r explicit features, or
where the kernel matrix has the rank r, and else m^3/3; a pair step takes a pass over the samples of its block, and a
visit of coordinate descent one over the values of a row, both ways. All are given what else they cost, as it was
measured: what takes no time on paper (a call, a pass over memory) is worth as many multiplications as a factorisation
makes in that time. The prediction depends on the problem alone, so that the same problem is always solved alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.gram.features import pivoted_cholesky
from qpkernels.problems import KernelQP

__all__ = [
    "FirstOrder",
    "expected_steps",
    "first_order",
    "has_few_features",
    "patience_with_sparse",
    "second_order_comes_first",
    "second_order_work",
    "step_work",
]

_ITERATIONS = 16
"""Iterations of the second-order method: 5 to 40 were seen, whatever the bounds."""

_CALLS, _PASS = 4e6, 50.0
"""An iteration of the second-order method without its matrix, and for each number that it reads there."""

_STEP, _PASS_OF_STEP = 18e3, 24.0
"""A pair step, and for each sample of its block."""

_BLOCK = 1024
"""Samples of a block, at most."""

_STEPS, _POWER, _UNBOUNDED = 10, 0.25, 1e4
"""Pair steps for each sample where the bounds are narrow, the power of their width with which these grow, and the width
that stands for no bounds."""

_WIDE, _SAMPLED, _MORE = 100.0, 200, 1.5
"""Width of bounds from which the rank of K is worth knowing, samples whose matrix tells it, and how much larger that of
all may be."""

_ENOUGH, _FOR_EACH = 500, 10
"""Samples, and samples for each feature, from which on most of them have no part in a Newton step."""

_MANY = 1000
"""Samples up to which coordinate descent spares nothing: pair steps have their whole matrix at hand."""

_PASSES, _PASSES_OF_WIDTH = 20.0, 8.0
"""Passes of coordinate descent over the samples, and for each unit of the width of the bounds."""

_DESCENT, _VISIT, _VALUE = 1e8, 400.0, 80.0
"""A coordinate descent without its visits, a visit, and for each value of its row, which is read out of order."""

_NEWTON_PASSES = 200
"""Passes of coordinate descent over sparse samples in the time of Newton's method: 50 to 800 were seen."""

_MATRICES = 4
"""Matrices of m^2 numbers that the second-order method holds in memory."""


def second_order_work(program: KernelQP) -> float:
    """Return the work of the second-order method; infinity where its matrices exceed the memory limit of the Gram."""
    m, gram = program.size, program.gram
    features = gram.explicit
    if features is not None and 2 * features.shape[1] < m:
        r = features.shape[1]
        return _ITERATIONS * (_CALLS + m * r**2 + r**3 / 3 + _PASS * m * (r + 10))
    if _MATRICES * 8.0 * m**2 > gram.memory_limit:
        return float("inf")
    r = _rank(program)
    if 2 * r < m:
        return m * r**2 + _PASS * m**2 + _ITERATIONS * (_CALLS + m * r**2 + r**3 / 3 + _PASS * m * r)
    return _ITERATIONS * (_CALLS + m**3 / 3 + _PASS * m**2)


def _rank(program: KernelQP) -> int:
    """Return about the rank of K, where it is small and the bounds are wide; else the number of samples."""
    m, gram = program.size, program.gram
    if m < 2 * _SAMPLED or gram.explicit is not None or gram.correction is not None or _width(program) < _WIDE:
        return m
    K = gram.entries(slice(None, None, m // _SAMPLED))
    rank = pivoted_cholesky(K, K.diagonal()).factor.shape[1]
    return int(_MORE * rank) if 2 * rank < len(K) else m


def step_work(program: KernelQP) -> float:
    """Return the work of a pair step."""
    return _STEP + _PASS_OF_STEP * min(program.size, _BLOCK)


def expected_steps(program: KernelQP) -> float:
    """Return how many pair steps are usual for so many samples, in bounds so wide."""
    return float(_STEPS * program.size * max(1.0, _width(program)) ** _POWER)


@dataclass(frozen=True)
class FirstOrder:
    """A first-order method for a problem: the name of its solver, its usual work, and that of one iteration."""

    solver: str
    work: float
    unit: float


def first_order(program: KernelQP) -> FirstOrder:
    """Return coordinate descent where it is less work than pair steps, or where the features are too many for these.

    Parameters
    ----------
    program
        The problem, whose features and number of samples decide.
    """
    unit = step_work(program)
    pairs = FirstOrder("smo", expected_steps(program) * unit, unit)
    size, gram, m = _values(program), program.gram, program.size
    if size is None or m <= _MANY or program.is_hard:
        return pairs
    visit = _VISIT + _VALUE * size / m
    visits = (_PASSES + _PASSES_OF_WIDTH * _width(program)) * m
    descent = FirstOrder("coordinate-descent", _DESCENT + visits * visit, visit)
    return descent if gram.explicit is None or descent.work <= pairs.work else pairs


def patience_with_sparse(program: KernelQP) -> float | None:
    """Return the visits of coordinate descent that are as much work as Newton steps in sparse features; None: no such.

    Features as many as the samples let coordinates alone meet all targets, in 10 to 60 passes at any cost. Where they
    are fewer, and the costs high, 1000 passes may gain nothing. Which it is shows soon.
    """
    method = first_order(program)
    if program.gram.explicit is not None or method.solver != "coordinate-descent":
        return None
    return float(_NEWTON_PASSES * program.size)


def _values(program: KernelQP) -> int | None:
    """Return how many numbers explicit features are, sparse or few; None: there are no such."""
    gram = program.gram
    if gram.correction is not None:
        return None
    if gram.sparse_features is not None:
        return int(gram.sparse_features.size)
    return None if gram.explicit is None else gram.explicit.shape[0] * gram.explicit.shape[1]


def second_order_comes_first(program: KernelQP) -> bool:
    """Return whether the second-order method is less work than that of first order."""
    return second_order_work(program) <= first_order(program).work


def has_few_features(program: KernelQP) -> bool:
    """Return whether explicit features are so few against the samples that semismooth Newton steps are the least work.

    With 1,000 to 100,000 samples and 5 to 200 features these took 0.1 to 1.0 of the time of the second-order method. A
    hard constraint is left to the others, which tell where it cannot be met.
    """
    gram, m = program.gram, program.size
    if gram.explicit is None or gram.correction is not None or program.is_hard:
        return False
    return bool(m >= max(_ENOUGH, _FOR_EACH * gram.explicit.shape[1]))


def _width(program: KernelQP) -> float:
    """Return how large a coefficient may become, against the one that would meet the target of its sample alone.

    A ridge keeps coefficients small as a bound does.
    """
    reach = np.maximum(program.upper, -program.lower)
    if program.has_ridge:
        infinite = np.full(program.size, np.inf)
        reach = np.minimum(reach, np.divide(1.0, program.ridge, out=infinite, where=program.ridge > 0))
    half = program.size // 2
    bound = float(np.partition(reach, half)[half])
    if not np.isfinite(bound):
        return _UNBOUNDED
    spread = max(float(program.target.max()) - program.middle, program.middle - float(program.target.min()))
    gram = program.gram
    curvature = float((gram.diagonal if gram.explicit is None else gram.radii**2).sum()) / program.size
    return bound * curvature / spread if spread > 0 else 1.0
