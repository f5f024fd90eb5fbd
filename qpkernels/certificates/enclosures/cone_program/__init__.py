# SPDX-License-Identifier: BSD-3-Clause
"""Intervals that hold the optimal value of a cone program: from above by a feasible point, from below by a dual one."""

from qpkernels.certificates.enclosures.cone_program.enclose import enclose_cone_program

__all__ = ["enclose_cone_program"]
