# SPDX-License-Identifier: BSD-3-Clause
r"""Functions that do not belong to a single kernel: sums over several spaces, and derivatives of functions.

    g_k(x)  =  b_k + sum over terms of  sum_i c_ik D_x^a D_z^{a'} k(x, z_i),

each term with a kernel, and with axes a along which functions are differentiated at x, and a' at the centers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, vstack

from qpkernels.arrays import FeatureNames, Matrix, Vector, is_integer, is_sparse, row_blocks
from qpkernels.arrays.files import sized
from qpkernels.errors import ShapeError
from qpkernels.gram.functions import Expansions, StoredCenters, check_width
from qpkernels.kernels.functionals import Representers

__all__ = ["FunctionalTerm", "Functionals", "terms_of"]

_TERM = "term{}_{}"
"""How the arrays of a term are called in a file."""


@dataclass(frozen=True, eq=False)
class FunctionalTerm:
    """x -> sum_i c_ik <D^axes k(x, .), l_i>, for several k.

    Attributes
    ----------
    representers
        The l_i.
    axes
        The axes along which functions are differentiated at x; () for their values.
    coefficients
        c, shape (number of representers, number of functions).
    """

    representers: Representers
    axes: tuple[int, ...]
    coefficients: Matrix = field(repr=False)

    @property
    def is_plain(self) -> bool:
        """Whether no derivative is in it."""
        return not self.axes and not self.representers.axes

    def joined(self, other: FunctionalTerm) -> FunctionalTerm | None:
        """Return the sum with another term, or None if that has another kernel or other derivatives.

        Parameters
        ----------
        other
            A term with the same number of functions.
        """
        own, others = self.representers, other.representers
        if (self.axes, own.axes, own.kernel) != (other.axes, others.axes, others.kernel):
            return None
        X, Z = own.X, others.X
        if X is Z or (isinstance(X, np.ndarray) and isinstance(Z, np.ndarray) and np.array_equal(X, Z)):
            return replace(self, coefficients=self.coefficients + other.coefficients)
        if X.shape[1:] != Z.shape[1:]:
            return None
        both: Any = csr_array(vstack([X, Z])) if is_sparse(X) or is_sparse(Z) else np.concatenate([X, Z])
        coefficients = np.vstack([self.coefficients, other.coefficients])
        return FunctionalTerm(replace(own, X=both), self.axes, coefficients)

    def used(self) -> FunctionalTerm:
        """Return it without the representers that have no coefficient."""
        rows = np.flatnonzero(self.coefficients.any(axis=1))
        return replace(self, representers=self.representers.part(rows), coefficients=self.coefficients[rows])

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the values, shape (number of samples, number of functions); memory stays bounded.

        Parameters
        ----------
        X
            Samples as the kernel takes them.
        """
        known, kernel = self.representers, self.representers.kernel
        if self.is_plain:
            return Expansions(kernel, known.X, self.coefficients, np.zeros(self.coefficients.shape[1]))(X)
        samples = kernel.samples(X)
        check_width(samples, known.X)
        values = np.empty((samples.shape[0], self.coefficients.shape[1]))
        for rows in row_blocks(samples.shape[0], len(known)):
            values[rows] = Representers(kernel, samples[rows], self.axes).inner(known) @ self.coefficients
        return values


@dataclass(frozen=True, eq=False)
class Functionals:
    """g_k(x) = b_k + a sum of terms, for several k; with a single term without derivatives it is an Expansions.

    Attributes
    ----------
    terms
        At least one, all of samples of one kind.
    intercepts
        b, shape (number of functions,).
    feature_names
        The columns of the data frame that the centers come from, or None.
    """

    terms: tuple[FunctionalTerm, ...]
    intercepts: Vector
    feature_names: FeatureNames = None

    def __post_init__(self) -> None:
        for each in self.terms:
            if each.axes:
                # A kernel without such a derivative says so here.
                first = each.representers.part(np.arange(1))
                replace(first, axes=each.axes).inner(first)
        shapes = {each.representers.X.shape[1:] for each in self.terms}
        if len(shapes) != 1:
            raise ShapeError(
                f"the functions of a sum must be of the same samples, but theirs are of shapes {sorted(shapes)}."
            )

    @classmethod
    def of(cls, terms: Iterable[FunctionalTerm], intercepts: Vector) -> Expansions | Functionals:
        """Return the functions of these terms, where terms of one kernel and the same derivatives are joined.

        Parameters
        ----------
        terms, intercepts
            As in the class.

        Raises
        ------
        ParameterError
            If a kernel does not have this derivative.
        """
        joined: list[FunctionalTerm] = []
        for term in terms:
            for k, each in enumerate(joined):
                if (both := each.joined(term)) is not None:
                    joined[k] = both
                    break
            else:
                joined.append(term)
        used = [each for each in (term.used() for term in joined) if len(each.representers)] or joined[:1]
        if len(used) > 1 or not used[0].is_plain:
            return cls(tuple(used), intercepts)
        (term,) = used
        return Expansions(term.representers.kernel, term.representers.X, term.coefficients, intercepts)

    @property
    def sample_shape(self) -> tuple[int, ...]:
        """The shape of one sample."""
        return tuple(self.terms[0].representers.X.shape[1:])

    @property
    def takes_sparse(self) -> bool:
        """Whether every term takes sparse samples."""
        return all(each.is_plain and each.representers.kernel.takes_sparse for each in self.terms)

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the values, shape (number of samples, number of functions).

        Raises
        ------
        ShapeError
            If ``X`` has other features than the centers.
        """
        return np.asarray(sum(each(X) for each in self.terms) + self.intercepts)

    def to_arrays(self) -> dict[str, Any]:
        """Return what a file holds of them; executed is nothing of it."""
        axes = [[list(each.axes), list(each.representers.axes)] for each in self.terms]
        contents: dict[str, Any] = {"terms": np.array(json.dumps(axes)), "intercepts": self.intercepts}
        for k, term in enumerate(self.terms):
            known = term.representers
            own = StoredCenters(known.kernel, known.X, None).to_arrays() | {"coefficients": term.coefficients}
            contents |= {_TERM.format(k, name): array for name, array in own.items()}
        return contents

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]], intercepts: Vector) -> Functionals:
        """Return the functions that a file holds.

        Parameters
        ----------
        arrays
            Its arrays.
        intercepts
            b, checked.

        Raises
        ------
        KeyError, ValueError, TypeError, ShapeError
            If the file holds no functions.
        """
        terms = []
        for k, pair in enumerate(json.loads(str(arrays["terms"]))):
            begin = _TERM.format(k, "")
            own = {name.removeprefix(begin): array for name, array in arrays.items() if name.startswith(begin)}
            known = StoredCenters.from_arrays(own)
            at, axes = (tuple(each) for each in pair)
            if not all(is_integer(axis) and axis >= 0 for axis in (*at, *axes)):
                raise ValueError(f"axes are numbers of features, but {pair} came")
            # The kernel checks what it is given, as at any call.
            representers = Representers(known.kernel, known.kernel.samples(known.samples), axes)
            coefficients = sized(own["coefficients"], "coefficients", len(representers), intercepts.size)
            if not np.isfinite(coefficients).all():
                raise ValueError("coefficients must be finite")
            terms.append(FunctionalTerm(representers, at, coefficients))
        return cls(tuple(terms), intercepts)


def terms_of(functions: Expansions | Functionals) -> tuple[FunctionalTerm, ...]:
    """Return the terms of functions, without intercepts.

    Parameters
    ----------
    functions
        Of which.
    """
    if isinstance(functions, Functionals):
        return functions.terms
    c = functions.coefficients
    dense = c.toarray() if isinstance(c, csr_array) else c
    return (FunctionalTerm(Representers(functions.kernel, functions.centers), (), dense),)
