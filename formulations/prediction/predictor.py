# SPDX-License-Identifier: BSD-3-Clause
"""A machine for new samples: without its training samples, model and proof."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formulations.prediction.answering import Answering
from formulations.prediction.decisions import Decision
from formulations.prediction.posterior import Posterior
from formulations.prediction.preparation import Preparation
from formulations.prediction.writing import write
from qpkernels.arrays import FeatureNames, Matrix, Vector, check_feature_names, shown
from qpkernels.datasets import Scaling
from qpkernels.display import Card, Carded, Fact, count, to_text
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.functions import Expansions

__all__ = ["Predictor"]


@dataclass(frozen=True, eq=False, repr=False)
class Predictor(Answering, Carded):
    """Functions f_k(x) + b_k of the space of a kernel, and how their values become answers.

    Attributes
    ----------
    functions
        f_k + b_k, of one kernel and over the same centers.
    decision
        How their values become answers.
    posterior
        Of a relevance machine: how sure it is of its values.
    preprocessing
        What new samples go through before they meet the functions, as those of the fit did; None: nothing.
    target
        The column of the table it was fitted to that held the targets, which tables of new samples may have as well:
        its name, or its number from 1 where columns have no names; None: nothing is known of one.

    Notes
    -----
    Arguments of the methods:

    X
        Samples, one a row, with the features that the machine was trained on.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]
    >>> predictor = SoftMargin(X, y, C=1.0).solve().predictor
    >>> print(predictor.predict([[0.5], [3.5]]), predictor.decision_function([[2.0]]).round(3))
    ['low' 'high'] [0.]
    """

    functions: Expansions
    decision: Decision
    posterior: Posterior | None = None
    preprocessing: Scaling | Preparation | None = None
    target: str | int | None = None

    def __post_init__(self) -> None:
        given, taken = self.preprocessing, self.functions.centers.shape[1:]
        if given is None:
            return
        width = given.features if isinstance(given, Scaling) else given.width
        if taken != (width,):
            raise ShapeError(
                f"the preprocessing is that of {width} features, but the functions are of "
                f"{', '.join(str(size) for size in taken) or 'samples without features'}."
            )

    @property
    def predictor(self) -> Predictor:
        """The predictor itself."""
        return self

    def card(self) -> Card:
        """Return what it predicts, of which samples, and by what kernel."""
        functions, samples = self.functions.intercepts.size, self.functions.centers.shape[0]
        kernel = self.functions.kernel
        facts = [
            Fact("functions", f"{functions}, each a sum of {count(samples, 'kernel function')} and an intercept"),
            Fact("kernel", f"{kernel!r}: k(x, z) = {to_text(kernel.formula())}"),
        ]
        if self.classes is not None:
            facts.append(Fact("classes", shown(self.classes.tolist())))
        if self.feature_names is not None:
            facts.append(Fact("features", shown(list(self.feature_names))))
        if self.preprocessing is not None:
            facts.append(Fact("preprocessing", type(self.preprocessing).__name__))
        return Card(type(self).__name__, facts=tuple(facts))

    def __repr__(self) -> str:
        known = self.functions
        functions, samples = count(known.intercepts.size, "function"), count(known.centers.shape[0], "sample")
        return f"<Predictor: {functions} of {samples}, {shown(known.kernel)}>"

    @property
    def feature_names(self) -> FeatureNames:
        """The columns of the data frame that the machine was fitted to, in their order; else None."""
        known = self.preprocessing
        return known.names if isinstance(known, Preparation) else self.functions.feature_names

    @property
    def features(self) -> int:
        """Number of features of new samples, as they are before any preprocessing."""
        known = self.preprocessing
        return int(self.functions.centers.shape[1]) if known is None else known.features

    @property
    def classes(self) -> NDArray[Any] | None:
        """The labels in sorted order, but of two that of negative values first; None where there are no classes."""
        return self.decision.classes

    def with_preprocessing(self, preprocessing: Scaling | Any) -> Predictor:
        """Return the machine for samples as they are, if it was fitted to such that went through a preprocessing.

        Parameters
        ----------
        preprocessing
            What the samples of the fit went through, which returns as many features as the functions take: a
            :class:`~qpkernels.datasets.Scaling`, or fitted, of scikit-learn, a StandardScaler, MinMaxScaler,
            MaxAbsScaler, RobustScaler, OneHotEncoder, OrdinalEncoder, selector of features, ColumnTransformer of these,
            or the steps of a Pipeline before the machine, ``pipeline[:-1]``. Files hold their numbers.

        Raises
        ------
        ParameterError, ShapeError
            If it has one already, or that is another, or of another number of features.
        sklearn.exceptions.NotFittedError
            If that is not fitted.

        Examples
        --------
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn.preprocessing import StandardScaler
        >>> from formulations.estimators import SVC
        >>> X, y = [[0.0], [10.0], [30.0], [40.0]], ["low", "low", "high", "high"]
        >>> pipeline = make_pipeline(StandardScaler(), SVC(C=1.0)).fit(X, y)
        >>> machine = pipeline[-1].solution_.predictor.with_preprocessing(pipeline[:-1])
        >>> print(machine.predict([[5.0], [35.0]]))
        ['low' 'high']
        """
        if self.preprocessing is not None:
            raise ParameterError("this machine has its preprocessing already; take the one that it was fitted with.")
        if not isinstance(preprocessing, Scaling | Preparation):
            # It loads scikit-learn.
            from formulations.prediction.transformers import preparation_of

            preprocessing = preparation_of(preprocessing)
        return replace(self, preprocessing=preprocessing)

    def values(self, X: ArrayLike) -> Matrix:
        """Return f_k(x_i) + b_k, shape (n, number of functions).

        Raises
        ------
        ShapeError, FeatureNamesError, NonFiniteError
            If ``X`` are no samples such as those of the fit.
        """
        return self.functions(self._prepared(X))

    def variance(self, X: ArrayLike) -> Vector:
        """Return the predictive variance at each sample, shape (n,), of a relevance machine.

        Raises
        ------
        ParameterError
            If the machine is none.
        """
        if self.posterior is None:
            raise ParameterError("only relevance machines know the variance of their values; this is none.")
        return self.posterior.variance(self.functions, self._prepared(X))

    def probabilities(self, X: ArrayLike) -> Matrix:
        r"""Return the probability of each class, shape (n, classes).

        With a posterior, they are averaged over it by MacKay's sigma(a / sqrt(1 + pi Var a / 8)).
        """
        values = self.values(X)
        if self.posterior is not None:
            values = values / np.sqrt(1.0 + np.pi / 8.0 * self.variance(X))[:, None]
        return self.decision.probabilities(values)

    def save(self, path: str | Path) -> Path:
        """Write the machine to a .npz file; see :meth:`Answering.save`."""
        return write(self, path)

    def _prepared(self, X: ArrayLike) -> ArrayLike:
        if self.preprocessing is None:
            return X
        if isinstance(self.preprocessing, Preparation):
            prepared: ArrayLike = self.preprocessing.transform(X)
            return prepared
        # It takes features by their places, and returns them without names.
        check_feature_names(X, self.feature_names)
        scaled: ArrayLike = self.preprocessing.transform(X)
        return scaled
