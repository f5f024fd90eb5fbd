# SPDX-License-Identifier: BSD-3-Clause
"""The points as text from which the same numbers are read."""

from __future__ import annotations

from collections.abc import Sequence

from formulations.lab.settings import Setting, Task
from qpkernels.errors import ParameterError

__all__ = ["rows_of"]


def rows_of(setting: Setting) -> Sequence[Sequence[str]]:
    """Return the coordinates of each point, the label or target last.

    Raises
    ------
    ParameterError
        If there are no points.
    """
    if len(setting.points) == 0:
        raise ParameterError("there are no points to take along; add some first.")
    labels = setting.task is Task.CLASSIFICATION
    return [[*map(repr, values), f"{last:g}" if labels else repr(last)] for *values, last in setting.points.tolist()]
