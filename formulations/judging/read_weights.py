# SPDX-License-Identifier: BSD-3-Clause
"""Machines that keep only weights of the features: those of LIBLINEAR, ridge and logistic regression.

LIBLINEAR penalises its intercept as the weight of a constant feature s, so that its machines are models without an
intercept on the samples (x_i, s).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from formulations.judging.fitted_with import Sampled, Settings, linear_samples, numbers_of, parted, sampled, vectors
from formulations.judging.machine_audit import GivenMachine
from formulations.losses import AbsolutePower, SquaredEpsilonInsensitive
from formulations.modelling import Model
from formulations.modelling.inputs.estimators import on_host, with_constant
from formulations.modelling.inputs.samples import BoundSamples
from formulations.models.classification.logistic import Logistic
from formulations.models.classification.margins.soft_margin import SoftMargin
from formulations.models.classification.margins.squared_hinge import SquaredHinge
from formulations.models.regression.residual_loss import ResidualLossRegression
from formulations.models.regression.tubes.soft import SoftTube
from qpkernels.arrays import Matrix, Vector
from qpkernels.errors import ParameterError

__all__ = [
    "Weights",
    "linear_classifiers",
    "linear_tube",
    "read_linear_classifier",
    "read_linear_regressor",
    "read_logistic",
    "read_ridge",
]

Stating = Callable[..., Model[Any]]

_L2 = "the models here penalise the l2 norm"


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of machines.

    Attributes
    ----------
    coefficients, intercepts
        Shapes (machines, features) and (machines,).
    constant
        s of the feature whose weight is the intercept over s; None: the intercept is free, or there is none.
    fit_intercept
        Whether there is one.
    """

    coefficients: Matrix
    intercepts: Vector
    constant: float | None
    fit_intercept: bool

    @classmethod
    def of(cls, estimator: Any, constant: float | None, fit_intercept: bool) -> Weights:
        """Return those of an estimator."""
        coefficients = np.atleast_2d(numbers_of(estimator, "coef_"))
        intercepts = np.ravel(numbers_of(estimator, "intercept_"))
        if intercepts.size == 1:
            intercepts = np.repeat(intercepts, len(coefficients))
        return cls(coefficients, intercepts, constant if fit_intercept else None, fit_intercept)


def stated(
    found: Weights, machine: int, data: BoundSamples, taken: Sampled, labels: NDArray[Any], stating: Stating, name: str
) -> GivenMachine:
    """State the model of one of the machines on the samples that count, and return it with its answer."""
    rows = taken.rows
    own = parted(data, rows)
    free = found.fit_intercept and found.constant is None
    model = stating(own, labels, fit_intercept=free)
    w, b = found.coefficients[machine], float(found.intercepts[machine])
    if found.constant is not None:
        w, b = np.append(w, b / found.constant), 0.0
    return GivenMachine(name, model, model.candidate((w, b), weights=True), rows, labels, holds_multipliers=False)


def bound(X: Any, found: Weights) -> BoundSamples:
    """Return the samples of the machines, with their constant feature."""
    samples = vectors(X, found.coefficients.shape[1])
    return linear_samples(samples if found.constant is None else with_constant(samples, found.constant))


def read_linear_classifier(estimator: Any, X: Any, y: Any, weights: Any, settings: Settings) -> list[GivenMachine]:
    """Read a fitted LinearSVC: with several classes, each against the rest."""
    settings.expect("penalty", "l2", _L2)
    settings.expect("multi_class", "ovr", "the machines of another scheme are no machines of two classes")
    loss = settings.default("loss", "squared_hinge")
    if loss not in ("hinge", "squared_hinge"):
        raise ParameterError(f"loss must be 'hinge' or 'squared_hinge', but {settings.what} has {loss!r}.")
    found = Weights.of(estimator, _constant(settings), bool(settings.default("fit_intercept", True)))
    return list(
        linear_classifiers(
            found, on_host(estimator.classes_), X, y, weights, settings, SoftMargin if loss == "hinge" else SquaredHinge
        )
    )


def read_logistic(estimator: Any, X: Any, y: Any, weights: Any, settings: Settings) -> list[GivenMachine]:
    """Read a fitted LogisticRegression of two classes."""
    penalty, ratio = settings.default("penalty", "l2"), settings.default("l1_ratio", 0.0)
    if penalty not in ("l2", "deprecated") or ratio or not np.isfinite(settings("C")):
        raise ParameterError(
            f"{settings.what} has penalty={penalty!r}, l1_ratio={ratio!r} and C={settings('C')!r}, and {_L2}; only "
            "that one, with a finite C, is audited."
        )
    if len(estimator.classes_) > 2:
        raise ParameterError(
            f"{settings.what} has {len(estimator.classes_)} classes, which it tells apart by the multinomial loss, and "
            "no model here has that; audit machines of two classes, as OneVsRestClassifier fits them, one by one."
        )
    liblinear = settings.default("solver", "lbfgs") == "liblinear"
    constant = float(settings("intercept_scaling")) if liblinear else None
    found = Weights.of(estimator, constant, bool(settings.default("fit_intercept", True)))
    return list(linear_classifiers(found, on_host(estimator.classes_), X, y, weights, settings, Logistic))


def _constant(settings: Settings) -> float | None:
    """Return the constant feature of LIBLINEAR; cuML has one only where it is asked for."""
    if hasattr(settings.owner, "penalized_intercept"):
        return 1.0 if settings("penalized_intercept") else None
    return float(settings("intercept_scaling"))


def linear_classifiers(
    found: Weights, classes: NDArray[Any], X: Any, y: Any, weights: Any, settings: Settings, machine: Stating
) -> Iterator[GivenMachine]:
    """Yield the machine of two classes, or of more each against the rest; ``classes`` are in sorted order."""
    data = bound(X, found)
    taken = sampled(len(data.gram), y, weights)
    present = np.unique(taken.labels)
    if not np.array_equal(present, classes):
        raise ParameterError(
            f"the estimator was fitted to the classes {classes.tolist()}, but y has {present.tolist()}; pass the y "
            "that it was fitted to."
        )
    # Classes that are weighed in balance count samples by their weights here, unlike LIBSVM's.
    by_class = compute_class_weight(
        settings.default("class_weight", None), classes=classes, y=taken.labels, sample_weight=taken.weights
    )
    cost, labels = settings("C") * taken.weights[taken.rows], taken.labels[taken.rows]
    if len(found.coefficients) == 1:
        costs = cost * by_class[np.searchsorted(classes, labels)]
        yield stated(found, 0, data, taken, labels, _with_costs(machine, costs), settings.what)
        return
    for number, label in enumerate(classes.tolist()):
        own = labels == classes[number]
        # LIBLINEAR weighs the samples of the class by its weight, and the rest by 1, whatever their own classes weigh.
        costs = np.where(own, by_class[number], 1.0) * cost
        yield stated(
            found, number, data, taken, np.where(own, 1, -1), _with_costs(machine, costs), f"{label!r} against the rest"
        )


def _with_costs(machine: Stating, costs: Vector) -> Stating:
    return lambda *given, **options: machine(*given, C=costs, **options)


def read_linear_regressor(estimator: Any, X: Any, y: Any, weights: Any, settings: Settings) -> list[GivenMachine]:
    """Read a fitted LinearSVR."""
    settings.expect("penalty", "l2", _L2)
    loss = settings.default("loss", "epsilon_insensitive")
    if loss not in ("epsilon_insensitive", "squared_epsilon_insensitive"):
        raise ParameterError(
            f"loss must be 'epsilon_insensitive' or 'squared_epsilon_insensitive', but {settings.what} has {loss!r}."
        )
    found = Weights.of(estimator, _constant(settings), bool(settings.default("fit_intercept", True)))
    return [linear_tube(found, X, y, weights, settings, squared=loss != "epsilon_insensitive")]


def linear_tube(found: Weights, X: Any, y: Any, weights: Any, settings: Settings, *, squared: bool) -> GivenMachine:
    """Return the machine with a tube, whose losses beyond are squared or not."""
    data = bound(X, found)
    taken = sampled(len(data.gram), y, weights)
    costs, epsilon = settings("C") * taken.weights[taken.rows], settings("epsilon")

    def stating(*given: Any, **options: Any) -> Model[Any]:
        if squared:
            return ResidualLossRegression(*given, loss=SquaredEpsilonInsensitive(epsilon), C=costs, **options)
        return SoftTube(*given, C=costs, epsilon=epsilon, **options)

    return stated(found, 0, data, taken, taken.labels[taken.rows], stating, settings.what)


def read_ridge(estimator: Any, X: Any, y: Any, weights: Any, settings: Settings) -> list[GivenMachine]:
    """Read a fitted Ridge, each output being a machine: ``alpha`` ||w||^2 + sum w_i r_i^2."""
    settings.expect("positive", False, "signs of weights are constraints that no model here has")
    found = Weights.of(estimator, None, bool(settings.default("fit_intercept", True)))
    data = bound(X, found)
    taken = sampled(len(data.gram), y, weights)
    targets = taken.targets.reshape(len(data.gram), -1)[taken.rows]
    if targets.shape[1] != len(found.coefficients):
        raise ParameterError(f"the estimator has {len(found.coefficients)} outputs, but y has {targets.shape[1]}.")
    penalties = np.broadcast_to(np.asarray(on_host(settings("alpha")), dtype=np.float64), (targets.shape[1],))
    machines = []
    for number, penalty in enumerate(penalties.tolist()):
        if not penalty > 0:
            raise ParameterError(
                f"alpha must be above 0, but {settings.what} has {penalty:g}: least squares without it."
            )
        costs = 0.5 * taken.weights[taken.rows] / penalty

        def stating(*given: Any, C: Vector = costs, **options: Any) -> Model[Any]:
            return ResidualLossRegression(*given, loss=AbsolutePower(2.0), C=C, **options)

        name = settings.what if len(penalties) == 1 else f"output {number}"
        machines.append(stated(found, number, data, taken, targets[:, number], stating, name))
    return machines
