# SPDX-License-Identifier: BSD-3-Clause
"""What all kernel machines share: samples, kernel, hyper-parameters, intercept, and how an answer is read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self, TypeVar

import cvxpy as cp
import numpy as np
from cvxpy.expressions.constants.callback_param import CallbackParam

from formulations.base import Answered, Formulation
from formulations.estimators import Coefficients, read_coefficients
from formulations.hyperparameters import Hyperparameter
from formulations.samples import BoundSamples
from formulations.solution import Candidate, Solution
from qpkernels.arrays import Vector, frozen
from qpkernels.certificates import (
    Certificate,
    FunctionAtSamples,
    Support,
    certify_kernel_qp,
    intercept_interval,
    split_support,
)
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram import Expansion, Gram
from qpkernels.programs import KernelQP

__all__ = ["KernelMachine"]

Form = TypeVar("Form", bound="KernelMachine[Any]")


class KernelMachine(Formulation[Answered]):
    """A model whose answer is a function f + b in the space of a kernel, with a coefficient beta_i for each sample."""

    hyperparameters: ClassVar[tuple[Hyperparameter, ...]] = ()
    """The numbers that a model of this kind has; each is an attribute of that name."""

    sparse: ClassVar[bool] = True
    """Whether an answer may have coefficients that are 0: whether there is such a thing as a support vector."""

    data: BoundSamples
    gram: Gram
    fit_intercept: bool

    def _state(self, data: BoundSamples, fit_intercept: bool = True, **values: Any) -> None:
        """Bind data and hyper-parameters, make the variables, and freeze."""
        if not isinstance(fit_intercept, bool | np.bool_):
            raise ParameterError(f"fit_intercept must be True or False, but {fit_intercept!r} came.")
        self._bind(data)
        self.fit_intercept = bool(fit_intercept)
        for parameter in self.hyperparameters:
            setattr(self, parameter.name, parameter.parameter(values[parameter.name], len(self)))
        self.check_parameters()
        self._make_variables()
        self.freeze()

    def _bind(self, data: Any) -> None:
        self.data = data
        self.gram = data.gram

    def _make_variables(self) -> None:
        """Make the CVXPY variables that the declaration needs."""

    @classmethod
    def _on(cls, data: BoundSamples, fit_intercept: bool = True, **hyperparameters: Any) -> Self:
        """Return a model on data that are bound already, sharing the kernel matrix."""
        model = cls.__new__(cls)
        model._state(data, fit_intercept, **hyperparameters)
        return model

    def _as(self, form: type[Form]) -> Form:
        """Return another form of the same model: the same data, and the very same hyper-parameters."""
        shared = {parameter.name: getattr(self, parameter.name) for parameter in self.hyperparameters}
        return form._on(self.data, self.fit_intercept, **shared)

    def __len__(self) -> int:
        """Return the number m of samples."""
        return len(self.gram)

    # Hyper-parameters -----------------------------------------------------------------------------------------

    def check_parameters(self) -> None:
        """Refuse hyper-parameters outside their range."""
        for parameter in self.hyperparameters:
            parameter.checked(getattr(self, parameter.name).value, len(self))

    def set_params(self, **values: Any) -> Self:
        """Set hyper-parameters by name, also of the partner; the problem compiles only once."""
        known = {parameter.name: parameter for parameter in self.hyperparameters}
        for name in values:
            if name not in known:
                has = f"its hyper-parameters are {', '.join(known)}" if known else "it has none"
                raise ParameterError(f"a {self.name} has no hyper-parameter {name!r}; {has}.")
            if isinstance(getattr(self, name), CallbackParam):
                raise ParameterError(
                    f"the {name} of this {self.name} follows from its partner's parameters; set those."
                )
        checked = {name: known[name].checked(value, len(self)) for name, value in values.items()}
        before = {name: getattr(self, name).value for name in checked}
        for name, value in checked.items():
            getattr(self, name).value = value
        try:
            self.check_parameters()
        except Exception:
            for name, value in before.items():
                getattr(self, name).value = value
            raise
        return self

    # The KernelQP ---------------------------------------------------------------------------------------------

    def textbook_qp(self) -> KernelQP | None:
        """Return the KernelQP of the model without the user's extensions, if it is one."""
        return None

    def kernel_qp(self) -> KernelQP | None:
        """Return the model as a KernelQP; None once it is extended."""
        return None if self.is_extended else self.textbook_qp()

    @property
    def _total(self) -> float | None:
        """The value of 1'beta: 0 with an intercept, absent without."""
        return 0.0 if self.fit_intercept else None

    def certify_candidate(self, candidate: Candidate) -> Certificate:
        """Bound the error of (beta, b), and of f, by the duality gap of the KernelQP."""
        program = self.textbook_qp()
        if program is None:
            raise NotImplementedError(f"a {self.name} that is no KernelQP must give its own certificate")
        return certify_kernel_qp(program, candidate.beta, candidate.intercept, candidate.at_samples)

    # Answers --------------------------------------------------------------------------------------------------

    def candidate(self, answer: Any) -> Candidate:
        """Read (beta, b), a Solution, or a fitted estimator of scikit-learn.

        Raises
        ------
        ParameterError, ShapeError
            If it is none of these, or does not fit the data.
        """
        if isinstance(answer, Candidate):
            return answer
        if isinstance(answer, Solution):
            return self._from_solution(answer)
        if hasattr(answer, "dual_coef_"):
            return self._from_coefficients(*self.translate(read_coefficients(answer, len(self))))
        if isinstance(answer, tuple) and len(answer) == 2:
            return self._from_coefficients(*answer)
        raise ParameterError(
            f"an answer is a Solution, a pair (beta, b), or a fitted {self._estimator}, but {type(answer).__name__} "
            "came; a function alone is not enough, since the proof needs the multipliers."
        )

    _estimator: ClassVar[str] = "estimator"

    def translate(self, fitted: Coefficients) -> tuple[Vector, float]:
        """Return (beta, b) in the scaling of this model of what an estimator of scikit-learn holds."""
        return fitted.dual, fitted.intercept

    def _from_coefficients(self, coefficients: Any, intercept: Any) -> Candidate:
        beta = np.asarray(coefficients)
        if beta.shape != (len(self),) or beta.dtype.kind not in "biuf" or np.ndim(intercept) != 0:
            raise ShapeError(
                f"beta must hold {len(self)} real numbers, one for each sample, and b one, but arrays of shapes "
                f"{beta.shape} ({beta.dtype}) and {np.shape(intercept)} came."
            )
        b = float(intercept)
        if b != 0.0 and not self.fit_intercept:
            raise ParameterError(f"this {self.name} has no intercept, but b = {b:g} came; state it with fit_intercept.")
        return self._expanded(beta.astype(np.float64), b)

    def _expanded(self, beta: Vector, intercept: float) -> Candidate:
        """Return the answer whose function is the expansion in beta."""
        return Candidate(beta, intercept, self._expand(beta, intercept))

    def _from_solution(self, solution: Solution) -> Candidate:
        """Return the multipliers with the solution's own function, where that lives in the space of our kernel."""
        candidate = self._from_coefficients(solution.beta, solution.intercept)
        function = solution.function
        if self.gram.correction is not None and self.gram.correction.shift:
            # At the samples the ridge adds to the function, which knows nothing of it.
            return candidate
        if function.kernel != self.gram.kernel or function.centers.shape[1:] != self.gram.X.shape[1:]:
            return candidate
        at = FunctionAtSamples(function(self.gram.X) - function.intercept, function.squared_norm)
        return Candidate(candidate.beta, solution.intercept, function, at)

    def _expand(self, beta: Vector, intercept: float) -> Expansion:
        """Return the expansion over the samples with a coefficient."""
        usable = bool(beta.any() and np.isfinite(beta).all())
        coefficients = self.gram.expansion_coefficients(beta) if usable else np.zeros(len(self))
        # Of a clipped matrix, a sample without a multiplier has a coefficient all the same.
        used = np.flatnonzero(coefficients) if usable else np.arange(1)
        return self._function(self.gram.X[used], coefficients[used], intercept)

    def _function(self, centers: Any, coefficients: Vector, intercept: float) -> Expansion:
        """Return f + b over these centers, in the kernel of the model."""
        return Expansion(self.gram.kernel, centers, coefficients, intercept)

    def values(self, candidate: Candidate) -> Vector:
        """Return f(x_i) of an answer, without b."""
        at = candidate.at_samples
        return self.gram.product(candidate.beta) if at is None else at.values

    def squared_norm(self, candidate: Candidate) -> float:
        """Return ||f||^2 of an answer."""
        at = candidate.at_samples
        return float(candidate.beta @ self.values(candidate)) if at is None else at.squared_norm

    def decision(self, candidate: Candidate) -> Vector:
        """Return f(x_i) + b of an answer."""
        return self.values(candidate) + candidate.intercept

    # Interpretation -------------------------------------------------------------------------------------------

    @abstractmethod
    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return the optimality conditions of each sample, by their formula: what vanishes at an optimum."""

    def support(self, candidate: Candidate, decision: Vector) -> Support:
        """Return which samples carry the answer."""
        if not self.sparse:
            return Support(free=np.arange(len(self)), bounded=np.arange(0))
        program = self.textbook_qp()
        if program is None:
            raise NotImplementedError(f"a {self.name} that is no KernelQP must say which samples carry its answer")
        return split_support(program, candidate.beta, decision)

    def interval(self, candidate: Candidate, decision: Vector, support: Support) -> tuple[float, float]:
        """Return the ends between which every b is optimal with this f."""
        program = self.textbook_qp()
        if program is None or program.total is None:
            return candidate.intercept, candidate.intercept
        return intercept_interval(program, candidate.beta, decision - candidate.intercept, candidate.intercept, support)

    def _facts(self, candidate: Candidate) -> dict[str, Any]:
        """Return the fields of a solution that every kernel machine has."""
        decision = self.decision(candidate)
        support = self.support(candidate, decision)
        return {
            "intercept": candidate.intercept,
            "intercept_interval": self.interval(candidate, decision, support),
            "beta": frozen(candidate.beta),
            "support": support,
            "sparse": self.sparse,
            "function": candidate.function,
            "decision": frozen(decision),
            "conditions": self.conditions(candidate, decision),
            "correction": self.gram.correction,
        }

    def _labelled(self, **constraints: cp.Constraint | None) -> list[cp.Constraint]:
        """Return the constraints, each labelled by its name; those of an absent intercept are None and left out."""
        return [constraint.set_label(label) for label, constraint in constraints.items() if constraint is not None]
