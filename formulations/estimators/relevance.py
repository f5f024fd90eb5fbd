# SPDX-License-Identifier: BSD-3-Clause
"""Relevance vector machines with scikit-learn's interface.

Their evidence is not concave, so that there is no certificate. It is only proved that the evidence is stationary at the
answer.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit, softmax
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from formulations.estimators.kernel_machine import KernelEstimator, UncertifiedWarning
from formulations.estimators.parameters import OfKernel, check_labels, check_targets, space_of
from formulations.modelling.prediction import Predictor
from formulations.models.relevance import RelevanceClassification, RelevanceRegression
from formulations.models.relevance.evidence import Stationarity
from formulations.models.relevance.machine import RelevanceSolution
from qpkernels.arrays import Indices, check_flag, shown_label
from qpkernels.errors import OneClassError, ParameterError, SolverFailedError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel

__all__ = ["RelevanceClassifier", "RelevanceRegressor"]


@dataclass(kw_only=True, eq=False, repr=False)
class _RelevanceEstimator(KernelEstimator):
    """A Gaussian over functions, where the evidence is stationary.

    Notes
    -----
    Argument of the methods that predict:

    X
        Samples, shape (n, features).
    """

    tol: float = 1e-6
    max_iter: int = 1000
    strict: bool = False

    if TYPE_CHECKING:
        solution_: Any = field(init=False)
        relevance_: Indices = field(init=False)
        relevance_vectors_: Any = field(init=False)
        log_evidence_: Any = field(init=False)
        converged_: bool = field(init=False)
        n_iter_: int = field(init=False)
        stationarity_: Stationarity = field(init=False)
        _predictors: list[Predictor] = field(init=False)

    _proof: ClassVar[str] = "stationarity_"

    @property
    def predictor(self) -> Predictor:
        """The machine without its training samples: what is saved, and exported."""
        check_is_fitted(self)
        if len(self._predictors) > 1:
            raise ParameterError(
                "a relevance machine of several classes decides by probabilities that are averaged over its weights, "
                "which no sum over samples has; its machines of one class each are in solution_."
            )
        return self._predictors[0]

    def _gram(self, X: Any, samples: int) -> Gram:
        """Return the kernel matrix of a kernel of samples, whose values with new ones the variance needs."""
        check_flag(self.strict, "strict")
        named = isinstance(self.kernel, str) and self.kernel != "precomputed"
        if not (named or isinstance(self.kernel, Kernel)):
            raise ParameterError(
                f"a {type(self).__name__} takes a named kernel or a Kernel object, but {self.kernel!r} came; write a "
                "function as a Kernel, with the methods matrix and diagonal."
            )
        weights = np.ones(samples)
        space = space_of(self.kernel, X, weights, gamma=self.gamma, degree=self.degree, coef0=self.coef0)
        assert isinstance(space, OfKernel)
        return space.gram(None, "refuse")

    def _keep(self, X: Any, solutions: Sequence[RelevanceSolution]) -> None:
        """Read off the attributes."""
        self.relevance_ = np.unique(np.concatenate([each.relevance for each in solutions]))
        self.relevance_vectors_ = X[self.relevance_]
        self.n_iter_ = max(max(1, each.iterations) for each in solutions)
        self.converged_ = all(each.converged for each in solutions)
        self._predictors = [_without_samples(each) for each in solutions]
        # They prove that the evidence is stationary; no proof is there that it is not higher elsewhere.
        slopes = [each.stationarity for each in solutions]
        self.stationarity_ = max(slopes, key=lambda each: max(each.weights, each.noise, each.pruned))

    def _judge(self, solutions: Sequence[RelevanceSolution]) -> None:
        """Warn of an evidence that is not stationary, or refuse it."""
        worst = next((each for each in solutions if not each.converged), None)
        if worst is None:
            return
        words = f"the machine has not converged: {worst.message}; {worst.stationarity}"
        if self.strict:
            raise SolverFailedError(f"{words}. Pass strict=False to keep the answer, with a warning.")
        warnings.warn(f"{words}.", UncertifiedWarning, stacklevel=4)


@dataclass(kw_only=True, eq=False, repr=False)
class RelevanceRegressor(RegressorMixin, _RelevanceEstimator):
    """The relevance vector machine for regression, which predicts with a variance from few samples.

    Parameters
    ----------
    noise
        The variance of the noise, above 0, if it is known; None: it is learned.
    kernel, gamma, degree, coef0
        As in :class:`~formulations.estimators.kernel_machine.KernelEstimator`, but for "precomputed" and functions.
    tol
        Above 0: the largest size that a slope of the evidence may have.
    max_iter
        Limit of the iterations from each start, at least 1.
    strict
        Whether to raise SolverFailedError where the evidence is not stationary, in place of an UncertifiedWarning.

    Attributes
    ----------
    model_, solution_
        The machine and its answer.
    relevance_, relevance_vectors_
        Numbers of the relevance vectors, and these samples.
    log_evidence_, noise_
        The logarithm of the evidence, and the variance of the noise.
    stationarity_, converged_, n_iter_
        Slopes of the evidence, whether they are within tol, and the number of iterations.
    n_features_in_, feature_names_in_
        The data.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations.estimators import RelevanceRegressor
    >>> X = np.linspace(-3.0, 3.0, 13)[:, None]
    >>> regressor = RelevanceRegressor(gamma=2.0, noise=0.01).fit(X, np.sinc(X[:, 0]))
    >>> mean, deviation = regressor.predict([[0.0]], return_std=True)
    >>> print(regressor.relevance_, mean.round(2), deviation.round(2))
    [ 1  3  6  9 11] [1.02] [0.13]
    """

    noise: float | None = None

    if TYPE_CHECKING:
        model_: RelevanceRegression = field(init=False)
        solution_: RelevanceSolution = field(init=False)

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Raise the evidence from several starts, and keep the highest stationary point.

        Parameters
        ----------
        X
            Samples, shape (m, features).
        y
            Targets, shape (m,).

        Raises
        ------
        ParameterError, ShapeError, NonFiniteError
            If the data or parameters are not of this kind.
        SolverFailedError
            With strict=True, if the evidence is not stationary.
        """
        check_targets(y)
        X, y = self._samples(X, y, reset=True)
        targets = column_or_1d(y, warn=True).astype(np.float64, copy=False)
        self.model_ = RelevanceRegression(self._gram(X, targets.size), targets, noise=self.noise)
        self.solution_ = self.model_.solve(tol=self.tol, max_iter=self.max_iter)
        self.log_evidence_, self.noise_ = self.solution_.log_evidence, self.solution_.noise
        self._keep(X, [self.solution_])
        self._judge([self.solution_])
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the mean at each sample, shape (n,), and with ``return_std`` also the standard deviation of a target.

        Parameters
        ----------
        return_std
            Whether to return (mean, standard deviation), each of shape (n,) and with the noise included. Otherwise only
            the mean is returned.
        """
        check_is_fitted(self)
        X = self._samples(X, reset=False)
        predictor = self._predictors[0]
        mean = predictor.values(X)[:, 0]
        return (mean, np.sqrt(predictor.variance(X))) if return_std else mean


@dataclass(kw_only=True, eq=False, repr=False)
class RelevanceClassifier(ClassifierMixin, _RelevanceEstimator):
    """The relevance vector machine for classification, which predicts probabilities from few samples.

    With several classes, each has a machine against the rest, and their probabilities are divided by their sum.

    Parameters
    ----------
    kernel, gamma, degree, coef0
        As in :class:`~formulations.estimators.kernel_machine.KernelEstimator`, but for "precomputed" and functions.
    tol, max_iter, strict
        As in :class:`RelevanceRegressor`.

    Attributes
    ----------
    model_, solution_
        The machine and its answer; with several classes, a list of each.
    classes_
        The labels in sorted order.
    relevance_, relevance_vectors_
        Numbers of the relevance vectors, with several classes those of any machine, and these samples.
    log_evidence_
        The logarithm of the evidence in Laplace's approximation; with several classes, that of each machine.
    stationarity_, converged_, n_iter_
        The largest slopes of the evidence of all machines; whether all are within tol; the largest number of
        iterations.
    n_features_in_, feature_names_in_
        The data.

    Examples
    --------
    >>> from formulations.estimators import RelevanceClassifier
    >>> X = [[0.0], [0.5], [1.0], [1.5], [3.0], [2.0], [3.5], [4.0], [4.5], [5.0]]
    >>> y = ["a"] * 5 + ["b"] * 5
    >>> classifier = RelevanceClassifier(gamma=0.2).fit(X, y)
    >>> print(classifier.predict([[0.0], [5.0]]), classifier.predict_proba([[5.0]]).round(2))
    ['a' 'b'] [[0.16 0.84]]
    """

    if TYPE_CHECKING:
        model_: RelevanceClassification | list[RelevanceClassification] = field(init=False)
        solution_: RelevanceSolution | list[RelevanceSolution] = field(init=False)
        classes_: NDArray[Any] = field(init=False)

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Raise the evidence of each machine from several starts, and keep its highest stationary point.

        Parameters
        ----------
        X
            Samples, shape (m, features).
        y
            Labels, shape (m,).

        Raises
        ------
        ParameterError, ShapeError, NonFiniteError, OneClassError
            If the data or parameters are not of this kind.
        SolverFailedError
            With strict=True, if the evidence is not stationary.
        """
        X, y = self._samples(X, y, reset=True)
        labels = column_or_1d(y, warn=True)
        check_labels(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if self.classes_.size < 2:
            raise OneClassError(
                f"The number of classes has to be greater than one; got 1 class: every label is "
                f"{shown_label(self.classes_.tolist()[0])}."
            )
        gram = self._gram(X, labels.size)
        wanted = [labels] if self.classes_.size == 2 else [codes == k for k in range(self.classes_.size)]
        models = [RelevanceClassification(gram, each) for each in wanted]
        solutions = [each.solve(tol=self.tol, max_iter=self.max_iter) for each in models]
        single = len(models) == 1
        self.model_, self.solution_ = (models[0], solutions[0]) if single else (models, solutions)
        self.log_evidence_ = solutions[0].log_evidence if single else np.array([s.log_evidence for s in solutions])
        self._keep(X, solutions)
        self._judge(solutions)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the log-odds of the second of two classes, (n,), or of each class against the rest, (n, classes).

        They are averaged over the posterior, so that they agree with the probabilities.
        """
        check_is_fitted(self)
        X = self._samples(X, reset=False)
        odds = [_log_odds(each, X) for each in self._predictors]
        return odds[0] if len(odds) == 1 else np.column_stack(odds)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n, classes)."""
        odds = self.decision_function(X)
        if odds.ndim == 1:
            return np.column_stack([expit(-odds), expit(odds)])
        # The logarithms are finite where all probabilities underflow.
        return np.asarray(softmax(log_expit(odds), axis=1))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of the most probable class."""
        odds = self.decision_function(X)
        chosen = (odds > 0).astype(np.intp) if odds.ndim == 1 else np.argmax(odds, axis=1)
        return np.asarray(self.classes_[chosen])


def _without_samples(solution: RelevanceSolution) -> Predictor:
    """Return what predicts, over the relevance vectors alone: without any, an answer holds some sample."""
    predictor = solution.predictor
    if solution.relevance.size:
        return predictor
    functions = predictor.expansions
    nothing = replace(functions, centers=functions.centers[:0], coefficients=functions.coefficients[:0])
    return replace(predictor, functions=nothing)


def _log_odds(predictor: Predictor, X: Any) -> NDArray[np.float64]:
    """Return the decision values as MacKay moderates them: they saturate nowhere, where probabilities do."""
    return np.asarray(predictor.values(X)[:, 0] / np.sqrt(1.0 + np.pi / 8.0 * predictor.variance(X)))
