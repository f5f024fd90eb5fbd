# SPDX-License-Identifier: BSD-3-Clause
"""All that a page asks for, as it stands in its address and in its messages.

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

from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field
from typing import Any, TypeAlias

import numpy as np

from formulations.lab.settings.choices import Chosen, quoted
from formulations.lab.settings.kernels import KERNELS, KernelChoice, kernel_of
from formulations.lab.settings.machines import MACHINES, LabTask, MachineChoice, Stated
from qpkernels.arrays import Matrix, Vector, is_integer
from qpkernels.errors import NonFiniteError, OneClassError, ParameterError, ShapeError
from qpkernels.kernels import Kernel

__all__ = ["FURTHEST", "MOST_POINTS", "Points", "Setting", "ShownView", "Window", "read_setting"]

MOST_POINTS = 5000
"""Points that a page may have: a kernel matrix of 200 MB."""

FURTHEST = 1e6
"""Largest absolute value of a coordinate."""

_MOST_TERMS = 4
"""Kernels in a sum."""

Points: TypeAlias = Matrix
"""Of a classification x1, x2 and the label, shape (m, 3); of a regression x and y, shape (m, 2)."""


@dataclass(frozen=True)
class Window:
    """What a page shows of the plane, in data units."""

    left: float = -4.0
    right: float = 4.0
    bottom: float = -3.0
    top: float = 3.0


@dataclass(frozen=True)
class ShownView:
    """What is shown beside the points: a diagram or an algorithm by its name, and where it stands.

    Attributes
    ----------
    name
        One of the views; ``picture`` is the machine alone.
    step
        Of an algorithm or a path: the step from 0 on that the picture shows.
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
        """What the points are."""
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
        """Whether the other has the same points besides, so that only window and view may differ."""
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

    def kernel_function(self) -> Kernel:
        """Return the kernel."""
        return kernel_of(self.kernel)

    def state(self) -> Stated:
        """State the model of the points.

        Raises
        ------
        QPKernelsError
            If the points do not make one: a class is missing, for example, or they are too many for the machine.
        """
        values = dict(self.machine.values)
        machine, kernel = self.machine.choice, self.kernel_function()
        self._require_points()
        targets = (self.y,) if machine.takes_labels else ()
        stated: Stated = machine.kind(self.X, *targets, kernel, **values)
        return stated

    def _require_points(self) -> None:
        """Refuse points that are too few or too many in words of the page."""
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


def read_setting(message: Any, views: Mapping[str, Any]) -> Setting:
    """Return the setting that a decoded message states; what is left out is the default.

    Parameters
    ----------
    views
        The views by name.

    Raises
    ------
    ParameterError, ShapeError, NonFiniteError
        If it states none; the error names the part at fault.
    """
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
    """Return the points of a list of lists of numbers.

    Raises
    ------
    ParameterError, ShapeError, NonFiniteError
        If they are none, or too many.
    """
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
