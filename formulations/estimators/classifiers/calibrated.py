# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers whose decision values are calibrated to probabilities."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from formulations.classification.base import TwoClassModel
from formulations.classification.meta.calibration import Calibration, PlattCalibration
from formulations.classification.meta.multiclass import OneVersusOne
from formulations.classification.meta.multiclass_solution import MulticlassSolution
from formulations.classification.meta.two_level import stratified_folds
from formulations.estimators.classifiers.base import PairwiseClassifier
from formulations.modelling.batch import Part, train
from formulations.prediction import Sigmoids
from formulations.prediction.decisions import probabilities
from qpkernels.arrays import check_flag
from qpkernels.errors import QPKernelsError

__all__ = ["CalibratedClassifier"]

_FOLDS = 5

_SEEDS = 2**31


def _calibrates(classifier: Any) -> bool:
    if not classifier.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


def _machines(model: TwoClassModel | OneVersusOne) -> list[tuple[TwoClassModel, NDArray[Any]]]:
    """Return each machine of two classes, with the label of each of its samples."""
    if isinstance(model, OneVersusOne):
        return [(model.model(pair), model.y[model.rows(pair)]) for pair in model.pairs()]
    return [(model, model.classes[(model.y > 0).astype(np.intp)])]


@dataclass(kw_only=True, eq=False, repr=False)
class CalibratedClassifier(PairwiseClassifier):
    """A sigmoid for each machine (C5), fitted to decision values of samples that were held out of its training.

    Probabilities need not agree with ``predict``, which goes by the decision values. ``solution_`` has the sigmoids,
    and so has the file that ``solution_.save`` writes.
    """

    probability: bool = False
    random_state: Any = None

    if TYPE_CHECKING:
        calibrations_: list[Calibration] = field(init=False)

    def _calibrate(self) -> None:
        """Fit a sigmoid for each machine, with probability=True."""
        if check_flag(self.probability, "probability"):
            seed = int(check_random_state(self.random_state).randint(_SEEDS))
            self.calibrations_ = [self._calibration(*machine, seed) for machine in _machines(self.model_)]
            self.solution_ = replace(self.solution_, sigmoids=self._sigmoids())

    def _sigmoids(self) -> Sigmoids:
        """Return those of the functions of the solution, which are not scaled."""
        several = isinstance(self.solution_, MulticlassSolution)
        scales = [self._scale(each) for each in (self.solution_.solutions if several else [self.solution_])]
        slopes = [scale * each.A for scale, each in zip(scales, self.calibrations_, strict=True)]
        return Sigmoids(np.array(slopes), np.array([each.B for each in self.calibrations_]))

    def _calibration(self, model: TwoClassModel, labels: NDArray[Any], seed: int) -> Calibration:
        """Fit a sigmoid to the decision values of five folds, each by the machine of the others."""
        number = stratified_folds(labels, min(_FOLDS, len(model)), seed, "set probability=False")
        split = [(np.flatnonzero(number != fold), np.flatnonzero(number == fold)) for fold in np.unique(number)]
        parts = [Part(model.on(rows), rows, None, held_out) for rows, held_out in split]
        scores = np.empty(len(model))
        answers = train(model.gram, parts, tol=self.tol, solver=self.solver, n_jobs=self.n_jobs)
        for part, answer in zip(parts, answers, strict=True):
            if isinstance(answer, QPKernelsError):
                raise answer
            assert answer.held_out is not None
            scores[part.held_out] = self._scale(answer.solution) * answer.held_out
        return PlattCalibration(scores, labels, targets="platt").solve()

    @available_if(_calibrates)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n, classes); of several, those of all pairs are coupled."""
        values = self._values(X)
        if not hasattr(self, "calibrations_"):
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        if len(self._pairs) > 1:
            values = -values
        second = [each.probability(column) for each, column in zip(self.calibrations_, values.T, strict=True)]
        return probabilities(np.column_stack(second), self._pairs, self.classes_.size)

    @available_if(_calibrates)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))
