# SPDX-License-Identifier: BSD-3-Clause
"""Answers that are only a function: its values at the samples, and the best multipliers that can be read off them.

P(f, b) needs only f and b. In the dual point that belongs to it, -beta_i is a slope of the loss at f(x_i) + b. Where
the loss is smooth, there is one slope. At a kink beta_i may be anything between two slopes, and the values of an
inexact answer tell only which samples are near a kink. The dual over these samples is solved while the others are held
fixed. Any feasible beta gives a lower bound, and the largest bound found is the best proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from formulations.modelling.candidate import Candidate, Sampling, checked_intercept, evaluated, expand
from formulations.modelling.inputs.fitted import require_model
from formulations.modelling.kernel_machine import KernelMachine
from qpkernels.arrays import Indices, Vector, check_finite, check_nonnegative, finite_vector, read_array, shown
from qpkernels.arrays.checks import float_vector
from qpkernels.errors import ParameterError, ShapeError, SolverFailedError
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import Linear
from qpkernels.problems import Bounds, FenchelBounds, KernelQP, KernelQPBounds
from qpkernels.problems.level_qp.bounds import MarginLevelBounds, TubeLevelBounds
from qpkernels.problems.rounding import FunctionAtSamples
from qpkernels.solvers import find_solver

__all__ = ["PrimalFunction", "multipliers_at", "primal_answer", "require_expansion"]

_BANDS = (1e-8, 1e-4, 1e-2, 1e-1)
"""Distances from a kink, in the unit of the decision values, within which a sample counts as on it."""

_EQUATION = 1e3
"""Weight of an equation among those of least squares, which feasibility then makes exact."""

_TOL, _ITERATIONS = 1e-10, 100_000
"""Tolerance of the multipliers of those samples, and the limit of its iterations."""


@dataclass(frozen=True, eq=False)
class PrimalFunction:
    """A function in the space of a kernel, given by its values and its norm: an answer without multipliers.

    Parameters
    ----------
    function
        A callable that takes the samples of a model, as their kernel does, and returns f(x_i) without b, shape (m,).
    squared_norm
        ||f||^2 in the space of the kernel, at least 0. It is taken on trust, because it cannot be checked.
    intercept
        b.

    Raises
    ------
    ParameterError
        If these are not such a function and numbers.

    Examples
    --------
    >>> from formulations import PrimalFunction, SoftMargin
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> f = PrimalFunction(lambda X: 0.5 * X[:, 0], squared_norm=0.25, intercept=-0.75)
    >>> certificate = SoftMargin(X, y, C=1.0).certify(f)
    >>> print(f"P(f, b) = {certificate.primal_value:.3f}, the optimum is at least {certificate.dual_value:.3f}")
    P(f, b) = 3.125, the optimum is at least 2.000
    """

    function: Callable[[Any], ArrayLike]
    squared_norm: float
    intercept: float = 0.0

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ParameterError(f"a PrimalFunction takes a function of samples, but {shown(self.function)} came.")
        object.__setattr__(self, "squared_norm", check_nonnegative(self.squared_norm, "squared_norm"))
        object.__setattr__(self, "intercept", check_finite(self.intercept, "intercept"))


def primal_answer(model: KernelMachine[Any], answer: Any, weights: bool | None) -> Candidate | None:
    """Read an answer that is only a function, without its multipliers; return None for any other answer.

    Raises
    ------
    ParameterError, ShapeError, NonFiniteError
        If it does not fit the model, or could be either weights of features or coefficients of samples.
    """
    if isinstance(answer, PrimalFunction):
        values = finite_vector(model.gram.values(answer.function), "the values of the function", len(model))
        nothing = expand(model.gram, np.zeros(len(model)), 0.0, model.classes).function
        return _candidate(model, nothing, FunctionAtSamples(values, answer.squared_norm), answer.intercept)
    if isinstance(answer, Expansion):
        return _of_expansion(model, answer)
    if not isinstance(answer, type) and hasattr(answer, "coef_") and not hasattr(answer, "dual_coef_"):
        _check_classes(model, getattr(answer, "classes_", None))
        require_model(model, answer)
        return _of_weights(model, answer.coef_, getattr(answer, "intercept_", 0.0))
    if isinstance(answer, tuple) and len(answer) == 2 and _are_weights(model, answer[0], weights):
        return _of_weights(model, *answer)
    return None


def require_expansion(answer: object) -> None:
    """Refuse a function of which only values are known, if their rounding errors are needed."""
    if isinstance(answer, PrimalFunction):
        raise ParameterError("nothing is known of the rounding errors of a PrimalFunction; pass an Expansion.")


def _are_weights(model: KernelMachine[Any], numbers: Any, said: bool | None) -> bool:
    """Return whether the numbers are weights of the features, as was said, or as their shape tells."""
    if said is not None:
        return said
    features = _features(model)
    shape = read_array(numbers, "the first of a pair").shape
    if features is None or shape == (1, features):
        return features is not None
    if shape == (features,) == (len(model),):
        raise ParameterError(
            f"{features} numbers may be w, one for each feature, or beta, one for each sample; say which by "
            "weights=True or weights=False."
        )
    if shape not in ((features,), (len(model),)):
        raise ShapeError(
            f"a pair must be (w, b) with {features} numbers, one for each feature, or (beta, b) with {len(model)}, one "
            f"for each sample, but the shape of the first is {shape}."
        )
    return bool(shape == (features,))


def _features(model: KernelMachine[Any]) -> int | None:
    """Return the number of features where f has weights in them."""
    return None if model.gram.linear is None else int(model.gram.linear.shape[1])


def _of_weights(model: KernelMachine[Any], w: Any, b: Any) -> Candidate:
    features = _features(model)
    if features is None:
        raise ParameterError(
            f"weights of the features are an answer to a model without a kernel, or of Linear(), but this {model.name} "
            f"has {model.gram.space}; pass an Expansion, or a PrimalFunction."
        )
    w, b = read_array(w, "w"), read_array(b, "b")
    if w.size != features or b.size != 1:
        raise ShapeError(
            f"w must hold {features} numbers, one for each feature, and b one, but arrays of shapes {w.shape} and "
            f"{b.shape} came. With a constant feature for the intercept, as of with_constant, b is its weight: "
            "(np.append(w, b / scaling), 0)."
        )
    gram, weights, level = model.gram, float_vector(np.ravel(w), "w", features), float(np.ravel(b)[0])
    # Made without a check: of what is not finite the certificate says that nothing is proved.
    function = Expansion.over(Linear(), weights[None, :], np.ones(1), level, None, gram.feature_names)
    with np.errstate(over="ignore", invalid="ignore"):
        return _of_expansion(model, function)


def _of_expansion(model: KernelMachine[Any], function: Expansion) -> Candidate:
    gram = model.gram
    gram.require_function(function)
    if gram.correction is not None:
        raise ParameterError(
            "the kernel matrix was corrected, so that the norm of a function in the space of the kernel itself is "
            "another; pass coefficients (beta, b), or a PrimalFunction with its norm."
        )
    _check_classes(model, function.classes)
    coordinates = function.weights if model.data.explicit else None
    return _candidate(model, function, evaluated(function, gram), function.intercept, coordinates)


def _check_classes(model: KernelMachine[Any], classes: Any) -> None:
    """Refuse the answer of a classifier of other classes; None: it is none."""
    if classes is not None and not (model.classes is not None and np.array_equal(classes, model.classes)):
        own = "none" if model.classes is None else model.classes.tolist()
        raise ParameterError(f"the classes of the answer must be {own}, but they are {np.asarray(classes).tolist()}.")


def _candidate(
    model: KernelMachine[Any],
    function: Expansion,
    values: FunctionAtSamples,
    b: float,
    coordinates: Vector | None = None,
) -> Candidate:
    return Candidate(
        np.zeros(len(model)),
        checked_intercept(b, model.fit_intercept, model.name),
        function,
        Sampling.of(values),
        is_expansion=False,
        coordinates=coordinates,
        is_primal=True,
    )


def multipliers_at(bounds: Bounds, answer: Candidate, name: str) -> Vector:
    """Return the feasible beta of the largest dual value that f(x_i) and b determine, for a model of that name.

    Raises
    ------
    ParameterError
        If f does not determine multipliers of a problem with these bounds.
    """
    values, intercept = answer.at_samples.values, answer.intercept
    match bounds:
        case KernelQPBounds():
            return _of_program(bounds.program, values, intercept)
        case MarginLevelBounds() | TubeLevelBounds():
            return _of_level(bounds, values, intercept)
        case FenchelBounds() if bounds.losses.slope is not None:
            slopes = -bounds.losses.slope(values + (intercept - bounds.losses.level))
            return bounds.best_multiple(bounds.feasible(slopes))
        case _:
            raise ParameterError(
                f"an answer to a {name} is not told by its function alone, since its multipliers are not; pass a "
                "Solution, or (beta, b)."
            )


def _of_program(program: KernelQP, values: Vector, b: float) -> Vector:
    slopes = program.slopes(values, b)
    found = [program.project(slopes)]
    found += (program.project(_solved_near(program, slopes, near)) for near in _near_kinks(program, values, b))
    found += [KernelQPBounds(program).best_multiple(beta) for beta in found]
    return min(found, key=program.objective)


def _of_level(bounds: MarginLevelBounds | TubeLevelBounds, values: Vector, b: float) -> Vector:
    """Return those of a level that is free, whose budget the problem of that level leaves open."""
    program = bounds.at_level(bounds.level(bounds.losses(bounds.excess(values, b))))
    found = [bounds.feasible(_of_program(program, values, b))]
    for near in _near_kinks(program, values, b):
        found.append(bounds.feasible(_fitted_near(program, values, b, near, bounds.budget)))

    def value(beta: Vector) -> float:
        return float(bounds.target @ beta - 0.5 * beta @ bounds.gram.product(beta))

    return max(found, key=value)


def _near_kinks(program: KernelQP, values: Vector, b: float) -> Iterator[Indices]:
    """Yield the samples near a kink of their loss, ever more of them, until no more come."""
    excess = (program.target - b) - values
    free = (program.ridge == 0) & (program.lower < program.upper)
    distance = np.where(free, np.abs(np.abs(excess) - program.epsilon), np.inf)
    # What violates a hard constraint is beyond its kink, where there is no slope.
    distance[_violating(program, excess)] = 0.0
    unit = 0.5 * float(np.ptp(program.target)) or float(np.abs(values + b).max()) or 1.0
    near = 0
    for band in _BANDS:
        found = np.flatnonzero(distance <= band * unit)
        if found.size > near:
            near = found.size
            yield found


def _fitted_near(program: KernelQP, values: Vector, b: float, near: Indices, budget: float) -> Vector:
    """Return the dual point whose function is nearest to f, with 1'beta = total and 1'|beta| = ``budget``."""
    beta = program.slopes(values, b)
    beta[near] = 0.0
    part = program.gram.part(near)
    signs = np.sign((program.target - b) - values)[near]
    signs = np.where(program.lower[near] == 0, 1.0, np.where(program.upper[near] == 0, -1.0, signs))
    bounds = np.where(signs > 0, 0.0, program.lower[near]), np.where(signs > 0, program.upper[near], 0.0)
    left = np.linalg.lstsq(part.factor, (values - program.gram.product(beta))[near])[0]
    sums = [] if program.total is None else [(np.ones(near.size), program.total - float(beta.sum()))]
    sums.append((signs, budget - float(np.abs(beta).sum())))
    weight = _EQUATION * float(np.abs(part.factor).max())
    rows = np.vstack([part.factor.T, *(weight * row for row, _ in sums)])
    sides = np.append(left, [weight * side for _, side in sums])
    beta[near] = scipy.optimize.lsq_linear(rows, sides, bounds).x
    return beta


def _violating(program: KernelQP, excess: Vector) -> NDArray[np.bool_]:
    short, over = excess > program.epsilon, -excess > program.epsilon
    beyond = (short & np.isinf(program.upper)) | (over & np.isinf(program.lower))
    return np.asarray(beyond & (program.ridge == 0))


def _solved_near(program: KernelQP, slopes: Vector, near: Indices) -> Vector:
    """Return the dual point of the largest value whose other coefficients are the slopes."""
    beta = slopes.copy()
    beta[near] = 0.0
    lower, upper = program.lower[near], program.upper[near]
    total = None if program.total is None else program.total - float(beta.sum())
    if total is not None and not float(lower.sum()) <= total <= float(upper.sum()):
        total = None
    target = program.target[near] - program.gram.product(beta)[near]
    part = KernelQP(
        program.gram.part(near), target, lower, upper, total, program.epsilon[near], program.ridge[near], program.name
    )
    try:
        point = find_solver("smo").solve(part, tol=_TOL, max_iter=_ITERATIONS).point
    except SolverFailedError:
        return slopes
    beta[near] = point
    return beta if np.isfinite(point).all() else slopes
