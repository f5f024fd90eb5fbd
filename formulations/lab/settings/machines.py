# SPDX-License-Identifier: BSD-3-Clause
"""The machines that a page offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeAlias

from formulations.classification.least_squares import LeastSquaresClassifier
from formulations.classification.logistic import Logistic
from formulations.classification.lp import LinearProgramMachine
from formulations.classification.margins.hard_margin import HardMargin
from formulations.classification.margins.nu_margin import NuMargin
from formulations.classification.margins.soft_margin import SoftMargin
from formulations.classification.margins.squared_hinge import SquaredHinge
from formulations.classification.one_class import OneClass
from formulations.lab.settings.choices import MenuChoice, Slider
from formulations.modelling.model import Model
from formulations.regression.huber import Huber
from formulations.regression.quantile import Quantile
from formulations.regression.ridge.kernel_ridge import KernelRidge
from formulations.regression.ridge.least_squares import LeastSquares
from formulations.regression.tubes.nu import NuTube
from formulations.regression.tubes.soft import SoftTube
from formulations.relevance.classification import RelevanceClassification
from formulations.relevance.machine import RelevanceMachine
from formulations.relevance.regression import RelevanceRegression
from qpkernels.display.card import spelled

__all__ = ["MACHINES", "LabTask", "MachineChoice", "Stated"]

Stated: TypeAlias = Model[Any] | RelevanceMachine
"""What a machine states of points: a model with a certificate, or a relevance machine with a stationary evidence."""


class LabTask(StrEnum):
    """What the points are."""

    CLASSIFICATION = "classification"
    """Samples of two classes, or of none, with two features."""
    REGRESSION = "regression"
    """Samples of one feature, across, with a target, upwards."""


@dataclass(frozen=True)
class MachineChoice(MenuChoice):
    """A machine by its name.

    Attributes
    ----------
    kind
        The class of its models.
    task
        What its points are.
    most_points
        Points that it is solved for, within seconds.
    in_slices
        Whether its solves keep to a time limit.
    """

    kind: Callable[..., Stated] = SoftMargin
    task: LabTask = LabTask.CLASSIFICATION
    most_points: int = 5000
    in_slices: bool = True

    @property
    def takes_labels(self) -> bool:
        """Whether the points have a label or a target."""
        return self.kind is not OneClass


_COST = Slider("C", "cost of an error", 1e-3, 1e6, 1.0)
_COST_OF_CURVE = replace(_COST, high=1e4)
"""With more, flexible kernels leave a tube unproved on tens of points."""
_NU = Slider("nu", "least share of support vectors, largest share of errors", 0.01, 1.0, 0.3, "linear")
_CLASSES = LabTask.CLASSIFICATION
_CURVE = LabTask.REGRESSION

_MACHINES = (
    MachineChoice(spelled(SoftMargin), "Soft margin", (_COST,), SoftMargin),
    MachineChoice(spelled(HardMargin), "Hard margin", (), HardMargin, most_points=500),
    MachineChoice(spelled(NuMargin), "Nu-margin", (_NU,), NuMargin, most_points=500),
    MachineChoice(spelled(SquaredHinge), "Squared hinge", (_COST,), SquaredHinge),
    MachineChoice(
        spelled(LinearProgramMachine),
        "Linear program",
        (_COST,),
        LinearProgramMachine,
        most_points=1000,
        in_slices=False,
        others=("linear-program",),
    ),
    MachineChoice(spelled(Logistic), "Logistic regression", (_COST,), Logistic),
    MachineChoice(spelled(LeastSquaresClassifier), "Least squares", (_COST,), LeastSquaresClassifier, in_slices=False),
    MachineChoice(spelled(RelevanceClassification), "Relevance vectors", (), RelevanceClassification, most_points=300),
    MachineChoice(spelled(OneClass), "One class", (_NU,), OneClass),
    MachineChoice(
        spelled(SoftTube),
        "Tube",
        (_COST_OF_CURVE, Slider("epsilon", "half width of the tube", 0.0, 2.0, 0.25, "linear")),
        SoftTube,
        _CURVE,
        others=("tube",),
    ),
    MachineChoice(
        spelled(NuTube),
        "Nu-tube",
        (_COST_OF_CURVE, Slider("nu", "largest share outside the tube", 0.01, 1.0, 0.3, "linear")),
        NuTube,
        _CURVE,
        most_points=500,
    ),
    MachineChoice(
        spelled(Quantile),
        "Quantile",
        (_COST_OF_CURVE, Slider("tau", "share below", 0.02, 0.98, 0.5, "linear")),
        Quantile,
        _CURVE,
    ),
    MachineChoice(
        spelled(Huber),
        "Huber",
        (_COST_OF_CURVE, Slider("delta", "residual from which the loss is linear", 0.01, 10, 0.5)),
        Huber,
        _CURVE,
    ),
    MachineChoice(spelled(LeastSquares), "Least squares", (_COST_OF_CURVE,), LeastSquares, _CURVE, in_slices=False),
    MachineChoice(
        spelled(KernelRidge),
        "Kernel ridge",
        (Slider("regularisation", "λ, weight of the penalty", 1e-6, 1e3, 0.1),),
        KernelRidge,
        _CURVE,
        in_slices=False,
    ),
    MachineChoice(
        spelled(RelevanceRegression),
        "Relevance vectors",
        (),
        RelevanceRegression,
        _CURVE,
        most_points=1000,
    ),
)

MACHINES: Mapping[str, MachineChoice] = {each.name: each for each in _MACHINES}
"""The machines by name, in the order in which a page lists them."""
