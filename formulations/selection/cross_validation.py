# SPDX-License-Identifier: BSD-3-Clause
r"""Cross-validation: a model is trained without the samples of each fold, and scored on them.

For folds :math:`T_1, \dots, T_k` the score is the mean of :math:`s(y_{T_j}, g_j(x_{T_j}))`, where g_j = f_j + b_j is
trained on all other samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formulations.modelling import Solution
from formulations.modelling.prediction import Decision
from formulations.selection.fits import (
    Asked,
    Effort,
    Fit,
    Kept,
    Rowed,
    Selectable,
    asked,
    proved,
    status_of_all,
    weakest,
)
from formulations.selection.folds import (
    Fold,
    Folds,
    Scoring,
    checked_model,
    decision_of,
    divide,
    predicted,
    scorer,
    scoring_name,
    truth,
)
from qpkernels.arrays import Matrix, Vector
from qpkernels.display import Column, TableReport, TextTable, progress_bar
from qpkernels.errors import ParameterError, QPKernelsError
from qpkernels.problems import Certificate, Status
from qpkernels.solvers import SolverLike

__all__ = ["CrossValidation", "cross_validate"]


class FoldFits(Sequence[Solution]):
    """The solutions of the folds, each made when it is first asked for."""

    def __init__(self, kept: Sequence[Kept]) -> None:
        self._kept = tuple(kept)

    def __len__(self) -> int:
        """Return the number of folds."""
        return len(self._kept)

    def __getitem__(self, index: Any) -> Any:
        """Return the solution of a fold, or those of several by a slice."""
        return FoldFits(self._kept[index]) if isinstance(index, slice) else self._kept[index].solution


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(Rowed):
    """The certified fits of all folds, and their scores. Prints as a table.

    Attributes
    ----------
    folds
        Numbers of the samples trained on and held out, fold by fold.
    fits
        The proved fit of each fold, with the decision values at the samples held out.
    scores
        Score of each fold, shape (number of folds,).
    solutions
        The full Solution of each fold, as solving its model by itself returns it.
    scoring
        Name of the score.
    tol
        The requested tolerance.
    y
        Labels or targets of all samples.
    deciding
        The rule by which decision values become labels; None without labels.

    Examples
    --------
    >>> from formulations import SoftMargin, cross_validate
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, -1, 1, 1])
    >>> found = cross_validate(model, folds=2, progress=False)
    >>> print(found.scoring, found.scores, found.status)
    accuracy [0.5 1. ] optimal
    """

    folds: tuple[Fold, ...]
    fits: tuple[Fit, ...]
    scores: Vector
    solutions: FoldFits
    scoring: str
    tol: float
    y: NDArray[Any]
    deciding: Decision | None = None

    @property
    def mean(self) -> float:
        """Mean of the scores."""
        return float(np.average(self.scores))

    @property
    def std(self) -> float:
        """Standard deviation of the scores, computed as by NumPy's std."""
        return float(np.std(self.scores))

    @property
    def certificate(self) -> Certificate:
        """The weakest certificate of all folds."""
        return weakest(self.fits).certificate

    @property
    def status(self) -> Status:
        """``optimal`` if every fit is, and otherwise the status of the first fit that is not."""
        return status_of_all(self.fits)

    @property
    def classes(self) -> NDArray[Any] | None:
        """The labels in sorted order, or two labels beginning with that of negative values; None without labels."""
        return None if self.deciding is None else self.deciding.classes

    @property
    def decision(self) -> Vector | Matrix:
        """The decision value of each sample by the model that was trained without it, shape (m,).

        With several classes, these are the values of all machines, shape (m, machines).

        Raises
        ------
        ParameterError
            If the folds hold a sample out several times or never.
        """
        counts = np.bincount(np.concatenate([fold.test for fold in self.folds]), minlength=self.y.size)
        if (counts != 1).any():
            sample = int(np.argmax(counts != 1))
            raise ParameterError(
                f"each sample has one decision value if it is held out once, but sample {sample} is held out "
                f"{counts[sample]} times; read the values of each fold: fits[k].held_out."
            )
        values = np.empty((self.y.size, *self.fits[0].held_out.shape[1:]))
        for fold, fit in zip(self.folds, self.fits, strict=True):
            values[fold.test] = fit.held_out
        return values

    @property
    def predictions(self) -> NDArray[Any]:
        """The label, or value, that :attr:`decision` stands for, shape (m,)."""
        return predicted(self.deciding, self.decision)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the table, one fold a row."""
        for number, (fold, fit, score) in enumerate(zip(self.folds, self.fits, self.scores, strict=True), 1):
            yield {
                "fold": number,
                "train": fold.train.size,
                "test": fold.test.size,
                self.scoring: float(score),
                "status": str(fit.status),
                "relative_gap": fit.certificate.relative_gap,
                "n_support": fit.n_support,
                "seconds": fit.seconds,
            }

    def report(self) -> TableReport:
        """Return a line for each fold."""
        title = f"{self.scoring} {self.mean:.6g} +/- {self.std:.2g}; {proved(self.fits, self.tol)}"
        columns = (
            *(Column(name, key=name) for name in ("fold", "train", "test")),
            Column(self.scoring, key=self.scoring, form=".6g"),
            Column("status", key="status"),
            Column("rel. gap", key="relative_gap", form=".0e"),
            Column("SV", key="n_support"),
        )
        return TableReport((TextTable.of(columns, self.rows()),), title)


def cross_validate(
    model: Selectable,
    folds: Folds = 5,
    *,
    scoring: Scoring = None,
    tol: float = 1e-3,
    solver: SolverLike | None = None,
    n_jobs: int = -1,
    progress: bool = True,
    store: str | Path | None = None,
    **options: Any,
) -> CrossValidation:
    """Train the model without the samples of each fold, prove each answer, and score it on these samples.

    Parameters
    ----------
    model
        Any model, or OneVersusOne or OneVersusRest for several classes. Its hyper-parameters are not changed.
    folds
        The number of folds (contiguous, and with each class's share in every fold, as in scikit-learn), a splitter of
        scikit-learn, or pairs (train, test) of sample numbers.
    scoring
        None: accuracy, or R^2 for real targets. Otherwise the name of a scorer of scikit-learn, or a function of
        (labels or targets, decision values) whose greater values are better. With several classes this function is
        given one value for each class, shape (n, K), the largest of which decides.
    tol, solver, **options
        As in :meth:`formulations.modelling.model.Model.solve`, for each fit. Models that are a KernelQP share kernel
        values in one batch, unless another solver than smo is asked for.
    n_jobs
        Number of threads; -1: one for each core.
    progress
        Whether to show a progress bar (on standard error, if that is a terminal).
    store
        A file to which every proved fit is appended. Fits that it holds already are not computed again.

    Raises
    ------
    ParameterError, ShapeError, LabelError, OneClassError
        If the folds do not divide the samples, or leave a class without training samples. Nothing is computed then.
    ForeignResultsError, FileFormatError
        If the file belongs to other data, or is damaged.
    QPKernelsError
        The error of the first fold without an answer, with a note that names the fold. Its ``others`` are the solutions
        of the other folds by their numbers, from 1.

    Examples
    --------
    >>> from formulations import SoftMargin, cross_validate
    >>> X, y = [[0.0], [3.0], [1.0], [4.0], [2.0], [5.0]], [-1, 1, -1, 1, -1, 1]
    >>> result = cross_validate(SoftMargin(X, y, C=1.0), folds=3, progress=False)
    >>> print(result.status, result.scores, f"{result.mean:.3f}")
    optimal [0.5 1.  1. ] 0.833
    """
    checked_model(model, "cross_validate")
    effort = Effort(tol, solver, n_jobs, progress, store, options)
    score, divided = scorer(model, scoring), divide(model, folds)
    parts = [_of_fold(model, fold, k) for k, fold in enumerate(divided, 1)]
    file = effort.file(model)
    with progress_bar(len(parts), progress) as step:
        step("cross-validation")
        found = effort.run(model.gram, parts, file, lambda number: step(f"fold {number + 1}"))
    kept = _all_kept(found)
    fits, y = tuple(each.fit for each in kept), truth(model)
    scores = np.array([score(y[fold.test], fit.held_out) for fold, fit in zip(divided, fits, strict=True)])
    name, deciding = scoring_name(model, scoring), decision_of(model)
    return CrossValidation(divided, fits, scores, FoldFits(kept), name, tol, y, deciding)


def _of_fold(model: Selectable, fold: Fold, number: int) -> Asked:
    try:
        return asked(model.on(fold.train), fold.train, None, fold.test)
    except QPKernelsError as error:
        error.add_note(f"in fold {number}")
        raise


def _all_kept(found: Sequence[Kept | QPKernelsError]) -> list[Kept]:
    kept = {number: each for number, each in enumerate(found, 1) if isinstance(each, Kept)}
    for number, error in enumerate(found, 1):
        if isinstance(error, QPKernelsError):
            error.add_note(f"in fold {number} of {len(found)}")
            error.others = {number: each.solution for number, each in kept.items()}
            raise error
    return list(kept.values())
