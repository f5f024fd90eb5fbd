# SPDX-License-Identifier: BSD-3-Clause
"""Intervals that hold the optimal value in exact arithmetic, one file for each kind of problem."""

from qpkernels.certificates.enclosures.cone_program import enclose_cone_program
from qpkernels.certificates.enclosures.enclosure import Enclosure

__all__ = ["Enclosure", "enclose_cone_program"]
