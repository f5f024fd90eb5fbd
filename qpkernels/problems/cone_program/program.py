# SPDX-License-Identifier: BSD-3-Clause
"""A cone program in matrices, with a name for every block of variables and rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigvalsh
from scipy.sparse import csc_array, csr_array, diags_array, eye_array
from scipy.sparse.linalg import ArpackNoConvergence, eigsh, splu

from qpkernels.arrays import Indices, Vector, check_count, check_finite, finite_vector, frozen, is_sparse, shown
from qpkernels.arrays.checks import float_array, float_sparse
from qpkernels.errors import NonconvexError, NonFiniteError, ParameterError, ShapeError, UnsupportedProgramError
from qpkernels.problems.cones import Cone, Nonnegative, Zero
from qpkernels.problems.program import Program

__all__ = [
    "Block",
    "ConeProgram",
    "QuadraticProgram",
    "negative_eigenvalue",
]

_TOLERANCE = 1e-10
"""How far below 0 an eigenvalue may be where the diagonal is 1."""

_SMALL = 2000
"""Order up to which all eigenvalues are computed to name the smallest."""

_DENSE = 0.1
"""Share of nonzeros from which on a dense factorisation is the faster one."""


def negative_eigenvalue(P: csc_array) -> float | None:
    """Return the smallest eigenvalue of a symmetric P if it is negative beyond rounding, else None.

    A factorisation decides; eigenvalues are only computed if there is a negative one. If P is large, Lanczos' method
    finds an eigenvalue close to the smallest one.
    """
    diagonal = np.asarray(P.diagonal())
    coupled = _coupled(P, diagonal)
    if diagonal.min(initial=0.0) >= 0 and _is_psd(P, diagonal, coupled):
        return None
    smallest = min(float(diagonal.min()), _smallest(csc_array(P[:, coupled][coupled])))
    return smallest if smallest < 0 else None


def _coupled(P: csc_array, diagonal: Vector) -> Indices:
    """Return the variables that share a term with another one."""
    entries = np.asarray(csc_array(abs(P)).sum(axis=0)).ravel()
    return np.flatnonzero(entries > np.abs(diagonal))


def _is_psd(P: csc_array, diagonal: Vector, coupled: Indices) -> bool:
    if not coupled.size:
        return True
    if diagonal[coupled].min() == 0:
        # A square of 0 with a product beside it: the other square cannot make up for it.
        return False
    roots = diags_array(diagonal[coupled] ** -0.5)
    scaled = csc_array(roots @ P[:, coupled][coupled] @ roots + _TOLERANCE * eye_array(coupled.size))
    if scaled.nnz > _DENSE * coupled.size**2:
        try:
            cholesky(scaled.toarray(), overwrite_a=True, check_finite=False)
        except LinAlgError:
            return False
        return True
    return _has_positive_pivots(scaled)


def _has_positive_pivots(matrix: csc_array) -> bool:
    """Return whether elimination only meets positive pivots, in an order that keeps the factor sparse."""
    try:
        factor = splu(matrix, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:  # a pivot of 0
        return False
    symmetric = np.array_equal(factor.perm_r, factor.perm_c)
    return symmetric and bool((factor.U.diagonal() > 0).all())


def _smallest(P: csc_array) -> float:
    if P.shape[0] <= _SMALL:
        return float(eigvalsh(P.toarray(), subset_by_index=[0, 0])[0]) if P.shape[0] else 0.0
    try:
        start = np.random.default_rng(0).normal(size=P.shape[0])
        return float(eigsh(P, 1, which="SA", tol=1e-6, v0=start, return_eigenvectors=False)[0])
    except ArpackNoConvergence as stopped:
        return float(stopped.eigenvalues.min(initial=0.0))


@dataclass(frozen=True)
class Block:
    """A name for the half-open range [start, stop) of variables, or of rows.

    Attributes
    ----------
    name
        The name of the block; several blocks may have the same name.
    start, stop
        Numbers from 0, ``start`` included and ``stop`` not.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> program = SoftMargin([[0.0], [1.0]], [-1, 1]).dual.matrices()
    >>> print([(block.name, block.start, block.stop) for block in program.rows])
    [('balance', 0, 1), ('lower', 1, 3), ('upper', 3, 5)]
    """

    name: str
    start: int
    stop: int

    def __post_init__(self) -> None:
        for edge, number in (("start", self.start), ("stop", self.stop)):
            if type(number) is not int or number < 0:
                check_count(number, f"the {edge} of a block", least=0)

    @property
    def range(self) -> slice:
        """The range as a slice."""
        return slice(self.start, self.stop)


@dataclass(frozen=True, eq=False)
class QuadraticProgram:
    """min 1/2 x'Px + q'x s.t. Gx <= h, Ax = b: the form of qpsolvers, without separate bounds.

    Attributes
    ----------
    P, q
        The objective, shapes (n, n) and (n,).
    G, h
        The inequalities.
    A, b
        The equations.
    """

    P: csc_array
    q: Vector
    G: csc_array
    h: Vector
    A: csc_array
    b: Vector


@dataclass(frozen=True, eq=False)
class ConeProgram(Program):
    """min 1/2 x'Px + q'x + offset  s.t.  Ax + s = b, s in K = K_1 x K_2 x ...

    Dual: max -1/2 x'Px - b'z + offset s.t. Px + q + A'z = 0, z in K*. This fixes the sign of every multiplier in the
    project: Px + q + A'z = 0 determines z, so the multiplier of a row Ax <= b is never negative.

    The program holds read-only copies of its arrays, so that no solver can change the program that is certified.

    Parameters
    ----------
    P
        Symmetric positive semidefinite (both triangles stored), shape (n, n). Whether it is semidefinite is checked
        when a proof needs it; see :meth:`require_convex`.
    q, A, b
        Shapes (n,), (rows, n), (rows,). All are finite: a row without a bound is left out, not written with infinity.
    cones
        The cones in the order of the rows of A; their sizes add up to the number of rows.
    variables, rows
        Names of consecutive blocks that cover all variables and all rows.
    offset
        The constant of the objective.
    name
        The problem that the program states.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If the parts do not fit together, hold NaN or infinity, or are of the wrong kind.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csc_array
    >>> from qpkernels.problems import Block, ConeProgram, Nonnegative
    >>> from qpkernels.solvers import find_solver
    >>> A, b = csc_array([[-1.0, -1.0]]), np.array([-1.0])
    >>> blocks = (Block("x", 0, 2),), (Block("sum", 0, 1),)
    >>> program = ConeProgram(csc_array(np.eye(2)), np.zeros(2), A, b, (Nonnegative(1),), *blocks)
    >>> answer = find_solver("clarabel").solve(program, tol=1e-9)
    >>> print(answer.point.round(3), answer.multipliers.round(3), f"{program.objective(answer.point):.3f}")
    [0.5 0.5] [0.5] 0.250
    """

    usual_solver = "clarabel"

    P: csc_array
    q: Vector
    A: csc_array
    b: Vector
    cones: tuple[Cone, ...]
    variables: tuple[Block, ...]
    rows: tuple[Block, ...]
    offset: float = 0.0
    name: str = "cone program"

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of entries of its point, and the number of its multipliers."""
        return self.q.size, self.b.size

    def __post_init__(self) -> None:
        for name in ("q", "b"):
            object.__setattr__(self, name, frozen(finite_vector(getattr(self, name), name)))
        for name in ("P", "A"):
            object.__setattr__(self, name, _fixed(getattr(self, name), name))
        for name, kind in (("cones", Cone), ("variables", Block), ("rows", Block)):
            object.__setattr__(self, name, _all_of(getattr(self, name), name, kind))
        object.__setattr__(self, "offset", check_finite(self.offset, "offset"))
        n, k = self.q.size, self.b.size
        if self.P.shape != (n, n) or self.A.shape != (k, n):
            raise ShapeError(
                f"P and A must have shapes {(n, n)} and {(k, n)}, but have {self.P.shape} and {self.A.shape}."
            )
        if sum(cone.size for cone in self.cones) != k:
            raise ShapeError(f"the cones must cover the {k} rows of A, but cover {sum(c.size for c in self.cones)}.")
        for name, matrix in (("P", self.P), ("A", self.A)):
            if not np.isfinite(matrix.data).all():
                raise NonFiniteError(f"{name} must hold finite numbers only.")
        if not _is_symmetric(self.P):
            raise ShapeError("P must be symmetric with both triangles stored.")
        _check_blocks(self.variables, n, "variables")
        _check_blocks(self.rows, k, "rows")

    def objective(self, x: Vector) -> float:
        """Return 1/2 x'Px + q'x + offset.

        Parameters
        ----------
        x
            A point, shape (variables,), feasible or not.
        """
        return float(0.5 * x @ (self.P @ x) + self.q @ x) + self.offset

    def upper_triangle(self) -> csc_array:
        """Return the upper triangle of P with its diagonal, which is the part that most solvers and files take."""
        P = self.P
        columns = np.repeat(np.arange(P.shape[1]), np.diff(P.indptr))
        kept = P.indices <= columns
        starts = np.append(0, np.cumsum(np.bincount(columns[kept], minlength=P.shape[1])))
        return csc_array((P.data[kept], P.indices[kept], starts), shape=P.shape)

    @cached_property
    def _negative_eigenvalue(self) -> float | None:
        return negative_eigenvalue(self.P)

    def require_convex(self) -> None:
        """Require that P is positive semidefinite, which a factorisation checks on the first call.

        Raises
        ------
        NonconvexError
            If the smallest eigenvalue is negative beyond rounding; the message states it.
        """
        smallest = self._negative_eigenvalue
        if smallest is not None:
            raise NonconvexError(
                f"{self.name} is not convex: the smallest eigenvalue of its P is {smallest:.6g} (largest diagonal "
                f"entry {self.P.diagonal().max():.6g}), so no certificate exists for it; state P as a product F'F, or "
                f"add at least {-smallest:.6g} to its diagonal knowingly.",
                smallest,
            )

    def parts(self) -> Iterator[tuple[Cone, slice]]:
        """Yield each cone with its range of rows."""
        start = 0
        for cone in self.cones:
            yield cone, slice(start, start + cone.size)
            start += cone.size

    @property
    def is_quadratic(self) -> bool:
        """Whether all rows are equations and inequalities."""
        return all(isinstance(cone, Zero | Nonnegative) for cone in self.cones)

    def equations(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return for each row whether it is an equation.

        Raises
        ------
        UnsupportedProgramError
            If the program has other cones than equations and inequalities.
        """
        if not self.is_quadratic:
            kinds = sorted({type(cone).__name__ for cone in self.cones if not isinstance(cone, Zero | Nonnegative)})
            raise UnsupportedProgramError(
                f"{self.name} is no quadratic program: it has cones of kind {', '.join(kinds)}."
            )
        mask = np.zeros(self.b.size, dtype=np.bool_)
        for cone, rows in self.parts():
            mask[rows] = isinstance(cone, Zero)
        return mask

    def to_qp(self) -> QuadraticProgram:
        """Return the program with separate inequalities and equations, in arrays of its own that may be overwritten."""
        equal = self.equations()
        rows = csr_array(self.A)
        return QuadraticProgram(
            P=self.P.copy(),
            q=self.q.copy(),
            G=csc_array(rows[~equal]),
            h=self.b[~equal],
            A=csc_array(rows[equal]),
            b=self.b[equal],
        )


def _is_symmetric(P: csc_array) -> bool:
    """Return whether both triangles of P are stored, and the same to rounding."""
    if _is_dense_block(P):
        return True
    asymmetry = abs(P - P.T)
    return not asymmetry.nnz or asymmetry.max() <= 1e-12 * abs(P).max()


def _is_dense_block(P: csc_array) -> bool:
    """Return whether P is a full block, symmetric to the last bit, and a diagonal: that is seen without transposing."""
    counts = np.diff(P.indptr)
    coupled = np.flatnonzero(counts > 1)
    if not coupled.size:
        return False
    first, last = coupled[0], coupled[-1] + 1
    size, part = last - first, slice(P.indptr[first], P.indptr[last])
    apart = np.concatenate([P.indices[: part.start], P.indices[part.stop :]])
    if part.stop - part.start != size**2 or not np.array_equal(apart, np.flatnonzero(counts == 1)):
        return False
    rows, block = P.indices[part].reshape(size, size), P.data[part].reshape(size, size)
    return bool((rows == np.arange(first, last)).all()) and np.array_equal(block, block.T)


def _fixed(matrix: object, name: str) -> csc_array:
    """Return a copy in canonical format, whose entries and their places are read-only."""
    values: Any = matrix if is_sparse(matrix) else float_array(matrix, name)
    if len(values.shape) != 2:
        raise ShapeError(f"{name} must have two dimensions, but its shape is {values.shape}.")
    copied: csc_array = float_sparse(values, name, csc_array) if is_sparse(matrix) else csc_array(values)
    for part in ("data", "indices", "indptr"):
        getattr(copied, part).flags.writeable = False
    return copied


def _all_of(values: object, name: str, kind: type) -> tuple[Any, ...]:
    """Return a list or tuple as a tuple, all of one kind."""
    sequence = tuple(values) if isinstance(values, list | tuple) else (values,)
    strange = [value for value in sequence if not isinstance(value, kind)]
    if strange:
        raise ParameterError(f"{name} must be a tuple of {kind.__name__}, but {shown(strange[0])} came.")
    return sequence


def _check_blocks(blocks: tuple[Block, ...], size: int, what: str) -> None:
    edges = [0, *(block.stop for block in blocks)]
    if edges[-1] != size or any(block.start != edge for block, edge in zip(blocks, edges, strict=False)):
        raise ShapeError(f"the blocks of {what} must follow one another from 0 to {size}, but they are {blocks}.")
    if any(start > stop for start, stop in pairwise(edges)):
        raise ShapeError(f"a block of {what} ends before it starts: {blocks}.")
