# SPDX-License-Identifier: BSD-3-Clause
"""What every answer can be asked of new samples, by the same words."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import Matrix, Vector, by_blocks, is_dask

if TYPE_CHECKING:
    from formulations.prediction.predictor import Predictor

__all__ = ["Answering"]


class Answering:
    """An answer that knows new samples: the methods are those of scikit-learn's estimators.

    A data frame must have the columns of the one that the machine was fitted to, in their order, or if the kernel takes
    its columns by their names (``Columns``) those, in any order and among others; arrays have no names. Of an array of
    Dask, they return one, whose blocks are computed where those of ``X`` are.
    All methods raise ShapeError, NonFiniteError or FeatureNamesError if ``X`` are no samples such as those of the fit.

    Notes
    -----
    Arguments of the methods:

    X
        Samples, one a row, with the features that the machine was trained on.
    y
        Their labels or targets.
    path
        Where to; a file that is there is replaced.
    """

    @property
    @abstractmethod
    def predictor(self) -> Predictor:
        """The machine without its training samples: what :meth:`save` writes."""

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each sample, its target, or of a one-class model +1 for inliers and -1 for outliers."""
        predictor = self.predictor
        if is_dask(X):
            one = predictor.decision.predict(np.zeros((1, predictor.functions.intercepts.size)))
            return by_blocks(predictor.predict, X, None, one.dtype)
        return predictor.decision.predict(predictor.values(X))

    def decision_function(self, X: ArrayLike) -> Vector | Matrix:
        """Return f(x) + b, shape (n,), above 0 for the greater label; of several machines, shape (n, machines).

        A machine of one class against the rest has positive values for that class, one of the classes j < k for k (in
        scikit-learn for j), in the order of ``pairs``.
        """
        predictor = self.predictor
        if is_dask(X):
            functions = predictor.functions.intercepts.size
            return by_blocks(predictor.decision_function, X, None if functions == 1 else functions, np.float64)
        values = predictor.values(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict_proba(self, X: ArrayLike) -> Matrix:
        """Return the probability of each class in the order of ``predictor.classes``, shape (n, classes).

        Raises
        ------
        ParameterError
            If the machine has none: its values are no log-odds, or there are no classes.
        """
        predictor = self.predictor
        if is_dask(X) and predictor.classes is not None:
            return by_blocks(predictor.predict_proba, X, predictor.classes.size, np.float64)
        return predictor.probabilities(X)

    def score(self, X: ArrayLike, y: ArrayLike | None = None) -> float:
        """Return the accuracy of labels, R^2 of targets, or the share of inliers of a one-class model.

        Raises
        ------
        ParameterError, LabelError
            If ``y`` is missing, or is none of that kind.
        """
        return self.predictor.decision.score(np.asarray(self.predict(X)), y)

    def save(self, path: str | Path) -> Path:
        """Write the machine to a .npz file, without pickle and every number exact; ``formulations.load`` reads it.

        Returns
        -------
        Path
            The file, with its suffix.

        Raises
        ------
        ParameterError
            If the kernel holds what a file cannot, such as a Python function.
        """
        return self.predictor.save(path)
