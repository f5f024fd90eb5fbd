# SPDX-License-Identifier: BSD-3-Clause
"""The points as comma-separated values, which ``qpkernels lab --data`` and ``qpkernels fit`` read."""

from __future__ import annotations

from formulations.lab.exports.export import Export
from formulations.lab.exports.rows import rows_of
from formulations.lab.settings import Setting, Task

__all__ = ["table"]


def table(setting: Setting) -> Export:
    """Return the points, one a line, with the label or target last.

    Raises
    ------
    ParameterError
        If there are no points.
    """
    header = "x1,x2,label" if setting.task is Task.CLASSIFICATION else "x,y"
    return Export("points.csv", "\n".join([header, *(",".join(row) for row in rows_of(setting))]) + "\n")
