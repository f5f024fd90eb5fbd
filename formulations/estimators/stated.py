# SPDX-License-Identifier: BSD-3-Clause
"""Estimators of statements about functions, which are written in CVXPY."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d

from formulations.estimators.kernel_machine import KernelEstimator, ProvedEstimator, weakest
from formulations.estimators.parameters import OfKernel, check_labels, check_targets, space_of
from formulations.modelling.prediction import Predictor
from formulations.modelling.prediction.decisions import Labels, Targets, Votes
from qpkernels.arrays import Vector, shown
from qpkernels.errors import OneClassError, ParameterError
from qpkernels.kernels import Kernel
from qpkernels.problems import Status

if TYPE_CHECKING:
    from formulations.language import Machine, MachineSolution

__all__ = ["StatementClassifier", "StatementRegressor"]

_GIVEN = 4
"""Arguments that a statement is given: f, b, X and y."""

_PARAMETER = "parameters__"


@dataclass(kw_only=True, eq=False, repr=False)
class FunctionEstimator(KernelEstimator, ProvedEstimator):
    """An estimator whose functions are those of a problem that is stated in the language of functions."""

    if TYPE_CHECKING:
        model_: Machine | list[Machine] = field(init=False)
        solution_: MachineSolution | list[MachineSolution] = field(init=False)
        predictor_: Predictor = field(init=False)

    _saved_by: ClassVar[str] = "predictor_"

    def _kernel_of(self, X: Any) -> tuple[Kernel, Any]:
        """Return the kernel as an object, and samples as it takes them."""
        space = None
        if isinstance(self.kernel, Kernel) or (isinstance(self.kernel, str) and self.kernel != "precomputed"):
            ones = np.ones(_num_samples(X))
            space = space_of(self.kernel, X, ones, gamma=self.gamma, degree=self.degree, coef0=self.coef0)
        if not isinstance(space, OfKernel):
            raise ParameterError(
                "a statement is about functions in the space of a kernel: kernel must be a name or a Kernel, such as "
                f"RBF(1.0), but {shown(self.kernel)} came."
            )
        return space.kernel, space.X

    def _solved(
        self, kernel: Kernel, state: Callable[[Any, Any], tuple[Machine, Any]]
    ) -> tuple[Machine, MachineSolution, Predictor]:
        """Solve the problem that ``state`` makes of f and b, and return what predicts, too."""
        import formulations.modelling.cvx as cp
        from formulations.language import Function

        machine, decides = state(Function(kernel, "f"), cp.Variable(name="b"))
        solution = machine.solve(verbose=bool(self.verbose), **self._request())
        return machine, solution, solution.predictor(decides)

    def _keep(self, solved: Sequence[tuple[Machine, MachineSolution, Predictor]]) -> None:
        """Read off what a fit leaves, of several classes a list of each."""
        machines, solutions = [each[0] for each in solved], [each[1] for each in solved]
        several = len(solved) > 1
        self.model_, self.solution_ = (machines, solutions) if several else (machines[0], solutions[0])
        worst = next((each for each in solutions if each.status is not Status.OPTIMAL), solutions[0])
        self._judge(worst.status, weakest(solutions), worst.message, callers=2)

    def _values(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        return self.predictor_.values(self._samples(X, reset=False))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each sample, or its target, shape (n,)."""
        values = self._values(X)
        return self.predictor_.decision.predict(values)


@dataclass(eq=False, repr=False)
class StatementEstimator(FunctionEstimator):
    """An estimator whose functions are those of a statement.

    Parameters
    ----------
    statement
        (f, b, X, y, **parameters) -> Machine, for a Function f and a variable b of CVXPY: f(x) + b is what predicts. A
        statement with other functions or variables returns a pair, of the Machine and of what predicts, such as
        ``lambda X: f(X) + X @ w + b``; see :meth:`formulations.language.MachineSolution.predictor`.
    parameters
        The parameters by name; those that are left out have the defaults of the statement. They can be searched over:
        ``parameters__C``.
    """

    statement: Callable[..., Any]
    _: KW_ONLY
    parameters: Mapping[str, Any] | None = None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep
            Whether to return those of the statement, as parameters__NAME, and of a Kernel object, as kernel__NAME.
        """
        own = super().get_params(deep)
        if deep and isinstance(self.parameters, Mapping):
            own |= {f"{_PARAMETER}{name}": value for name, value in self.parameters.items()}
        return own

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; parameters__NAME is one of the statement.

        Parameters
        ----------
        **params
            New values by the names of the constructor's parameters, kernel__NAME where the kernel is an object, and
            parameters__NAME.
        """
        nested = {name: params.pop(name) for name in list(params) if name.startswith(_PARAMETER)}
        super().set_params(**params)
        if nested:
            changed = {name.removeprefix(_PARAMETER): value for name, value in nested.items()}
            self.parameters = {**self._own_parameters(), **changed}
        return self

    def _own_parameters(self) -> dict[str, Any]:
        if not isinstance(self.parameters, Mapping | None):
            raise ParameterError(
                "parameters must map the names of those of the statement to values, such as {'C': 10.0}, but "
                f"{shown(self.parameters)} came."
            )
        return dict(self.parameters or {})

    def _stated(self, f: Any, b: Any, X: Any, y: Vector) -> tuple[Machine, Any]:
        from formulations.language import Machine

        parameters = self._own_parameters()
        if not callable(self.statement):
            raise ParameterError(
                f"statement must be a function (f, b, X, y, **parameters) -> Machine, but {shown(self.statement)} came."
            )
        try:
            signature(self.statement).bind(f, b, X, y, **parameters)
        except TypeError as error:
            taken = ", ".join(list(signature(self.statement).parameters)[_GIVEN:]) or "none"
            raise ParameterError(
                f"the statement cannot be called with f, b, X, y and the parameters {shown(parameters)}: {error}; its "
                f"own parameters are: {taken}."
            ) from None
        stated = self.statement(f, b, X, y, **parameters)
        machine, decides = stated if isinstance(stated, tuple) and len(stated) == 2 else (stated, None)
        if not isinstance(machine, Machine):
            raise ParameterError(
                f"a statement returns a Machine, or a pair of a Machine and a predicting function, but "
                f"{shown(stated)} came."
            )
        if decides is not None:
            return machine, decides
        others = [each.name for each in machine.functions if each is not f]
        others += [each.name() for each in machine.variables if each is not b]
        if others:
            raise ParameterError(
                f"the statement has {', '.join(others)} beside f and b, which f(X) + b would leave out; return a "
                "pair, (machine, lambda X: f(X) + b), to say what predicts."
            )
        return machine, (lambda X: f(X) + b) if any(each is b for each in machine.variables) else f


@dataclass(eq=False, repr=False)
class StatementClassifier(ClassifierMixin, StatementEstimator):
    """A statement about a function that is above 0 for one class, and below 0 for the other.

    The statement is given y = +1 for the second of two classes in their order, and -1 for the first. With more classes
    each pair has a statement of its own, and the class with most votes is chosen.

    Attributes
    ----------
    model_, solution_
        The statement and its answer; with several classes, a list of each.
    certificate_
        The certificate; with several classes, the weakest one.
    predictor_
        The machine that predicts. ``predictor_.save(path)`` writes it to a file, which ``formulations.load`` reads.
    classes_, fit_status_, n_features_in_, feature_names_in_
        The labels in sorted order; 0 if all answers are proved; the features of the data.

    Examples
    --------
    >>> import cvxpy as cp
    >>> from formulations import Machine
    >>> from formulations.estimators import StatementClassifier
    >>> def soft_margin(f, b, X, y, C=1.0):
    ...     hinge = cp.sum(cp.pos(1 - cp.multiply(y, f(X) + b)))
    ...     return Machine(cp.Minimize(0.5 * f.squared_norm + C * hinge))
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]
    >>> classifier = StatementClassifier(soft_margin, kernel="linear", parameters={"C": 10.0}).fit(X, y)
    >>> print(classifier.certificate_.holds(1e-3), classifier.predict([[0.5], [3.5]]))
    True ['low' 'high']
    """

    if TYPE_CHECKING:
        classes_: NDArray[Any] = field(init=False)

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # a statement says what a sample weighs
        """State and solve the problem, and prove how good the answer is."""
        X, y = self._samples(X, y, reset=True)
        labels = column_or_1d(y, warn=True)
        check_labels(labels)
        kernel, samples = self._kernel_of(X)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if self.classes_.size < 2:
            raise OneClassError(
                f"The number of classes has to be greater than one; got {self.classes_.size} class: every sample is of "
                f"{shown(self.classes_.tolist()[0])}."
            )
        pairs = [(j, k) for j in range(self.classes_.size) for k in range(j + 1, self.classes_.size)]
        solved = []
        for j, k in pairs:
            rows = np.flatnonzero((codes == j) | (codes == k))
            of_pair = samples if len(pairs) == 1 else samples[rows]
            signs = np.where(codes[rows] == k, 1.0, -1.0)
            solved.append(self._solved(kernel, partial(self._stated, X=of_pair, y=signs)))
        decision = Labels(self.classes_) if len(pairs) == 1 else Votes(self.classes_, tuple(pairs))
        self.predictor_ = Predictor.joined([each for _, _, each in solved], decision)
        self._keep(solved)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the values, shape (n,), above 0 for the second class, or the votes of more classes, (n, classes)."""
        values = self._values(X)
        decision = self.predictor_.decision
        return decision.by_class(values) if isinstance(decision, Votes) else values[:, 0]


@dataclass(eq=False, repr=False)
class StatementRegressor(RegressorMixin, StatementEstimator):
    """A statement about a function whose values are near targets y.

    Attributes
    ----------
    model_, solution_, certificate_, predictor_, ...
        As in :class:`StatementClassifier`.

    Examples
    --------
    >>> import cvxpy as cp
    >>> from formulations import Machine
    >>> from formulations.estimators import StatementRegressor
    >>> def median(f, b, X, y, C=1.0):
    ...     return Machine(cp.Minimize(0.5 * f.squared_norm + C * cp.norm1(f(X) + b - y)))
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> regressor = StatementRegressor(median, kernel="linear", parameters={"C": 10.0}, tol=1e-6).fit(X, y)
    >>> print(regressor.certificate_.holds(1e-6), regressor.predict([[4.0]]).round(3))
    True [3.833]
    """

    def fit(self, X: Any, y: ArrayLike) -> Self:  # type: ignore[override]
        """State and solve the problem, and prove how good the answer is."""
        check_targets(y)
        X, y = self._samples(X, y, reset=True)
        targets = column_or_1d(y, warn=True).astype(np.float64, copy=False)
        kernel, samples = self._kernel_of(X)
        solved = self._solved(kernel, partial(self._stated, X=samples, y=targets))
        self.predictor_ = Predictor.joined([solved[2]], Targets())
        self._keep([solved])
        return self
