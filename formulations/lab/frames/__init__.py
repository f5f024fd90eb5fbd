# SPDX-License-Identifier: BSD-3-Clause
"""What a page is sent: an answer, drawn as numbers."""

from formulations.lab.frames.frame import Frame
from formulations.lab.frames.plane import GRID, Grid, grid_of, values_on

__all__ = ["GRID", "Frame", "Grid", "grid_of", "values_on"]
