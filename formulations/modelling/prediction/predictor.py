# SPDX-License-Identifier: BSD-3-Clause
"""A machine for new samples: without its training samples, model and proof."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from formulations.modelling.prediction.decisions import Decision
from formulations.modelling.prediction.preparation import Preparation, to_spec
from formulations.modelling.prediction.sums import Functionals, terms_of
from qpkernels.arrays import FeatureNames, Matrix, Vector, check_feature_names, row_blocks, shown
from qpkernels.arrays.containers import by_blocks, is_dask
from qpkernels.arrays.files import npz_path, replacing
from qpkernels.display import Card, Carded, Fact, count, to_text
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.files import Scaling
from qpkernels.gram.functions import Expansions, StoredCenters
from qpkernels.kernels import Kernel

__all__ = ["FORMAT", "PREPARED", "PREPARED_ARRAY", "SUMMED", "VERSION", "Answering", "Posterior", "Predictor"]


FORMAT, VERSION, PREPARED, SUMMED = "qpkernels machine", 1, 2, 3
"""The entries of a file's header. Its version is 2 if samples are prepared by steps, and 3 for sums of functionals."""

PREPARED_ARRAY = "prepared_"
"""How the names of the arrays of these steps begin."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """Weights of the basis [1, k(x_1, .), ..., k(x_n, .)] with the covariance root'root.

    Attributes
    ----------
    root
        Shape (r, n), or (r, n + 1) with the constant.
    constant
        Whether the constant is in the basis.
    noise
        Variance of the noise of a target; None for a classifier.
    """

    root: Matrix = field(repr=False)
    constant: bool
    noise: float | None

    def variance(self, mean: Expansions, X: ArrayLike) -> Vector:
        """Return noise + phi(x_i)' root'root phi(x_i), shape (len(X),).

        Parameters
        ----------
        mean
            The mean of the machine, which has the kernel and the centers of the basis functions k(x_j, .).
        X
            Samples as the kernel takes them.
        """
        samples = mean.kernel.samples(X)
        ones = int(self.constant)
        centers = mean.centers[: self.root.shape[1] - ones]
        variance = np.empty(samples.shape[0])
        for rows in row_blocks(variance.size, centers.shape[0] + 1):
            basis = mean.kernel(samples[rows], centers) if centers.shape[0] else np.empty((len(samples[rows]), 0))
            values = np.hstack([np.ones((len(basis), ones)), basis]) @ self.root.T
            variance[rows] = np.einsum("ij,ij->i", values, values)
        return variance if self.noise is None else self.noise + variance


class Answering:
    """An answer for new samples, with the methods of scikit-learn's estimators.

    A data frame must have the columns of the one that the machine was fitted to, in their order. If the kernel takes
    its columns by their names (``Columns``), these may be in any order and among others. Arrays have no names. For a
    Dask array the methods return a Dask array, whose blocks are computed where those of ``X`` are. All methods raise
    ShapeError, NonFiniteError or FeatureNamesError if the samples ``X`` are not like those of the fit.

    Notes
    -----
    Arguments of the methods:

    X
        Samples, one a row, with the features that the machine was trained on.
    y
        Their labels or targets.
    path
        The file to write to; an existing file is replaced.
    """

    @property
    @abstractmethod
    def predictor(self) -> Predictor:
        """The machine without its training samples: what :meth:`save` writes."""

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each sample, its target, or for a one-class model +1 for inliers and -1 for outliers."""
        predictor = self.predictor
        if is_dask(X):
            one = predictor.decision.predict(np.zeros((1, predictor.functions.intercepts.size)))
            return by_blocks(predictor.predict, X, None if one.ndim == 1 else one.shape[1], one.dtype)
        return predictor.decision.predict(predictor.values(X))

    def decision_function(self, X: ArrayLike) -> Vector | Matrix:
        """Return f(x) + b, shape (n,), above 0 for the greater label; for several machines, shape (n, machines).

        A machine of one class against the rest has positive values for that class. A machine of the classes j < k has
        positive values for k (in scikit-learn for j). They are in the order of ``pairs``.
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
            If the machine has no probabilities, because its values are not log-odds or there are no classes.
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
            If ``y`` is missing, or is not of that kind.
        """
        return self.predictor.decision.score(np.asarray(self.predict(X)), y)

    def save(self, path: str | Path) -> Path:
        """Write the machine to a .npz file, exactly and without pickle; ``formulations.load`` reads it.

        Returns
        -------
        Path
            The file, with its suffix.

        Raises
        ------
        ParameterError
            If the kernel contains something that a file cannot hold, such as a Python function.
        """
        return self.predictor.save(path)


@dataclass(frozen=True, eq=False, repr=False)
class Predictor(Answering, Carded):
    """Functions f_k(x) + b_k in the space of a kernel, and the rule by which their values become answers.

    Attributes
    ----------
    functions
        f_k + b_k, of one kernel and over the same centers, or sums of functions of several kernels and of derivatives.
    decision
        How their values become answers.
    posterior
        How sure a relevance machine is of its values; None for other machines.
    preprocessing
        The preprocessing of new samples, the same as for the samples of the fit; None: there is none.
    target
        The column of the training table that held the targets, which tables of new samples may have as well: its name,
        or its number from 1 where columns have no names. None: no such column is known.

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

    functions: Expansions | Functionals
    decision: Decision
    posterior: Posterior | None = None
    preprocessing: Scaling | Preparation | None = None
    target: str | int | None = None

    @classmethod
    def joined(cls, predictors: Sequence[Predictor], decision: Decision) -> Predictor:
        """Return machines of one function each, without preprocessing, as one machine of all their functions.

        Parameters
        ----------
        predictors
            The machines.
        decision
            How their values become answers.
        """
        if len(predictors) == 1:
            return cls(predictors[0].functions, decision)
        terms, unit = [], np.eye(len(predictors))
        for number, each in enumerate(predictors):
            terms += [replace(term, coefficients=term.coefficients * unit[number]) for term in terms_of(each.functions)]
        return cls(Functionals.of(terms, np.hstack([each.functions.intercepts for each in predictors])), decision)

    def __post_init__(self) -> None:
        given, taken = self.preprocessing, self.functions.sample_shape
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
        """Return what it predicts, for which samples, and with what kernel."""
        functions = self.functions.intercepts.size
        kernels = list(dict.fromkeys(f"{each!r}: k(x, z) = {to_text(each.formula())}" for each in self._kernels))
        facts = [
            Fact("functions", f"{functions}, each a sum of {count(self._size, 'kernel function')} and an intercept"),
            *(Fact("kernel", each) for each in kernels),
        ]
        if self.classes is not None:
            facts.append(Fact("classes", shown(self.classes.tolist())))
        if self.feature_names is not None:
            facts.append(Fact("features", shown(list(self.feature_names))))
        if self.preprocessing is not None:
            facts.append(Fact("preprocessing", type(self.preprocessing).__name__))
        return Card(type(self).__name__, facts=tuple(facts))

    def __repr__(self) -> str:
        functions = count(self.functions.intercepts.size, "function")
        kernels = " + ".join(dict.fromkeys(shown(each) for each in self._kernels))
        return f"<Predictor: {functions} of {count(self._size, 'sample')}, {kernels}>"

    @property
    def _kernels(self) -> list[Kernel]:
        known = self.functions
        return [known.kernel] if isinstance(known, Expansions) else [each.representers.kernel for each in known.terms]

    @property
    def _size(self) -> int:
        """The number of centers."""
        known = self.functions
        if isinstance(known, Expansions):
            return int(known.centers.shape[0])
        return sum(len(each.representers) for each in known.terms)

    @property
    def expansions(self) -> Expansions:
        """The functions as those of one kernel.

        Raises
        ------
        ParameterError
            If the functions are sums over several kernels, or contain derivatives.
        """
        if not isinstance(self.functions, Expansions):
            raise ParameterError(
                "the functions of this machine are sums over several kernels, or of derivatives, but functions of "
                "one kernel are needed here."
            )
        return self.functions

    @property
    def feature_names(self) -> FeatureNames:
        """The columns of the data frame that the machine was fitted to, in their order, or None."""
        known = self.preprocessing
        return known.names if isinstance(known, Preparation) else self.functions.feature_names

    @property
    def features(self) -> int:
        """Number of features of new samples, before any preprocessing."""
        known = self.preprocessing
        return self.functions.sample_shape[0] if known is None else known.features

    @property
    def classes(self) -> NDArray[Any] | None:
        """The labels in sorted order, or two labels beginning with that of negative values; None without classes."""
        return self.decision.classes

    def with_preprocessing(self, preprocessing: Scaling | Any) -> Predictor:
        """Return the machine for raw samples, if it was fitted to samples that went through a preprocessing.

        Parameters
        ----------
        preprocessing
            The preprocessing of the samples of the fit, which returns as many features as the functions take: a
            :class:`~qpkernels.files.Scaling`, or one of these from scikit-learn, fitted: a StandardScaler,
            MinMaxScaler, MaxAbsScaler, RobustScaler, OneHotEncoder, OrdinalEncoder, selector of features,
            ColumnTransformer of these, or the steps of a Pipeline before the machine, ``pipeline[:-1]``. Saved files
            hold their numbers.

        Raises
        ------
        ParameterError, ShapeError
            If the machine has a preprocessing already, or this one is of another kind or does not fit the features.
        sklearn.exceptions.NotFittedError
            If the preprocessing is not fitted.

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
            from formulations.modelling.prediction.transformers import preparation_of

            preprocessing = preparation_of(preprocessing)
        return replace(self, preprocessing=preprocessing)

    def values(self, X: ArrayLike) -> Matrix:
        """Return f_k(x_i) + b_k, shape (n, number of functions).

        Raises
        ------
        ShapeError, FeatureNamesError, NonFiniteError
            If the samples ``X`` are not like those of the fit.
        """
        return self.functions(self._prepared(X))

    def variance(self, X: ArrayLike) -> Vector:
        """Return the predictive variance of a relevance machine at each sample, shape (n,).

        Raises
        ------
        ParameterError
            If the machine is not a relevance machine.
        """
        if self.posterior is None:
            raise ParameterError("only relevance machines know the variance of their values, and this is not one.")
        return self.posterior.variance(self.expansions, self._prepared(X))

    def probabilities(self, X: ArrayLike) -> Matrix:
        r"""Return the probability of each class, shape (n, classes).

        With a posterior, they are averaged over it by MacKay's formula sigma(a / sqrt(1 + pi Var a / 8)).
        """
        values = self.values(X)
        if self.posterior is not None:
            values = values / np.sqrt(1.0 + np.pi / 8.0 * self.variance(X))[:, None]
        return self.decision.probabilities(values)

    def save(self, path: str | Path) -> Path:
        """Write the machine to a .npz file; see :meth:`Answering.save`.

        The archive holds the kernel and the centers of :class:`~qpkernels.gram.functions.StoredCenters`, the
        coefficients and intercepts of the functions, and a ``header`` in JSON, which names the format, its version, and
        the kind of the decision. Nothing in it is executed.
        """
        functions, target = self.functions, npz_path(path)
        header: dict[str, Any] = {"format": FORMAT, "version": VERSION, "decision": type(self.decision).__name__}
        contents = functions.to_arrays() if isinstance(functions, Functionals) else _stored(functions)
        entries, arrays = self.decision.to_contents()
        header, contents = header | entries, contents | arrays
        if self.target is not None:
            header["target"] = self.target
        if self.posterior is not None:
            header |= {"constant": self.posterior.constant, "noise": self.posterior.noise}
            contents["root"] = self.posterior.root
        scaling = self.preprocessing
        if isinstance(scaling, Preparation):
            own: list[Any] = []
            # Who knows only the first version would predict as if there were none.
            header |= {"version": PREPARED, "preparation": to_spec(scaling, own)}
            contents |= {f"{PREPARED_ARRAY}{k}": array for k, array in enumerate(own)}
        elif scaling is not None:
            header |= {"lower": scaling.lower, "upper": scaling.upper}
            contents |= {"low": scaling.low, "high": scaling.high}
        if isinstance(functions, Functionals):
            header["version"] = SUMMED
        with replacing(target) as file:
            np.savez_compressed(file, header=np.array(json.dumps(header)), **contents)
        return target

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


def _stored(functions: Expansions) -> dict[str, Any]:
    """Return what a file holds of functions of one kernel."""
    contents = StoredCenters(functions.kernel, functions.centers, functions.feature_names).to_arrays()
    coefficients = functions.coefficients
    if isinstance(coefficients, csr_array):
        contents |= {"places": coefficients.indices, "starts": coefficients.indptr}
        contents["coefficients"] = coefficients.data
    else:
        contents["coefficients"] = coefficients
    contents["intercepts"] = functions.intercepts
    return contents
