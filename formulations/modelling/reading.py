# SPDX-License-Identifier: BSD-3-Clause
"""How a model reads answers: its own, those of matrices and systems, and anybody's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

from numpy.typing import NDArray

from formulations.inputs.estimators import Coefficients, is_estimator
from formulations.inputs.fitted import coefficients_for
from formulations.inputs.restating import Restatable
from formulations.modelling.candidate import Candidate, checked_coefficients, expand, vanishing, with_function_of
from formulations.modelling.failures import not_an_answer
from formulations.modelling.primal import multipliers_at, primal_answer
from formulations.modelling.solution import Solution
from qpkernels.arrays import Vector
from qpkernels.certificates import Bounds
from qpkernels.errors import ParameterError

if TYPE_CHECKING:
    from formulations.modelling.model import Model

__all__ = ["Reading"]


class Reading(Restatable):
    """The part of a model that reads answers.

    Notes
    -----
    Arguments of the methods of a model:

    answer
        A point to be judged: beta, b and f, and f at the samples.
    weights
        As in :meth:`formulations.modelling.model.Model.certify`.
    bounds
        The two bounds of the optimum that its method ``bounds`` stated.
    certificate, status, run
        What is proved of the answer, what it counts as, and who found it in which time.
    fields
        What the solutions of all models have; see :class:`~formulations.Solution`.
    point
        The solution of a system of linear equations, or of a fit in a norm, in its own variables.
    multipliers
        Those of the residuals of a fit in a norm.
    beta, intercept, b
        Coefficients, shape (m,), and b.
    fitted
        What an estimator of scikit-learn holds.
    """

    estimator: ClassVar[str] = "estimator"
    """What scikit-learn calls it."""

    fit_intercept: bool

    classes: NDArray[Any] | None = None
    """The labels of negative and positive values, where the model has classes."""

    def candidate(self, answer: Any, weights: bool | None = None) -> Candidate:
        """Read an answer as :meth:`formulations.modelling.model.Model.certify` takes it, or refuse it."""
        if isinstance(answer, Candidate):
            return answer
        if (primal := primal_answer(cast("Model[Any]", self), answer, weights)) is not None:
            return self.completed(primal) if primal.is_squarable else primal
        if isinstance(answer, Solution):
            return with_function_of(answer, self.from_coefficients(answer.beta, answer.intercept), self.gram)
        if is_estimator(answer):
            return self.from_coefficients(*coefficients_for(self, answer, self.translate))
        if isinstance(answer, tuple) and len(answer) == 2:
            return self.from_coefficients(*answer)
        raise not_an_answer(answer, self.estimator)

    def completed(self, answer: Candidate) -> Candidate:
        """Return an answer that is a function alone with the best multipliers that its values tell."""
        return replace(answer, beta=multipliers_at(cast("Model[Any]", self).bounds(), answer, self.name))

    def translate(self, fitted: Coefficients) -> tuple[Vector, float]:
        """Return (beta, b) in the scaling of this model of what an estimator of scikit-learn holds."""
        return fitted.dual, fitted.intercept

    def from_coefficients(self, beta: Any, intercept: Any) -> Candidate:
        """Return the answer whose function is the expansion in beta."""
        coefficients, b = checked_coefficients(beta, intercept, len(self))
        return expand(self.gram, coefficients, self.checked_intercept(b), self.classes)

    def checked_intercept(self, b: float) -> float:
        """Return b, or refuse it where the model has none."""
        if b != 0.0 and not self.fit_intercept:
            raise ParameterError(f"this {self.name} has no intercept, but b = {b:g} came; state it with fit_intercept.")
        return float(b)

    def vanishing(self, answer: Candidate, bounds: Bounds) -> Candidate | None:
        """Return the answer that proves an optimum of 0 if it is 0, near ``answer``; None: it cannot be."""
        del answer
        point = bounds.vanishing()
        return None if point is None else vanishing(self.gram, *point, self.classes)

    def from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read an answer from the solution of :meth:`formulations.modelling.model.Model.linear_system`."""
        return expand(self.gram, point, intercept, self.classes)

    def from_fit(self, point: Vector, multipliers: Vector) -> Candidate:
        """Read an answer from the u and v of a ResidualNorm, in models that are one."""
        raise NotImplementedError(f"a {self.name} is no fit in a norm")
