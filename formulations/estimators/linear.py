# SPDX-License-Identifier: BSD-3-Clause
"""LinearSVC and LinearSVR, which have the intercept of LIBLINEAR.

This intercept is the weight of a constant feature s, and it is penalised like every weight::

    min  1/2 (||w||^2 + (b/s)^2) + sum C_i L(x_i'w + b)

so that this is a model without an intercept, on the samples (x_i, s).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.linear_model._base import LinearClassifierMixin, SparseCoefMixin
from sklearn.linear_model._base import LinearModel as LinearPrediction
from sklearn.utils.validation import check_is_fitted, validate_data

from formulations.estimators.kernel_machine import ProvedEstimator, is_plain_data, weakest
from formulations.estimators.parameters import ClassWeight, check_labels, check_targets, class_weights, sample_weights
from formulations.losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from formulations.modelling import Regression
from formulations.modelling.batch import Trained, train_one
from formulations.modelling.inputs.estimators import append_constant
from formulations.modelling.inputs.samples import BoundSamples
from formulations.modelling.prediction import Labels, Predictor
from formulations.modelling.prediction.decisions import Targets, Votes
from formulations.models.classification.linear import CrammerSinger, LinearModel, SparseWeights
from formulations.models.classification.margins.soft_margin import SoftMargin
from formulations.models.classification.margins.squared_hinge import SquaredHinge
from formulations.models.classification.meta.multiclass import OneVersusRest
from formulations.models.classification.two_class_model import TwoClassModel
from formulations.models.regression.residual_loss import ResidualLossRegression
from qpkernels.arrays import (
    Indices,
    Matrix,
    Samples,
    Vector,
    check_choice,
    check_count,
    check_flag,
    check_positive,
    shown,
    shown_label,
)
from qpkernels.errors import LabelError, ParameterError
from qpkernels.gram import Gram
from qpkernels.gram.functions import Expansions
from qpkernels.kernels import Linear
from qpkernels.problems import Status

__all__ = ["LinearSVC", "LinearSVR"]

_OF_THE_DUAL = ("hinge", "epsilon_insensitive")
"""Losses that LIBLINEAR minimises by the dual alone."""


_MOST = 2**31 - 1
"""Iterations, at most: more is no number to a solver in C."""


@dataclass(kw_only=True, eq=False, repr=False)
class LinearMachine(ProvedEstimator):
    """A function x'w + b, whose b is penalised or absent."""

    tol: float = 1e-4
    C: float = 1.0
    dual: bool | Literal["auto"] = "auto"
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    random_state: Any = None
    max_iter: int = 1000
    verbose: bool | int = 0

    if TYPE_CHECKING:
        loss: str = field(init=False)
        coef_: Any = field(init=False)
        intercept_: Any = field(init=False)
        n_iter_: int = field(init=False)
        n_features_in_: int = field(init=False)

    def __sklearn_tags__(self) -> Any:
        """Return the tags: sparse samples are taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def predictor(self) -> Predictor:
        """The linear functions, and how they decide: what is exported."""
        check_is_fitted(self)
        coef: Any = self.coef_
        weights = np.atleast_2d(coef.toarray() if hasattr(coef, "toarray") else coef)
        classes, count = getattr(self, "classes_", None), len(weights)
        names = getattr(self, "feature_names_in_", None)
        functions = Expansions(
            Linear(),
            weights,
            np.eye(count),
            np.broadcast_to(self.intercept_, (count,)),
            None if names is None else tuple(names),
        )
        if classes is None:
            return Predictor(functions, Targets())
        several = tuple((-1, k) for k in range(count))
        return Predictor(functions, Labels(classes) if count == 1 else Votes(classes, several))

    def _check_parameters(self, losses: tuple[str, ...], penalty: str = "l2") -> None:
        """Refuse parameters outside their range, and combinations that LIBLINEAR has not."""
        check_choice(self.loss, "loss", losses)
        check_flag(self.fit_intercept, "fit_intercept")
        if not (isinstance(self.dual, bool | np.bool_) or self.dual == "auto"):
            raise ParameterError(f"dual must be True, False or 'auto', but {shown(self.dual)} came.")
        by_dual, l1 = self.loss in _OF_THE_DUAL and penalty != "any", penalty == "l1"
        if (by_dual and (l1 or not self.dual)) or (l1 and self.dual is True):
            raise ParameterError(
                f"Unsupported set of arguments: penalty={penalty!r}, loss={self.loss!r}, dual={self.dual!r}, as in "
                "LIBLINEAR: a loss that is not squared goes with penalty='l2' and dual=True, penalty='l1' with a "
                "squared loss and dual=False; dual='auto' chooses the value that the others allow."
            )

    def _bound(self, X: Samples, rows: Indices) -> BoundSamples:
        """Return these samples, with the constant if there is an intercept, bound to the linear kernel."""
        kept = X if rows.size == X.shape[0] else X[rows]
        if self.fit_intercept:
            kept = append_constant(kept, check_positive(self.intercept_scaling, "scaling"))
        return BoundSamples(Gram(Linear(), kept), explicit=False)

    def _limits(self, data: BoundSamples) -> dict[str, Any]:
        """Return what a solver is asked for."""
        passes = check_count(self.max_iter, "max_iter")
        return {**self._request(), "max_iter": min(passes * len(data.gram), _MOST)}

    def _keep(self, machines: Matrix, answers: Sequence[Any]) -> Matrix:
        """Keep the intercepts and the number of iterations; return the weights of the features, one function a row."""
        self.n_iter_ = max(max(1, each.iterations or 1) for each in answers)
        if not self.fit_intercept:
            self.intercept_ = 0.0
            return machines
        self.intercept_ = self.intercept_scaling * machines[:, -1]
        return machines[:, :-1].copy()


class _Rest(OneVersusRest):
    """One against the rest, as LIBLINEAR has it: a class has its weight in its own machine alone."""

    name = OneVersusRest.__name__

    def __init__(
        self, data: BoundSamples, labels: NDArray[Any], machine: type[TwoClassModel], costs: Vector, of_class: Vector
    ) -> None:
        super().__init__(data, labels, machine=machine, C=costs, fit_intercept=False)
        self.of_class = of_class

    def parameters(self, pair: tuple[int, int], rows: Indices) -> dict[str, Any]:
        """Return the costs, times the weight of the class for its own samples."""
        found, own = super().parameters(pair, rows), pair[1]
        return {**found, "C": found["C"] * np.where(self.y[rows] == self.classes[own], self.of_class[own], 1.0)}

    def _values_in(
        self, values: Mapping[str, Any], samples: Indices, is_positive: NDArray[np.bool_]
    ) -> dict[str, Vector]:
        taken = super()._values_in(values, samples, is_positive)
        own = self.of_class[np.searchsorted(self.classes, self.y[samples])]
        return {**taken, "C": taken["C"] * np.where(is_positive, own, 1.0)}


@dataclass(eq=False, repr=False)
class LinearSVC(LinearClassifierMixin, SparseCoefMixin, LinearMachine):
    r"""A linear classifier: :math:`\min \frac12 (\|w\|^2 + (b/s)^2) + \sum_i C w_i L(y_i (x_i'w + b))`.

    L(z) is the hinge max(0, 1 - z), or its square.

    Parameters
    ----------
    penalty
        "l2", or "l1" for few weights, which penalises ||w||_1 + |b|/s in place of the half squares and needs the
        squared hinge.
    loss
        "hinge" or "squared_hinge".
    dual
        The problem that LIBLINEAR would solve. Both are proved here, so that this changes nothing. As in LIBLINEAR,
        "hinge" allows only dual=True or "auto", and "l1" only dual=False or "auto".
    C
        Above 0: the cost of a unit of loss.
    multi_class
        "ovr": each class against the rest. "crammer_singer": one problem, in which every sample's own class should
        score higher than all others by 1. It ignores penalty, loss and dual.
    fit_intercept
        Whether the function has an intercept.
    intercept_scaling
        s, above 0: raising it penalises b less.
    class_weight
        A dictionary from label to weight, "balanced" or None. C is multiplied by the weight of the class; with several
        classes only in its own machine, as in LIBLINEAR.
    random_state
        Not used, as with dual=False in scikit-learn, since nothing here is random.
    max_iter
        Limit of the solver's iterations for each sample, because an iteration of LIBLINEAR is a pass over all samples.
    n_jobs
        Number of threads for the machines of several classes; -1: one for each core.

    Attributes
    ----------
    model_, solution_, certificate_
        The model on the samples (x_i, s), which may be one of several classes, its answer, and its certificate. With
        "l1" and several classes, each of these is a list.
    coef_, intercept_
        Weights, shape (1, features) or (classes, features), and b; b is 0.0 without an intercept.
    classes_, n_iter_, fit_status_, n_features_in_, feature_names_in_
        The labels in sorted order; the largest number of iterations of a machine; 0 if all answers are proved; the
        features of the data.

    Examples
    --------
    >>> from formulations.estimators import LinearSVC
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> classifier = LinearSVC(C=1.0, loss="hinge").fit(X, y)
    >>> print(classifier.certificate_.holds(1e-3), classifier.predict([[0.0], [3.0]]))
    True ['no' 'yes']
    """

    penalty: Literal["l2", "l1"] = "l2"
    loss: Literal["hinge", "squared_hinge"] = "squared_hinge"
    _: KW_ONLY
    multi_class: Literal["ovr", "crammer_singer"] = "ovr"
    class_weight: ClassWeight = None
    n_jobs: int = -1

    if TYPE_CHECKING:
        model_: Any = field(init=False)
        classes_: NDArray[Any] = field(init=False)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the machines, and prove how good they are; X may be sparse."""
        self._check_scheme()
        if is_plain_data(X, y, None):
            self.n_features_in_ = X.shape[1]
        else:
            X, y = validate_data(self, X, y, dtype=np.float64, order="C", accept_sparse="csr")
        y = np.asarray(y)
        check_labels(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        weights = sample_weights(sample_weight, codes.size)
        of_class = class_weights(self.class_weight, self.classes_, y, weights, balance=weights)
        rows = np.flatnonzero(weights)
        codes, costs = codes[rows], check_positive(self.C, "C") * weights[rows]
        self._check_present(codes)
        data = self._bound(X, rows)
        if self.penalty == "l1" or self.multi_class == "crammer_singer":
            solutions = self._solve_programs(data, codes, costs, of_class)
            self.coef_ = self._keep(np.vstack([each.weights for each in solutions]), solutions)
            worst = next((each for each in solutions if each.status is not Status.OPTIMAL), solutions[0])
            self._judge(worst.status, weakest(solutions), worst.message)
        else:
            answers = self._solve_kernel_machines(data, codes, costs, of_class)
            self.coef_ = self._keep(np.array([each.weights for each in answers]), answers)
            unproved = next((each for each in answers if each.status is not Status.OPTIMAL), None)
            status, message = (unproved.status, unproved.solution.message) if unproved else (Status.OPTIMAL, "")
            self._judge(status, max(answers, key=lambda each: each.relative_gap).certificate, message)
        return self

    def _solve_kernel_machines(
        self, data: BoundSamples, codes: NDArray[np.intp], costs: Vector, of_class: Vector
    ) -> Sequence[Trained[Any]]:
        """Solve the machine of two classes, or that of each class; return the answers."""
        machine, labels = SoftMargin if self.loss == "hinge" else SquaredHinge, self.classes_[codes]
        if self.classes_.size == 2:
            self.model_ = machine(data, labels, C=costs * of_class[codes], fit_intercept=False)
            self._answer = train_one(self.model_, verbose=bool(self.verbose), **self._limits(data))
            return [self._answer]
        self.model_ = _Rest(data, labels, machine, costs, of_class)
        # Who is to be verbose solves alone: in a batch nobody would take over where pair steps make no way.
        limits = {"verbose": bool(self.verbose), **self._limits(data)}
        self.solution_ = self.model_.solve(n_jobs=self.n_jobs, progress=False, **limits)
        return list(self.solution_.solutions.trained)

    def _solve_programs(
        self, data: BoundSamples, codes: NDArray[np.intp], costs: Vector, of_class: Vector
    ) -> Sequence[Any]:
        """Solve what is no kernel machine; return the answers."""
        features, classes = data.gram.X, self.classes_.size
        if self.multi_class == "crammer_singer":
            models: list[LinearModel] = [CrammerSinger(features, costs * of_class[codes], codes, classes)]
        elif classes == 2:
            models = [SparseWeights(features, costs * of_class[codes], np.where(codes, 1.0, -1.0))]
        else:
            own = [(codes == k, of_class[k]) for k in range(classes)]
            models = [SparseWeights(features, costs * np.where(k, w, 1.0), np.where(k, 1.0, -1.0)) for k, w in own]
        answers = [each.solve(verbose=bool(self.verbose), **self._limits(data)) for each in models]
        single = len(models) == 1
        self.model_, self.solution_ = (models[0], answers[0]) if single else (models, answers)
        return answers

    def _check_scheme(self) -> None:
        """Refuse what LIBLINEAR does not know; Crammer and Singer's machine has no choice of penalty, loss and dual."""
        check_choice(self.penalty, "penalty", ("l2", "l1"))
        check_choice(self.multi_class, "multi_class", ("ovr", "crammer_singer"))
        crammer_singer = self.multi_class == "crammer_singer"
        self._check_parameters(("hinge", "squared_hinge"), "any" if crammer_singer else self.penalty)

    def _check_present(self, codes: NDArray[np.intp]) -> None:
        """Refuse a class whose samples all weigh nothing: its machine has nobody to separate."""
        absent = np.flatnonzero(np.bincount(codes, minlength=self.classes_.size) == 0)
        if absent.size:
            label = shown_label(self.classes_.tolist()[absent[0]])
            raise LabelError(
                f"every class needs a sample with a weight above 0, but all of {label} have the weight 0; leave these "
                "samples out."
            )


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVR(RegressorMixin, LinearPrediction, LinearMachine):
    r"""A linear regression: :math:`\min \frac12 (\|w\|^2 + (b/s)^2) + \sum_i C w_i L(y_i - x_i'w - b)`.

    L(r) is max(0, |r| - epsilon), or its square.

    Parameters
    ----------
    epsilon
        At least 0, in the unit of y: the half width of the tube.
    loss
        "epsilon_insensitive" or "squared_epsilon_insensitive".
    C
        Above 0: the cost of a unit of loss.
    dual
        The problem that LIBLINEAR would solve. Both are proved here, so that this changes nothing. As in LIBLINEAR,
        "epsilon_insensitive" allows only dual=True or "auto".
    fit_intercept, intercept_scaling, random_state, max_iter
        As in :class:`~formulations.estimators.linear.LinearSVC`.

    Attributes
    ----------
    model_, solution_, certificate_
        The model on the samples (x_i, s), its answer, and its certificate.
    coef_, intercept_
        Weights, shape (features,), and b, shape (1,); b is 0.0 without an intercept.
    n_iter_, fit_status_, n_features_in_, feature_names_in_
        Iterations of the solver; 0 if the answer is proved; the features of the data.

    Examples
    --------
    >>> from formulations.estimators import LinearSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> regressor = LinearSVR(epsilon=0.2, C=10.0, tol=1e-6).fit(X, y)
    >>> print(regressor.certificate_.holds(1e-6), regressor.coef_.round(3))
    True [0.8]
    """

    epsilon: float = 0.0
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive"

    if TYPE_CHECKING:
        model_: ResidualLossRegression = field(init=False)
        solution_: Regression = field(init=False)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the weights, and prove how good they are; X may be sparse."""
        self._check_parameters(("epsilon_insensitive", "squared_epsilon_insensitive"))
        check_targets(y)
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", accept_sparse="csr", y_numeric=True)
        targets = np.asarray(y, dtype=np.float64)
        weights = sample_weights(sample_weight, targets.size)
        rows = np.flatnonzero(weights)
        data = self._bound(X, rows)
        costs = check_positive(self.C, "C") * weights[rows]
        kind = EpsilonInsensitive if self.loss == "epsilon_insensitive" else SquaredEpsilonInsensitive
        self.model_ = ResidualLossRegression(data, targets[rows], loss=kind(self.epsilon), C=costs, fit_intercept=False)
        self.solution_ = self.model_.solve(verbose=bool(self.verbose), **self._limits(data))
        self.coef_ = self._keep(self.solution_.function.weights[None], [self.solution_])[0]
        self._judge(self.solution_.status, self.solution_.certificate, self.solution_.message)
        return self
