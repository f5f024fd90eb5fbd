# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers of two classes by one machine, and of more by one for each pair, with the attributes of scikit-learn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import _num_samples

from formulations.estimators.kernel_machine import MachineEstimator, Share, Training, as_sparse_as
from formulations.estimators.parameters import (
    ClassWeight,
    check_labels,
    class_weights,
    one_column,
    sample_weights,
    weighted,
)
from formulations.modelling import Classification
from formulations.modelling.batch import Trained, check_jobs
from formulations.modelling.prediction import Predictor
from formulations.modelling.prediction.decisions import Sigmoids, Votes, probabilities
from formulations.models.classification.meta.calibration import Calibrations, PlattCalibration
from formulations.models.classification.meta.multiclass import MulticlassSolution, OneVersusOne
from formulations.models.classification.meta.two_level import stratified_folds
from formulations.models.classification.two_class_model import TwoClassModel
from qpkernels.arrays import Indices, Matrix, Vector, check_choice, check_flag, finite_matrix
from qpkernels.errors import ParameterError
from qpkernels.problems import Status

__all__ = ["CalibratedClassifier", "PairwiseClassifier"]


class _Pairs(OneVersusOne):
    """One against one, as LIBSVM has it: also where a class has a single sample."""

    name = OneVersusOne.__name__

    def check_classes(self) -> None:
        """Refuse nothing."""


@dataclass(kw_only=True, eq=False, repr=False)
class PairwiseClassifier(ClassifierMixin, MachineEstimator):
    """One machine for two classes, or one for each pair of more; its attributes are those of scikit-learn's SVC.

    With several classes, the machine of the classes i < j has positive values for i, as in LIBSVM. With two classes, it
    has them for the second.

    Parameters
    ----------
    class_weight
        A dictionary from label to weight, "balanced" or None. C is multiplied by the weight of the class.
    decision_function_shape
        For several classes: "ovr" for a column for each class, "ovo" for one for each pair.
    break_ties
        Whether, for several classes and "ovr", ties of votes go to the largest decision value.
    n_jobs
        Number of threads for the machines of several classes; -1: one for each core.
    """

    class_weight: ClassWeight = None
    decision_function_shape: Literal["ovr", "ovo"] = "ovr"
    break_ties: bool = False
    n_jobs: int = -1

    if TYPE_CHECKING:
        model_: TwoClassModel | OneVersusOne = field(init=False)
        classes_: NDArray[Any] = field(init=False)
        class_weight_: Vector = field(init=False)
        _pairs: Indices = field(init=False)

    @abstractmethod
    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        """Return the model of two classes, with its hyper-parameters for samples that count once."""

    @property
    def predictor(self) -> Predictor:
        """The machine without its training samples; ties of votes are decided as ``predict`` does."""
        machine = super().predictor
        decision = machine.decision
        if not isinstance(decision, Votes) or self.break_ties:
            return machine
        return replace(machine, decision=replace(decision, ties_to_first=True))

    def _scale(self, answer: Trained[Classification]) -> float:
        """Return what the function of a machine is multiplied by."""
        del answer
        return 1.0

    def _state(self, X: Any, y: Any, sample_weight: ArrayLike | None, share: Share | None = None) -> Training:
        check_choice(self.decision_function_shape, "decision_function_shape", ("ovr", "ovo"))
        check_flag(self.break_ties, "break_ties")
        check_jobs(self.n_jobs)
        X, y = self._samples(X, y, reset=True)
        labels = one_column(y)
        check_labels(labels)
        if len(labels) != _num_samples(X):
            raise ParameterError(
                f"X and y must have the same length, but X has {_num_samples(X)} samples and y has {len(labels)}."
            )
        weights = sample_weights(sample_weight, len(labels))
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.class_weight_ = class_weights(self.class_weight, self.classes_, labels, weights)
        training = self._train_on(X, weights, weights * self.class_weight_[codes], share)
        machine, parameters = self._machine()
        parameters = weighted(machine, parameters, training.weights)
        codes = codes[training.rows]
        present = np.flatnonzero(np.bincount(codes))
        if present.size == 2:
            self.model_ = machine(training.data, self.classes_[codes], **parameters)
            self._pairs = present[None, :]
        else:
            self.model_ = _Pairs(training.data, self.classes_[codes], machine=machine, **parameters)
            self._pairs = present[np.array(list(self.model_.pairs()))]
        return replace(training, codes=codes)

    def _answers(self, limits: Mapping[str, Any]) -> Sequence[Trained[Classification]]:
        if not isinstance(self.model_, OneVersusOne):
            return super()._answers(limits)
        return self.model_.solve(n_jobs=self.n_jobs, progress=False, **limits).solutions.trained

    def _finish(self, training: Training, answers: Sequence[Trained[Classification]]) -> None:
        if isinstance(self.model_, OneVersusOne):
            self.solution_ = self.model_.answered(answers)
            first = next((each.solution.message for each in answers if each.status is not Status.OPTIMAL), "")
            message = f"{self.solution_.unproved}: {first}"
        else:
            (self._answer,) = answers
            message = self._message
        self._keep(training, answers)
        weakest = max(answers, key=lambda each: each.relative_gap)
        status = next((each.status for each in answers if each.status is not Status.OPTIMAL), Status.OPTIMAL)
        self._calibrate(training)
        self._judge(status, weakest.certificate, message, callers=2)

    def _machine_values(self, values: Matrix, answers: Callable[[], Sequence[Trained[Classification]]]) -> Matrix:
        del answers
        return -values if len(self._pairs) > 1 else values

    def _calibrate(self, training: Training) -> None:
        """Make probabilities of decision values, in classifiers that do so."""

    def _keep(self, training: Training, answers: Sequence[Trained[Classification]]) -> None:
        """Read off the attributes; a sample of class c has its coefficient in the machine with d in row d of others."""
        X, codes, pairs = training.X, training.codes, self._pairs
        assert codes is not None
        several, count = isinstance(self.model_, OneVersusOne), len(pairs)
        scales = np.array([self._scale(each) for each in answers])
        self._scales = -scales if several else scales
        self.intercept_ = self._scales * np.array([each.intercept for each in answers])
        machines = np.repeat(np.arange(count), [each.beta.size for each in answers])
        beta = self._scales[machines] * np.concatenate([each.beta for each in answers])
        by_class = np.zeros((self.classes_.size - 1 if several else 1, codes.size))
        if isinstance(self.model_, OneVersusOne):
            samples, (first, second) = self.model_.layout.samples, pairs[machines].T
            # Adding 0 takes the sign off a zero.
            by_class[np.where(self.model_.layout.is_positive, first, second - 1), samples] = beta + 0.0
        else:
            samples, by_class[0] = np.arange(codes.size), beta
        used = np.asarray(by_class.any(axis=0))
        # By class, and within a class in the order of the samples.
        order = np.argsort(codes, kind="stable")
        own = order[used[order]]
        self.support_ = training.rows[own].astype(np.int32)
        self.support_vectors_ = self._rows_of(X, self.support_)
        self._n_support = np.bincount(codes[own], minlength=self.classes_.size).astype(np.int32)
        self.n_iter_ = np.array([max(1, each.iterations or 1) for each in answers], dtype=np.int32)
        self.dual_coef_ = as_sparse_as(X, by_class[:, own])
        known = [each.coefficients for each in answers]
        proved = [each for each in known if each is not None]
        if len(proved) < len(known):
            self._functions = training.space.others([each.solution.function for each in answers])
            return
        if training.data.gram.correction is not None:
            # The coefficients are of all samples.
            own = order
        coefficients = _by_sample(np.concatenate(proved), samples, machines, own, count)
        self._functions = training.space.functions(training.rows[own], coefficients)

    def _counts(self) -> NDArray[np.int32]:
        return self._n_support

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) + b for two classes, shape (n,), above 0 for the second one.

        For more classes, decision_function_shape="ovo" returns the values of all machines, shape (n, machines), above 0
        for the first class of the pair, and "ovr" returns the votes of each class, shape (n, classes), plus a fraction
        below 1/3 by the sum of the values.
        """
        values = self._values(X)
        if len(self._pairs) == 1:
            return values[:, 0]
        if self.decision_function_shape == "ovr":
            return np.asarray(_ovr_decision_function(values < 0, -values, self.classes_.size))
        return values

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of the chosen class, which has the most votes if there are several classes.

        Ties of votes go to the first class, or with break_ties=True to the class with the largest decision value.
        """
        self._require_fit()
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ParameterError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.break_ties and len(self._pairs) > 1:
            return np.asarray(self.classes_[np.argmax(self.decision_function(X), axis=1)])
        values = self._values(X)
        if len(self._pairs) == 1:
            return np.asarray(self.classes_[self._pairs[0, (values[:, 0] > 0).astype(np.intp)]])
        first, second = self._pairs.T
        ballots = np.where(values > 0, first, second) + self.classes_.size * np.arange(len(values))[:, None]
        votes = np.bincount(ballots.ravel(), minlength=len(values) * self.classes_.size)
        return np.asarray(self.classes_[np.argmax(votes.reshape(len(values), -1), axis=1)])


_DENSE = 2**18
"""Coefficients up to which zeros among them are held like all others: BLAS is faster than to pass over them."""


def _by_sample(beta: Vector, samples: Indices, machines: Indices, own: Indices, count: int) -> Matrix | csr_array:
    """Return the coefficients of each machine, one a column, of their ``own`` samples, one a row."""
    place = np.empty(int(own.max(initial=-1)) + 1, np.intp)
    place[own] = np.arange(own.size)
    (some,) = np.nonzero(beta)
    rows, columns = place[samples[some]], machines[some]
    if own.size * count <= _DENSE:
        found = np.zeros((own.size, count))
        found[rows, columns] = beta[some]
        return found
    return csr_array((beta[some], (rows, columns)), shape=(own.size, count))


_FOLDS = 5

_SEEDS = 2**31


def _calibrates(classifier: Any) -> bool:
    if not classifier.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


@dataclass(kw_only=True, eq=False, repr=False)
class CalibratedClassifier(PairwiseClassifier):
    """A sigmoid for each machine, fitted to decision values of samples that were held out of its training.

    Probabilities need not agree with ``predict``, which uses the decision values. ``solution_`` has the sigmoids, and
    so does the file that ``solution_.save`` writes.

    Parameters
    ----------
    probability, random_state
        Whether a sigmoid is fitted to decision values of five folds, each by the machine of the others, for
        ``predict_proba``; and the seed of their shuffle.
    """

    probability: bool = False
    random_state: Any = None

    if TYPE_CHECKING:
        calibrations_: Calibrations = field(init=False)

    def _calibrate(self, training: Training) -> None:
        """Fit a sigmoid for each machine to the values of five folds, with probability=True."""
        if not check_flag(self.probability, "probability"):
            return
        seed = int(check_random_state(self.random_state).randint(_SEEDS))
        model = self.model_
        if not isinstance(model, OneVersusOne):
            machine, parameters = self._machine()
            parameters = weighted(machine, parameters, training.weights)
            model = _Pairs(training.data, self.classes_[training.codes], machine=machine, **parameters)
        labels = [model.y[part.samples] for part in model.parts]
        folds = [stratified_folds(own, min(_FOLDS, own.size), seed, "set probability=False") for own in labels]
        scores = model.held_out_values(folds, self._scale, tol=self.tol, solver=self.solver, n_jobs=self.n_jobs)
        self.calibrations_ = Calibrations(
            [PlattCalibration(*each, targets="platt") for each in zip(scores, labels, strict=True)]
        )
        # Those of the functions of the solution, which are not scaled.
        several, fitted = isinstance(self.solution_, MulticlassSolution), self.calibrations_.sigmoids
        scales = [self._scale(each) for each in (self.solution_.solutions.trained if several else [self._answer])]
        self.solution_ = replace(self.solution_, _sigmoids=Sigmoids(np.array(scales) * fitted.A, fitted.B))

    @available_if(_calibrates)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n, classes); with several, those of all pairs are coupled."""
        values = self._values(X)
        if "calibrations_" not in vars(self):
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        if len(self._pairs) > 1:
            values = -values
        second = self.calibrations_.sigmoids(finite_matrix(values, "the decision values"))
        return probabilities(second, self._pairs, self.classes_.size)

    @available_if(_calibrates)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))
