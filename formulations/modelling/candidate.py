# SPDX-License-Identifier: BSD-3-Clause
"""An answer in the terms of a model, by whatever route: a certificate judges it, and a solution is read from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import isfinite
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from formulations.modelling.inputs.samples import BoundSamples
from formulations.modelling.solution import Solution
from qpkernels.arrays import Matrix, Vector, is_sparse, read_array, real_number
from qpkernels.arrays.checks import same_entries
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram import Gram, LowRank
from qpkernels.gram.functions import Expansion
from qpkernels.gram.gram import BoundedProduct
from qpkernels.kernels import Linear
from qpkernels.problems import Bounds, Certificate, KernelQPBounds
from qpkernels.problems.bounds import Move
from qpkernels.problems.certificate import undefined
from qpkernels.problems.rounding import FunctionAtSamples

__all__ = [
    "Candidate",
    "Sampling",
    "at_coordinates",
    "checked_coefficients",
    "checked_intercept",
    "evaluated",
    "expand",
    "linear_values",
    "sampled",
    "vanishing",
    "with_function_of",
]


@dataclass(frozen=True, eq=False)
class Sampling:
    """f at the samples, which is computed on first use; an enclosure never uses it."""

    compute: Callable[[], FunctionAtSamples]

    @classmethod
    def of(cls, known: FunctionAtSamples) -> Sampling:
        """Return what is known already."""
        return cls(partial(_itself, known))

    @cached_property
    def found(self) -> FunctionAtSamples:
        """f(x_i), shape (m,), and ||f||^2."""
        return self.compute()


def _itself(known: FunctionAtSamples) -> FunctionAtSamples:
    return known


def evaluated(function: Expansion, gram: Gram) -> FunctionAtSamples:
    """Return f at the samples, computed as for the answer itself: other sums of the same terms round differently."""
    if isinstance(gram, LowRank):
        return _by_factor(function, gram)
    if gram.is_over(function) and gram.correction is None:
        values = gram.product(function.coefficients)
        known = sampled(function, gram, values, float(function.coefficients @ values))
        return replace(known, coefficients=function.coefficients)
    weighted = _weighted(function, gram)
    # Added first, b would take the digits of f that it is larger by.
    values = gram.values(replace(function, intercept=0.0)) if weighted is None else linear_values(*weighted)
    return sampled(function, gram, values, function.squared_norm)


def _weighted(function: Expansion, gram: Gram) -> tuple[Matrix, Vector] | None:
    """Return dense samples and the weights w of their features, where f is over w alone."""
    c, centers, X = function.coefficients, function.centers, gram.linear
    return None if X is None or len(c) != 1 or is_sparse(X) or is_sparse(centers) else (X, c[0] * centers[0])


def _by_factor(function: Expansion, gram: LowRank) -> FunctionAtSamples:
    """Return f at the samples from their features Z, so that samples that came as a stream are not needed."""
    w = function.in_features()
    squared_norm = float(w @ w)
    sizes = np.sqrt(squared_norm * gram.diagonal)
    return FunctionAtSamples(gram.factor @ w, squared_norm, sizes, squared_norm, w.size)


def sampled(function: Expansion, gram: Gram, values: Vector, squared_norm: float) -> FunctionAtSamples:
    """Return f at the samples, with the sizes and the number of the terms that its values are sums of."""
    centers, c = function.centers, function.coefficients
    terms, weighted = max((c.size, *centers.shape[1:])), _weighted(function, gram)
    if weighted is not None:
        X, w = weighted
        sizes = np.abs(X - X.mean(axis=0)) @ np.abs(w) + np.abs(values)
        return FunctionAtSamples(values, squared_norm, sizes, squared_norm, terms)
    reach = float(np.abs(c) @ np.sqrt(np.maximum(function.kernel.diagonal(centers), 0.0)))
    sizes = reach * np.sqrt(np.maximum(gram.kernel_diagonal, 0.0))
    return FunctionAtSamples(values, squared_norm, sizes, reach * reach, terms)


def linear_values(X: Matrix, w: Vector) -> Vector:
    """Return X w, around the mean of the samples, so that their offset costs no digits of their differences."""
    centre = X.mean(axis=0)
    return np.asarray((X - centre) @ w + centre @ w)


_LARGEST = 1e150
"""Sums of a few million squares of such numbers are within float64."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """Coefficients, intercept and function of an answer, with the values of the function at the samples.

    Attributes
    ----------
    beta
        Signed coefficients of the samples, shape (m,): the point of the dual.
    intercept
        b.
    function
        f + b as the form solved returns it: from w or its own coefficients in a primal form, from beta in a dual.
    sampling
        :attr:`at_samples`, to be computed.
    is_expansion
        Whether f is the expansion in beta: a certificate then computes K beta itself, and trusts no values that came
        along. Otherwise f is a point of its own, judged beside beta.
    multipliers
        The dual point, in a model whose beta are only coefficients of f.
    coordinates
        w or u of f, where the route to the answer computes them.
    coefficients
        The coefficients of f over the samples, where beta was moved away from them to a feasible point.
    is_primal
        Whether f alone was given, and beta was read off it.

    Notes
    -----
    Arguments of the methods:

    bounds
        The model, stated for its certificate.
    gram
        The kernel matrix of the samples.
    data
        The samples bound to their kernel.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> model = SoftMargin([[0.0], [1.0]], [-1, 1], C=10.0)
    >>> candidate = model.candidate(([-2.0, 2.0], -1.0))
    >>> print(candidate.beta, candidate.intercept, model.slacks(candidate))
    [-2.  2.] -1.0 [0. 0.]
    """

    beta: Vector
    intercept: float
    function: Expansion
    sampling: Sampling
    is_expansion: bool = True
    multipliers: Vector | None = None
    coordinates: Vector | None = None
    coefficients: Vector | None = None
    is_primal: bool = False

    @cached_property
    def at_samples(self) -> FunctionAtSamples:
        """f(x_i), shape (m,), and ||f||^2."""
        return self.sampling.found

    @cached_property
    def decision(self) -> Vector:
        """The decision values f(x_i) + b, shape (m,)."""
        return self.at_samples.values + self.intercept

    @property
    def own_function(self) -> FunctionAtSamples | None:
        """The function that a certificate must judge in place of the expansion in beta, if there is one."""
        return None if self.is_expansion else self.at_samples

    def own_expansion(self, gram: Gram) -> Expansion | None:
        """Return f where it is not the expansion in beta, but lies in the space of the kernel as given."""
        own = not self.is_expansion and gram.correction is None and gram.contains(self.function)
        return self.function if own else None

    @cached_property
    def is_squarable(self) -> bool:
        """Whether beta, b and f at the samples are numbers whose squares are within float64."""
        f = self.at_samples
        sizes = (np.abs(self.beta).max(), abs(self.intercept), np.abs(f.values).max())
        return all(size <= _LARGEST for size in sizes) and isfinite(f.squared_norm)

    def at_feasible(self, bounds: Bounds, data: BoundSamples) -> Candidate:
        """Return the feasible points near this answer that the certificate evaluates; mostly they are the answer."""
        if not self.is_squarable:
            return self
        beta = bounds.feasible(self.beta)
        moved = bounds.moved(self.beta, self.intercept, self.at_samples, is_expansion=self.is_expansion)
        if moved is None and np.array_equal(beta, self.beta):
            return self
        own = self.beta if self.is_expansion else self.coefficients
        beside = replace(self, beta=beta, is_expansion=False, coefficients=own)
        return beside if moved is None else beside._at(*moved, data)

    def _at(self, move: Move, at_samples: FunctionAtSamples, data: BoundSamples) -> Candidate:
        """Return the moved function beside the same point of the dual."""
        f, factor, added, sampling = self.function, move.factor, move.coefficients, Sampling.of(at_samples)
        coordinates = None if self.coordinates is None else factor * self.coordinates
        own = at_samples.coefficients
        if own is None and self.coefficients is not None:
            own = factor * self.coefficients + (0.0 if added is None else added)
        function = replace(f, coefficients=factor * f.coefficients, intercept=move.intercept)
        if added is not None and coordinates is not None:
            coordinates = coordinates + data.coordinates.T @ added
        if added is not None and own is not None:
            # What was judged is this sum, whose values another one with the same exact value need not have.
            function = data.gram.expansion(own, move.intercept, f.classes)
        elif added is not None and coordinates is not None:
            function = at_coordinates(data, coordinates, move.intercept, self.beta, f.classes).function
        elif added is not None:
            function = sum_of(function, data.gram.expansion(added))
        return replace(
            self,
            intercept=move.intercept,
            function=function,
            sampling=sampling,
            coordinates=coordinates,
            coefficients=own,
        )

    def judged_by(self, bounds: Bounds) -> Certificate:
        """Return what the bounds prove about the answer, which is nothing where it leaves float64."""
        if not self.is_squarable:
            return undefined("the answer holds NaN, or numbers whose squares are too large for float64")
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(bounds, KernelQPBounds) and self.is_expansion:
                return bounds.certify(self.beta, self.intercept, product=self.at_samples.product)
            return replace(bounds.certify(self.beta, self.intercept, self.own_function), primal_only=self.is_primal)


def expand(
    gram: Gram,
    beta: Vector,
    intercept: float,
    classes: NDArray[Any] | None = None,
    values: Vector | None = None,
    bounds: Bounds | None = None,
) -> Candidate:
    """Return the answer whose function is the expansion in beta, over the samples with a coefficient.

    Parameters
    ----------
    values
        K beta, if a solver holds it already; it is computed if left out.
    bounds
        The bounds of a KernelQP, which compute K beta as exactly as they need it; by default it is in float64.
    """
    usable = 0.0 < np.abs(beta).max() <= _LARGEST
    function = gram.expansion(beta if usable else np.zeros(len(gram)), intercept, classes)
    product = partial(bounds.product, beta, intercept) if isinstance(bounds, KernelQPBounds) else None
    return Candidate(beta, intercept, function, Sampling(partial(_expanded, gram, beta, values, product)))


def sum_of(f: Expansion, *others: Expansion) -> Expansion:
    """Return f + b with other functions of its kernel as one.

    Parameters
    ----------
    others
        The other functions, whose intercepts are left out.
    """
    parts = [f, *others]
    join = scipy.sparse.vstack if is_sparse(f.centers) else np.concatenate
    centers = join([each.centers for each in parts])
    return replace(f, centers=centers, coefficients=np.concatenate([each.coefficients for each in parts]))


def _expanded(
    gram: Gram, beta: Vector, values: Vector | None, product: Callable[[], BoundedProduct] | None
) -> FunctionAtSamples:
    made = None
    with np.errstate(over="ignore", invalid="ignore"):
        if values is None and not (np.abs(beta) <= _LARGEST).all():
            values = np.full(len(gram), np.nan)
        elif values is None and product is not None:
            made = product()
            values = made.values
        elif values is None:
            values = gram.product(beta)
        return FunctionAtSamples(values, float(beta @ values), product=made)


def at_coordinates(
    data: BoundSamples,
    coordinates: Vector,
    intercept: float,
    beta: Vector,
    classes: NDArray[Any] | None = None,
    *,
    expands: bool = True,
) -> Candidate:
    """Return the answer whose function has these coordinates, w or u, with ``beta`` found elsewhere.

    Parameters
    ----------
    expands
        Whether beta are coefficients of f.
    """
    gram = data.gram
    if data.explicit:
        function = Expansion(Linear(), coordinates[None, :], np.ones(1), intercept, classes, gram.feature_names)
        values, squared_norm = linear_values(data.coordinates, coordinates), float(coordinates @ coordinates)
    else:
        expansion = gram.coefficients(coordinates)
        values = gram.product(expansion)
        squared_norm = float(expansion @ values)
        shifted = gram.correction is not None and gram.correction.shift
        # The shifted matrix is singular, and what its factor leaves open shows in the kernel as it is.
        coefficients = beta if shifted and expands else gram.expansion_coefficients(expansion)
        function = gram.expansion(coefficients, intercept, classes, slice(None))
    at_samples = sampled(function, gram, values, squared_norm)
    if not data.explicit and gram.correction is None:
        at_samples = replace(at_samples, coefficients=function.coefficients)
    return Candidate(beta, intercept, function, Sampling.of(at_samples), is_expansion=False, coordinates=coordinates)


def vanishing(gram: Gram, beta: Vector, intercept: float, classes: NDArray[Any] | None = None) -> Candidate:
    """Return the answer f = 0 with this b, whose dual point is ``beta``."""
    zero = expand(gram, np.zeros(len(gram)), intercept, classes)
    return replace(zero, beta=beta, sampling=Sampling.of(FunctionAtSamples.zero(len(gram))), is_expansion=False)


def checked_coefficients(beta: Any, intercept: Any, samples: int) -> tuple[Vector, float]:
    """Return (beta, b) of an answer from outside as float64; they need not be finite.

    Raises
    ------
    ShapeError
        If they are not ``samples`` real numbers and one.
    ParameterError
        If b is not a number.
    """
    coefficients, level = read_array(beta, "beta"), read_array(intercept, "b")
    if coefficients.shape != (samples,) or coefficients.dtype.kind not in "biuf" or level.ndim != 0:
        raise ShapeError(
            f"beta must hold {samples} real numbers, one for each sample, and b one, but arrays of shapes "
            f"{coefficients.shape} ({coefficients.dtype}) and {level.shape} came."
        )
    return coefficients.astype(np.float64), real_number(intercept, "b")


def checked_intercept(b: float, fit_intercept: bool, name: str) -> float:
    """Return b, or refuse one where the model, which is called ``name``, has none."""
    if b != 0.0 and not fit_intercept:
        raise ParameterError(f"this {name} has no intercept, but b = {b:g} came; state it with fit_intercept.")
    return float(b)


def with_function_of(solution: Solution, answer: Candidate, gram: Gram) -> Candidate:
    """Return ``answer`` with the solution's own dual point, and function where that is in the space of the kernel."""
    function, answer = solution.function, replace(answer, multipliers=solution.multipliers)
    if gram.correction is not None and gram.correction.shift:
        # At the samples the ridge adds to the function, which knows nothing of it.
        return answer
    if not gram.contains(function) or (answer.is_expansion and _agree(function, answer.function)):
        return answer
    if function.centers.shape[1:] != answer.function.centers.shape[1:]:
        return answer
    return replace(answer, function=function, sampling=Sampling(partial(evaluated, function, gram)), is_expansion=False)


def _agree(one: Expansion, other: Expansion) -> bool:
    """Return whether both are the same sum, b apart."""
    return (
        np.array_equal(one.coefficients, other.coefficients)
        and not is_sparse(one.centers)
        and not is_sparse(other.centers)
        and same_entries(one.centers, other.centers)
    )
