# SPDX-License-Identifier: BSD-3-Clause
"""Novelty detection by one class, with the parameters, defaults and fitted attributes of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin
from sklearn.utils.validation import _num_samples

from formulations.estimators.kernel_machine import MachineEstimator, Share, Training
from formulations.estimators.parameters import sample_weights
from formulations.modelling import Novelty
from formulations.modelling.batch import Trained
from formulations.modelling.prediction.decisions import Inliers
from formulations.models.classification.one_class import OneClass
from qpkernels.arrays import Matrix

__all__ = ["OneClassSVM"]


@dataclass(kw_only=True, eq=False, repr=False)
class OneClassSVM(OutlierMixin, MachineEstimator):
    """The half space of the kernel's space that is farthest from the origin with all but a share nu of the samples.

    Coefficients and values are nu 1'w times those of the model, as in LIBSVM, so that coefficients are at most w_i.

    Parameters
    ----------
    nu
        Above 0 and at most 1: an upper bound on the share of outliers, and a lower bound on that of support vectors.

    Attributes
    ----------
    model_, solution_, certificate_
        The model, its answer, and its certificate.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_
        As in :class:`~formulations.estimators.regressors.SVR`.
    offset_
        The level of the scores on the boundary, which is -intercept_.
    n_iter_, fit_status_, shape_fit_, n_features_in_, feature_names_in_
        Iterations of the solver; 0 if the answer is proved; the shape and features of the data.

    Examples
    --------
    >>> from formulations.estimators import OneClassSVM
    >>> X = [[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [0.1, 0.1], [3.0, 3.0]]
    >>> detector = OneClassSVM(nu=0.2, gamma=1.0).fit(X)
    >>> print(detector.certificate_.holds(1e-3), detector.predict([[0.05, 0.05], [2.0, 2.0]]))
    True [ 1 -1]
    """

    nu: float = 0.5

    if TYPE_CHECKING:
        model_: OneClass = field(init=False)
        solution_: Novelty = field(init=False)

    def _state(self, X: Any, y: Any, sample_weight: ArrayLike | None, share: Share | None = None) -> Training:
        del y
        X = self._samples(X, reset=True)
        training = self._train_on(X, sample_weights(sample_weight, _num_samples(X)), share=share)
        self.model_ = OneClass(training.data, nu=self.nu, sample_weight=training.weights)
        return training

    def _finish(self, training: Training, answers: Sequence[Trained[Novelty]]) -> None:
        (answer,) = answers
        self._keep_function(training, answer, self.nu * float(training.weights.sum()))
        self.offset_ = -self.intercept_
        self._judge(answer.status, answer.certificate, self._message, callers=2)

    def _machine_values(self, values: Matrix, answers: Callable[[], Sequence[Trained[Novelty]]]) -> Matrix:
        del answers
        return values * self._scales

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the signed distance to the boundary, in the unit of the coefficients; it is below 0 for outliers."""
        return self._values(X)[:, 0]

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values before the level offset_ is subtracted."""
        return np.asarray(self.decision_function(X) + self.offset_)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return +1 for samples like those of the fit and on the boundary up to rounding, -1 for outliers."""
        values = self._values(X)
        return Inliers(float(self.offset_[0])).predict(values)
