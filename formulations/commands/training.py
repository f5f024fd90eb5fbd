# SPDX-License-Identifier: BSD-3-Clause
"""Machines trained on the samples of a file: of two classes, several, one, or values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formulations.commands.measures import training_score
from formulations.commands.output import waiting
from formulations.commands.samples import TrainingSamples, word
from formulations.commands.statements import Asked, Solving
from formulations.modelling import Form, Model
from formulations.modelling.prediction import Labels, Predictor
from formulations.modelling.prediction.decisions import Sigmoids, Votes
from formulations.models.classification.meta.calibration import Calibration, PlattCalibration
from formulations.models.classification.meta.multiclass import MulticlassSolution
from formulations.models.classification.meta.two_level import cross_validated_scores
from qpkernels.arrays import Indices, Vector
from qpkernels.arrays.files import read_number
from qpkernels.errors import LabelError, ParameterError
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import Kernel

__all__ = [
    "TrainedMachine",
    "calibrated",
    "class_factors",
    "prepared",
    "read_tries",
    "stated",
    "train",
    "weighted",
]

_FOLDS = 5
"""Parts of the samples whose values calibrate probabilities, as svm-train -b 1 has it."""


@dataclass(frozen=True, eq=False)
class TrainedMachine:
    """A machine, and the results of its training.

    Attributes
    ----------
    predictor
        The machine, for samples as they are in files.
    function
        Its function, if it has only one.
    statuses, relative_gap, seconds
        The statuses of its parts, the gap of the weakest, and the seconds that they took.
    score
        The score on its own samples, by the name of the score.
    """

    predictor: Predictor
    function: Expansion | None = field(repr=False)
    statuses: tuple[str, ...]
    relative_gap: float
    seconds: float
    score: dict[str, float]

    @property
    def status(self) -> str:
        """``optimal`` if every part is, and otherwise the status of the first part that is not."""
        return next((status for status in self.statuses if status != "optimal"), "optimal")


def stated(asked: Asked, training: TrainingSamples, kernel: Kernel | None, *, against_rest: bool = False) -> Any:
    """Return the requested statement: a model, one of its forms, or for several classes a scheme of machines.

    Raises
    ------
    ParameterError
        If a form, or one against the rest, is requested and does not apply.
    """
    if not (asked.separates and np.unique(training.y).size > 2):
        if against_rest:
            raise ParameterError(f"--one-versus-rest is for three classes or more, but {training.name} has fewer.")
        return asked.statement(asked.model(training.X, training.y, kernel))
    if asked.form is not None:
        raise ParameterError(f"several classes are told apart by models, not by the form {asked.form}; leave it out.")
    return asked.of_several(training.X, training.y, kernel, against_rest=against_rest)


def train(
    asked: Asked, training: TrainingSamples, kernel: Kernel | None, solving: Solving, *, against_rest: bool
) -> TrainedMachine:
    """Train the requested machine, which is one of several classes where there are several."""
    statement = stated(asked, training, kernel, against_rest=against_rest)
    if isinstance(statement, Model | Form):
        with waiting(f"training on {training.X.shape[0]} samples") as tell:
            solution = solving.solve(statement, tell)
    else:
        # It has a progress bar of its own.
        solution = solving.solve_several(statement)
    if isinstance(solution, MulticlassSolution):
        right = solution.predict(training.X) == training.y
        return TrainedMachine(
            prepared(solution.predictor, training),
            None,
            tuple(str(each.status) for each in solution.solutions),
            solution.certificate.relative_gap,
            solution.seconds,
            {"training_accuracy": float(right.mean())},
        )
    model = statement.model if isinstance(statement, Form) else statement
    return TrainedMachine(
        prepared(solution.predictor, training),
        solution.function,
        (str(solution.status),),
        solution.certificate.relative_gap,
        solution.seconds.total,
        training_score(model, solution),
    )


def calibrated(
    trained: TrainedMachine, asked: Asked, training: TrainingSamples, kernel: Kernel | None, seed: int
) -> TrainedMachine:
    """Return the machine with a sigmoid for each part, fitted to values of samples held out of its training."""
    decision = trained.predictor.decision
    if not isinstance(decision, Labels | Votes):
        raise ParameterError(f"--probability is for classes, and {asked.name} has none; leave it out.")
    if decision.sigmoids is not None:
        return trained
    if any(np.ndim(value) for value in asked.values.values()):
        raise ParameterError("--probability and --weight exclude each other; keep one.")

    smallest, second = np.sort(np.unique(training.labels, return_counts=True)[1])[:2].tolist()
    if smallest < 2 or smallest + second < _FOLDS:
        raise ParameterError(
            f"--probability holds out each of {_FOLDS} parts once, for which classes of {smallest} and {second} "
            "samples are too small; leave it out, or add samples."
        )

    def state(X: Any, y: Any) -> Any:
        return asked.model(X, y, kernel)

    found: list[Calibration] = []
    with waiting("calibrating probabilities"):
        for rows, signs in _parts(decision, training.labels):
            scores = cross_validated_scores(state, training.X[rows], signs, _FOLDS, seed)
            found.append(PlattCalibration(scores, signs, targets="platt").solve())
    sigmoids = Sigmoids(np.array([each.A for each in found]), np.array([each.B for each in found]))
    predictor = replace(trained.predictor, decision=replace(decision, sigmoids=sigmoids))
    return replace(trained, predictor=predictor, statuses=(*trained.statuses, *(str(each.status) for each in found)))


def weighted(asked: Asked, y: NDArray[Any], weights: list[str]) -> Asked:
    """Return the model with costs that are those of each sample's class."""
    if not weights:
        return asked
    if "C" not in asked.kind.entry.names or not asked.separates:
        raise ParameterError(
            f"--weight multiplies the cost C of a class, which {asked.name} does not have; leave it out."
        )
    return replace(asked, values={**asked.values, "C": asked.values.get("C", 1.0) * class_factors(y, weights)})


def class_factors(y: NDArray[Any], weights: list[str]) -> Vector:
    """Return the factor of each sample, shape (m,), that its class has in CLASS=FACTOR; 1 of other classes."""
    factors = np.ones(y.size)
    for weight in weights:
        label, _, text = weight.rpartition("=")
        factor = read_number(text.strip())
        if factor is None or not label or not 0.0 <= factor < np.inf:
            raise ParameterError(
                f"--weight takes CLASS=FACTOR with a number from 0, such as -1=5, but {weight!r} came."
            )
        rows = np.array([word(each) == label.strip() for each in y.tolist()])
        if not rows.any():
            known = ", ".join(word(each) for each in np.unique(y)[:10].tolist())
            raise LabelError(f"--weight {weight} is of no class; the classes are {known}.")
        factors[rows] *= factor
    return factors


def prepared(predictor: Predictor, training: TrainingSamples) -> Predictor:
    """Return the machine for samples as they are in files: with the names of columns and classes, scaled by itself."""
    functions, decision = replace(predictor.functions, feature_names=training.feature_names), predictor.decision
    if training.signed is not None and isinstance(decision, Labels):
        decision = replace(decision, classes=training.signed)
    named = replace(predictor, functions=functions, decision=decision, target=training.target)
    return named if training.scaling is None else named.with_preprocessing(training.scaling)


def _parts(decision: Labels | Votes, y: NDArray[Any]) -> Iterator[tuple[Indices, Vector]]:
    """Yield the samples of each function, and whether they are of the class of its positive values: +1 or -1."""
    pairs = decision.pairs if isinstance(decision, Votes) else ((0, 1),)
    for negative, positive in pairs:
        of = y == decision.classes[positive]
        against = ~of if negative < 0 else y == decision.classes[negative]
        rows = np.flatnonzero(of | against)
        yield rows, np.where(of[rows], 1.0, -1.0)


_MOST = 1000
"""Most values of one name; more are taken for a slip."""


def read_tries(tries: Iterable[str]) -> dict[str, Any]:
    """Return the values by name.

    ``log2:begin,end,step`` stands for the powers of 2 with the exponents begin, begin + step and so on up to end, and
    ``log10`` for powers of 10.
    """
    found: dict[str, Any] = {}
    for text in tries:
        name, _, listed = text.partition("=")
        if name.strip() in found:
            raise ParameterError(f"the values of {name.strip()} came twice; list them together.")
        values = _values(listed)
        if not name.strip() or not values:
            raise ParameterError(
                f"--try takes NAME=VALUE,VALUE,... or NAME=log2:BEGIN,END,STEP, such as C=0.1,1,10, but {text!r} came."
            )
        found[name.strip()] = values
    return found


def _values(text: str) -> list[float | int]:
    kind, separator, rest = text.partition(":")
    if not separator:
        return _numbers(text)
    base = {"log2": 2.0, "log10": 10.0}.get(kind.strip())
    ends = _numbers(rest)
    if base is None or len(ends) != 3 or ends[2] == 0:
        return []
    begin, end, step = ends
    count = int((end - begin) / step + 1e-9) + 1
    return [base ** (begin + k * step) for k in range(min(count, _MOST))]


def _numbers(text: str) -> list[float | int]:
    numbers = [read_number(field.strip()) for field in text.split(",")]
    whole = [field.strip().lstrip("+-").isdecimal() for field in text.split(",")]
    finite = [number for number in numbers if number is not None]
    if len(finite) < len(numbers):
        return []
    return [int(number) if exact else number for number, exact in zip(finite, whole, strict=True)]
