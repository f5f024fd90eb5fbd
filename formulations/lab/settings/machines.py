# SPDX-License-Identifier: BSD-3-Clause
"""The machines that a page offers: the public models whose entry has ``most_points``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from formulations import public
from formulations.classification.one_class import OneClass
from formulations.inputs.hyperparameters import ModelEntry
from formulations.lab.settings.choices import MenuChoice, Slider
from formulations.modelling.model import Model
from formulations.regression.regression_model import RegressionModel
from formulations.relevance.machine import RelevanceMachine
from formulations.relevance.regression import RegressionMachine
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
    most_points
        Points that it is solved for, within seconds.
    """

    kind: Any = field(kw_only=True)
    most_points: int = field(kw_only=True)

    @property
    def task(self) -> LabTask:
        """What its points are."""
        has_targets = issubclass(self.kind, RegressionModel | RegressionMachine)
        return LabTask.REGRESSION if has_targets else LabTask.CLASSIFICATION

    @property
    def in_slices(self) -> bool:
        """Whether its solves keep to a time limit: linear algebra and the simplex method have no point on the way."""
        entry: ModelEntry = self.kind.entry
        return not entry.linear and entry.cone_solver != "highs"

    @property
    def takes_labels(self) -> bool:
        """Whether the points have a label or a target."""
        return self.kind is not OneClass


def _choice(kind: type[Stated]) -> MachineChoice:
    explored = (each for each in kind.entry.parameters if each.words)
    sliders = (Slider(each.name, each.words, each.low, each.high, each.usual, each.scale) for each in explored)
    name = spelled(kind)
    title = name.replace("-", " ").capitalize()
    return MachineChoice(name, title, tuple(sliders), kind=kind, most_points=kind.entry.most_points)


_KINDS = (value for name, value in vars(public).items() if name in public.__all__ and isinstance(value, type))
_OFFERED = (kind for kind in _KINDS if issubclass(kind, Model | RelevanceMachine) and kind.entry.most_points)

_IN_ORDER = sorted(_OFFERED, key=lambda kind: (-kind.entry.most_points, kind.entry.catalogue))

MACHINES: Mapping[str, MachineChoice] = {each.name: each for each in map(_choice, _IN_ORDER)}
"""The machines by name, in the order in which a page lists them: those of many points first."""
