# SPDX-License-Identifier: BSD-3-Clause
"""The lab in a cell of a notebook: ``from formulations.lab.notebook import Lab``.

It stands here rather than among the names of :mod:`formulations`, since it needs the extra ``notebook``.
"""

from formulations.lab.notebook.widget import Lab

__all__ = ["Lab"]
