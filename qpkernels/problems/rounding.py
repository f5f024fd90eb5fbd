# SPDX-License-Identifier: BSD-3-Clause
"""Bounds on the rounding of f(x_i), 1/2 ||f||^2 and sums of them, for the given kernel matrix.

A sum of n terms makes n roundings, each of at most half a unit eps of a partial sum. If these are independent of each
other, they grow like sqrt(n) and not like n (Higham and Mary, SIAM J. Sci. Comput. 41, 2019), so that::

    | sum_k t_k as computed - sum_k t_k |  <=  sqrt(n) eps sum_k |t_k|

and the errors of several values add up to the square root of the sum of their squares. This holds for the kernel matrix
as computed. It is not a rigorous proof, as an enclosure is, but it describes rounding well and leaves room.

If 1'beta = 0, a shift of all samples changes nothing that matters, so that only distances from their mean count.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Vector
from qpkernels.gram import Gram
from qpkernels.gram.features import Features, SparseFeatures
from qpkernels.gram.gram import BoundedProduct
from qpkernels.problems.sums import EPS, ExpansionSums, expansion_sums

__all__ = [
    "EPS",
    "ExpansionError",
    "FunctionAtSamples",
    "FunctionError",
    "expand_at_samples",
    "expanded",
    "expansion_error",
    "expansion_vanishes",
    "gap_rounding",
    "size_error",
    "sum_error",
    "together",
]

_CRUDE = 1e-9
"""Part of ||f||^2 up to which the bound by lengths of samples, which is cheap, is good enough."""


_FAINT = 1e-12
"""Part of the squared radius of the samples up to which the rounding of K may pass for 0."""


@dataclass(frozen=True, eq=False)
class FunctionError:
    """Bounds on the errors of the values f(x_i), shape (m,), and of 1/2 ||f||^2."""

    values: Vector
    half_norm: float


@dataclass(frozen=True, eq=False)
class ExpansionError(FunctionError):
    """The errors of an expansion, and its computed ||f||^2, around the mean of f if beta is balanced."""

    squared_norm: float


def sum_error(terms: Vector) -> float:
    """Return the bound for the sum of ``terms``."""
    return size_error(float(np.abs(terms).sum()), terms.size)


def size_error(size: float, terms: int) -> float:
    """Return the bound for a sum of this number of ``terms``, whose absolute values add up to ``size``."""
    return sqrt(terms) * EPS * size


def gap_rounding(sums: Any, samples: int | Indices, levels: float | Vector, balanced: bool | NDArray[np.bool_]) -> Any:
    """Return a bound on the rounding of P and D together, apart from norms, for one gap or for several at once.

    Parameters
    ----------
    sums
        A :class:`~qpkernels.problems.sums.GapTerms`, or an object with its sums for several gaps, as arrays.
    samples
        Their number.
    levels
        b times the sum that the coefficients should have.
    balanced
        Whether that sum is 0, so that any other value is rounding.
    """
    return (
        np.sqrt(sums.squared_errors)
        + np.sqrt(samples) * EPS * (sums.losses + sums.linear_sizes + sums.costs)
        + EPS * np.abs(levels)
        + balanced * np.abs(sums.imbalance) * sums.reach
    )


def together(errors: Vector) -> float:
    """Return the bound for the sum of values with these bounds."""
    return sqrt(float(errors @ errors))


def explicit_features(gram: Gram) -> Features | SparseFeatures | None:
    """Return the features by which the matrix multiplies a vector, or None if it does so entry by entry."""
    return gram.factored if gram.correction is None else None


@np.errstate(over="ignore", invalid="ignore")
def expansion_error(gram: Gram, beta: Vector, values: Vector, *, balanced: bool) -> ExpansionError:
    """Return the errors of f = sum_j beta_j k(x_j, .), given its computed ``values`` K beta.

    Parameters
    ----------
    balanced
        Whether 1'beta = 0, so that f only matters up to a constant.
    """
    features = explicit_features(gram)
    # Sparse features are not taken around their mean, which would fill them.
    centred = balanced and isinstance(features, Features)
    sizes = gram.radii if centred else gram.lengths
    found = expansion_sums(beta, values, sizes, np.array([0, beta.size]), np.array([balanced]))
    sums = ExpansionSums(*(float(each[0]) for each in found))
    used = max(1, sums.used)
    reach, products_error = sqrt(used) * EPS * sums.reach, size_error(sums.products_size, beta.size)
    if features is None:
        half_norm = 0.5 * (reach * sqrt(sums.square) + products_error)
        return ExpansionError(reach * sizes, half_norm, sums.products)
    # The weights as computed are a function of their own, whose values lose only what the last product loses.
    unit, norm = np.sqrt(features.shape[1]) * EPS, sqrt(max(0.0, sums.products)) + reach
    errors, weights_error = unit * norm * sizes, norm * reach
    if weights_error > _CRUDE * norm * norm:
        # Lengths say little of features in different units: feature by feature, a small one is not lost in a large one.
        level = features.level if centred else None
        lost, weights = features.absolute_weights(beta, level), features.weights_around(beta, level)
        lost *= np.sqrt(used) * EPS
        errors = unit * features.absolute_values(weights, level)
        weights_error = float(lost @ (np.abs(weights) + 0.5 * lost))
    if balanced:
        # The values as they are have the constant too, which takes digits of what they differ by.
        errors = errors + EPS * np.abs(values)
    return ExpansionError(errors, weights_error + 0.5 * (together(beta * errors) + products_error), sums.products)


def expansion_vanishes(gram: Gram, beta: Vector, *, balanced: bool) -> bool:
    """Return whether f = sum_j beta_j k(x_j, .) is 0 up to the rounding of its sums: in every feature, or at every x_i.

    The norm does not decide this, because a feature with a small unit is not the rounding of another.
    """
    (used,) = np.nonzero(beta)
    if used.size == 0:
        return True
    unit, features = np.sqrt(used.size) * EPS, gram.dense_features
    if features is not None:
        level = features.level if balanced else None
        return bool(
            np.all(np.abs(features.weights_around(beta, level)) <= unit * features.absolute_weights(beta, level))
        )
    sizes = gram.lengths
    if balanced and EPS * np.square(sizes.max()) > _FAINT * np.square(gram.radii.max()):
        # The offset of the samples leaves too little of what they differ by.
        sizes = np.minimum(gram.radii, sizes)
    values = gram.product(beta)
    values = values - values.mean() if balanced else values
    return bool(np.all(np.abs(values) <= unit * float(np.abs(beta) @ sizes) * sizes))


@dataclass(frozen=True, eq=False)
class FunctionAtSamples:
    """The data of f that a certificate needs: its values f(x_i) without intercept, shape (m,), and ||f||^2.

    f(x_i) is a sum of ``terms`` terms whose sizes add up to ``sizes``, shape (m,). In the same way ``half_size``
    belongs to 1/2 ||f||^2. Rounding is measured by these; without them, the values are taken as exact.

    ``product`` holds the values of an expansion that were computed for its certificate.

    Attributes
    ----------
    values
        f(x_i), shape (m,).
    squared_norm
        ||f||^2, at least 0.
    sizes, half_size, terms
        The sizes of the sums by which f(x_i) and 1/2 ||f||^2 were computed, and their number of terms; 0 if exact.
    product
        K beta with bounds on its error, or None.
    coefficients
        The coefficients of an expansion over the samples, shape (m,); None if f is not one or they are not needed.
    """

    values: Vector
    squared_norm: float
    sizes: Vector | float = 0.0
    half_size: float = 0.0
    terms: int = 1
    product: BoundedProduct | None = None
    coefficients: Vector | None = None

    @classmethod
    def expansion(cls, gram: Gram, coefficients: Vector, values: Vector, *, balanced: bool) -> FunctionAtSamples:
        """Return the expansion with these coefficients and ``values`` computed in float64, with its rounding.

        Parameters
        ----------
        gram
            The kernel matrix of the samples.
        coefficients, values
            beta and K beta, shape (m,).
        balanced
            Whether 1'beta = 0, so that f only matters up to a constant.
        """
        error = expansion_error(gram, coefficients, values, balanced=balanced)
        # Not that of the error, which is around the mean of f: a sum that is only nearly 0 counts here.
        squared_norm = max(0.0, float(coefficients @ values))
        return cls(values, squared_norm, error.values / EPS, error.half_norm / EPS, coefficients=coefficients)

    @classmethod
    def zero(cls, samples: int) -> FunctionAtSamples:
        """Return the function that is 0 everywhere.

        Parameters
        ----------
        samples
            Their number m.
        """
        return cls(np.zeros(samples), 0.0)

    @property
    def error(self) -> FunctionError:
        """Bounds on the rounding of the values and of 1/2 ||f||^2."""
        unit = np.sqrt(self.terms) * EPS
        return FunctionError(unit * np.broadcast_to(self.sizes, self.values.shape), unit * self.half_size)

    @property
    def is_zero(self) -> bool:
        """Whether the function is exactly 0, without any rounding."""
        return self.squared_norm == 0.0 and not self.values.any()


def expand_at_samples(gram: Gram, beta: Vector, feasible: Vector, expansion: Vector) -> FunctionAtSamples:
    """Return the expansion in beta, given K times the feasible point near it, which is mostly beta itself."""
    values = expansion if feasible is beta or np.array_equal(feasible, beta) else gram.product(beta)
    return FunctionAtSamples(values, float(beta @ values))


def expanded(
    gram: Gram, beta: Vector, feasible: Vector, function: FunctionAtSamples | None, *, balanced: bool
) -> tuple[ExpansionError, FunctionAtSamples, FunctionError]:
    """Return the errors and norm of the expansion in the feasible point near beta, and f with its errors.

    If f is left out, it is the expansion in beta itself.

    Raises
    ------
    IndefiniteKernelError
        If the quadratic form of the feasible point is negative beyond rounding.
    """
    expansion = gram.product(feasible)
    gram.require_nonnegative(feasible, expansion)
    own = expansion_error(gram, feasible, expansion, balanced=balanced)
    if function is not None:
        return own, function, function.error
    function = expand_at_samples(gram, beta, feasible, expansion)
    moved = function.values is not expansion
    error = expansion_error(gram, beta, function.values, balanced=balanced) if moved else own
    return own, function, error
