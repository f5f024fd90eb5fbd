# SPDX-License-Identifier: BSD-3-Clause
"""Estimators of what has an order: ordinal classes, rankings, and survival times that may be censored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import _num_samples, check_consistent_length, column_or_1d

from formulations.estimators.parameters import check_labels, check_targets
from formulations.estimators.stated import FunctionEstimator
from formulations.modelling.prediction import Predictor
from formulations.modelling.prediction.decisions import Ordered
from qpkernels.arrays import Vector, check_choice, check_positive, shown
from qpkernels.errors import LabelError, OneClassError, ParameterError

if TYPE_CHECKING:
    from formulations.language import Machine

__all__ = ["OrdinalSVC", "RankingSVM", "SurvivalSVR"]


@dataclass(kw_only=True, eq=False, repr=False)
class CostedEstimator(FunctionEstimator):
    """An estimator of one function, whose losses have one cost.

    Parameters
    ----------
    C
        Above 0: what a loss of 1 costs.
    """

    C: float = 1.0

    def _fit_statement(self, X: Any, state: Callable[[Any, Any, Any], tuple[Machine, Any]]) -> None:
        """Solve the problem that ``state`` makes of f, b and the samples as the kernel takes them."""
        kernel, samples = self._kernel_of(X)
        solved = self._solved(kernel, lambda f, b: state(f, b, samples))
        self.predictor_ = solved[2]
        self._keep([solved])


@dataclass(kw_only=True, eq=False, repr=False)
class OrdinalSVC(ClassifierMixin, CostedEstimator):
    r"""Classes in an order: one function f, and ascending thresholds between neighbouring classes.

    .. math::

       \min_{f, c}\ \tfrac12 \|f\|^2 + C \sum_k \sum_{i \in I_k} \max\bigl(0, 1 - z_{ik} (f(x_i) - c_k)\bigr)
       \quad\text{subject to}\quad c_1 \le \dots \le c_{K-1},

    where :math:`z_{ik} = 1` if the class of sample i is above threshold k, and -1 otherwise. The predicted class is the
    one with as many thresholds below it as there are below f(x).

    Parameters
    ----------
    order
        The samples :math:`I_k` that a threshold is about: "implicit" for all of them, so that an error costs more the
        more classes it passes; "explicit" for those of the two classes beside it.
    classes
        All labels, the lowest class first; None: the labels of y in sorted order.

    Attributes
    ----------
    model_, solution_, certificate_, predictor_
        The statement, its answer, the certificate, and the machine that predicts.
    classes_, thresholds_
        The K labels in their order, and the K - 1 ascending numbers between them.
    fit_status_, n_features_in_, feature_names_in_
        0 if the answer is proved; the features of the data.

    References
    ----------
    W. Chu and S. S. Keerthi, "Support vector ordinal regression", Neural Computation 19 (2007).

    Examples
    --------
    >>> from formulations.estimators import OrdinalSVC
    >>> X, y = [[0.0], [1.0], [3.0], [4.0], [6.0], [7.0]], ["poor", "poor", "fair", "fair", "good", "good"]
    >>> classifier = OrdinalSVC(kernel="linear", C=10.0, classes=["poor", "fair", "good"], tol=1e-6).fit(X, y)
    >>> print(classifier.certificate_.holds(1e-6), classifier.thresholds_.round(3))
    True [2. 5.]
    >>> print(classifier.predict([[0.5], [3.5], [9.0]]))
    ['poor' 'fair' 'good']
    """

    order: Literal["implicit", "explicit"] = "implicit"
    classes: ArrayLike | None = None

    if TYPE_CHECKING:
        classes_: NDArray[Any] = field(init=False)
        thresholds_: Vector = field(init=False)

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]
        """State and solve the problem, and prove how good the answer is."""
        import formulations.modelling.cvx as cp
        from formulations.language import Machine

        C, order = check_positive(self.C, "C"), check_choice(self.order, "order", ("implicit", "explicit"))
        X, y = self._samples(X, y, reset=True)
        self.classes_, grade = self._grades(column_or_1d(y, warn=True))
        c = cp.Variable(self.classes_.size - 1, name="c")

        def state(f: Any, b: Any, samples: Any) -> tuple[Machine, Any]:
            del b
            values, losses = f(samples), []
            for k in range(c.size):
                rows = np.flatnonzero((order == "implicit") | (grade == k) | (grade == k + 1))
                above = np.where(grade[rows] > k, 1.0, -1.0)
                losses.append(cp.sum(cp.pos(1 - cp.multiply(above, values[rows] - c[k]))))
            ascending = [c[k] <= c[k + 1] for k in range(c.size - 1)]
            return Machine(cp.Minimize(0.5 * f.squared_norm + C * sum(losses)), ascending), f

        self._fit_statement(X, state)
        # Equal thresholds may be out of order by the tolerance of the constraints.
        self.thresholds_ = np.sort(np.asarray(c.value, dtype=float))
        self.predictor_ = Predictor.joined([self.predictor_], Ordered(self.classes_, self.thresholds_))
        return self

    def _grades(self, labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Return the classes in their order, and the number of the class of each sample."""
        check_labels(labels)
        found, codes = np.unique(labels, return_inverse=True)
        if found.size < 2:
            raise OneClassError(
                f"The number of classes has to be greater than one; got {found.size} class: every sample is of "
                f"{shown(found.tolist()[0])}."
            )
        if self.classes is None:
            return found, codes
        classes = np.asarray(self.classes)
        if classes.ndim != 1 or classes.size != found.size or set(classes.tolist()) != set(found.tolist()):
            raise LabelError(
                f"classes must name each label of y once, the lowest class first, but classes={shown(self.classes)} "
                f"came, and the labels of y are {shown(found.tolist())}."
            )
        place = {label: k for k, label in enumerate(classes.tolist())}
        return classes, np.array([place[label] for label in found.tolist()])[codes]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x), shape (n,), which is larger for higher classes; ``thresholds_`` divide them, and 0 does not."""
        return self._values(X)[:, 0]


@dataclass(kw_only=True, eq=False, repr=False)
class RankingSVM(RegressorMixin, CostedEstimator):
    r"""A function whose values have the order of y: it is larger by 1 at the better sample of each pair, or pays.

    .. math:: \min_f\ \tfrac12 \|f\|^2 + C \sum_{(i, j)} \max\bigl(0, 1 - (f(x_i) - f(x_j))\bigr)

    over all pairs of samples of one query with :math:`y_i > y_j`. Their number grows with the square of the samples of
    a query, and the time of a fit with that of the pairs.

    Attributes
    ----------
    model_, solution_, certificate_, predictor_
        The statement, its answer, the certificate, and the machine that predicts.
    fit_status_, n_features_in_, feature_names_in_
        0 if the answer is proved; the features of the data.

    References
    ----------
    T. Joachims, "Optimizing search engines using clickthrough data", Proceedings of the 8th ACM SIGKDD conference
    (2002).

    Examples
    --------
    >>> from formulations.estimators import RankingSVM
    >>> X, grades, queries = [[0.0], [1.0], [5.0], [7.0]], [1, 2, 1, 2], ["a", "a", "b", "b"]
    >>> ranker = RankingSVM(kernel="linear", C=10.0, tol=1e-6).fit(X, grades, qid=queries)
    >>> print(ranker.certificate_.holds(1e-6), ranker.predict([[2.0], [3.0]]).round(3))
    True [2. 3.]
    >>> ranker.score(X, grades, queries)
    1.0
    """

    def fit(self, X: Any, y: Any, qid: ArrayLike | None = None) -> Self:
        """State and solve the problem, and prove how good the answer is.

        Parameters
        ----------
        X
            Samples, shape (m, features).
        y
            How good each sample is for its query, shape (m,); larger is better.
        qid
            The query of each sample, shape (m,); samples of different queries are not compared. None: one query.
        """
        import formulations.modelling.cvx as cp
        from formulations.language import Machine

        C = check_positive(self.C, "C")
        check_targets(y)
        X, y = self._samples(X, y, reset=True)
        above = _above(y, qid)
        better = [above(i) for i in range(_num_samples(X))]
        i, j = np.concatenate(better), np.repeat(np.arange(len(better)), [each.size for each in better])
        if not i.size:
            raise _no_pairs(len(better))

        def state(f: Any, b: Any, samples: Any) -> tuple[Machine, Any]:
            del b
            values = f(samples)
            return Machine(cp.Minimize(0.5 * f.squared_norm + C * cp.sum(cp.pos(1 - (values[i] - values[j]))))), f

        self._fit_statement(X, state)
        return self

    def score(self, X: Any, y: Any, qid: ArrayLike | None = None) -> float:
        """Return the share of pairs of a query in the right order; a pair with equal values counts half.

        Parameters
        ----------
        X, y, qid
            As of :meth:`fit`.
        """
        check_targets(y)
        values = self.predict(X)
        check_consistent_length(values, y)
        return _in_order(values, _above(y, qid))


@dataclass(kw_only=True, eq=False, repr=False)
class SurvivalSVR(RegressorMixin, CostedEstimator):
    r"""A function near times that were seen, and not below times after which nobody looked (right-censored ones).

    .. math::

       \min_{f, b}\ \tfrac12 \|f\|^2 + C \sum_i \max(0, r_i) + C \sum_{i \text{ seen}} \max(0, -r_i),
       \qquad r_i = t_i - f(x_i) - b.

    Without censoring this is the median. For times over several orders of magnitude, pass their logarithms.

    Attributes
    ----------
    model_, solution_, certificate_, predictor_
        The statement, its answer, the certificate, and the machine that predicts.
    fit_status_, n_features_in_, feature_names_in_
        0 if the answer is proved; the features of the data.

    References
    ----------
    P. Shivaswamy, W. Chu and M. Jansche, "A support vector approach to censored targets", Proceedings of the 7th IEEE
    International Conference on Data Mining (2007). The score is that of F. E. Harrell et al., "Evaluating the yield of
    medical tests", JAMA 247 (1982).

    Examples
    --------
    >>> from formulations.estimators import SurvivalSVR
    >>> X, times, seen = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 2.0], [True, True, True, False]
    >>> regressor = SurvivalSVR(kernel="linear", C=10.0, tol=1e-6).fit(X, times, event=seen)
    >>> print(regressor.certificate_.holds(1e-6), regressor.predict([[4.0]]).round(3), regressor.score(X, times, seen))
    True [5.] 1.0
    """

    def fit(self, X: Any, y: Any, event: ArrayLike | None = None) -> Self:
        """State and solve the problem, and prove how good the answer is.

        Parameters
        ----------
        X
            Samples, shape (m, features).
        y
            The times, shape (m,); or a structured array of two fields, whether the event was seen and the time, as
            scikit-survival has them.
        event
            Whether the event was seen at this time, shape (m,); otherwise it came later. None: y says it, or all were
            seen.
        """
        import formulations.modelling.cvx as cp
        from formulations.language import Machine

        C = check_positive(self.C, "C")
        times, seen = _survival(y, event)
        X, times = self._samples(X, times, reset=True)
        t = column_or_1d(times, warn=True).astype(np.float64, copy=False)
        if not seen.any():
            raise ParameterError(
                "every time is censored, so that nothing bounds the predictions from above; at least one event must "
                "have been seen. True means seen."
            )

        def state(f: Any, b: Any, samples: Any) -> tuple[Machine, Any]:
            r = t - f(samples) - b
            loss = cp.sum(cp.pos(r)) + cp.sum(cp.multiply(seen.astype(float), cp.pos(-r)))
            return Machine(cp.Minimize(0.5 * f.squared_norm + C * loss)), lambda X: f(X) + b

        self._fit_statement(X, state)
        return self

    def score(self, X: Any, y: Any, event: ArrayLike | None = None) -> float:
        """Return Harrell's concordance index, the share of comparable pairs in the right order.

        A pair is comparable if the event of the one was seen before the last time of the other, or at the same time if
        the other is censored then; a pair with equal predictions counts half.

        Parameters
        ----------
        X, y, event
            As of :meth:`fit`.
        """
        times, seen = _survival(y, event)
        values = self.predict(X)
        check_consistent_length(values, times)
        t = column_or_1d(times, warn=True).astype(np.float64, copy=False)
        return _in_order(values, lambda i: np.flatnonzero(seen[i] & ((t > t[i]) | ((t == t[i]) & ~seen))))


def _above(y: Any, qid: ArrayLike | None) -> Callable[[int], NDArray[np.intp]]:
    """Return what says which samples are better than one of the same query."""
    targets = column_or_1d(y, warn=True)
    queries = np.zeros(targets.size, dtype=int)
    if qid is not None:
        queries = np.unique(column_or_1d(qid), return_inverse=True)[1]
        if queries.size != targets.size:
            raise ParameterError(
                f"qid must name a query for each of the {targets.size} samples, but {queries.size} came."
            )
    return lambda i: np.flatnonzero((targets > targets[i]) & (queries == queries[i]))


def _no_pairs(samples: int) -> ParameterError:
    return ParameterError(
        f"no pair has an order: among {samples} sample{'s' * (samples > 1)} there must be two of which one is better, "
        "in the same query, or lived longer than the time at which the event of the other was seen."
    )


def _in_order(values: Vector, above: Callable[[int], NDArray[np.intp]]) -> float:
    """Return the share of pairs, of a sample and one above it, whose values have this order; equal ones count half."""
    right, pairs = 0.0, 0
    for i, value in enumerate(values):
        others = values[above(i)]
        pairs += others.size
        right += float((others > value).sum() + 0.5 * (others == value).sum())
    if not pairs:
        raise _no_pairs(values.size)
    return right / pairs


def _survival(y: Any, event: ArrayLike | None) -> tuple[Any, NDArray[np.bool_]]:
    """Return the times, and whether the event was seen at each."""
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names is not None:
        if event is not None or len(names) != 2 or y.dtype[0].kind != "b" or y.dtype[1].kind not in "iuf":
            raise ParameterError(
                "a structured y has two fields, first whether the event was seen (bool), then the time (a number), and "
                f"no event beside it, but its fields are {y.dtype}{'' if event is None else ', and event came'}."
            )
        return np.asarray(y[names[1]]), np.asarray(y[names[0]])
    check_targets(y)
    if event is None or y is None:
        return y, np.ones(0 if y is None else _num_samples(y), dtype=bool)
    seen = column_or_1d(event)
    if seen.size != _num_samples(y) or not np.isin(seen, (False, True)).all():
        raise ParameterError(
            f"event must say True or False for each of the {_num_samples(y)} times, but {shown(event)} came."
        )
    return y, seen.astype(bool)
