# SPDX-License-Identifier: BSD-3-Clause
"""The two-level machine: a machine of two classes, and a sigmoid of its scores that gives probabilities.

The sigmoid is fitted to scores of machines that did not see the sample. A machine puts its own samples farther from the
boundary than new ones, and a sigmoid fitted to such scores would be overconfident.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formulations.modelling import Model
from formulations.modelling.batch import Part, train
from formulations.modelling.inputs.samples import checked_labels, two_classes
from formulations.modelling.prediction import Labels, Predictor
from formulations.modelling.prediction.predictor import Answering
from formulations.models.classification.meta.calibration import Calibration, PlattCalibration, Targets
from qpkernels.arrays import (
    Indices,
    Samples,
    Vector,
    check_count,
    finite_samples,
    is_integer,
    is_sparse,
    read_array,
    shown,
    shown_label,
)
from qpkernels.arrays.checks import same_entries
from qpkernels.display import Card, Carded, Fact
from qpkernels.display.problem import TextbookLine
from qpkernels.errors import LabelError, ParameterError, QPKernelsError, ShapeError
from qpkernels.gram import Gram
from qpkernels.gram.functions import Expansion, Expansions

__all__ = ["StateModel", "TwoLevelMachine", "calibrate", "cross_validated_scores"]

_TOL = 1e-6
"""Tolerance of the machines that give the scores, as of any solve."""


class _Solved(Protocol):
    @property
    def function(self) -> Expansion: ...


class _Model(Protocol):
    def solve(self) -> _Solved: ...


StateModel: TypeAlias = Callable[[Any, Any], _Model]
"""Samples and labels -> a model of two classes whose solution has a ``function``; as SoftMargin itself is."""


@dataclass(frozen=True, eq=False, repr=False)
class TwoLevelMachine(Answering, Carded):
    """The function x -> the probability of the greater label.

    Attributes
    ----------
    solution
        What solving the model on all samples returned, with its own status and certificate.
    calibration
        The sigmoid of the scores, with its status and certificate.

    Examples
    --------
    >>> from formulations import SoftMargin, calibrate
    >>> X, y = [[k / 10] for k in range(20)], [0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1]
    >>> machine = calibrate(SoftMargin, X, y, folds=2)
    >>> print(machine.solution.status, machine.calibration.status, machine.probability([[0.0], [1.9]]).round(2))
    optimal optimal [0.18 0.84]
    """

    solution: Any
    calibration: Calibration

    @property
    def function(self) -> Expansion:
        """The scores: x -> f(x) + b."""
        function: Expansion = self.solution.function
        return function

    def card(self) -> Card:
        """Return the machine and the sigmoid over its scores."""
        return Card(
            type(self).__name__,
            (TextbookLine("", "P(y = 1 | x) = 1 / (1 + exp(-(A s + B)))"), TextbookLine("where", "s = f(x) + b")),
            (Fact("machine", repr(self.solution)), Fact("sigmoid", repr(self.calibration))),
            self.calibration.card().figure,
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.solution.formulation}, {self.calibration!r}>"

    @cached_property
    def predictor(self) -> Predictor:
        """The machine without its training samples, which predicts the label whose probability is above 1/2.

        This label can differ from the one by the sign of f(x) + b.
        """
        labels = Labels(self.calibration.classes, self.calibration.sigmoids, by_probability=True)
        return Predictor(Expansions.of([self.function]), labels)

    def probability(self, X: ArrayLike) -> Vector:
        """Return the probability of the greater label for each sample, the second column of ``predict_proba``.

        Parameters
        ----------
        X
            Samples, one a row.
        """
        return self.predict_proba(X)[:, 1]


def calibrate(
    state: StateModel,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    folds: int | None = 5,
    seed: int = 0,
    targets: Targets = "platt",
    **options: Any,
) -> TwoLevelMachine:
    """Train a machine on all samples, and a sigmoid on their scores by cross-validation.

    Parameters
    ----------
    state, X, y, folds, seed
        As in :func:`cross_validated_scores`. With ``folds=None`` the sigmoid is fitted to the machine's scores of its
        own samples, as in the textbook's plain form.
    targets
        As in :class:`~formulations.models.classification.meta.calibration.PlattCalibration`.
    **options
        Options of its ``solve``: ``solver``, ``tol`` and so on.

    Raises
    ------
    ParameterError, LabelError, ShapeError
        If the number of folds is not valid, or does not fit the samples.
    SeparableScoresError
        If the targets are plain and the scores separate the classes.

    Examples
    --------
    >>> from formulations import SoftMargin, calibrate
    >>> X, y = [[0.0], [1.0], [2.0], [2.5], [3.0], [4.0], [5.0], [6.0]], [-1, -1, -1, 1, -1, 1, 1, 1]
    >>> machine = calibrate(lambda X, y: SoftMargin(X, y, C=1.0), X, y, folds=2)
    >>> print(machine.calibration.status, machine.predict_proba([[0.0], [6.0]]).round(2).tolist())
    optimal [[0.91, 0.09], [0.09, 0.91]]
    """
    _check_callable(state)
    samples, labels = _samples(X, y)
    scores = None if folds is None else cross_validated_scores(state, samples, labels, folds, seed)
    solution = _stated(state, samples, labels).solve()
    if scores is None:
        scores = solution.function(samples)
    return TwoLevelMachine(solution, PlattCalibration(scores, labels, targets=targets).solve(**options))


def cross_validated_scores(state: StateModel, X: ArrayLike, y: ArrayLike, folds: int = 5, seed: int = 0) -> Vector:
    """Return f(x_i) + b of each sample, shape (m,), by a machine that was trained on the other folds.

    The folds are stratified: their sizes, and their numbers of samples of each class, differ by 1 at most. Models that
    take the samples unchanged and have the same kernel share its values in one batch.

    Parameters
    ----------
    state
        States a model on samples and labels: a class such as SoftMargin, or a function that adds the kernel and
        the hyper-parameters.
    X
        Samples, in an array whose first axis counts them, in a sparse matrix, or in a data frame.
    y
        Two different labels, shape (m,), each on two samples at least; they are passed to ``state`` unchanged.
    folds
        From 2 to m: the number of parts of the samples, each of which is left out of one training.
    seed
        The seed of the shuffle that assigns samples to folds.

    Raises
    ------
    ParameterError, LabelError, ShapeError
        If the number of folds is not valid, a class is too small, or X does not fit y.

    Examples
    --------
    >>> from formulations import SoftMargin, cross_validated_scores
    >>> X, y = [[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]], [-1, -1, -1, 1, 1, 1]
    >>> scores = cross_validated_scores(lambda X, y: SoftMargin(X, y, C=1.0), X, y, folds=3)
    >>> print((scores > 0).tolist())
    [False, False, False, True, True, True]
    """
    _check_callable(state)
    samples, labels = _samples(X, y)
    number = stratified_folds(labels, folds, seed, "use folds=None in calibrate")
    trained = [np.flatnonzero(number != fold) for fold in range(folds)]
    models = [_stated(state, _rows(samples, rows), labels[rows]) for rows in trained]
    scores = np.empty(labels.size)
    gram = _shared(models, samples, trained)
    if gram is None:
        for fold, model in enumerate(models):
            held = np.flatnonzero(number == fold)
            scores[held] = model.solve().function(_rows(samples, held))
        return scores
    parts = [
        Part.of(cast(Model[Any], model).bound_to(gram.part(rows)), rows, None, np.flatnonzero(number == fold))
        for fold, (model, rows) in enumerate(zip(models, trained, strict=True))
    ]
    for part, answer in zip(parts, train(gram, parts, tol=_TOL), strict=True):
        if isinstance(answer, QPKernelsError):
            raise answer
        scores[part.held_out] = answer.held_out
    return scores


def _shared(models: Sequence[_Model], samples: Samples, rows: Sequence[Indices]) -> Gram | None:
    """Return the kernel matrix of all samples, of which each of the models has a part; None if they have not."""
    known = [model for model in models if isinstance(model, Model)]
    if len(known) < len(models) or any(model.gram.kernel != known[0].gram.kernel for model in known):
        return None
    first = known[0].gram
    # What states the models may have changed the samples: scaled them, or looked them up.
    try:
        gram = Gram(first.kernel, samples, first.memory_limit, first.indefinite)
    except QPKernelsError:
        return None
    same = all(_equal(model.gram.X, gram.X[part]) for model, part in zip(known, rows, strict=True))
    return gram if same else None


def _equal(one: Samples, other: Samples) -> bool:
    if is_sparse(one) and is_sparse(other):
        return one.shape == other.shape and bool((one != other).nnz == 0)
    return not is_sparse(one) and not is_sparse(other) and same_entries(one, other)


def _check_callable(state: object) -> None:
    if not callable(state):
        came = f"a {state.name} that is stated already" if isinstance(state, Model) else shown(state)
        name = state.name if isinstance(state, Model) else "SoftMargin"
        raise ParameterError(
            f"state must be followed by X and y, and be a class of models, such as {name}, or a function that states "
            f"one on the samples of each fold, such as lambda X, y: {name}(X, y, RBF(0.1)), but {came} came."
        )


def _stated(state: StateModel, X: Samples, y: NDArray[Any]) -> _Model:
    model = state(X, y)
    if not hasattr(model, "solve"):
        raise ParameterError(f"state must return a model of the samples and labels, but it returned {shown(model)}.")
    return model


def _samples(X: ArrayLike | None, y: ArrayLike | None) -> tuple[Samples, NDArray[Any]]:
    if X is None or y is None:
        raise ParameterError(
            "samples and labels must follow what states the model, as in calibrate(SoftMargin, X, y), but "
            f"{' and '.join(name for name, value in (('X', X), ('y', y)) if value is None)} did not come."
        )
    # A kernel may look up the columns of a table by their names, and a machine keeps these.
    samples: Any = X
    if not hasattr(X, "columns"):
        samples = finite_samples(X, "X") if is_sparse(X) else read_array(X, "X")
    if not samples.shape:
        raise ShapeError(
            f"X must be an array of samples, to be divided into folds, but {type(X).__name__} came; "
            "let state bind the kernel to each part."
        )
    two_classes(y, samples.shape[0])
    return samples, checked_labels(y, samples.shape[0])


def _rows(samples: Any, rows: Indices) -> Any:
    """Return the samples of these numbers, of a table as a table."""
    return samples.iloc[rows] if hasattr(samples, "iloc") else samples[rows]


def stratified_folds(labels: NDArray[Any], folds: int, seed: int, instead: str) -> Indices:
    """Return the fold of each sample: each class is shuffled, and both are dealt out one after the other.

    ``instead`` is the advice for a class with one sample.

    Raises
    ------
    ParameterError, LabelError
        If the folds are no such number, or a class has one sample.
    """
    if not is_integer(folds) or not 2 <= folds <= labels.size:
        raise ParameterError(
            f"folds must be an integer from 2 to the number of samples, which is {labels.size}, "
            f"but {shown(folds)} came."
        )
    check_count(seed, "seed", least=0)
    classes, counts = np.unique(labels, return_counts=True)
    if counts.min() < 2:
        raise LabelError(
            f"probabilities are fitted by cross-validation, which needs two samples of each class, but there is one of "
            f"{shown_label(classes.tolist()[int(counts.argmin())])}; {instead}, or give more samples."
        )
    rng = np.random.default_rng(seed)
    dealt = np.concatenate([rng.permutation(np.flatnonzero(labels == label)) for label in classes])
    number = np.empty(labels.size, dtype=np.intp)
    number[dealt] = np.arange(labels.size) % folds
    return number
