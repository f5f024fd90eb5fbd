# SPDX-License-Identifier: BSD-3-Clause
"""An expression of functions and variables evaluated at new samples, without the statement that it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import formulations.modelling.cvx as cp
from formulations.language.compiled import found_by, with_others
from formulations.language.function import FittedFunction, Function, NewSample, Norm, Values
from formulations.modelling.prediction import Decision, Labels, Predictor
from formulations.modelling.prediction.decisions import Ordered, Targets, Votes
from formulations.modelling.prediction.sums import Functionals, FunctionalTerm
from qpkernels.arrays import Matrix, Vector, finite_vector, read_array, shown
from qpkernels.errors import LabelError, ParameterError, QPKernelsError, ShapeError
from qpkernels.kernels import Linear
from qpkernels.kernels.functionals import Representers

__all__ = ["predictor_of"]


def predictor_of(
    decides: Callable[[Any], Any],
    functions: Mapping[Function, FittedFunction],
    variables: Mapping[int, Any],
    classes: ArrayLike | None,
    thresholds: Any,
) -> Predictor:
    """Return the machine of what an expression says at new samples.

    The expression is stated once, at a sample that is not known yet, and read off as an affine map of its features and
    of the values and derivatives of functions there.

    Parameters
    ----------
    decides
        X -> expression.
    functions, variables
        What was found: functions, and numbers by the ids of variables.
    classes, thresholds
        As in :meth:`formulations.language.machine.MachineSolution.predictor`.

    Raises
    ------
    ParameterError, ShapeError, LabelError
        If there is no such machine.
    """
    if not callable(decides):
        raise ParameterError(
            f"the prediction is a function of X, such as lambda X: f(X) + b, but {shown(decides)} came."
        )
    new, outputs = _stated(decides, functions)
    constants = _Constants(functions, variables)
    outputs = constants.put_into(outputs, new)
    if not outputs.is_affine():
        raise ParameterError(
            f"the prediction must be affine in functions and in X, but it is {outputs.curvature.lower()}: {outputs}; "
            "state the rest by classes and thresholds."
        )
    intercepts, slopes = _affine(outputs)
    terms = _terms(new, functions, slopes, intercepts.size)
    if not new.functionals:
        raise ParameterError("the prediction contains no function; use one of the statement, such as f(X).")
    made = Functionals.of(terms, intercepts)
    return Predictor(made, _decision(intercepts.size, classes, constants.numbers(thresholds)))


def _stated(decides: Callable[[Any], Any], functions: Mapping[Function, FittedFunction]) -> tuple[NewSample, Any]:
    """Return the sample, and what the expression is there: a row of numbers."""
    shapes = dict.fromkeys(tuple(fitted.parts[0].X.shape[1:]) for fitted in functions.values())
    wanted: set[tuple[int, ...]] = set()
    failed: Exception | None = None
    for shape in shapes:
        new = NewSample(shape)
        try:
            stated = decides(new)
            outputs = cp.hstack([_one(each) for each in stated]) if isinstance(stated, list | tuple) else stated
        except QPKernelsError:
            raise
        except Exception as error:
            # It may be of samples of another shape.
            failed = error
            continue
        if not isinstance(outputs, cp.Expression):
            raise ParameterError(
                f"the prediction must be an expression, such as f(X) + b, or a list of them, but {shown(stated)} came; "
                "values to compare it with go to thresholds."
            )
        wanted = {
            tuple((functions[f] if isinstance(f, Function) else f).parts[0].X.shape[1:])
            for f, _ in new.functionals
            if not isinstance(f, Function) or f in functions
        }
        if wanted <= {shape}:
            if not (isinstance(stated, list | tuple) or (outputs.shape and outputs.shape[0] == 1)) or outputs.ndim > 2:
                raise ShapeError(
                    "the prediction must be one number for each sample, or a list of numbers, but for one sample its "
                    f"shape is {outputs.shape}."
                )
            return new, cp.vec(outputs, order="C")
    if failed is not None:
        raise ParameterError(
            "the prediction is stated once, at a sample X that is a variable of CVXPY with one row: X can be passed to "
            f"functions, multiplied and added as CVXPY allows; it raised: {failed}"
        ) from failed
    raise ShapeError(
        f"the functions that predict must be of the same samples, but theirs are of shapes {sorted(wanted)}."
    )


def _one(expression: Any) -> Any:
    """Return one of several expressions, as one number."""
    if np.isscalar(expression):
        return cp.Constant([expression])
    if getattr(expression, "shape", None) != (1,):
        raise ShapeError(f"each of a list must be one number of each sample, but {shown(expression)} came.")
    return expression


class _Constants:
    """The known values of those leaves of expressions that do not depend on the sample."""

    def __init__(self, functions: Mapping[Function, FittedFunction], variables: Mapping[int, Any]) -> None:
        self._functions, self._variables = functions, variables

    def put_into(self, expression: Any, new: NewSample | None = None) -> Any:
        """Return the expression with numbers in the place of all variables but what is said of the sample."""
        open_ = set() if new is None else {new.id, *(each.id for each in new.functionals.values())}
        if new is not None:
            for function, _ in new.functionals:
                self._require(function)
        leaves = [*expression.variables(), *expression.parameters()]
        known = {each.id: cp.Constant(self._value(each)) for each in leaves if each.id not in open_}
        return with_others(expression, known)

    def numbers(self, values: Any) -> Vector | None:
        """Return numbers, given as such or by an expression of variables."""
        if isinstance(values, cp.Expression):
            values = self.put_into(values).value
        return None if values is None else finite_vector(np.atleast_1d(values), "thresholds")

    def _value(self, leaf: Any) -> Any:
        if isinstance(leaf, Values):
            return leaf.of(self._require(leaf.function))
        if isinstance(leaf, Norm):
            for each in leaf.functions:
                self._require(each)
            return np.full(2, np.sqrt(0.5 * found_by(leaf.combination, self._functions).squared_norm))
        found = self._variables.get(leaf.id, leaf.value if isinstance(leaf, cp.Parameter) else None)
        if found is None:
            raise ParameterError(
                f"the statement has no variable {leaf.name()!r}, so that it has no value; a prediction can use "
                "the statement's own variables only."
            )
        return found

    def _require(self, function: Any) -> FittedFunction:
        if isinstance(function, FittedFunction):
            return function
        if function not in self._functions:
            raise ParameterError(f"the statement has no function {function.name!r}, so that none was found.")
        return self._functions[function]


def _affine(outputs: Any) -> tuple[Vector, dict[int, Matrix]]:
    """Return an affine expression at 0, shape (K,), and by the ids of its variables its slopes, shape (size, K)."""
    for variable in outputs.variables():
        variable.save_value(np.zeros(variable.shape))
    level, gradients = np.asarray(outputs.value, dtype=float).reshape(-1), outputs.grad
    slopes = {}
    for variable, slope in gradients.items():
        dense = slope.toarray() if hasattr(slope, "toarray") else np.asarray(slope)
        slopes[variable.id] = dense.reshape(variable.size, level.size)
    return level, slopes


def _terms(
    new: NewSample, functions: Mapping[Function, FittedFunction], slopes: Mapping[int, Matrix], outputs: int
) -> list[FunctionalTerm]:
    """Return the sum of functions with these slopes."""
    terms: list[FunctionalTerm] = []
    for (function, axes), value in new.functionals.items():
        fitted = functions[function] if isinstance(function, Function) else function
        slope = slopes.get(value.id, np.zeros((1, outputs)))
        terms += [FunctionalTerm(part, axes, np.outer(c, slope)) for part, c in fitted.terms]
    trend = slopes.get(new.id, np.zeros((0, outputs)))
    if trend.any():
        terms.append(FunctionalTerm(Representers(Linear(), np.ascontiguousarray(trend.T)), (), np.eye(outputs)))
    return terms


def _decision(outputs: int, classes: ArrayLike | None, thresholds: Vector | None) -> Decision:
    """Return how so many values become an answer."""
    if classes is None:
        if thresholds is not None:
            raise ParameterError("thresholds are between classes; name these, from that of the least values on.")
        return Targets()
    labels = _labels(classes)
    if outputs > 1:
        if thresholds is not None:
            raise ParameterError(
                f"of {outputs} values the largest decides, without thresholds; add these to the values."
            )
        if labels.size != outputs:
            raise LabelError(
                f"the largest of {outputs} values decides among as many classes, but {labels.size} came: "
                f"{shown(labels.tolist())}."
            )
        return Votes(labels, tuple((-1, k) for k in range(outputs)))
    if thresholds is None:
        if labels.size != 2:
            raise LabelError(
                f"one value decides between two classes, but {labels.size} came: {shown(labels.tolist())}; pass one "
                "threshold fewer, or a value for each class."
            )
        return Labels(labels)
    if thresholds.size != labels.size - 1:
        raise ShapeError(
            f"there must be one threshold between any two of {labels.size} classes in their order, but "
            f"{thresholds.size} came."
        )
    if (np.diff(thresholds) < 0).any():
        raise ParameterError(
            f"thresholds must ascend, but {shown(thresholds.tolist())} came; constrain them in the statement."
        )
    return Ordered(labels, thresholds)


def _labels(classes: ArrayLike) -> NDArray[Any]:
    given = read_array(classes, "classes")
    plain = np.array(given.tolist())
    if plain.ndim != 1 or plain.dtype == object or np.unique(plain).size != plain.size or plain.size < 2:
        raise LabelError(f"classes must be two or more different labels, numbers or text, but {shown(classes)} came.")
    return plain
