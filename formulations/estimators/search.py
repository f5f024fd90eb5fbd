# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's searches for hyper-parameters, whose fits share kernel values and start from each other.

The candidates, scores, ranks, the choice and the refit come from scikit-learn's own classes. Only the fits differ:
those with one kernel share its values, whatever their costs, classes and folds, and along the cost each fit starts from
the one before. Estimators that cannot share are fitted as scikit-learn fits them.
"""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import _fit_context, clone, is_classifier
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.model_selection._search_successive_halving import HalvingGridSearchCV
from sklearn.model_selection._validation import (
    _check_method_params,
    _fit_and_score,
    _insert_error_scores,
    _warn_or_raise_about_fit_failures,
)
from sklearn.utils import indexable
from sklearn.utils.parallel import Parallel, delayed

from formulations.estimators.kernel_machine import UncertifiedWarning
from formulations.estimators.shared_fits import SharedFits, final_step
from qpkernels.arrays.log import report
from qpkernels.display import count

__all__ = ["KernelHalvingSearchCV", "KernelRandomizedSearchCV", "KernelSearchCV"]


class SharingSearch(BaseSearchCV):
    """A search of scikit-learn with other fits."""

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Fit and score every candidate on every split, and the best one on all samples.

        Parameters
        ----------
        X
            Samples, shape (m, features); with kernel="precomputed" their kernel values, shape (m, m).
        y
            Labels, or targets, shape (m,).
        **params
            As scikit-learn's searches take them: what the estimator's ``fit`` is given, such as ``sample_weight``, and
            ``groups`` for the splitter; with metadata routing, what was requested.

        Raises
        ------
        ValueError
            If no fit has a score, or there are no splits or no candidates; with error_score="raise" the error of the
            first fit that has no answer.
        """
        if getattr(self, "_skl_callbacks", None):
            # These are told of each fit as it happens.
            found: Self = super().fit(X, y, **params)
            return found
        scorers, metric = self._get_scorers()
        X, y = indexable(X, y)
        routed = self._get_routed_params_for_fit(_check_method_params(X, params=params))
        self._checked_cv_orig = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        if hasattr(self, "_check_input_parameters"):
            self._check_input_parameters(X=X, y=y, split_params=routed.splitter.split)
        self.n_splits_ = self._checked_cv_orig.get_n_splits(X, y, **routed.splitter.split)
        base = clone(self.estimator)
        settings = {
            "scorer": scorers,
            "fit_params": routed.estimator.fit,
            "score_params": routed.scorer.score,
            "return_train_score": self.return_train_score,
            "error_score": self.error_score,
            "verbose": self.verbose,
        }
        candidates: list[Mapping[str, Any]] = []
        fits: list[dict[str, Any]] = []
        others: dict[str, list[Any]] = defaultdict(list)
        results: dict[str, Any] = {}

        def evaluate(
            candidate_params: Iterable[Mapping[str, Any]], cv: Any = None, more_results: Any = None, **_: Any
        ) -> dict[str, Any]:
            nonlocal results
            chosen = list(candidate_params)
            splits = list((cv or self._checked_cv_orig).split(X, y, **routed.splitter.split))
            fits.extend(self._fits(base, chosen, splits, X, y, settings))
            candidates.extend(chosen)
            for name, values in (more_results or {}).items():
                others[name].extend(values)
            results = self._format_results(candidates, self.n_splits_, fits, others)
            return results

        # A release of scikit-learn that tells callbacks of tasks wants to tell nobody, too.
        told = hasattr(self, "_init_callback_context")
        self._run_search(evaluate, **({"callback_ctx": self._init_callback_context(max_subtasks=1)} if told else {}))
        _tell_of_unproved(fits)
        self._choose(fits, results, metric)
        self.scorer_ = getattr(scorers, "_scorers", scorers)
        self.cv_results_ = results
        if self.refit:
            self._refit(base, X, y, routed.estimator.fit)
        return self

    def _choose(self, fits: Sequence[Mapping[str, Any]], results: Mapping[str, Any], metric: Any) -> None:
        """Choose the best candidate, where one is asked for, or one score says."""
        first = fits[0]["test_scores"]
        self.multimetric_ = isinstance(first, dict)
        if callable(self.scoring) and self.multimetric_:
            self._check_refit_for_multimetric(first)
            metric = self.refit
        if self.refit or not self.multimetric_:
            self.best_index_ = self._select_best_index(self.refit, metric, results)
            if not callable(self.refit):
                self.best_score_ = results[f"mean_test_{metric}"][self.best_index_]
            self.best_params_ = results["params"][self.best_index_]

    def _refit(self, base: Any, X: Any, y: Any, fit_params: Mapping[str, Any]) -> None:
        begun = time.perf_counter()
        best = clone(base).set_params(**clone(self.best_params_, safe=False))
        self.best_estimator_ = best.fit(X, **fit_params) if y is None else best.fit(X, y, **fit_params)
        self.refit_time_ = time.perf_counter() - begun
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_

    def _fits(
        self,
        base: Any,
        candidates: Sequence[Mapping[str, Any]],
        splits: Sequence[tuple[Any, Any]],
        X: Any,
        y: Any,
        settings: Mapping[str, Any],
    ) -> list[dict[str, Any]]:
        """Return what scikit-learn knows of each fit, candidate by candidate, and its certificate."""
        total = len(candidates) * len(splits)
        if len(splits) != self.n_splits_:
            raise ValueError(
                f"cv.split and cv.get_n_splits return inconsistent results. Expected {self.n_splits_} splits, got "
                f"{len(splits)}"
            )
        if not total:
            raise ValueError("No fits were performed. Was the CV iterator empty? Were there no candidates?")
        if self.verbose > 0:
            report(f"Fitting {len(splits)} folds for each of {len(candidates)} candidates, totalling {total} fits")
        shared = SharedFits(
            candidates=candidates,
            estimators=[clone(base).set_params(**clone(candidate, safe=False)) for candidate in candidates],
            X=X,
            y=y,
            splits=splits,
            n_jobs=effective_n_jobs(self.n_jobs),
            **settings,
        )
        known = shared.found()
        places = [(p, k) for p in range(len(candidates)) for k in range(len(splits))]
        alone = [place for place in places if place not in known]
        if alone:
            made = Parallel(n_jobs=self.n_jobs, pre_dispatch=self.pre_dispatch)(
                delayed(_fit_alone)(
                    clone(base),
                    X,
                    y,
                    train=splits[k][0],
                    test=splits[k][1],
                    parameters=candidates[p],
                    split_progress=(k, len(splits)),
                    candidate_progress=(p, len(candidates)),
                    **settings,
                )
                for p, k in alone
            )
            known |= dict(zip(alone, made, strict=True))
        fits = [known[place] for place in places]
        _warn_or_raise_about_fit_failures(fits, self.error_score)
        if callable(self.scoring):
            _insert_error_scores(fits, self.error_score)
        return fits

    def _format_results(self, candidate_params: Any, n_splits: int, out: Any, more_results: Any = None) -> Any:
        """Return ``cv_results_``: scikit-learn's, and what is proved of the fits of estimators that prove something."""
        results = super()._format_results(candidate_params, n_splits, out, more_results)
        gaps = np.array([fit["relative_gap"] for fit in out]).reshape(-1, n_splits)
        if not np.isnan(gaps).all():
            results |= {f"split{k}_relative_gap": column for k, column in enumerate(gaps.T)}
            results["max_relative_gap"] = gaps.max(axis=1)
            results["proved"] = np.array([fit["proved"] is True for fit in out]).reshape(-1, n_splits).all(axis=1)
        return results


def _tell_of_unproved(fits: Sequence[Mapping[str, Any]]) -> None:
    unproved = sum(fit["proved"] is False and fit["fit_error"] is None for fit in fits)
    if unproved:
        warnings.warn(
            f"{unproved} of {count(len(fits), 'fit')} {'is' if unproved == 1 else 'are'} not proved to the tolerance "
            "asked for; proved and split*_relative_gap of cv_results_ say which. Raise max_iter, time_limit, or tol; "
            "with strict=True they count as failed.",
            UncertifiedWarning,
            stacklevel=4,
        )


def _fit_alone(*args: Any, **settings: Any) -> dict[str, Any]:
    """Fit and score as scikit-learn does, and tell what is proved."""
    found = _fit_and_score(*args, return_n_test_samples=True, return_times=True, return_estimator=True, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UncertifiedWarning)
        fitted = final_step(found.pop("estimator"))
    certificate = getattr(fitted, "certificate_", None) if found["fit_error"] is None else None
    proved = None if certificate is None else bool(fitted.fit_status_ == 0)
    return {**found, "relative_gap": np.nan if certificate is None else certificate.relative_gap, "proved": proved}


class KernelSearchCV(SharingSearch, GridSearchCV):
    """scikit-learn's GridSearchCV with shared fits: all combinations are cross-validated, and each fit is proved.

    Parameters
    ----------
    estimator
        An estimator of :mod:`formulations.estimators`, or a Pipeline that ends in one, whose other steps are fitted
        once for each split and each setting of these steps. Any other estimator works as well, but its fits share
        nothing. Nothing is shared either by LinearSVC, LinearSVR, KernelRidge and relevance machines, or with a kernel
        that is a function, ``rank``, ``probability=True`` or a matrix that must be corrected.
    param_grid
        Values by the names of parameters such as ``C``, ``kernel__gamma`` or ``svc__C``, or a list of such grids.
    scoring
        A scorer's name, a function (estimator, X, y) -> number or numbers by name, or several of these; None: the
        ``score`` of the estimator.
    n_jobs
        Number of threads for fits that share, and of workers for others; None: 1 unless joblib's configuration says
        otherwise, -1: one for each core.
    refit
        Whether the best estimator is fitted to all samples. With several scores it is the name of the score that
        decides, or a function of ``cv_results_`` that returns the number of the best candidate.
    cv
        Number of splits, a splitter, or pairs (train, test); None: 5.
    verbose
        Above 0: print the number of fits; above 1: also each fit with its time; above 2: also its score.
    pre_dispatch
        As in joblib, for fits that do not share.
    error_score
        The score of a fit without an answer, or "raise".
    return_train_score
        Whether the training samples are scored as well.

    Attributes
    ----------
    cv_results_
        scikit-learn's table, with the proofs in ``split0_relative_gap`` ..., ``max_relative_gap``, and ``proved``,
        whether all fits of the candidate are proved to the tolerance of the estimator.
    best_estimator_, best_params_, best_score_, best_index_
        The chosen candidate; ``best_estimator_.certificate_`` is its proof.
    scorer_, n_splits_, refit_time_, multimetric_, classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A fit returns what fitting the estimator by itself would return, up to its tolerance, since along the cost it starts
    from another point. The ``n_jobs`` of the estimator is not used. A step of a pipeline that draws at random draws
    once for each split. The time of fits that share is divided among them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from formulations.estimators import SVC, KernelSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = KernelSearchCV(SVC(), {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]}, cv=3).fit(X, y)
    >>> print(search.best_params_, f"{search.best_score_:.3f}", search.cv_results_["proved"].all())
    {'C': 10.0, 'gamma': 0.1} 0.973 True
    """


class KernelRandomizedSearchCV(SharingSearch, RandomizedSearchCV):
    """scikit-learn's RandomizedSearchCV with shared fits: random values are cross-validated, and each fit is proved.

    Fits share kernel values only if they have the same kernel, so draw costs at random, but list the parameters of the
    kernel.

    Parameters
    ----------
    estimator, scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score
        As in :class:`KernelSearchCV`.
    param_distributions
        By the names of parameters, lists of values, or objects with a method ``rvs`` that draws one; or a list of such
        dictionaries.
    n_iter
        Number of candidates that are drawn.
    random_state
        The seed.

    Attributes
    ----------
    cv_results_, best_estimator_, ...
        As in :class:`KernelSearchCV`.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.datasets import load_iris
    >>> from formulations.estimators import SVC, KernelRandomizedSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> drawn = {"C": loguniform(0.1, 100.0), "gamma": [0.01, 0.1]}
    >>> search = KernelRandomizedSearchCV(SVC(), drawn, n_iter=8, cv=3, random_state=0).fit(X, y)
    >>> print(len(search.cv_results_["params"]), search.cv_results_["proved"].all())
    8 True
    """


class KernelHalvingSearchCV(HalvingGridSearchCV, SharingSearch):
    """scikit-learn's HalvingGridSearchCV with shared fits, which searches by successive halving.

    All combinations are cross-validated on few samples, the best third on three times as many, and so on.

    Parameters
    ----------
    estimator, param_grid, scoring, n_jobs, refit, cv, verbose, error_score, return_train_score
        As in :class:`KernelSearchCV`.
    factor, resource, max_resources, min_resources, aggressive_elimination, random_state
        As in scikit-learn's HalvingGridSearchCV.

    Attributes
    ----------
    cv_results_, best_estimator_, ...
        As in :class:`KernelSearchCV`.
    n_resources_, n_candidates_, n_remaining_candidates_, n_iterations_, n_possible_iterations_, n_required_iterations_
        As in scikit-learn's HalvingGridSearchCV.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from formulations.estimators import SVC, KernelHalvingSearchCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> values = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [1e-6, 1e-5, 1e-4]}
    >>> search = KernelHalvingSearchCV(SVC(), values, cv=3, random_state=0).fit(X, y)
    >>> print(search.n_candidates_, search.n_resources_, search.cv_results_["proved"].all())
    [12, 4, 2] [63, 189, 567] True
    """
