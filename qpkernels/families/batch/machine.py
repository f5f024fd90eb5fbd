# SPDX-License-Identifier: BSD-3-Clause
"""The request for each machine of a batch, and the answer to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector, check_count, frozen
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.problems import Certificate, KernelQP
from qpkernels.solvers.interface import Outcome

__all__ = ["LEAST", "MOST", "NEWTON_STEPS", "STEPS", "Fitted", "Machine", "MachineArrays", "Points", "Start", "carried"]


@dataclass(frozen=True, eq=False)
class Machine:
    """A KernelQP on some samples of a kernel matrix that many machines share.

    Attributes
    ----------
    program
        The problem. Its ``gram`` is ``gram.part(samples)`` of the shared ``gram``, or the shared one itself.
    samples
        The numbers of its samples in the shared matrix, in the order of the program.
    after
        The number of an earlier machine of the batch whose answer at the common samples is the start.
    held_out
        The numbers of further samples of the shared matrix at which f(x) + b is wanted.

    Raises
    ------
    ShapeError, ParameterError
        If these are not such numbers, or if their count differs from the number of samples of the program.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import SoftMargin
    >>> from qpkernels import Gram, Linear
    >>> from qpkernels.families.batch import Machine, solve_batch
    >>> gram, y = Gram(Linear(), [[0.0], [1.0], [3.0], [4.0]]), np.array([-1, -1, 1, 1])
    >>> rows = np.array([0, 1, 2])
    >>> machine = Machine(SoftMargin(gram.part(rows), y[rows], C=1.0).qp(), rows, held_out=np.array([3]))
    >>> print(solve_batch(gram, [machine], tol=1e-6)[0].held_out.round(3))
    [2.]
    """

    program: KernelQP
    samples: Indices
    after: int | None = None
    held_out: Indices | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "samples", _numbers(self.samples, "samples"))
        if self.samples.size != self.program.size:
            raise ShapeError(
                f"samples must name one sample for each of the {self.program.size} of the program, but "
                f"{self.samples.size} came."
            )
        if np.bincount(self.samples).max() > 1:
            raise ParameterError(
                "samples must differ from each other, but some came twice; repeat samples in the Gram instead."
            )
        if self.held_out is not None:
            object.__setattr__(self, "held_out", _numbers(self.held_out, "held_out"))
        if self.after is not None:
            check_count(self.after, "after", least=0)


@dataclass(frozen=True, eq=False)
class Fitted:
    """The answer to one machine of a batch.

    Attributes
    ----------
    outcome
        beta, b, the claim of the solver, its steps and seconds, and K beta in float64.
    certificate
        The certificate, which is the same as for the answer alone.
    held_out
        f(x) + b at the held-out samples, or None if there are none.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import SoftMargin
    >>> from qpkernels.families.batch import Machine, solve_batch
    >>> model = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1])
    >>> (fitted,) = solve_batch(model.gram, [Machine(model.qp(), np.arange(4))], tol=1e-6)
    >>> print(fitted.outcome.point.round(3), f"{fitted.intercept:.3f}", fitted.certificate.holds(1e-6))
    [ 0.  -0.5  0.5  0. ] -2.000 True
    """

    outcome: Outcome
    certificate: Certificate
    held_out: Vector | None = None

    @property
    def intercept(self) -> float:
        """The intercept b; 0 in a model without one."""
        return float(self.outcome.multipliers.sum())


class Start(NamedTuple):
    """The start of a machine: any beta, with the steps and seconds that were spent to reach it."""

    point: Vector | None = None
    steps: int = 0
    seconds: float = 0.0


def carried(machine: Machine, before: Machine, beta: Vector) -> Vector:
    """Return the coefficients ``beta`` of another machine at the samples that both have, 0 at the others.

    A coefficient that was at a bound, lower or upper, is moved to the bound that it has now, where that is finite; the
    start need not be feasible.
    """
    _, here, there = np.intersect1d(machine.samples, before.samples, assume_unique=True, return_indices=True)
    old, new, point = before.program, machine.program, beta[there]
    moved = point
    for bound, now in ((old.lower[there], new.lower[here]), (old.upper[there], new.upper[here])):
        moved = np.where((point == bound) & (bound != 0) & np.isfinite(now), now, moved)
    start = np.zeros(len(new))
    start[here] = moved
    return start


def _numbers(values: object, name: str) -> Indices:
    """Return sample numbers, read-only."""
    numbers = np.asarray(values)
    if numbers.ndim != 1 or not (np.issubdtype(numbers.dtype, np.integer) or numbers.size == 0):
        raise ShapeError(
            f"{name} must be numbers of samples in one dimension, but shape {numbers.shape} of {numbers.dtype} came."
        )
    if numbers.size and numbers.min() < 0:
        raise ParameterError(f"{name} must be at least 0, but {numbers.min()} came.")
    return frozen(numbers.astype(np.intp))


STEPS, LEAST, MOST = 20, 1_000_000, 40_000_000
"""Steps for each sample of a machine beyond which it is worth other means, and bounds of steps times samples."""

NEWTON_STEPS = 200
"""Newton steps of a machine in explicit features, at most."""


class MachineArrays(NamedTuple):
    """Machines on samples of one kernel matrix.

    Attributes
    ----------
    source, offsets, degree
        The matrix, read-only, and no offsets; or, in the product form of its kernel, the features of all samples, a row
        for each feature, their offsets and the degree.
    diagonal
        That of the matrix.
    samples, starts
        The samples of each machine, one machine after the other, and where each begins.
    box, totals
        Target, epsilon, ridge, lower and upper, a row each; and the value of 1'beta of each machine. Where its margin
        is free, the value of 1'|beta|, whose two signs have half of it each; positive coefficients come first.
    follows
        Whether a machine has the samples of the one before it, whose rows and answer it takes up.
    held_out, ends
        Further samples of each machine, at which its function is wanted, and where those of each begin.
    """

    source: Matrix
    offsets: Vector
    degree: int
    diagonal: Vector
    samples: Indices
    starts: Indices
    box: Matrix
    totals: Vector
    follows: NDArray[np.bool_]
    held_out: Indices
    ends: Indices


class Points(NamedTuple):
    """Where the machines stand: beta, K beta, the function at the samples held out, b, margins, and the steps taken."""

    beta: Vector
    values: Vector
    outside: Vector
    intercepts: Vector
    margins: Vector
    steps: Indices
