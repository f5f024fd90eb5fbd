# SPDX-License-Identifier: BSD-3-Clause
"""Kernel machines in the vocabulary of portable proofs, and answers that meet their constraints exactly.

A problem with a free level, whose level is -rho or epsilon, is a kernel-qp with two balances: 1'beta = 0 for the
intercept, and the budget of 1'|beta| for the level. In a margin the sign of beta is known. In a tube each sample stands
there twice, with a coefficient of either sign.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial, singledispatch
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr
from scipy.sparse import csr_array

import proofcheck
from qpkernels.arrays import Vector, is_sparse
from qpkernels.arrays.exact_algebra import exact_solution, near_factor
from qpkernels.arrays.exact_text import exact_text, exact_texts, triangle_texts
from qpkernels.errors import NoProofError
from qpkernels.files.proofs.document import JSON, Proof, best_proof, downward, upward
from qpkernels.gram import Gram, LowRank
from qpkernels.gram.exact import enclose_on_samples
from qpkernels.kernels import Precomputed
from qpkernels.kernels.kernel import Samples
from qpkernels.problems import Bounds, KernelQPBounds
from qpkernels.problems.enclosing import Judged, exactly_feasible
from qpkernels.problems.kernel_qp.enclosure import corrected, excesses, forbidden
from qpkernels.problems.level_qp.bounds import FreeLevelBounds
from qpkernels.problems.level_qp.enclosure import within_budget
from qpkernels.problems.semiparametric_qp import SemiparametricBounds

__all__ = ["LARGEST_MATRIX", "predicted", "prove_machine"]

_OF_SAMPLES = ("lower", "upper", "target", "epsilon", "ridge")

_LARGE = 1_000_000
"""Values of the kernel, of samples and support vectors, from which on the ends of the claim come from float64."""


LARGEST_MATRIX = 2000
"""Samples up to which what the vocabulary does not know is given by matrices."""


class _ExactAnswer(NamedTuple):
    """A dual point that meets all constraints in exact arithmetic, and the free variables of the primal."""

    beta: list[Fraction]
    free: list[float]


def prove_machine(bounds: Bounds | SemiparametricBounds, beta: Vector, free: Vector, words: str) -> Proof:
    """Return the proof of the interval that an answer to a kernel machine gives.

    Parameters
    ----------
    bounds
        Those of a KernelQP, of a problem with a free level, or of one with free directions.
    beta
        Coefficients near the optimum, shape (m,).
    free
        b, shape (1,), or the coefficients of the free directions.
    words
        The problem as its users write it.

    Raises
    ------
    NoProofError
        If the vocabulary has no words for the problem or its kernel, or if no point near the answer proves anything.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import RBF, Gram
    >>> from qpkernels.files.proofs import prove_machine
    >>> from qpkernels.problems import KernelQP, KernelQPBounds
    >>> from qpkernels.solvers import find_solver
    >>> y = np.array([-1.0, -1.0, 1.0, 1.0])
    >>> gram = Gram(RBF(gamma=0.5), [[0.0], [1.0], [3.0], [4.0]])
    >>> program = KernelQP(gram, y, lower=np.minimum(y, 0.0), upper=np.maximum(y, 0.0))
    >>> answer = find_solver("interior-point").solve(program, tol=1e-12)
    >>> proof = prove_machine(KernelQPBounds(program), answer.point, answer.multipliers, "a soft margin")
    >>> print(f"{proof.lower:.3f}", proof.digits >= 9)
    1.321 True
    """
    gram = _gram(bounds, words)
    statement = {"problem": "kernel-qp", **_samples_and_kernel(gram), **_numbers(bounds)}
    if statement["kernel"]["name"] == "matrix" and not isinstance(gram.kernel, Precomputed):
        words += ", with its kernel matrix as rounded to float64"
    if isinstance(bounds, FreeLevelBounds) and not bounds.program.least:
        statement["samples"] = statement["samples"] * 2
    attempts = (partial(_of_point, bounds, point, words, statement) for point in _points(bounds, beta, free))
    try:
        return best_proof(attempts, otherwise="no point near it meets the constraints exactly")
    except NoProofError as reason:
        said = str(reason).rstrip(".")
        raise NoProofError(f"{words.split(':')[0]}: {said}; solve it to a smaller tol, and prove that.") from None


def _of_point(bounds: Bounds | SemiparametricBounds, point: _ExactAnswer, words: str, statement: JSON) -> Proof:
    answer = {"beta": exact_texts(point.beta), "free": exact_texts(point.free) if point.free else []}
    return Proof.of_interval(words, statement, answer, _ends(bounds, point))


def _ends(bounds: Bounds | SemiparametricBounds, point: _ExactAnswer) -> tuple[float, float] | None:
    """Return the ends of a large machine from interval arithmetic in float64, with room; None: let them be computed."""
    if len(point.beta) * sum(map(bool, point.beta)) <= _LARGE or not isinstance(bounds, KernelQPBounds):
        return None
    found = bounds.enclose(np.array(point.beta, dtype=np.float64), point.free[0] if point.free else 0.0)
    # Its own feasible point may differ from this one in the last digits.
    room = found.width + 2.0**-48 * max(abs(found.lower), abs(found.upper))
    return found.lower - room, found.upper + room


def _gram(bounds: Bounds | SemiparametricBounds, words: str) -> Gram:
    if isinstance(bounds, FreeLevelBounds):
        return bounds.gram
    if not isinstance(bounds, KernelQPBounds | SemiparametricBounds):
        raise NoProofError(
            f"{words.split(':')[0]}: the vocabulary of portable proofs has no words for it. It knows kernel machines "
            "whose losses are pieces of lines and parabolas, and programs in matrices with equations, inequalities and "
            "norms. model.enclose(answer) may prove an interval here."
        )
    return bounds.program.gram


def _samples_and_kernel(gram: Gram) -> JSON:
    """Return the samples and the kernel: those of an approximation are its features, with their inner product.

    A kernel that the vocabulary does not know, or a matrix whose eigenvalues were corrected, is given by its matrix.
    """
    if isinstance(gram, LowRank):
        return {"kernel": {"name": "linear"}, "samples": exact_texts(gram.factor)}
    try:
        kernel = gram.kernel.portable()
    except NoProofError:
        if len(gram) > LARGEST_MATRIX:
            raise
        kernel = {"name": "matrix"}
    if gram.correction is not None or kernel["name"] == "matrix":
        # Its halves may differ in the last digit, of which a matrix is as good with one as with the other.
        K = np.tril(gram.dense) + np.tril(gram.dense, -1).T
        return {"kernel": {"name": "matrix", "factor": triangle_texts(near_factor(K))}, "samples": exact_texts(K)}
    return {"kernel": kernel, "samples": _sample_texts(gram.X)}


def _sample_texts(samples: Samples) -> list[Any]:
    X = samples.toarray() if is_sparse(samples) else np.asarray(samples)
    found: list[Any] = X.tolist() if X.dtype.kind == "U" else exact_texts(np.asarray(X, dtype=np.float64))
    return found


def _balance(row: Vector, total: float | Fraction, sense: str = "=") -> JSON:
    return {"row": exact_texts(row), "total": exact_text(total), "sense": sense}


@singledispatch
def _numbers(bounds: Any) -> JSON:
    raise AssertionError(bounds)


@_numbers.register
def _(bounds: KernelQPBounds) -> JSON:
    program = bounds.program
    balances = [] if program.total is None else [_balance(np.ones(len(program)), program.total)]
    return {**{name: exact_texts(getattr(program, name)) for name in _OF_SAMPLES}, "balances": balances}


@_numbers.register
def _(bounds: SemiparametricBounds) -> JSON:
    program = bounds.program
    columns = zip(program.directions.T, program.totals.tolist(), strict=True)
    balances = [_balance(column, total) for column, total in columns]
    return {**{name: exact_texts(getattr(program, name)) for name in _OF_SAMPLES}, "balances": balances}


@_numbers.register
def _(bounds: FreeLevelBounds) -> JSON:
    program = bounds.program
    budget = Fraction(bounds.nu) * sum(map(Fraction, bounds.costs.tolist()))
    zeros, ones = np.zeros(len(program)), np.ones(len(program))
    if program.least:
        lower, upper, target = program.lower, program.upper, program.target
        level, sums = _balance(np.where(program.upper > 0, 1.0, -1.0), budget, ">="), ones
    else:
        lower, upper = np.concatenate([zeros, program.lower]), np.concatenate([program.upper, zeros])
        target, sums = np.tile(program.target, 2), np.tile(ones, 2)
        level = _balance(np.concatenate([ones, -ones]), budget, "<=")
    values = {"lower": lower, "upper": upper, "target": target, "epsilon": zeros[:1], "ridge": zeros[:1]}
    balances = [level] if program.total is None else [_balance(sums, program.total), level]
    return {**{name: exact_texts(each) for name, each in values.items()}, "balances": balances}


@singledispatch
def _points(bounds: Any, beta: Vector, free: Vector) -> Iterator[_ExactAnswer]:
    raise AssertionError(bounds, beta, free)


@_points.register
def _(bounds: KernelQPBounds, beta: Vector, free: Vector) -> Iterator[_ExactAnswer]:
    """Yield the nearest feasible point, and those whose functions were moved to meet hard constraints."""
    program = bounds.program

    def feasible(near: Vector) -> Vector | None:
        return exactly_feasible(near, program.lower, program.upper, program.total)

    if (point := feasible(program.project(beta))) is None:
        return
    if not program.is_hard:
        yield _ExactAnswer(point.tolist(), [] if program.total is None else [float(free[0])])
        return
    at_samples = enclose_on_samples(program.gram, point)
    judged = Judged(at_samples.values, at_samples.squared_norm, float(free[0]), point)
    moved = (
        corrected(program, judged) if any(each.any() for each in forbidden(program, excesses(program, judged))) else ()
    )
    for each in (judged, *moved):
        if each.coefficients is not None and (found := feasible(each.coefficients)) is not None:
            yield _ExactAnswer(found.tolist(), [] if program.total is None else [each.intercept])


@_points.register
def _(bounds: FreeLevelBounds, beta: Vector, free: Vector) -> Iterator[_ExactAnswer]:
    point = within_budget(bounds.free_level(), bounds.feasible(beta))
    if point is None:
        return
    level = bounds.level(bounds.losses(bounds.excess(bounds.gram.product(point), float(free[0]))))
    if not bounds.program.least:
        point = np.concatenate([np.maximum(point, 0.0), np.minimum(point, 0.0)])
    yield _ExactAnswer(point.tolist(), [level] if bounds.total is None else [float(free[0]), level])


@_points.register
def _(bounds: SemiparametricBounds, beta: Vector, free: Vector) -> Iterator[_ExactAnswer]:
    """Yield the point that a few coefficients inside their bounds bring onto all balances, in fractions."""
    program = bounds.program
    near, B = program.project(beta), program.directions
    room = np.minimum(program.upper - near, near - program.lower)
    inside = np.flatnonzero(room > 0)
    # The pivots prefer rows with room, and rows that do not depend on each other.
    pivots = qr((B[inside] * np.minimum(room[inside], 1.0)[:, None]).T, mode="r", pivoting=True)[1]
    rows = inside[pivots[: B.shape[1]]]
    exact = [Fraction(value) for value in near.tolist()]
    lack = [
        Fraction(total) - sum(Fraction(value) * each for value, each in zip(column, exact, strict=True) if value)
        for column, total in zip(B.T.tolist(), program.totals.tolist(), strict=True)
    ]
    move = exact_solution(csr_array(B[rows].T), lack)
    if move is None:
        return
    for row, step in zip(rows.tolist(), move, strict=True):
        exact[row] += step
    yield _ExactAnswer(exact, free.tolist())


_DOUBLINGS = 60
"""Times that the interval of b is widened before it is given up."""


def predicted(proof: Proof, points: Samples, intercepts: tuple[float, float]) -> Proof:
    """Return the proof with intervals of the decision values that the optimal machine has at further points.

    Its f* lies within a ball around the f of beta, whose squared radius is the gap of the two bounds, and its b within
    an interval beyond whose ends the primal only grows. The exact optimum is thus known at any point up to
    sqrt(k(x, x) gap), and the width of the interval of b.

    Parameters
    ----------
    proof
        The proof of a kernel machine, without a level or several free directions.
    points
        Samples, as the kernel takes them.
    intercepts
        The ends between which any b is nearly optimal.

    Raises
    ------
    NoProofError
        If no interval of b is proved.
    """
    said = _sample_texts(points)
    machine = proofcheck.Machine(proof.statement, said)
    m, n = machine.size, len(said)
    beta = proofcheck.vector(proof.answer["beta"], "beta", m)
    values = machine.values(beta, range(m + n))
    f, at_points = values[:m], values[m:]
    square = sum((max(v * end for end in ends) for v, ends in zip(beta, f, strict=True)), Fraction(0))
    free = proofcheck.vector(proof.answer["free"], "free", len(machine.balances))
    gap = machine.primal(f, square, free, beta) - machine.dual(beta, square)
    top = proofcheck.around(*gap.as_integer_ratio())[1]
    far = [Fraction(isqrt(machine.k(m + i, m + i)[1] * top) + 1, proofcheck.ONE) for i in range(n)]
    low, high = _offset(machine, f, beta, gap, intercepts) if machine.balances else (0.0, 0.0)
    claim = {
        "points": said,
        "offset": [exact_text(low), exact_text(high)],
        "lower": [
            exact_text(downward(ends[0] - each + Fraction(low))) for ends, each in zip(at_points, far, strict=True)
        ],
        "upper": [
            exact_text(upward(ends[1] + each + Fraction(high))) for ends, each in zip(at_points, far, strict=True)
        ],
    }
    return proof.claiming(predictions=claim)


def _offset(
    machine: proofcheck.Machine, f: list[Any], beta: list[Fraction], gap: Fraction, intercepts: tuple[float, float]
) -> tuple[float, float]:
    """Return an interval that holds every optimal b, as the checker proves it."""
    widest = max(machine.k(i, i)[1] for i in range(machine.size))
    step = upward(Fraction(isqrt(widest * proofcheck.around(*gap.as_integer_ratio())[1]) + 1, proofcheck.ONE))
    for _ in range(_DOUBLINGS):
        low, high = intercepts[0] - step, intercepts[1] + step
        said = {"points": [], "offset": [exact_text(low), exact_text(high)], "lower": [], "upper": []}
        try:
            machine.predictions(f, beta, gap, said)
        except proofcheck.FailedError:
            step *= 2.0
            continue
        except ValueError as error:
            raise NoProofError(f"predictions of this machine are not proved: {error}.") from None
        return low, high
    raise NoProofError("the intercept of the optimal machine is not proved to lie in any interval.")
