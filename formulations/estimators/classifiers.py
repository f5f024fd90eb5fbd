# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers, with the parameters, defaults and fitted attributes of scikit-learn where it has them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from formulations.estimators.kernel_machine import Training
from formulations.estimators.pairwise import CalibratedClassifier, PairwiseClassifier
from formulations.estimators.parameters import given_model, is_infinite, named_loss
from formulations.losses import Hinge, LogisticLoss, MarginLoss
from formulations.losses import SquaredHinge as SquaredHingeLoss
from formulations.modelling import Classification
from formulations.modelling.batch import Trained
from formulations.modelling.prediction import Predictor
from formulations.modelling.prediction.decisions import probabilities
from formulations.models.classification.least_squares import LeastSquaresClassifier
from formulations.models.classification.logistic import Logistic
from formulations.models.classification.lp import LinearProgramMachine
from formulations.models.classification.margin_loss import MarginLossClassifier
from formulations.models.classification.margins.hard_margin import HardMargin
from formulations.models.classification.margins.nu_margin import NuMargin
from formulations.models.classification.margins.soft_margin import SoftMargin
from formulations.models.classification.margins.squared_hinge import SquaredHinge
from formulations.models.classification.two_class_model import TwoClassModel
from qpkernels.arrays import Matrix
from qpkernels.errors import ParameterError
from qpkernels.problems import Status

__all__ = ["LPSVC", "LSSVC", "SVC", "KernelClassifier", "KernelLogisticRegression", "NuSVC", "SquaredHingeSVC"]


@dataclass(kw_only=True, eq=False, repr=False)
class StreamingClassifier(PairwiseClassifier):
    """A classifier whose machine of two classes goes on from its last answer when samples are added.

    Parameters
    ----------
    window
        How many of the latest samples ``partial_fit`` keeps; None: all. ``fit`` takes all that it is given.
    """

    window: int | None = None

    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit to the samples of earlier calls and to these, from the last answer on, and prove how good that is.

        The first call after ``fit`` begins anew, and so does one of an estimator out of a pickle, which holds no
        samples. Where a call fails, everything stays as it was. With gamma="scale", the variance is that of the first
        call. The machines of several classes are fitted anew to all samples that are kept.

        Parameters
        ----------
        X
            Further samples, shape (n, features).
        y
            Their labels, shape (n,).
        classes
            In the first call: all labels that there will be; those of a ``fit`` before need not be said again.
            ``classes_`` has those of the samples that are kept.
        sample_weight
            At least 0: how often each sample counts.
        """
        from formulations.estimators.streaming import learn_on

        learn_on(self, X, y, classes, sample_weight)
        return self


@dataclass(kw_only=True, eq=False, repr=False)
class SVC(StreamingClassifier, CalibratedClassifier):
    r"""The soft margin: :math:`\min \frac12 \|f\|^2 + \sum_i C w_i \max(0, 1 - y_i (f(x_i) + b))`.

    Parameters
    ----------
    C
        Above 0: the cost of a unit of slack. An infinite cost gives the hard margin.

    Attributes
    ----------
    model_, solution_, certificate_
        The model, which may be one of several classes, its answer, and its certificate.
    support_, support_vectors_, n_support_
        Numbers of the support vectors, class by class; these samples; and their count in each class.
    dual_coef_, intercept_, coef_
        Coefficients y_i a_i, shape (classes - 1, support vectors), b, and for kernel="linear" the weights w.
    classes_, class_weight_
        The labels in sorted order, and their weights.
    n_iter_, fit_status_, shape_fit_, n_features_in_, feature_names_in_
        Iterations of each machine; 0 if all answers are proved; the shape and features of the data.

    Examples
    --------
    >>> from formulations.estimators import SVC
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], ["same", "same", "other", "other"]
    >>> classifier = SVC(C=10.0, gamma=1.0, tol=1e-6).fit(X, y)
    >>> print(classifier.certificate_.holds(1e-6), classifier.n_support_, classifier.predict([[0.1, 0.9]]))
    True [2 2] ['other']
    """

    C: float = 1.0

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        return (HardMargin, {}) if is_infinite(self.C) else (SoftMargin, {"C": self.C})


@dataclass(kw_only=True, eq=False, repr=False)
class NuSVC(CalibratedClassifier):
    r"""The nu-machine, scaled as in LIBSVM so that its margin lies at y (f + b) = 1.

    Parameters
    ----------
    nu
        Above 0 and at most 2 min(m+, m-) / m: a bound on the share of samples inside the margin.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`SVC`. The solution is the one with the margin rho, before it is divided by rho.

    Examples
    --------
    >>> from formulations.estimators import NuSVC
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> classifier = NuSVC(nu=0.75, kernel="linear").fit(X, y)
    >>> print(classifier.certificate_.holds(1e-3), classifier.predict([[0.0], [3.0]]))
    True ['no' 'yes']
    """

    nu: float = 0.5

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        return NuMargin, {"nu": self.nu}

    def _scale(self, answer: Trained[Classification]) -> float:
        """Return 1 / rho; 1 where the reduced hulls meet and rho is 0."""
        level = self._margin(answer)
        return 1.0 / level if level > 0 else 1.0

    def _margin(self, answer: Trained[Classification]) -> float:
        return float(answer.solution.margin_level if answer.free_margin is None else answer.free_margin)

    def _keep(self, training: Training, answers: Sequence[Trained[Classification]]) -> None:
        super()._keep(training, answers)
        if any(each.status is Status.OPTIMAL and self._margin(each) == 0.0 for each in answers):
            warnings.warn(
                f"the margin is 0, and f with it: samples of two classes that have a share nu={self.nu:g} of all costs "
                "have one mean, so that no function separates them; raise nu.",
                stacklevel=5,
            )

    def _machine_values(self, values: Matrix, answers: Callable[[], Sequence[Trained[Classification]]]) -> Matrix:
        return super()._machine_values(values * np.array([self._scale(each) for each in answers()]), answers)


@dataclass(kw_only=True, eq=False, repr=False)
class SquaredHingeSVC(StreamingClassifier):
    r"""The squared hinge: :math:`\min \frac12 \|f\|^2 + \frac12 \sum_i C w_i \max(0, 1 - y_i (f(x_i) + b))^2`.

    Parameters
    ----------
    C
        Above 0: the cost of half a squared slack.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`SVC`.

    Examples
    --------
    >>> from formulations.estimators import SquaredHingeSVC
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> classifier = SquaredHingeSVC(C=1.0, kernel="linear", tol=1e-9).fit(X, y)
    >>> print(classifier.certificate_.holds(1e-9), classifier.coef_.round(3), classifier.intercept_.round(3))
    True [[0.364]] [-0.545]
    """

    C: float = 1.0

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        return SquaredHinge, {"C": self.C}


@dataclass(kw_only=True, eq=False, repr=False)
class LPSVC(PairwiseClassifier):
    r"""The linear program machine: :math:`\min \sum_j a_j + \sum_i C w_i \xi_i`, with few coefficients.

    Its kernel may be indefinite.

    Parameters
    ----------
    C
        Above 0: the cost of a unit of slack.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`SVC`; support vectors are the samples with a coefficient.

    Examples
    --------
    >>> from formulations.estimators import LPSVC
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 0, 1, 1, 1]
    >>> classifier = LPSVC(C=1.0, gamma=0.5).fit(X, y)
    >>> print(classifier.certificate_.holds(1e-3), classifier.support_.size, classifier.predict([[0.5], [4.5]]))
    True 2 [0 1]
    """

    C: float = 1.0

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        return LinearProgramMachine, {"C": self.C}


_LOSSES: dict[str, MarginLoss] = {
    "hinge": Hinge(),
    "squared_hinge": SquaredHingeLoss(),
    "log_loss": LogisticLoss(),
}


@dataclass(kw_only=True, eq=False, repr=False)
class LSSVC(StreamingClassifier):
    r"""Least squares of the margins: :math:`\min \frac12 \|f\|^2 + \frac12 \sum_i C w_i (1 - y_i (f(x_i) + b))^2`.

    Parameters
    ----------
    C
        Above 0: the cost of half a squared slack.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.classifiers.SVC`; all samples are support vectors.

    Examples
    --------
    >>> from formulations.estimators import LSSVC
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]
    >>> classifier = LSSVC(C=1.0, kernel="linear").fit(X, y)
    >>> print(classifier.certificate_.holds(1e-3), classifier.predict([[0.5], [3.5]]))
    True ['low' 'high']
    """

    C: float = 1.0

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        return LeastSquaresClassifier, {"C": self.C}


@dataclass(kw_only=True, eq=False, repr=False)
class KernelLogisticRegression(PairwiseClassifier):
    r"""Kernel logistic regression: :math:`\min \frac12 \|f\|^2 + \sum_i C w_i \log(1 + e^{-y_i (f(x_i) + b)})`.

    With several classes, the probabilities of all pairs are coupled (Wu, Lin and Weng, 2004), and the label has the
    largest probability.

    Parameters
    ----------
    C
        Above 0: the weight of a loss against 1/2 ||f||^2.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.classifiers.SVC`; all samples are support vectors.

    Examples
    --------
    >>> from formulations.estimators import KernelLogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> classifier = KernelLogisticRegression(C=1.0, kernel="linear", tol=1e-6).fit(X, y)
    >>> print(classifier.certificate_.holds(1e-6), classifier.predict_proba([[3.0]]).round(3))
    True [[0.336 0.664]]
    """

    C: float = 1.0

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        return Logistic, {"C": self.C}

    @property
    def predictor(self) -> Predictor:
        """The machine of two classes without its training samples, which is saved and exported."""
        if len(self._pairs) > 1:
            raise ParameterError(
                "of several classes, this estimator decides by coupled probabilities, which no sum over samples has; "
                "take solution_.predictor, whose labels go by the votes of the machines."
            )
        return super().predictor

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n, classes)."""
        values = self._values(X)
        return probabilities(
            scipy.special.expit(values if len(self._pairs) == 1 else -values), self._pairs, self.classes_.size
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of the most probable class."""
        most_probable = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[most_probable])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the log-odds of the second of two classes, shape (n,).

        For more classes, decision_function_shape="ovo" returns the values of all machines, shape (n, machines), which
        are above 0 for the first class of the pair, and "ovr" returns the logarithm of the probability of each class.
        """
        values = super().decision_function(X)
        if self.classes_.size > 2 and self.decision_function_shape == "ovr":
            return self.predict_log_proba(X)
        return values

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


@dataclass(kw_only=True, eq=False, repr=False)
class KernelClassifier(PairwiseClassifier):
    r"""Any convex loss of the margins, or any model of two classes.

    Parameters
    ----------
    loss
        "hinge", "squared_hinge", "log_loss", a loss psi of :mod:`formulations.losses`, or your own loss, which may be a
        function of a CVXPY variable: :math:`\min \frac12 \|f\|^2 + \sum_i C w_i \psi(y_i (f(x_i) + b))`.
    C
        Above 0: the weight of a loss.
    model
        A model of two classes in place of loss and C, such as SoftMargin.
    parameters
        Its hyper-parameters by name.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.classifiers.SVC`.

    Examples
    --------
    >>> from formulations.estimators import KernelClassifier
    >>> from formulations.losses import SquaredHinge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> classifier = KernelClassifier(loss=SquaredHinge(), C=1.0, kernel="linear").fit(X, y)
    >>> print(classifier.certificate_.holds(1e-3), classifier.predict([[0.0], [3.0]]))
    True ['no' 'yes']
    """

    loss: str | MarginLoss | Callable[[Any], Any] = "hinge"
    C: float = 1.0
    model: type[TwoClassModel] | None = None
    parameters: Mapping[str, Any] | None = None

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        given = given_model(self.model, self.parameters, TwoClassModel, "SoftMargin")
        return given or (MarginLossClassifier, {"loss": named_loss(self.loss, _LOSSES), "C": self.C})
