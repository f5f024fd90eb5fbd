# SPDX-License-Identifier: BSD-3-Clause
"""The fits of a search, which share the steps of pipelines, kernel values, and answers to start from."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import product
from numbers import Number, Real
from traceback import format_exception
from typing import Any, TypeAlias

import numpy as np
from joblib.logger import short_format_time
from scipy.sparse import issparse, vstack
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, clone
from sklearn.metrics import accuracy_score
from sklearn.metrics._scorer import _BaseScorer, _MultimetricScorer, _PassthroughScorer
from sklearn.model_selection._validation import _check_method_params, _score
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _num_samples

from formulations.estimators.kernel_machine import MachineEstimator, Training, UncertifiedWarning
from formulations.estimators.parameters import OfKernel, Space
from formulations.modelling.machines import MachineAnswers, Machines, train_machines
from formulations.models.classification.meta.multiclass import OneVersusOne
from qpkernels.arrays import Indices, Matrix
from qpkernels.arrays.log import report
from qpkernels.errors import QPKernelsError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel, Precomputed

__all__ = ["SharedFits", "final_step"]


_ONE, _ZERO = np.ones(1), np.zeros(1)
"""The factor and the summand that turn known values into others."""


class CannotShareError(Exception):
    """A fit is left to scikit-learn."""


Place: TypeAlias = tuple[int, int]
"""Numbers of a candidate and of a split."""


def final_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, or the estimator itself."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) and estimator.steps else estimator


def _shares(estimator: Any) -> bool:
    """Return whether the fits of an estimator can share kernel values, and are known to be no others than ours."""
    machine = final_step(estimator)
    return (
        type(estimator) in (Pipeline, type(machine))
        and isinstance(machine, MachineEstimator)
        and type(machine).__module__.startswith("formulations.")
        and isinstance(machine.kernel, Kernel | str)
        and not (isinstance(estimator, Pipeline) and machine.kernel == "precomputed")
        and machine.rank is None
        and machine.indefinite == "refuse"
        and getattr(machine, "probability", False) is False
        and machine.verbose in (False, 0)
    )


@dataclass(frozen=True, eq=False)
class _Ground:
    """The samples of a split, as the last step of an estimator takes them.

    Attributes
    ----------
    train, wanted
        Their numbers: of those that are trained on, and of those at which values are wanted.
    trained, scored
        Those trained on, and those with a score (held out; trained on, where these have one), with their targets.
    fit_params
        What ``fit`` takes beside them.
    steps
        The fitted steps before the last one.
    whole
        These samples, and perhaps those of other splits.
    """

    train: Indices
    wanted: Indices
    trained: tuple[Any, Any]
    scored: Sequence[tuple[Any, Any]]
    fit_params: Mapping[str, Any]
    steps: Sequence[tuple[str, Any]]
    whole: _Whole


@dataclass(frozen=True, eq=False)
class _Whole:
    """Samples of which kernel matrices are made, each once."""

    X: Any
    grams: list[tuple[Kernel | None, Gram]] = field(default_factory=list)

    def gram(self, space: Space, machine: MachineEstimator) -> Gram:
        """Return the matrix of all samples, of the kernel of a space of some of them."""
        kernel = space.kernel if isinstance(space, OfKernel) else None
        for known, gram in self.grams:
            if known == kernel:
                return gram
        try:
            X = copy(machine)._samples(self.X, reset=True)
            made = Gram(Precomputed(X), np.arange(len(X))) if kernel is None else Gram(kernel, X)
        except (TypeError, ValueError) as error:
            # There may be splits without what is wrong.
            raise CannotShareError from error
        self.grams.append((kernel, made))
        return made


@dataclass(frozen=True, eq=False)
class _Within:
    """The space of some samples, whose kernel values are those of a larger matrix."""

    own: Space
    whole: Gram
    rows: Indices

    def gram(self, rows: Indices | None, indefinite: Any) -> Gram:
        del indefinite
        return self.whole.part(self.rows if rows is None else self.rows[rows])

    def functions(self, rows: Indices, coefficients: Any) -> Any:
        return self.own.functions(rows, coefficients)

    def others(self, functions: Sequence[Any]) -> Any:
        return self.own.others(functions)


@dataclass(frozen=True, eq=False)
class _Begun:
    """A fit that is stated, and not solved."""

    place: Place
    ground: _Ground
    machine: Any
    limits: Mapping[str, Any]
    training: Training
    whole: Gram
    machines: Machines
    seconds: float


@dataclass(frozen=True, eq=False)
class _Known:
    """Functions at samples where their values are known."""

    values: Matrix

    def __call__(self, X: Any) -> Matrix:
        """Return the values."""
        del X
        return self.values


@dataclass(kw_only=True, eq=False)
class SharedFits:
    """The fits of a search, as far as they can share; the arguments are those of scikit-learn's ``_fit_and_score``."""

    candidates: Sequence[Mapping[str, Any]]
    estimators: Sequence[Any]
    X: Any
    y: Any
    splits: Sequence[tuple[Any, Any]]
    n_jobs: int
    scorer: Any
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]
    return_train_score: bool
    error_score: Any
    verbose: int

    def __post_init__(self) -> None:
        self._grounds: dict[Any, _Ground | Exception] = {}
        self._tracebacks: dict[Any, Any] = {}
        self._whole = _Whole(self.X)
        self._laid_out: dict[_Ground, OneVersusOne] = {}
        self._scored_with: dict[Place, Mapping[str, Any]] = {}

    def found(self) -> dict[Place, dict[str, Any]]:
        """Return what is known of each fit that can share, by the numbers of its candidate and its split."""
        estimators = self.estimators
        found: dict[Place, dict[str, Any]] = {}
        families: dict[str, list[int]] = {}
        for p in sorted(range(len(estimators)), key=lambda p: _cost(final_step(estimators[p]))):
            if _shares(estimators[p]):
                families.setdefault(_kernel_of(final_step(estimators[p])), []).append(p)
        for family in families.values():
            found |= self._of_family(family)
            for ground in self._grounds.values():
                if isinstance(ground, _Ground):
                    ground.whole.grams.clear()
        return found

    def _of_family(self, family: Sequence[int]) -> dict[Place, dict[str, Any]]:
        """Return what is known of the fits of candidates that have a kernel in common."""
        found: dict[Place, dict[str, Any]] = {}
        begun: dict[Any, list[_Begun]] = {}
        for p, k in product(family, range(len(self.splits))):
            at = time.perf_counter()
            try:
                fit = self._begin((p, k), at)
            except CannotShareError:
                continue
            except Exception as error:
                if self.error_score == "raise":
                    raise
                found[p, k] = self._failed(k, error, time.perf_counter() - at)
            else:
                begun.setdefault((id(fit.whole), id(fit.limits["solver"]), repr(fit.limits)), []).append(fit)
        for fits in begun.values():
            found |= self._solved(fits)
        return found

    def _solved(self, fits: Sequence[_Begun]) -> dict[Place, dict[str, Any]]:
        """Return what is known of fits on samples of one kernel matrix, with the same limits."""
        begun, limits = time.perf_counter(), dict(fits[0].limits)
        own = {name: limits.pop(name) for name in ("tol", "solver")}
        options = {name: value for name, value in limits.items() if value is not None}
        machines = [fit.machines for fit in fits]
        solved = train_machines(fits[0].whole, machines, options=options, n_jobs=self.n_jobs, **own)
        share = (time.perf_counter() - begun) / len(fits)
        return {
            fit.place: self._end(fit, answers, fit.seconds + share) for fit, answers in zip(fits, solved, strict=True)
        }

    def _begin(self, place: Place, at: float) -> _Begun:
        """State a fit."""
        ground, machine = self._ground(place), copy(final_step(self.estimators[place[0]]))
        limits = machine._limits()

        def share(own: Space) -> Space:
            return _Within(own, ground.whole.gram(own, machine), ground.train)

        X, y = ground.trained
        unknown = ground.fit_params.keys() - {"sample_weight"}
        if unknown:
            raise TypeError(f"{type(machine).__name__}.fit() got an unexpected keyword argument {unknown.pop()!r}")
        training = machine._state(X, y, ground.fit_params.get("sample_weight"), share)
        assert isinstance(training.space, _Within)
        whole = training.space.whole
        rows, wanted = ground.train[training.rows], ground.wanted
        if isinstance(machine.model_, OneVersusOne):
            machine.model_.laid_out_like(self._laid_out.setdefault(ground, machine.model_))
        machines = Machines.of(machine.model_, rows, wanted)
        return _Begun(place, ground, machine, limits, training, whole, machines, time.perf_counter() - at)

    def _ground(self, place: Place) -> _Ground:
        """Return the samples of a split after the steps before the last one, which are fitted once for each setting."""
        (p, k), estimator = place, self.estimators[place[0]]
        machine = final_step(estimator)
        key: tuple[Any, ...] = (k, machine.kernel == "precomputed")
        if isinstance(estimator, Pipeline):
            last = estimator.steps[-1][0]
            key += tuple(
                (name, value if isinstance(value, str | Number) else id(value))
                for name, value in sorted(self.candidates[p].items())
                if name != last and not name.startswith(f"{last}__")
            )
        if key not in self._grounds:
            try:
                self._grounds[key] = self._made(k, estimator)
            except Exception as error:
                self._grounds[key], self._tracebacks[key] = error, error.__traceback__
        ground = self._grounds[key]
        if isinstance(ground, Exception):
            # As it was the first time.
            raise ground.with_traceback(self._tracebacks[key])
        return ground

    def _made(self, k: int, estimator: Any) -> _Ground:
        train, test = self.splits[k]
        X, y = _safe_split(estimator, self.X, self.y, train)
        others, targets = _safe_split(estimator, self.X, self.y, test, train)
        fit_params = _check_method_params(self.X, params=self.fit_params, indices=train)
        if not (isinstance(estimator, Pipeline) and len(estimator.steps) > 1):
            numbers = np.arange(_num_samples(self.X))
            sets = [(test, (others, targets)), (train, (X, y))][: 2 if self.return_train_score else 1]
            wanted = np.concatenate([numbers[rows] for rows, _ in sets])
            return _Ground(numbers[train], wanted, (X, y), [each for _, each in sets], fit_params, (), self._whole)
        fitted = clone(estimator)
        last = _Last(estimator.steps[-1][1])
        fitted.steps[-1] = (estimator.steps[-1][0], last)
        fitted.fit(X, **fit_params) if y is None else fitted.fit(X, y, **fit_params)
        before = fitted[:-1]
        scored = [(before.transform(others), targets)]
        if self.return_train_score:
            # Not always what ``fit_transform`` returned.
            scored.append((before.transform(X), y))
        blocks = [last.X, *(each for each, _ in scored)]
        numbers, size = np.arange(sum(map(_num_samples, blocks))), _num_samples(last.X)
        whole = _Whole(_stacked(blocks))
        return _Ground(numbers[:size], numbers[size:], (last.X, last.y), scored, last.fit_params, before.steps, whole)

    def _end(self, fit: _Begun, answers: MachineAnswers, seconds: float) -> dict[str, Any]:
        """Score a fit that is solved."""
        machine, (p, k) = fit.machine, fit.place
        plain = _asks_values(self.scorer) and not isinstance(machine, OutlierMixin)
        if not (plain and answers.proved):
            try:
                trained = answers.make()
                if not isinstance(machine.model_, OneVersusOne) and isinstance(trained[0], QPKernelsError):
                    raise trained[0]
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UncertifiedWarning)
                    machine._finish(fit.training, trained)
            except Exception as error:
                if self.error_score == "raise":
                    raise
                return self._failed(k, error, seconds)
        begun = time.perf_counter()
        sets = list(zip(("test_scores", "train_scores"), fit.ground.scored, (1, 0), strict=False))
        found: dict[str, Any] = {}
        if _asks_values(self.scorer):
            assert answers.values is not None
            values = machine._machine_values(answers.values, answers.make)
            ends = np.cumsum([0, *(_num_samples(X) for X, _ in fit.ground.scored)])
            for number, (name, (X, y), part) in enumerate(sets):
                functions = _Known(values[ends[number] : ends[number + 1]])
                vars(machine).update(certificate_=None, _functions=functions, _scales=_ONE, intercept_=_ZERO)
                found[name] = self._score(machine, X, y, k, part)
        else:
            whole = _with_steps(self.estimators[p], fit.ground.steps, machine)
            for name, _, part in sets:
                rows = self.splits[k][part]
                X, y = _safe_split(whole, self.X, self.y, rows, self.splits[k][0])
                found[name] = self._score(whole, X, y, k, part)
        spent = time.perf_counter() - begun
        self._tell(fit.place, found, seconds + spent)
        proof = {"relative_gap": answers.relative_gap, "proved": answers.proved}
        return found | self._common(k, seconds, spent, None) | proof

    def _tell(self, place: Place, scores: Mapping[str, Any], seconds: float) -> None:
        """Tell what is known of a fit, in the words of scikit-learn."""
        if self.verbose < 2:
            return
        p, k = place
        begin = f"[CV{f' {k + 1}/{len(self.splits)}' if self.verbose > 2 else ''}] END "
        end = ", ".join(f"{name}={value}" for name, value in sorted(self.candidates[p].items())) + ";"
        test, train = scores["test_scores"], scores.get("train_scores")
        if self.verbose > 2 and isinstance(test, dict):
            trained = {name: "" if train is None else f"train={train[name]:.3f}, " for name in test}
            end += "".join(f" {name}: ({trained[name]}test={test[name]:.3f})" for name in sorted(test))
        elif self.verbose > 2:
            end += f", score={test:.3f}" if train is None else f", score=(train={train:.3f}, test={test:.3f})"
        end += f" total time={short_format_time(seconds)}"
        report(begin + end.rjust(80 - len(begin), "."))

    def _score(self, estimator: Any, X: Any, y: Any, k: int, part: int) -> Any:
        key = (k, part)
        if key not in self._scored_with:
            rows = self.splits[k][part]
            self._scored_with[key] = _check_method_params(self.X, params=self.score_params, indices=rows)
        params = self._scored_with[key]
        if _is_accuracy(self.scorer, estimator) and not params and _num_samples(X):
            # scikit-learn's own looks at the labels of every fit anew, which takes longer than many a fit.
            return float(np.average(estimator.predict(X) == np.asarray(y)))
        return _score(estimator, X, y, self.scorer, params, self.error_score)

    def _failed(self, k: int, error: Exception, seconds: float) -> dict[str, Any]:
        """Return what is known of a fit without an answer."""
        scores = self.error_score
        if isinstance(self.scorer, _MultimetricScorer):
            scores = dict.fromkeys(self.scorer._scorers, scores)
        names = ("test_scores", "train_scores") if self.return_train_score else ("test_scores",)
        common = self._common(k, seconds, 0.0, "".join(format_exception(error)))
        return {name: copy(scores) for name in names} | common | {"relative_gap": np.nan, "proved": False}

    def _common(self, k: int, fit_time: float, score_time: float, error: str | None) -> dict[str, Any]:
        size = np.arange(_num_samples(self.X))[self.splits[k][1]].size
        return {"n_test_samples": size, "fit_time": fit_time, "score_time": score_time, "fit_error": error}


class _Last(BaseEstimator):
    """A last step that keeps what it is given."""

    def __init__(self, machine: Any) -> None:
        self.machine = machine
        if "_metadata_request" in vars(machine):
            self._metadata_request = machine._metadata_request

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **others: Any) -> _Last:
        self.X, self.y = X, y
        self.fit_params = others if sample_weight is None else {**others, "sample_weight": sample_weight}
        return self


def _stacked(blocks: Sequence[Any]) -> Any:
    """Return blocks of samples as one."""
    if all(issparse(block) for block in blocks):
        return vstack(blocks, format="csr")
    if all(type(block) is np.ndarray for block in blocks):
        return np.concatenate(blocks)
    if all(hasattr(block, "iloc") for block in blocks):
        import pandas as pd

        return pd.concat(blocks)
    raise CannotShareError


def _with_steps(estimator: Any, steps: Sequence[tuple[str, Any]], machine: Any) -> Any:
    """Return the fitted estimator whose last step is a machine."""
    if not isinstance(estimator, Pipeline):
        return machine
    whole = copy(estimator)
    whole.steps = [*steps, (estimator.steps[-1][0], machine)]
    return whole


def _asks_values(scorer: Any) -> bool:
    """Return whether a scorer asks an estimator for predictions and decision values alone: so do scikit-learn's own."""
    if isinstance(scorer, _MultimetricScorer):
        return all(_asks_values(each) for each in scorer._scorers.values())
    return isinstance(scorer, _BaseScorer | _PassthroughScorer)


def _is_accuracy(scorer: Any, estimator: Any) -> bool:
    """Return whether a score is the share of samples whose label is predicted."""
    if isinstance(scorer, _PassthroughScorer):
        return isinstance(estimator, MachineEstimator) and type(estimator).score is ClassifierMixin.score
    return (
        isinstance(scorer, _BaseScorer)
        and (scorer._score_func, scorer._sign, scorer._kwargs) == (accuracy_score, 1, {})
        and isinstance(estimator, MachineEstimator)
    )


def _cost(machine: Any) -> float:
    """Return what fits are ordered by, so that each starts well from the one before."""
    C = getattr(machine, "C", 0.0)
    return float(C) if isinstance(C, Real) else 0.0


def _kernel_of(machine: MachineEstimator) -> str:
    """Return what fits that may have a kernel in common have in common."""
    return repr((machine.kernel, machine.gamma, machine.degree, machine.coef0))
