# SPDX-License-Identifier: BSD-3-Clause
"""The Newton system of a second-order step, in as many unknowns as K has features, or as there are samples.

Once all that belongs to one sample is eliminated, a step d of beta and the change h of the values K beta + b obey::

    d = q - W h,    h = g + B c,    g = K d + lag,    B'd - D c = s

(W diagonal, positive; c the changes of the multipliers of equations, g that of f, which is carried beside beta and lags
behind it by K beta - f.) With one equation, 1'beta = total, B is 1, D is 0, and c the change of b. For several, A =
B'WB + D, where D is the remainder for samples that have variables in two of them.

W runs over many orders of magnitude: it grows without end at samples strictly inside their bounds, and vanishes at all
others. Neither form below ever subtracts numbers of its largest size. With K = Z Z', f = Z w, g = Z e and the means
M = A^-1 B'W Z of the rows of Z these are the normal equations of weighted least squares::

    (I + (Z - BM)' W (Z - BM) + M'D M) e = Z'q + lag - M'(B'q - s),    c = A^-1 (B'q - s) - M e

where the lag is that of w, Z'beta - w; and without features, d = S u with S = W^(1/2)::

    (I + S K S) u = S^-1 q - S (lag + B c)

The diagonal of 1 keeps the smallest eigenvalue at 1. Entries of very different size do a Cholesky factorisation no
harm (M. H. Wright, SIAM J. Optim. 9, 1998); one step of refinement takes most of what rounding leaves.

With many sparse features, conjugate gradients solve, in passes over the entries, and with nothing to factor,

    (I + Z'W Z) e + Z'W 1 c = Z'q + lag,    1'W Z e + 1'W 1 c = 1'q - s.

A product takes two passes. The residual is a share of the right side; the next Newton step sees that in the lag of f
behind beta, so that the steps converge as fast as that part is small (Dembo, Eisenstat and Steihaug, SIAM J. Numer.
Anal. 19, 1982).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.gram import Gram
from qpkernels.gram.features import pivoted_cholesky

__all__ = [
    "Border",
    "DenseSystem",
    "FeatureSystem",
    "Multipliers",
    "NewtonSystem",
    "SparseSystem",
    "newton_system",
    "power_of_two",
    "prepare_system",
]

Multipliers: TypeAlias = Vector | float
"""A number for each equation: a vector where they are those of a border, else one number, 0 without b."""

_REGULAR = 4 * np.finfo(float).eps
"""Part of the diagonal that is added where rounding took the definiteness of a matrix, tenfold at each attempt."""

_FEW = 100
"""Samples up to which a rank is not worth knowing."""

_ROUNDING = 1e-24
"""Mean square of a feature, against that of the largest one, up to which it is 0."""

_LEFT, _ITERATIONS = 1e-3, 1000
"""Part of the right side that may be left, in the norm of the preconditioner, and iterations at most."""


@dataclass(frozen=True, eq=False)
class Border:
    """The equations of a system, k of them: B, shape (m, k), and D, shape (k, k)."""

    columns: Matrix
    rest: Matrix


class NewtonSystem(ABC):
    """K up to a unit, and the systems with it.

    Attributes
    ----------
    bordered
        Whether there is a b; K is then taken around the mean of the samples, which changes no more than b and the
        values by :attr:`offset` for each unit of 1'beta.
    unit
        What K is divided by: about the mean of its diagonal around that mean, until :meth:`rescale` changes it.
    exact
        Whether it has K itself, not what a factor met up to its tolerance.
    least
        The part of the mean diagonal that is due to the smallest feature, or what of K may not be told from rounding.
    equations
        Those of the last :meth:`factor`; None: the usual one, or none.
    """

    bordered: bool
    unit: float
    offset: Vector
    exact: bool = True
    least: float = 1e-8
    equations: Border | None = None

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of samples."""

    @abstractmethod
    def part(self, rows: Indices) -> NewtonSystem:
        """Return the same of some of the samples."""

    @abstractmethod
    def restricted(self, function: Vector, rows: Indices) -> Vector:
        """Return a function as that part has it."""

    @abstractmethod
    def rescale(self, factor: float) -> None:
        """Multiply K by a factor, of which the unit takes account."""

    @abstractmethod
    def expand(self, beta: Vector) -> Vector:
        """Return the function of the coefficients beta: its weights, or its values where there are no features."""

    @abstractmethod
    def at_samples(self, function: Vector) -> Vector:
        """Return the values of a function."""

    @abstractmethod
    def factor(self, weights: Vector, border: Border | None = None) -> None:
        """Prepare the system with these W; without a border, with the one equation 1'd = s, or none."""

    @abstractmethod
    def solve(self, q: Vector, s: Multipliers, lag: Vector | float = 0.0) -> tuple[Vector, Multipliers]:
        """Return the change of the function, and c."""

    def level(self, c: Multipliers) -> Multipliers:
        """Return B c."""
        return c if self.equations is None else self.equations.columns @ c

    def sums(self, d: Vector) -> Multipliers:
        """Return B'd."""
        if self.equations is None:
            return float(d.sum()) if self.bordered else 0.0
        return np.asarray(d @ self.equations.columns)


class FeatureSystem(NewtonSystem):
    """K = Z Z' with few columns of Z."""

    def __init__(self, features: Matrix, bordered: bool, exact: bool = True) -> None:
        self.bordered, self.exact = bordered, exact
        level = features.mean(axis=0) if bordered else np.zeros(features.shape[1])
        Z = features - level
        self.unit = power_of_two(float(np.einsum("ij,ij->", Z, Z)) / len(Z))
        self.offset = Z @ level / self.unit
        squares = np.square(Z).mean(axis=0) / self.unit
        self.least = float(squares.min(where=squares > _ROUNDING * squares.max(), initial=1.0))
        self.Z = Z / np.sqrt(self.unit)

    def __len__(self) -> int:
        return len(self.Z)

    def part(self, rows: Indices) -> FeatureSystem:
        """Return the same of some of the samples."""
        part = copy(self)
        part.Z, part.offset = self.Z[rows], self.offset[rows]
        return part

    def restricted(self, function: Vector, rows: Indices) -> Vector:
        """Return the same weights."""
        del rows
        return function

    def rescale(self, factor: float) -> None:
        """Multiply K by a factor, of which the unit takes account."""
        self.Z = self.Z * np.sqrt(factor)
        self.unit, self.offset = self.unit / factor, self.offset * factor

    def expand(self, beta: Vector) -> Vector:
        """Return w = Z'beta."""
        return np.asarray(beta @ self.Z)

    def at_samples(self, function: Vector) -> Vector:
        """Return Z w."""
        return np.asarray(self.Z @ function)

    def factor(self, weights: Vector, border: Border | None = None) -> None:
        """Prepare the system with these W."""
        self.W, self.equations = weights, border
        self.masses: Matrix | float
        if border is None:
            mass, rest = self.sums(weights), None
            # Where rounding has left no sample that moves, and where there is no b, its multiplier does nothing.
            self.masses = float(mass) if mass > 0 else np.inf
            self.means = weights @ self.Z / self.masses
            rows = self.Z - self.means if self.bordered else self.Z
        else:
            weighted = border.columns * weights[:, None]
            self.masses = weighted.T @ border.columns + border.rest
            self.means = _multipliers(self.masses, weighted.T @ self.Z)
            rows, rest = self.Z - border.columns @ self.means, self.means.T @ border.rest @ self.means
        rows = rows * np.sqrt(weights)[:, None]
        self.triangle = _cholesky(lambda: _plus_one(rows.T @ rows if rest is None else rows.T @ rows + rest))

    def solve(self, q: Vector, s: Multipliers, lag: Vector | float = 0.0) -> tuple[Vector, Multipliers]:
        """Return the change of w, and c."""
        right, rest = q @ self.Z + lag, self.sums(q) - s
        e, c = self._step(right, rest)
        d = self.W * (self.Z @ e + self.level(c))
        rest = rest - self.sums(d)
        if self.equations is not None:
            rest -= self.equations.rest @ c
        change, more = self._step(right - e - d @ self.Z, rest)
        return e + change, c + more

    def _step(self, right: Vector, rest: Multipliers) -> tuple[Vector, Multipliers]:
        if self.equations is None and not self.bordered:
            return dpotrs(self.triangle, right)[0], 0.0
        e = dpotrs(self.triangle, right - np.dot(rest, self.means))[0]
        return e, _multipliers(self.masses, rest) - np.dot(self.means, e)


class DenseSystem(NewtonSystem):
    """K entry by entry."""

    def __init__(self, K: Matrix, bordered: bool) -> None:
        self.bordered = bordered
        means = K.mean(axis=0) if bordered else np.zeros(len(K))
        K = K - means - (means - means.mean())[:, None] if bordered else K
        self.unit = power_of_two(float(K.trace()) / len(K))
        self.offset = (means - means.mean()) / self.unit
        self.K = K / self.unit

    def __len__(self) -> int:
        return len(self.K)

    def part(self, rows: Indices) -> DenseSystem:
        """Return the same of some of the samples."""
        part = copy(self)
        part.K, part.offset = self.K[np.ix_(rows, rows)], self.offset[rows]
        return part

    def restricted(self, function: Vector, rows: Indices) -> Vector:
        """Return the values there."""
        return function[rows]

    def rescale(self, factor: float) -> None:
        """Multiply K by a factor, of which the unit takes account."""
        self.K *= factor
        self.unit, self.offset = self.unit / factor, self.offset * factor

    def expand(self, beta: Vector) -> Vector:
        """Return K beta."""
        return np.asarray(self.K @ beta)

    def at_samples(self, function: Vector) -> Vector:
        """Return the values, which are the function."""
        return function

    def factor(self, weights: Vector, border: Border | None = None) -> None:
        """Prepare the system with these W."""
        self.root, self.equations = np.sqrt(weights), border
        self.triangle = _cholesky(lambda: _plus_one(self.K * self.root * self.root[:, None]))
        self.columns = self.root if border is None else border.columns * self.root[:, None]
        if border is not None or self.bordered:
            self.inverse = self._inverse(self.columns)
            self.masses = self.columns.T @ self.inverse + (0.0 if border is None else border.rest)

    def _inverse(self, right: Matrix) -> Matrix:
        return np.asarray(dpotrs(self.triangle, right)[0])

    def solve(self, q: Vector, s: Multipliers, lag: Vector | float = 0.0) -> tuple[Vector, Multipliers]:
        """Return the change of the values, and c."""
        right = q / self.root
        u = self._inverse(right - self.root * lag)
        if self.equations is None and not self.bordered:
            return (right - u) / self.root, 0.0
        c = _multipliers(self.masses, u @ self.columns - s)
        u -= self.inverse * c if self.equations is None else self.inverse @ c
        return (right - u) / self.root - self.level(c), c


def power_of_two(size: float) -> float:
    """Return the power of 2 next below a size, by which scaling rounds nothing; 1 for 0."""
    return float(2.0 ** np.floor(np.log2(size))) if 0.0 < size < np.inf else 1.0


def _multipliers(masses: Matrix | float, amounts: Multipliers) -> Multipliers:
    """Return masses^-1 amounts of the equations; 0 for those where rounding has left no sample that moves."""
    if not (isinstance(masses, np.ndarray) and isinstance(amounts, np.ndarray)):
        return amounts / masses if masses > 0 else 0.0
    present = masses.diagonal() > 0
    found = np.zeros_like(amounts)
    inside = masses[np.ix_(present, present)]
    try:
        found[present] = np.linalg.solve(inside, amounts[present])
    except np.linalg.LinAlgError:
        # The samples that move tell some of the equations from the others no more.
        found[present] = np.linalg.lstsq(inside, amounts[present])[0]
    return found


def _plus_one(H: Matrix) -> Matrix:
    H.flat[:: len(H) + 1] += 1.0
    return H


def _cholesky(form: Callable[[], Matrix]) -> Matrix:
    """Return the upper triangle U of H = U'U, of an H a little larger where rounding needs it.

    H is formed anew at each attempt, since the triangle takes its place.
    """
    share = 0.0
    while True:
        H = form()
        H.flat[:: len(H) + 1] *= 1.0 + share
        triangle, failed = dpotrf(H.T, clean=0, overwrite_a=1)
        if not failed or not share < 1.0:
            return np.asarray(triangle)
        share = 10.0 * share or _REGULAR * len(H)


def prepare_system(gram: Gram) -> None:
    """Settle that the matrix is positive semidefinite, and compute it where there are no features."""
    gram.require_psd()
    if gram.features is None:
        gram.dense  # noqa: B018  formed when first asked for


def newton_system(gram: Gram, bordered: bool) -> NewtonSystem:
    """Return the cheaper of the two: by features, by a factor of K where its rank is small, or by K itself."""
    features = gram.features if gram.correction is None else None
    if features is not None and _pays(features.shape[1], len(gram)):
        return FeatureSystem(features, bordered)
    if features is None and len(gram) > _FEW and _pays(_sampled_rank(gram), len(gram)):
        factor = gram.factor
        if _pays(factor.shape[1], len(gram)):
            return FeatureSystem(factor, bordered, exact=False)
    return DenseSystem(gram.dense, bordered)


def _sampled_rank(gram: Gram) -> int:
    """Return the rank of a third of the samples, which tells cheaply where the rank is full."""
    few = slice(None, None, 3)
    return int(pivoted_cholesky(gram.dense[few, few], gram.diagonal[few]).factor.shape[1])


def _pays(rank: int, samples: int) -> bool:
    """Return whether m n^2 + n^3/3 multiplications are fewer than m^3/3."""
    return 2 * rank < samples


class SparseSystem(NewtonSystem):
    """K = Z Z' with a sparse Z."""

    def __init__(self, features: csr_array, bordered: bool) -> None:
        self.bordered = bordered
        self.unit = power_of_two(float(features.data @ features.data) / features.shape[0])
        self.offset = np.zeros(features.shape[0])
        self._hold(features / np.sqrt(self.unit))

    def _hold(self, Z: csr_array) -> None:
        self.Z = Z
        self._squares = Z.multiply(Z).tocsr()

    def __len__(self) -> int:
        return int(self.Z.shape[0])

    def part(self, rows: Indices) -> SparseSystem:
        """Return the same of some of the samples."""
        part = copy(self)
        part.offset = self.offset[rows]
        part._hold(self.Z[rows])
        return part

    def restricted(self, function: Vector, rows: Indices) -> Vector:
        """Return the same weights."""
        del rows
        return function

    def rescale(self, factor: float) -> None:
        """Multiply K by a factor, of which the unit takes account."""
        self.unit /= factor
        self._hold(self.Z * np.sqrt(factor))

    def expand(self, beta: Vector) -> Vector:
        """Return w = Z'beta."""
        return np.asarray(beta @ self.Z)

    def at_samples(self, function: Vector) -> Vector:
        """Return Z w."""
        return np.asarray(self.Z @ function)

    def factor(self, weights: Vector, border: Border | None = None) -> None:
        """Prepare the system with these W: the diagonal, which is the preconditioner."""
        assert border is None, "no solver that iterates has other equations"
        self.W, mass = weights, float(weights.sum())
        self._diagonal = np.append(1.0 + weights @ self._squares, mass if self.bordered and mass > 0 else 1.0)

    def solve(self, q: Vector, s: Multipliers, lag: Vector | float = 0.0) -> tuple[Vector, Multipliers]:
        """Return the change of w, and c."""
        found = np.zeros(self.Z.shape[1] + 1)
        rest = np.append(q @ self.Z + lag, float(q.sum()) - s if self.bordered else 0.0)
        ahead = rest / self._diagonal
        size = first = float(rest @ ahead)
        for _ in range(_ITERATIONS):
            if size <= _LEFT**2 * first:
                break
            image = self._product(ahead)
            step = size / float(ahead @ image)
            found += step * ahead
            rest -= step * image
            scaled = rest / self._diagonal
            before, size = size, float(rest @ scaled)
            ahead = scaled + size / before * ahead
        return found[:-1], float(found[-1]) if self.bordered else 0.0

    def _product(self, direction: Vector) -> Vector:
        e, c = direction[:-1], direction[-1] if self.bordered else 0.0
        weighted = self.W * (self.Z @ e + c)
        return np.append(e + weighted @ self.Z, float(weighted.sum()) if self.bordered else direction[-1])
