# SPDX-License-Identifier: BSD-3-Clause
r"""Newton's method for a sigmoid over scores, to the last digit that float64 has.

Around the mean of the scores in the weights p_i (1 - p_i) the Hessian is diagonal, and a step is two divisions. A step
that changes the z_i by at most d makes the second derivative along it no more than e^d times what it was (Bach, 2010),
since that of log(1 + exp(z)) has a logarithm whose slope is at most 1. Hence

- a step of the part log(1 + d) / d never overshoots the least value along its line, and
- where d is at most 1/2, the whole step makes the gradient less than half as long, in the norm of the inverse Hessian.

Away from the optimum, the step is the first of 1, 1/2, 1/4, ..., down to that part, at which the objective still falls.
Near it whole steps go on until one makes the gradient no shorter, which is when only rounding is left of it.

Several fits take their steps together, as arrays, until each has ended by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.log import report
from qpkernels.problems.sigmoid_fit import SigmoidFit, SigmoidPoint, UnitScores
from qpkernels.solvers.interface import Answer, Claim, Request

__all__ = ["fit_sigmoids"]

_ITERATIONS = 1000

_NEAR = 0.5
"""Change of the log-odds up to which the whole step is known to shorten the gradient."""

_ROUNDING = 8 * np.finfo(float).eps
"""Part of a log-odds that is rounding: one so large that this is more than _NEAR has neither slope nor curvature."""


def fit_sigmoids(programs: Sequence[SigmoidFit], request: Request, start: Vector | None = None) -> list[Answer]:
    """Minimise each from A, B = ``start``, or from A = 0 where that is better; its point is (A, B)."""
    deadline = np.inf if request.time_limit is None else perf_counter() + request.time_limit
    answers: dict[int, Answer] = {}
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for numbers in _alike(np.array([program.scores.size for program in programs])):
            scores = UnitScores.of_fits([programs[number] for number in numbers.tolist()])
            point = _first(scores, start)
            fits = _Underway(numbers, scores, point, _decrement(point), np.zeros(numbers.size, np.bool_))
            answers |= _minimise(fits, request, deadline)
    return [answers[number] for number in range(len(programs))]


def _alike(sizes: Indices) -> Iterator[Indices]:
    """Yield the numbers of fits whose sizes differ by a factor of 2 at most, so that few samples are repeated."""
    left = np.argsort(-sizes, kind="stable")
    while left.size:
        like = 2 * sizes[left] >= sizes[left[0]]
        yield left[like]
        left = left[~like]


class _Underway(NamedTuple):
    """Fits that have not ended: their numbers, where they stand, and whether the last step of each was a near one."""

    numbers: Indices
    scores: UnitScores
    point: SigmoidPoint
    decrement: Vector
    converging: NDArray[np.bool_]

    def of(self, fits: NDArray[np.bool_]) -> _Underway:
        """Return some of them."""
        numbers, scores, point, decrement, converging = self
        return _Underway(numbers[fits], scores.of(fits), point.of(fits), decrement[fits], converging[fits])

    def answers(self, claim: Claim, why: str, count: int) -> Iterator[tuple[int, Answer]]:
        """Yield the number of each and its answer after so many steps."""
        found = np.column_stack(self.scores.original(self.point))
        for number, point, decrement in zip(self.numbers.tolist(), found, self.decrement.tolist(), strict=True):
            says, because = claim, why
            if not np.isfinite(point[0]):
                says, because = Claim.FAILED, "A is beyond the largest number of float64, multiply the scores; "
            yield number, Answer(point, np.zeros(0), says, f"{because}Newton decrement {decrement:.1e}", count)


def _first(scores: UnitScores, start: Vector | None) -> SigmoidPoint:
    """Return the better of the start and of A = 0, from where the objective stays small enough to have curvature."""
    sizes = scores.counts.sum(axis=-1)
    mean = (scores.counts * scores.targets).sum(axis=-1) / sizes
    centre = (scores.counts * scores.unit).sum(axis=-1) / sizes
    flat = scores.around(np.zeros(sizes.size), centre, np.log(mean) - np.log1p(-mean))
    if start is None:
        return flat
    given = scores.at(*start.tolist())
    better = _risk(scores, given) < _risk(scores, flat)
    return scores.around(*(np.where(better, one, other) for one, other in zip(given[:3], flat[:3], strict=True)))


def _risk(scores: UnitScores, point: SigmoidPoint) -> Vector:
    losses = scores.counts * (np.logaddexp(0.0, point.z) - scores.targets * point.z)
    return np.asarray(losses.sum(axis=-1))


def _minimise(fits: _Underway, request: Request, deadline: float) -> dict[int, Answer]:
    """Return the answer of each fit, whose point is the last one that shortened its gradient, by its number."""
    answers: dict[int, Answer] = {}
    count = 0
    try:
        while fits.numbers.size:
            over = count == (request.max_iter or _ITERATIONS)
            if over or perf_counter() >= deadline:
                answers |= fits.answers(Claim.STOPPED, f"limit of {'iterations' if over else 'time'}; ", count)
                break
            step = _newton_step(fits)
            direction = step[:, :1] + step[:, 1:] * fits.point.offsets
            changes = np.abs(direction)
            change = changes.max(axis=-1)
            lost = ~(change < np.inf)
            if lost.any():
                answers |= fits.of(lost).answers(Claim.STOPPED, "no curvature left in float64; ", count)
                fits = fits.of(~lost)
                continue
            near = change <= _NEAR
            if not near.all():
                near = (changes <= np.maximum(_NEAR, _ROUNDING * np.abs(fits.point.z))).all(axis=-1)
            safe = np.where(near, 1.0, np.log1p(change) / change)
            parts, following = _line_search(fits, step, direction, safe)
            count += 1
            decrement = _decrement(following)
            if request.verbose:
                for part, length in zip(parts.tolist(), decrement.tolist(), strict=True):
                    report(f"newton: {count:3d}, step {part:.1e}, decrement {length:.2e}")
            ended = near & fits.converging & ~(decrement < fits.decrement)
            moved = fits._replace(point=following, decrement=decrement, converging=near)
            if ended.any():
                answers |= fits.of(ended).answers(Claim.OPTIMAL, "", count)
                moved = moved.of(~ended)
            fits = moved
    except KeyboardInterrupt:
        answers |= fits.answers(Claim.INTERRUPTED, "interrupted; ", count)
    return answers


def _newton_step(fits: _Underway) -> Matrix:
    """Return the changes of level and slope, shape (fits, 2); equal scores leave the slope as it is."""
    step: Matrix = -fits.point.gradient / fits.point.curvature
    step[fits.scores.low == fits.scores.high, 1] = 0.0
    return step


def _line_search(fits: _Underway, step: Matrix, direction: Matrix, safe: Vector) -> tuple[Vector, SigmoidPoint]:
    """Return the first part 1, 1/2, ... of each step at whose end its objective does not rise, and where that is."""
    point, parts = fits.point, np.ones(safe.size)
    while True:
        following = fits.scores.around(point.slope + parts * step[:, 1], point.centre, point.level + parts * step[:, 0])
        rises = parts > safe
        if rises.any():
            rises &= ~((following.residuals * direction).sum(axis=-1) <= 0.0)
        if not rises.any():
            return parts, following
        parts = np.where(rises, np.maximum(0.5 * parts, safe), parts)


def _decrement(point: SigmoidPoint) -> Vector:
    """Return the length of the gradient in the norm of the inverse Hessian; 0 in a direction that changes no z_i."""
    lengths = np.where(point.curvature > 0.0, np.abs(point.gradient) / np.sqrt(point.curvature), 0.0)
    return np.asarray(np.hypot(lengths[..., 0], lengths[..., 1]))
