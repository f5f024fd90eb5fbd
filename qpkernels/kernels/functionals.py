# SPDX-License-Identifier: BSD-3-Clause
r"""Inner products of continuous linear functionals on the space of a kernel: values, derivatives and their sums.

In the space H of a kernel k, f(x) = <f, k(x, .)>, and where k is smooth enough, a derivative of f at x is

    D^a f(x) = <f, D^a k(x, .)>,   <D^a k(x, .), D^b k(z, .)> = d^|a| d^|b| k(x, z) / dx^a dz^b,

so that these functionals and their finite sums have inner products, as samples do, and a matrix of these is a kernel
matrix. Source: D.-X. Zhou, J. Comput. Appl. Math. 220 (2008), "Derivative reproducing properties for kernel methods in
learning theory".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, eye_array

from qpkernels.arrays import Indices, Matrix, Samples, Vector, finite_samples
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels.algebra import Exponential, PolynomialOf, Power, Product, Scaled, Sum
from qpkernels.kernels.kernel import Kernel
from qpkernels.kernels.linear import Linear
from qpkernels.kernels.matern import Matern
from qpkernels.kernels.polynomial import Polynomial
from qpkernels.kernels.rbf import RBF

__all__ = ["FunctionalKernel", "Representers", "box_rule", "largest_norm"]

_AT_ONCE = 2**18
"""Inner products that are held at once for a diagonal."""

_KEPT = 2**29
"""Bytes up to which the inner products of all representers are kept."""

_MOST_NODES = 4096
"""Points of the sum that an integral is, at most."""

_ELLIPSES = 1.0 + 2.0 ** np.linspace(-12.0, 8.0, 201)
"""Sums of the half axes of the ellipses around an interval, on which a function is bounded."""


@dataclass(frozen=True, eq=False)
class Representers:
    """The functions D^axes k(x_i, .), whose inner products with f are the derivatives of f along these axes at x_i.

    Attributes
    ----------
    kernel
        k.
    X
        The n points, as ``kernel.samples`` returns them.
    axes
        The axes, each repeated as often as f is differentiated along it; () for the values of f.
    """

    kernel: Kernel
    X: Samples
    axes: tuple[int, ...] = ()

    def __len__(self) -> int:
        """Return the number of points."""
        return int(self.X.shape[0])

    def part(self, rows: Indices) -> Representers:
        """Return the representers at some of the points.

        Parameters
        ----------
        rows
            Their numbers.
        """
        return Representers(self.kernel, self.X[rows], self.axes)

    def inner(self, other: Representers) -> Matrix:
        """Return the inner products with other representers of the same kernel, shape (n, number of the others).

        Parameters
        ----------
        other
            The others, in the same space.
        """
        if self.axes or other.axes:
            return self.kernel.derivative(self.X, other.X, self.axes, other.axes)
        return self.kernel.check_values(self.kernel.matrix(self.X, other.X))

    def squared_norms(self) -> Vector:
        """Return the inner products with themselves, shape (n,)."""
        if not self.axes:
            return self.kernel.diagonal(self.X)
        return np.array([self.part(np.array([i])).inner(self.part(np.array([i])))[0, 0] for i in range(len(self))])


def largest_norm(kernel: Kernel, axes: tuple[int, ...], box: Matrix) -> float:
    """Return the largest norm of D^axes k(x, .) for x in a box: |D^axes f(x)| is at most that times ||f||.

    The squared norm is D^(axes, axes) k(x, x). For a function of x - z it is the same everywhere. A power series in the
    x_k z_k with coefficients of at least 0 becomes one in the x_k^2, and is largest at a corner. Sums of kernels of
    both kinds are largest there too, and so are products of kernels of one kind.

    Parameters
    ----------
    kernel
        A kernel made of such kernels.
    axes
        Of the derivative.
    box
        The ends of the axes, shape (d, 2).

    Raises
    ------
    ParameterError
        If the kernel is made of other kernels, for which this is not known, or if it has no such derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import RBF, Linear
    >>> from qpkernels.kernels.functionals import largest_norm
    >>> box = np.array([[-3.0, 2.0]])
    >>> print(largest_norm(RBF(0.5), (0,), box), largest_norm(Linear(), (), box))
    1.0 3.0
    """
    if not _kinds(kernel):
        raise ParameterError(
            f"it is not known how large the derivatives of functions of {kernel!r} are in a box; it is of RBF, Matern, "
            "Linear, Polynomial, and of sums, products, powers and multiples of these."
        )
    corner = Representers(kernel, kernel.samples(np.abs(box).max(axis=1)[None, :]), axes)
    return float(np.sqrt(corner.squared_norms()[0]))


def box_rule(kernels: Iterable[Kernel], lower: Vector, upper: Vector) -> tuple[Matrix, Vector]:
    """Return points and weights that integrate functions in the spaces of kernels over a box, as a sum of their values.

    They form the Gauss rule on each axis. With n points it is exact for polynomials of a degree below 2n. Over an
    interval of half width h, it misses the integral of a function that is analytic around the interval by at most

        64/15 h M r^(-2n) / (1 - r^(-2)),

    where M is the largest size of the function on the ellipse with these foci and half axes' sum r h. The function
    exp(-gamma (x - z)^2) has M <= exp(gamma h^2 (r - 1/r)^2 / 4). There are enough points to bring this bound down to
    rounding. Source: L. N. Trefethen, Approximation Theory and Approximation Practice (2013), theorem 19.3.

    Parameters
    ----------
    kernels
        Linear, Polynomial, RBF, and sums and multiples of these.
    lower, upper
        The ends of the axes, shape (d,).

    Raises
    ------
    ParameterError
        If a kernel is not one of these, or if the box would take too many points.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import RBF
    >>> from qpkernels.kernels.functionals import box_rule
    >>> points, weights = box_rule([RBF(1.0)], np.array([0.0]), np.array([1.0]))
    >>> print(f"{weights @ np.exp(-points[:, 0] ** 2):.12f}")
    0.746824132812
    """
    half = 0.5 * (upper - lower)
    counts = np.max([_rule_sizes(kernel, half) for kernel in kernels], axis=0)
    if np.prod(counts.astype(float)) > _MOST_NODES:
        raise ParameterError(
            f"the integral over this box is a sum of {' x '.join(map(str, counts.tolist()))} values, and {_MOST_NODES} "
            "are taken at most; integrate over a smaller box, or over functions of fewer features."
        )
    rules = [np.polynomial.legendre.leggauss(int(count)) for count in counts]
    points = np.meshgrid(*(x for x, _ in rules), indexing="ij")
    weights = np.meshgrid(*(w for _, w in rules), indexing="ij")
    grid = np.stack([each.reshape(-1) for each in points], axis=1)
    return lower + half * (1.0 + grid), np.prod([each.reshape(-1) for each in weights], axis=0) * np.prod(half)


def _rule_sizes(kernel: Kernel, half: Vector) -> Indices:
    """Return how many points each axis takes, given half its widths."""
    if type(kernel) is Scaled:
        return _rule_sizes(kernel.base, half)
    if type(kernel) is Sum:
        return np.maximum(_rule_sizes(kernel.left, half), _rule_sizes(kernel.right, half))
    if type(kernel) is RBF:
        s = np.sqrt(np.broadcast_to(kernel.gamma, half.shape)) * half
        r = _ELLIPSES[:, None]
        room = np.log(64 / 15 / np.finfo(float).eps) - np.log1p(-(r**-2.0)) + (0.5 * s * (r - 1.0 / r)) ** 2
        return np.asarray(np.ceil((room / (2.0 * np.log(r))).min(axis=0)), dtype=np.intp)
    if type(kernel) in (Linear, Polynomial):
        degree = kernel.degree if isinstance(kernel, Polynomial) else 1
        return np.full(half.size, degree // 2 + 1)
    raise ParameterError(
        "integrals over boxes are known of functions of RBF, Linear, Polynomial, and of sums and multiples of these, "
        f"but the kernel is {kernel!r}; take a mean of values with weights of your own."
    )


def _kinds(kernel: Kernel) -> frozenset[str]:
    """Return of which kinds the terms of a kernel are, "differences" and "products"; none if one of them is of neither.

    A subclass may be another function, and is of none.
    """
    if type(kernel) in (RBF, Matern):
        return frozenset({"differences"})
    if type(kernel) is Linear or (type(kernel) is Polynomial and kernel.positive_semidefinite):
        return frozenset({"products"})
    parts = [part for part in vars(kernel).values() if isinstance(part, Kernel)]
    kinds = [_kinds(part) for part in parts]
    if not all(kinds) or type(kernel) not in (Sum, Product, Scaled, Power, Exponential, PolynomialOf):
        return frozenset()
    every = frozenset().union(*kinds)
    return every if type(kernel) in (Sum, Scaled) or len(every) == 1 else frozenset()


@dataclass(frozen=True, eq=False)
class FunctionalKernel(Kernel):
    """k(a, b) = <sum_i a_i l_i, sum_j b_j l_j>: samples are sums of representers l of one or several functions.

    Representers of different functions are orthogonal: the space is the product of the spaces of the functions, so that
    a sample is a functional of all functions together. Samples are given by their coefficients, one row of N numbers
    each, sparse or dense. Inner products are only computed for representers that have a coefficient.

    Parameters
    ----------
    functions
        The representers of each function; all representers of one function have the same kernel. N is the total number
        of representers, and the columns of samples are in this order.
    chosen
        The number of a function; only its part of each sample counts. With None, all functions count.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import RBF
    >>> from qpkernels.kernels.functionals import FunctionalKernel, Representers
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> kernel = FunctionalKernel([[Representers(RBF(0.5), points)]])
    >>> difference = [[1.0, -1.0, 0.0]]
    >>> print(kernel(difference).round(4), (2 - 2 * np.exp(-0.5)).round(4))
    [[0.7869]] 0.7869
    """

    functions: Sequence[Sequence[Representers]] = field(repr=False)
    chosen: int | None = None

    def __post_init__(self) -> None:
        functions = tuple(tuple(parts) for parts in self.functions)
        if not functions or not all(functions):
            raise ParameterError("a FunctionalKernel needs representers of one function at least.")
        object.__setattr__(self, "functions", functions)

    def formula(self, x: str = "x", z: str = "z") -> str:
        return f"<{x}, {z}>"

    @property
    def positive_semidefinite(self) -> bool:
        """Whether the kernels of all functions are positive semidefinite."""
        return all(parts[0].kernel.positive_semidefinite for parts in self.functions)

    @property
    def takes_sparse(self) -> bool:
        """True."""
        return True

    @cached_property
    def size(self) -> int:
        """The number N of representers."""
        return sum(len(part) for parts in self.functions for part in parts)

    def samples(self, X: ArrayLike) -> Samples:
        """Return the coefficients as a csr_array of N columns.

        Raises
        ------
        ShapeError
            If they have another number of columns.
        """
        made = csr_array(finite_samples(X, "X"))
        if made.shape[1] != self.size:
            raise ShapeError(
                f"a sample is a sum of {self.size} representers here, but {made.shape[1]} coefficients came."
            )
        return made

    @cached_property
    def _blocks(self) -> list[tuple[Sequence[Representers], slice]]:
        """The representers of each function that counts, and its columns."""
        ends = np.cumsum([0] + [sum(len(part) for part in parts) for parts in self.functions]).tolist()
        every = list(zip(self.functions, map(slice, ends[:-1], ends[1:]), strict=True))
        return every if self.chosen is None else [every[self.chosen]]

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        left, right = csr_array(X), csr_array(Z)
        if self._kept is not None:
            return _bilinear(left, self._kept, right)
        values = np.zeros((left.shape[0], right.shape[0]))
        for parts, own in self._blocks:
            some, others = left[:, own], right[:, own]
            rows, columns = np.unique(some.indices).astype(np.intp), np.unique(others.indices).astype(np.intp)
            if rows.size and columns.size:
                values = values + _bilinear(some[:, rows], _inner(parts, rows, columns), others[:, columns])
        return values

    def diagonal(self, X: Samples) -> Vector:
        coefficients = csr_array(X)
        values, counts = np.empty(coefficients.shape[0]), np.diff(coefficients.indptr)
        for count in np.unique(counts):
            (rows,) = np.nonzero(counts == count)
            step = max(1, _AT_ONCE // max(1, int(count)) ** 2)
            for start in range(0, rows.size, step):
                some = rows[start : start + step]
                values[some] = self._squares(coefficients[some], int(count))
        return values

    def _squares(self, rows: csr_array, count: int) -> Vector:
        """Return the squared norms of some sums, each of so many representers."""
        if self._kept is None:
            return np.asarray(self.matrix(rows, rows).diagonal())
        c, at = rows.data.reshape(rows.shape[0], count), rows.indices.reshape(rows.shape[0], count)
        return np.asarray(np.einsum("ij,ijk,ik->i", c, self._kept[at[:, :, None], at[:, None, :]], c))

    def lengths(self, X: Samples) -> Vector:
        """Return the sums of the norms of the terms, to which rounding is proportional even where the terms cancel."""
        norms = np.sqrt(np.maximum(self.diagonal(eye_array(self.size, format="csr")), 0.0))
        return np.asarray(abs(csr_array(X)) @ norms)

    def mixture(self, X: Samples) -> tuple[csr_array, Matrix] | None:
        """Return the coefficients and the inner products of all representers, where these are kept."""
        return None if self._kept is None else (csr_array(X), self._kept)

    @cached_property
    def _kept(self) -> Matrix | None:
        """The inner products of all representers, where there is room for them."""
        if 8 * self.size**2 * (1 if self.chosen is None else len(self.functions)) > _KEPT:
            return None
        K = np.zeros((self.size, self.size))
        for parts, own in self._blocks:
            every = np.arange(own.stop - own.start)
            K[own, own] = _inner(parts, every, every)
        return K


def _bilinear(left: csr_array, K: Matrix, right: csr_array) -> Matrix:
    return np.ascontiguousarray((right @ (left @ K).T).T)


def _inner(parts: Sequence[Representers], rows: Indices, columns: Indices) -> Matrix:
    """Return the inner products of these representers of one function, by their numbers, which ascend."""
    ends = np.cumsum([0] + [len(part) for part in parts])
    cuts = [np.searchsorted(numbers, ends) for numbers in (rows, columns)]
    values = np.empty((rows.size, columns.size))
    for i, left in enumerate(parts):
        above = slice(cuts[0][i], cuts[0][i + 1])
        some = left.part(rows[above] - ends[i])
        for j, right in enumerate(parts):
            beside = slice(cuts[1][j], cuts[1][j + 1])
            if len(some) and beside.stop > beside.start:
                values[above, beside] = some.inner(right.part(columns[beside] - ends[j]))
    return values
