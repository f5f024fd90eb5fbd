# SPDX-License-Identifier: BSD-3-Clause
"""All that a page asks for, as it stands in its address and in its messages; what there is to choose from.

::

    {"machine": {"name": "soft-margin", "values": {"C": 1}},
     "kernel": [{"name": "rbf", "values": {"gamma": 1}}],
     "points": [[0.5, -1.2, 1], ...],
     "window": [-4, 4, -3, 3],
     "view": {"name": "picture", "step": 0}}

A point is (x1, x2, label) with the label -1 or 1, or (x, y) of a regression, in data units. The window is what the page
shows of the plane: left, right, bottom, top.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, astuple, dataclass, field, replace
from enum import StrEnum
from functools import reduce
from operator import add
from typing import Any, Generic, Literal, TypeAlias, TypeVar
from urllib.parse import quote

import numpy as np

from formulations import public
from formulations.modelling.inputs.hyperparameters import ModelEntry
from formulations.modelling.model import Model
from formulations.models.classification.margins.soft_margin import SoftMargin
from formulations.models.classification.one_class import OneClass
from formulations.models.regression.regression_model import RegressionModel
from formulations.models.relevance.machine import RelevanceMachine
from formulations.models.relevance.regression import RegressionMachine
from qpkernels.arrays import Matrix, Vector, is_integer, shown
from qpkernels.display.card import spelled
from qpkernels.errors import NonFiniteError, OneClassError, ParameterError, ShapeError
from qpkernels.kernels import Kernel, Sum
from qpkernels.kernels.catalogue import KERNELS as ALL
from qpkernels.kernels.catalogue import KernelEntry
from qpkernels.kernels.rbf import scale_gamma

__all__ = [
    "IN_BROWSER",
    "KERNELS",
    "MACHINES",
    "MOST_IN_BROWSER",
    "MOST_POINTS",
    "Chosen",
    "KernelChoice",
    "LabTask",
    "MachineChoice",
    "MenuChoice",
    "Points",
    "Setting",
    "ShownView",
    "Slider",
    "Stated",
    "Window",
    "fitted_window",
    "quoted",
    "read_setting",
    "setting_of",
    "setting_of_model",
    "terms_of",
]

_LONGEST = 80


def quoted(value: object) -> str:
    """Return what JSON said, shortened: null and true, not None and True."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        # Not of JSON, or an integer of so many digits that Python refuses to write it.
        return shown(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"


@dataclass(frozen=True)
class Slider:
    """A number with a range.

    Attributes
    ----------
    name, words
        Of the parameter, and what it does.
    low, high, default
        Its range, ends included, and where it stands at first.
    scale
        ``log`` and ``linear`` are moved by equal ratios and differences, ``integer`` from one to the next.
    """

    name: str
    words: str
    low: float
    high: float
    default: float
    scale: Literal["log", "linear", "integer"] = "log"

    def read(self, value: Any, owner: str) -> float:
        """Return a value within the range."""
        # Compared as it came: an integer of many digits is no float.
        if type(value) not in (int, float) or not self.low <= value <= self.high or self._is_between(value):
            what = "an integer" if self.scale == "integer" else "a number"
            raise ParameterError(
                f"{self.name} of {owner} must be {what} from {self.low:g} to {self.high:g}, but {quoted(value)} came."
            )
        return float(value)

    def _is_between(self, value: float) -> bool:
        return self.scale == "integer" and value != int(value)


@dataclass(frozen=True)
class MenuChoice:
    """Something with a name, a title, and sliders."""

    name: str
    title: str
    sliders: tuple[Slider, ...] = ()
    others: tuple[str, ...] = field(default=(), kw_only=True)
    """Further names, of settings that were kept."""


Chooses = TypeVar("Chooses", bound=MenuChoice, covariant=True)


@dataclass(frozen=True)
class Chosen(Generic[Chooses]):
    """A choice with a value for each of its sliders, by name."""

    choice: Chooses
    values: Mapping[str, float]

    @classmethod
    def read(cls, entry: Any, choices: Mapping[str, Chooses], what: str) -> Chosen[Chooses]:
        """Return the choice that ``{"name": ..., "values": {...}}`` states; values left out are the defaults."""
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            raise ParameterError(f"a {what} must be an object with a name, but {quoted(entry)} came.")
        name = entry["name"]
        choice = choices.get(name) or next((each for each in choices.values() if name in each.others), None)
        if choice is None:
            raise ParameterError(f"a {what} is one of {', '.join(choices)}, but {quoted(entry['name'])} came.")
        given = entry.get("values", {})
        names = {slider.name for slider in choice.sliders}
        if not isinstance(given, dict) or not names >= given.keys():
            raise ParameterError(
                f"the values of {choice.name} are {', '.join(sorted(names)) or 'none'}, but {quoted(given)} came."
            )
        return cls(
            choice, {each.name: each.read(given.get(each.name, each.default), choice.name) for each in choice.sliders}
        )


@dataclass(frozen=True)
class KernelChoice(MenuChoice):
    """A kernel by its name, with what is stated of it."""

    entry: KernelEntry = field(kw_only=True)

    def make(self, values: Mapping[str, float]) -> Kernel:
        """Return the kernel of the values of its sliders."""
        made: Kernel = ALL[self.name].named(**{each.name: each.value(values[each.name]) for each in self.entry.own})
        return made

    def read(self, kernel: Kernel) -> Mapping[str, float]:
        """Return the values of which this kernel is made."""
        return {each.name: float(getattr(kernel, each.name)) - each.plus for each in self.entry.own}


def _kernel(entry: KernelEntry) -> KernelChoice:
    sliders = (Slider(each.name, each.words, each.low, each.high, each.usual, each.scale) for each in entry.own)
    return KernelChoice(entry.name, entry.title, tuple(sliders), others=entry.names[1:], entry=entry)


_EXPLORED = sorted((kind.entry for kind in ALL.values() if kind.entry.explored), key=lambda entry: len(entry.own))

KERNELS: Mapping[str, KernelChoice] = {entry.name: _kernel(entry) for entry in _EXPLORED}
"""The kernels by name, in the order in which a page lists them: those with few parameters first."""


Stated: TypeAlias = Model[Any] | RelevanceMachine
"""A machine's answer for points: a model with a certificate, or a relevance machine with a stationary evidence."""


class LabTask(StrEnum):
    """The task that the points pose."""

    CLASSIFICATION = "classification"
    """Samples of two classes, or of none, with two features."""
    REGRESSION = "regression"
    """Samples of one feature, across, with a target, upwards."""


@dataclass(frozen=True)
class MachineChoice(MenuChoice):
    """A machine by its name: the class of its models, and the points that it is solved for, within seconds."""

    kind: Any = field(kw_only=True)
    most_points: int = field(kw_only=True)

    @property
    def task(self) -> LabTask:
        """The task that its points pose."""
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


def _machine(kind: type[Stated]) -> MachineChoice:
    explored = (each for each in kind.entry.parameters if each.words)
    sliders = (Slider(each.name, each.words, each.low, each.high, each.usual, each.scale) for each in explored)
    name = spelled(kind)
    title = name.replace("-", " ").capitalize()
    return MachineChoice(name, title, tuple(sliders), kind=kind, most_points=kind.entry.most_points)


_KINDS = (value for name, value in vars(public).items() if name in public.__all__ and isinstance(value, type))
_OFFERED = (kind for kind in _KINDS if issubclass(kind, Model | RelevanceMachine) and kind.entry.most_points)

_IN_ORDER = sorted(_OFFERED, key=lambda kind: (-kind.entry.most_points, kind is not SoftMargin, kind.__module__))

MACHINES: Mapping[str, MachineChoice] = {each.name: each for each in map(_machine, _IN_ORDER)}
"""The machines by name, in the order in which a page lists them: those of many points first, led by the soft margin."""


MOST_POINTS = 5000
"""Points that a page may have: a kernel matrix of 200 MB."""

IN_BROWSER = frozenset(
    {
        "hard-margin",
        "soft-margin",
        "squared-hinge",
        "least-squares-classifier",
        "one-class",
        "soft-tube",
        "quantile",
        "huber",
        "least-squares",
        "kernel-ridge",
    }
)
"""Machines that ``page/solver`` solves and proves without Python, with every kernel."""

MOST_IN_BROWSER = 500
"""Points that it takes."""

FURTHEST = 1e6
"""Largest absolute value of a coordinate."""

_MOST_TERMS = 4
"""Kernels in a sum."""

Points: TypeAlias = Matrix
"""Points of a classification are x1, x2 and the label, shape (m, 3); those of a regression x and y, shape (m, 2)."""


@dataclass(frozen=True)
class Window:
    """The part of the plane that a page shows, in data units."""

    left: float = -4.0
    right: float = 4.0
    bottom: float = -3.0
    top: float = 3.0


@dataclass(frozen=True)
class ShownView:
    """The view beside the points and, for an algorithm or a path, the step from 0 on.

    The view ``picture`` is the machine alone.
    """

    name: str = "picture"
    step: int = 0


@dataclass(frozen=True, eq=False)
class Setting:
    """Points, a machine, a kernel, and what to look at."""

    machine: Chosen[MachineChoice]
    kernel: tuple[Chosen[KernelChoice], ...]
    points: Points
    window: Window = field(default_factory=Window)
    view: ShownView = field(default_factory=ShownView)

    @property
    def task(self) -> LabTask:
        """The task that the points pose."""
        return self.machine.choice.task

    @property
    def X(self) -> Matrix:
        """The samples: two features, or one of a regression."""
        return self.points[:, :2] if self.task is LabTask.CLASSIFICATION else self.points[:, :1]

    @property
    def y(self) -> Vector:
        """The labels or the targets."""
        return self.points[:, -1]

    def same_machine(self, other: Setting) -> bool:
        """Whether the other has the same machine with the same values, and the same kernel."""
        return (self.machine, self.kernel) == (other.machine, other.kernel)

    def same_problem(self, other: Setting) -> bool:
        """Whether the other has the same points too, so that only window and view may differ."""
        return self.same_machine(other) and np.array_equal(self.points, other.points)

    def stated(self) -> Mapping[str, Any]:
        """Return the setting as :func:`read_setting` reads it."""
        return {
            "machine": _stated(self.machine),
            "kernel": [_stated(term) for term in self.kernel],
            "points": self.points.tolist(),
            "window": list(astuple(self.window)),
            "view": asdict(self.view),
        }

    def fragment(self) -> str:
        """Return what states the setting behind the # of an address, as the page writes it."""
        return "#" + quote(json.dumps(self.stated(), separators=(",", ":")), safe=",:")

    def kernel_function(self) -> Kernel:
        """Return the sum of the kernels chosen."""
        return reduce(add, (term.choice.make(term.values) for term in self.kernel))

    def state(self) -> Stated:
        """State the model of the points."""
        machine = self.machine.choice
        if not len(self.points):
            raise ParameterError("there are no points yet; add some.")
        if len(self.points) > machine.most_points:
            raise ParameterError(
                f"{machine.title} is solved here for at most {machine.most_points} points, but {len(self.points)} "
                "came; remove some, or choose another machine."
            )
        if machine.task is LabTask.CLASSIFICATION and machine.takes_labels and np.unique(self.y).size == 1:
            raise OneClassError("all points are of one class, and there is nothing to separate; add some of the other.")
        targets = (self.y,) if machine.takes_labels else ()
        stated: Stated = machine.kind(self.X, *targets, self.kernel_function(), **self.machine.values)
        return stated


def read_setting(message: Any, views: Mapping[str, Any]) -> Setting:
    """Return the setting that a decoded message states, given the views by name; what is left out is the default."""
    if not isinstance(message, dict):
        raise ParameterError(f"a setting must be an object, but {quoted(message)} came.")
    unknown = message.keys() - {"machine", "kernel", "points", "window", "view"}
    if unknown:
        raise ParameterError(
            f"a setting has no {quoted(sorted(unknown)[0])}; it has machine, kernel, points, window, view."
        )
    machine = Chosen.read(message.get("machine", {"name": "soft-margin"}), MACHINES, "machine")
    return Setting(
        machine,
        _read_terms(message.get("kernel", [{"name": "rbf"}])),
        read_points(message.get("points", []), machine.choice.task),
        _read_window(message.get("window")),
        _read_view(message.get("view", {}), views),
    )


def read_points(entry: Any, task: LabTask) -> Points:
    """Return the points of a list of lists of numbers."""
    width = 3 if task is LabTask.CLASSIFICATION else 2
    if not isinstance(entry, list):
        raise ParameterError(f"points must be a list of points, but {quoted(entry)} came.")
    if len(entry) > MOST_POINTS:
        raise ParameterError(f"a page has at most {MOST_POINTS} points, but {len(entry)} came.")
    for point in entry:
        if not isinstance(point, list) or len(point) != width or not all(type(each) in (int, float) for each in point):
            raise ShapeError(f"a point of a {task} must be a list of {width} numbers, but {quoted(point)} came.")
    # NaN is not within either; integers of many digits are compared as they came, being no floats.
    beyond = next((each for point in entry for each in point if not abs(each) <= FURTHEST), None)
    if beyond is not None:
        raise NonFiniteError(f"the coordinates of points must lie within {FURTHEST:g} of 0, but {quoted(beyond)} came.")
    points = np.array(entry, dtype=float).reshape(len(entry), width)
    if task is LabTask.CLASSIFICATION and not np.isin(points[:, 2], (-1.0, 1.0)).all():
        raise ParameterError("the label of a point must be -1 or 1.")
    points.flags.writeable = False
    return points


def _read_terms(entry: Any) -> tuple[Chosen[KernelChoice], ...]:
    if not isinstance(entry, list) or not 1 <= len(entry) <= _MOST_TERMS:
        raise ParameterError(f"kernel must be a list of 1 to {_MOST_TERMS} kernels, but {quoted(entry)} came.")
    return tuple(Chosen.read(each, KERNELS, "kernel") for each in entry)


def _stated(chosen: Chosen[Any]) -> Mapping[str, Any]:
    return {"name": chosen.choice.name, "values": dict(chosen.values)}


def _read_window(entry: Any) -> Window:
    if entry is None:
        return Window()
    good = isinstance(entry, list) and len(entry) == 4 and all(type(each) in (int, float) for each in entry)
    if (
        not good
        or not all(abs(each) <= FURTHEST for each in entry)
        or not (entry[0] < entry[1] and entry[2] < entry[3])
    ):
        raise ParameterError(
            f"window must be [left, right, bottom, top] with left < right and bottom < top, but {quoted(entry)} came."
        )
    return Window(*map(float, entry))


def _read_view(entry: Any, views: Mapping[str, Any]) -> ShownView:
    if not isinstance(entry, dict) or not entry.keys() <= {"name", "step"}:
        raise ParameterError(f"view must be an object with a name and a step, but {quoted(entry)} came.")
    name, step = entry.get("name", "picture"), entry.get("step", 0)
    if not isinstance(name, str) or name not in views:
        raise ParameterError(f"a view is one of {', '.join(views)}, but {quoted(name)} came.")
    if not is_integer(step) or not 0 <= step <= 10**6:
        raise ParameterError(f"the step of a view must be an integer of at least 0, but {quoted(step)} came.")
    return ShownView(name, int(step))


_BORDER = 0.12
"""The part of the window beyond the points that counts as their extent."""

_DECIMALS = 4
"""Digits behind the point of a sample's coordinates, so that an address stays short."""

_ASPECT = 4 / 3
"""Width of the picture over its height."""


def setting_of(X: Matrix, y: Vector, name: str, *, standardise: bool = False) -> Setting:
    """Return samples as the points of a page, with a Gaussian kernel of gamma = 1 / (d Var X).

    Parameters
    ----------
    X
        Two features of samples of two classes, shape (m, 2), or one of a regression, shape (m, 1).
    y
        The labels -1 and 1, or the targets, shape (m,).
    name
        What errors call the samples.
    standardise
        Whether each feature, and the target of a regression, gets the mean 0 and the variance 1.
    """
    if len(X) > MOST_POINTS:
        raise ParameterError(
            f"{name} has {len(X)} samples, and a page has at most {MOST_POINTS} points; take some of them."
        )
    has_classes = X.shape[1] == 2
    places = X if has_classes else np.column_stack([X, y])
    if standardise:
        spread = places.std(axis=0)
        places = (places - places.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    features = places[:, : X.shape[1]]
    points = np.column_stack([features, y]) if has_classes else places
    stated = {
        "machine": {"name": "soft-margin" if has_classes else "soft-tube"},
        "kernel": [{"name": "rbf", "values": {"gamma": _gamma(features)}}],
        "points": points.tolist(),
        "window": [float(end) for column in places.T for end in _around(column)],
    }
    try:
        return read_setting(stated, {"picture": None})
    except NonFiniteError as error:
        error.add_note("with mean 0 and variance 1 they do, which --standardise gives them on the command line")
        raise


def setting_of_model(model: Model[Any]) -> Setting:
    """Return a model of two features and two classes, or of one feature and a target, as a page shows it.

    Raises
    ------
    ParameterError
        If a page has no such machine or kernel, or no such values or samples.
    """
    choice = MACHINES.get(spelled(type(model)))
    if choice is None or not model.fit_intercept or model.gram.kernel is None or model.gram.X is None:
        raise ParameterError(
            f"a page shows {', '.join(MACHINES)}, with b and of samples with a kernel, but {type(model).__name__} came."
        )
    values = {each.name: np.unique(getattr(model, each.name).value) for each in choice.sliders}
    if any(each.size != 1 for each in values.values()):
        raise ParameterError("a page has one value for all samples, but the model has several.")
    X = np.asarray(model.gram.X)
    y = getattr(model, "y", np.ones(len(X)))  # a single class has no labels
    points = np.round(np.column_stack([X, y]), _DECIMALS)
    stated = {
        "machine": {"name": choice.name, "values": {name: float(each[0]) for name, each in values.items()}},
        "kernel": [*map(_term_of, terms_of(model.gram.kernel))],
        "points": points.tolist(),
    }
    setting = read_setting(stated, {"picture": None})
    return replace(setting, window=fitted_window(setting.points, setting.task))


def terms_of(kernel: Kernel) -> Iterator[Kernel]:
    """Yield the kernels of which a kernel is the sum."""
    if isinstance(kernel, Sum):
        yield from terms_of(kernel.left)
        yield from terms_of(kernel.right)
    else:
        yield kernel


def _term_of(kernel: Kernel) -> Mapping[str, Any]:
    entry = getattr(kernel, "entry", None)
    if entry is None or entry.name not in KERNELS:
        raise ParameterError(f"a page has the kernels {', '.join(KERNELS)}, but {kernel!r} came.")
    return {"name": entry.name, "values": KERNELS[entry.name].read(kernel)}


def _gamma(features: Matrix) -> float:
    """Return 1 / (d Var X) to four digits, within what the slider of the page has."""
    slider = KERNELS["rbf"].sliders[0]
    usual = scale_gamma(features) if features.var() > 0 else slider.default
    return float(f"{min(max(usual, slider.low), slider.high):.4g}")


def fitted_window(points: Points, task: LabTask) -> Window:
    """Return the least window around the points, with a border; where both axes are features, their units are equal."""
    (left, right), (bottom, top) = (_around(column) for column in points[:, :2].T)
    if task is LabTask.CLASSIFICATION:
        width = max(right - left, (top - bottom) * _ASPECT)
        x, y = (left + right) / 2, (bottom + top) / 2
        left, right = x - width / 2, x + width / 2
        bottom, top = y - width / _ASPECT / 2, y + width / _ASPECT / 2
    return Window(left, right, bottom, top)


def _around(values: Vector) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    border = _BORDER * (high - low) or 1.0
    return max(low - border, -FURTHEST), min(high + border, FURTHEST)
