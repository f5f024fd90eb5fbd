# SPDX-License-Identifier: BSD-3-Clause
"""Linear algebra as a solver: Cholesky, and solutions of least norm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh, lstsq, qr, svd

from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.errors import SolverFailedError
from qpkernels.problems import LeastSquares, LinearSystem
from qpkernels.problems.linear_system import RidgedGram
from qpkernels.solvers.interface import Answer, Claim, Request, Solver

__all__ = ["LinearAlgebra"]

_UNSOLVED = 1e-6
"""Relative residual above which a factorisation has solved nothing: backward stable, it leaves about 1e-15."""

_WIDE = 2
"""Features for each sample from which a fit is first tried to meet all targets, which costs a part of the SVD."""

_MET = 1e-9
"""Share of the largest target within which all are met."""


class LinearAlgebra(Solver):
    """scipy.linalg: a Cholesky factorisation, or the singular value decomposition of a fit.

    Three matrices of m^2 numbers are in memory; ``conjugate-gradient`` needs none of them.

    Parameters
    ----------
    keeps_factor
        Whether the last factorisation is kept, for the next system if its matrix is the same.
    """

    name = "linear"
    foreign = False
    programs: ClassVar = (LinearSystem, LeastSquares)
    module = "scipy"
    install = "pip install scipy"

    def __init__(self, *, keeps_factor: bool = False) -> None:
        self._keeps_factor = keeps_factor
        self._kept: _Factored | None = None

    def settings(self) -> Mapping[str, Any]:
        """Return that it has none."""
        return {}

    def run(self, program: LinearSystem | LeastSquares, request: Request, **options: Any) -> Answer:
        """Solve, and say by what and how exactly."""
        del request, options
        if isinstance(program, LeastSquares):
            with blas_threads_for(min(program.features.shape)):
                return _least_norm(program)
        # b takes up any offset of the right-hand side, which would cost x digits.
        level = 0.5 * float(program.rhs.min() + program.rhs.max()) if program.bordered else 0.0
        around = replace(program, rhs=program.rhs - level)
        with blas_threads_for(around.rhs.size):
            answer = _cholesky(around, self._factored(around.matrix))
        return replace(answer, multipliers=answer.multipliers + level)

    def _factored(self, matrix: Matrix | RidgedGram) -> _Factored:
        if self._kept is not None and self._kept.is_of(matrix):
            return self._kept
        found = _Factored.of(matrix)
        if self._keeps_factor:
            self._kept = found
        return found


@dataclass(frozen=True, eq=False)
class _Factored:
    """A matrix, as it was given and in full, with its Cholesky factor, or None where it has none."""

    given: Matrix | RidgedGram
    full: Matrix
    factor: Any

    @classmethod
    def of(cls, matrix: Matrix | RidgedGram) -> _Factored:
        full = matrix.dense() if isinstance(matrix, RidgedGram) else matrix
        try:
            return cls(matrix, full, cho_factor(full, lower=True, check_finite=False))
        except LinAlgError:
            return cls(matrix, full, None)

    def is_of(self, matrix: Matrix | RidgedGram) -> bool:
        """Return whether it is that of this matrix too."""
        if not (isinstance(matrix, RidgedGram) and isinstance(self.given, RidgedGram)):
            return False
        return matrix.gram is self.given.gram and np.array_equal(matrix.ridge, self.given.ridge)


def _least_norm(program: LeastSquares) -> Answer:
    F, count = program.features, program.features.shape[1]
    centre = F.mean(axis=0) if program.intercept else np.zeros(count)
    level = float(program.target.mean()) if program.intercept else 0.0
    centred = F - centre
    lengths = np.linalg.norm(centred, axis=0)
    # Which columns depend on others is decided at unit length, so that no unit hides one; centring leaves rounding of
    # the size of F itself.
    rounding = np.finfo(float).eps * len(F) * np.abs(F).max(axis=0)
    (kept,) = np.nonzero(lengths > 10 * rounding)
    units = lengths[kept]
    w, rank = np.zeros(count), 0
    wide = program.interpolating or kept.size >= _WIDE * len(F)
    meets_all = _interpolation(centred, program.target - level) if wide else None
    if meets_all is not None:
        w, rank = meets_all
    elif program.interpolating:
        raise SolverFailedError(f"no w of this {program.name} meets all targets to rounding.")
    elif kept.size:
        cutoff = 10 * max(max(F.shape) * np.finfo(float).eps, float((rounding[kept] / units).max()))
        U, sizes, Vt = svd(centred[:, kept] / units, full_matrices=kept.size > len(F))
        rank = int(np.sum(sizes > cutoff * sizes[0]))
        best, idle = np.zeros(kept.size), Vt[rank:].T / units[:, None]
        for _ in range(2):  # The second time takes the rounding of the decomposition out.
            left = program.target - level - centred[:, kept] @ best
            best = best + (Vt[:rank].T @ ((U[:, :rank].T @ left) / sizes[:rank])) / units
        w[kept] = best - idle @ lstsq(idle, best, lapack_driver="gelsy")[0] if idle.size else best
    message = f"rank {rank} of {count}" + (": the w of least norm among several" if rank < count else "")
    return Answer(w, np.array([level - centre @ w]) if program.intercept else np.zeros(0), Claim.OPTIMAL, message)


def _interpolation(features: Matrix, target: Vector) -> tuple[Vector, int] | None:
    """Return the w of least norm among those with F w = target, and the rank of F; None if none meets it to rounding.

    With many more features than samples, the decomposition of a square matrix decides: F' = Q R, R'z = target, w = Q z.
    """
    Q, R = qr(features.T, mode="economic", check_finite=False)
    w, rank, cutoff = np.zeros(features.shape[1]), 0, 10 * max(features.shape) * np.finfo(float).eps
    for _ in range(2):
        z, _, rank, _ = lstsq(R.T, target - features @ w, cutoff, lapack_driver="gelsy", check_finite=False)
        w = w + Q @ z
    missed = np.abs(target - features @ w)
    rounding = features.shape[1] * np.finfo(float).eps * (np.abs(features) @ np.abs(w) + np.abs(target))
    # Of features that depend on each other but for rounding, a w without bounds meets all targets, to its rounding.
    return (w, int(rank)) if (missed <= np.minimum(rounding, _MET * np.abs(target).max())).all() else None


def _cholesky(program: LinearSystem, factored: _Factored) -> Answer:
    matrix, factor = factored.full, factored.factor
    if factor is None:
        return _by_eigenvectors(program, matrix)
    x, b = _refined(program, matrix, lambda rhs: np.asarray(cho_solve(factor, rhs, check_finite=False)))
    if not program.residual(x, b) <= _UNSOLVED:
        # Rounding may let the factorisation of a singular matrix pass, but not its solution.
        return _by_eigenvectors(program, matrix)
    return _answer(program, x, b, "Cholesky")


def _by_eigenvectors(program: LinearSystem, matrix: Matrix) -> Answer:
    """Return the solution of least norm, as far as there is one.

    A ridge beyond rounding keeps all eigenvalues, so that they would solve no better than the Cholesky factor.
    """
    if isinstance(program.matrix, RidgedGram):
        ridge, largest = float(program.matrix.ridge.min()), float(program.matrix.gram.diagonal.max())
        if ridge > 10 * len(matrix) * np.finfo(float).eps * largest:
            raise SolverFailedError(
                f"the matrix of this {program.name} is too ill conditioned: a ridge of {ridge:.3g} beside kernel "
                f"values up to {largest:.3g}; centre and scale the features, or raise the ridge."
            )
    sizes, vectors = eigh(matrix, check_finite=False)
    kept = sizes > 10 * len(matrix) * np.finfo(float).eps * sizes[-1]
    V, inverse = vectors[:, kept], 1.0 / sizes[kept]
    x, b = _refined(program, matrix, lambda rhs: np.asarray(V @ (inverse * (V.T @ rhs))))
    if not program.residual(x, b) <= _UNSOLVED:
        raise _singular(program, float(sizes[0]), float(sizes[-1]), is_singular=not kept.all())
    return _answer(program, x, b, f"rank {int(kept.sum())} of {len(matrix)}")


def _refined(program: LinearSystem, matrix: Matrix, solve: Callable[[Vector], Vector]) -> tuple[Vector, float]:
    """Solve with one step of refinement, which takes the rounding of the factorisation out."""

    def refined(rhs: Vector) -> Vector:
        x = solve(rhs)
        return x + solve(rhs - matrix @ x)

    return _bordered(refined(program.rhs), refined(np.ones(program.rhs.size)) if program.bordered else None)


def _singular(program: LinearSystem, smallest: float, largest: float, *, is_singular: bool) -> SolverFailedError:
    if not is_singular:
        return SolverFailedError(
            f"the matrix of this {program.name} is too ill conditioned: its eigenvalues run from {smallest:.3g} to "
            f"{largest:.3g}; centre and scale the features, or raise the ridge."
        )
    return SolverFailedError(
        f"the matrix of this {program.name} must be positive definite beyond rounding, but its smallest eigenvalue is "
        f"{smallest:.3g} (largest {largest:.3g}): two samples are equal to the kernel, or nearly, or the features are "
        "far from the origin; centre and scale them, raise the ridge above 0, or merge those samples."
    )


def _bordered(particular: Vector, ones: Vector | None) -> tuple[Vector, float]:
    """Return x and b of the bordered system from H^-1 rhs and H^-1 1: 1'x = 0 determines b."""
    if ones is None:
        return particular, 0.0
    b = float(particular.sum() / ones.sum())
    x = particular - b * ones
    return x - ones * (x.sum() / ones.sum()), b


def _answer(program: LinearSystem, x: Vector, b: float, how: str) -> Answer:
    multipliers = np.array([b]) if program.bordered else np.zeros(0)
    return Answer(x, multipliers, Claim.OPTIMAL, f"{how}, relative residual {program.residual(x, b):.1e}")
