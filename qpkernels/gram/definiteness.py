# SPDX-License-Identifier: BSD-3-Clause
"""The tests for a symmetric, positive semidefinite kernel matrix, and the ways to make an indefinite one so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh, eigvalsh, eigvalsh_tridiagonal

from qpkernels.arrays import Matrix, Samples, Vector, frozen, is_sparse, row_blocks
from qpkernels.arrays.machine_code import at_hand
from qpkernels.arrays.threads import blas_threads_for, blas_threads_worth
from qpkernels.errors import GramTooLargeError, IndefiniteKernelError, NonFiniteError, NotSymmetricError, ParameterError
from qpkernels.gram.panels.products import EXPONENT_ERROR
from qpkernels.kernels.kernel import Kernel

__all__ = [
    "PSD_TOLERANCE",
    "Correction",
    "Formed",
    "check_diagonal",
    "check_few",
    "check_whole",
    "corrected",
    "indefinite",
    "is_psd",
    "kernel_matrix",
    "psd_threshold",
    "require_symmetric",
    "smallest_eigenvalue",
    "smallest_ritz_value",
]

PSD_TOLERANCE = 1e-10
"""A matrix counts as positive semidefinite when its smallest eigenvalue is above minus this times max K_ii."""

_SYMMETRY_TOLERANCE = 1e-10
"""Difference of k(x, z) and k(z, x), against the largest entry, that counts as rounding."""

_TINY = float(np.finfo(float).tiny)

_LANCZOS_STEPS = 60
"""Products with a matrix that is too large to be formed."""


def psd_threshold(diagonal: Vector) -> float:
    """Return how far below 0 an eigenvalue may be: 1e-10 of the largest entry of the diagonal."""
    return PSD_TOLERANCE * max(float(np.abs(diagonal).max()), _TINY)


@dataclass(frozen=True)
class Correction:
    """How an indefinite kernel matrix was made positive semidefinite.

    Attributes
    ----------
    kind
        "clip": negative eigenvalues were set to 0. "shift": the smallest one was subtracted from the diagonal.
    smallest_eigenvalue
        The smallest eigenvalue of the kernel matrix before the correction.
    negative_eigenvalues
        The number of its negative eigenvalues.
    """

    kind: Literal["clip", "shift"]
    smallest_eigenvalue: float
    negative_eigenvalues: int

    @property
    def shift(self) -> float:
        """The number that was added to each diagonal entry; 0 where the matrix was clipped."""
        return -self.smallest_eigenvalue if self.kind == "shift" else 0.0

    def __str__(self) -> str:
        """Return a sentence that says what was done."""
        done = "set to 0" if self.kind == "clip" else f"lifted by adding {self.shift:.6g} to the diagonal"
        return (
            f"the kernel matrix was indefinite: {self.negative_eigenvalues} of its eigenvalues were negative, "
            f"the smallest {self.smallest_eigenvalue:.6g}; they were {done}"
        )


@dataclass(frozen=True, eq=False)
class Formed:
    """A kernel matrix in the form in which it is used, read-only.

    Attributes
    ----------
    matrix
        The matrix, corrected if necessary.
    correction
        How it was corrected; None if it is as the kernel gives it.
    kept
        The eigenvectors V+ of the eigenvalues that were kept, where it was clipped.
    """

    matrix: Matrix
    correction: Correction | None = None
    kept: Matrix | None = None


def is_psd(K: Matrix, diagonal: Vector) -> bool:
    """Return whether K has a Cholesky decomposition once the threshold is added to its diagonal."""
    shifted = np.array(K, order="C")
    shifted.ravel()[:: len(K) + 1] += psd_threshold(diagonal)
    try:
        with blas_threads_for(len(K)):
            # Transposed it is in the order of LAPACK, which then needs no copy.
            cholesky(shifted.T, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def require_symmetric(K: Matrix, exchanged: Matrix, name: object) -> None:
    """Require that k(x_i, z_j) in ``K`` equals k(z_j, x_i) in ``exchanged``, up to rounding.

    Raises
    ------
    NotSymmetricError
        If it does not; ``name`` is the name of the kernel.
    """
    allowed = _SYMMETRY_TOLERANCE * max(float(np.abs(K).max()), float(np.abs(exchanged).max()))
    for rows in row_blocks(*K.shape):
        skew = np.abs(K[rows] - exchanged[:, rows].T)
        if skew.max() > allowed:
            i, j = (int(k) for k in np.unravel_index(int(skew.argmax()), skew.shape))
            i += rows.start
            raise NotSymmetricError(
                f"a kernel must be symmetric, but {name} gives k(x, z) = {K[i, j]:.17g} and "
                f"k(z, x) = {exchanged[j, i]:.17g} for a pair of these samples; correct its matrix(X, Z), of which "
                "matrix(Z, X) must be the transpose."
            )


def smallest_ritz_value(product: Callable[[Vector], Vector], m: int) -> float:
    """Return an upper bound of the smallest eigenvalue of a symmetric m x m matrix, by Lanczos' method from products.

    It is close to that eigenvalue if this is well separated from the others, as a negative one of a smooth kernel is.
    """
    basis, diagonal, beside = np.empty((min(m, _LANCZOS_STEPS), m)), np.empty(0), np.empty(0)
    q = np.random.default_rng(0).normal(size=m)
    for step in range(len(basis)):
        basis[step] = q / np.linalg.norm(q)
        q = product(basis[step])
        diagonal = np.append(diagonal, basis[step] @ q)
        for _ in range(2):  # Twice, since the first subtraction leaves rounding.
            q = q - (basis[: step + 1] @ q) @ basis[: step + 1]
        length = float(np.linalg.norm(q))
        if length <= np.finfo(float).eps * float(np.abs(diagonal).max()):
            break
        beside = np.append(beside, length)
    return float(eigvalsh_tridiagonal(diagonal, beside[: diagonal.size - 1])[0])


def smallest_eigenvalue(K: Matrix) -> float:
    """Return the smallest eigenvalue of K."""
    with blas_threads_for(len(K)):
        return float(eigvalsh(K, subset_by_index=[0, 0], check_finite=False)[0])


def corrected(K: Matrix, diagonal: Vector, kind: Literal["clip", "shift"]) -> Formed:
    """Return K made positive semidefinite."""
    # Half of what the check allows: below this, an eigenvalue is negative beyond rounding.
    rounding = 0.5 * psd_threshold(diagonal)
    with blas_threads_for(len(K)):
        return _shifted(K, rounding) if kind == "shift" else _clipped(K, rounding)


def _shifted(K: Matrix, rounding: float) -> Formed:
    eigenvalues = eigvalsh(K, check_finite=False)
    correction = Correction("shift", float(eigenvalues[0]), int((eigenvalues < -rounding).sum()))
    return Formed(frozen(K + correction.shift * np.eye(len(K))), correction)


def _clipped(K: Matrix, rounding: float) -> Formed:
    eigenvalues, vectors = eigh(K, check_finite=False)
    kept = vectors[:, eigenvalues > 0]
    roots = kept * np.sqrt(eigenvalues[eigenvalues > 0])
    correction = Correction("clip", float(eigenvalues[0]), int((eigenvalues < -rounding).sum()))
    return Formed(frozen(roots @ roots.T), correction, frozen(kept))


_FEW = 32
"""Samples on whose kernel matrix it is checked what a kernel says of itself."""

_ALL = 10_000
"""Samples up to which a kernel whose laws are tested is checked no more: that would take longer than what follows."""

_SAME_VALUE = 1e-8
"""Difference of two values of a pair, against the largest entry, that counts as rounding."""

_STRIP = 64
"""Rows that are made before they are written a second time, as columns: they stay in a processor's cache meanwhile."""

_COMPILED = 100
"""Samples from which compiled code is worth loading for a matrix."""

_UNIT = float(np.finfo(float).eps)
"""The least number of full precision."""

_LARGE = 2000
"""Samples above which a negative eigenvalue is looked for by Lanczos' method first."""


def check_diagonal(kernel: Kernel, X: Samples, diagonal: Vector) -> None:
    """Refuse samples on which the kernel overflows in float64, or underflows to 0 although they are not 0.

    Raises
    ------
    NonFiniteError
        If it does, since a proof would then be about other samples.
    """
    if not np.isfinite(diagonal).all():
        raise NonFiniteError(kernel.overflow)
    (small,) = np.nonzero(np.abs(diagonal) < _TINY)
    if small.size and not kernel.vanishes(X[small]).all():
        raise NonFiniteError(kernel.underflow)


def indefinite(kernel: Kernel, largest: float, smallest: float, bound: str = "") -> IndefiniteKernelError:
    """Return the error for a matrix with a negative eigenvalue; ``bound`` says if it may not be the smallest."""
    claimed = " Its class must not say that it is positive_semidefinite then." if kernel.positive_semidefinite else ""
    return IndefiniteKernelError(
        f"the kernel matrix of {kernel!r} is not positive semidefinite: its smallest eigenvalue is {bound}"
        f"{smallest:.6g} (largest diagonal entry {largest:.6g}), so the problem is not convex; "
        'use another kernel, or change the matrix knowingly: Gram(kernel, X, indefinite="clip"), or an estimator with '
        'that parameter, sets its negative eigenvalues to 0, and indefinite="shift" will add at least '
        f"{-smallest:.6g} to its diagonal.{claimed}",
        smallest,
    )


def kernel_matrix(kernel: Kernel, X: Samples, memory_limit: float) -> Matrix:
    """Return the whole matrix, symmetric by construction or by a check.

    Raises
    ------
    GramTooLargeError
        If it takes more than ``memory_limit`` bytes.
    NonFiniteError, NotSymmetricError, ParameterError
        If the kernel fails on these samples.
    """
    m = int(X.shape[0])
    size = 8 * m**2
    if size > memory_limit:
        raise GramTooLargeError(
            f"the kernel matrix of {m} samples takes {size / 2**30:.1f} GiB, above the limit of "
            f"{memory_limit / 2**30:.1f} GiB; take a solver that needs rows alone, such as smo, LowRank(kernel, X, "
            "rank) in its place, or fewer samples, or bind them with Gram(kernel, X, memory_limit=...)."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        made = _by_product_form(kernel, X)
        if made is None:
            with blas_threads_for(m):
                K = kernel.matrix(X, X)
        else:
            K = made.matrix
    # An exponential of finite features is finite.
    if (made is None or made.degree > 0) and not np.isfinite(K).all():
        raise NonFiniteError(kernel.overflow)
    if made is None and not kernel.positive_semidefinite:
        require_symmetric(K, K, kernel)
        _check_pairs(kernel, X, K)
    return K


def _check_pairs(kernel: Kernel, X: Samples, K: Matrix) -> None:
    """Refuse a kernel whose value for a pair depends on the other samples in the call."""
    among_all, alone = K.diagonal(), kernel.diagonal(X)
    off = np.abs(among_all - alone)
    if off.max() > _SAME_VALUE * np.abs(K).max():
        i = int(np.argmax(off))
        raise ParameterError(
            f"the value of {kernel!r} for a pair of samples must depend on this pair alone, but k(x, x) of sample {i} "
            f"is {among_all[i]:.6g} among all samples, and {alone[i]:.6g} without most of them; take quantities that "
            "depend on all samples, such as a mean, from the training samples once, before."
        )


class _FactoredMatrix(NamedTuple):
    """A matrix that was made of a product form of that degree."""

    matrix: Matrix
    degree: int


def _by_product_form(kernel: Kernel, X: Samples) -> _FactoredMatrix | None:
    """Return the matrix of dense samples, half of whose entries are made, or None where that rounds too much."""
    form = None if is_sparse(X) or len(X) < _COMPILED else kernel.product_form(X)
    if form is None:
        return None
    if not at_hand("descent"):
        return None
    # It loads the compiler, which not everyone needs.
    from qpkernels.gram.panels.loops import write_symmetric
    from qpkernels.gram.panels.samples import make_product

    product = make_product(form, X, np.float64)
    if not _UNIT * product.largest <= EXPONENT_ERROR:
        return None
    K, (features, offsets, degree) = np.empty((len(X), len(X))), product.centers()
    with blas_threads_worth(float(_STRIP) * features.size):
        for start in range(0, len(X), _STRIP):
            stop = min(start + _STRIP, len(X))
            write_symmetric(features[start:stop] @ features[:stop].T, start, offsets, degree, K)
    np.fill_diagonal(K, kernel.diagonal(X))
    return _FactoredMatrix(K, degree)


def check_few(kernel: Kernel, X: Samples) -> None:
    """Check a kernel on a few samples spread over all: its symmetry, and its definiteness if it claims that.

    A kernel whose laws are tested is trusted if there are not too many samples.

    Raises
    ------
    NonFiniteError, NotSymmetricError, IndefiniteKernelError
        If the kernel fails a check.
    """
    m = int(X.shape[0])
    if kernel.tested and m <= _ALL:
        return
    rows = np.arange(m) if m <= _FEW else np.linspace(0, m - 1, _FEW).astype(np.intp)
    left, right = X[rows], X[rows[::-1]]
    with np.errstate(over="ignore"), blas_threads_for(len(rows)):
        K, exchanged = kernel.matrix(left, right), kernel.matrix(right, left)
    if not (np.isfinite(K).all() and np.isfinite(exchanged).all()):
        raise NonFiniteError(kernel.overflow)
    require_symmetric(K, exchanged, kernel)
    K = K[:, ::-1]
    diagonal = np.asarray(K.diagonal())
    if kernel.positive_semidefinite and not is_psd(K, diagonal):
        raise indefinite(kernel, float(diagonal.max()), smallest_eigenvalue(K), "at most ")


def check_whole(kernel: Kernel, diagonal: Vector, K: Matrix | None, product: Callable[[Vector], Vector]) -> None:
    """Refuse a matrix K with a negative eigenvalue.

    Parameters
    ----------
    K
        The matrix; None where it does not fit in memory and only its products are available.

    Raises
    ------
    IndefiniteKernelError
        If there is one; the message states it.
    """
    largest = float(diagonal.max())
    if K is not None and is_psd(K, diagonal):
        return
    # Where it is enough of a proof, it takes a hundredth of the time of the eigenvalue itself.
    if K is None or diagonal.size > _LARGE:
        smallest = smallest_ritz_value(product, diagonal.size)
        if smallest < -psd_threshold(diagonal):
            raise indefinite(kernel, largest, smallest, "at most ")
    if K is not None:
        raise indefinite(kernel, largest, smallest_eigenvalue(K))
